// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a workload, again and again. The common way to run one is here too: start its company,
 * make the reads of each of its kinds, disarm what was armed. Called by cmd_bench.c.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "bench.h"
#include "bench_helpers.h"
#include "clock.h"
#include "mask.h"

/* That one at least surely falls where it is wanted. */
#define TICKS_SEEN 3
/* Between two looks at the clock, which are in user mode. */
#define SYSCALLS 100

void bench_describe(const struct bench_context *ctx, const struct bench_kind *kind, char *text,
		    size_t bytes)
{
	if (ctx->what)
		snprintf(text, bytes, "%s", ctx->what);
	else
		snprintf(text, bytes, "%s of %s%s%s", kind->syscall, clock_name(kind->clock),
			 kind->how[0] ? ", " : "", kind->how);
}

static int make_reads(struct bench_run *run, struct bench_context *ctx)
{
	for (size_t i = 0; i < bench_nr_kinds; i++) {
		const struct bench_kind *kind = &bench_kinds[i];
		struct bench_sample sample;
		__u64 start_ns;
		int err;

		if (run->workload->in && !(kind->in & run->workload->in))
			continue;
		sample.reads = (__u64)run->count * (run->workload->in ? 1 : kind->reads);
		start_ns = clock_monotonic_ns();
		err = kind->make(ctx, kind, sample.reads);
		sample.duration_ns = clock_monotonic_ns() - start_ns;
		if (!err)
			err = bench_add(run, kind, run->threads, &sample);
		if (err) {
			bench_describe(ctx, kind, run->error, sizeof(run->error));
			return err;
		}
	}
	return 0;
}

/*
 * The last kind first, so that the first timer armed is the last to go: the kernel stops
 * the process's CPU timer, at a tick, once nothing is armed any more, and the next read
 * would be expensive again.
 */
static int undo_reads(struct bench_run *run, struct bench_context *ctx)
{
	for (size_t i = run->nr; i-- > 0;) {
		const struct bench_kind *kind = run->results[i].kind;
		int err = kind->undo ? kind->undo(ctx, kind) : 0;

		if (err) {
			bench_describe(ctx, kind, run->error, sizeof(run->error));
			return err;
		}
	}
	return 0;
}

int bench_run_reads(struct bench_run *run)
{
	/* an idle thread is one of the helpers that a workload may need */
	int threads = run->workload->helpers && !run->threads ? 1 : run->threads;
	struct bench_context ctx = { .pid = getpid(), .tid = (int)syscall(SYS_gettid) };
	struct bench_helpers *helpers;
	int err;

	for (int clock = 0; clock < CLK_COUNT; clock++)
		for (int how = 0; how < BY_COUNT; how++)
			ctx.timers[clock][how] = NO_TIMER;
	err = bench_helpers__start(&helpers, threads, run->workload->helpers, &ctx.what);
	if (err) {
		snprintf(run->error, sizeof(run->error), "%s", ctx.what);
		return err;
	}
	ctx.what = NULL;
	ctx.other_tid = bench_helpers__tid(helpers);
	ctx.other_pid = bench_helpers__pid(helpers);
	err = make_reads(run, &ctx);
	if (!err)
		err = undo_reads(run, &ctx);
	bench_helpers__stop(helpers);
	return err;
}

/*
 * As long as the ticks have found a process in user mode only, or in the kernel only,
 * cputime_adjust() need not scale: a read of utime and stime is 0.4 % shorter until, sooner or
 * later, one does. So some of both. No read of CPU time.
 */
static void use_time(void)
{
	__u64 start_ns = clock_monotonic_ns(), enough_ns = TICKS_SEEN * clock_tick_ns();

	while (clock_monotonic_ns() - start_ns < enough_ns)
		;
	while (clock_monotonic_ns() - start_ns < 2 * enough_ns)
		for (int i = 0; i < SYSCALLS; i++)
			syscall(SYS_getuid);
}

int bench_run(struct bench_run *run)
{
	struct rlimit limit;
	int err = 0;

	run->is_limited = !getrlimit(RLIMIT_CPU, &limit) && limit.rlim_cur != RLIM_INFINITY;
	if (run->workload->is_timed)
		use_time();
	for (int i = 0; i < run->repeat && !err; i++)
		err = run->workload->run(run);
	return err;
}
