// SPDX-License-Identifier: GPL-2.0-only
/*
 * pound: threads that read their process's CPU time all at once, as the benchmark of 2016 did that
 * showed what syncing every running thread costs. Started by bench_run().
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench_helpers.h"
#include "bench_pound.h"
#include "clock.h"
#include "mask.h"

/* The table of 2016. */
static const int pound_threads[] = { 2, 5, 8, 12, 21, 30, 48, 79, 110 };

enum { GATE_SHUT, GATE_READ, GATE_LEAVE };

struct pounder {
	struct pound *pound;
	pthread_t thread;
	int err;
	__u64 end_ns;
};

/*
 * The threads that pound, and the one beside them that starts and times them. They stay until the
 * last has read, so that the kernel finds as many threads in the process at the last read as at
 * the first.
 */
struct pound {
	const struct bench_kind *kind;
	struct bench_context *ctx;
	__u64 each;	  /* reads of one thread */
	int wanted;	  /* threads that will come to the gate … */
	int nr;		  /* … and those started so far */
	atomic_int gate;  /* GATE_*, a futex */
	atomic_int ready; /* threads that have come to the gate, a futex */
	atomic_int done;  /* threads that have read, a futex */
	struct pounder pounders[];
};

/* Wait while *@word is @value. */
static void futex_wait(atomic_int *word, int value)
{
	while (atomic_load(word) == value)
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void futex_set(atomic_int *word, int value)
{
	atomic_store(word, value);
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Add one to *@word, and wake who waits for it when it comes to @enough. */
static void futex_count(atomic_int *word, int enough)
{
	if (atomic_fetch_add(word, 1) + 1 == enough)
		syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void futex_wait_for(atomic_int *word, int enough)
{
	for (int now; (now = atomic_load(word)) != enough;)
		futex_wait(word, now);
}

static void *pounder_main(void *arg)
{
	struct pounder *self = arg;
	struct pound *pound = self->pound;

	futex_count(&pound->ready, pound->wanted);
	futex_wait(&pound->gate, GATE_SHUT);
	if (atomic_load(&pound->gate) == GATE_LEAVE)
		return NULL;
	self->err = pound->kind->make(pound->ctx, pound->kind, pound->each);
	self->end_ns = clock_monotonic_ns();
	futex_count(&pound->done, pound->wanted);
	futex_wait(&pound->gate, GATE_READ);
	return NULL;
}

static int start_threads(struct pound *pound)
{
	pthread_attr_t attr;
	int err = bench_thread_attr(&attr);

	if (err)
		return err;
	while (!err && pound->nr < pound->wanted) {
		struct pounder *pounder = &pound->pounders[pound->nr];

		pounder->pound = pound;
		err = -pthread_create(&pounder->thread, &attr, pounder_main, pounder);
		if (!err)
			pound->nr++;
	}
	pthread_attr_destroy(&attr);
	return err;
}

/* Let them read. Returns 0 with the time from their release to the last one's end, else the errno
 * of one that failed. */
static int time_threads(struct pound *pound, struct bench_sample *sample)
{
	__u64 start_ns, end_ns = 0;
	int err = 0;

	futex_wait_for(&pound->ready, pound->wanted);
	bench_settle();
	start_ns = clock_monotonic_ns();
	futex_set(&pound->gate, GATE_READ);
	futex_wait_for(&pound->done, pound->wanted);
	for (int i = 0; i < pound->nr; i++) {
		const struct pounder *pounder = &pound->pounders[i];

		if (pounder->end_ns > end_ns)
			end_ns = pounder->end_ns;
		if (pounder->err)
			err = pounder->err;
	}
	sample->reads = pound->each * pound->nr;
	sample->duration_ns = end_ns - start_ns;
	return err;
}

static int pound_once(struct bench_run *run, const struct bench_kind *kind, int threads)
{
	struct bench_context ctx = { .pid = getpid() };
	struct bench_sample sample = {};
	struct pound *pound;
	int err;

	snprintf(run->error, sizeof(run->error), "starting %d threads to read", threads);
	pound = calloc(1, sizeof(*pound) + threads * sizeof(pound->pounders[0]));
	if (!pound)
		return -ENOMEM;
	pound->kind = kind;
	pound->ctx = &ctx;
	pound->each = bench_pound_each(run->count, threads);
	pound->wanted = threads;
	err = start_threads(pound);
	if (!err) {
		err = time_threads(pound, &sample);
		snprintf(run->error, sizeof(run->error), "%s of %s from %d threads", kind->syscall,
			 clock_name(kind->clock), threads);
	}
	futex_set(&pound->gate, GATE_LEAVE);
	for (int i = 0; i < pound->nr; i++)
		pthread_join(pound->pounders[i].thread, NULL);
	free(pound);
	return err ? err : bench_add(run, kind, threads, &sample);
}

__u64 bench_pound_each(int count, int threads)
{
	return ((__u64)count + threads - 1) / threads;
}

int bench_run_pound(struct bench_run *run)
{
	const int *table = run->threads ? &run->threads : pound_threads;
	size_t nr = run->threads ? 1 : sizeof(pound_threads) / sizeof(pound_threads[0]);
	int err = 0;

	for (size_t k = 0; k < bench_nr_kinds; k++)
		for (size_t i = 0; i < nr && !err; i++)
			if (bench_kinds[k].in & IN_POUND)
				err = pound_once(run, &bench_kinds[k], table[i]);
	return err;
}
