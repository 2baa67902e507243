// SPDX-License-Identifier: GPL-2.0-only
/* Options: every type, ranges, what is missing or unknown, where parsing stops, the help. */
#include "unit.h"
#include <stdbool.h>
#include "opts.h"

static struct {
	bool flag, long_only;
	int number;
	double seconds;
	const char *file;
} got;

static const struct opt table[] = {
	{ 'a', "all", OPT_FLAG, &got.flag, 0, 0, NULL, "take all" },
	{ 0, "json", OPT_FLAG, &got.long_only, 0, 0, NULL, "as JSON" },
	{ 'p', "pid", OPT_INT, &got.number, 1, 4194304, "PID", "only this process" },
	{ 'd', "duration", OPT_DOUBLE, &got.seconds, 0.1, 3600, "SECONDS", "for how long" },
	{ 'o', "output", OPT_STRING, &got.file, 0, 0, "FILE", "where to" },
};
static const struct opts opts = {
	"toy [OPTIONS] [WORD...]", "A toy.", table, sizeof(table) / sizeof(table[0]), "More.\n",
};

struct parsed {
	int ret, first;
	char out[2048], err[512];
};

static struct parsed parse(const char *const *words)
{
	struct parsed parsed = { .first = -1 };
	struct capture out, err;
	char *argv[16] = { "toy" };
	int argc = 1;

	memset(&got, 0, sizeof(got));
	for (; words[argc - 1]; argc++)
		argv[argc] = (char *)words[argc - 1];
	capture_begin(&out, STDOUT_FILENO);
	capture_begin(&err, STDERR_FILENO);
	parsed.ret = opts_parse(&opts, argc, argv, &parsed.first);
	capture_end(&err, parsed.err, sizeof(parsed.err));
	capture_end(&out, parsed.out, sizeof(parsed.out));
	return parsed;
}
#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static void test_every_type(void **state)
{
	struct parsed parsed = PARSE("-a", "--json", "-p", "42", "--duration", "2.5", "-ofile");

	(void)state;
	assert_int_equal(parsed.ret, OPTS_PARSED);
	assert_int_equal(parsed.first, 8);
	assert_true(got.flag);
	assert_true(got.long_only);
	assert_int_equal(got.number, 42);
	assert_true(got.seconds == 2.5);
	assert_string_equal(got.file, "file");
	assert_string_equal(parsed.err, "");
	assert_string_equal(parsed.out, "");

	assert_int_equal(PARSE("--pid=7", "--output=x=y").ret, OPTS_PARSED);
	assert_int_equal(got.number, 7);
	assert_string_equal(got.file, "x=y");
	assert_false(got.flag);
	assert_int_equal(PARSE("-ap9").ret, OPTS_PARSED);
	assert_true(got.flag);
	assert_int_equal(got.number, 9);
}

static void test_nothing(void **state)
{
	struct parsed parsed = parse((const char *const[]){ NULL });

	(void)state;
	assert_int_equal(parsed.ret, OPTS_PARSED);
	assert_int_equal(parsed.first, 1);
}

static void test_where_it_stops(void **state)
{
	struct parsed parsed = PARSE("-a", "word", "-p", "1");

	(void)state;
	assert_int_equal(parsed.ret, OPTS_PARSED);
	assert_int_equal(parsed.first, 2);
	assert_true(got.flag);
	assert_int_equal(got.number, 0);
	parsed = PARSE("-a", "--", "-p", "1");
	assert_int_equal(parsed.ret, OPTS_PARSED);
	assert_int_equal(parsed.first, 3);
	assert_int_equal(got.number, 0);
	parsed = PARSE("-", "-a");
	assert_int_equal(parsed.first, 1);
	assert_false(got.flag);
}

static void test_ranges(void **state)
{
	static const char *const bad_ints[] = { "0",
						"-1",
						"4194305",
						"1.5",
						"x",
						"",
						"5x",
						"nan",
						"inf",
						"1e99",
						"99999999999999999999" };
	static const char *const bad_doubles[] = { "0.09", "3600.1", "-3", "nan", "two", "1s" };
	struct parsed parsed;

	(void)state;
	assert_int_equal(PARSE("-p", "1").ret, OPTS_PARSED);
	assert_int_equal(PARSE("-p", "4194304").ret, OPTS_PARSED);
	assert_int_equal(got.number, 4194304);
	assert_int_equal(PARSE("-d", "0.1").ret, OPTS_PARSED);
	assert_int_equal(PARSE("-d", "3600").ret, OPTS_PARSED);
	for (size_t i = 0; i < sizeof(bad_ints) / sizeof(bad_ints[0]); i++) {
		char line[256];

		parsed = PARSE("-p", bad_ints[i]);
		assert_int_equal(parsed.ret, OPTS_INVALID);
		assert_int_equal(got.number, 0);
		snprintf(line, sizeof(line),
			 "cputoll: toy: --pid takes a whole number from 1 to 4194304, not '%s'\n",
			 bad_ints[i]);
		assert_string_equal(parsed.err, line);
	}
	for (size_t i = 0; i < sizeof(bad_doubles) / sizeof(bad_doubles[0]); i++) {
		parsed = PARSE("-d", bad_doubles[i]);
		assert_int_equal(parsed.ret, OPTS_INVALID);
		assert_true(got.seconds == 0);
	}
	assert_string_equal(parsed.err,
			    "cputoll: toy: --duration takes a number from 0.1 to 3600, not '1s'\n");
}

static void test_missing_and_unknown(void **state)
{
	static const struct {
		const char *word, *err;
	} rows[] = {
		{ "-p", "an argument is missing after -p" },
		{ "--pid", "an argument is missing after --pid" },
		{ "-z", "unknown option -z" },
		{ "-zq", "unknown option -z" },
		{ "-az", "unknown option -z" },
		{ "--zebra", "unknown option --zebra" },
		{ "--all=yes", "no argument goes with --all=yes" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct parsed parsed = PARSE(rows[i].word);
		char line[256];

		snprintf(line, sizeof(line), "cputoll: toy: %s; see cputoll toy -h\n", rows[i].err);
		assert_int_equal(parsed.ret, OPTS_INVALID);
		assert_string_equal(parsed.err, line);
		assert_string_equal(parsed.out, "");
	}
}

static void test_help(void **state)
{
	static const char help[] = "Usage: cputoll toy [OPTIONS] [WORD...]\n\nA toy.\n\nOptions:\n"
				   "  -a, --all                  take all\n"
				   "      --json                 as JSON\n"
				   "  -p, --pid PID              only this process\n"
				   "  -d, --duration SECONDS     for how long\n"
				   "  -o, --output FILE          where to\n"
				   "  -h, --help                 print this help\n"
				   "\nMore.\n";
	struct parsed parsed = PARSE("-h");

	(void)state;
	assert_int_equal(parsed.ret, OPTS_HELP);
	assert_string_equal(parsed.out, help);
	assert_string_equal(parsed.err, "");
	parsed = PARSE("-a", "--help", "-z");
	assert_int_equal(parsed.ret, OPTS_HELP);
	assert_string_equal(parsed.out, help);
}

/* Words and options in any order; after "--" all are words. */
static void test_words(void **state)
{
	char *argv[] = { "toy", "one",	 "--json", "two", "-p", "7",	"-",
			 "-a",	"three", "--",	   "-z",  "--", "four", NULL };
	int nr = -1, argc = sizeof(argv) / sizeof(argv[0]) - 1;
	static const char *const words[] = { "one", "two", "-", "three", "-z", "--", "four" };

	(void)state;
	memset(&got, 0, sizeof(got));
	assert_int_equal(opts_parse_words(&opts, argc, argv, &nr), OPTS_PARSED);
	assert_int_equal(nr, 7);
	for (int i = 0; i < nr; i++)
		assert_string_equal(argv[1 + i], words[i]);
	assert_true(got.flag && got.long_only);
	assert_int_equal(got.number, 7);

	assert_int_equal(opts_parse_words(&opts, 1, argv, &nr), OPTS_PARSED);
	assert_int_equal(nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_type),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_where_it_stops),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_missing_and_unknown),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests_name("opts", tests, NULL, NULL);
}
