// SPDX-License-Identifier: GPL-2.0-only
/*
 * nanosleep: a sleep until the process has used so much CPU time, while another thread uses it.
 * Called through the table in oracles.c.
 *
 * Kernel commit 6e998916dfe3: the timer's sums and the threads' must agree when the sleeper wakes.
 * The other thread is off its CPU when the sleep begins. Else a right kernel may count one of
 * its updates twice: once in the threads' sum that the timer starts from, and again in the timer,
 * when it starts between the two. The sleep then ends early by that update.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include "clock.h"
#include "oracle.h"
#include "text.h"

#define LEAST_SLEEPS 10
#define SLEEP_TICKS  2 /* of CPU time, and a part of a tick that changes */
/* Until the other thread runs: long enough to be asleep by then, also where the host is busy. */
#define RELEASE_NS (5 * MS_NS)
/*
 * How much more CPU time the other thread uses until it looks whether the sleeper still sleeps. One
 * that is awake may have to wait for its CPU, for as long as a host has no time for that: only one
 * that sleeps has missed its end.
 */
#define LATE_TICKS 25
#define WAKE_UP	   SIGUSR1

struct burner {
	struct check check;
	pthread_t sleeper;
	int sleeper_tid;
	int timer; /* a timerfd, that lets it go */
	atomic_bool stop, awake;
	_Atomic __u64 until_ns;	    /* the process's CPU time that the sleeper waits for */
	_Atomic __u64 overslept_ns; /* what it was when the sleeper had to be woken, else 0 */
	_Atomic __u64 late_ns;	    /* how much later than until_ns that may be */
};

static void on_wake_up(int signal)
{
	(void)signal;
}

static bool is_asleep(int tid)
{
	char path[64], line[512], *at = NULL;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return true;
	if (fgets(line, sizeof(line), file))
		at = strrchr(line, ')'); /* the end of comm; the state follows */
	fclose(file);
	return at && at[1] == ' ' && at[2] == 'S';
}

/* Uses CPU time until the sleeper is awake; one that misses its end is woken. */
static void burn(struct burner *burner)
{
	__u64 last_ns = check_wall(&burner->check), tick_ns = burner->check.source->tick_ns;
	__u64 late_ns = LATE_TICKS * tick_ns;

	for (__u64 i = 0; !atomic_load(&burner->awake) && !burner->check.finding.err; i++) {
		__u64 now_ns = check_wall(&burner->check), clock_ns;

		/* kept from running: the tick that ends the sleep comes later by that */
		if (now_ns - last_ns > tick_ns / 4)
			late_ns += now_ns - last_ns + tick_ns;
		last_ns = now_ns;
		if (i % 64 || atomic_load(&burner->overslept_ns))
			continue;
		clock_ns = check_read(&burner->check, CLOCK_PROCESS_CPUTIME_ID);
		if (clock_ns > atomic_load(&burner->until_ns) + late_ns &&
		    is_asleep(burner->sleeper_tid)) {
			atomic_store(&burner->late_ns, late_ns);
			atomic_store(&burner->overslept_ns, clock_ns);
			pthread_kill(burner->sleeper, WAKE_UP);
		}
	}
	if (burner->check.finding.err) /* nobody uses CPU time any more */
		pthread_kill(burner->sleeper, WAKE_UP);
}

static void *burner_main(void *arg)
{
	struct burner *burner = arg;
	__u64 times;

	for (;;) {
		/* blocks until the timer is set and has expired */
		if (read(burner->timer, &times, sizeof(times)) != sizeof(times) && errno != EINTR)
			check_fail(&burner->check, -errno, "waiting for a timer");
		if (atomic_load(&burner->stop) || burner->check.finding.err)
			return NULL;
		burn(burner);
	}
}

static void release(struct check *check, struct burner *burner, __u64 in_ns)
{
	struct itimerspec at = { .it_value.tv_nsec = (long)in_ns };

	if (timerfd_settime(burner->timer, 0, &at, NULL))
		check_fail(check, -errno, "setting a timer");
}

static void compare(struct check *check, const struct burner *burner, __u64 until_ns,
		    __u64 clock_ns)
{
	__u64 overslept_ns = atomic_load(&burner->overslept_ns);
	char off[TEXT_NUMBER_BYTES];

	if (check_at_most(check, (__s64)until_ns, (__s64)clock_ns))
		check_say(check,
			  "after a sleep until %.6f s of CPU time the process's clock read %.6f s, "
			  "%s before it",
			  (double)until_ns / 1e9, (double)clock_ns / 1e9,
			  text_duration(off, (double)(until_ns - clock_ns)));
	if (overslept_ns && check_at_most(check, (__s64)overslept_ns,
					  (__s64)(until_ns + atomic_load(&burner->late_ns))))
		check_say(check,
			  "a sleep until %.6f s of CPU time had not ended when the process's clock "
			  "read %.6f s, %s later",
			  (double)until_ns / 1e9, (double)overslept_ns / 1e9,
			  text_duration(off, (double)(overslept_ns - until_ns)));
}

static void one_sleep(struct check *check, struct burner *burner, int round)
{
	__u64 tick_ns = check->source->tick_ns, until_ns, clock_ns;
	int err;

	/* it has seen that we are awake, and waits for the timer again */
	check_pause(TICK_SETTLE_NS);
	until_ns = check_read(check, CLOCK_PROCESS_CPUTIME_ID) + SLEEP_TICKS * tick_ns +
		   (__u64)round % 7 * tick_ns / 7;
	if (check->finding.err)
		return;
	atomic_store(&burner->until_ns, until_ns);
	atomic_store(&burner->overslept_ns, 0);
	atomic_store(&burner->awake, false);
	release(check, burner, RELEASE_NS);
	err = check->source->sleep(CLOCK_PROCESS_CPUTIME_ID, until_ns);
	clock_ns = check_read(check, CLOCK_PROCESS_CPUTIME_ID);
	atomic_store(&burner->awake, true);
	if (err && !(err == -EINTR && atomic_load(&burner->overslept_ns)))
		check_fail(check, err, "clock_nanosleep of CLOCK_PROCESS_CPUTIME_ID");
	compare(check, burner, until_ns, clock_ns);
}

void oracle_nanosleep(struct check *check)
{
	struct sigaction wake_up = { .sa_handler = on_wake_up };
	struct burner burner = { .check = check_part(check),
				 .sleeper = pthread_self(),
				 .sleeper_tid = (int)syscall(SYS_gettid) };
	__u64 start_ns = check_wall(check);
	pthread_t thread;
	int err;

	burner.timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (burner.timer < 0) {
		check_fail(check, -errno, "creating a timer");
		return;
	}
	sigaction(WAKE_UP, &wake_up, NULL); /* no SA_RESTART: it ends the sleep */
	atomic_store(&burner.awake, true);
	err = -pthread_create(&thread, NULL, burner_main, &burner);
	if (err) {
		check_fail(check, err, "starting a thread");
		close(burner.timer);
		return;
	}
	for (int i = 0; !check->finding.err &&
			(i < LEAST_SLEEPS || check_goes_on(check, start_ns, check->budget_ns));
	     i++)
		one_sleep(check, &burner, i);
	atomic_store(&burner.stop, true);
	atomic_store(&burner.awake, true);
	release(check, &burner, 1);
	pthread_join(thread, NULL);
	check_add(check, &burner.check);
	close(burner.timer);
}
