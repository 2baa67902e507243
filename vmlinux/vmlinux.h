/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel types that the BPF programs use, and of those the members. Made by
 * vmlinux/generate from a kernel's BTF; CO-RE adjusts offsets when a program is loaded.
 */
#ifndef CPUTOLL_VMLINUX_H
#define CPUTOLL_VMLINUX_H

#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute push (__attribute__((preserve_access_index)), apply_to = record)
#endif

typedef unsigned int __u32;

typedef long long unsigned int __u64;

typedef __u32 u32;

typedef __u64 u64;

typedef int __kernel_pid_t;

typedef int __kernel_clockid_t;

typedef __kernel_pid_t pid_t;

typedef __kernel_clockid_t clockid_t;

typedef struct {
	int counter;
} atomic_t;

struct thread_info {
	u32 status;
};

struct pid;

struct signal_struct;

struct task_struct {
	struct thread_info thread_info;
	void *stack;
	unsigned int flags;
	pid_t tgid;
	struct task_struct *group_leader;
	struct pid *thread_pid;
	u64 start_time;
	char comm[16];
	struct signal_struct *signal;
};

struct pt_regs {
	long unsigned int bx;
	long unsigned int di;
	long unsigned int orig_ax;
};

struct ns_common {
	unsigned int inum;
};

struct pid_namespace {
	struct ns_common ns;
};

struct upid {
	int nr;
	struct pid_namespace *ns;
};

struct pid {
	unsigned int level;
	struct upid numbers[0];
};

struct signal_struct {
	atomic_t live;
};

struct k_itimer {
	clockid_t it_clock;
};

#ifndef BPF_NO_PRESERVE_ACCESS_INDEX
#pragma clang attribute pop
#endif

#endif /* CPUTOLL_VMLINUX_H */
