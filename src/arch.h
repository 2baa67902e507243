/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the user side must know of an architecture, as a table. Used by syscalls.c and functions.c.
 */
#ifndef CPUTOLL_ARCH_H
#define CPUTOLL_ARCH_H

#include <linux/types.h>

struct arch {
	const char *machine;	    /* uname -m */
	const char *syscall_prefix; /* of the kernel's syscall entry functions */
	__u32 native, compat;	    /* libseccomp's names of its syscall tables; compat 0: none */
};

/* arch_this() - the running machine's row, NULL when cputoll does not know it. */
const struct arch *arch_this(void);

#endif /* CPUTOLL_ARCH_H */
