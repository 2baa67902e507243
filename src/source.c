// SPDX-License-Identifier: GPL-2.0-only
/*
 * Readings of the running kernel for the oracles: clocks, utime and stime, timers. Raw system
 * calls where libc would change what is asked. Called through struct source.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>
#include "bench.h"
#include "clocks.h"
#include "host.h"
#include "source.h"

#define SECOND_NS 1000000000ULL
#define NO_ITIMER -1
/* clock ids of the caller's own, as bench_clock_id(0, ...) makes them */
#define OWN_PROCESS(type) (-8 + (type))
#define OWN_THREAD(type)  (-4 + (type))

const char *const times_names[TIMES_COUNT] = {
	[TIMES_RUSAGE] = "getrusage(RUSAGE_SELF)",
	[TIMES_RUSAGE_THREAD] = "getrusage(RUSAGE_THREAD)",
	[TIMES_TIMES] = "times()",
	[TIMES_STAT] = "/proc/self/stat",
};

/* clang-format off */
#define POSIX(whose, row, type, is_sampled)                                                       \
	{ .name = "a timer on the " whose "'s " #type " clock", .clock = row(CPUCLOCK_TYPE_##type), \
	  .signal = SIGALRM, .itimer = NO_ITIMER, .posix = true, .sampled = is_sampled }
/* clang-format on */
const struct arm_row arm_rows[ARM_COUNT] = {
	[ARM_PROCESS_PROF] = POSIX("process", OWN_PROCESS, PROF, true),
	[ARM_PROCESS_VIRT] = POSIX("process", OWN_PROCESS, VIRT, true),
	[ARM_PROCESS_SCHED] = POSIX("process", OWN_PROCESS, SCHED, false),
	[ARM_THREAD_PROF] = POSIX("thread", OWN_THREAD, PROF, true),
	[ARM_THREAD_VIRT] = POSIX("thread", OWN_THREAD, VIRT, true),
	[ARM_THREAD_SCHED] = POSIX("thread", OWN_THREAD, SCHED, false),
	[ARM_ITIMER_PROF] = { .name = "ITIMER_PROF",
			      .clock = OWN_PROCESS(CPUCLOCK_TYPE_PROF),
			      .signal = SIGPROF,
			      .itimer = ITIMER_PROF,
			      .sampled = true },
	[ARM_ITIMER_VIRTUAL] = { .name = "ITIMER_VIRTUAL",
				 .clock = OWN_PROCESS(CPUCLOCK_TYPE_VIRT),
				 .signal = SIGVTALRM,
				 .itimer = ITIMER_VIRTUAL,
				 .sampled = true },
	[ARM_RLIMIT] = { .name = "RLIMIT_CPU",
			 .clock = OWN_PROCESS(CPUCLOCK_TYPE_PROF),
			 .signal = SIGXCPU,
			 .itimer = NO_ITIMER,
			 .sampled = true },
};

static __u64 ns_of(const struct timespec *time)
{
	return (__u64)time->tv_sec * SECOND_NS + (__u64)time->tv_nsec;
}

static struct timespec timespec_of(__u64 ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND_NS),
				  .tv_nsec = (long)(ns % SECOND_NS) };
}

static int kernel_clock(int id, __u64 *ns)
{
	struct timespec now;

	/* by libc, which asks the vDSO for wall time: a reading in user mode */
	if (clock_gettime(id, &now))
		return -errno;
	*ns = ns_of(&now);
	return 0;
}

static __u64 ns_of_timeval(const struct timeval *time)
{
	return (__u64)time->tv_sec * SECOND_NS + (__u64)time->tv_usec * 1000;
}

static int read_rusage(int who, struct cpu_times *times)
{
	struct rusage usage;

	if (syscall(SYS_getrusage, who, &usage))
		return -errno;
	times->utime_ns = ns_of_timeval(&usage.ru_utime);
	times->stime_ns = ns_of_timeval(&usage.ru_stime);
	return 0;
}

static int read_times(struct cpu_times *times)
{
	__u64 unit_ns = SECOND_NS / (__u64)sysconf(_SC_CLK_TCK);
	struct tms tms;

	errno = 0;
	if (syscall(SYS_times, &tms) == -1 && errno)
		return -errno;
	times->utime_ns = (__u64)tms.tms_utime * unit_ns;
	times->stime_ns = (__u64)tms.tms_stime * unit_ns;
	return 0;
}

static int read_stat(struct cpu_times *times)
{
	__u64 unit_ns = SECOND_NS / (__u64)sysconf(_SC_CLK_TCK);
	unsigned long long utime, stime;
	char line[4096], *at;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC), err;
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, line, sizeof(line) - 1);
	err = got < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	line[got] = 0;
	/* comm, the second field, may hold anything; fields 14 and 15 are counted from its end */
	at = strrchr(line, ')');
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &utime,
			  &stime) != 2)
		return -EIO;
	times->utime_ns = utime * unit_ns;
	times->stime_ns = stime * unit_ns;
	return 0;
}

static int kernel_times(enum times_by by, struct cpu_times *times)
{
	switch (by) {
	case TIMES_RUSAGE:
		return read_rusage(RUSAGE_SELF, times);
	case TIMES_RUSAGE_THREAD:
		return read_rusage(RUSAGE_THREAD, times);
	case TIMES_TIMES:
		return read_times(times);
	default:
		return read_stat(times);
	}
}

/* A timer that has been created stays for the next time; those of a fork's parent are not its
 * child's, so that they are kept by process. */
static int arm_posix(enum arm arm, __u64 at_ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = arm_rows[arm].signal };
	static int timers[ARM_COUNT], owners[ARM_COUNT];
	struct itimerspec at = { .it_value = timespec_of(at_ns) };

	if (owners[arm] != getpid()) {
		if (syscall(SYS_timer_create, arm_rows[arm].clock, &event, &timers[arm]))
			return -errno;
		owners[arm] = getpid();
	}
	return syscall(SYS_timer_settime, timers[arm], TIMER_ABSTIME, &at, NULL) ? -errno : 0;
}

static int arm_itimer(const struct arm_row *row, __u64 at_ns)
{
	struct itimerval left = {};
	__u64 now_ns = 0, us = 0;
	int err;

	if (at_ns) {
		err = kernel_clock(row->clock, &now_ns);
		if (err)
			return err;
		us = at_ns > now_ns + 1000 ? (at_ns - now_ns + 999) / 1000 : 1;
	}
	left.it_value.tv_sec = (time_t)(us / 1000000);
	left.it_value.tv_usec = (suseconds_t)(us % 1000000);
	return syscall(SYS_setitimer, row->itimer, &left, NULL) ? -errno : 0;
}

static int arm_rlimit(__u64 at_ns)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CPU, &limit))
		return -errno;
	limit.rlim_cur = at_ns ? (rlim_t)(at_ns / SECOND_NS) : limit.rlim_max;
	return setrlimit(RLIMIT_CPU, &limit) ? -errno : 0;
}

static int kernel_arm(enum arm arm, __u64 at_ns)
{
	const struct arm_row *row = &arm_rows[arm];

	if (row->posix)
		return arm_posix(arm, at_ns);
	return row->itimer == NO_ITIMER ? arm_rlimit(at_ns) : arm_itimer(row, at_ns);
}

static int kernel_sleep(int id, __u64 at_ns)
{
	struct timespec at = timespec_of(at_ns);

	return syscall(SYS_clock_nanosleep, id, TIMER_ABSTIME, &at, NULL) ? -errno : 0;
}

/* Clock sources that the scheduler's clock is made of as well. */
static bool is_scheds_counter(const char *clocksource)
{
	static const char *const names[] = { "tsc", "kvm-clock" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], clocksource))
			return true;
	return false;
}

int source_kernel(struct source *source)
{
	struct timespec tick, cpu, wall;
	struct profile_host host = {};
	int err = host_read(&host);

	if (err)
		return err;
	free(host.config);
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) ||
	    clock_getres(CLOCK_THREAD_CPUTIME_ID, &cpu) || clock_getres(WALL_CLOCK, &wall))
		return -errno;
	*source = (struct source){ .clock = kernel_clock,
				   .times = kernel_times,
				   .arm = kernel_arm,
				   .sleep = kernel_sleep,
				   .tick_ns = ns_of(&tick),
				   .is_tick = !strcmp(host.accounting, "tick") };
	source->step_ns = ns_of(&cpu) > ns_of(&wall) ? ns_of(&cpu) : ns_of(&wall);
	/* Of one counter, two multipliers of 2^-24 precision and more make both clocks. */
	source->rate_shift = 20;
	if (!is_scheds_counter(host.clocksource)) {
		/* Else the scheduler's clock is corrected at ticks, and may be ahead by one. */
		source->rate_shift = 10;
		source->slack_ns = source->tick_ns;
	}
	return 0;
}
