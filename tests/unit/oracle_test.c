// SPDX-License-Identifier: GPL-2.0-only
/*
 * The oracles against a kernel that is played here: each is right about one that tells the truth,
 * and wrong, by the amount, about one that is broken in the way that the oracle is about. Run by
 * `make check-unit`; needs no privileges.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "unit.h"
#include "bench.h"
#include "check_run.h"
#include "clocks.h"
#include "oracle.h"

#define STEP_NS	    US_NS /* wall time that passes with each reading */
#define TICK_NS	    (4 * MS_NS)
#define IRQ_TIME_NS (117 * MS_NS) /* since boot, as readonly-v1 adds it to a first reading */
#define MAX_THREADS 8192

enum fault {
	NO_FAULT,
	FRESH,	       /* a new thread's clock begins at IRQ_TIME_NS */
	FAST,	       /* a thread's clock runs by an eighth faster than wall time */
	REMOTE_FAST,   /* the same, of readings from other threads only */
	STILL,	       /* a thread's clock does not move */
	THREAD_BACK,   /* each 61st reading of threads' clocks lacks 500 µs */
	ARMED_BACK,    /* the process's clock lacks 1 ms while a timer is armed */
	UTIME_BACK,    /* each 8th utime lacks 1 ms, which its stime has */
	GROUP_LAG,     /* the process's clock is a quarter of its threads' sum */
	SLEEP_EARLY,   /* a sleep ends 3 ms before its time */
	SLEEP_LATE,    /* a sleep ends half a second after it */
	SLEEP_FOREVER, /* a sleep ends by a signal only */
	TIMER_EARLY,   /* a timer fires 1 ms before its time */
	TIMER_LATE,    /* a timer fires 13 ms after it */
	TIMER_LOST,    /* a timer does not fire */
	TIMES_DOUBLE,  /* utime is twice what it is */
	VIRTUAL,       /* no fault: accounting is virtual … */
	PROF_LACKS,    /* … and the PROF clocks are an eighth behind */
	TIMES_HALF,    /* utime and stime are half of what they are */
	REFUSED,       /* a CPU clock cannot be read */
};

/* Each thread has a CPU of its own: its CPU time is the wall time since it was first seen. */
static struct {
	pthread_mutex_t lock;
	enum fault fault;
	__u64 wall_ns, reads, thread_reads, times_reads;
	struct {
		int tid;
		__u64 birth_ns;
	} threads[MAX_THREADS];
	size_t nr;
	__u64 births_ns;
	__u64 armed_ns[ARM_COUNT];
	__u64 wake_ns; /* process CPU time of the sleep's end, 0 when nobody sleeps */
} played = { .lock = PTHREAD_MUTEX_INITIALIZER };

static __u64 birth_of(int tid)
{
	for (size_t i = played.nr; i-- > 0;)
		if (played.threads[i].tid == tid)
			return played.threads[i].birth_ns;
	assert_true(played.nr < MAX_THREADS);
	played.threads[played.nr].tid = tid;
	played.threads[played.nr++].birth_ns = played.wall_ns;
	played.births_ns += played.wall_ns;
	return played.wall_ns;
}

static bool is_armed(void)
{
	for (int arm = 0; arm < ARM_COUNT; arm++)
		if (played.armed_ns[arm])
			return true;
	return false;
}

static __u64 thread_ns(int tid, bool is_own)
{
	__u64 birth_ns = birth_of(tid), ns = played.wall_ns - birth_ns;

	switch (played.fault) {
	case FRESH:
		return played.threads[0].tid == tid ? ns : ns + IRQ_TIME_NS;
	case FAST:
		return ns + ns / 8;
	case REMOTE_FAST:
		return is_own ? ns : ns + ns / 8;
	case STILL:
		return 0;
	case THREAD_BACK:
		return ++played.thread_reads % 61 || ns < 500 * US_NS ? ns : ns - 500 * US_NS;
	default:
		return ns;
	}
}

static __u64 process_ns(void)
{
	__u64 ns;

	birth_of((int)syscall(SYS_gettid));
	ns = played.nr * played.wall_ns - played.births_ns;
	if (played.fault == GROUP_LAG)
		return ns / 4;
	if (played.fault == ARMED_BACK && is_armed() && ns > MS_NS)
		return ns - MS_NS;
	return ns;
}

static __u64 clock_ns(int id)
{
	int own = (int)syscall(SYS_gettid), tid;
	struct clock_ref ref;
	__u64 ns;

	clock_decode(id, &ref);
	if (!ref.is_cpu)
		return played.wall_ns;
	tid = ref.pid ? ref.pid : own;
	ns = ref.is_thread ? thread_ns(tid, tid == own) : process_ns();
	if (ref.type == CPUCLOCK_TYPE_PROF && played.fault == PROF_LACKS)
		return ns - ns / 8;
	return ref.type == CPUCLOCK_TYPE_VIRT ? ns / 2 : ns;
}

/* The signals of timers that have expired, when the lock is free again. */
static void fire(void)
{
	for (int arm = 0; arm < ARM_COUNT; arm++) {
		bool is_due;

		pthread_mutex_lock(&played.lock);
		is_due = played.armed_ns[arm] &&
			 clock_ns(arm_rows[arm].clock) >= played.armed_ns[arm];
		if (is_due)
			played.armed_ns[arm] = 0;
		pthread_mutex_unlock(&played.lock);
		if (is_due)
			raise(arm_rows[arm].signal);
	}
}

static int played_clock(int id, __u64 *ns)
{
	bool armed;

	pthread_mutex_lock(&played.lock);
	/* time waits for a sleeper that this host has not yet woken */
	if (!played.wake_ns || process_ns() < played.wake_ns)
		played.wall_ns += STEP_NS;
	played.reads++;
	*ns = clock_ns(id);
	armed = is_armed();
	pthread_mutex_unlock(&played.lock);
	if (armed && id == WALL_CLOCK)
		fire();
	return played.fault == REFUSED && id != WALL_CLOCK ? -EPERM : 0;
}

static int played_times(enum times_by by, struct cpu_times *times)
{
	__u64 ns;

	pthread_mutex_lock(&played.lock);
	played.wall_ns += STEP_NS;
	played.reads++;
	ns = by == TIMES_RUSAGE_THREAD ? thread_ns((int)syscall(SYS_gettid), true) : process_ns();
	if (played.fault == TIMES_HALF)
		ns /= 2;
	times->utime_ns = ns / 2;
	times->stime_ns = ns - times->utime_ns;
	if (played.fault == TIMES_DOUBLE)
		times->utime_ns *= 2;
	if (played.fault == UTIME_BACK && played.times_reads++ % 8 == 7 &&
	    times->utime_ns > MS_NS) {
		times->utime_ns -= MS_NS;
		times->stime_ns += MS_NS;
	}
	pthread_mutex_unlock(&played.lock);
	return 0;
}

static int played_arm(enum arm arm, __u64 at_ns)
{
	pthread_mutex_lock(&played.lock);
	if (at_ns && played.fault == TIMER_EARLY)
		at_ns -= MS_NS;
	if (at_ns && played.fault == TIMER_LATE)
		at_ns += 13 * MS_NS;
	played.armed_ns[arm] = played.fault == TIMER_LOST ? 0 : at_ns;
	pthread_mutex_unlock(&played.lock);
	return 0;
}

static int played_sleep(int id, __u64 at_ns)
{
	struct timespec rest = { .tv_nsec = 50 * US_NS };
	__u64 now_ns;
	bool is_over;
	int err;

	if (played.fault == SLEEP_FOREVER) /* asleep all the time, so that the signal finds it so */
		rest = (struct timespec){ .tv_sec = 1000 };
	if (played.fault == SLEEP_EARLY)
		at_ns -= 3 * MS_NS;
	if (played.fault == SLEEP_LATE)
		at_ns += 500 * MS_NS;
	/* time passes by the other thread's readings */
	do {
		pthread_mutex_lock(&played.lock);
		now_ns = clock_ns(id);
		is_over = now_ns >= at_ns && played.fault != SLEEP_FOREVER;
		played.wake_ns = is_over || played.fault == SLEEP_FOREVER ? 0 : at_ns;
		pthread_mutex_unlock(&played.lock);
		if (!is_over && nanosleep(&rest, NULL)) {
			err = -errno;
			pthread_mutex_lock(&played.lock);
			played.wake_ns = 0;
			pthread_mutex_unlock(&played.lock);
			return err;
		}
	} while (!is_over);
	return 0;
}

static const struct source source = { .clock = played_clock,
				      .times = played_times,
				      .arm = played_arm,
				      .sleep = played_sleep,
				      .tick_ns = TICK_NS,
				      .step_ns = 1,
				      .rate_shift = 20,
				      .is_tick = true };

/* One run of oracle @name, of which RLIMIT_CPU is a part when @with_rlimit. */
static struct finding run(const char *name, enum fault fault, bool with_rlimit)
{
	const struct oracle *oracle = oracle_find(name);
	struct source virtual = source;
	struct check check = { .source = &source, .with_rlimit = with_rlimit };
	int *cpus;

	virtual.is_tick = false;
	if (fault == VIRTUAL || fault == PROF_LACKS)
		check.source = &virtual;

	check.nr_cpus = check_cpus(&cpus);
	assert_true(check.nr_cpus > 0);
	check.cpus = cpus;
	/* a second is more than RLIMIT_CPU can take, the least of the others is enough */
	check.budget_ns = with_rlimit ? 1000 * MS_NS : 20 * MS_NS;
	assert_non_null(oracle);
	pthread_mutex_lock(&played.lock);
	played.fault = fault;
	played.wall_ns = 1000 * MS_NS;
	played.reads = played.thread_reads = played.times_reads = 0;
	played.nr = 0;
	played.births_ns = played.wake_ns = 0;
	memset(played.armed_ns, 0, sizeof(played.armed_ns));
	pthread_mutex_unlock(&played.lock);
	oracle->run(&check);
	free(cpus);
	return check.finding;
}

static void assert_right(const char *name)
{
	struct finding finding = run(name, NO_FAULT, false);

	assert_int_equal(finding.err, 0);
	assert_string_equal(finding.detail, "");
	assert_int_equal(finding.result, ORACLE_RIGHT);
	assert_int_equal(finding.off_ns, 0);
	assert_true(finding.has_margin);
	assert_true(finding.reads > 0);
}

/* Wrong by @least_ns to @most_ns, and @words are in the sentence that says so. */
static void assert_wrong(const char *name, enum fault fault, __u64 least_ns, __u64 most_ns,
			 const char *words)
{
	struct finding finding = run(name, fault, false);

	assert_int_equal(finding.err, 0);
	assert_int_equal(finding.result, ORACLE_WRONG);
	if (!strstr(finding.detail, words))
		fail_msg("no '%s' in '%s'", words, finding.detail);
	if (finding.off_ns < least_ns || finding.off_ns > most_ns)
		fail_msg("off by %llu ns: %s", (unsigned long long)finding.off_ns, finding.detail);
}

static void fresh_thread(void **state)
{
	(void)state;
	assert_right("fresh-thread");
	assert_wrong("fresh-thread", FRESH, IRQ_TIME_NS - 10 * MS_NS, IRQ_TIME_NS,
		     "of a new thread on CPU");
}

static void wall_bound(void **state)
{
	(void)state;
	assert_right("wall-bound");
	/* an eighth of the longest interval, at the least of all short ones together */
	assert_wrong("wall-bound", FAST, 500 * US_NS, 1000 * MS_NS, "of CPU time in");
	assert_wrong("wall-bound", REMOTE_FAST, 100 * US_NS, 1000 * MS_NS,
		     "a thread, read by another, used");
	assert_wrong("wall-bound", STILL, 40 * MS_NS, 60 * MS_NS, "stood still in");
}

static void monotonic(void **state)
{
	(void)state;
	assert_right("monotonic");
	assert_wrong("monotonic", THREAD_BACK, 2 * US_NS, 500 * US_NS, "clock went back by");
	assert_wrong("monotonic", ARMED_BACK, 900 * US_NS, MS_NS, "with timers on PROF clocks");
	assert_wrong("monotonic", UTIME_BACK, 1, MS_NS, "time by");
}

static void group_sum(void **state)
{
	(void)state;
	assert_right("group-sum");
	/* with one thread only running, and the main thread, which the played kernel charges, too
	 */
	assert_wrong("group-sum", GROUP_LAG, 1, 10000 * MS_NS, "clock advanced by");
}

static void nanosleep_ends(void **state)
{
	(void)state;
	assert_right("nanosleep");
	assert_wrong("nanosleep", SLEEP_EARLY, 2900 * US_NS, 3 * MS_NS, "before it");
	assert_wrong("nanosleep", SLEEP_LATE, 1, 100 * MS_NS, "had not ended when");
	assert_wrong("nanosleep", SLEEP_FOREVER, 1, 100 * MS_NS, "had not ended when");
}

static void timers(void **state)
{
	(void)state;
	assert_right("timers");
	assert_wrong("timers", TIMER_EARLY, 900 * US_NS, MS_NS, "fired early");
	/* two ticks of it are allowed */
	assert_wrong("timers", TIMER_LATE, 5 * MS_NS, 5100 * US_NS, "fired late");
	/* VIRT moves at half speed, and is read each 32 spins */
	assert_wrong("timers", TIMER_LOST, 19 * MS_NS, 21 * MS_NS, "had not fired");
	assert_wrong("timers", STILL, 8 * MS_NS, 12 * MS_NS,
		     "did not fire: its clock moved by 0 ns");
}

static void rlimit(void **state)
{
	struct finding finding = run("timers", NO_FAULT, true);

	(void)state;
	assert_int_equal(finding.result, ORACLE_RIGHT);
	assert_string_equal(finding.left_out, "");
	finding = run("timers", NO_FAULT, false);
	assert_string_equal(finding.left_out, "RLIMIT_CPU: once in a run is enough");
}

static void adjust(void **state)
{
	(void)state;
	assert_right("adjust");
	/* half again as much as the clock, less a tick */
	assert_wrong("adjust", TIMES_DOUBLE, MS_NS, 1000 * MS_NS,
		     "when the CPU clock after it read");
	assert_wrong("adjust", TIMES_HALF, MS_NS, 1000 * MS_NS,
		     "when the CPU clock before it read");
	assert_wrong("adjust", UTIME_BACK, 1, MS_NS, "time by");
	assert_int_equal(run("adjust", VIRTUAL, false).result, ORACLE_RIGHT);
	/* an eighth of ten ticks, of which one is allowed */
	assert_wrong("adjust", PROF_LACKS, MS_NS / 2, 2 * MS_NS, "of a busy loop were");
}

static void a_refused_reading_is_neither(void **state)
{
	(void)state;
	for (size_t i = 0; i < nr_oracles; i++) {
		struct finding finding = run(oracles[i].name, REFUSED, false);

		assert_int_equal(finding.err, -EPERM);
		assert_int_equal(finding.result, ORACLE_RIGHT);
		assert_non_null(strstr(finding.failed, "clock_gettime of clock"));
	}
}

static void the_worst_is_kept(void **state)
{
	struct check check = { .source = &source }, part = check_part(&check);

	(void)state;
	assert_false(check_at_most(&check, 5, 8));
	assert_int_equal(check.finding.margin_ns, 3);
	assert_true(check_at_most(&check, 10, 8));
	check_say(&check, "by two");
	assert_false(check_at_most(&check, 9, 8)); /* not as bad */
	assert_int_equal(check.finding.off_ns, 2);
	assert_true(check_at_most(&part, -1, -8));
	check_say(&part, "by seven");
	check_add(&check, &part);
	assert_int_equal(check.finding.off_ns, 7);
	assert_int_equal(check.finding.margin_ns, 3);
	assert_string_equal(check.finding.detail, "by seven");
}

static void wall_limit(void **state)
{
	struct source other = { .step_ns = 4, .slack_ns = 100, .rate_shift = 10 };

	(void)state;
	assert_int_equal(source_wall_limit(&source, 0), 1);
	assert_int_equal(source_wall_limit(&source, 1 << 20), (1 << 20) + 1 + 1);
	assert_int_equal(source_wall_limit(&other, 1 << 20), (1 << 20) + 4 + 100 + 1024);
}

static void reads_for_ever(struct check *check)
{
	for (;;)
		check_read(check, CLOCK_PROCESS_CPUTIME_ID);
}

static void waits_for_ever(struct check *check)
{
	check_read(check, CLOCK_PROCESS_CPUTIME_ID);
	pause();
}

static void is_wrong_and_slow(struct check *check)
{
	if (check_at_most(check, 2, 1))
		check_say(check, "wrong");
	reads_for_ever(check);
}

static void is_killed(struct check *check)
{
	(void)check;
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static void at_its_limit(void **state)
{
	const struct {
		void (*run)(struct check *check);
		enum oracle_result result;
		const char *words;
	} cases[] = {
		{ reads_for_ever, ORACLE_SKIPPED, "too slow" },
		{ waits_for_ever, ORACLE_WRONG, "the kernel did not answer" },
		{ is_wrong_and_slow, ORACLE_WRONG, "wrong" },
		{ is_killed, ORACLE_WRONG, "ended by signal 11" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct oracle oracle = { "played", "nothing", cases[i].run };
		struct check check = { .source = &source, .limit_ns = 200 * MS_NS };

		assert_int_equal(check_run(&oracle, LOAD_QUIET, &check), 0);
		assert_int_equal(check.finding.result, cases[i].result);
		if (!strstr(check.finding.detail, cases[i].words))
			fail_msg("no '%s' in '%s'", cases[i].words, check.finding.detail);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worst_is_kept),
		cmocka_unit_test(wall_limit),
		cmocka_unit_test(fresh_thread),
		cmocka_unit_test(wall_bound),
		cmocka_unit_test(monotonic),
		cmocka_unit_test(group_sum),
		cmocka_unit_test(nanosleep_ends),
		cmocka_unit_test(timers),
		cmocka_unit_test(rlimit),
		cmocka_unit_test(adjust),
		cmocka_unit_test(a_refused_reading_is_neither),
		cmocka_unit_test(at_its_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
