/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BPF engine and its loader share: the layout of the engine's memory. Written by
 * bpf/, read by src/engine.c through the maps' mmap.
 */
#ifndef CPUTOLL_LAYOUT_H
#define CPUTOLL_LAYOUT_H

#include "types.h"
#include "clocks.h"
#include "functions.h"
#include "buckets.h"

/*
 * Callers. A syscall is its number; a 32-bit program's on a 64-bit kernel that plus CALLER_COMPAT;
 * what runs outside of syscalls is a context.
 */
#define CALLER_SYSCALLS 512 /* per table; the largest number in use is some 470 */
#define CALLER_COMPAT	CALLER_SYSCALLS
#define CALLER_CONTEXTS (2 * CALLER_SYSCALLS)
#define CALLER_COUNT	2048 /* a power of two, for the verifier */

/* X(id, name): the contexts, from CALLER_CONTEXTS on. */
#define CPUTOLL_CONTEXTS(X)                                                                     \
	X(IRQ, "irq")	/* an interrupt's stack: ticks, wake-ups from devices and softirqs */   \
	X(IDLE, "idle") /* the idle task */                                                     \
	X(KTHREAD, "kthread")                                                                   \
	X(SWITCH, "switch") /* the scheduler inside a read: preemption, sleep, waking others */ \
	X(FAULT, "fault")   /* a user task outside of any syscall: faults, preemption */

enum context_id {
#define X(id, name) CTX_##id,
	CPUTOLL_CONTEXTS(X)
#undef X
		CTX_COUNT,
};

/* How a syscall's arguments name what it reads; the loader fills the table of them by number. */
enum syscall_class {
	CLASS_NONE,    /* names no CPU clock */
	CLASS_CLOCKID, /* the first argument is a clockid_t */
	CLASS_RUSAGE,  /* …      RUSAGE_SELF, _THREAD or _CHILDREN */
	CLASS_ITIMER,  /* …      ITIMER_PROF, _VIRTUAL or _REAL */
	CLASS_TIMER,   /* …      a timer's number; a RESOLVE function tells its clock */
	CLASS_SELF,    /* always the caller's process */
	CLASS_WAIT,    /* a child's, when there is one to collect */
	CLASS_IGNORED, /* not one of those asked for: no read in it counts */
};

/*
 * The call tree: a root node for each (caller, clock) seen, a node below it for each function
 * called by the one above. Nodes are made when first met; 0 is none yet, NODE_IGNORED a call that
 * is no part of what the node above it does.
 */
#define NODES	     2048 /* with functions that every syscall calls */
#define NODES_READS  512  /* with those of reads only: tallies are 2.5 kB a node and shard */
#define FN_MAX	     128  /* functions a node can have below it, a power of two */
#define NODE_ROOT    0xffff

#define NODE_IGNORED 1
#define NODE_FIRST   2

struct call_node {
	__u16 parent;	/* node; 0 for a root */
	__u16 function; /* FN_ID_*, NODE_ROOT for a root */
	__u16 caller;	/* of a root */
	__u16 clock;	/* of a root */
	__u64 errors;	/* calls that returned an error; syscalls only */
};

/* What is summed for one node; the number of calls is that of the latencies in the buckets. */
struct tally {
	__u64 raw_ns;
	__u64 bucket[HIST_BUCKETS];
};

/*
 * Tallies are kept once per shard, so that CPUs do not fight over a cache line; a task adds to
 * the shard of its slot. Sums are atomic, so a shared shard is slower, never wrong.
 */
#define SHARDS_MAX 16

#define COMM_BYTES 16 /* TASK_COMM_LEN, include/linux/sched.h */

/*
 * A pattern of such names as a machine of up to 31 places, a bit each, of which a name's letters
 * lead from the first to others (the shift-and algorithm): from a place to the next by the letters
 * that it takes, past a star for nothing. accept 0: there is no pattern.
 */
#define GLOB_PLACES 31

struct glob {
	__u32 chars[256]; /* by letter: the places that take it */
	__u32 stars;	  /* the places that take any number of any */
	__u32 accept;	  /* where a name that matches ends */
};

/* A traced function that has been entered and not left. */
struct frame {
	__u64 start_ns;
	__u64 height; /* where on its stack the trampoline saved the arguments: names this very call
		       */
	union {
		struct {
			__u16 node;
			__u8 flags;   /* FRAME_* */
			__u8 asks;    /* of an outermost frame: MASK_*, or FRAME_NO_PROCESS */
			__u32 nested; /* traced calls that came and went inside */
		};
		__u64 what; /* the four above in one store */
	};
	__u64 pad; /* to a power of two, for the index */
};

#define FRAME_APART	 1 /* begins a tree of its own: an interrupt's first, or the scheduler's */
#define FRAME_TENTATIVE	 2 /* a read only if something inside says so */
#define FRAME_NO_PROCESS MASK_COUNT
#define MAX_DEPTH	 16

/*
 * A task's state: its open frames, and its share of its process's totals. It belongs to the task
 * and not to a CPU, so preemption, sleeping and migration lose nothing.
 */
struct slot {
	__u64 task;   /* the owner, 0: free */
	__u64 offset; /* from the slot to the lowest address of its kernel stack: see distance() */
	__u64 read_key;	 /* the latest read's syscall, argument and function … */
	__u64 read_what; /* … and what frame.what was for it */
	__u32 depth; /* open frames; SLOT_MUTED: a task that is not to be traced; SLOT_FILLING */
	__u32 tally; /* index of its shard's first tally */
	__u64 calls[MASK_COUNT];
	__u64 total_ns; /* corrected */
	struct frame frames[MAX_DEPTH];
	/* What the fast path of a read does not need. */
	__u32 any_key;	/* the latest syscall that called an ANY function, ANY_KEY + number … */
	__u32 any_root; /* … and its root in the call tree */
	__u32 spilled;	/* this one is in `spilled` */
	__u64 stack;	/* lowest address of its kernel stack */
	__u64 born_ns;	/* the process's start time: with tgid, the process's name */
	__u32 tgid;	/* in the recorder's pid namespace; the kernel's where it has none there */
	__u32 own_tid;	/* its ids in its own pid namespace, as clock ids name them */
	__u32 own_tgid;
	__u32 context; /* CALLER_CONTEXTS + CTX_* of a kernel thread, 0: a user's task */
	char comm[COMM_BYTES];
};

#define SLOT_MUTED   0xffffffff
#define SLOT_FILLING 0xfffffffe /* its owner is just claiming it: no call is followed yet */
#define ANY_KEY	     0x10000	/* so that no number's key is 0, that of none */

/*
 * Slots are found by the task's address, in one of SLOT_WAYS neighbours; a task that finds all of
 * them taken lives in a hash map, slower. Room for 4096 threads that read CPU time, 2.8 MB.
 */
#define SLOT_BITS 12
#define SLOTS	  (1 << SLOT_BITS)
#define SLOT_WAYS 4
#define SPILLED	  1024

/* Totals of processes whose threads have exited, or of tasks that had no slot. */
#define PROCESSES 16384

struct process_key {
	__u64 born_ns;
	__u32 tgid;
	__u32 pad;
};

struct process_totals {
	__u64 calls[MASK_COUNT];
	__u64 total_ns;
	char comm[COMM_BYTES];
};

/* Why something was lost, each counted. */
struct losses {
	__u64 migrated;	 /* frames whose end was not seen where their start was left */
	__u64 overflow;	 /* calls with no room: nesting, nodes, spilled tasks */
	__u64 processes; /* calls counted under their path but not for their process */
};

#endif /* CPUTOLL_LAYOUT_H */
