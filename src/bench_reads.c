// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reading loops of the bench workloads: known numbers of one syscall each, called through
 * the kinds in bench_kinds.c. Raw system calls where libc might answer by itself or do more.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "bench_reads.h"

/* Shorter than a tick, so that each sleep ends with the next one. */
#define NANOSLEEP_NS 100000
/* More than any stat line, so that one read(2) has all of it and the file is made once. */
#define STAT_BYTES 4096

/* The id of a clock kind: whose and which type are in its clock, arg says how to write it. */
static int clock_id_of(const struct bench_context *ctx, const struct bench_kind *kind)
{
	int ids[] = { ctx->tid, ctx->pid, ctx->other_tid, ctx->other_pid };
	int whose = (kind->clock - CLK_THREAD_PROF) / 3, type = (kind->clock - CLK_THREAD_PROF) % 3;
	bool thread = whose == WHOSE_THREAD || whose == WHOSE_OTHER_THREAD;

	if (kind->arg == BY_CONSTANT)
		return thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID;
	return bench_clock_id(kind->arg == BY_ZERO ? 0 : ids[whose], thread, type);
}

int make_clock(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	int id = clock_id_of(ctx, kind);
	struct timespec now;

	for (__u64 i = 0; i < reads; i++)
		if (syscall(SYS_clock_gettime, id, &now))
			return -errno;
	return 0;
}

int make_getrusage(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	struct rusage usage;

	(void)ctx;
	for (__u64 i = 0; i < reads; i++)
		if (syscall(SYS_getrusage, kind->arg, &usage))
			return -errno;
	return 0;
}

int make_times(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	struct tms times;

	(void)ctx;
	(void)kind;
	/* times(2) returns a counter that may wrap to any value, -1 among them */
	for (__u64 i = 0; i < reads; i++) {
		errno = 0;
		if (syscall(SYS_times, &times) == -1 && errno)
			return -errno;
	}
	return 0;
}

static int read_stat(struct bench_context *ctx, const char *path)
{
	char line[STAT_BYTES];
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	ssize_t got;

	if (fd < 0) {
		ctx->what = "opening a stat file in /proc";
		return -errno;
	}
	got = read(fd, line, sizeof(line));
	if (got < 0)
		err = -errno;
	else if (!got || line[got - 1] != '\n')
		err = -EIO; /* a second read(2) would be another call of the kernel's stat */
	close(fd);
	return err;
}

int make_stat(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	char path[64] = "/proc/self/stat";
	int err = 0;

	if (kind->clock == CLK_PROC_THREAD)
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", ctx->other_tid);
	for (__u64 i = 0; i < reads && !err; i++)
		err = read_stat(ctx, path);
	return err;
}

/* A child that ends at once: its pid, or a negative errno. */
static int start_child(struct bench_context *ctx)
{
	int pid = fork();

	if (!pid)
		_exit(0);
	if (pid < 0) {
		ctx->what = "starting a child to wait for";
		return -errno;
	}
	return pid;
}

int make_wait4(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	struct rusage usage;

	for (__u64 i = 0; i < reads; i++) {
		int pid = start_child(ctx), status;

		if (pid < 0)
			return pid;
		if (syscall(SYS_wait4, pid, &status, 0, kind->arg ? &usage : NULL) != pid)
			return -errno;
	}
	return 0;
}

int make_waitid(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	struct rusage usage;
	siginfo_t info;

	for (__u64 i = 0; i < reads; i++) {
		int pid = start_child(ctx);

		if (pid < 0)
			return pid;
		if (syscall(SYS_waitid, P_PID, pid, &info, WEXITED, kind->arg ? &usage : NULL))
			return -errno;
	}
	return 0;
}

static void *burn(void *stop)
{
	while (!atomic_load_explicit((atomic_bool *)stop, memory_order_relaxed))
		;
	return NULL;
}

/* Sleeps on the process's CPU clock, which another thread makes run. */
int make_nanosleep(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	struct timespec duration = { .tv_nsec = NANOSLEEP_NS };
	atomic_bool stop = false;
	pthread_t burner;
	int err;

	err = -pthread_create(&burner, NULL, burn, &stop);
	if (err) {
		ctx->what = "starting the thread that uses CPU time";
		return err;
	}
	for (__u64 i = 0; i < reads && !err; i++)
		if (syscall(SYS_clock_nanosleep, clock_id_of(ctx, kind), 0, &duration, NULL))
			err = -errno;
	atomic_store(&stop, true);
	pthread_join(burner, NULL);
	return err;
}

static int create_timer(struct bench_context *ctx, const struct bench_kind *kind)
{
	/* a signal, as SIGEV_NONE timers are not armed at all since 6.12 */
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	int timer;

	if (syscall(SYS_timer_create, clock_id_of(ctx, kind), &event, &timer)) {
		ctx->what = "timer_create";
		return -errno;
	}
	ctx->timers[kind->clock][kind->arg] = timer;
	return 0;
}

/* Arm the clock's timer, again and again: it is left armed. */
int make_timer_set(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	struct itimerspec far = { .it_value.tv_sec = FAR_SECONDS };
	int err = create_timer(ctx, kind);

	if (err)
		return err;
	for (__u64 i = 0; i + 1 < reads; i++)
		if (syscall(SYS_timer_settime, ctx->timers[kind->clock][kind->arg], 0, &far, NULL))
			return -errno;
	return 0;
}

int undo_timer_set(struct bench_context *ctx, const struct bench_kind *kind)
{
	struct itimerspec never = {};
	int timer = ctx->timers[kind->clock][kind->arg];

	if (syscall(SYS_timer_settime, timer, 0, &never, NULL))
		return -errno;
	if (syscall(SYS_timer_delete, timer)) {
		ctx->what = "timer_delete";
		return -errno;
	}
	ctx->timers[kind->clock][kind->arg] = NO_TIMER;
	return 0;
}

int make_timer_get(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	struct itimerspec left;

	for (__u64 i = 0; i < reads; i++)
		if (syscall(SYS_timer_gettime, ctx->timers[kind->clock][kind->arg], &left))
			return -errno;
	return 0;
}

int make_itimer_set(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	struct itimerval far = { .it_value.tv_sec = FAR_SECONDS };

	(void)ctx;
	for (__u64 i = 0; i + 1 < reads; i++)
		if (syscall(SYS_setitimer, kind->arg, &far, NULL))
			return -errno;
	return 0;
}

int undo_itimer_set(struct bench_context *ctx, const struct bench_kind *kind)
{
	struct itimerval never = {};

	(void)ctx;
	return syscall(SYS_setitimer, kind->arg, &never, NULL) ? -errno : 0;
}

int make_itimer_get(struct bench_context *ctx, const struct bench_kind *kind, __u64 reads)
{
	struct itimerval left;

	(void)ctx;
	for (__u64 i = 0; i < reads; i++)
		if (syscall(SYS_getitimer, kind->arg, &left))
			return -errno;
	return 0;
}
