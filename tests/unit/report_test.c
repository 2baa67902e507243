// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report: the example's text in tests/data (made by "report_test example"), the other tables,
 * hostile strings, and the command's exit status.
 */
#include "unit.h"
#include "cmd.h"
#include "fixture.h"
#include "report.h"
#include "text.h"

#define EXAMPLE	     "tests/data/example.json"
#define EXAMPLE_TEXT "tests/data/example.txt"

static char text[1 << 16], want[1 << 16];

static const char *print(const struct profile *profile)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	assert_int_equal(report_print(profile, out), 0);
	fclose(out);
	return text;
}

static void slurp(const char *path)
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	want[fread(want, 1, sizeof(want) - 1, f)] = 0;
	fclose(f);
}

/* No line is wider than 100 columns, ends in a blank, or has anything but text in it. */
static void assert_tidy(void)
{
	char copy[sizeof(text)], *rest = copy, *line;

	strcpy(copy, text);
	while ((line = strsep(&rest, "\n"))) {
		char clean[1024];

		assert_string_equal(text_clean(clean, sizeof(clean), line), line);
		assert_true(text_width(line) <= 100);
		assert_true(!*line || line[strlen(line) - 1] != ' ');
	}
}

/* Where the line is that has @a and, behind it, @b; NULL for none. */
static const char *find_line(const char *a, const char *b)
{
	for (const char *at = text; (at = strstr(at, a)); at++) {
		const char *found = strstr(at, b), *end = strchr(at, '\n');

		if (found && found < end)
			return at;
	}
	return NULL;
}

static void test_example(void **state)
{
	struct profile profile;

	(void)state;
	fixture_make(&profile);
	print(&profile);
	profile_free(&profile);
	slurp(EXAMPLE_TEXT);
	assert_string_equal(text, want);
	assert_tidy();
}

/* What the example's numbers must be, whatever the layout. */
static void test_numbers(void **state)
{
	struct profile profile;

	(void)state;
	fixture_make(&profile);
	print(&profile);
	profile_free(&profile);
	assert_non_null(strstr(text, "1 150 064 reads  230 k/s  3 lost\n"));
	assert_non_null(find_line("1.00 M clock_gettime*", "361 ns 77.0 ns  361 ms  79 %\n"));
	assert_non_null(find_line("×17.0", "297 ns  281 ns  505 ms  60 %\n"));
	assert_non_null(find_line("  64 wait4*", "12.4 ms 12.4 ms  794 ms 0.0 %\n"));
	assert_non_null(find_line("     12", "of them returned an error"));
	assert_non_null(find_line("getrusage*", "us   usr"));
	/* the largest total first */
	assert_true(find_line("process/prof", "842 ms") < find_line("child", "794 ms"));
	assert_true(find_line("child", "794 ms") < find_line("thread/sched", "361 ms"));
	assert_non_null(
		find_line("2711 java", "1.00 M   87 %   366 ms   18 %  us 240, r 1.00 M\n"));
	assert_non_null(strstr(text, "lost: 2: the end of a call"));
	assert_non_null(strstr(text, "lost: 4: counted by caller"));
	assert_non_null(strstr(text, "not traced: psi_account_irqtime: not in this kernel: "
				     "IRQ_TIME_ACCOUNTING is off\n"));
}

static struct profile_path path_of(const char *caller, const char *function, int parent,
				   __u64 calls, __u64 avg_ns)
{
	struct profile_path path = {
		.clock = "-", .parent = parent, .calls = calls, .raw_ns = calls * avg_ns
	};

	strcpy(path.caller, caller);
	strcpy(path.function, function);
	fixture_hist(&path.hist, calls, avg_ns);
	return path;
}

static void test_other_sections(void **state)
{
	struct profile_path paths[] = {
		path_of("exit_group", "thread_group_cputime", -1, 40, 500),
		path_of("exit_group", "task_sched_runtime", 0, 80, 100),
		path_of("ia32:times", "thread_group_cputime_adjusted", -1, 7, 100),
		path_of("irq", "update_rq_clock", -1, 12000, 90),
		path_of("idle", "update_rq_clock", -1, 9000, 300),
	};
	struct profile profile = {
		.host.cpus = 1, .duration_ns = 1000000000, .paths = paths, .nr_paths = 5
	};
	const char *calls, *contexts;

	(void)state;
	profile_correct(&profile);
	print(&profile);
	assert_tidy();
	assert_non_null(strstr(text, "0 reads  47 calls by syscalls without a traced entry  "
				     "21 000 calls from elsewhere  0 lost\n"));
	calls = strstr(text, "\nby syscalls without a traced entry: calls of these functions");
	contexts = strstr(text, "\nfrom elsewhere\n  calls context");
	assert_non_null(calls);
	assert_non_null(contexts);
	assert_true(calls < find_line("     40 exit_group", "20.0 µs"));
	assert_true(find_line("     40 exit_group", "20.0 µs") < contexts);
	assert_non_null(find_line("  thread_group_cputime ", "500 ns  300 ns 20.0 µs 100 %\n"));
	assert_non_null(
		find_line("     ×2     task_sched_runtime", "100 ns  100 ns 8.00 µs  40 %\n"));
	assert_non_null(find_line("ia32:times", "700 ns"));
	assert_true(contexts < find_line("9.00 k idle", "2.70 ms"));
	assert_true(find_line("9.00 k idle", "2.70 ms") < find_line("12.0 k irq", "1.08 ms"));
	assert_null(strstr(text, "\n  reads "));
	assert_null(strchr(text, '*'));
}

static void test_clamped(void **state)
{
	struct profile_path path = path_of("irq", "update_rq_clock", -1, 100, 10);
	struct profile profile = {
		.host.cpus = 1, .inside_ns = 171, .whole_ns = 441, .paths = &path, .nr_paths = 1
	};

	(void)state;
	profile_correct(&profile);
	print(&profile);
	assert_non_null(find_line("update_rq_clock!", "0 ns"));
	assert_non_null(strstr(text, "\n! less was measured than the probes cost"));
}

static void test_nothing(void **state)
{
	struct profile_function functions[] = {
		{ "task_sched_runtime", "reads", true, "" },
		{ "psi_account_irqtime", "reads", false, "not in this kernel" },
	};
	struct profile profile = {
		.version = "0.1",
		.host = { .kernel = "6.1", .arch = "x86_64", .cpus = 1, .accounting = "tick" },
		.engine = "fentry",
		.duration_ns = 2000000000,
		.functions = functions,
		.nr_functions = 2
	};

	(void)state;
	assert_string_equal(
		print(&profile),
		"cputoll 0.1  Linux 6.1 x86_64  1 CPU  tick accounting  fentry  2.00 s\n"
		"no CPU time was read in 2.00 s: record for longer (-d), or see it work "
		"with 'record -- cputoll bench'\n"
		"not traced: psi_account_irqtime: not in this kernel\n");
	functions[0].attached = false;
	strcpy(functions[0].reason, "refused: Operation not permitted");
	profile.lost.overflow = 3;
	assert_string_equal(
		print(&profile),
		"cputoll 0.1  Linux 6.1 x86_64  1 CPU  tick accounting  fentry  2.00 s\n"
		"no read was seen, because no function was traced: 'cputoll doctor' says "
		"why\n"
		"lost: 3: calls were nested too deep, or a table was full\n"
		"not traced: task_sched_runtime: refused: Operation not permitted\n"
		"not traced: psi_account_irqtime: not in this kernel\n");
}

/*
 * Virtual accounting: 1000 syscalls in and out, three flushes below them; interrupts from user
 * mode; a guest; switches, to a task and to the idle one.
 */
static void test_vtime(void **state)
{
	struct profile_path paths[] = {
		path_of("getppid", "vtime_user_exit", -1, 1000, 100),
		path_of("getppid", "account_user_time", 0, 2, 500),
		path_of("getppid", "vtime_user_enter", -1, 1000, 200),
		path_of("getppid", "account_system_time", 2, 3, 600),
		path_of("getppid", "account_guest_time", 3, 3, 100), /* the same flush */
		path_of("fault", "vtime_user_exit", -1, 10, 1000),
		path_of("ioctl", "vtime_guest_enter", -1, 50, 100),
		path_of("ioctl", "vtime_guest_exit", -1, 50, 100),
		path_of("ioctl", "account_guest_time", 7, 50, 10),
		path_of("read", "vtime_task_switch_generic", -1, 6, 300),
		path_of("idle", "vtime_task_switch_generic", -1, 4, 300),
		path_of("idle", "vtime_account_idle", 10, 4, 100), /* part of the switch */
		path_of("irq", "account_system_time", -1, 7, 100), /* a tick: no event */
	};
	struct profile_function functions[] = {
		{ "vtime_user_enter", "vtime", true, "" },
		{ "vtime_user_exit", "vtime", true, "" },
		{ "vtime_guest_enter", "vtime", true, "" },
		{ "vtime_guest_exit", "vtime", true, "" },
		{ "vtime_account_idle", "vtime", true, "" },
		{ "vtime_task_switch_generic", "vtime", true, "" },
		{ "account_user_time", "vtime", true, "" },
		{ "account_system_time", "vtime", true, "" },
		{ "account_guest_time", "vtime", true, "" },
	};
	struct profile profile = { .host = { .cpus = 2, .accounting = "vtime-gen" },
				   .duration_ns = 500000000,
				   .paths = paths,
				   .nr_paths = sizeof(paths) / sizeof(paths[0]),
				   .functions = functions,
				   .nr_functions = sizeof(functions) / sizeof(functions[0]) };

	(void)state;
	profile_correct(&profile);
	print(&profile);
	assert_tidy();
	assert_non_null(strstr(text, "0 reads  2 106 calls of other functions  21 calls from "
				     "elsewhere  0 lost\n"));
	assert_non_null(strstr(text, "\nvirtual CPU-time accounting\n"
				     " events       /s  kind               p50     p99     avg   "
				     "total  of CPU  flushed\n"
				     " 2.00 k   4.00 k  syscall         201 ns  406 ns  150 ns  "
				     "300 µs   0.0 %    0.2 %\n"
				     "     10       20  irq, fault     1.00 µs 2.04 µs 1.00 µs "
				     "10.0 µs   0.0 %      0 %\n"
				     "    100      200  guest           100 ns  207 ns  100 ns "
				     "10.0 µs   0.0 %     50 %\n"
				     "      6       12  switch          300 ns  304 ns  300 ns "
				     "1.80 µs   0.0 %      0 %\n"
				     "      4        8  idle            300 ns  304 ns  300 ns "
				     "1.20 µs   0.0 %      0 %\n"
				     "\n"));
	assert_non_null(strstr(text, "\nother functions, by the syscall that called them\n"));

	/* without those that flush, nobody knows */
	for (int i = 6; i < 9; i++)
		functions[i].attached = false;
	print(&profile);
	assert_non_null(find_line("2.00 k   4.00 k  syscall", "0.0 %        -\n"));

	strcpy(profile.host.accounting, "tick");
	print(&profile);
	assert_non_null(strstr(text, "\nvirtual CPU-time accounting: none, this kernel accounts "
				     "CPU time at the tick\n"));
	assert_null(strstr(text, "flushed"));

	strcpy(profile.host.accounting, "vtime-gen");
	profile.nr_paths = 0;
	functions[6].attached = true;
	print(&profile);
	assert_non_null(strstr(text, "no traced function was called in 500 ms: record for longer "
				     "(-d)\n\nvirtual CPU-time accounting: no event\n"));
}

/* Functions that the table does not know: nested, by their caller; a read inside is a read. */
static void test_any_functions(void **state)
{
	struct profile_path paths[] = {
		path_of("read", "ksys_read", -1, 10, 500),
		path_of("read", "vfs_read", 0, 10, 400),
		path_of("read", "proc_tgid_stat", -1, 2, 300),
		path_of("kthread", "vfs_read", -1, 5, 400),
	};
	struct profile_function functions[] = {
		{ "ksys_read", "other", true, "" },
		{ "vfs_read", "other", true, "" },
		{ "proc_tgid_stat", "reads", true, "" },
	};
	struct profile_syscall read = { .name = "read", .clock = "proc/process", .calls = 2 };
	struct profile profile = { .host = { .cpus = 1, .accounting = "tick" },
				   .duration_ns = 1000000000,
				   .paths = paths,
				   .nr_paths = 4,
				   .syscalls = &read,
				   .nr_syscalls = 1,
				   .functions = functions,
				   .nr_functions = 3 };
	const char *others, *contexts;

	(void)state;
	strcpy(paths[2].clock, "proc/process");
	profile_correct(&profile);
	print(&profile);
	assert_tidy();
	assert_non_null(strstr(text, "2 reads  2/s  10 calls of other functions  5 calls from "
				     "elsewhere  0 lost\n"));
	others = strstr(text, "\nother functions, by the syscall that called them\n  calls caller");
	contexts = strstr(text, "\nfrom elsewhere\n  calls context");
	assert_non_null(others);
	assert_true(find_line("      2 read", "proc/process") < others);
	assert_true(others < find_line("          ksys_read", "500 ns  100 ns 5.00 µs 100 %\n"));
	assert_non_null(find_line("            vfs_read", "400 ns  400 ns 4.00 µs  80 %\n"));
	assert_true(contexts < find_line("      5 kthread", "2.00 µs\n"));
	assert_null(strstr(text, "virtual CPU-time accounting"));
}

/* Every string of a profile as long and as bad as it may be: no escape reaches the terminal. */
static void test_hostile(void **state)
{
	struct profile_function function = {};
	struct profile_process process = { .pid = INT32_MAX,
					   .calls = UINT64_MAX,
					   .total_ns = UINT64_MAX };
	struct profile_path paths[64] = {};
	struct profile profile = { .host.cpus = INT32_MAX,
				   .duration_ns = 1,
				   .paths = paths,
				   .functions = &function,
				   .nr_functions = 1,
				   .processes = &process,
				   .nr_processes = 1,
				   .inside_ns = 1,
				   .whole_ns = UINT64_MAX };
	struct profile_syscall syscall = {};

	(void)state;
#define FILL(member) memset(member, '\x1b', sizeof(member) - 1)
	FILL(profile.version);
	FILL(profile.engine);
	FILL(profile.command);
	FILL(profile.host.kernel);
	FILL(profile.host.arch);
	FILL(profile.host.clocksource);
	FILL(profile.host.accounting);
	FILL(function.name);
	FILL(function.reason);
	FILL(process.comm);
	FILL(syscall.name);
	FILL(syscall.clock);
	for (int i = 0; i < MASK_COUNT; i++)
		process.masks[i] = 1000;
	for (int i = 0; i < 64; i++) {
		FILL(paths[i].caller);
		FILL(paths[i].clock);
		FILL(paths[i].function);
		paths[i].parent = i - 1; /* 64 deep */
		paths[i].calls = paths[i].total_ns = UINT64_MAX;
		paths[i].errors = UINT64_MAX;
		paths[i].may_sleep = paths[i].clamped = true;
		paths[i].hist.count[HIST_BUCKETS - 1] = 1;
	}
	profile.nr_paths = 64;
	profile.syscalls = &syscall;
	profile.nr_syscalls = 1;
	print(&profile);
	assert_null(strchr(text, '\x1b'));
	for (const char *c = text; *c; c++)
		assert_true(*c == '\n' || (unsigned char)*c >= ' ');
	assert_non_null(find_line("2147483647 ???????????????", "18.4 E"));
}

static void test_many_processes(void **state)
{
	struct profile_path path = path_of("irq", "update_rq_clock", -1, 1, 100);
	struct profile_process processes[25] = {};
	struct profile profile = { .host.cpus = 1,
				   .paths = &path,
				   .nr_paths = 1,
				   .processes = processes,
				   .nr_processes = 25 };

	(void)state;
	for (int i = 0; i < 25; i++)
		processes[i] = (struct profile_process){ 1000 + i, "worker", 4, 100, { [0] = 4 } };
	print(&profile);
	assert_tidy();
	assert_non_null(find_line("1009 worker", "4  4.0 %   100 ns  4.0 %  - 4\n"));
	assert_null(strstr(text, "1010 worker"));
	assert_non_null(strstr(text, " and 15 more\n"));
}

/* Run the command; its standard output is in text, its standard error in want. */
static int run(const char *const *words)
{
	struct capture out, err;
	char *argv[8] = { "report" };
	int argc = 1, status;

	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	capture_begin(&out, STDOUT_FILENO);
	capture_begin(&err, STDERR_FILENO);
	status = cmd_report(argc, argv);
	capture_end(&err, want, sizeof(want));
	capture_end(&out, text, sizeof(text));
	return status;
}
#define RUN(...) run((const char *const[]){ __VA_ARGS__, NULL })

static void test_command(void **state)
{
	(void)state;
	assert_int_equal(RUN(EXAMPLE), EXIT_OK);
	assert_string_equal(want, "");
	slurp(EXAMPLE_TEXT);
	assert_string_equal(text, want);
	assert_int_equal(RUN("--json", EXAMPLE), EXIT_OK);
	slurp(EXAMPLE);
	assert_string_equal(text, want);
	assert_int_equal(RUN(EXAMPLE, "--json"), EXIT_OK);
	slurp(EXAMPLE);
	assert_string_equal(text, want);
}

static void test_command_fails(void **state)
{
	(void)state;
	assert_int_equal(RUN("/nonexistent.json"), EXIT_USAGE);
	assert_string_equal(text, "");
	assert_string_equal(want,
			    "cputoll: report: /nonexistent.json: cannot open: No such file or "
			    "directory; 'cputoll record' writes one\n");
	assert_int_equal(RUN("--json", EXAMPLE_TEXT), EXIT_USAGE);
	assert_string_equal(text, "");
	assert_string_equal(want, "cputoll: report: " EXAMPLE_TEXT
				  ": is not JSON: unexpected character at byte 0\n");
	assert_int_equal(RUN(EXAMPLE, EXAMPLE), EXIT_USAGE);
	assert_string_equal(want, "cputoll: report: one FILE at most, '" EXAMPLE "' is too many\n");
	assert_int_equal(RUN(EXAMPLE, "--yaml"), EXIT_USAGE);
	assert_string_equal(want,
			    "cputoll: report: unknown option --yaml; see cputoll report -h\n");
	assert_int_equal(RUN("-h"), EXIT_OK);
	assert_non_null(strstr(text, "Usage: cputoll report [OPTIONS] [FILE]\n"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example),	       cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_other_sections), cmocka_unit_test(test_clamped),
		cmocka_unit_test(test_nothing),	       cmocka_unit_test(test_vtime),
		cmocka_unit_test(test_any_functions),  cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_many_processes), cmocka_unit_test(test_command),
		cmocka_unit_test(test_command_fails),
	};

	if (argc > 1 && !strcmp(argv[1], "example")) {
		struct profile profile;
		int err;

		fixture_make(&profile);
		err = report_print(&profile, stdout);
		profile_free(&profile);
		return !!err;
	}
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
