// SPDX-License-Identifier: GPL-2.0-only
/*
 * storm: what a tracer may lose count of. Threads read in every way while they hop from CPU to
 * CPU, are preempted by each other, get signals whose handler reads too, fork, and exit to be
 * replaced. Each read is counted. Started by bench_run().
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench_helpers.h"
#include "bench_storm.h"
#include "clock.h"

#define SLICE	   7 /* reads between two hops, coprime to most kinds' numbers */
#define SIGNAL	   SIGUSR1
#define SIGNAL_US  200 /* between two signals */
#define SWITCH_ONE 3   /* every so many slices the thread gives way */

struct storm;

struct rider {
	struct storm *storm;
	pthread_t thread;
	bool started;
	int index;
	int lives;	  /* still to come */
	atomic_int ended; /* this life is over */
	int err;
	char error[96];
};

struct storm {
	const struct bench_run *run;
	struct bench_context ctx;
	atomic_ullong spent_ns[BENCH_MAX_RESULTS]; /* in the reads of each kind, of all threads */
	int nr_cpus;
	int nr;
	struct rider riders[];
};

/* Made by the handler, of all threads. */
static atomic_ullong handled;

/* The first row of the table is what a handler reads: the running thread's own clock. */
static void on_signal(int signal)
{
	int saved = errno;
	struct bench_context none = {};

	(void)signal;
	if (!bench_kinds[0].make(&none, &bench_kinds[0], 1))
		atomic_fetch_add(&handled, 1);
	errno = saved;
}

static void hop(const struct storm *storm, unsigned where)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(where % (unsigned)storm->nr_cpus, &set);
	sched_setaffinity(0, sizeof(set), &set); /* one that is not allowed is no hop */
}

/* A wait that a signal interrupts starts over, and would be one more syscall than was counted. */
static int make_slice(struct storm *storm, struct bench_context *ctx, const struct bench_kind *kind,
		      __u64 reads)
{
	bool waits = kind->clock == CLK_CHILD;
	__u64 start_ns = clock_monotonic_ns();
	sigset_t set;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGNAL);
	if (waits)
		pthread_sigmask(SIG_BLOCK, &set, NULL);
	err = kind->make(ctx, kind, reads);
	if (waits)
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	atomic_fetch_add(&storm->spent_ns[kind - bench_kinds], clock_monotonic_ns() - start_ns);
	return err;
}

/* All kinds in slices, each thread beginning with another one. */
static void make_all(struct rider *self)
{
	struct bench_context ctx = self->storm->ctx;
	unsigned slices = (unsigned)self->index;
	bool any = true;

	ctx.tid = (int)syscall(SYS_gettid);
	for (__u64 done = 0; any && !self->err; done += SLICE) {
		any = false;
		for (size_t i = 0; i < bench_nr_kinds && !self->err; i++) {
			const struct bench_kind *kind =
				&bench_kinds[(i + (size_t)self->index) % bench_nr_kinds];
			__u64 left = kind->reads > done ? kind->reads - done : 0;

			if (!(kind->in & IN_STORM) || !left)
				continue;
			any = true;
			hop(self->storm, slices++);
			if (slices % SWITCH_ONE == 0)
				sched_yield();
			self->err =
				make_slice(self->storm, &ctx, kind, left < SLICE ? left : SLICE);
			if (self->err)
				bench_describe(&ctx, kind, self->error, sizeof(self->error));
		}
	}
}

static void *rider_main(void *arg)
{
	struct rider *self = arg;

	make_all(self);
	atomic_store(&self->ended, 1);
	return NULL;
}

/* Returns whether there are any left. */
static bool next_lives(struct storm *storm)
{
	bool any = false;

	for (int i = 0; i < storm->nr; i++) {
		struct rider *rider = &storm->riders[i];

		if (rider->started && !atomic_load(&rider->ended)) {
			pthread_kill(rider->thread, SIGNAL);
			any = true;
			continue;
		}
		if (rider->started)
			pthread_join(rider->thread, NULL);
		rider->started = false;
		if (!rider->lives || rider->err)
			continue;
		rider->lives--;
		atomic_store(&rider->ended, 0);
		rider->err = -pthread_create(&rider->thread, NULL, rider_main, rider);
		rider->started = !rider->err;
		if (rider->err)
			snprintf(rider->error, sizeof(rider->error), "starting a thread");
		any |= rider->started;
	}
	return any;
}

static int add_up(struct bench_run *run, const struct storm *storm, __u64 signals)
{
	for (int i = 0; i < storm->nr; i++) {
		if (!storm->riders[i].err)
			continue;
		snprintf(run->error, sizeof(run->error), "%s", storm->riders[i].error);
		return storm->riders[i].err;
	}
	for (size_t i = 0; i < bench_nr_kinds; i++) {
		const struct bench_kind *kind = &bench_kinds[i];
		struct bench_sample sample = { .reads = (__u64)kind->reads * (__u64)storm->nr *
							(__u64)run->count,
					       .duration_ns = atomic_load(&storm->spent_ns[i]) };
		int err;

		if (!(kind->in & IN_STORM))
			continue;
		if (i == 0)
			sample.reads += signals;
		err = bench_add(run, kind, storm->nr, &sample);
		if (err)
			return err;
	}
	return 0;
}

static int ride(struct bench_run *run, struct storm *storm)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;

	atomic_store(&handled, 0);
	sigaction(SIGNAL, &action, &before);
	for (int i = 0; i < storm->nr; i++) {
		storm->riders[i].storm = storm;
		storm->riders[i].index = i;
		storm->riders[i].lives = run->count;
	}
	while (next_lives(storm))
		usleep(SIGNAL_US);
	sigaction(SIGNAL, &before, NULL);
	return add_up(run, storm, atomic_load(&handled));
}

int bench_run_storm(struct bench_run *run)
{
	int threads = run->threads ? run->threads : STORM_THREADS;
	struct storm *storm = calloc(1, sizeof(*storm) + threads * sizeof(storm->riders[0]));
	struct bench_helpers *helpers;
	const char *what = "memory for the threads";
	int err = storm ? bench_helpers__start(&helpers, 1, true, &what) : -ENOMEM;

	if (err) {
		snprintf(run->error, sizeof(run->error), "%s", what);
		free(storm);
		return err;
	}
	storm->run = run;
	storm->nr = threads;
	storm->nr_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	storm->ctx = (struct bench_context){ .pid = getpid(),
					     .other_tid = bench_helpers__tid(helpers),
					     .other_pid = bench_helpers__pid(helpers) };
	err = ride(run, storm);
	bench_helpers__stop(helpers);
	free(storm);
	return err;
}
