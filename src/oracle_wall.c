// SPDX-License-Identifier: GPL-2.0-only
/*
 * wall-bound: a thread cannot use more CPU time than passes, and a thread that runs uses some.
 * Called through the table in oracles.c.
 *
 * The order of the readings makes the bound strict: wall, CPU, ..., CPU, wall. An interval begins
 * with a thread's reading of its own clock, which takes in all that it used so far. A reading of
 * another thread's clock may lack what that is being charged for, on a right kernel as well: so it
 * only ends intervals.
 */
#include <stdatomic.h>
#include <stdio.h>
#include "bench.h"
#include "company.h"
#include "oracle.h"
#include "text.h"

#define LEAST_INTERVALS 300
#define LEAST_MOVES_NS	(50 * MS_NS)
#define GAP_NS		(10 * US_NS)
#define SPIN_NS		(500 * US_NS)
#define HOP_INTERVALS	50 /* until the thread goes to the next CPU */

/* A moment in a thread's life: no more CPU time was used before it than clock_ns, and wall_ns is no
 * later. */
struct moment {
	__u64 wall_ns, clock_ns;
};

static struct moment begin(struct check *check, int clock)
{
	struct moment moment = { .wall_ns = check_wall(check) };

	moment.clock_ns = check_read(check, clock);
	return moment;
}

/* An interval from @from until now ends with a reading of @clock. Returns what was read. */
static __u64 end(struct check *check, const char *whose, int clock, const struct moment *from)
{
	__u64 clock_ns = check_read(check, clock);
	__u64 wall_ns = check_wall(check) - from->wall_ns;
	__s64 used_ns = (__s64)(clock_ns - from->clock_ns);
	char used[TEXT_NUMBER_BYTES], wall[TEXT_NUMBER_BYTES];

	if (check_at_most(check, used_ns, (__s64)source_wall_limit(check->source, wall_ns)))
		check_say(check, "%s used %s of CPU time in %s of wall time", whose,
			  text_duration(used, (double)used_ns),
			  text_duration(wall, (double)wall_ns));
	return clock_ns;
}

/* Intervals of 0 to 64 µs, and the long ones from the start until now, hopping from CPU to CPU. */
static void check_own(struct check *check, __u64 budget_ns)
{
	int clocks[] = { CLOCK_THREAD_CPUTIME_ID, CLOCK_PROCESS_CPUTIME_ID };
	const char *const names[] = { "a thread", "a process of one thread" };
	__u64 start_ns = check_wall(check);
	struct moment first[2];

	for (int i = 0; i < 2; i++)
		first[i] = begin(check, clocks[i]);
	for (int i = 0; !check->finding.err &&
			(i < LEAST_INTERVALS || check_goes_on(check, start_ns, budget_ns));
	     i++) {
		int which = i % 2;
		struct moment from;

		if (i % HOP_INTERVALS == 0)
			check_pin(check, check->cpus[i / HOP_INTERVALS % check->nr_cpus]);
		from = begin(check, clocks[which]);
		if (i % 8 > 1)
			check_spin(check, from.wall_ns + (US_NS << (i % 8 - 1)));
		end(check, names[which], clocks[which], &from);
		end(check, names[which], clocks[which], &first[which]);
	}
	check_pin(check, -1);
}

/* Spin until @until_ns; what @last_ns, the wall time until now, and the loop leave out is added up.
 */
static void spin_with_gaps(struct check *check, __u64 until_ns, __u64 *last_ns, __u64 *gaps_ns)
{
	__u64 now_ns;

	do {
		now_ns = check_wall(check);
		if (now_ns - *last_ns > GAP_NS)
			*gaps_ns += now_ns - *last_ns;
		*last_ns = now_ns;
	} while (now_ns < until_ns && !check->finding.err);
}

/*
 * Does the clock move? A thread that runs for half a millisecond is charged something, though not
 * every time: when a host takes the CPU in the middle of an interrupt, the thread is charged for
 * that, and then for nothing until it's made up for. The thread itself sees a gap in wall time
 * then: on a right kernel it stands still for no longer than the gaps last. A clock that moves at
 * ticks only stands still in seven of eight times, with a tick of 4 ms.
 */
static void check_moves(struct check *check, __u64 budget_ns)
{
	__u64 start_ns = check_wall(check), last_ns = start_ns, still_ns = 0, gaps_ns = 0;
	__s64 still = 0, spins = 0;
	char time[TEXT_NUMBER_BYTES];

	if (budget_ns < LEAST_MOVES_NS)
		budget_ns = LEAST_MOVES_NS;
	for (; check_goes_on(check, start_ns, budget_ns) || (!check->finding.err && !spins);
	     spins++) {
		struct moment from, to;

		check_pin(check, check->cpus[spins % check->nr_cpus]);
		from = begin(check, CLOCK_THREAD_CPUTIME_ID);
		spin_with_gaps(check, from.wall_ns + SPIN_NS, &last_ns, &gaps_ns);
		to = begin(check, CLOCK_THREAD_CPUTIME_ID);
		if (to.clock_ns > from.clock_ns)
			continue;
		still++;
		still_ns += to.wall_ns - from.wall_ns;
	}
	check_pin(check, -1);
	if (check->finding.err || still * 2 <= spins || still_ns <= gaps_ns)
		return;
	if (!check_at_most(check, (__s64)(still_ns - gaps_ns), 0))
		return;
	check_say(check,
		  "a thread's clock stood still in %lld of %lld times that it ran for half a "
		  "millisecond, %s in all",
		  (long long)still, (long long)spins, text_duration(time, (double)still_ns));
}

/* Another thread's clock: its last moment of its own, under a sequence count of one writer. */
struct shown {
	atomic_uint count;
	_Atomic __u64 wall_ns, clock_ns;
};

static void work_show(struct companion *self)
{
	struct shown *shown = (struct shown *)self->arg + self->index;
	struct moment moment = begin(&self->check, CLOCK_THREAD_CPUTIME_ID);

	atomic_fetch_add(&shown->count, 1);
	atomic_store(&shown->wall_ns, moment.wall_ns);
	atomic_store(&shown->clock_ns, moment.clock_ns);
	atomic_fetch_add(&shown->count, 1);
	check_spin(&self->check, moment.wall_ns + 100 * US_NS);
}

/* False when there is none yet, or it is being written. */
static bool last_shown(struct shown *shown, struct moment *moment)
{
	unsigned count = atomic_load(&shown->count);

	moment->wall_ns = atomic_load(&shown->wall_ns);
	moment->clock_ns = atomic_load(&shown->clock_ns);
	return count && !(count & 1) && count == atomic_load(&shown->count);
}

static void check_others(struct check *check, __u64 budget_ns)
{
	struct shown shown[2] = {};
	struct company *company;
	__u64 start_ns = check_wall(check), done = 0;

	company = company__start(check, 2, work_show, shown);
	if (!company)
		return;
	while (!check->finding.err &&
	       (done < LEAST_INTERVALS || check_goes_on(check, start_ns, budget_ns))) {
		/* where there is but one CPU, the others need it */
		if (check->nr_cpus == 1)
			check_pause(100 * US_NS);
		for (int i = 0; i < 2; i++) {
			struct moment from;

			if (!last_shown(&shown[i], &from))
				continue;
			end(check, "a thread, read by another,",
			    bench_clock_id(company__tid(company, i), true, CPUCLOCK_TYPE_SCHED),
			    &from);
			done++;
		}
		if (check_wall(check) - start_ns > 20 * budget_ns + 1000 * MS_NS)
			break; /* nobody showed anything: the others are kept from running */
	}
	company__stop(company, check);
}

void oracle_wall_bound(struct check *check)
{
	check_own(check, check->budget_ns / 5 * 2);
	check_moves(check, check->budget_ns / 5);
	check_others(check, check->budget_ns / 5 * 2);
}
