// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll compare: rows matched, changes and words, what is noted, text and JSON; and every file
 * that it must refuse. The data are tests/data's results of bench and the profile's fixture.
 */
#include "command.h"
#include <math.h>
#include <sys/stat.h>
#include "cmd.h"
#include "fixture.h"
#include "stats.h"

#define STOCK  "tests/data/bench-stock.json"
#define HOT    "tests/data/bench-hot.json"
#define POUND  "tests/data/pound-stock.json"
#define ALL    "tests/data/pound-sync-all.json"
#define TARGET "tests/data/pound-sync-target.json"

static char content[1 << 20];

static const char *in_dir(const char *name)
{
	static char paths[4][128];
	static int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

/* cputoll compare WORDS, NULL at the end. */
static int run(const char *const *from)
{
	char *argv[16] = { "compare" };
	int argc = 1;

	for (; *from; from++)
		argv[argc++] = (char *)*from;
	return run_command(cmd_compare, argc, argv);
}

static void put(const char *path, const char *text, size_t bytes)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

/* @file with the first @from behind the first @after replaced by @to, as a new file. */
static const char *changed(const char *file, const char *after, const char *from, const char *to)
{
	const char *path = in_dir("changed.json"), *at;
	FILE *f = fopen(file, "r");
	size_t n;
	FILE *to_file;

	assert_non_null(f);
	n = fread(content, 1, sizeof(content) - 1, f);
	content[n] = 0;
	fclose(f);
	at = strstr(content, after);
	assert_non_null(at);
	at = strstr(at, from);
	assert_non_null(at);
	to_file = fopen(path, "w");
	assert_non_null(to_file);
	fprintf(to_file, "%.*s%s%s", (int)(at - content), content, to, at + strlen(from));
	assert_int_equal(fclose(to_file), 0);
	return path;
}

static double number(struct json_object *from, const char *key)
{
	return json_object_get_double(json_at(from, key, 0));
}

static void test_bench(void **state)
{
	(void)state;
	assert_int_equal(RUN(STOCK, HOT), EXIT_OK);
	assert_string_equal(err, "");
	assert_string_equal(
		out,
		"base  tests/data/bench-stock.json  clock-thread  Linux 6.1.192  tick accounting  "
		"icount\n"
		"other tests/data/bench-hot.json  clock-thread  Linux 6.1.192-hot  tick accounting "
		" "
		"icount\n"
		"note: kernels differ: tests/data/bench-stock.json 6.1.192, "
		"tests/data/bench-hot.json 6.1.192-hot\n\n"
		"instructions per call, median           base    other   change     95 % interval  "
		"      p\n"
		"clock_gettime thread/sched constant    678.5    778.6  +14.8 %   +14.7 … +14.8 %  "
		" 0.0079  slower\n\n"
		"no difference: p is not below 0.01, or the median changed by less than 0.1 %, or "
		"the interval\nholds 0\n");
}

static void test_bench_json(void **state)
{
	struct json_object *document, *row;

	(void)state;
	assert_int_equal(RUN(STOCK, "--json", HOT), EXIT_OK);
	document = json_tokener_parse(out);
	assert_non_null(document);
	assert_string_equal(json_object_get_string(json_at(document, "schema", 0)),
			    "cputoll.compare/1");
	assert_string_equal(json_object_get_string(json_at(document, "kind", 0)), "bench");
	assert_string_equal(json_object_get_string(json_at(document, "unit", 0)), "instructions");
	assert_string_equal(json_object_get_string(json_at(document, "base", 0)), STOCK);
	row = json_at(json_at(document, "compared", 0), NULL, 0);
	assert_string_equal(json_object_get_string(json_at(row, "file", 0)), HOT);
	row = json_at(json_at(row, "rows", 0), NULL, 0);
	assert_string_equal(json_object_get_string(json_at(row, "syscall", 0)), "clock_gettime");
	assert_true(number(row, "base_median") == 678.5);
	assert_true(number(row, "median") == 778.6);
	assert_true(number(row, "samples") == 5);
	assert_true(number(row, "calls") == 100000);
	assert_true(fabs(number(row, "change_percent") - 14.75313) < 1e-5);
	assert_true(fabs(number(row, "p") - 2.0 / 252) < 1e-8);
	assert_true(
		fabs(json_object_get_double(json_at(json_at(row, "interval_percent", 0), NULL, 1)) -
		     100 * (778.8 / 678.5 - 1)) < 1e-5);
	assert_string_equal(json_object_get_string(json_at(row, "verdict", 0)), "slower");
	json_object_put(document);
}

static void test_columns(void **state)
{
	(void)state;
	assert_int_equal(RUN(POUND, ALL, TARGET, POUND), EXIT_OK);
	assert_has(out, "ns per call                            pound-stock    pound-sync-all  "
			"pound-sync-target\n"
			"clock_gettime process/sched 2 threads       1234.5  1499.9 (+21.5 %)   "
			"1080.2 (-12.5 %)\n");
	/* the fourth does not fit in, so it has a block of its own, with the base beside it */
	assert_has(out, "\n\nns per call                            pound-stock    pound-stock\n"
			"clock_gettime process/sched 2 threads       1234.5  1234.5 (~0 %)\n");
	assert_has(out, "\n~ no difference: p is not below 0.01, ");
	assert_null(strstr(out, "note:"));
}

/* Nobody takes one run for a result. */
static void test_few_runs(void **state)
{
	const char *one = in_dir("one.json");
	char note[256];

	(void)state;
	/* as cputoll 0.1 printed it, before there were runs, units and threads by row */
	snprintf(content, sizeof(content),
		 "{\"schema\": \"cputoll.bench/1\", \"tool\": {\"version\": \"0.1\"}, \"kernel\": "
		 "\"6.1.192\", \"workload\": \"clock-thread\", \"threads\": 0, \"accounting\": "
		 "\"tick\", \"kinds\": [{\"syscall\": \"clock_gettime\", \"clock\": "
		 "\"thread/sched\", \"how\": \"constant\", \"asks\": [], \"reads\": 10, "
		 "\"duration_ns\": 7000, \"ns_per_read\": 700}]}");
	put(one, content, strlen(content));
	assert_int_equal(RUN(one, one), EXIT_OK);
	snprintf(note, sizeof(note), "note: %s: 1 run: no test; use bench --repeat\n", one);
	assert_has(out, note);
	assert_has(out,
		   "ns per call, median                     base    other   change     95 % "
		   "interval        p\n"
		   "clock_gettime thread/sched constant    700.0    700.0      0 %                 "
		   "-        -  no test\n");
	assert_int_equal(RUN(STOCK, one), EXIT_OK);
	assert_has(out, "machines differ: tests/data/bench-stock.json icount, ");
	assert_has(out, "units differ: tests/data/bench-stock.json instructions, ");
	assert_has(out, "  +3.2 %                 -        -  no test\n");

	/* four of the five runs */
	assert_int_equal(
		RUN(STOCK, changed(HOT, "runs",
				   ",\n        {\"reads\": 20000, \"duration_ns\": 15576000, "
				   "\"ns_per_read\": 778.8}",
				   "")),
		EXIT_OK);
	assert_has(out, "changed.json: 4 runs: fewer than 5 a side cannot show a difference; use "
			"bench --repeat\n");
	assert_has(out, "  no test\n");
}

static void test_one_side(void **state)
{
	(void)state;
	assert_int_equal(RUN(POUND, changed(POUND, "threads\": 8", "8", "12")), EXIT_OK);
	assert_has(out, "note: rows only in tests/data/pound-stock.json: 1, only in ");
	assert_has(out, "clock_gettime process/sched 8 threads    4020.5        -        -      "
			"           -        -  only in base\n");
	assert_has(out, "clock_gettime process/sched 12 threads        -   4020.5        -      "
			"           -        -  not in base\n");
	assert_int_equal(RUN(POUND, STOCK), EXIT_OK);
	assert_has(out, "note: workloads differ: tests/data/pound-stock.json pound, "
			"tests/data/bench-stock.json clock-thread\n");
	assert_has(out, "note: rows only in tests/data/pound-stock.json: 6, only in "
			"tests/data/bench-stock.json: 1\n");
}

static void test_profiles(void **state)
{
	struct profile profile;
	const char *base = in_dir("a.json"), *other = in_dir("b.json");

	(void)state;
	fixture_make(&profile);
	assert_int_equal(profile_write(&profile, base), 0);
	strcpy(profile.host.kernel, "6.12.117");
	strcpy(profile.engine, "kprobe");
	profile.host.cpus = 64;
	profile.whole_ns = 500;
	strcpy(profile.host.config[1].value, "y");
	/* a third faster, and called half as often: task_sched_runtime in a read of the thread */
	memset(&profile.paths[1].hist, 0, sizeof(profile.paths[1].hist));
	profile.paths[1].hist.count[hist_bucket(184)] = 500000;
	profile.paths[1].calls = 500000;
	assert_int_equal(profile_write(&profile, other), 0);
	profile_free(&profile);

	assert_int_equal(RUN(base, other), EXIT_OK);
	assert_has(out, "  kprobe\n");
	assert_has(out, "note: kernels differ: ");
	assert_has(out, "note: numbers of CPUs differ: ");
	assert_has(out, "note: engines differ: ");
	assert_has(out, "note: kernel options differ: ");
	assert_has(out, "note: costs of the probes differ: ");
	assert_has(out, " 500 ns a call\n");
	assert_null(strstr(out, "architectures"));
	assert_has(
		out,
		"median of                         calls            base    other   change     95 "
		"% interval        p\n"
		"clock_gettime thread/sched       1.00 M     ×1   364 ns   364 ns      0 %     "
		"-1.9 "
		"… +1.9 %   1.0000  no difference\n"
		"  task_sched_runtime             1.00 M  ×0.50   284 ns   188 ns  -33.9 %   -35.9 "
		"… -31.8 %  <0.0001  faster\n");
	assert_has(out, "\ngetrusage self ");
	assert_has(out, "\nwait4 child                          64 ");
	assert_null(strstr(out, "__x64_sys")); /* the read's own line is that function's */

	assert_int_equal(RUN("--json", base, other), EXIT_OK);
	assert_has(out, "\"kind\": \"profile\"");
	assert_has(out, "\"function\": \"task_sched_runtime\"");
	assert_has(out, "\"asks\": [\"sum_exec_runtime\"]");

	assert_int_equal(RUN(base, STOCK), EXIT_USAGE);
	assert_string_equal(out, "");
	snprintf(content, sizeof(content),
		 "cputoll: compare: %s is a profile, " STOCK
		 " is a bench result: only the same can be compared\n",
		 base);
	assert_string_equal(err, content);
}

static void test_usage(void **state)
{
	(void)state;
	assert_int_equal(RUN(NULL), EXIT_USAGE);
	assert_string_equal(err, "cputoll: compare: two FILEs at least, the first is the base\n");
	assert_int_equal(RUN(STOCK), EXIT_USAGE);
	assert_string_equal(err, "cputoll: compare: two FILEs at least, the first is the base\n");
	assert_int_equal(RUN(STOCK, HOT, "--nothing"), EXIT_USAGE);
	assert_has(err, "cputoll: compare: unknown option --nothing");
}

/* @line with the file's name before it is all that is said of @path. */
static void assert_bad(const char *path, const char *line)
{
	char want[512];

	snprintf(want, sizeof(want), "cputoll: compare: %s: %s\n", path, line);
	assert_int_equal(RUN(STOCK, path), EXIT_USAGE);
	assert_string_equal(err, want);
	assert_string_equal(out, "");
	assert_int_equal(RUN(path, STOCK), EXIT_USAGE);
	assert_string_equal(err, want);
}

static void test_bad_files(void **state)
{
	static const struct {
		const char *content, *line;
	} rows[] = {
		{ "", "is empty" },
		{ "hello", "is not JSON: unexpected character at byte 0" },
		{ "{\"schema\": \"cputoll.be",
		  "ends at byte 22, inside the document; was it cut?" },
		{ "{}", "is no profile or bench result: it has no \"schema\"" },
		{ "[1]", "is no profile or bench result: it has no \"schema\"" },
		{ "{\"schema\": 7}", "is no profile or bench result: it has no \"schema\"" },
		{ "{\"schema\": \"cputoll.bench/2\\n\"}",
		  "schema is \"cputoll.bench/2?\"; compare reads \"cputoll.profile/1\" and "
		  "\"cputoll.bench/1\"" },
		{ "{\"schema\": \"cputoll.bench/1\"}", "tool is missing" },
	};
	const char *path = in_dir("bad.json");

	(void)state;
	assert_bad("/nonexistent", "cannot open: No such file or directory");
	assert_bad(dir, "is a directory, not a profile or bench result");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put(path, rows[i].content, strlen(rows[i].content));
		assert_bad(path, rows[i].line);
	}
}

static void test_wrong_values(void **state)
{
	static const struct {
		const char *after, *from, *to, *line;
	} rows[] = {
		{ "kinds", "\"reads\": 100000", "\"reads\": -1", "kinds[0].reads is negative" },
		{ "kinds", "\"reads\": 100000", "\"reads\": 99999999999999999999",
		  "kinds[0].reads is too large" },
		{ "kinds", "\"reads\": 100000", "\"reads\": 1.5",
		  "kinds[0].reads is a fraction, not a whole number" },
		{ "runs", "\"ns_per_read\": 678.5", "\"ns_per_read\": -678.5",
		  "kinds[0].runs[0].ns_per_read is negative" },
		{ "runs", "\"ns_per_read\": 678.5", "\"ns_per_read\": NaN",
		  "kinds[0].runs[0].ns_per_read is no number" },
		{ "runs", "\"ns_per_read\": 678.5", "\"ns_per_read\": 1e999",
		  "kinds[0].runs[0].ns_per_read is no number" },
		{ "runs", "\"ns_per_read\": 678.5", "\"ns_per_read\": \"678.5\"",
		  "kinds[0].runs[0].ns_per_read is a string, not a fraction" },
		{ "runs", "\"reads\": 20000, ", "", "kinds[0].runs[0].reads is missing" },
		{ "\"runs\"", "[", "[7, ", "kinds[0].runs[0] is a whole number, not an object" },
		{ "\"kinds\"", "[", "{}, \"x\": [", "kinds is an object, not an array" },
		{ "\"kinds\"", "clock_gettime",
		  "a-name-that-is-longer-than-any-system-call-ever-was",
		  "kinds[0].syscall is longer than 47 bytes" },
		{ "accel", "\"icount\"", "7", "accel is a whole number, not a string" },
		{ "kinds", "\"threads\": 0", "\"threads\": -1",
		  "kinds[0].threads is -1, not in 0 … 2147483647" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_bad(changed(STOCK, rows[i].after, rows[i].from, rows[i].to), rows[i].line);
}

/* Numbers that no host reaches are printed, not trusted; a run without reads is none. */
static void test_odd_values(void **state)
{
	(void)state;
	assert_int_equal(RUN(STOCK, changed(HOT, "runs", "\"ns_per_read\": 778.6",
					    "\"ns_per_read\": 1e300")),
			 EXIT_OK);
	assert_has(out, "  slower\n");
	assert_int_equal(RUN(STOCK, changed(HOT, "runs", "\"reads\": 20000", "\"reads\": 0")),
			 EXIT_OK);
	assert_has(out, "changed.json: 4 runs: fewer than 5");
	assert_int_equal(
		RUN(STOCK, changed(HOT, "runs", "\"ns_per_read\": 778.6", "\"ns_per_read\": 0")),
		EXIT_OK);
	assert_has(out, "  no difference\n");
	assert_int_equal(RUN(STOCK, changed(HOT, "\"accel\"", "\"icount\"", "null")), EXIT_OK);
	assert_has(out, "note: machines differ: tests/data/bench-stock.json icount, ");
	assert_has(out, "changed.json host\n");
}

static void test_no_room(void **state)
{
	struct capture to_err;
	int saved = dup(STDOUT_FILENO), status;
	char *argv[] = { "compare", STOCK, HOT, NULL };

	(void)state;
	fflush(NULL);
	assert_non_null(freopen("/dev/full", "w", stdout));
	capture_begin(&to_err, STDERR_FILENO);
	status = cmd_compare(3, argv);
	capture_end(&to_err, err, sizeof(err));
	dup2(saved, STDOUT_FILENO);
	close(saved);
	clearerr(stdout);
	assert_int_equal(status, EXIT_CANNOT);
	assert_has(err, "cputoll: compare: cannot print the comparison: No space left on device\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bench),	     cmocka_unit_test(test_bench_json),
		cmocka_unit_test(test_columns),	     cmocka_unit_test(test_few_runs),
		cmocka_unit_test(test_one_side),     cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_usage),	     cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_wrong_values), cmocka_unit_test(test_odd_values),
		cmocka_unit_test(test_no_room),
	};

	return cmocka_run_group_tests_name("compare", tests, set_up, tear_down);
}
