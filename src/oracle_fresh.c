// SPDX-License-Identifier: GPL-2.0-only
/*
 * fresh-thread: what a new thread's CPU clock starts from. Wall time is read before the thread is
 * created and after its clock was, so that not even a thread that ran from its first
 * nanosecond can have used more. Called through the table in oracles.c.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench.h"
#include "oracle.h"
#include "text.h"

#define LEAST_THREADS 64

/* Who reads the new thread's clock first. */
enum reader { BY_ITSELF, BY_CREATOR, READERS };

struct fresh {
	struct check check; /* the new thread's part */
	enum reader reader;
	atomic_int tid;
	sem_t is_there;
	atomic_bool was_read;
	__u64 clock_ns, clock_wall_ns; /* its own reading, and wall time right after */
	__u64 times_ns, times_wall_ns; /* getrusage(RUSAGE_THREAD) */
};

static void *fresh_main(void *arg)
{
	struct fresh *fresh = arg;
	struct cpu_times times;

	if (fresh->reader == BY_CREATOR) {
		atomic_store(&fresh->tid, (int)syscall(SYS_gettid));
		sem_post(&fresh->is_there);
		/* on a CPU while it is read, where there is more than one */
		while (!atomic_load(&fresh->was_read))
			;
	}
	fresh->clock_ns = check_read(&fresh->check, CLOCK_THREAD_CPUTIME_ID);
	fresh->clock_wall_ns = check_wall(&fresh->check);
	times = check_times(&fresh->check, TIMES_RUSAGE_THREAD);
	fresh->times_ns = times.utime_ns + times.stime_ns;
	fresh->times_wall_ns = check_wall(&fresh->check);
	return NULL;
}

static void compare(struct check *check, const char *what, int cpu, __u64 ns, __u64 wall_ns)
{
	char read[TEXT_NUMBER_BYTES], wall[TEXT_NUMBER_BYTES];

	if (check_at_most(check, (__s64)ns, (__s64)source_wall_limit(check->source, wall_ns)))
		check_say(check,
			  "%s of a new thread on CPU %d was %s, when its creation had begun %s "
			  "before",
			  what, cpu, text_duration(read, (double)ns),
			  text_duration(wall, (double)wall_ns));
}

static void one_thread(struct check *check, int cpu, enum reader reader)
{
	struct fresh fresh = { .check = check_part(check), .reader = reader };
	__u64 start_ns, outside_ns = 0, outside_wall_ns = 0;
	pthread_t thread;
	int err;

	/* the new thread inherits the CPU; its creator then goes on elsewhere if it can */
	check_pin(check, cpu);
	sem_init(&fresh.is_there, 0, 0);
	start_ns = check_wall(check);
	err = -pthread_create(&thread, NULL, fresh_main, &fresh);
	if (err) {
		check_fail(check, err, "starting a thread");
		sem_destroy(&fresh.is_there);
		return;
	}
	if (reader == BY_CREATOR) {
		check_pin(check, -1);
		while (sem_wait(&fresh.is_there) && errno == EINTR)
			;
		outside_ns = check_read(
			check, bench_clock_id(atomic_load(&fresh.tid), true, CPUCLOCK_TYPE_SCHED));
		outside_wall_ns = check_wall(check);
		atomic_store(&fresh.was_read, true);
	}
	pthread_join(thread, NULL);
	sem_destroy(&fresh.is_there);
	check_add(check, &fresh.check);
	if (reader == BY_CREATOR)
		compare(check, "the first reading, from outside,", cpu, outside_ns,
			outside_wall_ns - start_ns);
	compare(check, reader == BY_ITSELF ? "the first reading" : "the first reading of its own",
		cpu, fresh.clock_ns, fresh.clock_wall_ns - start_ns);
	compare(check, "utime + stime", cpu, fresh.times_ns, fresh.times_wall_ns - start_ns);
}

void oracle_fresh_thread(struct check *check)
{
	__u64 start_ns = check_wall(check);
	int least = check->nr_cpus * READERS * 2;

	if (least < LEAST_THREADS)
		least = LEAST_THREADS;
	for (int i = 0;
	     !check->finding.err && (i < least || check_goes_on(check, start_ns, check->budget_ns));
	     i++)
		one_thread(check, check->cpus[i / READERS % check->nr_cpus], i % READERS);
	check_pin(check, -1);
}
