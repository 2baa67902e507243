/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs one oracle, quiet or under interrupt load, in a process of its own: its timers and the
 * kernel's sums for them are gone with it, and an oracle that never ends is ended.
 */
#ifndef CPUTOLL_CHECK_RUN_H
#define CPUTOLL_CHECK_RUN_H

#include "oracle.h"

enum check_load { LOAD_QUIET, LOAD_IRQ, LOADS };

extern const char *const check_load_names[LOADS];

/*
 * check_run() - run @oracle with @settings, whose finding is filled in. Returns 0, or a negative
 * errno, when it could not be run.
 */
int check_run(const struct oracle *oracle, enum check_load load, struct check *settings);

/* check_cpus() - the CPUs that this process may use; the caller frees @cpus. Returns how many, or a
 * negative errno. */
int check_cpus(int **cpus);

#endif /* CPUTOLL_CHECK_RUN_H */
