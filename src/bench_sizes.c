// SPDX-License-Identifier: GPL-2.0-only
/*
 * two-sizes: the clocks of two other processes, read in turn, by the same syscall and so on the
 * same path: what the percentiles of that path must be is known. Started by bench_run().
 */
#include <stdio.h>
#include <unistd.h>
#include "bench_child.h"
#include "bench_helpers.h"
#include "bench_sizes.h"
#include "clock.h"

struct sizes_work {
	const struct bench_kind *kind;
	__u64 count;
	int small_pid, large_pid;
};

/* In the child, which has neither the threads nor the clock of those that it reads. */
static void read_in_turn(const void *arg, struct bench_answer *answer)
{
	const struct sizes_work *work = arg;
	const struct bench_kind *kind = work->kind;
	struct bench_context small = { .other_pid = work->small_pid };
	struct bench_context large = { .other_pid = work->large_pid };
	__u64 start_ns = clock_monotonic_ns();

	for (__u64 i = 0; i < work->count && !answer->err; i += SIZES_SMALL + 1) {
		answer->err = kind->make(&small, kind, SIZES_SMALL);
		if (!answer->err)
			answer->err = kind->make(&large, kind, 1);
		answer->sample.reads += SIZES_SMALL + 1;
	}
	answer->sample.duration_ns = clock_monotonic_ns() - start_ns;
	if (answer->err)
		bench_describe(&large, kind, answer->what, sizeof(answer->what));
}

int bench_run_sizes(struct bench_run *run)
{
	struct sizes_work work = { .count = (__u64)run->count, .large_pid = getpid() };
	struct bench_helpers *helpers;
	struct bench_answer answer;
	const char *what;
	int err = bench_helpers__start(&helpers, run->threads, true, &what);

	if (err) {
		snprintf(run->error, sizeof(run->error), "%s", what);
		return err;
	}
	work.small_pid = bench_helpers__pid(helpers);
	for (size_t i = 0; i < bench_nr_kinds && !err; i++) {
		work.kind = &bench_kinds[i];
		if (!(work.kind->in & run->workload->in))
			continue;
		err = bench_child(read_in_turn, &work, &answer);
		snprintf(run->error, sizeof(run->error), "%s", answer.what);
		if (!err)
			err = bench_add(run, work.kind, run->threads, &answer.sample);
	}
	bench_helpers__stop(helpers);
	return err;
}
