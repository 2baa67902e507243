/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a read of CPU time can be of, and the fields it asks for: the vocabulary shared by
 * the BPF engine (which classifies a read), the profile, the report and the workloads.
 */
#ifndef CPUTOLL_CLOCKS_H
#define CPUTOLL_CLOCKS_H

/* The call mask: which sums of struct task_cputime a reader wants. */
#define MASK_UTIME 1
#define MASK_STIME 2
#define MASK_SCHED 4 /* sum_exec_runtime */
#define MASK_COUNT 8

#define MASK_NONE  0
#define MASK_PROF  (MASK_UTIME | MASK_STIME)
#define MASK_VIRT  MASK_UTIME
#define MASK_TICKS (MASK_UTIME | MASK_STIME)

/*
 * X(id, name, asks, scaled)
 *
 * scaled: the kernel's answer goes through cputime_adjust(), which under tick accounting
 * scales utime and stime to sum_exec_runtime and therefore needs that too (kernel/sched/cputime.c).
 * The order of the twelve clock rows is that of clock_row() below.
 */
#define CPUTOLL_CLOCKS(X)                                            \
	X(NONE, "-", MASK_NONE, 0)                                   \
	X(THREAD_PROF, "thread/prof", MASK_PROF, 0)                  \
	X(THREAD_VIRT, "thread/virt", MASK_VIRT, 0)                  \
	X(THREAD_SCHED, "thread/sched", MASK_SCHED, 0)               \
	X(PROCESS_PROF, "process/prof", MASK_PROF, 0)                \
	X(PROCESS_VIRT, "process/virt", MASK_VIRT, 0)                \
	X(PROCESS_SCHED, "process/sched", MASK_SCHED, 0)             \
	X(OTHER_THREAD_PROF, "other-thread/prof", MASK_PROF, 0)      \
	X(OTHER_THREAD_VIRT, "other-thread/virt", MASK_VIRT, 0)      \
	X(OTHER_THREAD_SCHED, "other-thread/sched", MASK_SCHED, 0)   \
	X(OTHER_PROCESS_PROF, "other-process/prof", MASK_PROF, 0)    \
	X(OTHER_PROCESS_VIRT, "other-process/virt", MASK_VIRT, 0)    \
	X(OTHER_PROCESS_SCHED, "other-process/sched", MASK_SCHED, 0) \
	X(SELF, "self", MASK_TICKS, 1)                               \
	X(RUSAGE_THREAD, "thread", MASK_TICKS, 1)                    \
	X(CHILDREN, "children", MASK_TICKS, 0)                       \
	X(CHILD, "child", MASK_TICKS, 1)                             \
	X(PROC_PROCESS, "proc/process", MASK_TICKS, 1)               \
	X(PROC_THREAD, "proc/thread", MASK_TICKS, 1)

enum clock_id {
#define X(id, name, asks, scaled) CLK_##id,
	CPUTOLL_CLOCKS(X)
#undef X
		CLK_COUNT,
};
#define CLK_MAX 32 /* room in the tables indexed by clock, a power of two */

/* The types of a dynamic clock id, in its low two bits (include/linux/posix-timers.h). */
#define CPUCLOCK_TYPE_PROF  0
#define CPUCLOCK_TYPE_VIRT  1
#define CPUCLOCK_TYPE_SCHED 2
#define CPUCLOCK_TYPE_MASK  3
#define CPUCLOCK_THREAD_BIT 4
/* Low three bits of a clock on a file descriptor, which is no CPU clock. */
#define CPUCLOCK_FD 3

/* Whose clock, in steps of the three types in the table above. */
enum clock_whose { WHOSE_THREAD, WHOSE_PROCESS, WHOSE_OTHER_THREAD, WHOSE_OTHER_PROCESS };

/* One decoded clock id. */
struct clock_ref {
	int is_cpu;    /* 0: not a CPU clock, the rest says nothing */
	int is_thread; /* one thread's clock, else a process's */
	int type;      /* CPUCLOCK_TYPE_* */
	int pid;       /* whose, in the caller's pid namespace; 0: the caller's own */
};

/*
 * clock_decode() - take a clockid_t apart.
 * @id:  as passed to clock_gettime(2): a CLOCK_* number or a dynamic id (negative)
 * @ref: filled in
 *
 * The layout is the kernel's: ~pid << 3 | thread << 2 | type, and CLOCK_PROCESS_CPUTIME_ID 2,
 * CLOCK_THREAD_CPUTIME_ID 3 for the caller's own SCHED clocks.
 */
static inline __attribute__((always_inline)) void clock_decode(int id, struct clock_ref *ref)
{
	ref->pid = 0;
	ref->type = CPUCLOCK_TYPE_SCHED;
	ref->is_thread = id == 3;
	ref->is_cpu = id == 2 || id == 3;
	if (id >= 0)
		return;
	ref->type = id & CPUCLOCK_TYPE_MASK;
	ref->is_thread = !!(id & CPUCLOCK_THREAD_BIT);
	ref->is_cpu = ref->type != CPUCLOCK_TYPE_MASK;
	ref->pid = ~(id >> 3);
}

/* clock_row() - the clock_id of @whose clock of @type (CPUCLOCK_TYPE_*). */
static inline __attribute__((always_inline)) int clock_row(int whose, int type)
{
	return CLK_THREAD_PROF + 3 * whose + type;
}

#endif /* CPUTOLL_CLOCKS_H */
