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

#define is_error(result)      ((result) < 0 && (result) >= -4095) /* include/linux/err.h */
#define is_entry(kind)	      ((kind) == FN_SYSCALL || (kind) == FN_PROCFS)
#define frame_at(slot, depth) (&(slot)->frames[BOUNDED(depth, MAX_DEPTH)])

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

/* Of an outermost frame, in full; 0 when it is no read of CPU time. Global, as slot_claim() is. */
__noinline __u64 what_read(__u64 key, __u32 kind, __u32 context, __u32 own_tid, __u32 own_tgid)
{
	struct reader reader = { context, own_tid, own_tgid };
	struct saved_syscall saved = { .nr = key, .arg0 = key >> 32 };
	__u32 function = key >> 16 & 0x7fff, node;
	struct origin origin;
	__u8 flags = 0;

	if (kind == FN_CALIBRATE) {
		node = node_outermost(CALLER_CONTEXTS + CTX_COUNT, CLK_NONE, function);
		return node ? frame_what(node, 0, FRAME_NO_PROCESS) : 0;
	}
	classify(reader, saved, &origin);
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
	return node_root(classify_caller(context, nr), CLK_NONE);
}

/* The node of @function below root @root. Global, as slot_claim() is. */
__noinline __u32 node_any(__u32 root, __u32 function)
{
	return node_below(root, function, FN_ANY, FN_ID_none);
}

/*
 * Of a frame of an ANY function that begins a tree. Virtual accounting has one at either end of
 * each syscall: what the slot remembers is the same for all functions.
 */
static __always_inline __u64 what_any(struct slot *slot, bool irq, enum fn_id function)
{
	__u32 key, root, node;

	if (!active)
		return 0;
	if (irq)
		return what_apart(CTX_IRQ, function);
	key = ANY_KEY + read_syscall(slot).nr;
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
static __always_inline __u64 what_outermost(struct slot *slot, bool irq, enum fn_id function,
					    enum fn_kind kind)
{
	struct saved_syscall saved;
	__u64 key;

	if (kind == FN_ANY)
		return what_any(slot, irq, function);
	if ((kind == FN_BELOW && !all_callers) || !active)
		return 0;
	if (irq)
		return what_apart(CTX_IRQ, function);
	saved = read_syscall(slot);
	key = (__u64)saved.arg0 << 32 | 1u << 31 | function << 16 | saved.nr;
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
				     __u32 function_and_kind, __u32 usual)
{
	__u32 function = function_and_kind & 0xffff, kind = function_and_kind >> 16, node;

	if (irq && !(top->flags & FRAME_APART))
		return what_apart(CTX_IRQ, function);
	node = preempted ? NODE_IGNORED : node_below(top->node, function, kind, usual);
	if (node == NODE_IGNORED)
		return all_callers ? what_apart(CTX_SWITCH, function) : 0;
	return node;
}

/*
 * Of a frame above @top. @gap: how much further down the stack it is; as large as a stack when it
 * is on another one. @usual: where a BELOW function is called from in a read.
 */
static __always_inline __u64 what_nested(struct frame *top, __u64 gap, bool irq,
					 enum fn_id function, enum fn_kind kind, enum fn_id usual)
{
	__u32 node = below[node_slot(top->node, function)];
	bool preempted = kind == FN_BELOW && gap < ARCH_STACK_BYTES && node >= NODE_FIRST &&
			 !is_usual(function, gap);

	if (gap < ARCH_STACK_BYTES && node >= NODE_FIRST && !preempted)
		return node;
	return what_unusual(top, irq && gap >= ARCH_STACK_BYTES, preempted, function | kind << 16,
			    usual);
}

/* Of an ANY function inside an entry that is a read only if something of a read is inside: a tree
 * of its own. */
static __noinline __u64 what_any_inside(struct slot *slot, __u32 function, bool irq)
{
	__u64 what = what_any(slot, irq, function);

	return what ? what | (__u64)FRAME_APART << 16 : 0;
}

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
 * An entry inside an ANY function (of a /proc file in vfs_read, say): a frame that is apart, for by
 * its root a tree is known to be a read.
 */
static __noinline void entry_inside(struct slot *slot, __u64 height, __u32 function_and_kind)
{
	__u32 depth = drop_stale(slot, height), function = function_and_kind & 0xffff;
	struct saved_syscall saved = read_syscall(slot);
	__u64 key = (__u64)saved.arg0 << 32 | 1u << 31 | function << 16 | saved.nr, what;
	struct frame *frame = frame_at(slot, depth);

	if (!active || depth >= MAX_DEPTH)
		return;
	what = what_read(key, function_and_kind >> 16, slot->context, slot->own_tid,
			 slot->own_tgid);
	if (!what)
		return;
	WRITE_ONCE(slot->depth, depth + 1);
	WRITE_ONCE(frame->what, depth ? what | (__u64)FRAME_APART << 16 : what);
	frame->height = height;
	WRITE_ONCE(frame->start_ns, bpf_ktime_get_ns());
}

static __always_inline void frame_open(void *ctx, enum fn_id function, enum fn_kind kind,
				       enum fn_id usual)
{
	__u64 task = bpf_get_current_task(), height, gap, what;
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
	if (is_entry(kind) && depth && depth != SLOT_MUTED) {
		if (any_functions) {
			entry_inside(slot, height, function | kind << 16);
			return;
		}
		drop_frames(slot, 0); /* a syscall runs inside nothing that is traced */
		depth = 0;
	}
	frame = frame_at(slot, depth);
	if (depth && depth <= MAX_DEPTH) {
		gap = frame_at(slot, depth - 1)->height - height;
		if (gap - 1 >= ARCH_STACK_BYTES - 1 && !irq) {
			depth = drop_stale(slot, height);
			frame = frame_at(slot, depth);
			gap = frame_at(slot, depth - 1)->height - height;
			KEEP(frame);
		}
	}
	if (!depth) {
		what = what_outermost(slot, irq, function, kind);
	} else if (depth < MAX_DEPTH) {
		what = kind == FN_ANY && (frame[-1].flags & FRAME_TENTATIVE)
			       ? what_any_inside(slot, function, irq)
			       : what_nested(frame - 1, gap, irq, function, kind, usual);
	} else {
		if (depth != SLOT_MUTED)
			loss(overflow);
		return;
	}
	if (!what)
		return;
	/*
	 * Depth first: an interrupt from here on stacks its frames above this one and takes them
	 * away again. It leaves no flags behind (apart_over()), so what it finds here before the
	 * next lines have run is never taken for an interrupt's frame.
	 */
	WRITE_ONCE(slot->depth, depth + 1);
	WRITE_ONCE(frame->what, what);
	frame->height = height;
	WRITE_ONCE(frame->start_ns, bpf_ktime_get_ns());
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
	WRITE_ONCE(slot->depth, depth + 1);
	WRITE_ONCE(frame->what, what);
	frame->height = interrupt_height(function);
	WRITE_ONCE(frame->start_ns, bpf_ktime_get_ns());
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

/* Add one call to its node's sums. Returns its corrected latency, ns. */
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

/* @ctx: NULL for an interrupt */
static __always_inline void frame_close(void *ctx, enum fn_id function, enum fn_kind kind,
					__s64 result)
{
	__u64 now = kind == FN_INTERRUPT ? 0 : bpf_ktime_get_ns(), raw_ns, ns;
	__u64 task = bpf_get_current_task(), height;
	struct slot *slot = slot_first(task);
	struct frame *frame, done;
	__u32 depth;

	if (slot->task != task) {
		slot = slot_elsewhere(task);
		if (!slot)
			return;
	}
	depth = READ_ONCE(slot->depth) - 1;
	if (depth >= MAX_DEPTH) /* none open, or muted */
		return;
	frame = frame_at(slot, depth);
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
	done.what = frame->what;
	if (kind == FN_CALIBRATE)
		calibration_raw_ns[function == FN_ID_bpf_fentry_test1] = raw_ns;
	if (is_entry(kind) && (done.flags & FRAME_TENTATIVE) && !done.nested) {
		WRITE_ONCE(slot->depth, depth);
		return;
	}
	ns = count(slot, done.node, raw_ns, done.nested);
	if (is_entry(kind) && is_error(result))
		__sync_fetch_and_add(&nodes[BOUNDED(done.node, NODES)].errors, 1);
	if (depth) {
		if (done.flags & FRAME_APART)
			apart_over(slot, depth, raw_ns, done.nested);
		else
			frame[-1].nested += done.nested + 1;
		WRITE_ONCE(slot->depth, depth);
		return;
	}
	if (done.asks < MASK_COUNT) {
		slot->calls[BOUNDED(done.asks, MASK_COUNT)]++;
		slot->total_ns += ns;
	}
	WRITE_ONCE(slot->depth, depth);
	if (slot->spilled)
		slot_unspill(slot);
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
