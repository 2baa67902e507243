/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the engine must know of an architecture: where a syscall's number and first argument lie
 * in the saved registers, and how a 32-bit program is told. Used by classify.bpf.h.
 */
#ifndef CPUTOLL_ARCH_BPF_H
#define CPUTOLL_ARCH_BPF_H

#if defined(__TARGET_ARCH_x86)

/* arch/x86/include/asm/page_64_types.h, without KASAN; the registers are at its very top
 * on the kernels that need them found by hand (before 5.15). */
#define ARCH_STACK_BYTES       (16 << 10)
#define ARCH_NR_FIELD	       orig_ax
#define ARCH_ARG0_FIELD	       di
#define ARCH_COMPAT_ARG0_FIELD bx
/* TS_COMPAT, arch/x86/include/asm/thread_info.h: in a 32-bit syscall */
#define ARCH_STATUS_COMPAT 2
#else
#error "a new architecture needs its block here, a row in src/arch.c and a vmlinux/vmlinux.h"
#endif

#endif /* CPUTOLL_ARCH_BPF_H */
