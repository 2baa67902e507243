// SPDX-License-Identifier: GPL-2.0-only
/* The function table: selection by name, and what is said of functions that a kernel has not. */
#include "unit.h"
#include <errno.h>
#include <seccomp.h>
#include <bpf/btf.h>
#include "traced.h"

static const struct arch x86 = { "x86_64", "__x64_sys_", SCMP_ARCH_X86_64, SCMP_ARCH_X86 };

#define CHOOSABLE (FN_COUNT - 5) /* without two CALIBRATE and three INTERRUPT rows */

static void test_table(void **state)
{
	struct function functions[FN_COUNT];

	(void)state;
	functions_init(functions, &x86);
	assert_string_equal(functions[FN_ID_clock_gettime].symbol, "__x64_sys_clock_gettime");
	assert_string_equal(functions[FN_ID_proc_tgid_stat].symbol, "proc_tgid_stat");
	assert_string_equal(functions[FN_ID_update_rq_clock].parent, "task_sched_runtime");
	assert_string_equal(functions[FN_ID_clock_gettime].parent, "none");
	assert_string_equal(functions[FN_ID_psi_account_irqtime].config, "IRQ_TIME_ACCOUNTING");
	assert_int_equal(functions[FN_ID_posix_cpu_timer_set].kind, FN_RESOLVE);
	for (int i = 0; i < FN_COUNT; i++) {
		assert_true(functions[i].wanted);
		assert_false(functions[i].attached);
		assert_string_equal(functions[i].reason, "");
		for (int j = 0; j < i; j++)
			assert_string_not_equal(functions[i].symbol, functions[j].symbol);
	}
}

static int count_wanted(const struct function *functions)
{
	int wanted = 0;

	for (int i = 0; i < FN_COUNT; i++)
		wanted += functions[i].wanted && !function_is_internal(&functions[i]);
	return wanted;
}

static void test_select(void **state)
{
	struct function functions[FN_COUNT];
	char unknown[64] = "";

	(void)state;
	functions_init(functions, &x86);
	assert_int_equal(functions_select(functions, NULL, unknown, sizeof(unknown)), 0);
	assert_int_equal(count_wanted(functions), CHOOSABLE);

	assert_int_equal(
		functions_select(functions, "task_sched_runtime,times", unknown, sizeof(unknown)),
		0);
	assert_int_equal(count_wanted(functions), 2);
	assert_true(functions[FN_ID_task_sched_runtime].wanted);
	assert_true(functions[FN_ID_times].wanted);
	assert_string_equal(functions[FN_ID_wait4].reason, "not selected");
	assert_true(functions[FN_ID_bpf_fentry_test1].wanted); /* the calibration always runs */

	functions_init(functions, &x86);
	assert_int_equal(
		functions_select(functions, "__x64_sys_timer_settime", unknown, sizeof(unknown)),
		0);
	assert_int_equal(count_wanted(functions), 2); /* with what resolves its clock */
	assert_true(functions[FN_ID_posix_cpu_timer_set].wanted);
	assert_false(functions[FN_ID_posix_cpu_timer_get].wanted);
}

static void test_select_unknown(void **state)
{
	static const struct {
		const char *names, *unknown;
	} rows[] = {
		{ "task_sched_runtim", "task_sched_runtim" },
		{ "task_sched_runtimee", "task_sched_runtimee" },
		{ "times,,wait4", "" },
		{ "", "" },
		{ "times,", "" },
		{ "times,vfs_read", "vfs_read" },
		{ "bpf_fentry_test1", "bpf_fentry_test1" }, /* not a user's to choose */
		{ "local_timer", "local_timer" },
		{ " times", " times" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct function functions[FN_COUNT];
		char unknown[64] = "untouched";

		functions_init(functions, &x86);
		assert_int_equal(
			functions_select(functions, rows[i].names, unknown, sizeof(unknown)),
			-ENOENT);
		assert_string_equal(unknown, rows[i].unknown);
	}
}

/* A kernel's types with one function of the table left out. */
static struct btf *types_without(const struct function *functions, int missing)
{
	struct btf *btf = btf__new_empty();
	int proto;

	assert_non_null(btf);
	proto = btf__add_func_proto(btf, 0);
	assert_true(proto > 0);
	for (int i = 0; i < FN_COUNT; i++) {
		char tracepoint[96];

		snprintf(tracepoint, sizeof(tracepoint), "btf_trace_%s_entry", functions[i].symbol);
		if (i == missing)
			continue;
		if (functions[i].kind == FN_INTERRUPT)
			assert_true(btf__add_typedef(btf, tracepoint, proto) > 0);
		else
			assert_true(btf__add_func(btf, functions[i].symbol, BTF_FUNC_STATIC,
						  proto) > 0);
	}
	return btf;
}

static void look_up(struct function *functions, int missing, const char *value)
{
	struct profile_config config = { .name = "IRQ_TIME_ACCOUNTING" };
	struct profile_host host = { .config = &config, .nr_config = 1 };
	struct btf *btf;

	snprintf(config.value, sizeof(config.value), "%s", value);
	functions_init(functions, &x86);
	/* a name that no kernel has, so that the running one's symbols decide nothing */
	if (missing < FN_COUNT)
		snprintf(functions[missing].symbol, sizeof(functions[missing].symbol),
			 "no_such_function");
	btf = types_without(functions, missing);
	functions_look_up(functions, btf, &host);
	btf__free(btf);
}

static void test_look_up(void **state)
{
	struct function functions[FN_COUNT];

	(void)state;
	look_up(functions, FN_COUNT, "y");
	assert_int_equal(count_wanted(functions), CHOOSABLE);

	look_up(functions, FN_ID_psi_account_irqtime, "n");
	assert_int_equal(count_wanted(functions), CHOOSABLE - 1);
	assert_false(functions[FN_ID_psi_account_irqtime].wanted);
	assert_string_equal(functions[FN_ID_psi_account_irqtime].reason,
			    "not in this kernel: IRQ_TIME_ACCOUNTING is off");

	look_up(functions, FN_ID_psi_account_irqtime, "y");
	assert_string_equal(functions[FN_ID_psi_account_irqtime].reason,
			    "not in this kernel: inlined or renamed");

	look_up(functions, FN_ID_psi_account_irqtime, "");
	assert_string_equal(functions[FN_ID_psi_account_irqtime].reason,
			    "not in this kernel: IRQ_TIME_ACCOUNTING is off, or inlined");

	look_up(functions, FN_ID_local_timer, "y");
	assert_false(functions[FN_ID_local_timer].wanted);
	assert_true(functions[FN_ID_softirq].wanted);

	look_up(functions, FN_ID_update_rq_clock, "y");
	assert_string_equal(functions[FN_ID_update_rq_clock].reason,
			    "not in this kernel: inlined or renamed");
}

static void test_is_entry(void **state)
{
	(void)state;
	assert_true(functions_is_entry("__x64_sys_times"));
	assert_true(functions_is_entry("proc_tid_stat"));
	assert_false(functions_is_entry("times"));
	assert_false(functions_is_entry("__x64_sys_read"));
	assert_false(functions_is_entry("task_sched_runtime"));
	assert_false(functions_is_entry("posix_cpu_timer_set"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),	       cmocka_unit_test(test_select),
		cmocka_unit_test(test_select_unknown), cmocka_unit_test(test_look_up),
		cmocka_unit_test(test_is_entry),
	};

	return cmocka_run_group_tests_name("traced", tests, NULL, NULL);
}
