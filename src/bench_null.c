// SPDX-License-Identifier: GPL-2.0-only
/*
 * null-syscall: what every syscall pays, accounting of CPU time at its entry and exit included.
 * Started by bench_run().
 */
#include <unistd.h>
#include "bench_null.h"
#include "clock.h"

static const struct bench_kind getppid_kind = {
	.syscall = "getppid", .clock = CLK_NONE, .how = "", .reach = REACH_NOTHING, .in = IN_NULL
};

int bench_run_null(struct bench_run *run)
{
	struct bench_sample sample = { .reads = (__u64)run->count };
	__u64 start_ns = clock_monotonic_ns();

	for (__u64 i = 0; i < sample.reads; i++)
		getppid();
	sample.duration_ns = clock_monotonic_ns() - start_ns;
	return bench_add(run, &getppid_kind, 0, &sample);
}
