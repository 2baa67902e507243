// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of oracles, and what they share: readings that are counted, comparisons that keep the
 * worst. Called by check_run.c and the oracle_*.c.
 */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "oracle.h"

const struct oracle oracles[] = {
	{ "fresh-thread",
	  "a new thread's first CPU-time reading is at most the wall time since its creation began",
	  oracle_fresh_thread },
	{ "wall-bound",
	  "a thread's CPU time over any interval is at most the wall time over it, and does not "
	  "stand still",
	  oracle_wall_bound },
	{ "monotonic",
	  "no CPU clock goes backwards: not across CPUs, sleeps, or timers that come and go",
	  oracle_monotonic },
	{ "group-sum", "a process's clock advances by at least what its threads' clocks advance",
	  oracle_group_sum },
	{ "nanosleep", "after a sleep until a CPU time, the process's clock reads at least that",
	  oracle_nanosleep },
	{ "timers", "CPU timers fire, not early, and not later than two ticks", oracle_timers },
	{ "adjust", "utime + stime are within a tick of the CPU clock, and neither goes backwards",
	  oracle_adjust },
};
const size_t nr_oracles = sizeof(oracles) / sizeof(oracles[0]);

const struct oracle *oracle_find(const char *name)
{
	for (size_t i = 0; i < nr_oracles; i++)
		if (!strcmp(oracles[i].name, name))
			return &oracles[i];
	return NULL;
}

struct check check_part(const struct check *check)
{
	struct check part = *check;

	part.finding = (struct finding){};
	return part;
}

void check_add(struct check *check, const struct check *part)
{
	struct finding *to = &check->finding;
	const struct finding *from = &part->finding;

	to->reads += from->reads;
	if (from->has_margin && (!to->has_margin || from->margin_ns < to->margin_ns))
		to->margin_ns = from->margin_ns;
	to->has_margin |= from->has_margin;
	if (from->result == ORACLE_WRONG &&
	    (to->result != ORACLE_WRONG || from->off_ns > to->off_ns)) {
		to->off_ns = from->off_ns;
		memcpy(to->detail, from->detail, sizeof(to->detail));
		to->result = ORACLE_WRONG;
	}
	if (from->left_out[0])
		check_leave_out(check, "%s", from->left_out);
	if (from->err && !to->err) {
		to->err = from->err;
		memcpy(to->failed, from->failed, sizeof(to->failed));
	}
}

void check_fail(struct check *check, int err, const char *fmt, ...)
{
	va_list args;

	if (check->finding.err)
		return;
	check->finding.err = err;
	va_start(args, fmt);
	vsnprintf(check->finding.failed, sizeof(check->finding.failed), fmt, args);
	va_end(args);
}

__u64 check_read(struct check *check, int id)
{
	__u64 ns = 0;
	int err = check->source->clock(id, &ns);

	check->finding.reads++;
	if (err)
		check_fail(check, err, "clock_gettime of clock %d", id);
	return ns;
}

__u64 check_wall(struct check *check)
{
	__u64 ns = 0;
	int err = check->source->clock(WALL_CLOCK, &ns);

	if (err)
		check_fail(check, err, "clock_gettime of CLOCK_MONOTONIC_RAW");
	return ns;
}

struct cpu_times check_times(struct check *check, enum times_by by)
{
	struct cpu_times times = {};
	int err = check->source->times(by, &times);

	check->finding.reads++;
	if (err)
		check_fail(check, err, "%s", times_names[by]);
	return times;
}

bool check_arm(struct check *check, enum arm arm, __u64 at_ns)
{
	int err = check->source->arm(arm, at_ns);

	if (err)
		check_fail(check, err, "setting %s", arm_rows[arm].name);
	return !err;
}

bool check_goes_on(struct check *check, __u64 start_ns, __u64 wall_ns)
{
	return !check->finding.err && check_wall(check) - start_ns < wall_ns;
}

bool check_at_most(struct check *check, __s64 value_ns, __s64 limit_ns)
{
	struct finding *finding = &check->finding;
	__u64 off_ns;

	if (finding->err) /* one of the readings is none */
		return false;
	if (value_ns <= limit_ns) {
		__u64 margin_ns = (__u64)limit_ns - (__u64)value_ns;

		if (!finding->has_margin || margin_ns < finding->margin_ns)
			finding->margin_ns = margin_ns;
		finding->has_margin = true;
		return false;
	}
	off_ns = (__u64)value_ns - (__u64)limit_ns;
	if (finding->result == ORACLE_WRONG && off_ns <= finding->off_ns)
		return false;
	finding->result = ORACLE_WRONG;
	finding->off_ns = off_ns;
	return true;
}

void check_say(struct check *check, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(check->finding.detail, sizeof(check->finding.detail), fmt, args);
	va_end(args);
}

void check_leave_out(struct check *check, const char *fmt, ...)
{
	struct finding *finding = &check->finding;
	size_t used = strlen(finding->left_out);
	char text[sizeof(finding->left_out)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (strstr(finding->left_out, text)) /* another thread's same words */
		return;
	snprintf(finding->left_out + used, sizeof(finding->left_out) - used, "%s%s",
		 used ? "; " : "", text);
}

void check_pin(struct check *check, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (int i = 0; i < check->nr_cpus; i++)
		if (cpu < 0 || check->cpus[i] == cpu)
			CPU_SET(check->cpus[i], &set);
	/* 0: the calling thread, not the process */
	if (sched_setaffinity(0, sizeof(set), &set))
		check_fail(check, -errno, "moving a thread to CPU %d", cpu);
}

void check_spin(struct check *check, __u64 until_ns)
{
	while (check_wall(check) < until_ns && !check->finding.err)
		;
}

void check_pause(__u64 ns)
{
	struct timespec left = { .tv_sec = (time_t)(ns / 1000000000),
				 .tv_nsec = (long)(ns % 1000000000) };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}
