/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames: opening one at a traced function's entry, closing it at its exit, nested, with
 * interrupts kept apart. Used by the programs of engine.bpf.c.
 */
#ifndef CPUTOLL_FRAME_BPF_H
#define CPUTOLL_FRAME_BPF_H

#include "what.bpf.h"

#define is_error(result)      ((result) < 0 && (result) >= -4095) /* include/linux/err.h */
#define is_entry(kind)	      ((kind) == FN_SYSCALL || (kind) == FN_PROCFS)
#define frame_at(slot, depth) (&(slot)->frames[BOUNDED(depth, MAX_DEPTH)])

/* Drop frames that were opened and never closed: the program at their exit did not run. */
static __noinline void drop_frames(struct slot *slot, __u32 depth)
{
	__sync_fetch_and_add(&losses.migrated, slot->depth - depth);
	WRITE_ONCE(slot->depth, depth);
}

/*
 * Drop the frames that a call at @height on the task's own stack proves to be over: those no
 * higher, and those of interrupts. Returns the depth that is left.
 */
static __noinline __u32 drop_stale(struct slot *slot, __u64 height)
{
	__u32 depth = slot->depth;

	for (int i = 0; i < MAX_DEPTH; i++) {
		__u64 top;

		if (!depth || depth > MAX_DEPTH)
			break;
		top = frame_at(slot, depth - 1)->height;
		if (top > height && top < ARCH_STACK_BYTES)
			break;
		depth--;
	}
	drop_frames(slot, depth);
	return depth;
}

/*
 * Open @frame, the one at @depth. Depth first: an interrupt from here on stacks its frames above
 * this one and takes them away again. It leaves no flags behind (apart_over()), so what it finds
 * here before the next lines have run is never taken for an interrupt's frame.
 */
static __always_inline void frame_begin(struct slot *slot, struct frame *frame, __u32 depth,
					__u64 what, __u64 height)
{
	WRITE_ONCE(slot->depth, depth + 1);
	WRITE_ONCE(frame->what, what);
	frame->height = height;
	WRITE_ONCE(frame->start_ns, bpf_ktime_get_ns());
}

/*
 * An entry inside an ANY function (of a /proc file in vfs_read, say): a frame that is apart, for by
 * its root a tree is known to be a read.
 */
static __noinline void entry_inside(struct slot *slot, __u64 height, __u32 function_and_kind)
{
	__u32 depth = drop_stale(slot, height), function = function_and_kind & 0xffff;
	struct saved_syscall saved = read_syscall(slot, current_task());
	__u64 key = read_key(saved, function), what;
	struct frame *frame = frame_at(slot, depth);

	if (!active || depth >= MAX_DEPTH)
		return;
	what = what_read(key, function_and_kind >> 16, slot->context, slot->own_tid,
			 slot->own_tgid);
	if (!what)
		return;
	if (depth)
		what |= (__u64)FRAME_APART << 16;
	frame_begin(slot, frame, depth, what, height);
}

static __always_inline void frame_open(void *ctx, enum fn_id function, enum fn_kind kind)
{
	struct task_struct *current = current_task();
	__u64 task = (__u64)current, height, gap, what;
	struct slot *slot = slot_first(task);
	struct frame *frame;
	__u32 depth;
	bool irq;

	if (slot->task != task) {
		slot = slot_elsewhere(task);
		if (!slot) {
			/* Most calls of a BELOW function are no part of any read. */
			if ((kind == FN_BELOW && !all_callers) || !active || slot_claim())
				return;
			slot = slot_elsewhere(task);
			if (!slot)
				return;
		}
	}
	height = distance(ctx, slot);
	irq = height >= ARCH_STACK_BYTES;
	depth = READ_ONCE(slot->depth);
	if (!depth)
		goto outermost;
	if (is_entry(kind) && depth != SLOT_MUTED) {
		if (any_functions) {
			entry_inside(slot, height, function | kind << 16);
			return;
		}
		drop_frames(slot, 0); /* a syscall runs inside nothing that is traced */
		goto outermost;
	}
	if (depth > MAX_DEPTH) {
		/* in an interrupt of a slot's claim: most calls of a BELOW function are no part of
		 * any read */
		if (depth == SLOT_FILLING && (kind != FN_BELOW || all_callers))
			loss(overflow);
		return;
	}
	frame = frame_at(slot, depth - 1) + 1;
	gap = frame[-1].height - height;
	if (gap - 1 >= ARCH_STACK_BYTES - 1 && !irq) {
		depth = drop_stale(slot, height);
		if (!depth)
			goto outermost;
		frame = frame_at(slot, depth - 1) + 1;
		gap = frame[-1].height - height;
		KEEP(frame);
	}
	if (depth == MAX_DEPTH) {
		loss(overflow);
		return;
	}
	what = kind == FN_ANY && (frame[-1].flags & FRAME_TENTATIVE)
		       ? what_any_inside(slot, function, irq)
		       : what_nested(frame - 1, gap, irq, function, kind);
	if (what)
		frame_begin(slot, frame, depth, what, height);
	return;
outermost:
	what = what_outermost(slot, current, irq, function, kind);
	if (what)
		frame_begin(slot, slot->frames, 0, what, height);
}

/* What stands for frame.height of an interrupt, which has no trampoline: on no stack. */
#define interrupt_height(function) (~(__u64)(function))

/*
 * An interrupt: a frame apart, if it came in the middle of a traced call. Most did not, and must
 * cost little.
 */
static __always_inline void interrupt_open(enum fn_id function)
{
	__u64 task = bpf_get_current_task(), what;
	struct slot *slot = slot_first(task);
	struct frame *frame;
	__u32 depth;

	if (slot->task != task) {
		slot = slot_elsewhere(task);
		if (!slot)
			return;
	}
	depth = READ_ONCE(slot->depth);
	if (!depth || depth >= MAX_DEPTH)
		return;
	what = what_apart(CTX_IRQ, function);
	if (!what)
		return;
	frame = frame_at(slot, depth);
	frame_begin(slot, frame, depth, what, interrupt_height(function));
}

/*
 * The top frame isn't this call's. Either the call was never opened (no room, or it began before
 * tracing did): leave all as it is. Or frames above its own were never closed: drop those.
 * Returns the depth with this call's frame on top, 0 when it has none.
 */
static __noinline __u32 find_frame(struct slot *slot, __u64 height)
{
	__u32 depth = slot->depth;

	for (int i = 0; i < MAX_DEPTH; i++) {
		if (!depth || depth > MAX_DEPTH)
			return 0;
		if (frame_at(slot, depth - 1)->height == height) {
			drop_frames(slot, depth);
			return depth;
		}
		depth--;
	}
	return 0;
}

/* What a call would have taken without probes. */
static __always_inline __u64 corrected(__u64 raw_ns, __u32 nested)
{
	__u64 ns = raw_ns - inside_ns - nested * whole_ns;

	return (__s64)ns < 0 ? 0 : ns;
}

/*
 * A frame that was apart has closed: what it took, with all its probes cost, isn't the time of
 * those it came in between. A read that was inside an ANY function is its process's all the same.
 */
static __noinline void apart_over(struct slot *slot, __u32 depth, __u64 raw_ns, __u32 nested)
{
	__u64 stolen_ns = raw_ns - inside_ns + (nested + 1) * whole_ns;
	struct frame *frame = frame_at(slot, depth);

	if (frame->asks < MASK_COUNT) {
		slot->calls[BOUNDED(frame->asks, MASK_COUNT)]++;
		slot->total_ns += corrected(raw_ns, nested);
	}
	frame->flags = 0;
	for (__u32 i = 0; i < MAX_DEPTH; i++) {
		if (i >= depth)
			break;
		slot->frames[i].start_ns += stolen_ns;
	}
}

/* The bucket of a latency that the linear ones do not hold: rare, and costly to find. */
static __noinline __u64 long_bucket(__u64 ns)
{
	return hist_bucket(ns);
}

/* Add one call, that took @ns once corrected, to the sums of its node under @key. */
static __always_inline void count(__u32 key, __u64 raw_ns, __u64 ns)
{
	struct tally *tally = bpf_map_lookup_elem(&tallies, &key);
	__u64 bucket;

	if (!tally)
		return;
	__sync_fetch_and_add(&tally->raw_ns, raw_ns);
	bucket = ns < 1 << HIST_LINEAR_BITS ? ns >> HIST_LINEAR_SHIFT : long_bucket(ns);
	KEEP(bucket); /* unbounded: clang knows what long_bucket() returns, the verifier not */
	if (bucket < HIST_BUCKETS)
		__sync_fetch_and_add(&tally->bucket[bucket], 1);
}

/* @ctx: NULL for an interrupt */
static __always_inline void frame_close(void *ctx, enum fn_id function, enum fn_kind kind,
					__s64 result)
{
	__u64 now = kind == FN_INTERRUPT ? 0 : bpf_ktime_get_ns(), raw_ns, ns;
	__u64 task = bpf_get_current_task(), height;
	struct slot *slot = slot_first(task);
	struct frame *frame, done;
	__u32 depth, key;

	if (slot->task != task) {
		slot = slot_elsewhere(task);
		if (!slot)
			return;
	}
	depth = READ_ONCE(slot->depth) - 1;
	if (depth >= MAX_DEPTH) /* none open, or muted */
		return;
	frame = &slot->frames[depth];
	height = kind == FN_INTERRUPT ? interrupt_height(function) : distance(ctx, slot);
	if (frame->height != height) {
		depth = find_frame(slot, height) - 1;
		if (depth >= MAX_DEPTH)
			return;
		frame = frame_at(slot, depth);
		KEEP(frame);
	}
	if (kind == FN_INTERRUPT) /* few come when there is anything to close */
		now = bpf_ktime_get_ns();
	raw_ns = now - frame->start_ns;
	if ((__s64)raw_ns < 0) /* an interrupt came between `now` and here, and moved the start */
		raw_ns = bpf_ktime_get_ns() - frame->start_ns;
	done = (struct frame){ .node = frame->node,
			       .flags = frame->flags,
			       .asks = frame->asks,
			       .nested = frame->nested };
	if (is_entry(kind) && (done.flags & FRAME_TENTATIVE) && !done.nested) {
		WRITE_ONCE(slot->depth, depth);
		return;
	}
	if (is_entry(kind) && is_error(result))
		__sync_fetch_and_add(&nodes[BOUNDED(done.node, NODES)].errors, 1);
	ns = corrected(raw_ns, done.nested);
	key = slot->tally + done.node;
	if (depth) {
		if (done.flags & FRAME_APART)
			apart_over(slot, depth, raw_ns, done.nested);
		else
			frame[-1].nested += done.nested + 1;
		WRITE_ONCE(slot->depth, depth);
	} else {
		if (done.asks < MASK_COUNT) {
			slot->calls[done.asks]++;
			slot->total_ns += ns;
		}
		WRITE_ONCE(slot->depth, 0);
		if (slot->spilled)
			slot_unspill(slot);
	}
	count(key, raw_ns, ns); /* last: nothing has to be kept over its call */
	/* … so that what a probe costs is measured on the code that it will be */
	if (kind == FN_CALIBRATE)
		calibration_raw_ns[function == FN_ID_bpf_fentry_test1] = raw_ns;
}

/*
 * A timer syscall is inside the function that knows the timer's clock: name the frame by it. It is
 * a read from now on, whether or not it reaches a traced function.
 */
static __always_inline void frame_resolve(struct k_itimer *timer)
{
	__u64 task = bpf_get_current_task();
	struct slot *slot = slot_first(task);
	struct call_node *old;
	struct frame *frame;
	struct reader reader;
	__u32 clock, depth, node;

	if (slot->task != task) {
		slot = slot_elsewhere(task);
		if (!slot)
			return;
	}
	depth = READ_ONCE(slot->depth);
	frame = &slot->frames[0];
	if (depth != 1) { /* deeper only when an ANY function is around the syscall */
		if (!any_functions || depth - 1 >= MAX_DEPTH)
			return;
		frame = frame_at(slot, depth - 1);
	}
	if (!(frame->flags & FRAME_TENTATIVE))
		return;
	reader = (struct reader){ slot->context, slot->own_tid, slot->own_tgid };
	clock = classify_clock(reader, BPF_CORE_READ(timer, it_clock));
	old = &nodes[BOUNDED(frame->node, NODES)];
	node = node_outermost(nodes[BOUNDED(old->parent, NODES)].caller, clock, old->function);
	frame->what = frame_what(node, frame->flags & FRAME_APART, asks_of(clock));
}

#endif /* CPUTOLL_FRAME_BPF_H */
