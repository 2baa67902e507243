// SPDX-License-Identifier: GPL-2.0-only
/*
 * Idle threads and an idle child process for the bench workloads, started and stopped by
 * bench_run.c. Nothing in here reads CPU time: every read a workload makes is counted.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench_child.h"
#include "bench_helpers.h"

#define STACK_BYTES (64 << 10)
#define POLL_MS	    1
#define POLLS	    10000
/* A thread shows as sleeping shortly before it has left the CPU. */
#define IDLE_SETTLE_MS 10

struct idle_thread {
	struct bench_helpers *helpers;
	pthread_t thread;
	atomic_int tid; /* 0 until it runs */
};

struct bench_helpers {
	int gate[2]; /* the threads read it, and leave when its write end is closed */
	int pid;     /* of the child, 0 for none */
	int nr;	     /* threads started */
	struct idle_thread threads[];
};

int bench_thread_attr(pthread_attr_t *attr)
{
	int err = -pthread_attr_init(attr);

	return err ? err : -pthread_attr_setstacksize(attr, STACK_BYTES);
}

/* By poll(2): glibc's nanosleep() is a clock_nanosleep, which is one of the counted syscalls. */
static void sleep_ms(int ms)
{
	poll(NULL, 0, ms);
}

void bench_settle(void)
{
	sleep_ms(IDLE_SETTLE_MS);
}

static void *idle_main(void *arg)
{
	struct idle_thread *self = arg;
	char byte;

	atomic_store(&self->tid, (int)syscall(SYS_gettid));
	while (read(self->helpers->gate[0], &byte, 1) < 0 && errno == EINTR)
		;
	return NULL;
}

/* The letter after "State:" in a thread's status file, which holds no CPU time; 0 for none. */
static char thread_state(int tid)
{
	char path[64], line[128], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (!state && fgets(line, sizeof(line), file))
		if (sscanf(line, "State: %c", &state) != 1)
			state = 0;
	fclose(file);
	return state;
}

/* A thread that still runs would have its run-queue clock updated by a read of its clock. */
static int wait_asleep(struct idle_thread *thread, const char **what)
{
	for (int i = 0; i < POLLS; i++) {
		int tid = atomic_load(&thread->tid);

		if (tid && thread_state(tid) == 'S')
			return 0;
		sleep_ms(POLL_MS);
	}
	*what = "waiting for an idle thread (is /proc mounted?)";
	return -ETIMEDOUT;
}

static int start_threads(struct bench_helpers *helpers, int threads, const char **what)
{
	pthread_attr_t attr;
	int err;

	*what = "starting the idle threads";
	err = bench_thread_attr(&attr);
	if (err)
		return err;
	while (!err && helpers->nr < threads) {
		struct idle_thread *thread = &helpers->threads[helpers->nr];

		thread->helpers = helpers;
		err = -pthread_create(&thread->thread, &attr, idle_main, thread);
		if (!err)
			helpers->nr++;
	}
	pthread_attr_destroy(&attr);
	for (int i = 0; i < helpers->nr && !err; i++)
		err = wait_asleep(&helpers->threads[i], what);
	if (!err && helpers->nr)
		bench_settle();
	return err;
}

static int start_process(struct bench_helpers *helpers, const char **what)
{
	int pid = bench_fork();

	if (pid < 0) {
		*what = "starting the idle process";
		return -errno;
	}
	if (!pid) {
		close(helpers->gate[1]); /* or the threads would wait for this end too */
		for (;;)
			pause();
	}
	helpers->pid = pid;
	return 0;
}

/* Until the kernel has reaped it: an orphan could stay a zombie where init does not reap. */
static void stop_process(const struct bench_helpers *helpers)
{
	signal(SIGCHLD, SIG_IGN);
	kill(helpers->pid, SIGKILL);
	for (int i = 0; i < POLLS && !kill(helpers->pid, 0); i++)
		sleep_ms(POLL_MS);
}

int bench_helpers__start(struct bench_helpers **helpers, int threads, bool process,
			 const char **what)
{
	struct bench_helpers *self;
	int err = 0;

	*helpers = NULL;
	*what = "starting the idle threads";
	self = calloc(1, sizeof(*self) + threads * sizeof(self->threads[0]));
	if (!self)
		return -ENOMEM;
	if (pipe2(self->gate, O_CLOEXEC)) {
		err = -errno;
		free(self);
		return err;
	}
	signal(SIGCHLD, SIG_DFL);
	if (process) /* before there are threads, as fork(2) likes it */
		err = start_process(self, what);
	if (!err)
		err = start_threads(self, threads, what);
	if (err) {
		bench_helpers__stop(self);
		return err;
	}
	*helpers = self;
	return 0;
}

int bench_helpers__tid(const struct bench_helpers *helpers)
{
	return helpers->nr ? atomic_load(&helpers->threads[0].tid) : 0;
}

int bench_helpers__pid(const struct bench_helpers *helpers)
{
	return helpers->pid;
}

void bench_helpers__stop(struct bench_helpers *helpers)
{
	if (!helpers)
		return;
	close(helpers->gate[1]);
	for (int i = 0; i < helpers->nr; i++)
		pthread_join(helpers->threads[i].thread, NULL);
	close(helpers->gate[0]);
	if (helpers->pid)
		stop_process(helpers);
	free(helpers);
}
