// SPDX-License-Identifier: GPL-2.0-only
/*
 * adjust: utime and stime as getrusage, times and /proc have them, which the kernel scales so that
 * their sum is the scheduler's CPU time; and with virtual accounting, which measures them, before
 * they are scaled. Called through the table in oracles.c.
 */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench.h"
#include "company.h"
#include "oracle.h"
#include "text.h"

#define LEAST_ROUNDS  200
#define BURN_NS	      (20 * US_NS)
#define BURN_SYSCALLS 20
#define LEAST_TICKS   10
/* What is lost of utime and of stime each, when they are cut to their units. */
#define CUT_RUSAGE_NS 1000
#define CUT_STAT_NS   (10 * MS_NS)

/* One way to read utime and stime, the clock that they are held against, and the last values. */
struct way {
	enum times_by by;
	int clock;
	__u64 cut_ns;
	bool has_floor; /* at most a tick behind, too */
	struct cpu_times last;
};

static void compare(struct check *check, const struct way *way, __u64 before_ns,
		    const struct cpu_times *times, __u64 after_ns)
{
	__s64 tick_ns = (__s64)check->source->tick_ns;
	__u64 sum_ns = times->utime_ns + times->stime_ns;
	char sum[TEXT_NUMBER_BYTES], clock[TEXT_NUMBER_BYTES];

	text_duration(sum, (double)sum_ns);
	if (check_at_most(check, (__s64)sum_ns, (__s64)after_ns + tick_ns))
		check_say(check, "utime + stime by %s was %s, when the CPU clock after it read %s",
			  times_names[way->by], sum, text_duration(clock, (double)after_ns));
	if (way->has_floor &&
	    check_at_most(check, (__s64)before_ns - tick_ns, (__s64)(sum_ns + 2 * way->cut_ns)))
		check_say(check, "utime + stime by %s was %s, when the CPU clock before it read %s",
			  times_names[way->by], sum, text_duration(clock, (double)before_ns));
}

static void compare_last(struct check *check, enum times_by by, const char *which, __u64 last_ns,
			 __u64 now_ns)
{
	char last[TEXT_NUMBER_BYTES], now[TEXT_NUMBER_BYTES];

	if (now_ns < last_ns && check_at_most(check, (__s64)last_ns, (__s64)now_ns))
		check_say(check, "%s by %s went back from %s to %s", which, times_names[by],
			  text_duration(last, (double)last_ns), text_duration(now, (double)now_ns));
}

static void one_round(struct check *check, struct way *way)
{
	__u64 before_ns = check_read(check, way->clock), after_ns;
	struct cpu_times times = check_times(check, way->by);

	after_ns = check_read(check, way->clock);
	if (check->finding.err)
		return;
	compare(check, way, before_ns, &times, after_ns);
	compare_last(check, way->by, "utime", way->last.utime_ns, times.utime_ns);
	compare_last(check, way->by, "stime", way->last.stime_ns, times.stime_ns);
	way->last = times;
}

/*
 * Virtual accounting measures utime and stime: without any scaling, as the thread's PROF clock has
 * them, they are the thread's CPU time, but for the tick's worth that may be pending. A loop on one
 * CPU; some of it in the kernel.
 */
static void check_unscaled(struct check *check, __u64 budget_ns)
{
	int prof = bench_clock_id(0, true, CPUCLOCK_TYPE_PROF);
	__s64 tick_ns = (__s64)check->source->tick_ns, off_ns;
	__u64 start_ns, prof_ns, sched_ns;
	char time[TEXT_NUMBER_BYTES], more[TEXT_NUMBER_BYTES];

	if (budget_ns < LEAST_TICKS * check->source->tick_ns)
		budget_ns = LEAST_TICKS * check->source->tick_ns;
	check_pin(check, check->cpus[0]);
	start_ns = check_wall(check);
	prof_ns = check_read(check, prof);
	sched_ns = check_read(check, CLOCK_THREAD_CPUTIME_ID);
	while (check_goes_on(check, start_ns, budget_ns)) {
		check_spin(check, check_wall(check) + BURN_NS);
		syscall(SYS_getppid);
	}
	prof_ns = check_read(check, prof) - prof_ns;
	sched_ns = check_read(check, CLOCK_THREAD_CPUTIME_ID) - sched_ns;
	check_pin(check, -1);
	off_ns = (__s64)(prof_ns - sched_ns);
	if (check_at_most(check, off_ns < 0 ? -off_ns : off_ns, tick_ns))
		check_say(check, "utime + stime of a busy loop were %s, its CPU clock %s",
			  text_duration(more, (double)prof_ns),
			  text_duration(time, (double)sched_ns));
}

void oracle_adjust(struct check *check)
{
	struct way ways[] = {
		{ TIMES_RUSAGE, CLOCK_PROCESS_CPUTIME_ID, CUT_RUSAGE_NS, .has_floor = true },
		/* no floor: the kernel takes the thread's time as of its last update */
		{ TIMES_RUSAGE_THREAD, CLOCK_THREAD_CPUTIME_ID, CUT_RUSAGE_NS, .has_floor = false },
		{ TIMES_TIMES, CLOCK_PROCESS_CPUTIME_ID, CUT_STAT_NS, .has_floor = true },
		{ TIMES_STAT, CLOCK_PROCESS_CPUTIME_ID, CUT_STAT_NS, .has_floor = true },
	};
	__u64 start_ns = check_wall(check);
	struct company *company = NULL;

	/* the half of the time alone, then beside a running thread */
	for (int half = 1; half <= 2; half++) {
		if (half == 2) {
			company = company__start(check, 1, work_spin, NULL);
			if (!company)
				break;
		}
		for (int i = 0; !check->finding.err &&
				(i < LEAST_ROUNDS / 2 ||
				 check_goes_on(check, start_ns, check->budget_ns / 2 * half));
		     i++) {
			/* CPU time of both kinds, so that there is something to scale */
			check_spin(check, check_wall(check) + BURN_NS);
			for (int j = 0; j < BURN_SYSCALLS; j++)
				syscall(SYS_getppid);
			one_round(check, &ways[i % (sizeof(ways) / sizeof(ways[0]))]);
		}
	}
	company__stop(company, check);
	if (!check->source->is_tick && check->has_load)
		check_leave_out(check, "unscaled: what interrupts take is not told apart exactly");
	else if (!check->source->is_tick)
		check_unscaled(check, check->budget_ns / 4);
}
