/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interrupt load for the oracles: timers that expire and loopback traffic, on every CPU.
 */
#ifndef CPUTOLL_LOAD_H
#define CPUTOLL_LOAD_H

#include <stdbool.h>

struct load {
	int pid;	  /* of the process that makes it, 0 for none */
	bool has_network; /* loopback traffic is part of it */
};

/*
 * load_start() - make load on @cpus, in a process of its own, and let it run for a while. The
 * kernel kills that process when the calling thread ends, in whatever way. Returns 0 or a negative
 * errno.
 */
int load_start(struct load *load, const int *cpus, int nr_cpus);

/* load_stop() - end it; returns when it's gone. */
void load_stop(struct load *load);

#endif /* CPUTOLL_LOAD_H */
