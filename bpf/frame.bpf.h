/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames: opening one at a traced function's entry, closing it at its exit, nested, with
 * interrupts kept apart. Used by the programs of engine.bpf.c.
 */
#ifndef CPUTOLL_FRAME_BPF_H
#define CPUTOLL_FRAME_BPF_H

#include "state.bpf.h"
#include "slot.bpf.h"
#include "node.bpf.h"
#include "classify.bpf.h"

#define is_error(result) ((result) < 0 && (result) >= -4095) /* include/linux/err.h */
#define is_entry(kind)	 ((kind) == FN_SYSCALL || (kind) == FN_PROCFS)
#define frame_at(slot, depth) (&(slot)->frames[BOUNDED(depth, MAX_DEPTH)])

/*
 * The node of an outermost call, 0 when it is not to be followed: not a read of CPU time, or
 * before the start or after the end.
 */
static __always_inline __u32 outermost(struct task_struct *task, struct slot *slot, bool irq,
				       enum fn_id function, enum fn_kind kind, __u32 *asks,
				       __u16 *flags)
{
	struct origin origin;

	if ((kind == FN_BELOW && !all_callers) || !active)
		return 0;
	*flags = irq ? FRAME_IRQ : 0;
	*asks = SLOT_NO_PROCESS;
	if (kind == FN_CALIBRATE) {
		origin.caller = CALLER_CONTEXTS + CTX_COUNT;
		origin.clock = CLK_NONE;
	} else {
		classify(task, slot, irq, &origin);
		if (kind == FN_PROCFS)
			origin.clock = function == FN_ID_proc_tid_stat ? CLK_PROC_THREAD :
									 CLK_PROC_PROCESS;
		if (kind == FN_SYSCALL) {
			if (origin.class == CLASS_TIMER || origin.class == CLASS_WAIT)
				*flags = FRAME_TENTATIVE;
			else if (origin.clock == CLK_NONE)
				return 0;
		}
		if (!irq)
			*asks = asks_of(origin.clock);
	}
	return node_below(node_root(origin.caller, origin.clock), function);
}

/*
 * The node of a call on an interrupt's stack that finds frames open. The first one starts a tree
 * of its own; those inside it are its children.
 */
static __noinline __u32 inside_interrupt(struct slot *slot, __u32 depth, __u32 function)
{
	struct frame *top = frame_at(slot, depth - 1);

	if (top->flags & FRAME_IRQ)
		return node_below(top->node, function);
	return node_below(node_root(CALLER_CONTEXTS + CTX_IRQ, CLK_NONE), function);
}

/* Drop frames that were opened and never closed: the program at their exit did not run. */
static __noinline void drop_frames(struct slot *slot, __u32 depth)
{
	__sync_fetch_and_add(&losses.migrated, slot->depth - depth);
	WRITE_ONCE(slot->depth, depth);
}

static __always_inline void frame_open(void *ctx, enum fn_id function, enum fn_kind kind)
{
	struct task_struct *task = current_task();
	__u32 index = slot_index(task), depth, node, asks = 0;
	struct slot *slot = &slots[index];
	struct frame *frame;
	__u16 flags = 0;
	bool irq;

	if (slot->task != (__u64)task) {
		/* Nothing to claim it for: most calls of these are no part of any read. */
		if (kind == FN_BELOW && !all_callers)
			slot = bpf_map_lookup_elem(&spilled, &(__u64){ (__u64)task });
		else if (active)
			slot = slot_claim(index);
		else
			return;
		if (!slot)
			return;
	}
	irq = distance(ctx, slot) >= ARCH_STACK_BYTES;
	depth = READ_ONCE(slot->depth);
	if (is_entry(kind) && depth && depth != SLOT_MUTED && !irq) {
		drop_frames(slot, 0); /* a syscall runs inside nothing that is traced */
		depth = 0;
	}
	if (!depth) {
		node = outermost(task, slot, irq, function, kind, &asks, &flags);
	} else if (depth >= MAX_DEPTH) {
		if (depth != SLOT_MUTED)
			loss(overflow);
		return;
	} else if (irq) {
		flags = FRAME_IRQ;
		node = inside_interrupt(slot, depth, function);
	} else {
		node = node_below(frame_at(slot, depth - 1)->node, function);
	}
	if (!node)
		return;
	/*
	 * Depth first: an interrupt from here on stacks its frames above this one and takes them
	 * away again. It leaves no flags behind (interrupt_over()), so what it finds here before
	 * the next lines have run is never taken for an interrupt's frame.
	 */
	WRITE_ONCE(slot->depth, depth + 1);
	frame = frame_at(slot, depth);
	WRITE_ONCE(frame->flags, flags);
	frame->ctx = (__u64)ctx;
	frame->node = node;
	frame->nested = 0;
	if (!depth)
		slot->asks = asks;
	WRITE_ONCE(frame->start_ns, bpf_ktime_get_ns());
}

/*
 * The top frame isn't this call's. Either the call was never opened (no room, or it began before
 * tracing did): leave all as it is. Or frames above its own were never closed: drop those.
 * Returns the depth with this call's frame on top, 0 when it has none.
 */
static __noinline __u32 find_frame(struct slot *slot, __u64 ctx)
{
	__u32 depth = slot->depth;

	for (int i = 0; i < MAX_DEPTH; i++) {
		if (!depth || depth > MAX_DEPTH)
			return 0;
		if (frame_at(slot, depth - 1)->ctx == ctx) {
			drop_frames(slot, depth);
			return depth;
		}
		depth--;
	}
	return 0;
}

/*
 * An interrupt's outermost frame has closed: what it took, with all its probes cost, isn't the
 * time of those it interrupted.
 */
static __noinline void interrupt_over(struct slot *slot, __u32 depth, __u64 raw_ns, __u32 nested)
{
	__u64 stolen_ns = raw_ns - inside_ns + (nested + 1) * whole_ns;

	frame_at(slot, depth)->flags = 0;
	for (__u32 i = 0; i < MAX_DEPTH; i++) {
		if (i >= depth)
			break;
		slot->frames[i].start_ns += stolen_ns;
	}
}

/* Add one call to its node's sums. */
static __always_inline __u64 count(struct slot *slot, __u32 node, __u64 raw_ns, __u32 nested)
{
	__u64 ns = raw_ns - inside_ns - nested * whole_ns;
	__u32 key = slot->tally + node, bucket;
	struct tally *tally;

	if ((__s64)ns < 0)
		ns = 0;
	tally = bpf_map_lookup_elem(&tallies, &key);
	if (!tally)
		return ns;
	__sync_fetch_and_add(&tally->raw_ns, raw_ns);
	bucket = OPAQUE(hist_bucket(ns));
	if (bucket < HIST_BUCKETS)
		__sync_fetch_and_add(&tally->bucket[bucket], 1);
	return ns;
}

static __always_inline void frame_close(void *ctx, enum fn_id function, enum fn_kind kind,
					__s64 result)
{
	__u64 now = bpf_ktime_get_ns(), raw_ns, ns, key;
	struct task_struct *task = current_task();
	__u32 index = slot_index(task), depth, nested, node;
	struct slot *slot = &slots[index];
	bool spill = false;
	struct frame *frame;
	__u16 flags;

	if (slot->task != (__u64)task) {
		key = (__u64)task;
		slot = bpf_map_lookup_elem(&spilled, &key);
		if (!slot)
			return;
		spill = true;
	}
	depth = READ_ONCE(slot->depth) - 1;
	if (depth >= MAX_DEPTH) /* none open, or muted */
		return;
	frame = frame_at(slot, depth);
	if (frame->ctx != (__u64)ctx) {
		depth = find_frame(slot, (__u64)ctx) - 1;
		if (depth >= MAX_DEPTH)
			return;
		frame = frame_at(slot, depth);
	}
	raw_ns = now - frame->start_ns;
	nested = frame->nested;
	node = frame->node;
	flags = frame->flags;
	if (kind == FN_CALIBRATE)
		calibration_raw_ns[function == FN_ID_bpf_fentry_test1] = raw_ns;
	if (!(flags & FRAME_TENTATIVE) || nested) {
		ns = count(slot, node, raw_ns, nested);
		if (is_entry(kind) && is_error(result))
			__sync_fetch_and_add(&nodes[BOUNDED(node, NODES)].errors, 1);
		if (depth) {
			if (!(flags & FRAME_IRQ))
				frame_at(slot, depth - 1)->nested += nested + 1;
			else if (frame_at(slot, depth - 1)->flags & FRAME_IRQ)
				frame_at(slot, depth - 1)->nested += nested + 1;
			else
				interrupt_over(slot, depth, raw_ns, nested);
		} else if (slot->asks < MASK_COUNT) {
			slot->calls[BOUNDED(slot->asks, MASK_COUNT)]++;
			slot->total_ns += ns;
		}
	}
	WRITE_ONCE(slot->depth, depth);
	if (spill && !depth) {
		slot_settle(slot);
		key = (__u64)task;
		bpf_map_delete_elem(&spilled, &key);
	}
}

/*
 * A timer syscall is inside the function that knows the timer's clock: name the frame by it. It is
 * a read from now on, whether or not it reaches a traced function.
 */
static __always_inline void frame_resolve(struct k_itimer *timer)
{
	struct task_struct *task = current_task();
	__u32 index = slot_index(task), caller, function, clock;
	struct slot *slot = &slots[index];
	struct frame *frame;
	struct node *node;
	__u64 key;

	if (slot->task != (__u64)task) {
		key = (__u64)task;
		slot = bpf_map_lookup_elem(&spilled, &key);
		if (!slot)
			return;
	}
	frame = &slot->frames[0];
	if (slot->depth != 1 || !(frame->flags & FRAME_TENTATIVE))
		return;
	clock = classify_clock(slot, BPF_CORE_READ(timer, it_clock));
	node = &nodes[BOUNDED(frame->node, NODES)];
	function = node->function;
	caller = nodes[BOUNDED(node->parent, NODES)].caller;
	frame->node = node_below(node_root(caller, clock), function);
	frame->flags = 0;
	slot->asks = asks_of(clock);
}

#endif /* CPUTOLL_FRAME_BPF_H */
