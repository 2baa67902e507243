/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ways into the kernel and out of it with nothing in between. Rows of the table in
 * bench_workloads.c.
 */
#ifndef CPUTOLL_BENCH_NULL_H
#define CPUTOLL_BENCH_NULL_H

#include "bench.h"

/* bench_run_null() - bench_workload.run of null-syscall: getppid(2), which reads one field. */
int bench_run_null(struct bench_run *run);

/*
 * bench_run_hypercall() - bench_workload.run of kvm-hypercall: a guest of one virtual CPU, whose
 * hypercalls the kernel answers itself. @run->cannot is set where KVM cannot be used.
 */
int bench_run_hypercall(struct bench_run *run);

#endif /* CPUTOLL_BENCH_NULL_H */
