/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CPUTOLL_VMLINUX_H
#define CPUTOLL_VMLINUX_H
#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#endif

typedef unsigned int u32;
typedef unsigned long long u64;
typedef struct { int counter; } atomic_t;
struct thread_info { u32 status; };
struct upid { int nr; };
struct pid { unsigned int level; struct upid numbers[1]; };
struct signal_struct { atomic_t live; };
struct task_struct {
	struct thread_info thread_info;
	void *stack;
	unsigned int flags;
	int pid;
	int tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	u64 start_time;
	char comm[16];
	struct signal_struct *signal;
};
struct k_itimer { int it_clock; };
struct pt_regs { unsigned long bx; unsigned long orig_ax; unsigned long di; };
#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute pop
#endif
#endif
