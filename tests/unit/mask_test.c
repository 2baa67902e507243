// SPDX-License-Identifier: GPL-2.0-only
/* Names of clocks and masks; what a clock asks for and what the kernel needs to answer. */
#include "unit.h"
#include "mask.h"

static void test_letters(void **state)
{
	static const char *const letters[] = { "-", "u", "s", "us", "r", "ur", "sr", "usr" };

	(void)state;
	for (unsigned mask = 0; mask < MASK_COUNT; mask++)
		assert_string_equal(mask_letters(mask), letters[mask]);
	assert_string_equal(mask_letters(MASK_UTIME), "u");
	assert_string_equal(mask_letters(MASK_STIME), "s");
	assert_string_equal(mask_letters(MASK_SCHED), "r");
	assert_string_equal(mask_letters(MASK_COUNT), "?");
	assert_string_equal(mask_letters(UINT32_MAX), "?");
}

static void test_fields(void **state)
{
	(void)state;
	assert_string_equal(mask_field(MASK_UTIME), "utime");
	assert_string_equal(mask_field(MASK_STIME), "stime");
	assert_string_equal(mask_field(MASK_SCHED), "sum_exec_runtime");
	assert_null(mask_field(0));
	assert_null(mask_field(MASK_PROF));
	assert_null(mask_field(MASK_COUNT));
	for (unsigned bit = 1; bit < MASK_COUNT; bit <<= 1)
		assert_int_equal(mask_bit(mask_field(bit)), bit);
	assert_int_equal(mask_bit(""), 0);
	assert_int_equal(mask_bit("UTIME"), 0);
	assert_int_equal(mask_bit("utime "), 0);
}

static void test_clock_names(void **state)
{
	(void)state;
	assert_string_equal(clock_name(CLK_NONE), "-");
	assert_string_equal(clock_name(CLK_THREAD_SCHED), "thread/sched");
	assert_string_equal(clock_name(CLK_OTHER_PROCESS_VIRT), "other-process/virt");
	assert_string_equal(clock_name(CLK_PROC_THREAD), "proc/thread");
	assert_string_equal(clock_name(-1), "?");
	assert_string_equal(clock_name(CLK_COUNT), "?");
	for (int a = 0; a < CLK_COUNT; a++)
		for (int b = 0; b < a; b++)
			assert_string_not_equal(clock_name(a), clock_name(b));
	assert_true(CLK_COUNT <= CLK_MAX);
}

static void test_asks_and_needs(void **state)
{
	static const struct {
		int clock;
		unsigned asks, needs_tick, needs_native;
	} rows[] = {
		{ CLK_NONE, 0, 0, 0 },
		{ CLK_THREAD_PROF, 3, 3, 3 },
		{ CLK_THREAD_VIRT, 1, 1, 1 },
		{ CLK_THREAD_SCHED, 4, 4, 4 },
		{ CLK_PROCESS_PROF, 3, 3, 3 },
		{ CLK_OTHER_PROCESS_SCHED, 4, 4, 4 },
		{ CLK_SELF, 3, 7, 3 },
		{ CLK_RUSAGE_THREAD, 3, 7, 3 },
		{ CLK_CHILDREN, 3, 3, 3 },
		{ CLK_CHILD, 3, 7, 3 },
		{ CLK_PROC_PROCESS, 3, 7, 3 },
		{ CLK_PROC_THREAD, 3, 7, 3 },
		{ -1, 0, 0, 0 },
		{ CLK_COUNT, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(clock_asks(rows[i].clock), rows[i].asks);
		assert_int_equal(clock_needs(rows[i].clock, true), rows[i].needs_tick);
		assert_int_equal(clock_needs(rows[i].clock, false), rows[i].needs_native);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_letters),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_clock_names),
		cmocka_unit_test(test_asks_and_needs),
	};

	return cmocka_run_group_tests_name("mask", tests, NULL, NULL);
}
