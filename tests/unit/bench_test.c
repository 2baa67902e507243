// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pure parts of the bench workloads: how a clock id is put together, that the tables are in
 * themselves right, how runs add up, how ticks are found. Run by `make check-unit`.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include "bench.h"
#include "bench_armed.h"
#include "bench_pound.h"
#include "bench_tick.h"
#include "functions.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* The kind of @syscall, @clock and @how; fails when there is none. */
static const struct bench_kind *find(const char *syscall, enum clock_id clock, const char *how)
{
	for (size_t i = 0; i < bench_nr_kinds; i++) {
		const struct bench_kind *kind = &bench_kinds[i];

		if (!strcmp(kind->syscall, syscall) && kind->clock == clock &&
		    !strcmp(kind->how, how))
			return kind;
	}
	fail_msg("no kind %s, clock %d, %s", syscall, clock, how);
	return NULL;
}

static void clock_id_is_the_kernels(void **state)
{
	(void)state;
	/* include/linux/posix-timers.h: PROCESS_CLOCK is -6, THREAD_CLOCK is -2 */
	assert_int_equal(bench_clock_id(0, false, CPUCLOCK_TYPE_PROF), -8);
	assert_int_equal(bench_clock_id(0, false, CPUCLOCK_TYPE_VIRT), -7);
	assert_int_equal(bench_clock_id(0, false, CPUCLOCK_TYPE_SCHED), -6);
	assert_int_equal(bench_clock_id(0, true, CPUCLOCK_TYPE_PROF), -4);
	assert_int_equal(bench_clock_id(0, true, CPUCLOCK_TYPE_VIRT), -3);
	assert_int_equal(bench_clock_id(0, true, CPUCLOCK_TYPE_SCHED), -2);
	assert_int_equal(bench_clock_id(1, false, CPUCLOCK_TYPE_PROF), -16);
	assert_int_equal(bench_clock_id(1234, true, CPUCLOCK_TYPE_SCHED), -9874);
}

static void clock_id_decodes_to_what_it_was_made_of(void **state)
{
	static const int pids[] = { 0, 1, 2, 1234, 32768, 4194303 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++)
		for (int thread = 0; thread <= 1; thread++)
			for (int type = 0; type < 3; type++) {
				struct clock_ref ref;

				clock_decode(bench_clock_id(pids[i], thread, type), &ref);
				assert_int_equal(ref.is_cpu, 1);
				assert_int_equal(ref.is_thread, thread);
				assert_int_equal(ref.type, type);
				assert_int_equal(ref.pid, pids[i]);
			}
}

static void kinds_are_told_apart(void **state)
{
	(void)state;
	assert_in_range(bench_nr_kinds, 1, BENCH_MAX_RESULTS);
	for (size_t i = 0; i < bench_nr_kinds; i++) {
		const struct bench_kind *kind = &bench_kinds[i];

		assert_ptr_equal(find(kind->syscall, kind->clock, kind->how), kind);
		for (size_t j = 0; j < i; j++)
			assert_int_not_equal(bench_kinds[j].reads, kind->reads);
	}
}

static void kinds_reads_are_primes(void **state)
{
	(void)state;
	for (size_t i = 0; i < bench_nr_kinds; i++) {
		/* with an undo() one of the reads disarms, and there is one at least to arm */
		assert_true(bench_kinds[i].reads > 2);
		for (unsigned by = 2; by < bench_kinds[i].reads; by++)
			assert_int_not_equal(bench_kinds[i].reads % by, 0);
	}
}

static bool is_traced_syscall(const char *name)
{
	static const char *const names[] = {
#define X(fn, kind, parent, preemptible, config, group) \
	[FN_ID_##fn] = FN_##kind == FN_SYSCALL ? #fn : NULL,
		CPUTOLL_FUNCTIONS(X)
#undef X
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i] && !strcmp(names[i], name))
			return true;
	return false;
}

static void kinds_name_traced_syscalls_and_clocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < bench_nr_kinds; i++) {
		const struct bench_kind *kind = &bench_kinds[i];
		bool is_proc = kind->clock == CLK_PROC_PROCESS || kind->clock == CLK_PROC_THREAD;

		assert_in_range(kind->clock, CLK_NONE + 1, CLK_COUNT - 1);
		assert_true(is_proc ? !strcmp(kind->syscall, "read")
				    : is_traced_syscall(kind->syscall));
		assert_in_range(kind->reach, REACH_NOTHING, REACH_COUNT - 1);
		assert_non_null(kind->make);
	}
}

static void functions_are_traced(void **state)
{
	static const char *const names[] = {
#define X(fn, kind, parent, preemptible, config, group) #fn,
		CPUTOLL_FUNCTIONS(X)
#undef X
	};

	(void)state;
	for (int i = 0; i < BENCH_FUNCTIONS; i++) {
		bool found = false;

		for (size_t j = 0; j < ARRAY_SIZE(names); j++)
			found |= !strcmp(names[j], bench_functions[i]);
		assert_true(found);
	}
}

/* Every clock of include/clocks.h is read by one kind at least. */
static void every_clock_is_read(void **state)
{
	(void)state;
	for (int clock = CLK_NONE + 1; clock < CLK_COUNT; clock++) {
		bool found = false;

		for (size_t i = 0; i < bench_nr_kinds; i++)
			found |= bench_kinds[i].clock == (enum clock_id)clock;
		assert_true(found);
	}
}

static void assert_calls(const struct bench_kind *kind, bool limited, __u64 adjusted, __u64 group,
			 __u64 runtime, __u64 rq_clock)
{
	__u64 calls[BENCH_FUNCTIONS];

	bench_expect(kind, 100, limited, calls);
	assert_int_equal(calls[BENCH_ADJUSTED], adjusted);
	assert_int_equal(calls[BENCH_GROUP], group);
	assert_int_equal(calls[BENCH_RUNTIME], runtime);
	assert_int_equal(calls[BENCH_RQ_CLOCK], rq_clock);
}

static void expected_calls_of_100_reads(void **state)
{
	(void)state;
	assert_calls(find("clock_gettime", CLK_THREAD_SCHED, "constant"), false, 0, 0, 100, 100);
	assert_calls(find("clock_gettime", CLK_THREAD_VIRT, "pid 0"), false, 0, 0, 0, 0);
	assert_calls(find("clock_gettime", CLK_OTHER_THREAD_SCHED, "pid"), false, 0, 0, 100, 0);
	assert_calls(find("clock_gettime", CLK_PROCESS_PROF, "pid"), false, 0, 100, 100, 100);
	assert_calls(find("clock_gettime", CLK_OTHER_PROCESS_VIRT, "pid"), false, 0, 100, 0, 0);
	assert_calls(find("times", CLK_SELF, ""), false, 100, 100, 100, 100);
	assert_calls(find("getrusage", CLK_CHILDREN, ""), false, 0, 0, 0, 0);
	assert_calls(find("wait4", CLK_CHILD, "rusage"), false, 200, 200, 0, 0);
	assert_calls(find("waitid", CLK_CHILD, "no rusage"), false, 100, 100, 0, 0);
	assert_calls(find("timer_settime", CLK_PROCESS_SCHED, "constant"), false, 0, 1, 1, 1);
	assert_calls(find("timer_settime", CLK_OTHER_PROCESS_SCHED, "pid"), false, 0, 1, 0, 0);
	assert_calls(find("setitimer", CLK_PROCESS_PROF, ""), false, 0, 0, 0, 0);
}

static void cpu_limit_saves_the_sums(void **state)
{
	(void)state;
	assert_calls(find("clock_gettime", CLK_PROCESS_SCHED, "constant"), true, 0, 0, 0, 0);
	assert_calls(find("timer_settime", CLK_PROCESS_SCHED, "constant"), true, 0, 0, 0, 0);
	assert_calls(find("clock_gettime", CLK_THREAD_SCHED, "constant"), true, 0, 0, 100, 100);
	assert_calls(find("getrusage", CLK_SELF, ""), true, 100, 100, 100, 100);
}

static void workloads_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < bench_nr_workloads; i++) {
		const struct bench_workload *one = &bench_workloads[i];

		assert_non_null(one->run);
		assert_non_null(one->noun);
		assert_true(one->count > 0);
		assert_int_equal(one->run == bench_run_armed, one->measure != NULL);
		/* what reads in every way there is says nothing about one */
		assert_int_equal(one->is_timed, one->in != 0 && one->in != IN_STORM);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(bench_workloads[j].name, one->name);
	}
}

static void armed_are_told_apart(void **state)
{
	size_t unarmed = 0;

	(void)state;
	for (size_t i = 0; i < bench_nr_armed; i++) {
		const struct bench_kind *one = &bench_armed[i];

		/* without a clock there is no timer to arm */
		assert_int_equal(one->clock == CLK_NONE, one->make == NULL);
		unarmed += one->make == NULL;
		assert_true(one->in == IN_EXIT || one->in == IN_TICK);
		for (size_t j = 0; j < i; j++)
			assert_false(one->in == bench_armed[j].in &&
				     one->clock == bench_armed[j].clock &&
				     !strcmp(one->how, bench_armed[j].how));
	}
	assert_int_equal(unarmed, 2);
}

static void pounders_share_the_reads(void **state)
{
	(void)state;
	assert_int_equal(bench_pound_each(50000, 2), 25000);
	assert_int_equal(bench_pound_each(50000, 110), 455);
	assert_int_equal(bench_pound_each(50000, 1), 50000);
	assert_int_equal(bench_pound_each(1, 110), 1);
	assert_int_equal(bench_pound_each(1000000000, 30000), 33334);
}

/* Runs of 40, 10 and 25 ns a read. */
static void rows_add_up(void **state)
{
	static const struct bench_sample samples[] = { { 100, 4000 },
						       { 100, 1000 },
						       { 100, 2500 } };
	const struct bench_kind *kind = find("times", CLK_SELF, "");
	struct bench_run run = { .repeat = 3 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		assert_int_equal(bench_add(&run, kind, 2, &samples[i]), 0);
		assert_int_equal(bench_add(&run, kind, 5, &samples[0]), 0);
	}
	assert_int_equal(run.nr, 2);
	assert_int_equal(run.results[0].threads, 2);
	assert_int_equal(run.results[1].threads, 5);
	assert_int_equal(run.results[0].nr_runs, 3);
	assert_int_equal(run.results[0].runs[1].duration_ns, 1000);
	assert_int_equal(run.results[0].sum.reads, 300);
	assert_int_equal(run.results[0].sum.duration_ns, 7500);
	assert_int_equal(run.results[0].calls[BENCH_RUNTIME], 300);
	assert_int_equal(run.sum.reads, 600);
	assert_true(bench_median(&run.results[0]) == 25);
	assert_true(bench_spread(&run.results[0]) == 120);
	assert_true(bench_median(&run.results[1]) == 40);
	assert_true(bench_spread(&run.results[1]) == 0);
	/* one more than was said there would be */
	assert_int_equal(bench_add(&run, kind, 2, &samples[0]), -ENOMEM);
	bench_free(&run);
	assert_int_equal(run.nr, 0);
}

static void median_of_two_is_between(void **state)
{
	struct bench_sample runs[] = { { 10, 100 }, { 10, 200 } };
	const struct bench_result result = { .runs = runs, .nr_runs = 2 };

	(void)state;
	assert_true(bench_median(&result) == 15);
	assert_true(bench_per_read(&(struct bench_sample){ 0, 5 }) == 0);
}

static void part_of_the_times(void **state)
{
	__u64 times_ns[] = { 9, 1, 8, 2, 7, 3, 6, 1000 };
	struct bench_sample part = bench_part(times_ns, 8, 2, 4);

	(void)state;
	assert_int_equal(part.reads, 4);
	assert_int_equal(part.duration_ns, 3 + 6 + 7 + 8);
	part = bench_part(times_ns, 0, 0, 0);
	assert_int_equal(part.reads, 0);
	assert_int_equal(part.duration_ns, 0);
}

/*
 * Twenty ticks, 4 ms apart, a little early or late, and other interruptions all over: right beside
 * a tick, more often than ticks but at no place of their own, and longer than ticks.
 */
static void ticks_are_found(void **state)
{
	const __u64 period_ns = 4000000, start_ns = 987654321;
	struct gap gaps[200];
	__u64 ticks_ns[200];
	size_t nr = 0, found;

	(void)state;
	for (__u64 i = 0; i < 20; i++) {
		__u64 at_ns = start_ns + i * period_ns;

		gaps[nr++] = (struct gap){ at_ns + (i % 3) * 20, 2500 + i };
		gaps[nr++] = (struct gap){ at_ns + 30000, 700 };
		for (__u64 other = 1; other <= 5; other++)
			gaps[nr++] =
				(struct gap){ at_ns + 100000 + other * 600000 + i * 170001 % 500000,
					      9000 };
	}
	found = ticks_pick(gaps, nr, period_ns, ticks_ns);
	assert_int_equal(found, 20);
	for (size_t i = 0; i < found; i++)
		assert_int_equal(ticks_ns[i], 2500 + i);
	assert_int_equal(ticks_pick(gaps, 0, period_ns, ticks_ns), 0);
	assert_int_equal(ticks_pick(gaps, 1, period_ns, ticks_ns), 1);
	assert_int_equal(ticks_ns[0], 2500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clock_id_is_the_kernels),
		cmocka_unit_test(clock_id_decodes_to_what_it_was_made_of),
		cmocka_unit_test(kinds_are_told_apart),
		cmocka_unit_test(kinds_reads_are_primes),
		cmocka_unit_test(kinds_name_traced_syscalls_and_clocks),
		cmocka_unit_test(functions_are_traced),
		cmocka_unit_test(every_clock_is_read),
		cmocka_unit_test(expected_calls_of_100_reads),
		cmocka_unit_test(cpu_limit_saves_the_sums),
		cmocka_unit_test(workloads_are_whole),
		cmocka_unit_test(armed_are_told_apart),
		cmocka_unit_test(pounders_share_the_reads),
		cmocka_unit_test(rows_add_up),
		cmocka_unit_test(median_of_two_is_between),
		cmocka_unit_test(part_of_the_times),
		cmocka_unit_test(ticks_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
