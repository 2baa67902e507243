// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kinds of reads of CPU time, and the calls of the traced functions that each makes.
 * bench_run.c and bench_pound.c walk the table, bench_print.c prints it.
 */
#include <assert.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/time.h>
#include "bench.h"
#include "bench_reads.h"

const char *const bench_functions[BENCH_FUNCTIONS] = {
	[BENCH_ADJUSTED] = "thread_group_cputime_adjusted",
	[BENCH_GROUP] = "thread_group_cputime",
	[BENCH_RUNTIME] = "task_sched_runtime",
	[BENCH_RQ_CLOCK] = "update_rq_clock",
};

/*
 * Calls per read with tick accounting, the same in 5.10, 6.1, 6.12 and 7.2; update_rq_clock's
 * are those from task_sched_runtime(). group: a sum over the threads that is skipped when the
 * process's CPU timer runs, since cpu_clock_sample_group() then takes the timer's own sums.
 */
static const struct reach {
	__u8 calls[BENCH_FUNCTIONS];
	bool group;
	bool once; /* only by the first read, which starts the timer; the others find it running */
} reaches[REACH_COUNT] = {
	/* The running timer's sums, the total of reaped children, or fields of the task:
	 * task_cputime() and, with tick accounting, task_cputime_adjusted() go no further. */
	[REACH_NOTHING] = { .calls = { 0, 0, 0, 0 } },
	/* task_sched_runtime() brings the run-queue clock up to date for a task on a CPU … */
	[REACH_RUNNING_THREAD] = { .calls = { 0, 0, 1, 1 } },
	/* … and just reads the sum of a task that is on none. */
	[REACH_IDLE_THREAD] = { .calls = { 0, 0, 1, 0 } },
	/* thread_group_cputime() brings only current up to date, if it is in the group. */
	[REACH_OWN_GROUP] = { .calls = { 0, 1, 1, 1 }, .group = true },
	[REACH_OTHER_GROUP] = { .calls = { 0, 1, 0, 0 }, .group = true },
	[REACH_OWN_GROUP_ONCE] = { .calls = { 0, 1, 1, 1 }, .group = true, .once = true },
	[REACH_OTHER_GROUP_ONCE] = { .calls = { 0, 1, 0, 0 }, .group = true, .once = true },
	/* thread_group_cputime_adjusted() sums the threads whether a timer runs or not. */
	[REACH_OWN_ADJUSTED] = { .calls = { 1, 1, 1, 1 } },
	/* wait_task_zombie() sums the dead child's times into the parent's; getrusage() in it
	 * does so again when the caller passed a struct rusage. */
	[REACH_CHILD_ADJUSTED] = { .calls = { 1, 1, 0, 0 } },
	[REACH_CHILD_ADJUSTED_TWICE] = { .calls = { 2, 2, 0, 0 } },
};

#define HOW_CONSTANT "constant"
#define HOW_ZERO     "pid 0"
#define HOW_ID	     "pid"

/* clang-format off */
#define KIND(name, row, text, to, fn, undone, value, nr, timed)                                   \
	{                                                                                         \
		.syscall = name, .clock = CLK_##row, .how = text, .reach = REACH_##to,            \
		.make = fn, .undo = undone, .arg = value, .reads = nr, .in = timed                \
	}
#define OTHER(name, row, text, to, fn, value, nr, timed)                                          \
	KIND(name, row, text, to, fn, NULL, value, nr, timed)
#define CLOCK(row, by, to, nr, timed)                                                             \
	KIND("clock_gettime", row, HOW_##by, to, make_clock, NULL, BY_##by, nr,                   \
	     (timed) | IN_STORM)
#define TIMER_SET(row, by, to, nr)                                                                \
	KIND("timer_settime", row, HOW_##by, to, make_timer_set, undo_timer_set, BY_##by, nr, 0)
#define TIMER_GET(row, by, to, nr)                                                                \
	KIND("timer_gettime", row, HOW_##by, to, make_timer_get, NULL, BY_##by, nr, 0)
#define ITIMER_SET(row, which, nr)                                                                \
	KIND("setitimer", row, "", NOTHING, make_itimer_set, undo_itimer_set, which, nr, 0)
/* clang-format on */

/*
 * The order matters: what makes the process's CPU timer run comes after all that is to be
 * read without it. A dead thread's last steps may make stat of 5.10 sum twice, so the
 * kinds that start threads and children come after that.
 */
const struct bench_kind bench_kinds[] = {
	CLOCK(THREAD_SCHED, CONSTANT, RUNNING_THREAD, 101, IN_CLOCK_THREAD),
	CLOCK(PROCESS_SCHED, CONSTANT, OWN_GROUP, 103, IN_CLOCK_PROCESS | IN_POUND),
	CLOCK(THREAD_PROF, ZERO, NOTHING, 107, 0),
	CLOCK(THREAD_VIRT, ZERO, NOTHING, 109, 0),
	CLOCK(THREAD_SCHED, ZERO, RUNNING_THREAD, 113, 0),
	CLOCK(PROCESS_PROF, ZERO, OWN_GROUP, 127, IN_CLOCK_PROCESS),
	CLOCK(PROCESS_VIRT, ZERO, OWN_GROUP, 131, IN_CLOCK_PROCESS),
	CLOCK(PROCESS_SCHED, ZERO, OWN_GROUP, 137, 0),
	CLOCK(THREAD_PROF, ID, NOTHING, 139, 0),
	CLOCK(THREAD_VIRT, ID, NOTHING, 149, 0),
	CLOCK(THREAD_SCHED, ID, RUNNING_THREAD, 151, 0),
	CLOCK(PROCESS_PROF, ID, OWN_GROUP, 157, 0),
	CLOCK(PROCESS_VIRT, ID, OWN_GROUP, 163, 0),
	CLOCK(PROCESS_SCHED, ID, OWN_GROUP, 167, 0),
	CLOCK(OTHER_THREAD_PROF, ID, NOTHING, 173, 0),
	CLOCK(OTHER_THREAD_VIRT, ID, NOTHING, 179, 0),
	CLOCK(OTHER_THREAD_SCHED, ID, IDLE_THREAD, 181, 0),
	CLOCK(OTHER_PROCESS_PROF, ID, OTHER_GROUP, 191, 0),
	CLOCK(OTHER_PROCESS_VIRT, ID, OTHER_GROUP, 193, 0),
	CLOCK(OTHER_PROCESS_SCHED, ID, OTHER_GROUP, 197, IN_SIZES),

	OTHER("getrusage", SELF, "", OWN_ADJUSTED, make_getrusage, RUSAGE_SELF, 199,
	      IN_GETRUSAGE | IN_STORM),
	OTHER("getrusage", RUSAGE_THREAD, "", NOTHING, make_getrusage, RUSAGE_THREAD, 211,
	      IN_STORM),
	OTHER("getrusage", CHILDREN, "", NOTHING, make_getrusage, RUSAGE_CHILDREN, 223, IN_STORM),
	OTHER("times", SELF, "", OWN_ADJUSTED, make_times, 0, 227, IN_TIMES | IN_POUND | IN_STORM),
	OTHER("read", PROC_PROCESS, "", OWN_ADJUSTED, make_stat, 0, 229, IN_PROC_STAT | IN_STORM),
	OTHER("read", PROC_THREAD, "", NOTHING, make_stat, 0, 233, IN_STORM),

	OTHER("wait4", CHILD, "rusage", CHILD_ADJUSTED_TWICE, make_wait4, true, 11, IN_STORM),
	OTHER("wait4", CHILD, "no rusage", CHILD_ADJUSTED, make_wait4, false, 13, IN_STORM),
	OTHER("waitid", CHILD, "rusage", CHILD_ADJUSTED_TWICE, make_waitid, true, 17, IN_STORM),
	OTHER("waitid", CHILD, "no rusage", CHILD_ADJUSTED, make_waitid, false, 19, IN_STORM),

	/*
	 * Each sleep arms a timer and so starts the process's; the tick at which it expires
	 * stops that again, for nothing else is armed: every sleep begins with a sum.
	 */
	OTHER("clock_nanosleep", PROCESS_SCHED, HOW_CONSTANT, OWN_GROUP, make_nanosleep,
	      BY_CONSTANT, 3, 0),

	/* Timers on a thread: a setting and a reading each look at the thread's clock. */
	TIMER_SET(THREAD_PROF, ZERO, NOTHING, 239),
	TIMER_GET(THREAD_PROF, ZERO, NOTHING, 241),
	TIMER_SET(THREAD_VIRT, ZERO, NOTHING, 251),
	TIMER_GET(THREAD_VIRT, ZERO, NOTHING, 257),
	TIMER_SET(THREAD_SCHED, CONSTANT, RUNNING_THREAD, 263),
	TIMER_GET(THREAD_SCHED, CONSTANT, RUNNING_THREAD, 269),
	TIMER_SET(THREAD_SCHED, ID, RUNNING_THREAD, 271),
	TIMER_GET(THREAD_SCHED, ID, RUNNING_THREAD, 277),
	TIMER_SET(OTHER_THREAD_SCHED, ID, IDLE_THREAD, 281),
	TIMER_GET(OTHER_THREAD_SCHED, ID, IDLE_THREAD, 283),

	/*
	 * Timers on a process: the first setting starts the process's CPU timer. That timer stays
	 * armed until all others are done with (see undo_reads() in bench_run.c), so that none
	 * of their settings and readings sums again, however the ticks fall.
	 */
	TIMER_SET(PROCESS_SCHED, CONSTANT, OWN_GROUP_ONCE, 293),
	TIMER_GET(PROCESS_SCHED, CONSTANT, NOTHING, 307),
	TIMER_SET(PROCESS_PROF, ZERO, NOTHING, 311),
	TIMER_GET(PROCESS_PROF, ZERO, NOTHING, 313),
	TIMER_SET(PROCESS_VIRT, ZERO, NOTHING, 317),
	TIMER_GET(PROCESS_VIRT, ZERO, NOTHING, 331),
	TIMER_SET(PROCESS_SCHED, ID, NOTHING, 337),
	TIMER_GET(PROCESS_SCHED, ID, NOTHING, 347),
	TIMER_SET(OTHER_PROCESS_SCHED, ID, OTHER_GROUP_ONCE, 349),
	TIMER_GET(OTHER_PROCESS_SCHED, ID, NOTHING, 353),

	ITIMER_SET(PROCESS_VIRT, ITIMER_VIRTUAL, 359),
	OTHER("getitimer", PROCESS_VIRT, "", NOTHING, make_itimer_get, ITIMER_VIRTUAL, 367, 0),
	ITIMER_SET(PROCESS_PROF, ITIMER_PROF, 373),
	OTHER("getitimer", PROCESS_PROF, "", NOTHING, make_itimer_get, ITIMER_PROF, 379, 0),
};

const size_t bench_nr_kinds = sizeof(bench_kinds) / sizeof(bench_kinds[0]);

static_assert(sizeof(bench_kinds) / sizeof(bench_kinds[0]) <= BENCH_MAX_RESULTS,
	      "BENCH_MAX_RESULTS is too small");

int bench_clock_id(int pid, bool thread, int type)
{
	return (int)(~(unsigned)pid << 3) | (thread ? CPUCLOCK_THREAD_BIT : 0) | type;
}

void bench_expect(const struct bench_kind *kind, __u64 reads, bool limited,
		  __u64 calls[BENCH_FUNCTIONS])
{
	const struct reach *reach = &reaches[kind->reach];

	for (int i = 0; i < BENCH_FUNCTIONS; i++) {
		calls[i] = reach->calls[i] * (reach->once ? 1 : reads);
		if (reach->group && limited)
			calls[i] = 0;
	}
}
