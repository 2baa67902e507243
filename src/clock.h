/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The time, for durations: of a record, of a workload's loop.
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

#endif /* CPUTOLL_CLOCK_H */
