/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every kind of read from threads that are never left in peace. A row of the table in
 * bench_workloads.c.
 */
#ifndef CPUTOLL_BENCH_STORM_H
#define CPUTOLL_BENCH_STORM_H

#include "bench.h"

#define STORM_THREADS 8

/*
 * bench_run_storm() - bench_workload.run of storm: @run->threads threads (STORM_THREADS when that
 * is 0) each make all reads of the kinds in IN_STORM and exit, @run->count times over.
 */
int bench_run_storm(struct bench_run *run);

#endif /* CPUTOLL_BENCH_STORM_H */
