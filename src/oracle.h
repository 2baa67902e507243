/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The oracles of `cputoll check`: each reads CPU clocks by struct source and holds the readings
 * against a rule. oracles.c has the table and what they share, oracle_*.c one rule or two each.
 */
#ifndef CPUTOLL_ORACLE_H
#define CPUTOLL_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>
#include "source.h"

enum oracle_result { ORACLE_RIGHT, ORACLE_WRONG, ORACLE_SKIPPED };

/* What came of one run. Plain data, so that it can lie in memory shared with a child process. */
struct finding {
	enum oracle_result result;
	__u64 reads;
	__u64 off_ns; /* the worst: how far beyond what is allowed */
	bool has_margin;
	__u64 margin_ns;    /* the least that was left of what is allowed */
	char detail[320];   /* of the worst reading, "" when right */
	char left_out[200]; /* parts that could not be run, and why; "" for none */
	int err;	    /* a negative errno: the kernel refused a reading … */
	char failed[96];    /* … of this */
};

/* One run of an oracle, or one thread's part in it. */
struct check {
	const struct source *source;
	__u64 budget_ns; /* wall time to spend; each has a least number of readings, too */
	__u64 limit_ns;	 /* wall time after which it is ended */
	const int *cpus; /* that may be used */
	int nr_cpus;
	bool has_load;	  /* interrupts come in the midst of everything */
	bool with_rlimit; /* RLIMIT_CPU takes a second of CPU time: once in a run is enough */
	struct finding finding;
};

struct oracle {
	const char *name;
	const char *holds; /* what must hold, in one line */
	/* run() - fill @check->finding in. Runs in a process of its own, which it may leave in any
	 * state: threads joined, but timers armed. */
	void (*run)(struct check *check);
};

extern const struct oracle oracles[];
extern const size_t nr_oracles;

void oracle_fresh_thread(struct check *check);
void oracle_wall_bound(struct check *check);
void oracle_monotonic(struct check *check);
void oracle_group_sum(struct check *check);
void oracle_nanosleep(struct check *check);
void oracle_timers(struct check *check);
void oracle_adjust(struct check *check);

/* monotonic's part with timers that come and go, in oracle_armed.c. */
void oracle_armed(struct check *check);

/* oracle_find() - by name; NULL when there is none. */
const struct oracle *oracle_find(const char *name);

/* check_part() - @check with a finding of its own, for a thread; check_add() adds that up. */
struct check check_part(const struct check *check);
void check_add(struct check *check, const struct check *part);

/* check_read() - clock @id, or 0 once a reading failed; check_wall() - WALL_CLOCK; check_times().
 */
__u64 check_read(struct check *check, int id);
__u64 check_wall(struct check *check);
struct cpu_times check_times(struct check *check, enum times_by by);

/* check_arm() - arm or (0) disarm. False when that failed. */
bool check_arm(struct check *check, enum arm arm, __u64 at_ns);

/* check_goes_on() - neither has a reading failed, nor @wall_ns passed since @start_ns. */
bool check_goes_on(struct check *check, __u64 start_ns, __u64 wall_ns);

/*
 * check_at_most() - @value_ns must be no more than @limit_ns. True when it is more, and by more
 * than anything before: the caller then says what it was with check_say().
 */
bool check_at_most(struct check *check, __s64 value_ns, __s64 limit_ns);
void check_say(struct check *check, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* check_fail() - a reading, or what is needed for one, was refused with @err (negative errno). */
void check_fail(struct check *check, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* check_leave_out() - say that a part could not be run. */
void check_leave_out(struct check *check, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* check_pin() - the calling thread onto @cpu, or (-1) onto all of @check->cpus. */
void check_pin(struct check *check, int cpu);

/* spin_until() - use the CPU in user mode until WALL_CLOCK reads @wall_ns. */
void check_spin(struct check *check, __u64 until_ns);

/* check_pause() - sleep for @ns of real time. Nothing is read. */
void check_pause(__u64 ns);

#define TICK_SETTLE_NS 2000000 /* after which a thread that went to sleep has left its CPU */
#define MS_NS	       1000000ULL
#define US_NS	       1000ULL

#endif /* CPUTOLL_ORACLE_H */
