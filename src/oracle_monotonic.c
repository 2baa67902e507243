// SPDX-License-Identifier: GPL-2.0-only
/*
 * monotonic: everything that tells CPU time, read by several threads that migrate, sleep, run and
 * come and go. Called through the table in oracles.c; timers come and go in oracle_armed.c.
 *
 * Of each clock there is one last value, which all readers share: a reading that begins after
 * another has ended must not be less, no matter who made them.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "bench.h"
#include "company.h"
#include "oracle.h"
#include "text.h"

#define MOST_THREADS 4
#define LEAST_ROUNDS 100
#define TYPES	     3

struct last {
	_Atomic __u64 ns;
};

struct watch {
	struct last process[TYPES], utime[TIMES_COUNT], stime[TIMES_COUNT];
	struct last threads[MOST_THREADS][TYPES];
	struct last thread_utime[MOST_THREADS], thread_stime[MOST_THREADS];
	int nr;
};

static const char *const type_names[TYPES] = { "PROF", "VIRT", "SCHED" };

static void keep(struct last *last, __u64 ns)
{
	__u64 seen_ns = atomic_load(&last->ns);

	while (ns > seen_ns && !atomic_compare_exchange_weak(&last->ns, &seen_ns, ns))
		;
}

static void compare(struct check *check, struct last *last, __u64 last_ns, __u64 ns,
		    const char *whose, const char *what)
{
	char from[TEXT_NUMBER_BYTES], by[TEXT_NUMBER_BYTES];

	if (check->finding.err)
		return;
	if (check_at_most(check, (__s64)last_ns, (__s64)ns))
		check_say(check, "%s %s went back by %s, from %s", whose, what,
			  text_duration(by, (double)(last_ns - ns)),
			  text_duration(from, (double)last_ns));
	keep(last, ns);
}

static void watch_clock(struct check *check, struct last *last, int id, const char *whose, int type)
{
	__u64 last_ns = atomic_load(&last->ns), ns = check_read(check, id);
	char what[16];

	snprintf(what, sizeof(what), "%s clock", type_names[type]);
	compare(check, last, last_ns, ns, whose, what);
}

static void watch_times(struct check *check, struct last *utime, struct last *stime,
			enum times_by by, const char *whose)
{
	__u64 utime_ns = atomic_load(&utime->ns), stime_ns = atomic_load(&stime->ns);
	struct cpu_times times = check_times(check, by);
	char what[64];

	snprintf(what, sizeof(what), "utime by %s", times_names[by]);
	compare(check, utime, utime_ns, times.utime_ns, whose, what);
	snprintf(what, sizeof(what), "stime by %s", times_names[by]);
	compare(check, stime, stime_ns, times.stime_ns, whose, what);
}

/* PROF and VIRT are sums of ticks; with vtime a reading guesses what the next flush adds. */
static bool is_watched(const struct check *check, int type)
{
	return type == CPUCLOCK_TYPE_SCHED || check->source->is_tick;
}

static void watch_process(struct check *check, struct watch *watch)
{
	for (int type = 0; type < TYPES; type++)
		if (is_watched(check, type))
			watch_clock(check, &watch->process[type], bench_clock_id(0, false, type),
				    "the process's", type);
	watch_times(check, &watch->utime[TIMES_RUSAGE], &watch->stime[TIMES_RUSAGE], TIMES_RUSAGE,
		    "the process's");
	watch_times(check, &watch->utime[TIMES_TIMES], &watch->stime[TIMES_TIMES], TIMES_TIMES,
		    "the process's");
}

static void watch_thread(struct check *check, struct watch *watch, int index, int tid,
			 const char *whose)
{
	for (int type = 0; type < TYPES; type++)
		if (is_watched(check, type))
			watch_clock(check, &watch->threads[index][type],
				    bench_clock_id(tid, true, type), whose, type);
}

/* What the threads do between two rounds of reading, each from another beginning. */
static void do_hop(struct companion *self, unsigned round)
{
	check_pin(&self->check, self->check.cpus[round % self->check.nr_cpus]);
}

static void do_sleep(struct companion *self, unsigned round)
{
	(void)self;
	check_pause((50 + round % 7 * 50) * US_NS);
}

static void do_run(struct companion *self, unsigned round)
{
	check_spin(&self->check, check_wall(&self->check) + (20 + round % 5 * 40) * US_NS);
}

static void do_calls(struct companion *self, unsigned round)
{
	(void)self;
	for (unsigned i = 0; i < 20 + round % 50; i++)
		syscall(SYS_getppid);
}

static void (*const doings[])(struct companion *self, unsigned round) = { do_hop, do_sleep, do_run,
									  do_calls };
#define NR_DOINGS (sizeof(doings) / sizeof(doings[0]))

static void work_watch(struct companion *self)
{
	struct check *check = &self->check;
	struct watch *watch = self->arg;
	static _Thread_local unsigned round;

	doings[(round / 8 + (unsigned)self->index) % NR_DOINGS](self, round);
	watch_clock(check, &watch->threads[self->index][CPUCLOCK_TYPE_SCHED],
		    CLOCK_THREAD_CPUTIME_ID, "the reading thread's", CPUCLOCK_TYPE_SCHED);
	watch_times(check, &watch->thread_utime[self->index], &watch->thread_stime[self->index],
		    TIMES_RUSAGE_THREAD, "the reading thread's");
	for (int i = 0; i < watch->nr; i++)
		if (company__tid(self->company, i))
			watch_thread(check, watch, i, company__tid(self->company, i),
				     i == self->index ? "the reading thread's"
						      : "another thread's");
	watch_process(check, watch);
	round++;
}

static void *brief_main(void *arg)
{
	struct check *check = arg;

	check_spin(check, check_wall(check) + 50 * US_NS);
	return NULL;
}

/* A thread that lives briefly: its time moves to the process's when it ends. */
static void one_brief(struct check *check)
{
	struct check part = check_part(check);
	pthread_t thread;
	int err = -pthread_create(&thread, NULL, brief_main, &part);

	if (err) {
		check_fail(check, err, "starting a thread");
		return;
	}
	pthread_join(thread, NULL);
	check_add(check, &part);
}

static void watch_all(struct check *check, __u64 budget_ns)
{
	int nr = check->nr_cpus < MOST_THREADS ? check->nr_cpus + 1 : MOST_THREADS;
	__u64 start_ns = check_wall(check);
	struct watch watch = { .nr = nr };
	struct company *company = company__start(check, nr, work_watch, &watch);

	if (!company)
		return;
	for (int i = 0;
	     !check->finding.err && (i < LEAST_ROUNDS || check_goes_on(check, start_ns, budget_ns));
	     i++) {
		one_brief(check);
		watch_process(check, &watch);
		watch_times(check, &watch.utime[TIMES_STAT], &watch.stime[TIMES_STAT], TIMES_STAT,
			    "the process's");
		for (int j = 0; j < nr; j++)
			watch_thread(check, &watch, j, company__tid(company, j),
				     "another thread's");
	}
	company__stop(company, check);
}

void oracle_monotonic(struct check *check)
{
	watch_all(check, check->budget_ns / 3 * 2);
	oracle_armed(check);
	if (check->nr_cpus == 1)
		check_leave_out(check, "migrations: there is but one CPU");
	if (!check->source->is_tick)
		check_leave_out(check, "PROF and VIRT: estimates between ticks here");
}
