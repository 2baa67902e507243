/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The idle company of a workload: threads beside the reader and one other process. Started
 * and stopped by bench_run.c.
 */
#ifndef CPUTOLL_BENCH_HELPERS_H
#define CPUTOLL_BENCH_HELPERS_H

#include <pthread.h>
#include <stdbool.h>

/* bench_thread_attr() - attributes of the workloads' threads, which need little stack, to be
 * destroyed by the caller. Returns 0 or a negative errno. */
int bench_thread_attr(pthread_attr_t *attr);

/* bench_settle() - sleep until threads that are about to sleep do, too. */
void bench_settle(void);

struct bench_helpers;

/*
 * bench_helpers__start() - start @threads threads that sleep until they are stopped, and with
 * @process a child that does; wait until the threads sleep.
 * @what: on error, what failed
 * Returns 0 or a negative errno; then nothing is left and *@helpers is NULL. The caller ends
 * it with bench_helpers__stop(). The child dies with the caller's thread, also when that is
 * killed. SIGCHLD is at its default afterwards.
 */
int bench_helpers__start(struct bench_helpers **helpers, int threads, bool process,
			 const char **what);

/* bench_helpers__tid() - the id of one of the threads, 0 when there are none.
 * bench_helpers__pid() - that of the child, 0 when there is none. */
int bench_helpers__tid(const struct bench_helpers *helpers);
int bench_helpers__pid(const struct bench_helpers *helpers);

/*
 * bench_helpers__stop() - end and free them, NULL allowed. The kernel reaps the child, for a
 * wait would be a read of CPU time: SIGCHLD is ignored afterwards.
 */
void bench_helpers__stop(struct bench_helpers *helpers);

#endif /* CPUTOLL_BENCH_HELPERS_H */
