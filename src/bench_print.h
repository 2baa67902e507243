/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What came of a workload, on standard output. Called by cmd_bench.c.
 */
#ifndef CPUTOLL_BENCH_PRINT_H
#define CPUTOLL_BENCH_PRINT_H

#include "bench.h"

/*
 * bench_print_text() - a table for people: the median of the runs of each row, and how far apart
 * they are.
 * bench_print_json() - all of it, schema cputoll.bench/1; the times of all runs, one by one.
 */
void bench_print_text(const struct bench_run *run);
void bench_print_json(const struct bench_run *run);

#endif /* CPUTOLL_BENCH_PRINT_H */
