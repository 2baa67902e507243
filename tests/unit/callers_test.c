// SPDX-License-Identifier: GPL-2.0-only
/* Names of callers, and which syscalls are known to read CPU time, on x86-64 and for its 32-bit
 * programs. */
#include "unit.h"
#include <seccomp.h>
#include "callers.h"
#include "layout.h"

static const struct arch x86 = { "x86_64", "__x64_sys_", SCMP_ARCH_X86_64, SCMP_ARCH_X86 };

static const char *name_of(unsigned caller)
{
	static char name[48];

	caller_name(&x86, caller, name, sizeof(name));
	return name;
}

/* The numbers are the kernel's (arch/x86/entry/syscalls). */
static void test_names(void **state)
{
	(void)state;
	assert_string_equal(name_of(0), "read");
	assert_string_equal(name_of(98), "getrusage");
	assert_string_equal(name_of(228), "clock_gettime");
	assert_string_equal(name_of(511), "syscall_511");
	assert_string_equal(name_of(CALLER_COMPAT + 77), "ia32:getrusage");
	assert_string_equal(name_of(CALLER_COMPAT + 403), "ia32:clock_gettime64");
	assert_string_equal(name_of(CALLER_COMPAT + 511), "ia32:syscall_511");
	assert_string_equal(name_of(CALLER_CONTEXTS + CTX_IRQ), "irq");
	assert_string_equal(name_of(CALLER_CONTEXTS + CTX_SWITCH), "switch");
	assert_string_equal(name_of(CALLER_CONTEXTS + CTX_COUNT), "?");
}

static void test_short_room(void **state)
{
	char name[6];

	(void)state;
	caller_name(&x86, 228, name, sizeof(name));
	assert_string_equal(name, "clock");
}

static void test_classes(void **state)
{
	static const struct {
		unsigned caller;
		enum syscall_class class;
	} rows[] = {
		{ 0, CLASS_NONE },
		{ 36, CLASS_ITIMER },
		{ 38, CLASS_ITIMER },
		{ 61, CLASS_WAIT },
		{ 98, CLASS_RUSAGE },
		{ 100, CLASS_SELF },
		{ 223, CLASS_TIMER },
		{ 224, CLASS_TIMER },
		{ 228, CLASS_CLOCKID },
		{ 229, CLASS_NONE },
		{ 230, CLASS_CLOCKID },
		{ 247, CLASS_WAIT },
		{ CALLER_COMPAT + 7, CLASS_WAIT },
		{ CALLER_COMPAT + 43, CLASS_SELF },
		{ CALLER_COMPAT + 77, CLASS_RUSAGE },
		{ CALLER_COMPAT + 98, CLASS_NONE },
		{ CALLER_COMPAT + 265, CLASS_CLOCKID },
		{ CALLER_COMPAT + 403, CLASS_CLOCKID },
	};
	__u8 classes[2 * CALLER_SYSCALLS] = {};
	int known[2] = {};

	(void)state;
	caller_classes(&x86, classes);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(classes[rows[i].caller], rows[i].class);
	for (int i = 0; i < 2 * CALLER_SYSCALLS; i++)
		known[i / CALLER_SYSCALLS] += classes[i] != CLASS_NONE;
	assert_int_equal(known[0], 10);
	assert_int_equal(known[1], 15);
}

/* An architecture without 32-bit programs fills only the first table. */
static void test_no_compat(void **state)
{
	const struct arch arch = { "x86_64", "__x64_sys_", SCMP_ARCH_X86_64, 0 };
	__u8 classes[2 * CALLER_SYSCALLS] = {};

	(void)state;
	caller_classes(&arch, classes);
	assert_int_equal(classes[228], CLASS_CLOCKID);
	for (int i = CALLER_SYSCALLS; i < 2 * CALLER_SYSCALLS; i++)
		assert_int_equal(classes[i], CLASS_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_short_room),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_no_compat),
	};

	return cmocka_run_group_tests_name("callers", tests, NULL, NULL);
}
