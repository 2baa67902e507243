/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a frame is that is about to be opened, as frame.what says it: its node in the call tree, by
 * where it is called from; 0 when it is not to be followed. Used by frame.bpf.h.
 */
#ifndef CPUTOLL_WHAT_BPF_H
#define CPUTOLL_WHAT_BPF_H

#include "state.bpf.h"
#include "slot.bpf.h"
#include "node.bpf.h"
#include "classify.bpf.h"

/* frame.what of a frame just opened */
static __always_inline __u64 frame_what(__u32 node, __u8 flags, __u8 asks)
{
	return node | (__u64)flags << 16 | (__u64)asks << 24;
}

/* Of a frame that begins a tree of its own, in @context. Global, as slot_claim() is. */
__noinline __u64 what_apart(__u32 context, __u32 function)
{
	__u32 node = node_outermost(CALLER_CONTEXTS + context, CLK_NONE, function);

	return node ? frame_what(node, FRAME_APART, FRAME_NO_PROCESS) : 0;
}

/* What slot.read_key is of a read by @function: never 0. what_read() takes it apart again. */
static __always_inline __u64 read_key(struct saved_syscall saved, __u32 function)
{
	return (__u64)saved.arg0 << 32 | (FN_MAX | function) << 16 | saved.nr;
}

/* Of an outermost frame, in full; 0 when it is no read of CPU time. Global, as slot_claim() is. */
__noinline __u64 what_read(__u64 key, __u32 kind, __u32 context, __u32 own_tid, __u32 own_tgid)
{
	struct reader reader = { context, own_tid, own_tgid };
	struct saved_syscall saved = { .nr = key, .arg0 = key >> 32 };
	__u32 function = key >> 16 & (FN_MAX - 1), node;
	struct origin origin;
	__u8 flags = 0;

	if (kind == FN_CALIBRATE) {
		node = node_outermost(CALLER_CONTEXTS + CTX_COUNT, CLK_NONE, function);
		return node ? frame_what(node, 0, FRAME_NO_PROCESS) : 0;
	}
	classify(reader, saved, &origin);
	if (is_ignored(origin.caller))
		return 0;
	if (kind == FN_PROCFS)
		origin.clock = function == FN_ID_proc_tid_stat ? CLK_PROC_THREAD : CLK_PROC_PROCESS;
	if (kind == FN_SYSCALL) {
		if (origin.class == CLASS_TIMER || origin.class == CLASS_WAIT)
			flags = FRAME_TENTATIVE;
		else if (origin.clock == CLK_NONE)
			return 0;
	}
	if (kind ==
	    FN_BELOW) /* the scheduler at work for the caller, whatever else that is doing */
		origin.clock = CLK_NONE;
	node = node_outermost(origin.caller, origin.clock, function);
	if (!node)
		return 0;
	return frame_what(node, flags, kind == FN_BELOW ? FRAME_NO_PROCESS : asks_of(origin.clock));
}

/* The root of what is called from syscall @nr, or from @context. Global, as slot_claim() is. */
__noinline __u32 root_any(__u32 context, __u32 nr)
{
	__u32 caller = classify_caller(context, nr);

	return is_ignored(caller) ? 0 : node_root(caller, CLK_NONE);
}

/* The node of @function below root @root. Global, as slot_claim() is. */
__noinline __u32 node_any(__u32 root, __u32 function)
{
	return node_below(root, function, FN_ANY);
}

/*
 * Of a frame of an ANY function that begins a tree. Virtual accounting has one at either end of
 * each syscall: what the slot remembers is the same for all functions.
 */
static __always_inline __u64 what_any(struct slot *slot, struct task_struct *task, bool irq,
				      enum fn_id function)
{
	__u32 key, root, node;

	if (!active)
		return 0;
	if (irq)
		return by_syscall ? 0 : what_apart(CTX_IRQ, function);
	key = ANY_KEY + read_syscall(slot, task).nr;
	root = slot->any_root;
	if (slot->any_key != key) {
		root = root_any(slot->context, key & 0xffff);
		if (!root)
			return 0;
		slot->any_root = root;
		slot->any_key = key;
	}
	node = below[node_slot(root, function)];
	if (!node)
		node = node_any(root, function);
	return node ? frame_what(node, 0, 0) : 0;
}

/*
 * Of an outermost frame. Who reads CPU time does it again and again, in the same way: while the
 * syscall, its first argument and the function are those of the task's latest read, so is the
 * answer. (A program that mixes 32-bit and 64-bit syscalls of the same number and argument is
 * mistaken.)
 */
static __always_inline __u64 what_outermost(struct slot *slot, struct task_struct *task, bool irq,
					    enum fn_id function, enum fn_kind kind)
{
	struct saved_syscall saved;
	__u64 key;

	if (kind == FN_ANY)
		return what_any(slot, task, irq, function);
	if ((kind == FN_BELOW && !all_callers) || !active)
		return 0;
	if (irq)
		return by_syscall ? 0 : what_apart(CTX_IRQ, function);
	saved = read_syscall(slot, task);
	key = read_key(saved, function);
	if (slot->read_key != key) {
		slot->read_what =
			what_read(key, kind, slot->context, slot->own_tid, slot->own_tgid);
		slot->read_key = key;
	}
	return slot->read_what;
}

/*
 * A BELOW function is called by its usual parent from one place, so the gap on the stack between
 * their frames is always the same. The parent preempted, the scheduler calls it too, but from
 * further down: behind an interrupt's registers.
 */
static __always_inline bool is_usual(enum fn_id function, __u64 gap)
{
	__u32 usual = usual_gap[function];

	if (gap == usual)
		return true;
	if (usual && gap > usual)
		return false;
	usual_gap[function] = gap;
	return true;
}

/* Of a frame above @top that starts a tree of its own, or whose node is not made yet. */
static __noinline __u64 what_unusual(struct frame *top, bool irq, bool preempted,
				     __u32 function_and_kind)
{
	__u32 function = function_and_kind & 0xffff, kind = function_and_kind >> 16, node;

	if (irq && !(top->flags & FRAME_APART))
		return what_apart(CTX_IRQ, function);
	node = preempted ? NODE_IGNORED : node_below(top->node, function, kind);
	if (node == NODE_IGNORED)
		return all_callers ? what_apart(CTX_SWITCH, function) : 0;
	return node;
}

/*
 * Of a frame above @top. @gap: how much further down the stack it is; as large as a stack when it
 * is on another one.
 */
static __always_inline __u64 what_nested(struct frame *top, __u64 gap, bool irq,
					 enum fn_id function, enum fn_kind kind)
{
	__u32 node = below[node_slot(top->node, function)];
	bool is_known = gap < ARCH_STACK_BYTES && node >= NODE_FIRST;

	if (is_known && (kind != FN_BELOW || is_usual(function, gap)))
		return node;
	/* known, and called from elsewhere: by the scheduler */
	return what_unusual(top, irq && gap >= ARCH_STACK_BYTES, is_known, function | kind << 16);
}

/* Of an ANY function inside an entry that is a read only if something of a read is inside: a tree
 * of its own. */
static __noinline __u64 what_any_inside(struct slot *slot, __u32 function, bool irq)
{
	__u64 what = what_any(slot, current_task(), irq, function);

	return what ? what | (__u64)FRAME_APART << 16 : 0;
}

#endif /* CPUTOLL_WHAT_BPF_H */
