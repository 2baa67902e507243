// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics against known values: those of R 4.2.2's wilcox.test(), which the comments give as it
 * was called, and a published example; and how often the rule errs when nothing differs.
 */
#include "unit.h"
#include <math.h>
#include <stdbool.h>
#include "stats.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("%.15g, not %.15g (± %g)", got, want, tolerance);
}

static struct stats_change compare(const double *base, size_t nr_base, const double *other,
				   size_t nr_other)
{
	struct stats_change change;

	assert_int_equal(stats_compare(base, nr_base, other, nr_other, &change), 0);
	return change;
}

static void assert_interval(const struct stats_change *change, double low, double high)
{
	assert_near(change->interval_percent[0], low, 1e-9);
	assert_near(change->interval_percent[1], high, 1e-9);
}

/* Five runs each; R: wilcox.test(log(other), log(base), conf.int=TRUE). */
static const double five[] = { 1234.5, 1236.1, 1233.9, 1240.2, 1235.0 };
static const double five_slower[] = { 1301.2, 1299.8, 1310.4, 1305.5, 1300.1 };

static void test_five(void **state)
{
	struct stats_change change = compare(five, 5, five_slower, 5);

	(void)state;
	assert_near(change.base, 1235.0, 1e-12);
	assert_near(change.other, 1301.2, 1e-12);
	assert_near(change.change_percent, 100 * (1301.2 / 1235.0 - 1), 1e-12);
	assert_near(change.p, 2.0 / 252, 1e-15); /* 10 over 5: all of one above the other's */
	assert_near(change.shift_percent, 5.36032388664, 1e-9);
	assert_near(change.interval_percent[0], 4.91856152234, 1e-9);
	assert_near(change.interval_percent[1], 6.10526315789, 1e-9);
	assert_int_equal(change.word, STATS_SLOWER);

	change = compare(five_slower, 5, five, 5);
	assert_near(change.p, 2.0 / 252, 1e-15);
	assert_int_equal(change.word, STATS_FASTER);
}

/*
 * The permeability of the human chorioamnion, Hollander and Wolfe (1973), p. 69 f., the example of
 * R's help page of wilcox.test: W = 35 of 50, one-sided p = 0.1272, so 0.2544.
 */
static void test_hollander_wolfe(void **state)
{
	const double term[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
	const double early[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	struct stats_change change = compare(term, NR(term), early, NR(early));

	(void)state;
	assert_near(change.p, 0.254412254412254, 1e-14);
	assert_near(change.base, 1.415, 1e-12);
	assert_near(change.other, 0.90, 1e-12);
	/* of the logarithms: -0.271375187786272, -0.672668649216405 … 0.151399646455368 */
	assert_near(change.shift_percent, -23.7669574322, 1e-9);
	assert_near(change.interval_percent[0], -48.9655172414, 1e-9);
	assert_near(change.interval_percent[1], 16.3461538462, 1e-9);
	assert_int_equal(change.word, STATS_NO_DIFFERENCE);
}

/*
 * With ties: every choice of ranks counted, in R: s <- combn(N, m, function(i) sum(rank(c(a,
 * b))[i])); w <- sum(rank(c(a, b))[-seq_along(a)]); 2 * min(mean(s <= w), mean(s >= w)).
 * sort(outer(log(b), log(a), "-"))[c(7, 36)] is the interval.
 */
static void test_ties(void **state)
{
	const double a[] = { 13, 10, 11, 12, 11, 13 }, b[] = { 11, 12, 13, 14, 14, 15, 16 };
	const double one[] = { 1, 1, 2 }, two[] = { 1, 2, 2 };
	const double before[] = { 678.5, 678.6, 678.5, 678.4, 678.5 };
	const double after[] = { 778.6, 778.7, 778.6, 778.5, 778.8 };
	const double exactly[] = { 778.6, 778.6, 778.6, 778.6, 778.6 };
	struct stats_change change = compare(a, NR(a), b, NR(b));

	(void)state;
	assert_near(change.p, 0.0699300699300699, 1e-15);
	assert_near(change.shift_percent, 16.6666666667, 1e-9);
	assert_interval(&change, 0, 36.36363636363636);
	assert_near(compare(one, 3, two, 3).p, 1, 0);

	/* what icount's guests give: the normal approximation says 0.0109 and 0.0040 */
	change = compare(before, 5, after, 5);
	assert_near(change.p, 2.0 / 252, 1e-15);
	assert_interval(&change, 100 * (778.6 / 678.6 - 1), 100 * (778.8 / 678.5 - 1));
	assert_int_equal(change.word, STATS_SLOWER);
	change = compare(exactly, 5, before, 5);
	assert_near(change.p, 2.0 / 252, 1e-15);
	assert_int_equal(change.word, STATS_FASTER);
}

/* The largest that is counted; with one tie only, it is all but what it is without. */
static void test_ties_many(void **state)
{
	double base[49], other[49];
	double exact;

	(void)state;
	for (int i = 0; i < 49; i++) {
		base[i] = 1000 + 2 * i;
		other[i] = 1011 + 2 * i;
	}
	exact = compare(base, 49, other, 49).p;
	base[0] = base[1];
	/* the statistic is the same, and its distribution but for the step it stands on */
	assert_near(compare(base, 49, other, 49).p, exact, exact * 0.01);
	assert_true(exact > 0.05 && exact < 0.08);
}

static void test_all_equal(void **state)
{
	const double equal[] = { 678.5, 678.5, 678.5, 678.5, 678.5, 678.5 };
	struct stats_change change = compare(equal, 6, equal, 5);

	(void)state;
	assert_near(change.p, 1, 0);
	assert_near(change.change_percent, 0, 0);
	assert_near(change.shift_percent, 0, 0);
	assert_interval(&change, 0, 0);
	assert_int_equal(change.word, STATS_NO_DIFFERENCE);

	change = compare(five, 5, five, 5);
	assert_near(change.p, 1, 0);
	assert_int_equal(change.word, STATS_NO_DIFFERENCE);
}

/* Past 49 the normal approximation. R: p = 0.0940668416586, the interval's ranks 1426 and 2175. */
static void test_many(void **state)
{
	double x[60], y[60];
	struct stats_change change;

	(void)state;
	for (int i = 0; i < 60; i++) {
		x[59 - i] = 1000 + 1.5 * (i + 1);
		y[i] = 1003 + 1.7 * (i + 1);
	}
	change = compare(x, 60, y, 60);
	assert_near(change.p, 0.0940668416586, 1e-12);
	assert_near(change.shift_percent, 0.87003371338, 1e-9);
	assert_near(change.interval_percent[0], -0.157402852927, 1e-9);
	assert_near(change.interval_percent[1], 1.90154440154, 1e-9);
	/* wilcox.test's own, found by uniroot(): -0.1517 … 1.9005 */
	assert_near(change.interval_percent[0], -0.151719924637, 0.01);
	assert_near(change.interval_percent[1], 1.90048976323, 0.01);
	assert_int_equal(change.word, STATS_NO_DIFFERENCE);
}

static void test_few(void **state)
{
	const double low[] = { 1, 2, 3, 4 }, high[] = { 5, 6, 7, 8 };
	struct stats_change change = compare(low, 1, high, 1);

	(void)state;
	assert_near(change.base, 1, 0);
	assert_near(change.other, 5, 0);
	assert_near(change.change_percent, 400, 1e-12);
	assert_true(isnan(change.p));
	assert_true(isnan(change.interval_percent[0]));
	assert_int_equal(change.word, STATS_NO_TEST);

	change = compare(low, 2, high, 2);
	assert_near(change.p, 1.0 / 3, 1e-15);
	assert_true(isnan(change.interval_percent[0])); /* at most 67 % */
	assert_int_equal(change.word, STATS_NO_TEST);
	assert_near(compare(low, 3, high, 3).p, 0.1, 1e-15);
	change = compare(low, 4, high, 4);
	assert_near(change.p, 2.0 / 70, 1e-15);
	assert_interval(&change, 25, 700);
	assert_int_equal(change.word, STATS_NO_TEST); /* p cannot come out below 0.01 */
	assert_int_equal(compare(five, 5, five_slower, 4).word, STATS_NO_TEST);
	assert_int_equal(compare(five, STATS_ENOUGH, five_slower, STATS_ENOUGH).word, STATS_SLOWER);

	change = compare(low, 4, NULL, 0);
	assert_near(change.base, 2.5, 0);
	assert_true(isnan(change.other) && isnan(change.change_percent) && isnan(change.p));
	assert_int_equal(change.word, STATS_NO_TEST);
	assert_true(isnan(stats_median(NULL, 0)));
	assert_near(stats_median(high, 3), 6, 0);
	assert_near(stats_median(high, 4), 6.5, 0);
}

/* There is no logarithm of 0, so no interval. */
static void test_zeros(void **state)
{
	const double zeros[] = { 0, 0, 0, 0, 0 }, some[] = { 0, 1, 1, 2, 3 };
	const double all[] = { 10, 11, 12, 13, 14, 15 };
	struct stats_change change = compare(zeros, 5, some, 5);

	(void)state;
	assert_near(change.p, 12.0 / 252, 1e-15);
	assert_true(isnan(change.change_percent));
	assert_true(isnan(change.shift_percent) && isnan(change.interval_percent[1]));
	assert_int_equal(change.word, STATS_NO_DIFFERENCE);
	change = compare(zeros, 5, zeros, 5);
	assert_near(change.p, 1, 0);
	assert_near(change.change_percent, 0, 0);
	assert_int_equal(change.word, STATS_NO_DIFFERENCE);
	assert_int_equal(compare(zeros, 5, all, 6).word, STATS_NO_TEST);
}

/* A difference that p shows is still none below the resolution. */
static void test_resolution(void **state)
{
	double base[10], near[10], far[10];

	(void)state;
	for (int i = 0; i < 10; i++) {
		base[i] = 1000 + i * 0.001;
		near[i] = base[i] * 1.0009;
		far[i] = base[i] * 0.9989;
	}
	assert_true(compare(base, 10, near, 10).p < STATS_P);
	assert_int_equal(compare(base, 10, near, 10).word, STATS_NO_DIFFERENCE);
	assert_int_equal(compare(base, 10, far, 10).word, STATS_FASTER);
}

static struct hist hist_of(unsigned nr, const __u64 (*rows)[2])
{
	struct hist hist = {};

	for (unsigned i = 0; i < nr; i++)
		hist.count[hist_bucket(rows[i][0])] += rows[i][1];
	return hist;
}
#define HIST(...) \
	hist_of(sizeof((const __u64[][2]){ __VA_ARGS__ }) / 16, (const __u64[][2]){ __VA_ARGS__ })

static struct stats_change compare_hist(struct hist base, struct hist other)
{
	struct stats_change change;

	assert_int_equal(stats_compare_hist(&base, &other, &change), 0);
	return change;
}

/*
 * R: wilcox.test(rep(c(284, 292, 300, 308), c(10, 40, 40, 20)), rep(c(276, 284, 292), c(50, 30,
 * 20))) gives p; exp(median(outer(log(), log(), "-"))) the shift; qbinom((1 - sqrt(0.95)) / 2, n,
 * 0.5) the ranks 39 of 100 and 43 of 110: latencies 272 … 287 and 288 … 303.
 */
static void test_hist(void **state)
{
	struct stats_change change =
		compare_hist(HIST({ 272, 50 }, { 280, 30 }, { 288, 20 }),
			     HIST({ 280, 10 }, { 288, 40 }, { 296, 40 }, { 304, 20 }));

	(void)state;
	assert_near(change.base, 280, 1e-9);
	assert_near(change.other, 297, 1e-9);
	assert_near(change.change_percent, 100 * (297 / 280.0 - 1), 1e-9);
	assert_near(change.p, 1.42415795827e-28, 1e-38);
	assert_near(change.shift_percent, 5.79710144928, 1e-9);
	assert_interval(&change, 100 * (288 / 287.0 - 1), 100 * (303 / 272.0 - 1));
	assert_int_equal(change.word, STATS_SLOWER);

	/* R: 0.16777368428922 and 1.20876072213107e-05: ten times as many, the same shares */
	change = compare_hist(HIST({ 276, 50 }, { 284, 30 }, { 300, 20 }),
			      HIST({ 276, 40 }, { 284, 35 }, { 300, 25 }));
	assert_near(change.p, 0.16777368428922, 1e-12);
	assert_int_equal(change.word, STATS_NO_DIFFERENCE);
	change = compare_hist(HIST({ 276, 500 }, { 284, 300 }, { 300, 200 }),
			      HIST({ 276, 400 }, { 284, 350 }, { 300, 250 }));
	assert_near(change.p, 1.20876072213107e-05, 1e-16);
}

/* What moved inside of a bucket nobody can see, however many there are. */
static void test_hist_resolution(void **state)
{
	struct stats_change change = compare_hist(HIST({ 272, 1000000 }, { 280, 1000 }),
						  HIST({ 272, 1000000 }, { 280, 9000 }));

	(void)state;
	assert_true(change.p < 1e-6);
	assert_interval(&change, 100 * (272 / 279.0 - 1), 100 * (279 / 272.0 - 1));
	assert_int_equal(change.word, STATS_NO_DIFFERENCE);
}

static void test_hist_edges(void **state)
{
	const __u64 top = 1ull << HIST_TOP_BITS, huge = 1ull << 62;
	struct stats_change change;

	(void)state;
	change = compare_hist(HIST({ 272, 0 }), HIST({ 272, 5 }));
	assert_true(isnan(change.base) && isnan(change.p) && isnan(change.interval_percent[0]));
	assert_near(change.other, 276, 1e-9);
	assert_int_equal(change.word, STATS_NO_TEST);
	change = compare_hist(HIST({ 272, 1 }), HIST({ 400, 1 }));
	assert_true(isnan(change.p));
	assert_int_equal(change.word, STATS_NO_TEST);
	change = compare_hist(HIST({ 272, 6 }), HIST({ 400, 6 }));
	assert_true(isnan(change.interval_percent[0]));
	assert_int_equal(change.word, STATS_NO_TEST);
	assert_int_equal(compare_hist(HIST({ 272, 7 }), HIST({ 400, 7 })).word, STATS_SLOWER);

	/* the first bucket begins at 0, the last has no end */
	change = compare_hist(HIST({ 0, 100 }), HIST({ 8, 100 }));
	assert_near(change.interval_percent[0], 100 * (8 / 7.0 - 1), 1e-9);
	assert_true(isinf(change.interval_percent[1]));
	assert_int_equal(change.word, STATS_SLOWER);
	change = compare_hist(HIST({ top, 100 }), HIST({ 1000, 100 }));
	assert_near(change.interval_percent[0], -100, 0);
	assert_true(change.interval_percent[1] < -99);
	assert_int_equal(change.word, STATS_FASTER);
	assert_int_equal(compare_hist(HIST({ top, 9 }), HIST({ top, 9 })).word,
			 STATS_NO_DIFFERENCE);

	/* numbers that no host counts to */
	change = compare_hist(HIST({ 272, huge }, { 280, huge }), HIST({ 400, huge }));
	assert_near(change.p, 0, 1e-300);
	assert_int_equal(change.word, STATS_SLOWER);
	change = compare_hist(HIST({ 272, huge }), HIST({ 272, 2 * huge }));
	assert_near(change.p, 1, 0);
	assert_int_equal(change.word, STATS_NO_DIFFERENCE);
}

/* A deterministic draw; its logarithm is normal with 1 % of noise: Box and Muller. */
static double draw_ns(unsigned *seed)
{
	double u = (rand_r(seed) + 1.0) / (RAND_MAX + 2.0), v = (rand_r(seed) + 1.0) / RAND_MAX;

	return 678.5 * exp(0.01 * sqrt(-2 * log(u)) * cos(2 * M_PI * v));
}

/* A/A: how often the rule finds a difference between draws of the same distribution. */
static double false_differences(int nr, bool is_rounded)
{
	const int rounds = 2000;
	unsigned seed = 20161;
	int wrong = 0;

	for (int round = 0; round < rounds; round++) {
		double sample[2][10];

		for (int i = 0; i < 2 * nr; i++) {
			double ns = draw_ns(&seed);

			sample[i / nr][i % nr] = is_rounded ? floor(ns / 4) * 4 : ns;
		}
		wrong += compare(sample[0], nr, sample[1], nr).word != STATS_NO_DIFFERENCE;
	}
	return 100.0 * wrong / rounds;
}

static void test_false_differences(void **state)
{
	(void)state;
	for (int nr = 5; nr <= 10; nr += 5) {
		for (int is_rounded = 0; is_rounded < 2; is_rounded++) {
			double percent = false_differences(nr, is_rounded);

			print_message("A/A, %d against %d samples%s: %.2f %% called different\n",
				      nr, nr, is_rounded ? ", many equal" : "", percent);
			assert_true(percent <= 2);
		}
	}
}

static void test_false_differences_hist(void **state)
{
	unsigned seed = 7;
	int wrong = 0;

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct hist hist[2] = {};

		for (int i = 0; i < 2000; i++)
			hist[i % 2].count[hist_bucket((__u64)draw_ns(&seed))]++;
		wrong += compare_hist(hist[0], hist[1]).word != STATS_NO_DIFFERENCE;
	}
	print_message("A/A, histograms of 1000: %.2f %% called different\n", wrong / 5.0);
	assert_true(wrong <= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_five),
		cmocka_unit_test(test_hollander_wolfe),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_ties_many),
		cmocka_unit_test(test_all_equal),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_resolution),
		cmocka_unit_test(test_hist),
		cmocka_unit_test(test_hist_resolution),
		cmocka_unit_test(test_hist_edges),
		cmocka_unit_test(test_false_differences),
		cmocka_unit_test(test_false_differences_hist),
	};

	return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
