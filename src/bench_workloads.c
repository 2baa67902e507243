// SPDX-License-Identifier: GPL-2.0-only
/*
 * The workloads of cputoll bench: which kinds of reads (bench_kinds.c), how many,
 * and what runs them. cmd_bench.c chooses one.
 */
#include "bench.h"

const struct bench_workload bench_workloads[] = {
	{ .name = "clock-thread",
	  .help = "clock_gettime(CLOCK_THREAD_CPUTIME_ID)",
	  .noun = "read",
	  .in = IN_CLOCK_THREAD,
	  .count = 1000000,
	  .is_timed = true,
	  .run = bench_run_reads },
	{ .name = "clock-process",
	  .help = "the process's PROF, VIRT and SCHED clocks, beside 250 idle threads",
	  .noun = "read",
	  .in = IN_CLOCK_PROCESS,
	  .count = 100000,
	  .threads = 250,
	  .is_timed = true,
	  .run = bench_run_reads },
	{ .name = "times",
	  .help = "times()",
	  .noun = "read",
	  .in = IN_TIMES,
	  .count = 1000000,
	  .is_timed = true,
	  .run = bench_run_reads },
	{ .name = "getrusage",
	  .help = "getrusage(RUSAGE_SELF)",
	  .noun = "read",
	  .in = IN_GETRUSAGE,
	  .count = 1000000,
	  .is_timed = true,
	  .run = bench_run_reads },
	{ .name = "proc-stat",
	  .help = "open, read and close /proc/self/stat",
	  .noun = "read",
	  .in = IN_PROC_STAT,
	  .count = 100000,
	  .is_timed = true,
	  .run = bench_run_reads },
	{ .name = "masks",
	  .help = "every kind of read, each a different number of times, times --count",
	  .noun = "read",
	  .count = 1,
	  .helpers = true,
	  .run = bench_run_reads },
};

const size_t bench_nr_workloads = sizeof(bench_workloads) / sizeof(bench_workloads[0]);
