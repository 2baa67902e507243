/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reading loops, one per syscall: the make() and undo() of the kinds in bench_kinds.c
 * and bench_armed.c. struct bench_kind (bench.h) says what they take and return.
 */
#ifndef CPUTOLL_BENCH_READS_H
#define CPUTOLL_BENCH_READS_H

#include "bench.h"

/* CPU time that no run lasts: timers set to it never fire. */
#define FAR_SECONDS 100000000

int make_clock(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);
int make_getrusage(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);
int make_times(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);
int make_stat(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);
int make_wait4(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);
int make_waitid(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);
int make_nanosleep(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);
int make_timer_set(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);
int undo_timer_set(struct bench_context *ctx, const struct bench_kind *kind);
int make_timer_get(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);
int make_itimer_set(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);
int undo_itimer_set(struct bench_context *ctx, const struct bench_kind *kind);
int make_itimer_get(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);

#endif /* CPUTOLL_BENCH_READS_H */
