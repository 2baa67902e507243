// SPDX-License-Identifier: GPL-2.0-only
/*
 * Medians, shifts, intervals and the Mann-Whitney test, of samples and of histograms. Called by
 * compare.c. The distribution functions are libRmath's, those of R; its wilcox.test() is the model.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define MATHLIB_STANDALONE
#include <Rmath.h>
#include "stats.h"

/* From there on R, too, takes the normal approximation: the exact distribution is slow, and close.
 */
#define EXACT_BELOW 50

/* A value and how often it was seen: one sample, or a bucket's. */
struct point {
	double value;
	double count;
};

/* Points in ascending order. */
struct side {
	struct point *point;
	size_t nr;
	double total; /* of the counts */
};

const char *stats_word_text(enum stats_word word)
{
	static const char *const texts[STATS_WORDS] = {
		[STATS_NO_TEST] = "no test",
		[STATS_NO_DIFFERENCE] = "no difference",
		[STATS_FASTER] = "faster",
		[STATS_SLOWER] = "slower",
	};

	return texts[word];
}

static int by_value(const void *a, const void *b)
{
	const struct point *one = a, *two = b;

	return (one->value > two->value) - (one->value < two->value);
}

static int side_of_samples(struct side *side, const double *samples, size_t nr)
{
	side->point = calloc(nr + 1, sizeof(*side->point)); /* none is no error */
	if (!side->point)
		return -ENOMEM;
	side->nr = nr;
	side->total = (double)nr;
	for (size_t i = 0; i < nr; i++)
		side->point[i] = (struct point){ samples[i], 1 };
	qsort(side->point, nr, sizeof(*side->point), by_value);
	return 0;
}

/* The middle of a bucket; the last has none. */
static double bucket_middle_ns(unsigned bucket)
{
	double lower = (double)hist_lower_ns(bucket);

	return bucket + 1 < HIST_BUCKETS ? (lower + (double)hist_lower_ns(bucket + 1)) / 2 : lower;
}

static int side_of_hist(struct side *side, const struct hist *hist)
{
	side->point = calloc(HIST_BUCKETS, sizeof(*side->point));
	if (!side->point)
		return -ENOMEM;
	side->nr = 0;
	side->total = 0;
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		if (!hist->count[i])
			continue;
		side->point[side->nr++] =
			(struct point){ bucket_middle_ns(i), (double)hist->count[i] };
		side->total += (double)hist->count[i];
	}
	return 0;
}

/* Only of samples: each counts once. */
static double side_median(const struct side *side)
{
	size_t middle = side->nr / 2;

	if (!side->nr)
		return NAN;
	if (side->nr % 2)
		return side->point[middle].value;
	return (side->point[middle - 1].value + side->point[middle].value) / 2;
}

double stats_median(const double *samples, size_t nr)
{
	struct side side;
	double median;

	if (side_of_samples(&side, samples, nr))
		return NAN;
	median = side_median(&side);
	free(side.point);
	return median;
}

static double exact_least_p(double nr_base, double nr_other)
{
	return 2 * pwilcox(0, nr_base, nr_other, 1, 0);
}

static bool is_exact(const struct side *base, const struct side *other)
{
	return base->total < EXACT_BELOW && other->total < EXACT_BELOW;
}

/* One value of both sides: how many of either have it. */
static void next_tie(const struct side *base, const struct side *other, size_t at[2],
		     double count[2])
{
	const struct side *side[2] = { base, other };
	double value = INFINITY;

	for (int i = 0; i < 2; i++)
		if (at[i] < side[i]->nr)
			value = fmin(value, side[i]->point[at[i]].value);
	for (int i = 0; i < 2; i++) {
		count[i] = 0;
		while (at[i] < side[i]->nr && side[i]->point[at[i]].value == value)
			count[i] += side[i]->point[at[i]++].count;
	}
}

/* What the test counts of two sides. */
struct counts {
	double larger; /* pairs in which @other is the larger, equal ones by half: the statistic */
	double untied; /* for its variance: sum of t (N - t) (N + t), with t of all N equal */
	bool has_ties;
};

static void count_pairs(const struct side *base, const struct side *other, struct counts *counts)
{
	double total = base->total + other->total, below = 0, count[2];
	size_t at[2] = { 0, 0 };

	*counts = (struct counts){};
	while (at[0] < base->nr || at[1] < other->nr) {
		double tied;

		next_tie(base, other, at, count);
		tied = count[0] + count[1];
		counts->has_ties |= tied > 1;
		counts->larger += count[1] * (below + count[0] / 2);
		counts->untied += tied * (total - tied) * (total + tied);
		below += count[0];
	}
}

/*
 * With ties libRmath's distribution does not hold, and the normal one is far off where p matters:
 * of five runs against five slower ones, two of them equal, it makes 0.011 instead of 0.0079, no
 * difference instead of one. So each way to choose other->total of all the ranks is counted by the
 * sum of the chosen; ranks are doubled, since those of ties are halves.
 */
static int tied_p(const struct side *base, const struct side *other, double *p)
{
	size_t all = (size_t)(base->total + other->total), chosen = (size_t)other->total;
	size_t most = all * (all + 1), seen = 0, sum = 0, at[2] = { 0, 0 };
	double *ways = calloc((chosen + 1) * (most + 1), sizeof(*ways)), count[2];
	double below = 0, upto = 0, from = 0, ways_in_all = 0;

	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	while (at[0] < base->nr || at[1] < other->nr) {
		size_t rank;

		next_tie(base, other, at, count);
		rank = (size_t)(2 * below + count[0] + count[1] + 1);
		below += count[0] + count[1];
		sum += (size_t)count[1] * rank;
		for (; seen < (size_t)below; seen++)
			for (size_t k = chosen; k > 0; k--)
				for (size_t s = rank; s <= most; s++)
					ways[k * (most + 1) + s] +=
						ways[(k - 1) * (most + 1) + s - rank];
	}
	for (size_t s = 0; s <= most; s++) {
		double here = ways[chosen * (most + 1) + s];

		ways_in_all += here;
		upto += s <= sum ? here : 0;
		from += s >= sum ? here : 0;
	}
	*p = fmin(2 * fmin(upto, from) / ways_in_all, 1);
	free(ways);
	return 0;
}

/*
 * The variance of the statistic with ties is usually written nm/12 (N + 1 - sum(t^3 - t) / N(N -
 * 1)); that is nm/12 sum(t (N - t) (N + t)) / N(N - 1), which stays exact when one value is nearly
 * all.
 */
static int mann_whitney(const struct side *base, const struct side *other, double *p)
{
	double n = base->total, m = other->total, z;
	struct counts counts;

	if (n < 2 || m < 2)
		return 0;
	count_pairs(base, other, &counts);
	if (is_exact(base, other) && counts.has_ties)
		return tied_p(base, other, p);
	if (is_exact(base, other)) {
		*p = counts.larger > n * m / 2 ? pwilcox(counts.larger - 1, m, n, 0, 0)
					       : pwilcox(counts.larger, m, n, 1, 0);
		*p = fmin(2 * *p, 1);
		return 0;
	}
	if (counts.untied <= 0) {
		*p = 1;
		return 0;
	}
	z = fmax(fabs(counts.larger - n * m / 2) - 0.5, 0) /
	    sqrt(n * m / 12 * counts.untied / ((n + m) * (n + m - 1)));
	*p = fmin(2 * pnorm(z, 0, 1, 0, 0), 1);
	return 0;
}

/* Pairs whose difference, other less base, is at most @most. */
static double pairs_upto(const struct side *base, const struct side *other, double most)
{
	double pairs = 0, too_small = 0;
	size_t i = 0;

	for (size_t j = 0; j < other->nr; j++) {
		while (i < base->nr && other->point[j].value - base->point[i].value > most)
			too_small += base->point[i++].count;
		pairs += other->point[j].count * (base->total - too_small);
	}
	return pairs;
}

/* Doubles as integers in the same order, and back: what lies between two can be halved. */
static int64_t rank_of(double value)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits < 0 ? INT64_MIN - bits : bits;
}

static double value_at(int64_t rank)
{
	double value;

	rank = rank < 0 ? INT64_MIN - rank : rank;
	memcpy(&value, &rank, sizeof(value));
	return value;
}

/*
 * The @k-th smallest difference of a pair, other less base, @k from 1. At most 64 times through the
 * points, whereas the pairs may be 65536^2.
 */
static double pair_difference(const struct side *base, const struct side *other, double k)
{
	int64_t low = rank_of(other->point[0].value - base->point[base->nr - 1].value);
	int64_t high = rank_of(other->point[other->nr - 1].value - base->point[0].value);

	while (low < high) {
		int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);

		if (pairs_upto(base, other, value_at(middle)) >= k)
			high = middle;
		else
			low = middle + 1;
	}
	return value_at(low);
}

static double percent_of_log(double log)
{
	return 100 * expm1(log);
}

static int take_logs(struct side *side)
{
	for (size_t i = 0; i < side->nr; i++) {
		if (side->point[i].value <= 0)
			return -EDOM;
		side->point[i].value = log(side->point[i].value);
	}
	return 0;
}

static double shift_of_logs(const struct side *base, const struct side *other)
{
	double pairs = base->total * other->total, k = floor((pairs + 1) / 2);
	double lower = pair_difference(base, other, k);

	/* an even number has two in the middle; past 2^53 nobody can tell, and they are the same */
	if (fmod(pairs, 2) != 0)
		return lower;
	return (lower + pair_difference(base, other, k + 1)) / 2;
}

static void interval_of_logs(const struct side *base, const struct side *other, double interval[2])
{
	double n = base->total, m = other->total, tail = (1 - STATS_CONFIDENCE) / 2, k;

	if (is_exact(base, other))
		k = qwilcox(tail, m, n, 1, 0);
	else
		k = floor(n * m / 2 + qnorm(tail, 0, 1, 1, 0) * sqrt(n * m * (n + m + 1) / 12));
	if (k < 1)
		return;
	interval[0] = percent_of_log(pair_difference(base, other, k));
	interval[1] = percent_of_log(pair_difference(base, other, n * m + 1 - k));
}

static double change_percent(double base, double other)
{
	if (base == other)
		return 0;
	return base > 0 ? 100 * (other / base - 1) : NAN;
}

static enum stats_word word_of(const struct stats_change *change, const struct side *base,
			       const struct side *other)
{
	const double *interval = change->interval_percent;

	if (isnan(change->p) ||
	    (is_exact(base, other) && exact_least_p(base->total, other->total) >= STATS_P))
		return STATS_NO_TEST;
	if (change->p >= STATS_P || fabs(change->change_percent) < STATS_RESOLUTION_PERCENT)
		return STATS_NO_DIFFERENCE;
	if (isnan(change->change_percent) || isnan(interval[0]))
		return STATS_NO_TEST;
	if (interval[0] <= 0 && interval[1] >= 0)
		return STATS_NO_DIFFERENCE;
	return change->change_percent < 0 ? STATS_FASTER : STATS_SLOWER;
}

static void change_clear(struct stats_change *change)
{
	*change = (struct stats_change){ NAN, NAN, NAN, NAN, { NAN, NAN }, NAN, STATS_NO_TEST };
}

int stats_compare(const double *base, size_t nr_base, const double *other, size_t nr_other,
		  struct stats_change *change)
{
	struct side from = {}, to = {};
	int err;

	change_clear(change);
	err = side_of_samples(&from, base, nr_base);
	if (!err)
		err = side_of_samples(&to, other, nr_other);
	if (err)
		goto out;
	change->base = side_median(&from);
	change->other = side_median(&to);
	if (!nr_base || !nr_other)
		goto out;
	change->change_percent = change_percent(change->base, change->other);
	err = mann_whitney(&from, &to, &change->p);
	if (err)
		goto out;
	if (!take_logs(&from) && !take_logs(&to)) {
		change->shift_percent = percent_of_log(shift_of_logs(&from, &to));
		interval_of_logs(&from, &to, change->interval_percent);
	}
	change->word = word_of(change, &from, &to);
out:
	free(from.point);
	free(to.point);
	return err;
}

/* The bucket of the latency of rank @rank, from 1, in @hist, which holds that many. */
static unsigned bucket_of_rank(const struct hist *hist, double rank)
{
	unsigned last = 0;
	double below = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		if (!hist->count[i])
			continue;
		below += (double)hist->count[i];
		last = i;
		if (below >= rank)
			break;
	}
	return last;
}

/*
 * The least and the most, ns, that the median can be at the square root of STATS_CONFIDENCE;
 * false: too few to say. Latencies are whole, so the most of a bucket is the next one's bound
 * less 1.
 */
static bool median_bounds(const struct hist *hist, double total, double bounds_ns[2])
{
	double tail = (1 - sqrt(STATS_CONFIDENCE)) / 2, rank;
	unsigned upper;

	/* past a million the quantile is the normal one's but for a rank or two, and slow */
	if (total < 1e6)
		rank = qbinom(tail, total, 0.5, 1, 0);
	else
		rank = floor(total / 2 + qnorm(tail, 0, 1, 1, 0) * sqrt(total) / 2);
	if (rank < 1)
		return false;
	upper = bucket_of_rank(hist, total + 1 - rank);
	bounds_ns[0] = (double)hist_lower_ns(bucket_of_rank(hist, rank));
	bounds_ns[1] = upper + 1 < HIST_BUCKETS ? (double)hist_lower_ns(upper + 1) - 1 : INFINITY;
	return true;
}

int stats_compare_hist(const struct hist *base, const struct hist *other,
		       struct stats_change *change)
{
	struct side from = {}, to = {};
	double bounds[2][2];
	int err;

	change_clear(change);
	err = side_of_hist(&from, base);
	if (!err)
		err = side_of_hist(&to, other);
	if (err)
		goto out;
	if (from.nr)
		change->base = hist_percentile(base, 50);
	if (to.nr)
		change->other = hist_percentile(other, 50);
	if (!from.nr || !to.nr)
		goto out;
	change->change_percent = change_percent(change->base, change->other);
	err = mann_whitney(&from, &to, &change->p);
	if (err)
		goto out;
	if (!take_logs(&from) && !take_logs(&to))
		change->shift_percent = percent_of_log(shift_of_logs(&from, &to));
	if (median_bounds(base, from.total, bounds[0]) &&
	    median_bounds(other, to.total, bounds[1])) {
		change->interval_percent[0] =
			isinf(bounds[0][1]) ? -100 : 100 * (bounds[1][0] / bounds[0][1] - 1);
		change->interval_percent[1] =
			bounds[0][0] > 0 ? 100 * (bounds[1][1] / bounds[0][0] - 1) : INFINITY;
	}
	change->word = word_of(change, &from, &to);
out:
	free(from.point);
	free(to.point);
	return err;
}
