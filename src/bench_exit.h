/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the life of a thread costs. A row of the table in bench_workloads.c.
 */
#ifndef CPUTOLL_BENCH_EXIT_H
#define CPUTOLL_BENCH_EXIT_H

#include "bench.h"

/* bench_measure_exits() - bench_workload.measure: start and join threads, one after the other,
 * that end at once: four times @count, of which the shortest quarter counts. */
int bench_measure_exits(int count, struct bench_sample *sample, const char **what);

#endif /* CPUTOLL_BENCH_EXIT_H */
