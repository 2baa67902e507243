// SPDX-License-Identifier: GPL-2.0-only
/*
 * exit: threads that end at once. An exit cannot be timed from outside alone: who waits for it is
 * woken in its middle. What is timed is start, exit and join, one after the other, so that a whole
 * exit falls into each time. Called by bench_armed.c.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench_exit.h"
#include "clock.h"

#define STACK_BYTES (16 << 10)
/*
 * Threads for each that counts. The shortest quarter are alike to within 200 instructions. A third
 * of all need a new kernel stack from vmalloc (90000 instructions and not 55500), others 1000 more:
 * with a median, in between, two runs differ by 0.5 %, which is more than a CPU timer adds.
 */
#define STARTS 4
/* The first ones of a process find caches empty, and the kernel cleaning up after the last. */
#define WARMUP 100
/* By the kernel's own call: the C library's adds 10000 instructions, mostly to give the thread's
 * stack back and to touch it anew. */
#define THREAD_FLAGS                                                                        \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | \
	 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

/* It has no thread-local storage of its own: nothing in here may use any. */
static int end(void *arg)
{
	(void)arg;
	return 0;
}

/* Returns 0 or a negative errno. */
static int start_and_join(char *stack_top)
{
	atomic_int tid = 0; /* the kernel sets it, clears it and wakes who waits for that */
	int now;

	if (clone(end, stack_top, THREAD_FLAGS, NULL, &tid, NULL, &tid) < 0)
		return -errno;
	while ((now = atomic_load(&tid)))
		syscall(SYS_futex, &tid, FUTEX_WAIT, now, NULL, NULL, 0);
	return 0;
}

int bench_measure_exits(int count, struct bench_sample *sample, const char **what)
{
	static char stack[STACK_BYTES] __attribute__((aligned(16)));
	size_t nr = (size_t)count * STARTS;
	__u64 *times_ns = calloc(nr, sizeof(times_ns[0]));
	int err = 0;

	*what = "starting a thread";
	if (!times_ns)
		return -ENOMEM;
	for (int i = 0; i < WARMUP && !err; i++)
		err = start_and_join(stack + STACK_BYTES);
	for (size_t i = 0; i < nr && !err; i++) {
		__u64 start_ns = clock_monotonic_ns();

		err = start_and_join(stack + STACK_BYTES);
		times_ns[i] = clock_monotonic_ns() - start_ns;
	}
	*sample = bench_part(times_ns, nr, 0, count);
	free(times_ns);
	return err;
}
