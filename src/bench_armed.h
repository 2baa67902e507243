/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workloads that time something else than reads, once for each CPU timer that may be armed
 * meanwhile: exit, timer-tick. Rows of the table in bench_workloads.c.
 */
#ifndef CPUTOLL_BENCH_ARMED_H
#define CPUTOLL_BENCH_ARMED_H

#include "bench.h"

/* Like bench_kinds[], but of these make() arms the timer, and none is armed where it is NULL. */
extern const struct bench_kind bench_armed[];
extern const size_t bench_nr_armed;

/* bench_run_armed() - bench_workload.run: one result for each of bench_armed[] that is in
 * @run->workload, by its measure(). Each is a process of its own, beside @run->threads idle
 * threads. */
int bench_run_armed(struct bench_run *run);

#endif /* CPUTOLL_BENCH_ARMED_H */
