/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the oracles' readings come from: every time that an oracle compares passes through one of
 * these functions, so that a unit test can put wrong ones in their place. source.c asks the kernel.
 */
#ifndef CPUTOLL_SOURCE_H
#define CPUTOLL_SOURCE_H

#include <stdbool.h>
#include <time.h>
#include <linux/types.h>

/*
 * Wall time: never slewed, and on x86 made of the same counter as the scheduler's clock;
 * CLOCK_MONOTONIC follows NTP, which moves it against that by up to 500 parts per million.
 */
#define WALL_CLOCK CLOCK_MONOTONIC_RAW

/* utime and stime as one call returns them. */
struct cpu_times {
	__u64 utime_ns, stime_ns;
};

enum times_by {
	TIMES_RUSAGE,	     /* getrusage(RUSAGE_SELF) */
	TIMES_RUSAGE_THREAD, /* getrusage(RUSAGE_THREAD) */
	TIMES_TIMES,	     /* times() */
	TIMES_STAT,	     /* /proc/self/stat */
	TIMES_COUNT,
};

extern const char *const times_names[TIMES_COUNT];

/* The timers on the caller's own CPU clocks, a row each in source.c. */
enum arm {
	ARM_PROCESS_PROF,
	ARM_PROCESS_VIRT,
	ARM_PROCESS_SCHED,
	ARM_THREAD_PROF,
	ARM_THREAD_VIRT,
	ARM_THREAD_SCHED,
	ARM_ITIMER_PROF,
	ARM_ITIMER_VIRTUAL,
	ARM_RLIMIT,
	ARM_COUNT,
};

struct arm_row {
	const char *name;
	int clock;    /* that it compares: a dynamic clock id of the caller's own */
	int signal;   /* that it sends */
	int itimer;   /* ITIMER_*, or -1 */
	bool posix;   /* by timer_create(2) */
	bool sampled; /* its clock moves at ticks only */
};

extern const struct arm_row arm_rows[ARM_COUNT];

/* All return 0 or a negative errno, and may be called by several threads, and in handlers. */
struct source {
	/* clock() - @ns of clock @id, as clock_gettime(2) has it */
	int (*clock)(int id, __u64 *ns);
	/* times() - the caller's utime and stime */
	int (*times)(enum times_by by, struct cpu_times *times);
	/* arm() - let the timer fire once, when its clock reads @at_ns; 0 disarms. The kernel's
	 * interval timers are relative, so that the clock is read to set them. */
	int (*arm)(enum arm arm, __u64 at_ns);
	/* sleep() - clock_nanosleep(2) until clock @id reads @at_ns */
	int (*sleep)(int id, __u64 at_ns);
	/* the length of a tick, and the step of the finest CPU clock or of WALL_CLOCK, which of
	 * them is longer */
	__u64 tick_ns, step_ns;
	/* wall time and the scheduler's clock may differ by a 2^rate_shift-th part, and by slack */
	unsigned rate_shift;
	__u64 slack_ns;
	/* utime and stime only grow at ticks; else (vtime) raw readings of them are estimates */
	bool is_tick;
};

/* source_kernel() - readings of the running kernel. Returns 0 or a negative errno. */
int source_kernel(struct source *source);

/* source_wall_limit() - what CPU time may be within @wall_ns of wall time. */
static inline __u64 source_wall_limit(const struct source *source, __u64 wall_ns)
{
	return wall_ns + source->step_ns + source->slack_ns + (wall_ns >> source->rate_shift);
}

#endif /* CPUTOLL_SOURCE_H */
