/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many threads that read at once. A row of the table in bench_workloads.c.
 */
#ifndef CPUTOLL_BENCH_POUND_H
#define CPUTOLL_BENCH_POUND_H

#include "bench.h"

/* bench_run_pound() - bench_workload.run of pound: one result for each number of threads (a
 * table, or @run->threads when that is not 0) and kind. */
int bench_run_pound(struct bench_run *run);

/* bench_pound_each() - the reads of one thread of @threads that are to make @count together:
 * the same for all, so that there may be a few more in all. */
__u64 bench_pound_each(int count, int threads);

#endif /* CPUTOLL_BENCH_POUND_H */
