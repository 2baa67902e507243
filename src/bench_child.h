/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Child processes of the workloads: one that does a piece of work and answers, so that nothing
 * it arms, starts or limits is left behind, on any kernel. Used by bench_armed.c, bench_helpers.c.
 */
#ifndef CPUTOLL_BENCH_CHILD_H
#define CPUTOLL_BENCH_CHILD_H

#include "bench.h"

/* bench_fork() - as fork(2), but the child dies with the caller's thread, also when that is
 * killed. */
int bench_fork(void);

/* What a child has to say. */
struct bench_answer {
	struct bench_sample sample;
	int err;	/* 0, else a negative errno */
	char what[100]; /* on error, what failed */
};

/*
 * bench_child() - have a child do @work with @arg, wait for its @answer and its end. SIGCHLD is at
 * its default afterwards.
 * Returns @answer's err, after it was filled in: by @work, or here if it never came to that.
 */
int bench_child(void (*work)(const void *arg, struct bench_answer *answer), const void *arg,
		struct bench_answer *answer);

#endif /* CPUTOLL_BENCH_CHILD_H */
