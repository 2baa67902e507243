// SPDX-License-Identifier: GPL-2.0-only
/* The histogram: bounds of every bucket, its edges, and percentiles beside sorted samples. */
#include "unit.h"
#include "hist.h"

static void test_bounds(void **state)
{
	(void)state;
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		__u64 lower = hist_lower_ns(i);

		assert_int_equal(hist_bucket(lower), i);
		if (i)
			assert_int_equal(hist_bucket(lower - 1), i - 1);
		if (i + 1 < HIST_BUCKETS)
			assert_true(hist_lower_ns(i + 1) > lower);
	}
}

static void test_edges(void **state)
{
	static const struct {
		__u64 ns, bucket;
	} edges[] = {
		{ 0, 0 },
		{ 7, 0 },
		{ 8, 1 },
		{ 1023, 127 },
		{ 1024, 128 },
		{ 1151, 128 },
		{ 1152, 129 },
		{ 2047, 135 },
		{ 2048, 136 },
		{ (1ull << 33) - 1, HIST_BUCKETS - 2 },
		{ 1ull << 33, HIST_BUCKETS - 1 },
		{ 1ull << 34, HIST_BUCKETS - 1 },
		{ UINT64_MAX, HIST_BUCKETS - 1 },
	};

	(void)state;
	assert_int_equal(HIST_BUCKETS, 313);
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		assert_int_equal(hist_bucket(edges[i].ns), edges[i].bucket);
	assert_int_equal(hist_lower_ns(0), 0);
	assert_int_equal(hist_lower_ns(1), 8);
	assert_int_equal(hist_lower_ns(128), 1024);
	assert_int_equal(hist_lower_ns(129), 1152);
	assert_int_equal(hist_lower_ns(HIST_BUCKETS - 1), 1ull << 33);
}

/* No bucket above the linear part is wider than an eighth of its lower bound. */
static void test_widths(void **state)
{
	(void)state;
	for (unsigned i = 0; i < HIST_LINEAR; i++)
		assert_int_equal(hist_lower_ns(i + 1) - hist_lower_ns(i), 8);
	for (unsigned i = HIST_LINEAR; i + 1 < HIST_BUCKETS; i++)
		assert_true(8 * (hist_lower_ns(i + 1) - hist_lower_ns(i)) <= hist_lower_ns(i));
}

static void test_log2(void **state)
{
	(void)state;
	for (unsigned bit = 0; bit < 64; bit++) {
		assert_int_equal(hist_log2(1ull << bit), bit);
		assert_int_equal(hist_log2(UINT64_MAX >> (63 - bit)), bit);
	}
}

static void test_total_and_add(void **state)
{
	struct hist a = {}, b = {};

	(void)state;
	assert_int_equal(hist_total(&a), 0);
	a.count[0] = 3;
	a.count[HIST_BUCKETS - 1] = 4;
	b.count[0] = 10;
	b.count[7] = 20;
	hist_add(&a, &b);
	assert_int_equal(a.count[0], 13);
	assert_int_equal(a.count[7], 20);
	assert_int_equal(a.count[HIST_BUCKETS - 1], 4);
	assert_int_equal(hist_total(&a), 37);
	a.count[1] = UINT64_MAX;
	assert_int_equal(hist_total(&a), UINT64_MAX);
}

static void test_percentile_by_hand(void **state)
{
	struct hist hist = {};

	(void)state;
	assert_true(hist_percentile(&hist, 50) == 0);
	hist.count[hist_bucket(400)] = 100; /* 400 … 407 */
	assert_true(hist_percentile(&hist, 0) == 400);
	assert_true(hist_percentile(&hist, 50) == 404);
	assert_true(hist_percentile(&hist, 100) == 408);
	hist.count[hist_bucket(2048)] = 100; /* 2048 … 2303 */
	assert_true(hist_percentile(&hist, 50) == 408);
	assert_true(hist_percentile(&hist, 75) == 2048 + 128);
	memset(&hist, 0, sizeof(hist));
	hist.count[HIST_BUCKETS - 1] = 5;
	assert_true(hist_percentile(&hist, 1) == (double)(1ull << 33));
	assert_true(hist_percentile(&hist, 99) == (double)(1ull << 33));
}

static int compare(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return x < y ? -1 : x > y;
}

/* The answer lies in the bucket of the exact sample of that rank. */
static void test_percentile_beside_samples(void **state)
{
	enum { NR = 10007 };
	static __u64 samples[NR];
	static struct hist hist;
	__u64 seed = 42;

	(void)state;
	for (int i = 0; i < NR; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		samples[i] = (seed >> 33) >> (seed >> 40) % 24; /* many octaves */
		hist.count[hist_bucket(samples[i])]++;
	}
	qsort(samples, NR, sizeof(samples[0]), compare);
	for (int per_mille = 1; per_mille < 1000; per_mille++) {
		int rank = (per_mille * NR + 999) / 1000; /* ceil */
		__u64 exact = samples[rank - 1];
		unsigned bucket = hist_bucket(exact);
		double got = hist_percentile(&hist, per_mille / 10.0);

		assert_true(got >= (double)hist_lower_ns(bucket));
		assert_true(got <= (double)hist_lower_ns(bucket + 1));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_log2),
		cmocka_unit_test(test_total_and_add),
		cmocka_unit_test(test_percentile_by_hand),
		cmocka_unit_test(test_percentile_beside_samples),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
