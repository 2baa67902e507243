/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of callers (syscalls and contexts), and how each syscall names what it reads. Used by
 * the engine's loader.
 */
#ifndef CPUTOLL_CALLERS_H
#define CPUTOLL_CALLERS_H

#include <stddef.h>
#include <linux/types.h>
#include "arch.h"

/*
 * caller_name() - the name of @caller (a syscall's number, CALLER_COMPAT + number, or
 * CALLER_CONTEXTS + CTX_*, include/layout.h) into @name: "getrusage", "ia32:getrusage", "irq";
 * "syscall_470" for a number that libseccomp does not know.
 */
void caller_name(const struct arch *arch, unsigned caller, char *name, size_t bytes);

/* caller_classes() - fill @classes, by caller, with CLASS_*: 2 * CALLER_SYSCALLS of them. */
void caller_classes(const struct arch *arch, __u8 *classes);

/*
 * caller_select() - of @classes only the syscalls in @names, comma separated, stay; the others
 * become CLASS_IGNORED. Returns 0, or -EINVAL with @unknown, the first name that is no syscall's.
 */
int caller_select(const struct arch *arch, const char *names, __u8 *classes, char *unknown,
		  size_t bytes);

#endif /* CPUTOLL_CALLERS_H */
