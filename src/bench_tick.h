/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a tick costs. A row of the table in bench_workloads.c.
 */
#ifndef CPUTOLL_BENCH_TICK_H
#define CPUTOLL_BENCH_TICK_H

#include "bench.h"

/* One interruption of the measuring loop. */
struct gap {
	__u64 at_ns;	   /* when, CLOCK_MONOTONIC */
	__u64 duration_ns; /* what it took from the loop */
};

/*
 * bench_measure_ticks() - bench_workload.measure: what ticks take from a process that does nothing
 * but wait for them: for twice @count periods, of whose ticks the middle half counts.
 */
int bench_measure_ticks(int count, struct bench_sample *sample, const char **what);

/*
 * ticks_pick() - find the ticks among @nr interruptions, in the order of time: they come at that
 * place in @period_ns at which there is something most often; one in each period, the longest one
 * there. Their times go into @ticks_ns, which has room for @nr. Returns how many there are.
 */
size_t ticks_pick(const struct gap *gaps, size_t nr, __u64 period_ns, __u64 *ticks_ns);

#endif /* CPUTOLL_BENCH_TICK_H */
