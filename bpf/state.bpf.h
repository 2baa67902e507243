/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The engine's memory and knobs: every map and global, with who writes and who reads it.
 * Included first by engine.bpf.c.
 */
#ifndef CPUTOLL_STATE_BPF_H
#define CPUTOLL_STATE_BPF_H

#include "vmlinux.h"
#ifndef __VMLINUX_H__
#include <linux/bpf.h>
#endif
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "layout.h"

#define PF_EXITING	 0x00000004 /* include/linux/sched.h */
#define PF_KTHREAD	 0x00200000

#define READ_ONCE(x)	 (*(volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v) ((*(volatile typeof(x) *)&(x)) = (v))

/* @value, of which clang knows nothing: else it drops the bounds checks that it can prove needless,
 * and the verifier cannot follow the proof. */
#define OPAQUE(value)                            \
	({                                       \
		__u32 opaque = (value);          \
		asm volatile("" : "+r"(opaque)); \
		opaque;                          \
	})
/* Keeps clang from computing @pointer anew where two ways to it meet. */
#define KEEP(pointer) asm volatile("" : "+r"(pointer))
/* @index below @size, a power of two */
#define BOUNDED(index, size) (OPAQUE(index) & ((size)-1))

/* Constants once loaded: the verifier removes the branches they decide. Written by the loader. */
const volatile bool all_callers;
const volatile bool by_syscall;		    /* some of syscall_classes are CLASS_IGNORED */
const volatile __u64 usual_callers[FN_MAX]; /* bits: who calls a BELOW function in a read */
const volatile __u32 recorder_pid_ns;	    /* whose numbers `targets` has; 0: there is but one */
const volatile bool filtered;		    /* only the processes in `targets` … */
const volatile bool by_cgroup;		    /* … only tasks below `cgroups` … */
const volatile struct glob wanted_comm;	    /* … only processes of such a name */
const volatile bool any_functions;	    /* programs of ANY functions are loaded */
const volatile __u32 node_limit;	    /* nodes that there is room for, NODES at most */
const volatile __u32 shard_mask;	    /* shards - 1 */
const volatile __u8 syscall_classes[2 * CALLER_SYSCALLS]; /* CLASS_* by caller */

/* Set by the loader while running: the gate at the outermost frame, and the calibration. */
bool active, calibrating;
__u32 self_tgid; /* the recorder as it sees itself: its own reads aren't counted */
__u64 inside_ns, whole_ns;

/* Raw duration of the latest calibration call, by function: written by the engine, read and
 * reset by the loader's calibration, one call at a time. */
__u64 calibration_raw_ns[2];

/* Indexed by the task's address. Written by the owner, and by whoever claims a free one; the loader
 * reads the totals that are left in them at the end. */
struct slot slots[SLOTS] __attribute__((aligned(64)));

/* The call tree, filled as calls are met (node_make()); the loader reads `nodes`. */
__u16 roots[CALLER_COUNT * CLK_MAX];
__u16 below[NODES * FN_MAX];
struct call_node nodes[NODES];
__u32 usual_gap[FN_MAX]; /* of each BELOW function: see is_usual() */
__u32 last_node;

struct losses losses;
__u32 spills; /* tasks in `spilled` now: while there is none, nobody looks */

/* key: shard * node_limit + node; value: that node's sums. Written by all CPUs, atomically; read by
 * the loader through mmap. The loader sets max_entries from the number of CPUs. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, NODES);
	__type(key, __u32);
	__type(value, struct tally);
} tallies SEC(".maps");

/*
 * key: a slot's or node's number; value unused. An insertion with BPF_NOEXIST is the engine's
 * only test-and-set that Linux 5.10 has (BPF's own came in 5.12). Written when a slot is claimed or
 * freed and when a node is made; nobody else reads them. As large as what they guard.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SLOTS);
	__type(key, __u32);
	__type(value, __u32);
} slot_claims SEC(".maps"), node_claims SEC(".maps");

/* key: the task; value: the state of a task whose slot is taken. Written by that task only, while
 * it has frames open. Preallocated, so safe under the run-queue lock. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SPILLED);
	__type(key, __u64);
	__type(value, struct slot);
} spilled SEC(".maps");

/* key: a process; value: totals of its threads that have left their slots. Written at a thread's
 * exit, atomically, read by the loader at the end. 16384 processes are 2 MB. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROCESSES);
	__type(key, struct process_key);
	__type(value, struct process_totals);
} processes SEC(".maps");

/* value: the cgroup whose tasks are traced, with all below it. Created, and filled by the loader,
 * when `by_cgroup`. */
struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} cgroups SEC(".maps");

/* key: a tgid to trace, as the recorder sees it; value unused. Written by the loader before it
 * starts and by the fork and exit hooks, read when a task's slot is claimed. Used when `filtered`.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, PROCESSES);
	__type(key, __u32);
	__type(value, __u32);
} targets SEC(".maps");

/* Came with 5.15 (dd6e10fbd9fb). */
#define has_task_regs bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)

/* The current task. Not bpf_get_current_task() where there is a choice: the kernel lets
 * bpf_task_pt_regs() have the other's pointer only. */
static __always_inline struct task_struct *current_task(void)
{
	if (has_task_regs)
		return bpf_get_current_task_btf();
	return (void *)bpf_get_current_task();
}

#define loss(kind) __sync_fetch_and_add(&losses.kind, 1)

#endif /* CPUTOLL_STATE_BPF_H */
