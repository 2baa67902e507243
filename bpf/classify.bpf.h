/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attribution: which syscall or context a read comes from, and which clock it names. Done once a
 * read, when its outermost frame opens (frame.bpf.h), from the registers saved at the syscall.
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

/* The clock a clockid_t names, seen from @slot's task; CLK_NONE: not a CPU clock. */
static __always_inline __u32 classify_clock(const struct slot *slot, int id)
{
	struct clock_ref ref;
	__u32 whose;

	clock_decode(id, &ref);
	if (!ref.is_cpu)
		return CLK_NONE;
	whose = ref.is_thread ? WHOSE_THREAD : WHOSE_PROCESS;
	if (ref.pid && ref.pid != (int)(ref.is_thread ? slot->own_tid : slot->own_tgid))
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

/* The registers that @task's syscall saved: by the helper, else (before 5.15) by hand. */
static __always_inline void read_registers(struct task_struct *task, const struct slot *slot,
					   long *nr, int *arg0, bool compat)
{
	if (has_task_regs) {
		struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

		*nr = ARCH_NR(regs);
		*arg0 = compat ? ARCH_COMPAT_ARG0(regs) : ARCH_ARG0(regs);
	} else {
		struct pt_regs *regs = (void *)(slot->stack + ARCH_STACK_BYTES -
						bpf_core_type_size(struct pt_regs));

		*nr = BPF_CORE_READ(regs, orig_ax);
		*arg0 = compat ? BPF_CORE_READ(regs, bx) : BPF_CORE_READ(regs, di);
	}
}

/*
 * classify() - where the call that opens the outermost frame of @task comes from.
 * @irq: on an interrupt's stack, so not on @task's behalf
 */
static __always_inline void classify(struct task_struct *task, const struct slot *slot, bool irq,
				     struct origin *origin)
{
	__u32 flags, status;
	bool compat;
	long nr;
	int arg0;

	origin->clock = CLK_NONE;
	origin->class = CLASS_NONE;
	if (irq) {
		origin->caller = CALLER_CONTEXTS + CTX_IRQ;
		return;
	}
	if (has_task_btf) {
		flags = task->flags;
		status = task->thread_info.status;
	} else {
		flags = BPF_CORE_READ(task, flags);
		status = BPF_CORE_READ(task, thread_info.status);
	}
	if (flags & PF_KTHREAD) {
		origin->caller = CALLER_CONTEXTS + (slot->tgid ? CTX_KTHREAD : CTX_IDLE);
		return;
	}
	compat = status & ARCH_STATUS_COMPAT;
	read_registers(task, slot, &nr, &arg0, compat);
	if (nr < 0) {
		origin->caller = CALLER_CONTEXTS + CTX_FAULT;
		return;
	}
	origin->caller = nr & (CALLER_SYSCALLS - 1);
	if (compat)
		origin->caller += CALLER_COMPAT;
	origin->class = syscall_classes[BOUNDED(origin->caller, 2 * CALLER_SYSCALLS)];
	if (origin->class == CLASS_CLOCKID) /* the common one first */
		origin->clock = classify_clock(slot, arg0);
	else if (origin->class == CLASS_RUSAGE)
		origin->clock = classify_rusage(arg0);
	else if (origin->class == CLASS_ITIMER)
		origin->clock = classify_itimer(arg0);
	else if (origin->class == CLASS_SELF)
		origin->clock = CLK_SELF;
	else if (origin->class == CLASS_WAIT)
		origin->clock = CLK_CHILD;
}

/* The mask a clock's reader asked for (include/clocks.h). */
static __always_inline __u32 asks_of(__u32 clock)
{
	static const __u8 asks[CLK_MAX] = {
#define X(id, name, asks, scaled) asks,
		CPUTOLL_CLOCKS(X)
#undef X
	};

	return asks[BOUNDED(clock, CLK_MAX)];
}

#endif /* CPUTOLL_CLASSIFY_BPF_H */
