// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fentry engine's programs: a pair for each row of include/functions.h, which the loader
 * (src/engine.c) points at the kernel's function or tracepoints of that name, and the task hooks.
 */
#include "frame.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* The return value follows the arguments; an entry function of a syscall has one, struct pt_regs *.
 * proc_*_stat have four. */
#define RESULT_SYSCALL(ctx)   ((__s64)(ctx)[1])
#define RESULT_PROCFS(ctx)    ((__s64)(int)(ctx)[4])
#define RESULT_READ(ctx)      0
#define RESULT_BELOW(ctx)     0
#define RESULT_ANY(ctx)	      0
#define RESULT_CALIBRATE(ctx) 0

#define PROGRAM_PAIR(name, kind, parent)                                       \
	SEC("fentry") int enter_##name(__u64 *ctx)                             \
	{                                                                      \
		frame_open(ctx, FN_ID_##name, FN_##kind);                      \
		return 0;                                                      \
	}                                                                      \
	SEC("fexit") int exit_##name(__u64 *ctx)                               \
	{                                                                      \
		frame_close(ctx, FN_ID_##name, FN_##kind, RESULT_##kind(ctx)); \
		return 0;                                                      \
	}

/* Both take the timer as their first argument. */
#define PROGRAM_RESOLVE(name, kind, parent)               \
	SEC("fentry") int enter_##name(__u64 *ctx)        \
	{                                                 \
		frame_resolve((struct k_itimer *)ctx[0]); \
		return 0;                                 \
	}

#define PROGRAM_INTERRUPT(name, kind, parent)                             \
	SEC("tp_btf") int enter_##name(void *ctx __attribute__((unused))) \
	{                                                                 \
		interrupt_open(FN_ID_##name);                             \
		return 0;                                                 \
	}                                                                 \
	SEC("tp_btf") int exit_##name(void *ctx __attribute__((unused)))  \
	{                                                                 \
		frame_close(NULL, FN_ID_##name, FN_##kind, 0);            \
		return 0;                                                 \
	}

#define PROGRAM_SYSCALL					  PROGRAM_PAIR
#define PROGRAM_PROCFS					  PROGRAM_PAIR
#define PROGRAM_READ					  PROGRAM_PAIR
#define PROGRAM_BELOW					  PROGRAM_PAIR
#define PROGRAM_ANY					  PROGRAM_PAIR
#define PROGRAM_CALIBRATE				  PROGRAM_PAIR

#define X(name, kind, parent, preemptible, config, group) PROGRAM_##kind(name, kind, parent)
CPUTOLL_FUNCTIONS(X)
#undef X

/* A process's totals outlive its threads; its slot is free for the next pid. */
SEC("tp_btf/sched_process_exit") int hook_exit(void *ctx __attribute__((unused)))
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u32 tgid;

	slot_release(task);
	if (!filtered)
		return 0;
	if (!BPF_CORE_READ(task, signal, live.counter)) { /* its last thread */
		tgid = tgid_seen(task);
		bpf_map_delete_elem(&targets, &tgid);
	}
	return 0;
}

/* What a traced process starts is traced, and what the recorder starts: its command. */
SEC("tp_btf/sched_process_fork") int hook_fork(__u64 *ctx)
{
	__u32 parent = tgid_seen((struct task_struct *)ctx[0]);
	__u32 child = tgid_seen((struct task_struct *)ctx[1]), none = 0;

	if (child == parent || (parent != self_tgid && !bpf_map_lookup_elem(&targets, &parent)))
		return 0;
	if (bpf_map_update_elem(&targets, &child, &none, BPF_ANY))
		loss(overflow);
	return 0;
}

/* A program may read by other numbers, and be one to trace, unlike what started it. */
SEC("tp_btf/sched_process_exec") int hook_exec(void *ctx __attribute__((unused)))
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct slot *slot = slot_elsewhere((__u64)task);

	if (slot)
		slot_name(slot, task);
	return 0;
}
