// SPDX-License-Identifier: GPL-2.0-only
/*
 * timers: each kind of CPU timer is set once in a while and waited for by using CPU time. Called
 * through the table in oracles.c.
 *
 * A timer is held against its own clock, read first thing in the handler: under interrupts, and
 * between ticks, others tell other times. Early is less than was asked for. Late is more than two
 * ticks: one that the kernel adds to interval timers, and one until a tick finds it expired.
 * A thread that is kept from running meets its ticks later: the gaps that it finds in its own wall
 * time, each with the tick that it may cost, are added to what is allowed. So is what it runs, once
 * the timer is due, without being charged by a tick, as its PROF clock shows: a busy host may
 * deliver a guest's ticks late.
 *
 * With virtual accounting utime and stime are added up when there is a tick's worth of each. A
 * reading has what is pending in it, as has the start of a timer, which then gets the same again:
 * PROF and VIRT timers may be ESTIMATE_TICKS early, and as much later.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "oracle.h"
#include "text.h"

#define LATE_TICKS     2
#define ESTIMATE_TICKS 2 /* pending, of utime and of stime */
#define WAIT_TICKS     2 /* of CPU time that a timer is set to, and a part of a tick that changes */
#define GIVE_UP_TICKS  5 /* after which it is not late, but lost */
/* The thread's own PROF clock, which moves when a tick finds it on the CPU. */
#define TICKS_CLOCK	arm_rows[ARM_THREAD_PROF].clock
#define CLOCK_READ_EACH 32	       /* spins */
#define STILL_NS	(5000 * MS_NS) /* wall time after which the clock is what is wrong */

/* Written by the handler, in the one thread that there is. */
static struct {
	const struct check *check;
	int clock;
	__u64 clock_ns, wall_ns, ticks_ns;
	volatile sig_atomic_t is_set;
	int err;
} fired;

static void on_signal(int signal)
{
	__u64 wall_ns = 0;

	(void)signal;
	if (!fired.check || fired.is_set)
		return;
	fired.err = fired.check->source->clock(fired.clock, &fired.clock_ns);
	fired.check->source->clock(WALL_CLOCK, &wall_ns);
	fired.check->source->clock(TICKS_CLOCK, &fired.ticks_ns);
	fired.wall_ns = wall_ns;
	fired.is_set = 1;
}

/* What a wait found beside the firing. */
struct wait {
	__u64 stall_ns; /* the gaps, and their ticks */
	__u64 last_wall_ns;
	__u64 clock_ns;			  /* its last reading without a signal … */
	__u64 ticks_ns;			  /* … and of TICKS_CLOCK */
	__u64 due_clock_ns, due_ticks_ns; /* the first of them that found the timer due, or 0 */
	bool is_still;			  /* gave up, since the clock does not move */
};

static void note_gap(const struct check *check, struct wait *wait, __u64 wall_ns)
{
	__u64 tick_ns = check->source->tick_ns;

	/* the handler's moment may lie before the last one of the loop that it interrupted */
	if (wall_ns <= wait->last_wall_ns)
		return;
	if (wall_ns - wait->last_wall_ns > tick_ns / 4)
		wait->stall_ns += wall_ns - wait->last_wall_ns + tick_ns;
	wait->last_wall_ns = wall_ns;
}

/* What the clock advanced by without a tick, from when the timer was found due until @clock_ns. */
static __u64 tickless_ns(const struct wait *wait, __u64 clock_ns, __u64 ticks_ns)
{
	__u64 advance_ns = clock_ns - wait->due_clock_ns;
	__u64 charged_ns = ticks_ns - wait->due_ticks_ns;

	return wait->due_clock_ns && advance_ns > charged_ns ? advance_ns - charged_ns : 0;
}

/* Use CPU time, in user mode but for a few readings, until the signal or until it's too late. */
static void wait_fired(struct check *check, int clock, __u64 at_ns, struct wait *wait)
{
	__u64 tick_ns = check->source->tick_ns, start_ns = wait->last_wall_ns;

	for (__u64 i = 1; !fired.is_set && !check->finding.err; i++) {
		__u64 wall_ns = check_wall(check);

		if (fired.is_set)
			break;
		note_gap(check, wait, wall_ns);
		if (i % CLOCK_READ_EACH)
			continue;
		wait->clock_ns = check_read(check, clock);
		wait->ticks_ns = check_read(check, TICKS_CLOCK);
		if (wait->clock_ns >= at_ns && !wait->due_clock_ns) {
			wait->due_clock_ns = wait->clock_ns;
			wait->due_ticks_ns = wait->ticks_ns;
		}
		if (wait->clock_ns >
		    at_ns + (LATE_TICKS + GIVE_UP_TICKS) * tick_ns + wait->stall_ns)
			return;
		wait->is_still = wall_ns - start_ns > STILL_NS + (at_ns / 100);
		if (wait->is_still)
			return;
	}
	if (fired.is_set)
		note_gap(check, wait, fired.wall_ns);
}

static void compare(struct check *check, const struct arm_row *row, __u64 set_ns, __u64 at_ns,
		    const struct wait *wait)
{
	__u64 tick_ns = check->source->tick_ns;
	__u64 pending_ns = row->sampled && !check->source->is_tick ? ESTIMATE_TICKS * tick_ns : 0;
	__u64 late_ns = LATE_TICKS * tick_ns + pending_ns + wait->stall_ns;
	__u64 read_ns = fired.is_set ? fired.clock_ns : wait->clock_ns;
	char time[TEXT_NUMBER_BYTES], wanted[TEXT_NUMBER_BYTES];

	late_ns += tickless_ns(wait, read_ns, fired.is_set ? fired.ticks_ns : wait->ticks_ns);
	text_duration(time, (double)(read_ns - set_ns));
	text_duration(wanted, (double)(at_ns - set_ns));
	if (wait->is_still) {
		if (check_at_most(check, (__s64)(at_ns - read_ns), 0))
			check_say(check,
				  "%s, set to %s, did not fire: its clock moved by %s in seconds "
				  "of running",
				  row->name, wanted, time);
		return;
	}
	if (fired.is_set && check_at_most(check, (__s64)at_ns, (__s64)(read_ns + pending_ns)))
		check_say(check, "%s, set to %s, fired early, when its clock had advanced by %s",
			  row->name, wanted, time);
	if (check_at_most(check, (__s64)read_ns, (__s64)(at_ns + late_ns)))
		check_say(check, "%s, set to %s, %s when its clock had advanced by %s", row->name,
			  wanted, fired.is_set ? "fired late," : "had not fired", time);
}

static void one_timer(struct check *check, enum arm arm, __u64 value_ns)
{
	const struct arm_row *row = &arm_rows[arm];
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct wait wait = {};
	__u64 set_ns, at_ns;

	set_ns = check_read(check, row->clock);
	at_ns = arm == ARM_RLIMIT ? value_ns : set_ns + value_ns;
	fired.is_set = 0;
	fired.clock = row->clock;
	fired.check = check;
	sigaction(row->signal, &action, NULL);
	wait.last_wall_ns = check_wall(check);
	if (check_arm(check, arm, at_ns)) {
		/* An interval timer is relative, to a moment that its clock may have reached by
		 * now. */
		__u64 late_from_ns = check_read(check, row->clock) - set_ns;

		wait_fired(check, row->clock, at_ns, &wait);
		if (row->itimer >= 0)
			wait.stall_ns += late_from_ns;
		check->finding.reads++;
		if (fired.err)
			check_fail(check, fired.err, "a reading in a signal handler");
		else if (!check->finding.err)
			compare(check, row, set_ns, at_ns, &wait);
	}
	check_arm(check, arm, 0);
	fired.check = NULL;
}

/* The process has used some of a second already: what is left of it must be worth its while. */
static void one_rlimit(struct check *check)
{
	__u64 second_ns = 1000 * MS_NS, used_ns, at_ns;

	if (!check->with_rlimit) {
		check_leave_out(check, "RLIMIT_CPU: once in a run is enough");
		return;
	}
	used_ns = check_read(check, arm_rows[ARM_RLIMIT].clock);
	at_ns = (used_ns / second_ns + 1) * second_ns;
	if (at_ns - used_ns > check->budget_ns) {
		check_leave_out(check,
				"RLIMIT_CPU: takes %.2f s more of CPU time, and %.2f s were given",
				(double)(at_ns - used_ns) / 1e9, (double)check->budget_ns / 1e9);
		return;
	}
	one_timer(check, ARM_RLIMIT, at_ns);
}

void oracle_timers(struct check *check)
{
	__u64 start_ns = check_wall(check), tick_ns = check->source->tick_ns;

	for (int round = 0;
	     !check->finding.err && (!round || check_goes_on(check, start_ns, check->budget_ns));
	     round++) {
		/* pinned: a migration would not be a late timer, but a tick that waits elsewhere */
		check_pin(check, check->cpus[round % check->nr_cpus]);
		for (int arm = 0; arm < ARM_RLIMIT && !check->finding.err; arm++)
			one_timer(check, arm,
				  WAIT_TICKS * tick_ns + (__u64)(round + arm) % 5 * tick_ns / 5);
	}
	one_rlimit(check);
	check_pin(check, -1);
}
