// SPDX-License-Identifier: GPL-2.0-only
/* Taking clock ids apart: the kernel's own macros, written out, make them. */
#include "unit.h"
#include <limits.h>
#include <sys/types.h>
#include <time.h>
#include "clocks.h"
#include "mask.h"

/* make_process_cpuclock() and make_thread_cpuclock() of include/linux/posix-timers.h */
static int make_id(int pid, int is_thread, int type)
{
	return (int)(~(unsigned)pid << 3 | (unsigned)is_thread << 2 | (unsigned)type);
}

static void test_static_ids(void **state)
{
	static const int others[] = { CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW,
				      CLOCK_BOOTTIME, CLOCK_TAI,       12,
				      INT_MAX };
	struct clock_ref ref;

	(void)state;
	clock_decode(CLOCK_PROCESS_CPUTIME_ID, &ref);
	assert_int_equal(ref.is_cpu, 1);
	assert_int_equal(ref.is_thread, 0);
	assert_int_equal(ref.type, CPUCLOCK_TYPE_SCHED);
	assert_int_equal(ref.pid, 0);
	clock_decode(CLOCK_THREAD_CPUTIME_ID, &ref);
	assert_int_equal(ref.is_cpu, 1);
	assert_int_equal(ref.is_thread, 1);
	assert_int_equal(ref.type, CPUCLOCK_TYPE_SCHED);
	assert_int_equal(ref.pid, 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		clock_decode(others[i], &ref);
		assert_int_equal(ref.is_cpu, 0);
	}
}

static void test_every_type(void **state)
{
	static const int pids[] = { 0, 1, 42, 4194304, (1 << 28) - 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++)
		for (int is_thread = 0; is_thread < 2; is_thread++)
			for (int type = 0; type < 3; type++) {
				int id = make_id(pids[i], is_thread, type);
				struct clock_ref ref;

				assert_true(id < 0);
				clock_decode(id, &ref);
				assert_int_equal(ref.is_cpu, 1);
				assert_int_equal(ref.is_thread, is_thread);
				assert_int_equal(ref.type, type);
				assert_int_equal(ref.pid, pids[i]);
			}
}

/* Literal ids, so that make_id() cannot hide a mistake of the decoder. */
static void test_literals(void **state)
{
	static const struct {
		int id, is_cpu, is_thread, type, pid;
	} rows[] = {
		{ -8, 1, 0, CPUCLOCK_TYPE_PROF, 0 },
		{ -7, 1, 0, CPUCLOCK_TYPE_VIRT, 0 },
		{ -6, 1, 0, CPUCLOCK_TYPE_SCHED, 0 },
		{ -4, 1, 1, CPUCLOCK_TYPE_PROF, 0 },
		{ -3, 1, 1, CPUCLOCK_TYPE_VIRT, 0 },
		{ -2, 1, 1, CPUCLOCK_TYPE_SCHED, 0 },
		{ -16, 1, 0, CPUCLOCK_TYPE_PROF, 1 },
		{ -10, 1, 1, CPUCLOCK_TYPE_SCHED, 1 },
		{ INT_MIN, 1, 0, CPUCLOCK_TYPE_PROF, 0xfffffff },
		{ INT_MIN + 6, 1, 1, CPUCLOCK_TYPE_SCHED, 0xfffffff },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct clock_ref ref;

		clock_decode(rows[i].id, &ref);
		assert_int_equal(ref.is_cpu, rows[i].is_cpu);
		assert_int_equal(ref.is_thread, rows[i].is_thread);
		assert_int_equal(ref.type, rows[i].type);
		assert_int_equal(ref.pid, rows[i].pid);
	}
}

/* Low bits 3: a clock on a file descriptor; 7: a thread's clock of a type there is not. */
static void test_no_cpu_clock(void **state)
{
	(void)state;
	for (int fd = 0; fd < 70000; fd += 777) {
		struct clock_ref ref;

		clock_decode(make_id(fd, 0, CPUCLOCK_FD), &ref);
		assert_int_equal(ref.is_cpu, 0);
		clock_decode(make_id(fd, 1, 3), &ref);
		assert_int_equal(ref.is_cpu, 0);
	}
}

/* libc's way to the same ids */
static void test_libc(void **state)
{
	struct clock_ref ref;
	clockid_t id;

	(void)state;
	assert_int_equal(clock_getcpuclockid(getpid(), &id), 0);
	clock_decode(id, &ref);
	assert_int_equal(ref.is_cpu, 1);
	assert_int_equal(ref.is_thread, 0);
	assert_int_equal(ref.type, CPUCLOCK_TYPE_SCHED);
	assert_int_equal(ref.pid, getpid());
}

static void test_rows(void **state)
{
	static const char *const names[] = {
		"thread/prof",	      "thread/virt",	    "thread/sched",
		"process/prof",	      "process/virt",	    "process/sched",
		"other-thread/prof",  "other-thread/virt",  "other-thread/sched",
		"other-process/prof", "other-process/virt", "other-process/sched",
	};

	(void)state;
	for (int whose = WHOSE_THREAD; whose <= WHOSE_OTHER_PROCESS; whose++)
		for (int type = 0; type < 3; type++)
			assert_string_equal(clock_name(clock_row(whose, type)),
					    names[3 * whose + type]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_static_ids), cmocka_unit_test(test_every_type),
		cmocka_unit_test(test_literals),   cmocka_unit_test(test_no_cpu_clock),
		cmocka_unit_test(test_libc),	   cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
