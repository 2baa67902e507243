// SPDX-License-Identifier: GPL-2.0-only
/*
 * group-sum: a process's clock against its threads' clocks. Called through the table in oracles.c.
 *
 * Kernel commit d670ec13178d0: the process's clock is read first and last, the threads' in between.
 * The process's first reading then holds no more of a thread than that thread's first one, and
 * its last no less than the thread's last: it has advanced by at least their sum.
 */
#include <stdio.h>
#include "bench.h"
#include "company.h"
#include "oracle.h"
#include "text.h"

#define MOST_THREADS 4
#define LEAST_ROUNDS 100
#define PAUSE_NS     MS_NS
#define FAR_NS	     100000000000000000ULL /* CPU time that no run lasts */
#define OWN_SPIN_NS  (50 * US_NS)

static const char *const type_names[] = { "PROF", "VIRT", "SCHED" };

static void compare(struct check *check, int type, const char *whose, __u64 threads_ns,
		    __u64 process_ns)
{
	char threads[TEXT_NUMBER_BYTES], process[TEXT_NUMBER_BYTES];

	if (check_at_most(check, (__s64)threads_ns, (__s64)process_ns))
		check_say(check, "the process's %s clock advanced by %s, %s by %s",
			  type_names[type], text_duration(process, (double)process_ns), whose,
			  text_duration(threads, (double)threads_ns));
}

/* Threads that compare their own clock with the process's. */
static void work_compare(struct companion *self)
{
	struct check *check = &self->check;
	__u64 process_ns, thread_ns;

	process_ns = check_read(check, CLOCK_PROCESS_CPUTIME_ID);
	thread_ns = check_read(check, CLOCK_THREAD_CPUTIME_ID);
	check_spin(check, check_wall(check) + OWN_SPIN_NS);
	thread_ns = check_read(check, CLOCK_THREAD_CPUTIME_ID) - thread_ns;
	process_ns = check_read(check, CLOCK_PROCESS_CPUTIME_ID) - process_ns;
	compare(check, CPUCLOCK_TYPE_SCHED, "the reading thread's own", thread_ns, process_ns);
}

/* One comparison by a thread that mostly sleeps, of the clocks of those that run. */
static void one_round(struct check *check, const struct company *company, int type, __u64 pause_ns)
{
	int process = bench_clock_id(0, false, type), nr = company__nr(company);
	__u64 process_ns, first_ns[MOST_THREADS], all_ns = 0, most_ns = 0;

	process_ns = check_read(check, process);
	for (int i = 0; i < nr; i++)
		first_ns[i] =
			check_read(check, bench_clock_id(company__tid(company, i), true, type));
	if (pause_ns)
		check_pause(pause_ns);
	for (int i = 0; i < nr; i++) {
		__u64 ns = check_read(check, bench_clock_id(company__tid(company, i), true, type)) -
			   first_ns[i];

		all_ns += ns;
		if (ns > most_ns)
			most_ns = ns;
	}
	process_ns = check_read(check, process) - process_ns;
	compare(check, type, nr == 1 ? "its running thread's" : "one of its running threads'",
		most_ns, process_ns);
	if (nr > 1)
		compare(check, type, "its running threads' together", all_ns, process_ns);
}

static void rounds(struct check *check, const struct company *company, bool sched_only,
		   __u64 budget_ns)
{
	__u64 start_ns = check_wall(check);

	for (int i = 0;
	     !check->finding.err && (i < LEAST_ROUNDS || check_goes_on(check, start_ns, budget_ns));
	     i++) {
		int type = i % 6; /* SCHED most often: it alone moves between ticks */

		if (sched_only || !check->source->is_tick || type > CPUCLOCK_TYPE_SCHED)
			type = CPUCLOCK_TYPE_SCHED;
		/* without a pause now and then the running threads would be read, and charged,
		 * alone */
		one_round(check, company, type, check->nr_cpus == 1 || i % 4 ? PAUSE_NS : 0);
	}
}

static void by_company(struct check *check, void (*work)(struct companion *self), __u64 budget_ns)
{
	int nr = check->nr_cpus < MOST_THREADS ? check->nr_cpus : MOST_THREADS;
	struct company *company = company__start(check, nr, work, NULL);

	if (!company)
		return;
	rounds(check, company, false, budget_ns / 2);
	/*
	 * The same while a timer has the process's sums kept beside the threads'. SCHED only: the
	 * kernel adds a tick to the thread first and then to the process, without a lock, and a
	 * reader may come in between.
	 */
	company__park(company);
	if (check_arm(check, ARM_PROCESS_SCHED, FAR_NS)) {
		company__resume(company);
		rounds(check, company, true, budget_ns / 2);
		company__park(company);
		check_arm(check, ARM_PROCESS_SCHED, 0);
		/* the timer's sums are kept until a tick finds that nobody needs them */
		check_spin(check, check_wall(check) + 3 * check->source->tick_ns);
	}
	company__stop(company, check);
}

void oracle_group_sum(struct check *check)
{
	by_company(check, work_spin, check->budget_ns / 2);
	by_company(check, work_compare, check->budget_ns / 2);
	if (!check->source->is_tick)
		check_leave_out(check, "PROF and VIRT: estimates between ticks here");
}
