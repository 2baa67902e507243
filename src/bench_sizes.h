/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads of one kind whose latencies are of two populations. A row of the table in
 * bench_workloads.c.
 */
#ifndef CPUTOLL_BENCH_SIZES_H
#define CPUTOLL_BENCH_SIZES_H

#include "bench.h"

#define SIZES_SMALL 2 /* reads of the small process for each of the large one */

/*
 * bench_run_sizes() - bench_workload.run of two-sizes: a process reads another's clock, of one
 * with one thread and of one with @run->threads more, in turn.
 */
int bench_run_sizes(struct bench_run *run);

#endif /* CPUTOLL_BENCH_SIZES_H */
