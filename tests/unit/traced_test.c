// SPDX-License-Identifier: GPL-2.0-only
/* The function table: selection by name, and what is said of functions that a kernel has not. */
#include "unit.h"
#include <errno.h>
#include <seccomp.h>
#include <bpf/btf.h>
#include "layout.h"
#include "symbols.h"
#include "traced.h"

static const struct arch x86 = { "x86_64", "__x64_sys_", SCMP_ARCH_X86_64, SCMP_ARCH_X86 };

#define READS 19 /* rows of the group reads */
#define VTIME 17
#define OTHER 24

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
	assert_true(FN_COUNT < FN_MAX);
	for (int i = 0; i < FN_COUNT; i++) {
		bool is_default = functions[i].group == GROUP_reads ||
				  functions[i].group == GROUP_internal;

		assert_int_equal(functions[i].wanted, is_default);
		assert_false(functions[i].attached);
		assert_string_equal(functions[i].reason, is_default ? "" : "not selected");
		for (int j = 0; j < i && functions[i].group != GROUP_other; j++)
			assert_string_not_equal(functions[i].symbol, functions[j].symbol);
	}
	assert_true(functions_has_group(functions, GROUP_reads));
	assert_false(functions_has_group(functions, GROUP_vtime));
}

static int count_wanted(const struct function *functions)
{
	int wanted = 0;

	for (int i = 0; i < FN_COUNT; i++)
		wanted += functions[i].wanted && !function_is_internal(&functions[i]);
	return wanted;
}

/* --- a kernel of our own: its types, its symbols, what it lets be traced ---------------------- */

static const char *const kernel_functions[] = {
	"vfs_read", "vfs_write",     "vfs_iter_read",	"ksys_read", "__x64_sys_read",
	"twice",    "do_syscall_64", "__rcu_read_lock", "do_exit",   "bpf_map_update_elem",
	"wide_1",   "wide_2",
};

static const char kernel_symbols[] = "ffffffff81000000 T vfs_read\n"
				     "ffffffff81000010 T vfs_write\n"
				     "ffffffff81000020 T vfs_iter_read\n"
				     "ffffffff81000030 T ksys_read\n"
				     "ffffffff81000040 T __x64_sys_read\n"
				     "ffffffff81000050 t twice\n"
				     "ffffffff81000060 t twice\n"
				     "ffffffff81000070 T do_syscall_64\n"
				     "ffffffff81000080 t moved.isra.0\n"
				     "ffffffff81000090 t without_types\n"
				     "ffffffff810000a0 d vfs_data\n"
				     "ffffffff810000b0 t not_vfs_read_either\n"
				     "ffffffffc0000000 t kvm_thing\t[kvm]";

static const char kernel_traceable[] =
	"\nvfs_read\nvfs_write\nvfs_iter_read\nksys_read\n__x64_sys_read\ntwice\nvariadic\nmany\n"
	"wide_1\nwide_2\nx_read_x [kvm]\n";

static void add_function(struct btf *btf, const char *name, int arguments, bool variadic)
{
	int number = btf__find_by_name(btf, "int"), proto;

	if (number < 0)
		number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	proto = btf__add_func_proto(btf, number);
	for (int i = 0; i < arguments; i++)
		assert_int_equal(btf__add_func_param(btf, "a", number), 0);
	if (variadic)
		assert_int_equal(btf__add_func_param(btf, "", 0), 0);
	assert_true(btf__add_func(btf, name, BTF_FUNC_STATIC, proto) > 0);
}

static struct btf *kernel_make(struct symbols *symbols)
{
	struct btf *btf = btf__new_empty();

	assert_non_null(btf);
	for (size_t i = 0; i < sizeof(kernel_functions) / sizeof(kernel_functions[0]); i++)
		add_function(btf, kernel_functions[i], 3, false);
	add_function(btf, "variadic", 1, true);
	add_function(btf, "many", 13, false);
	for (int i = 0; i < OTHER + 1; i++) {
		char name[16];

		snprintf(name, sizeof(name), "crowd_%02d", i);
		add_function(btf, name, 1, false);
	}
	symbols->vmlinux = btf;
	symbols->kallsyms = strdup(kernel_symbols);
	symbols->traceable = strdup(kernel_traceable);
	return btf;
}

/* Select @names; returns what functions_select() does, with the lines of what is refused. */
static int select_names(struct function *functions, const char *names, char *refused, size_t bytes)
{
	struct symbols symbols = {};
	struct btf *btf = kernel_make(&symbols);
	struct refusals refusals;
	int ret;

	functions_init(functions, &x86);
	ret = functions_select(functions, names, &symbols, &refusals);
	snprintf(refused, bytes, "%s", refusals.text);
	symbols_free(&symbols);
	btf__free(btf);
	return ret;
}

static void test_select(void **state)
{
	static const struct {
		const char *names;
		int wanted;
	} rows[] = {
		{ NULL, READS },
		{ "reads", READS },
		{ "vtime", VTIME },
		{ "all", READS + VTIME },
		{ "vtime,reads", READS + VTIME },
		{ "vtime,vtime_flush", VTIME },
		{ "vtime_*", 12 },
		{ "vtime_user_e*", 2 },
		{ "account_[us]*_time", 3 },
		{ "*_sched_runtime", 1 },
		{ "task_sched_runtime,times", 2 },
		{ "__x64_sys_timer_settime", 2 }, /* with what resolves its clock */
		{ "timer_?ettime", 4 },
		{ "vfs_read,ksys_read", 2 },
		{ "vfs_read,vfs_read,vfs_*", 3 },
		{ "vfs_*,reads", 3 + READS },
		{ "*_read", 4 }, /* vfs_, vfs_iter_, ksys_, __x64_sys_ */
	};
	struct function functions[FN_COUNT];
	char refused[2048];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(select_names(functions, rows[i].names, refused, sizeof(refused)),
				 0);
		assert_string_equal(refused, "");
		assert_int_equal(count_wanted(functions), rows[i].wanted);
		/* the calibration always runs */
		assert_true(functions[FN_ID_bpf_fentry_test1].wanted);
	}

	select_names(functions, "timer_settime,vfs_read", refused, sizeof(refused));
	assert_true(functions[FN_ID_posix_cpu_timer_set].wanted);
	assert_false(functions[FN_ID_posix_cpu_timer_get].wanted);
	assert_string_equal(functions[FN_ID_wait4].reason, "not selected");
	assert_string_equal(functions[FN_ID_any_00].symbol, "vfs_read");
	assert_true(function_is_named(&functions[FN_ID_any_00]));
	assert_false(function_is_named(&functions[FN_ID_any_01]));
	assert_true(functions[FN_ID_any_00].preemptible);
	assert_true(functions_has_group(functions, GROUP_other));
	assert_false(functions_has_group(functions, GROUP_vtime));
}

/* What a glob matches and cannot be traced is left out, with the reason; by its name, refused. */
static void test_select_glob_leaves_out(void **state)
{
	struct function functions[FN_COUNT];
	char refused[2048];

	(void)state;
	assert_int_equal(select_names(functions, "do_*", refused, sizeof(refused)), 0);
	assert_int_equal(count_wanted(functions), 0);
	assert_string_equal(functions[FN_ID_any_00].symbol, "do_syscall_64");
	assert_true(functions[FN_ID_any_00].by_glob);
	assert_string_equal(functions[FN_ID_any_00].reason,
			    "the kernel does not let it be traced (noinstr, notrace: not in "
			    "available_filter_functions)");
	assert_string_equal(functions[FN_ID_any_01].reason,
			    "never returns, so that its calls have no end to be timed");

	assert_int_equal(select_names(functions, "do_*,do_exit", refused, sizeof(refused)),
			 -EINVAL);
	assert_string_equal(refused, "cannot trace 'do_exit': never returns, so that its calls "
				     "have no end to be timed\n");
}

#define IN_PROBES                                                                              \
	": the probes themselves run it, or interrupt themselves with it, without end on old " \
	"kernels\n"

static void test_select_refused(void **state)
{
	static const struct {
		const char *names, *refused;
	} rows[] = {
		{ "task_sched_runtim", "no function 'task_sched_runtim' in this kernel, unless "
				       "inlined; near it: task_sched_runtime\n" },
		{ "vfs_raed", "no function 'vfs_raed' in this kernel, unless inlined; near it: "
			      "vfs_read\n" },
		{ "vfs_rite", "no function 'vfs_rite' in this kernel, unless inlined; near it: "
			      "vfs_write, vfs_read\n" },
		{ "read", "no function 'read' in this kernel, unless inlined; near it: "
			  "__x64_sys_read\n" },
		{ "crowd_9", "no function 'crowd_9' in this kernel, unless inlined; near it: "
			     "crowd_09, crowd_19, crowd_00\n" },
		{ "nothing_like_this_at_all", "no function 'nothing_like_this_at_all' in this "
					      "kernel, unless inlined\n" },
		{ "times,,wait4", "an empty name among the functions\n" },
		{ "", "an empty name among the functions\n" },
		{ "times,", "an empty name among the functions\n" },
		{ " times",
		  "no function ' times' in this kernel, unless inlined; near it: times\n" },
		{ "zzz*", "no function matches 'zzz*'\n" },
		{ "any_00", "no function 'any_00' in this kernel, unless inlined\n" },
		{ "local_timer", "no function 'local_timer' in this kernel, unless inlined\n" },
		{ "other", "no function 'other' in this kernel, unless inlined\n" },
		{ "bpf_fentry_test1", "no function 'bpf_fentry_test1' in this kernel, unless "
				      "inlined\n" }, /* not a user's to choose */
		{ "moved", "cannot trace 'moved': changed by the compiler, only moved.isra.0 is "
			   "there\n" },
		{ "without_types", "cannot trace 'without_types': in this kernel, but not "
				   "described by its BTF\n" },
		{ "kvm_thing", "cannot trace 'kvm_thing': in module [kvm]; only the kernel's own "
			       "functions can be traced\n" },
		{ "vfs_data", "no function 'vfs_data' in this kernel, unless inlined\n" },
		{ "variadic", "cannot trace 'variadic': takes a variable number of arguments "
			      "(...), which no probe can pass on\n" },
		{ "many", "cannot trace 'many': takes 13 arguments, more than the 12 a probe can "
			  "pass on\n" },
		{ "twice", "cannot trace 'twice': 2 functions of this kernel have that name\n" },
		{ "do_syscall_64", "cannot trace 'do_syscall_64': the kernel does not let it be "
				   "traced (noinstr, notrace: not in "
				   "available_filter_functions)\n" },
		{ "__rcu_read_lock", "cannot trace '__rcu_read_lock'" IN_PROBES },
		{ "bpf_map_update_elem", "cannot trace 'bpf_map_update_elem'" IN_PROBES },
		{ "crowd_*", "'crowd_*' matches 25 functions, and at most 24 that 'cputoll doctor' "
			     "does not list can be traced at once\n" },
		{ "zzz*,many,vfs_read,moved",
		  "no function matches 'zzz*'\n"
		  "cannot trace 'many': takes 13 arguments, more than the 12 a probe can pass on\n"
		  "cannot trace 'moved': changed by the compiler, only moved.isra.0 is there\n" },
	};
	struct function functions[FN_COUNT];
	char refused[2048];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(select_names(functions, rows[i].names, refused, sizeof(refused)),
				 -EINVAL);
		assert_string_equal(refused, rows[i].refused);
	}
}

/* As many as there are rows for, and one more; more lines than there is room for. */
static void test_select_many(void **state)
{
	struct function functions[FN_COUNT];
	char names[8192] = "vfs_read", refused[4096];
	struct symbols symbols = {};
	struct btf *btf = kernel_make(&symbols);
	struct refusals refusals;

	(void)state;
	free(symbols.traceable);
	symbols.traceable = strdup(""); /* as when it cannot be read */
	functions_init(functions, &x86);
	assert_int_equal(functions_select(functions,
					  "vfs_read,crowd_0*,crowd_1*,crowd_20,crowd_21,"
					  "crowd_22,reads",
					  &symbols, &refusals),
			 0);
	assert_int_equal(count_wanted(functions), OTHER + READS);
	assert_string_equal(functions[FN_ID_any_23].symbol, "crowd_22");
	functions_init(functions, &x86);
	assert_int_equal(functions_select(functions, "vfs_read,crowd_0*,crowd_1*,crowd_2*",
					  &symbols, &refusals),
			 -EINVAL);
	assert_string_equal(refusals.text,
			    "26 functions that 'cputoll doctor' does not list, and at most 24 of "
			    "them can be traced at once\n");
	symbols_free(&symbols);
	btf__free(btf);

	for (int i = 0; i < 100; i++)
		strcat(names, ",no_such_function_anywhere");
	assert_int_equal(select_names(functions, names, refused, sizeof(refused)), -EINVAL);
	assert_true(strlen(refused) > 1800 && strlen(refused) < sizeof(refusals.text));
	assert_int_equal(refused[strlen(refused) - 1], '\n');
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

		if (functions[i].group == GROUP_other)
			continue;

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

static void look_up_in(struct function *functions, int missing, const char *value,
		       const char *symbols_text)
{
	struct profile_config config = { .name = "IRQ_TIME_ACCOUNTING" };
	struct profile_host host = { .config = &config, .nr_config = 1 };
	struct symbols symbols = { .kallsyms = strdup(symbols_text) };
	struct btf *btf;

	snprintf(config.value, sizeof(config.value), "%s", value);
	functions_init(functions, &x86);
	btf = types_without(functions, missing);
	symbols.vmlinux = btf;
	functions_look_up(functions, &symbols, &host);
	symbols_free(&symbols);
	btf__free(btf);
}

static void look_up(struct function *functions, int missing, const char *value)
{
	look_up_in(functions, missing, value, "");
}

static void test_look_up(void **state)
{
	struct function functions[FN_COUNT];

	(void)state;
	look_up(functions, FN_COUNT, "y");
	assert_int_equal(count_wanted(functions), READS);

	look_up(functions, FN_ID_psi_account_irqtime, "n");
	assert_int_equal(count_wanted(functions), READS - 1);
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
	look_up_in(functions, FN_ID_update_rq_clock, "y", "81000000 t update_rq_clock.part.0\n");
	assert_string_equal(functions[FN_ID_update_rq_clock].reason,
			    "changed by the compiler, only update_rq_clock.part.0 is there");
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
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_select),
		cmocka_unit_test(test_select_glob_leaves_out),
		cmocka_unit_test(test_select_refused),
		cmocka_unit_test(test_select_many),
		cmocka_unit_test(test_look_up),
		cmocka_unit_test(test_is_entry),
	};

	return cmocka_run_group_tests_name("traced", tests, NULL, NULL);
}
