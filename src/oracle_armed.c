// SPDX-License-Identifier: GPL-2.0-only
/*
 * monotonic, while timers on the process's clocks come and go: the kernel then changes between the
 * threads' sums and sums of its own, which it keeps while a timer is armed. Called by
 * oracle_monotonic.c.
 *
 * Timers are armed only while no other thread runs. Else a right kernel may count an update of such
 * a thread twice: once in the threads' sum that it begins with, and again in its own, when it
 * begins between the two. The clock then goes back by that when the last timer is gone.
 */
#include <stdio.h>
#include "bench.h"
#include "company.h"
#include "oracle.h"
#include "text.h"

#define TYPES	    3
#define OTHERS	    2
#define FAR_NS	    100000000000000000ULL /* CPU time that no run lasts */
#define RUN_TICKS   1
#define LEAST_TURNS 1

/* Which clocks have a timer, a bit for each; one step arms, disarms, or both, and every subset is
 * entered from others. */
static const unsigned char steps[] = { 1, 3, 2, 6, 7, 5, 4, 0, 7, 0, 2, 0, 4, 1, 0 };
static const enum arm posix_arms[TYPES] = { ARM_PROCESS_PROF, ARM_PROCESS_VIRT, ARM_PROCESS_SCHED };
static const enum arm other_arms[TYPES] = { ARM_ITIMER_PROF, ARM_ITIMER_VIRTUAL,
					    ARM_PROCESS_SCHED };
static const char *const type_names[TYPES] = { "PROF", "VIRT", "SCHED" };

static void read_all(struct check *check, __u64 last_ns[TYPES], unsigned armed)
{
	char from[TEXT_NUMBER_BYTES], by[TEXT_NUMBER_BYTES];

	for (int type = check->source->is_tick ? 0 : CPUCLOCK_TYPE_SCHED; type < TYPES; type++) {
		__u64 ns = check_read(check, bench_clock_id(0, false, type));

		if (check_at_most(check, (__s64)last_ns[type], (__s64)ns))
			check_say(check,
				  "the process's %s clock went back by %s, from %s, with timers on "
				  "%s%s%s%s",
				  type_names[type], text_duration(by, (double)(last_ns[type] - ns)),
				  text_duration(from, (double)last_ns[type]),
				  armed & 1 ? "PROF " : "", armed & 2 ? "VIRT " : "",
				  armed & 4 ? "SCHED " : "", armed ? "clocks" : "no clock");
		last_ns[type] = ns;
	}
}

/* Read all the while, until so much wall time has passed. */
static void read_for(struct check *check, __u64 last_ns[TYPES], unsigned armed, __u64 ns)
{
	__u64 start_ns = check_wall(check);

	while (check_goes_on(check, start_ns, ns))
		read_all(check, last_ns, armed);
}

static void change(struct check *check, const enum arm arms[TYPES], unsigned from, unsigned to)
{
	for (int type = 0; type < TYPES; type++)
		if ((from ^ to) & 1U << type)
			check_arm(check, arms[type], to & 1U << type ? FAR_NS : 0);
}

static void one_turn(struct check *check, struct company *company, const enum arm arms[TYPES],
		     __u64 last_ns[TYPES])
{
	__u64 run_ns = RUN_TICKS * check->source->tick_ns;
	unsigned armed = 0;

	for (size_t i = 0; i < sizeof(steps) && !check->finding.err; i++) {
		company__park(company);
		read_all(check, last_ns, armed);
		change(check, arms, armed, steps[i]);
		armed = steps[i];
		read_all(check, last_ns, armed);
		/* the kernel ends its sums at a tick, that must find a thread of the process */
		if (!armed)
			read_for(check, last_ns, armed, 2 * check->source->tick_ns);
		company__resume(company);
		read_for(check, last_ns, armed, run_ns);
	}
}

void oracle_armed(struct check *check)
{
	struct company *company = company__start(check, OTHERS, work_spin, NULL);
	__u64 start_ns = check_wall(check), last_ns[TYPES] = {};

	if (!company)
		return;
	for (int turn = 0;
	     !check->finding.err &&
	     (turn < LEAST_TURNS || check_goes_on(check, start_ns, check->budget_ns / 3));
	     turn++)
		one_turn(check, company, turn % 2 ? other_arms : posix_arms, last_ns);
	company__stop(company, check);
}
