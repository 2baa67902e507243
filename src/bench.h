/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bench workloads as data: a kind is one way to read CPU time, a workload a choice of
 * kinds. cmd_bench.c has the workloads, bench_kinds.c the kinds, bench_run.c runs them.
 */
#ifndef CPUTOLL_BENCH_H
#define CPUTOLL_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include "clocks.h"

/* The traced functions whose calls a workload can tell beforehand. */
enum bench_function { BENCH_ADJUSTED, BENCH_GROUP, BENCH_RUNTIME, BENCH_RQ_CLOCK, BENCH_FUNCTIONS };

/* Their names in the kernel, by enum bench_function. */
extern const char *const bench_functions[BENCH_FUNCTIONS];

/* Which of these functions one read calls, and how often: see the table in bench_kinds.c. */
enum bench_reach {
	REACH_NOTHING,
	REACH_RUNNING_THREAD,
	REACH_IDLE_THREAD,
	REACH_OWN_GROUP,
	REACH_OTHER_GROUP,
	REACH_OWN_GROUP_ONCE,
	REACH_OTHER_GROUP_ONCE,
	REACH_OWN_ADJUSTED,
	REACH_CHILD_ADJUSTED,
	REACH_CHILD_ADJUSTED_TWICE,
	REACH_COUNT,
};

/* How a clock's number is written, bench_kind.arg of clocks and timers. */
enum bench_how { BY_CONSTANT, BY_ZERO, BY_ID, BY_COUNT };

/* The timed workload a kind is part of, bits of bench_kind.in; `masks` has every kind. */
enum bench_in {
	IN_CLOCK_THREAD = 1 << 0,
	IN_CLOCK_PROCESS = 1 << 1,
	IN_TIMES = 1 << 2,
	IN_GETRUSAGE = 1 << 3,
	IN_PROC_STAT = 1 << 4,
};

#define NO_TIMER -1

/* What reads need while a workload runs. */
struct bench_context {
	int tid, pid;  /* the reader's own */
	int other_tid; /* of an idle thread of this process */
	int other_pid; /* of an idle child process */
	/* the kernel's number of the timer on a clock, or NO_TIMER */
	int timers[CLK_COUNT][BY_COUNT];
	const char *what; /* what failed, when it was no read: for the error line */
};

/* One way to read CPU time. */
struct bench_kind {
	const char *syscall;
	enum clock_id clock;
	const char *how; /* tells apart kinds of the same syscall and clock, else "" */
	enum bench_reach reach;
	/*
	 * make() - make @reads reads, or one less when there is an undo().
	 * undo() - make the last read, which disarms what make() armed. Kinds are undone in
	 * reverse order when all have been made; NULL for most.
	 * Both return 0 when every read succeeded, else a negative errno.
	 */
	int (*make)(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads);
	int (*undo)(struct bench_context *ctx, const struct bench_kind *kind);
	int arg;	/* make()'s: enum bench_how, RUSAGE_*, ITIMER_*, or true for with rusage */
	unsigned reads; /* in `masks`, per --count: a prime, different for every kind */
	unsigned in;	/* enum bench_in */
};

extern const struct bench_kind bench_kinds[];
extern const size_t bench_nr_kinds;

#define BENCH_MAX_KINDS 64

/* One workload's choice of kinds. */
struct bench_workload {
	const char *name;
	const char *help;
	unsigned in;   /* the kinds: enum bench_in, 0 for every kind */
	int count;     /* reads of each kind; a multiplier of bench_kind.reads when in is 0 */
	int threads;   /* idle threads beside the reader */
	bool helpers;  /* needs other_tid and other_pid */
	bool is_timed; /* time per read says something: nothing but reads is in the loops */
};

struct bench_result {
	const struct bench_kind *kind;
	__u64 reads;
	__u64 calls[BENCH_FUNCTIONS]; /* expected of all these reads, exactly */
	__u64 duration_ns;	      /* wall time of the loop, without undo() */
};

/* One run of a workload: what is wanted, then what came of it. */
struct bench_run {
	const struct bench_workload *workload;
	int count;
	int threads;
	struct bench_result results[BENCH_MAX_KINDS];
	size_t nr;
	__u64 reads;	   /* of all results */
	__u64 duration_ns; /* of all results */
	char error[160];   /* on error: what failed */
};

/*
 * bench_run() - run @run->workload with @run->count and @run->threads. No thread or process is
 * left behind, whatever happens.
 * Returns 0, or a negative errno with @run->error set; then the counts say nothing.
 */
int bench_run(struct bench_run *run);

/*
 * bench_clock_id() - a dynamic CPU clock id, as in include/linux/posix-timers.h.
 * @pid:    the process or thread, 0 for the caller's own
 * @thread: a thread's clock, else a process's
 * @type:   CPUCLOCK_TYPE_*
 */
int bench_clock_id(int pid, bool thread, int type);

/*
 * bench_expect() - fill @calls with how often each function is called by @reads reads of @kind.
 * @limited: RLIMIT_CPU is set, so that the process's CPU timer always runs
 */
void bench_expect(const struct bench_kind *kind, __u64 reads, bool limited,
		  __u64 calls[BENCH_FUNCTIONS]);

#endif /* CPUTOLL_BENCH_H */
