/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attribution: which syscall or context a read comes from, and which clock it names. Done once a
 * read, when its outermost frame opens (what.bpf.h), from the registers saved at the syscall.
 */
#ifndef CPUTOLL_CLASSIFY_BPF_H
#define CPUTOLL_CLASSIFY_BPF_H

#include "state.bpf.h"
#include "arch.bpf.h"

struct origin {
	__u32 caller; /* the syscall, or a context */
	__u32 clock;  /* CLK_* */
	__u32 class;  /* CLASS_* */
};

/* Who a read is made by, as far as its clock depends on that: of struct slot. */
struct reader {
	__u32 context, own_tid, own_tgid;
};

/* The clock a clockid_t names, seen from @reader; CLK_NONE: not a CPU clock. */
static __always_inline __u32 classify_clock(struct reader reader, int id)
{
	struct clock_ref ref;
	__u32 whose;

	clock_decode(id, &ref);
	if (!ref.is_cpu)
		return CLK_NONE;
	whose = ref.is_thread ? WHOSE_THREAD : WHOSE_PROCESS;
	if (ref.pid && ref.pid != (int)(ref.is_thread ? reader.own_tid : reader.own_tgid))
		whose += WHOSE_OTHER_THREAD - WHOSE_THREAD;
	return clock_row(whose, ref.type);
}

static __always_inline __u32 classify_rusage(int who)
{
	switch (who) {
	case 0:
		return CLK_SELF;
	case 1:
		return CLK_RUSAGE_THREAD;
	case -1:
		return CLK_CHILDREN;
	}
	return CLK_NONE;
}

static __always_inline __u32 classify_itimer(int which)
{
	switch (which) {
	case 1:
		return CLK_PROCESS_VIRT;
	case 2:
		return CLK_PROCESS_PROF;
	}
	return CLK_NONE; /* ITIMER_REAL */
}

/* A syscall as its task's saved registers name it. */
struct saved_syscall {
	__u16 nr; /* 0xffff: not in a syscall */
	int arg0;
};

/* That of @task, the current one, whose slot is @slot: by the helper, else (before 5.15) by hand.
 * The first argument is a 64-bit program's. */
static __always_inline struct saved_syscall read_syscall(const struct slot *slot,
							 struct task_struct *task)
{
	struct pt_regs *regs;

	if (has_task_regs) {
		regs = (void *)bpf_task_pt_regs(task);
		return (struct saved_syscall){ regs->ARCH_NR_FIELD, regs->ARCH_ARG0_FIELD };
	}
	regs = (void *)(slot->stack + ARCH_STACK_BYTES - bpf_core_type_size(struct pt_regs));
	return (struct saved_syscall){ BPF_CORE_READ(regs, ARCH_NR_FIELD),
				       BPF_CORE_READ(regs, ARCH_ARG0_FIELD) };
}

/* The same argument of a 32-bit program. */
static __always_inline int read_compat_arg0(struct task_struct *task)
{
	struct pt_regs *regs;

	if (has_task_regs)
		regs = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	else
		regs = BPF_CORE_READ(task, stack) + ARCH_STACK_BYTES -
		       bpf_core_type_size(struct pt_regs);
	return BPF_CORE_READ(regs, ARCH_COMPAT_ARG0_FIELD);
}

/* The caller when the saved registers say syscall @nr; @context is that of struct slot. */
static __always_inline __u32 classify_caller(__u32 context, __u16 nr)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u32 caller = nr & (CALLER_SYSCALLS - 1);

	if (context)
		return context;
	if (nr == 0xffff)
		return CALLER_CONTEXTS + CTX_FAULT;
	if (BPF_CORE_READ(task, thread_info.status) & ARCH_STATUS_COMPAT)
		caller += CALLER_COMPAT;
	return caller;
}

/* Is a read by @caller none of those asked for? */
static __always_inline bool is_ignored(__u32 caller)
{
	if (caller >= CALLER_CONTEXTS)
		return by_syscall;
	return syscall_classes[BOUNDED(caller, 2 * CALLER_SYSCALLS)] == CLASS_IGNORED;
}

/* classify() - where @saved, which opens the outermost frame of @reader, comes from. */
static __always_inline void classify(struct reader reader, struct saved_syscall saved,
				     struct origin *origin)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	origin->clock = CLK_NONE;
	origin->class = CLASS_NONE;
	origin->caller = classify_caller(reader.context, saved.nr);
	if (origin->caller >= CALLER_CONTEXTS)
		return;
	if (origin->caller >= CALLER_COMPAT)
		saved.arg0 = read_compat_arg0(task);
	origin->class = syscall_classes[BOUNDED(origin->caller, 2 * CALLER_SYSCALLS)];
	if (origin->class == CLASS_CLOCKID)
		origin->clock = classify_clock(reader, saved.arg0);
	else if (origin->class == CLASS_RUSAGE)
		origin->clock = classify_rusage(saved.arg0);
	else if (origin->class == CLASS_ITIMER)
		origin->clock = classify_itimer(saved.arg0);
	else if (origin->class == CLASS_SELF)
		origin->clock = CLK_SELF;
	else if (origin->class == CLASS_WAIT)
		origin->clock = CLK_CHILD;
}

/* The mask a clock's reader asks for (include/clocks.h). Not static inside a function: the kernel
 * would refuse the types of a variable whose name isn't its symbol's. */
const __u8 clock_asks[CLK_MAX] = {
#define X(id, name, asks, scaled) asks,
	CPUTOLL_CLOCKS(X)
#undef X
};

static __always_inline __u32 asks_of(__u32 clock)
{
	return clock_asks[BOUNDED(clock, CLK_MAX)];
}

#endif /* CPUTOLL_CLASSIFY_BPF_H */
