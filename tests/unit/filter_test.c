// SPDX-License-Identifier: GPL-2.0-only
/* What a trace is limited to: lists of processes, patterns of names, cgroups, and lists of
 * syscalls. */
#include "unit.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <seccomp.h>
#include <unistd.h>
#include "callers.h"
#include "filter.h"

static const struct arch x86 = { "x86_64", "__x64_sys_", SCMP_ARCH_X86_64, SCMP_ARCH_X86 };

/* As comm_matches() in bpf/filter.bpf.h goes through the machine; that one is run by
 * tests/guest/filter_test.sh. */
static bool matches(const char *pattern, const char *name)
{
	struct glob glob;
	__u32 state;

	assert_int_equal(glob_compile(&glob, pattern), 0);
	state = 1 | (glob.stars & 1) << 1;
	for (; *name; name++) {
		state = (state & glob.chars[(__u8)*name]) << 1 | (state & glob.stars);
		state |= (state & glob.stars) << 1;
	}
	return state & glob.accept;
}

static void test_glob(void **state)
{
	static const struct {
		const char *pattern, *names, *others; /* separated by spaces */
	} rows[] = {
		{ "abc", "abc", "ab abcd xbc" },
		{ "a*", "a ab a*", "ba" },
		{ "*", "a abcdefghijklmno", "" },
		{ "**c**", "c abc abcd", "ab" },
		{ "*a*b*", "ab xaxbx aab", "ba a b" },
		{ "?b?", "abc bbb", "ab abcd bcb" },
		{ "a[bc]d", "abd acd", "add abcd ad" },
		{ "a[b-d]e", "abe ace ade", "aae aee" },
		{ "a[!b-d]e", "aae aee", "abe ade ae" },
		{ "[]]x", "]x", "x [x" },
		{ "[-a]", "- a", "b" },
		{ "a[b", "a[b", "ab" },
		{ "a\\*", "a*", "ab a" },
		{ "kworker/*:*", "kworker/0:1", "kworker/0" },
		{ "\xc3*", "\xc3\xa4", "a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int other = 0; other < 2; other++) {
			char words[64], *rest = words, *word;

			snprintf(words, sizeof(words), "%s",
				 other ? rows[i].others : rows[i].names);
			while ((word = strsep(&rest, " ")))
				if (*word && matches(rows[i].pattern, word) == other)
					fail_msg("'%s' and '%s'", rows[i].pattern, word);
		}
	}
}

static void test_glob_refused(void **state)
{
	struct glob glob;

	(void)state;
	assert_int_equal(glob_compile(&glob, ""), -EINVAL);
	assert_int_equal(glob_compile(&glob, "0123456789012345678901234567890"), 0);
	assert_int_equal(glob_compile(&glob, "01234567890123456789012345678901"), -EINVAL);
	assert_int_equal(glob_compile(&glob, "********************************x"), 0);
}

static void test_pids(void **state)
{
	static const struct {
		const char *list, *why;
	} rows[] = {
		{ "0", "--pid takes numbers of processes, comma separated, not '0'" },
		{ "", "--pid takes numbers of processes, comma separated, not ''" },
		{ "1,", "--pid takes numbers of processes, comma separated, not '1,'" },
		{ "1 2", "--pid takes numbers of processes, comma separated, not '1 2'" },
		{ "-1", "--pid takes numbers of processes, comma separated, not '-1'" },
		{ "4194305", "--pid takes numbers of processes, comma separated, not '4194305'" },
		{ "4194304", "no process 4194304" },
	};
	struct filter filter = {};
	char list[64], why[128];

	(void)state;
	snprintf(list, sizeof(list), "%d,%d,%d", getpid(), getppid(), getpid());
	filter.pid_list = list;
	assert_int_equal(filter_open(&filter, why, sizeof(why)), 0);
	assert_int_equal(filter.nr_pids, 2); /* a second time is no other process */
	assert_int_equal(filter.pids[1], getppid());
	assert_true(fcntl(filter.pidfds[1], F_GETFD) >= 0);
	filter_close(&filter);
	assert_int_equal(filter.nr_pids, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		filter.pid_list = rows[i].list;
		assert_int_equal(filter_open(&filter, why, sizeof(why)), -EINVAL);
		assert_string_equal(why, rows[i].why);
		assert_int_equal(filter.nr_pids, 0);
	}
}

static void test_cgroup(void **state)
{
	struct filter none = { .cgroup = "/no/such" }, other = { .cgroup = "/proc" };
	char why[128];

	(void)state;
	assert_int_equal(filter_open(&none, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "no cgroup /no/such: No such file or directory");
	assert_int_equal(filter_open(&other, why, sizeof(why)), -EINVAL);
	assert_string_equal(why, "/proc is no cgroup of version 2");
	assert_int_equal(other.cgroup_fd, -1);
}

static void test_syscalls(void **state)
{
	__u8 classes[2 * CALLER_SYSCALLS] = {};
	char unknown[32];

	(void)state;
	caller_classes(&x86, classes);
	assert_int_equal(caller_select(&x86, "times,read", classes, unknown, sizeof(unknown)), 0);
	assert_int_equal(classes[100], CLASS_SELF);
	assert_int_equal(classes[0], CLASS_NONE);
	assert_int_equal(classes[98], CLASS_IGNORED);
	assert_int_equal(classes[CALLER_COMPAT + 43], CLASS_SELF);
	assert_int_equal(classes[CALLER_COMPAT + 77], CLASS_IGNORED);
	/* one that only 32-bit programs have */
	assert_int_equal(caller_select(&x86, "waitpid", classes, unknown, sizeof(unknown)), 0);
	assert_int_equal(classes[CALLER_COMPAT + 43], CLASS_IGNORED);
	assert_int_equal(caller_select(&x86, "times,tims", classes, unknown, sizeof(unknown)),
			 -EINVAL);
	assert_string_equal(unknown, "tims");
	assert_int_equal(caller_select(&x86, "times,", classes, unknown, sizeof(unknown)), -EINVAL);
	assert_string_equal(unknown, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_glob),	 cmocka_unit_test(test_glob_refused),
		cmocka_unit_test(test_pids),	 cmocka_unit_test(test_cgroup),
		cmocka_unit_test(test_syscalls),
	};

	return cmocka_run_group_tests_name("filter", tests, NULL, NULL);
}
