// SPDX-License-Identifier: GPL-2.0-only
/*
 * The least that a latency probe can be: an entry and an exit program on task_sched_runtime, empty
 * or with one clock read each. Loaded by floor.c, for `make bench-overhead`.
 */
#include "vmlinux.h"
#ifndef __VMLINUX_H__
#include <linux/bpf.h>
#endif
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "GPL";

const volatile int read_clock;
__u64 entered_ns, left_ns;

SEC("fentry/task_sched_runtime") int enter(void *ctx __attribute__((unused)))
{
	if (read_clock)
		entered_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("fexit/task_sched_runtime") int leave(void *ctx __attribute__((unused)))
{
	if (read_clock)
		left_ns = bpf_ktime_get_ns();
	return 0;
}
