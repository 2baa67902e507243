/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of clocks and call masks, and what a clock's reading needs. Used by record (to fill
 * the profile), report, and the workloads (to say what they asked for).
 */
#ifndef CPUTOLL_MASK_H
#define CPUTOLL_MASK_H

#include <stdbool.h>
#include "clocks.h"

/* clock_name() - the name of clock @id, "?" when there is no such clock. */
const char *clock_name(int id);

/* clock_asks() - the MASK_* its caller asked for; clock_needs() - what the kernel must read for
 * it; @adjusts: this kernel's accounting scales utime and stime to sum_exec_runtime (all but
 * vtime-native). Both 0 for an id out of range. */
unsigned clock_asks(int id);
unsigned clock_needs(int id, bool adjusts);

/* mask_letters() - @mask as letters, "usr" order, "-" for none; static storage, one per mask. */
const char *mask_letters(unsigned mask);

/* mask_field() - the name of one MASK_* bit, as in the profile: "utime", "stime",
 * "sum_exec_runtime"; NULL for anything else. mask_bit() is its inverse, 0 for none. */
const char *mask_field(unsigned bit);
unsigned mask_bit(const char *name);

#endif /* CPUTOLL_MASK_H */
