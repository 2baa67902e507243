/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * __u64 and friends on both sides. A full dump of a kernel's types (vmlinux/generate compiles
 * against one) brings its own.
 */
#ifndef CPUTOLL_TYPES_H
#define CPUTOLL_TYPES_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

#endif /* CPUTOLL_TYPES_H */
