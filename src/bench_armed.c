// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CPU timers that may be armed while a workload is timed, and how each of them gets a process
 * of its own. Started by bench_run().
 */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>
#include "bench_armed.h"
#include "bench_child.h"
#include "bench_helpers.h"
#include "bench_reads.h"
#include "mask.h"

/* Of make(): one read arms, and there is always one less than asked for. */
#define ARM_ONCE 2

/* The soft limit only, which is all that has a timer running. */
static int make_cpu_limit(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	struct rlimit limit;

	(void)ctx;
	(void)kind;
	(void)reads;
	if (getrlimit(RLIMIT_CPU, &limit))
		return -errno;
	limit.rlim_cur = FAR_SECONDS;
	return setrlimit(RLIMIT_CPU, &limit) ? -errno : 0;
}

/* clang-format off */
#define ARMED(name, row, text, fn, value, timed)                                                  \
	{                                                                                         \
		.syscall = name, .clock = CLK_##row, .how = text, .reach = REACH_NOTHING,         \
		.make = fn, .arg = value, .in = timed                                             \
	}
#define EXIT(row, text, fn)	   ARMED("thread exit", row, text, fn, BY_ZERO, IN_EXIT)
#define TICK(row, text, fn, value) ARMED("tick", row, text, fn, value, IN_TICK)
/* clang-format on */

const struct bench_kind bench_armed[] = {
	EXIT(NONE, "no timer", NULL),
	EXIT(PROCESS_PROF, "timer", make_timer_set),
	EXIT(PROCESS_VIRT, "timer", make_timer_set),
	EXIT(PROCESS_SCHED, "timer", make_timer_set),

	TICK(NONE, "no timer", NULL, 0),
	TICK(PROCESS_PROF, "timer", make_timer_set, BY_ZERO),
	TICK(PROCESS_VIRT, "timer", make_timer_set, BY_ZERO),
	TICK(PROCESS_SCHED, "timer", make_timer_set, BY_ZERO),
	TICK(PROCESS_PROF, "setitimer", make_itimer_set, ITIMER_PROF),
	TICK(PROCESS_VIRT, "setitimer", make_itimer_set, ITIMER_VIRTUAL),
	TICK(PROCESS_PROF, "RLIMIT_CPU", make_cpu_limit, 0),
	TICK(THREAD_PROF, "timer", make_timer_set, BY_ZERO),
	TICK(THREAD_VIRT, "timer", make_timer_set, BY_ZERO),
	TICK(THREAD_SCHED, "timer", make_timer_set, BY_ZERO),
};

const size_t bench_nr_armed = sizeof(bench_armed) / sizeof(bench_armed[0]);

struct armed_work {
	const struct bench_run *run;
	const struct bench_kind *kind;
};

/* In the child, whose end takes away the threads, the timer and the limit. */
static void measure(const void *arg, struct bench_answer *answer)
{
	const struct armed_work *work = arg;
	const struct bench_kind *kind = work->kind;
	struct bench_context ctx = { .pid = getpid(), .tid = (int)syscall(SYS_gettid) };
	struct bench_helpers *helpers;

	answer->err = bench_helpers__start(&helpers, work->run->threads, false, &ctx.what);
	if (!answer->err && kind->make) {
		ctx.what = "arming the timer";
		answer->err = kind->make(&ctx, kind, ARM_ONCE);
	}
	if (!answer->err)
		answer->err =
			work->run->workload->measure(work->run->count, &answer->sample, &ctx.what);
	if (answer->err)
		snprintf(answer->what, sizeof(answer->what), "%s", ctx.what);
}

int bench_run_armed(struct bench_run *run)
{
	if (run->is_limited) {
		snprintf(run->error, sizeof(run->error),
			 "RLIMIT_CPU is set (ulimit -t), so that no row is without a CPU timer");
		return -EBUSY;
	}
	for (size_t i = 0; i < bench_nr_armed; i++) {
		const struct armed_work work = { .run = run, .kind = &bench_armed[i] };
		struct bench_answer answer;
		int err;

		if (!(bench_armed[i].in & run->workload->in))
			continue;
		err = bench_child(measure, &work, &answer);
		snprintf(run->error, sizeof(run->error), "%s, %s %s: %s", bench_armed[i].syscall,
			 clock_name(bench_armed[i].clock), bench_armed[i].how, answer.what);
		if (!err)
			err = bench_add(run, &bench_armed[i], run->threads, &answer.sample);
		if (err)
			return err;
	}
	return 0;
}
