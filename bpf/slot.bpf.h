/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A task's slot: found by its address on the fast path, claimed at a task's first traced call,
 * freed at its exit, when what it holds goes to its process. Used by frame.bpf.h and the hooks.
 */
#ifndef CPUTOLL_SLOT_BPF_H
#define CPUTOLL_SLOT_BPF_H

#include "state.bpf.h"
#include "filter.bpf.h"

static const struct slot empty_slot = { .depth = SLOT_FILLING };
static const struct process_totals empty_totals;

/*
 * The first of the slots of the task at address @task. Slabs are aligned, so that the low bits
 * alone would tell few tasks apart: multiplicative hashing, by 2^32 over the golden ratio. Of the
 * address's lower half, which is a number to the verifier where the whole is a pointer.
 */
static __always_inline __u32 slot_index(__u64 task)
{
	return (__u32)task * 0x9e3779b1u >> (32 - SLOT_BITS);
}

/* The current task's slot if it is in the first of its ways, where nearly all are; else another's.
 */
static __always_inline struct slot *slot_first(__u64 task)
{
	return &slots[slot_index(task)];
}

/*
 * How far @ctx, an address on some kernel stack, lies above the lowest of the stack of @slot's
 * task. The verifier allows no arithmetic on a context pointer but to subtract another pointer from
 * it, so it is measured from the slot, whose distance from the stack is known.
 */
static __always_inline __u64 distance(const void *ctx, const struct slot *slot)
{
	__u64 from_slot = (__u64)ctx;

	asm volatile("%0 -= %1"
		     : "+r"(from_slot)
		     : "r"(slot)); /* else clang adds slot and offset */
	return from_slot - slot->offset;
}

/* @task's number in its own pid namespace, the one a clock id names it by. */
static __always_inline __u32 pid_in_own_namespace(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	struct upid *upid = upid_at(pid, level);

	return BPF_CORE_READ(upid, nr);
}

/* What an exec may change of @slot's task, the current one: its numbers, its name, and with that
 * whether it is traced. */
static __always_inline void slot_name(struct slot *slot, struct task_struct *task)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	__u32 tgid = tgid_seen(task);
	bool muted;

	slot->read_key = 0;
	slot->tgid = tgid ? tgid : BPF_CORE_READ(task, tgid);
	slot->own_tid = pid_in_own_namespace(task);
	slot->own_tgid = pid_in_own_namespace(leader);
	BPF_CORE_READ_STR_INTO(&slot->comm, leader, comm);
	if (slot->depth - 1 < MAX_DEPTH) /* in the middle of a call */
		return;
	muted = !calibrating && ((tgid && tgid == self_tgid) || !is_wanted(tgid, slot->comm));
	WRITE_ONCE(slot->depth, muted ? SLOT_MUTED : 0); /* last: from here on it is in use */
}

static __always_inline void slot_fill(struct slot *slot, struct task_struct *task, __u32 index)
{
	slot->stack = (__u64)BPF_CORE_READ(task, stack);
	WRITE_ONCE(slot->offset, (__u64)slot); /* through memory, a pointer becomes a number */
	slot->offset = slot->stack - READ_ONCE(slot->offset);
	slot->any_key = 0;
	slot->tally = (index & shard_mask) * node_limit;
	slot->born_ns = BPF_CORE_READ(task, group_leader, start_time);
	slot->context = 0;
	if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
		slot->context =
			CALLER_CONTEXTS + (BPF_CORE_READ(task, tgid) ? CTX_KTHREAD : CTX_IDLE);
	slot_name(slot, task);
}

/* @task's slot when it isn't the first of its ways, or was not just now; NULL: it has none. */
static __noinline struct slot *slot_elsewhere(__u64 task)
{
	__u32 index = slot_index(task);

	for (__u32 way = 0; way < SLOT_WAYS; way++) {
		struct slot *slot = &slots[BOUNDED(index ^ way, SLOTS)];

		if (slot->task == task)
			return slot;
	}
	return READ_ONCE(spills) ? bpf_map_lookup_elem(&spilled, &task) : NULL;
}

/* slot_settle() - add what @slot counted to its process's totals. */
static __noinline void slot_settle(struct slot *slot)
{
	struct process_key key = { .born_ns = slot->born_ns, .tgid = slot->tgid };
	struct process_totals *totals;
	__u64 calls = 0;

	for (int i = 0; i < MASK_COUNT; i++)
		calls += slot->calls[i];
	if (!calls)
		return;
	bpf_map_update_elem(&processes, &key, (void *)&empty_totals, BPF_NOEXIST);
	totals = bpf_map_lookup_elem(&processes, &key);
	if (!totals) {
		__sync_fetch_and_add(&losses.processes, calls);
		return;
	}
	for (int i = 0; i < MASK_COUNT; i++)
		__sync_fetch_and_add(&totals->calls[i], slot->calls[i]);
	__sync_fetch_and_add(&totals->total_ns, slot->total_ns);
	__builtin_memcpy(totals->comm, slot->comm, sizeof(totals->comm));
}

/* slot_unspill() - @slot's task has closed its outermost frame: its place in `spilled` is free. */
static __noinline void slot_unspill(struct slot *slot)
{
	__u64 key = slot->task;

	slot_settle(slot);
	if (!bpf_map_delete_elem(&spilled, &key))
		__sync_fetch_and_add(&spills, -1);
}

/*
 * Has @task another slot than @slot, which it has just claimed? An interrupt that comes in between
 * the claim and the task's name in it, and calls a traced function, finds no slot of the task and
 * claims one. From the name on it finds that one, and leaves it alone while it is being filled.
 */
static __always_inline bool slot_is_second(const struct slot *slot, __u64 task)
{
	__u32 index = slot_index(task);

	for (__u32 way = 0; way < SLOT_WAYS; way++) {
		const struct slot *other = &slots[BOUNDED(index ^ way, SLOTS)];

		if (other != slot && READ_ONCE(other->task) == task)
			return true;
	}
	return false;
}

/*
 * slot_claim() - give the current task, which has none, a slot: a free one of its own, else one in
 * `spilled`, where it stays until its outermost frame is closed. An exiting task is spilled too:
 * its slot's totals have been handed on and nobody would free it again.
 * Returns 0, or 1 when the call isn't to be followed: no room (counted as lost), or a task that is
 * not to be traced and found no slot to say so in. Global, so that the verifier looks at it once
 * and not again in each program: that is a second of start-up.
 */
__noinline int slot_claim(void)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 key = (__u64)task;
	__u32 index = slot_index(key), none = 0;
	struct slot *slot;

	for (__u32 way = 0; way < SLOT_WAYS; way++) {
		__u32 at = BOUNDED(index ^ way, SLOTS);

		slot = &slots[at];
		if (slot->task || (BPF_CORE_READ(task, flags) & PF_EXITING) ||
		    bpf_map_update_elem(&slot_claims, &at, &none, BPF_NOEXIST))
			continue;
		WRITE_ONCE(slot->depth, SLOT_FILLING);
		WRITE_ONCE(slot->task, key);
		if (!slot_is_second(slot, key)) {
			slot_fill(slot, task, index);
			return 0;
		}
		WRITE_ONCE(slot->task, 0);
		bpf_map_delete_elem(&slot_claims, &at);
		return 0;
	}
	if (bpf_map_update_elem(&spilled, &key, (void *)&empty_slot, BPF_NOEXIST)) {
		loss(overflow);
		return 1;
	}
	__sync_fetch_and_add(&spills, 1);
	slot = bpf_map_lookup_elem(&spilled, &key);
	if (!slot)
		return 1;
	slot->spilled = 1;
	slot->task = key;
	slot_fill(slot, task, index);
	if (slot->depth == SLOT_MUTED) { /* no frame will close and give the place back */
		slot_unspill(slot);
		return 1;
	}
	return 0;
}

/* slot_release() - the current task is exiting: hand its totals on and free its slot. */
static __always_inline void slot_release(struct task_struct *task)
{
	__u32 index = slot_index((__u64)task);
	struct task_struct *leader;

	for (__u32 way = 0; way < SLOT_WAYS; way++) {
		__u32 at = BOUNDED(index ^ way, SLOTS);
		struct slot *slot = &slots[at];

		if (slot->task != (__u64)task)
			continue;
		leader = BPF_CORE_READ(task, group_leader);
		BPF_CORE_READ_STR_INTO(&slot->comm, leader, comm); /* exec may have renamed it */
		slot_settle(slot);
		for (int i = 0; i < MASK_COUNT; i++)
			slot->calls[i] = 0;
		slot->total_ns = 0;
		slot->depth = 0;
		WRITE_ONCE(slot->task, 0);
		bpf_map_delete_elem(&slot_claims, &at);
		return;
	}
}

#endif /* CPUTOLL_SLOT_BPF_H */
