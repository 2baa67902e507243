// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll predict: savings worked out by hand from the profile's fixture and a verdict made for it;
 * the order, what is nothing, guesses that are told, JSON, and the files that it must refuse.
 */
#include "command.h"
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "cmd.h"

#define PROFILE "tests/data/example.json"

/* A row of a verdict, %.1f its median, the change being so many percent of the base. */
#define ROW(bench, call, clock, threads, median, change)                              \
	"{\"workload\":\"" bench "\",\"syscall\":\"" call "\",\"clock\":\"" clock     \
	"\",\"how\":\"\",\"threads\":" #threads ",\"samples\":10,\"median\":" #median \
	",\"change_percent\":" change ",\"p\":null,\"verdict\":\"\"}"
#define NONE "null,\"interval_percent\":null"
#define VARIANT(name, kernel, right, rows)                                                 \
	"{\"name\":\"" name "\",\"kernel\":\"" kernel "\",\"source\":null,\"patches\":[]," \
	"\"benches\":[" rows "],\"oracles\":[],\"right\":" right "}"
#define VERDICT(variants)                                                                      \
	"{\"schema\":\"cputoll.verdict/1\",\"tool\":{\"version\":\"0.1\"},\"base\":\"stock\"," \
	"\"accel\":\"icount\",\"unit\":\"instructions\",\"notes\":[],\"variants\":[" variants "]}"

#define NULL_ROW ROW("null-syscall", "getppid", "-", 0, 200, NONE) ","
/* The fixture's thread clocks take 361 ns a read, and 400 instructions without the way in and out.
 */
#define READS(thread, few, many)                                              \
	ROW("clock-thread", "clock_gettime", "thread/sched", 0, thread, NONE) \
	"," ROW("clock-process", "clock_gettime", "process/prof", 1, few,     \
		NONE) "," ROW("clock-process", "clock_gettime", "process/prof", 251, many, NONE)
#define ONE(thread, change, interval)                                   \
	ROW("clock-thread", "clock_gettime", "thread/sched", 0, thread, \
	    change ",\"interval_percent\":[" interval "]")
#define TIMES(median) ROW("times", "times", "self", 0, median, NONE)
#define STOCK	      VARIANT("stock", "6.1.1-base", "true", NULL_ROW READS(600, 700, 4700))
#define FAST	      VARIANT("fast", "6.1.1-fast", "true", NULL_ROW READS(500, 650, 4650))
#define HASTY	      VARIANT("hasty", "6.1.1-hasty", "false", NULL_ROW READS(400, 600, 4600))
#define SAME	      VARIANT("same", "6.1.1-same", "null", NULL_ROW READS(600, 700, 4700))
#define SLOW	      VARIANT("slow", "6.1.1-slow", "true", NULL_ROW READS(610, 710, 4710))

static char verdict_path[96];

static void write_verdict(const char *text)
{
	FILE *file;

	snprintf(verdict_path, sizeof(verdict_path), "%s/verdict.json", dir);
	file = fopen(verdict_path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static int run(const char *const *from)
{
	char *argv[16] = { "predict", "--verdicts", verdict_path };
	int argc = 3;

	for (; *from; from++)
		argv[argc++] = (char *)*from;
	return run_command(cmd_predict, argc, argv);
}

static double number_at(struct json_object *of, const char *key)
{
	return json_object_get_double(json_at(of, key, 0));
}

/* 1000000 reads of a thread's clock and 100000 of a process's, in 5 s, at 361/400 ns for each
 * instruction. */
static void test_by_hand(void **state)
{
	const double scale = 361.0 / 400, saved_ns = (1e6 * 100 + 1e5 * 50) * scale;
	struct json_object *document, *prediction, *first;

	(void)state;
	write_verdict(VERDICT(STOCK "," HASTY "," SAME "," SLOW "," FAST));
	assert_int_equal(RUN("--json", PROFILE), EXIT_OK);
	document = json_tokener_parse(out);
	assert_non_null(document);
	prediction = json_at(json_at(document, "predictions", 0), NULL, 0);
	first = json_at(json_at(prediction, "variants", 0), NULL, 0);
	assert_string_equal(json_object_get_string(json_at(first, "name", 0)), "fast");
	assert_true(fabs(number_at(first, "saved_ns_per_s") - saved_ns / 5) < 100);
	assert_true(fabs(number_at(first, "host_percent") - saved_ns / 5 / 1e9 / 2 * 100) < 1e-4);
	assert_true(fabs(number_at(prediction, "ns_per_unit") - scale) < 1e-4);
	assert_true(fabs(number_at(first, "covered_percent") -
			 100.0 * (361 + 842) / (361 + 842 + 32.1 + 0.035197)) < 1e-3);
	json_object_put(document);
}

static void test_text(void **state)
{
	(void)state;
	write_verdict(VERDICT(STOCK "," HASTY "," SAME "," SLOW "," FAST));
	assert_int_equal(RUN(PROFILE), EXIT_OK);
	assert_string_equal(err, "");
	assert_has(out, "Linux 6.1.0-57-cloud-amd64, taken for 'stock' of ");
	/* best first; what the lab found wrong last, however fast */
	assert_has(
		out,
		"\nfast               19.0 ms     0.948 %     7.7 %  17.1 ms to 20.8 ms\n"
		"same                     -           -         -  nothing to gain; not checked\n"
		"slow              -1.99 ms    -0.099 %    -0.8 %  -2.18 ms to -1.79 ms\n"
		"hasty              37.9 ms     1.895 %    15.3 %  34.1 ms to 41.7 ms; the lab "
		"found "
		"it WRONG\n");
	assert_has(out, "is none of the verdict's kernels: taken for 'stock'");
	assert_has(out, "no change for 2.6 % of the reads' time");
	assert_null(strstr(out, "Nothing to gain here"));
	assert_null(strstr(out, "warning"));
	/* seen from a kernel that is as fast, all others lose */
	assert_int_equal(RUN("--base", "fast", PROFILE), EXIT_OK);
	assert_has(out, "taken for 'fast' of ");
	assert_has(out, "\nNothing to gain here: ");
}

/* Each path by itself: its time changes by its part of instructions. */
static void test_without_null_syscall(void **state)
{
	const double thread_ns = 1e6 * 100 * 361 / 600, few_ns = 1e5 * 50 * 8420.0 / 700,
		     many_ns = 1e5 * 50 * 8420.0 / 4700;
	struct json_object *document, *first, *range;

	(void)state;
	write_verdict(VERDICT(VARIANT("stock", "6.1.1", "true", READS(600, 700, 4700)) "," VARIANT(
		"fast", "6.1.2", "true", READS(500, 650, 4650))));
	assert_int_equal(RUN("--json", PROFILE), EXIT_OK);
	document = json_tokener_parse(out);
	first = json_at(
		json_at(json_at(json_at(document, "predictions", 0), NULL, 0), "variants", 0), NULL,
		0);
	assert_true(fabs(number_at(first, "saved_ns_per_s") - (thread_ns + few_ns) / 5) < 100);
	range = json_at(first, "range_ns_per_s", 0);
	assert_true(fabs(json_object_get_double(json_at(range, NULL, 0)) -
			 (thread_ns + many_ns - 0.1 * (thread_ns + few_ns)) / 5) < 100);
	json_object_put(document);
}

/* Neither is the verdict's base, and both have an interval: their far ends, and what the model may
 * be off by. */
static void test_range(void **state)
{
	const double scale = 361.0 / (660 - 200);
	struct json_object *document, *variants, *range;

	(void)state;
	write_verdict(VERDICT(
		STOCK
		"," VARIANT("slow", "6.1.2", "true", NULL_ROW ONE(660, "10", "9,11")) "," VARIANT(
			"fast", "6.1.3", "true", NULL_ROW ONE(540, "-10", "-11,-9"))));
	assert_int_equal(RUN("--json", "--base", "slow", PROFILE), EXIT_OK);
	document = json_tokener_parse(out);
	variants = json_at(json_at(json_at(document, "predictions", 0), NULL, 0), "variants", 0);
	assert_string_equal(json_object_get_string(json_at(json_at(variants, NULL, 0), "name", 0)),
			    "fast");
	range = json_at(json_at(variants, NULL, 0), "range_ns_per_s", 0);
	assert_true(fabs(json_object_get_double(json_at(range, NULL, 0)) -
			 1e6 * (654 - 546 - 12) * scale / 5) < 100);
	assert_true(fabs(json_object_get_double(json_at(range, NULL, 1)) -
			 1e6 * (666 - 534 + 12) * scale / 5) < 100);
	json_object_put(document);
}

static void test_other_version(void **state)
{
	(void)state;
	write_verdict(VERDICT(VARIANT("stock", "6.12.9", "true", READS(600, 700, 4700)) "," VARIANT(
		"fast", "6.12.9", "true", READS(500, 650, 4650))));
	assert_int_equal(RUN(PROFILE), EXIT_OK);
	assert_has(err, "predict: warning: ");
	assert_has(err, ": the verdict is of Linux 6.12, the profile of 6.1.0-57-cloud-amd64: ");
	assert_has(out, "\nfast ");
	/* none is stock: from the base, whatever it is */
	write_verdict(VERDICT(VARIANT("mine", "6.1.9", "true", READS(600, 700, 4700)) "," VARIANT(
		"fast", "6.1.9", "true", READS(500, 650, 4650))));
	assert_int_equal(RUN("--json", PROFILE), EXIT_OK);
	assert_has(err, "taken for its base 'mine', which may account otherwise");
	assert_has(out, "\"warnings\": [\"6.1.0-57-cloud-amd64 is none of ");
}

/* Nothing that the verdict has is in the profile, which is not the same as nothing to gain. */
static void test_not_known(void **state)
{
	(void)state;
	write_verdict(VERDICT(VARIANT("stock", "6.1.1", "true", NULL_ROW TIMES(700)) "," VARIANT(
		"fast", "6.1.2", "true", NULL_ROW TIMES(600))));
	assert_int_equal(RUN(PROFILE), EXIT_OK);
	assert_has(out, "\nfast                     ?           ?         ?  not known: ");
	assert_null(strstr(out, "othing to gain"));
	assert_int_equal(RUN("--json", PROFILE), EXIT_OK);
	assert_has(out, "\"saved_ns_per_s\": null");
}

/* Time for time, of a verdict that is not in instructions. */
static void test_ns(void **state)
{
	static const char in_ns[] = "\"unit\":\"ns\",";
	char text[] = VERDICT(STOCK "," FAST);
	char *unit = strstr(text, "\"unit\"");

	(void)state;
	/* as long as it was, so that the rest stays where it is */
	memset(unit, ' ', strlen("\"unit\":\"instructions\","));
	memcpy(unit, in_ns, sizeof(in_ns) - 1);
	write_verdict(text);
	assert_int_equal(RUN(PROFILE), EXIT_OK);
	assert_has(out, "- 1 ns of the verdict's is 0.902 ns here");
	assert_null(strstr(out, "instruction"));
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *line;
	} files[] = {
		{ "", "verdict.json: is empty" },
		{ "{", "verdict.json: " },
		{ "{\"schema\":\"cputoll.bench/1\"}", "this cputoll reads \"cputoll.verdict/1\"" },
		{ VERDICT(STOCK), "it judges no variant" },
		{ VERDICT(STOCK "," VARIANT("none", "6.1.1", "true", TIMES(0))),
		  "variants[1].benches[0].median is not above 0" },
		{ VERDICT(STOCK ",{\"name\":\"x\"}"), "variants[1]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		write_verdict(files[i].text);
		assert_int_equal(RUN(PROFILE), EXIT_USAGE);
		assert_string_equal(out, "");
		assert_has(err, "cputoll: predict: ");
		assert_has(err, files[i].line);
	}
	write_verdict(VERDICT(STOCK "," FAST));
	assert_int_equal(RUN("--base", "frob", PROFILE), EXIT_USAGE);
	assert_has(err, "verdict.json has no variant 'frob'\n");
	assert_int_equal(RUN("/nowhere"), EXIT_USAGE);
	assert_has(err, "'cputoll record' writes one\n");
	assert_int_equal(RUN(PROFILE, PROFILE), EXIT_USAGE);
	assert_int_equal(RUN("--frob"), EXIT_USAGE);
	snprintf(verdict_path, sizeof(verdict_path), "/nowhere");
	assert_int_equal(RUN(PROFILE), EXIT_USAGE);
	assert_has(err, "cputoll: predict: /nowhere: ");
}

/* This test's binary has no verdicts beside it. */
static void test_none_there(void **state)
{
	char *argv[] = { "predict", PROFILE, NULL };

	(void)state;
	assert_int_equal(run_command(cmd_predict, 2, argv), EXIT_CANNOT);
	assert_has(err, "verdicts are not where it was built or installed; name some by ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_without_null_syscall),
		cmocka_unit_test(test_range),
		cmocka_unit_test(test_other_version),
		cmocka_unit_test(test_not_known),
		cmocka_unit_test(test_ns),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_none_there),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
