// SPDX-License-Identifier: GPL-2.0-only
/* Subtracting the probes' cost: by hand, exact sums, clamping; and reads by syscall. */
#include "unit.h"
#include <errno.h>
#include "profile.h"

/* Debian 6.1's figures, docs: inside 171 ns, whole 441 ns */
#define INSIDE 171
#define WHOLE  441

static void make(struct profile *profile, struct profile_path *paths, size_t nr)
{
	*profile = (struct profile){
		.inside_ns = INSIDE, .whole_ns = WHOLE, .paths = paths, .nr_paths = nr
	};
}

/*
 * Ten reads of a group of three threads: one clock_gettime() calls thread_group_cputime() once,
 * that task_sched_runtime() three times, and that update_rq_clock() every other time.
 */
static void test_by_hand(void **state)
{
	struct profile_path paths[] = {
		{ .parent = -1, .calls = 10, .raw_ns = 50000 },
		{ .parent = 0, .calls = 10, .raw_ns = 44000 },
		{ .parent = 1, .calls = 30, .raw_ns = 24000 },
		{ .parent = 2, .calls = 15, .raw_ns = 5565 },
	};
	static const __u64 total[] = {
		50000 - 10 * 171 - 55 * 441, /* 24035: descendants' calls are 10 + 30 + 15 */
		44000 - 10 * 171 - 45 * 441, /* 22445 */
		24000 - 30 * 171 - 15 * 441, /* 12255 */
		5565 - 15 * 171,	     /* 3000 */
	};
	struct profile profile;

	(void)state;
	make(&profile, paths, 4);
	profile_correct(&profile);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(paths[i].total_ns, total[i]);
		assert_false(paths[i].clamped);
	}
	assert_int_equal(paths[0].total_ns, 24035);
	assert_int_equal(paths[3].total_ns, 3000);
	assert_int_equal(paths[0].self_ns, 24035 - 22445);
	assert_int_equal(paths[1].self_ns, 22445 - 12255);
	assert_int_equal(paths[2].self_ns, 12255 - 3000);
	assert_int_equal(paths[3].self_ns, 3000);
	profile_correct(&profile); /* a second time changes nothing */
	assert_int_equal(paths[0].total_ns, 24035);
	assert_int_equal(paths[0].self_ns, 24035 - 22445);
}

/* The empty function reads as its probes' inside cost, and so as nothing. */
static void test_empty_function(void **state)
{
	struct profile_path path = { .parent = -1, .calls = 1000, .raw_ns = 1000 * INSIDE };
	struct profile profile;

	(void)state;
	make(&profile, &path, 1);
	profile_correct(&profile);
	assert_int_equal(path.total_ns, 0);
	assert_int_equal(path.self_ns, 0);
	assert_false(path.clamped);
}

static void test_clamped_to_zero(void **state)
{
	struct profile_path path = { .parent = -1, .calls = 1000, .raw_ns = 1000 * INSIDE - 1 };
	struct profile profile;

	(void)state;
	make(&profile, &path, 1);
	profile_correct(&profile);
	assert_int_equal(path.total_ns, 0);
	assert_true(path.clamped);
}

/* A parent is never less than its children; what is above it keeps its own figure. */
static void test_clamped_to_children(void **state)
{
	struct profile_path paths[] = {
		{ .parent = -1, .calls = 1, .raw_ns = 10000 },
		{ .parent = 0, .calls = 1, .raw_ns = 1500 },
		{ .parent = 1, .calls = 1, .raw_ns = 771 },
		{ .parent = 1, .calls = 1, .raw_ns = 571 },
	};
	struct profile profile;

	(void)state;
	make(&profile, paths, 4);
	profile_correct(&profile);
	assert_int_equal(paths[2].total_ns, 600);
	assert_int_equal(paths[3].total_ns, 400);
	/* 1500 - 171 - 2 * 441 = 447 < 1000 */
	assert_int_equal(paths[1].total_ns, 1000);
	assert_int_equal(paths[1].self_ns, 0);
	assert_true(paths[1].clamped);
	assert_int_equal(paths[0].total_ns, 10000 - 171 - 3 * 441);
	assert_int_equal(paths[0].self_ns, 10000 - 171 - 3 * 441 - 1000);
	assert_false(paths[0].clamped);
	assert_false(paths[2].clamped);
}

/* Any tree: total = self + children's totals, to the nanosecond, and never below them. */
static void test_sums_exactly(void **state)
{
	enum { NR = 200 };
	static struct profile_path paths[NR];
	static __u64 children[NR];
	struct profile profile;
	unsigned seed = 7;

	(void)state;
	for (int i = 0; i < NR; i++) {
		paths[i].parent = i ? rand_r(&seed) % (i + 1) - 1 : -1;
		paths[i].calls = rand_r(&seed) % 1000;
		paths[i].raw_ns = rand_r(&seed) % 10000000;
	}
	make(&profile, paths, NR);
	profile_correct(&profile);
	for (int i = 0; i < NR; i++)
		if (paths[i].parent >= 0)
			children[paths[i].parent] += paths[i].total_ns;
	for (int i = 0; i < NR; i++)
		assert_int_equal(paths[i].total_ns, paths[i].self_ns + children[i]);
}

static void test_no_wrap(void **state)
{
	struct profile_path paths[] = {
		{ .parent = -1, .calls = UINT64_MAX / 2, .raw_ns = 1000 },
		{ .parent = 0, .calls = UINT64_MAX, .raw_ns = UINT64_MAX },
	};
	struct profile profile;

	(void)state;
	make(&profile, paths, 2);
	profile_correct(&profile);
	assert_int_equal(paths[0].total_ns, 0);
	assert_true(paths[0].clamped);
}

static bool is_entry(const char *function)
{
	return !strcmp(function, "clock_gettime") || !strcmp(function, "getrusage");
}

static void test_summarize(void **state)
{
	struct profile_path paths[] = {
		{ "clock_gettime", "thread/sched", .function = "clock_gettime", .parent = -1,
		  .calls = 5, .errors = 1, .total_ns = 1000, .self_ns = 400, .hist.count[3] = 5 },
		{ "clock_gettime", "thread/sched", .function = "task_sched_runtime", .parent = 0,
		  .calls = 4, .total_ns = 600, .self_ns = 600, .hist.count[2] = 4 },
		{ "getrusage", "self", .function = "getrusage", .parent = -1, .calls = 7,
		  .total_ns = 70, .self_ns = 70, .hist.count[1] = 7 },
		{ "clock_gettime", "thread/sched", .function = "clock_gettime", .parent = -1,
		  .calls = 2, .errors = 2, .total_ns = 20, .self_ns = 15, .hist.count[3] = 2 },
		{ "irq", "-", .function = "task_sched_runtime", .parent = -1, .calls = 9,
		  .total_ns = 90, .self_ns = 90, .hist.count[1] = 9 },
	};
	struct profile profile;

	(void)state;
	make(&profile, paths, 5);
	assert_int_equal(profile_summarize(&profile, is_entry), 0);
	assert_int_equal(profile.nr_syscalls, 2);
	assert_string_equal(profile.syscalls[0].name, "clock_gettime");
	assert_string_equal(profile.syscalls[0].clock, "thread/sched");
	assert_int_equal(profile.syscalls[0].calls, 7);
	assert_int_equal(profile.syscalls[0].errors, 3);
	assert_int_equal(profile.syscalls[0].total_ns, 1020);
	assert_int_equal(profile.syscalls[0].accounting_ns, 605);
	assert_int_equal(profile.syscalls[0].hist.count[3], 7);
	assert_int_equal(hist_total(&profile.syscalls[0].hist), 7);
	assert_string_equal(profile.syscalls[1].name, "getrusage");
	assert_int_equal(profile.syscalls[1].calls, 7);
	assert_int_equal(profile.syscalls[1].accounting_ns, 0);
	assert_int_equal(profile_summarize(&profile, is_entry), 0); /* afresh, not added up */
	assert_int_equal(profile.nr_syscalls, 2);
	assert_int_equal(profile.syscalls[0].calls, 7);
	free(profile.syscalls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),		cmocka_unit_test(test_empty_function),
		cmocka_unit_test(test_clamped_to_zero), cmocka_unit_test(test_clamped_to_children),
		cmocka_unit_test(test_sums_exactly),	cmocka_unit_test(test_no_wrap),
		cmocka_unit_test(test_summarize),
	};

	return cmocka_run_group_tests_name("calibration", tests, NULL, NULL);
}
