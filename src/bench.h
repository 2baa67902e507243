/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bench workloads as data: a kind is one way to read CPU time, a workload a choice of
 * kinds and how they are run. bench_workloads.c has the workloads, bench_kinds.c the kinds,
 * bench_run.c runs them, bench_result.c keeps what came of it, bench_print.c prints that.
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
	IN_POUND = 1 << 5,
	IN_EXIT = 1 << 6,
	IN_TICK = 1 << 7,
	IN_SIZES = 1 << 8,
	IN_STORM = 1 << 9,
	IN_NULL = 1 << 10,
	IN_HYPERCALL = 1 << 11,
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

#define BENCH_MAX_RESULTS 64
#define BENCH_MAX_REPEAT  1000

/* One run of one row. */
struct bench_sample {
	__u64 reads;
	__u64 duration_ns; /* wall time; in a guest that counts instructions, those */
};

/* One row of what came of a workload: a kind, with so many threads. */
struct bench_result {
	const struct bench_kind *kind;
	int threads;		      /* idle ones beside the reader; of pound, those that read */
	__u64 calls[BENCH_FUNCTIONS]; /* expected of all these reads, exactly */
	struct bench_sample sum;      /* of the runs */
	struct bench_sample *runs;    /* nr_runs of them, owned */
	int nr_runs;
};

struct bench_run;

/* One workload's choice of kinds. */
struct bench_workload {
	const char *name;
	const char *help;
	const char *noun; /* what its rows count: "read", … */
	unsigned in;	  /* the kinds: enum bench_in, 0 for every kind */
	int count;	  /* of each row; a multiplier of bench_kind.reads when in is 0 */
	int threads;	  /* idle threads beside the reader, or what run() takes it for */
	bool helpers;	  /* needs other_tid and other_pid */
	bool is_timed;	  /* time per read says something: nothing but reads is in the loops */
	/*
	 * run() - run it once, with bench_add() for each row.
	 * Returns 0, or a negative errno with @run->error set and nothing left behind.
	 */
	int (*run)(struct bench_run *run);
	/*
	 * measure() - of the workloads of bench_armed.c: what one row times, @count times.
	 * Returns 0 with @sample, or a negative errno with *@what set.
	 */
	int (*measure)(int count, struct bench_sample *sample, const char **what);
};

extern const struct bench_workload bench_workloads[];
extern const size_t bench_nr_workloads;

/* One workload's runs: what is wanted, then what came of it. */
struct bench_run {
	const struct bench_workload *workload;
	int count;
	int threads;
	int repeat;	 /* at most BENCH_MAX_REPEAT */
	bool cannot;	 /* on error: no run of it is possible here */
	bool is_limited; /* RLIMIT_CPU is set, so that the process's CPU timer always runs */
	struct bench_result results[BENCH_MAX_RESULTS];
	size_t nr;
	struct bench_sample sum; /* of all results */
	char error[160];	 /* on error: what failed */
};

/*
 * bench_run() - run @run->workload @run->repeat times, with @run->count and @run->threads. No
 * thread or process is left behind, whatever happens.
 * Returns 0, or a negative errno with @run->error set; then the counts say nothing. Either way
 * the caller ends it with bench_free().
 */
int bench_run(struct bench_run *run);

/* bench_run_reads() - bench_workload.run of the workloads that read in a loop. */
int bench_run_reads(struct bench_run *run);

/* bench_describe() - what failed: @ctx->what, else the read of @kind itself, into @text. */
void bench_describe(const struct bench_context *ctx, const struct bench_kind *kind, char *text,
		    size_t bytes);

/* bench_add() - count one run of the row of @kind and @threads. Returns 0 or -ENOMEM. */
int bench_add(struct bench_run *run, const struct bench_kind *kind, int threads,
	      const struct bench_sample *sample);

/* bench_per_read() - ns for each read of @sample; 0 when there was none. */
double bench_per_read(const struct bench_sample *sample);

/* bench_median() - the median of the row's runs, ns per read; bench_spread() - how far apart its
 * least and its greatest run are, percent of the median. */
double bench_median(const struct bench_result *result);
double bench_spread(const struct bench_result *result);

/*
 * bench_part() - of @nr times in the order of length, @keep after the shortest @skip. What is left
 * out are those into which something else fell, such as a tick or another task. Sorts @times_ns.
 */
struct bench_sample bench_part(__u64 *times_ns, size_t nr, size_t skip, size_t keep);

/* bench_free() - free what bench_add() keeps. */
void bench_free(struct bench_run *run);

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
