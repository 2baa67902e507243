/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads that run beside an oracle: they work until they are stopped, and can be parked, off the
 * CPU, where an oracle's rule holds only while nobody else runs.
 */
#ifndef CPUTOLL_COMPANY_H
#define CPUTOLL_COMPANY_H

#include <pthread.h>
#include <stdatomic.h>
#include "oracle.h"

struct company;

struct companion {
	struct company *company;
	pthread_t thread;
	int index;
	int cpu; /* it starts pinned to it */
	atomic_int tid;
	struct check check; /* its own part of the run, added to the oracle's at the end */
	void *arg;
};

/*
 * company__start() - start @nr threads, the i-th on the i-th CPU that may be used, and again from
 * the first when those run out. Each calls @work over and over, which should last but microseconds.
 * All are running, their tids known, when it returns. @arg is theirs to share. The company is
 * NULL, and @check says why, when a thread could not be started.
 */
struct company *company__start(struct check *check, int nr, void (*work)(struct companion *self),
			       void *arg);

/* company__nr(), company__tid() - how many, and the i-th's thread id. */
int company__nr(const struct company *company);
int company__tid(const struct company *company, int index);

/* company__park() - returns once all have been off their CPUs for TICK_SETTLE_NS; until
 * company__resume() they use no CPU time. */
void company__park(struct company *company);
void company__resume(struct company *company);

/* company__stop() - end and join them, add their findings to @check. NULL is nobody. */
void company__stop(struct company *company, struct check *check);

/* work_spin() - a @work that spins in user mode for some microseconds. */
void work_spin(struct companion *self);

#endif /* CPUTOLL_COMPANY_H */
