/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time, for durations: of a record, of a workload's loop, of a tick.
 */
#ifndef CPUTOLL_CLOCK_H
#define CPUTOLL_CLOCK_H

#include <time.h>
#include <linux/types.h>

/* clock_monotonic_ns() - nanoseconds since some moment. By the vDSO: no system call to be counted,
 * and no CPU clock where that has to ask the kernel. */
static inline __u64 clock_monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec;
}

/* clock_tick_ns() - the period of the kernel's tick, which sysconf(_SC_CLK_TCK) does not tell: the
 * step of a clock that only ticks advance. */
static inline __u64 clock_tick_ns(void)
{
	struct timespec step;

	clock_getres(CLOCK_MONOTONIC_COARSE, &step);
	return (__u64)step.tv_sec * 1000000000 + (__u64)step.tv_nsec;
}

#endif /* CPUTOLL_CLOCK_H */
