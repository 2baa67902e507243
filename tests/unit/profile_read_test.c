// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading what is no profile: each kind of bad file has its error code and its one line; and the
 * example, cut and with bytes changed everywhere, never does harm.
 */
#include "unit.h"
#include "fixture.h"
#include <errno.h>
#include <sys/stat.h>
#include "functions.h"
#include "json_file.h"
#include "profile.h"

#define EXAMPLE "tests/data/example.json"

static char dir[64], file[96];
static char example[1 << 16], text[1 << 16];
static size_t example_bytes;

static int set_up(void **state)
{
	FILE *f = fopen(EXAMPLE, "r");

	(void)state;
	if (!f)
		return -1;
	example_bytes = fread(example, 1, sizeof(example) - 1, f);
	fclose(f);
	strcpy(dir, "/tmp/cputoll-test-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/p.json", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(dir);
}

static void put(const char *content, size_t bytes)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(content, 1, bytes, f), bytes);
	assert_int_equal(fclose(f), 0);
}

/* @path cannot be read: -@code, "@path: @line". */
static void assert_bad(const char *path, int code, const char *line)
{
	struct profile profile;
	char err[512], want[512];

	assert_int_equal(profile_read(&profile, path, err, sizeof(err)), -code);
	snprintf(want, sizeof(want), "%s: %s", path, line);
	assert_string_equal(err, want);
	profile_free(&profile);
}

static void test_no_regular_file(void **state)
{
	char fifo[96];

	(void)state;
	assert_bad("/nonexistent/p.json", ENOENT, "cannot open: No such file or directory");
	assert_bad(dir, EISDIR, "is a directory, not a profile");
	assert_bad("/dev/zero", EINVAL, "is not a regular file (a pipe is read as \"-\")");
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_bad(fifo, EINVAL, "is not a regular file (a pipe is read as \"-\")");
	unlink(fifo);
}

static void test_too_large(void **state)
{
	(void)state;
	put("{", 1);
	assert_int_equal(truncate(file, (off_t)JSON_FILE_MAX_BYTES + 1), 0);
	assert_bad(file, EFBIG, "is larger than 64 MiB; no profile is");
}

static void test_no_json(void **state)
{
	static const struct {
		const char *content, *line;
	} rows[] = {
		{ "", "is empty" },
		{ "{", "ends at byte 1, inside the document; was it cut?" },
		{ "{\"schema\": \"cputoll", "ends at byte 19, inside the document; was it cut?" },
		{ " \n ", "ends at byte 3, inside the document; was it cut?" },
		{ "hello", "is not JSON: unexpected character at byte 0" },
		{ "{} {}", "is not JSON: unexpected character at byte 3" },
		{ "{\"a\": 1,}", "is not JSON: unexpected character at byte 8" },
		{ "{\"a\": \"\xff\"}", "is not JSON: invalid utf-8 string at byte 7" },
	};
	static const char binary[] = "\x7f"
				     "ELF\x02\x01\x01\0\0\0";

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put(rows[i].content, strlen(rows[i].content));
		assert_bad(file, EBADMSG, rows[i].line);
	}
	put(binary, sizeof(binary));
	assert_bad(file, EBADMSG, "is not JSON: a NUL at byte 7");
}

static void test_deep(void **state)
{
	static char deep[100000];

	(void)state;
	memset(deep, '[', sizeof(deep));
	put(deep, sizeof(deep));
	assert_bad(file, EBADMSG, "is not JSON: nesting too deep at byte 32");
}

static void test_other_documents(void **state)
{
	static const struct {
		const char *content, *line;
	} rows[] = {
		{ "{}", "is no profile: it has no \"schema\"" },
		{ "[]", "is no profile: it has no \"schema\"" },
		{ "7\n", "is no profile: it has no \"schema\"" },
		{ "null\n", "is no profile: it has no \"schema\"" },
		{ "{\"schema\": 1}", "schema is a whole number, not a string" },
		{ "{\"schema\": null}", "schema is null, not a string" },
		{ "{\"schema\": \"cputoll.profile/2\"}",
		  "schema is \"cputoll.profile/2\"; this cputoll reads \"cputoll.profile/1\"" },
		{ "{\"schema\": \"x\\u001b[2J\\n\"}",
		  "schema is \"x?[2J?\"; this cputoll reads \"cputoll.profile/1\"" },
		{ "{\"schema\": \"cputoll.profile/1\"}", "tool is missing" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put(rows[i].content, strlen(rows[i].content));
		assert_bad(file, EPROTO, rows[i].line);
	}
}

/* The example with the first @from behind the first @after replaced by @to. */
static void put_changed(const char *after, const char *from, const char *to)
{
	const char *at = strstr(example, after);

	assert_non_null(at);
	at = strstr(at, from);
	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - example), example, to,
		 at + strlen(from));
	put(text, strlen(text));
}

static void test_wrong_values(void **state)
{
	static const struct {
		const char *after, *from, *to, *line;
	} rows[] = {
		{ "duration_ns", "5000000000", "-1", "duration_ns is negative" },
		{ "duration_ns", "5000000000", "-99999999999999999999", "duration_ns is negative" },
		{ "duration_ns", "5000000000", "99999999999999999999", "duration_ns is too large" },
		{ "duration_ns", "5000000000", "18446744073709551615", "duration_ns is too large" },
		{ "duration_ns", "5000000000", "5e9",
		  "duration_ns is a fraction, not a whole number" },
		{ "duration_ns", "5000000000", "NaN",
		  "duration_ns is a fraction, not a whole number" },
		{ "duration_ns", "5000000000", "-Infinity",
		  "duration_ns is a fraction, not a whole number" },
		{ "duration_ns", "5000000000", "\"5\"",
		  "duration_ns is a string, not a whole number" },
		{ "duration_ns", "5000000000", "null", "duration_ns is null, not a whole number" },
		{ "duration_ns", "duration_ns", "duration", "duration_ns is missing" },
		{ "\"tool\"", "\"version\"", "\"v\"", "tool.version is missing" },
		{ "\"tool\"", "fentry", "a-very-long-engine",
		  "tool.engine is longer than 15 bytes" },
		{ "\"tool\"", "fentry", "a\\u0000b", "tool.engine has a NUL character in it" },
		{ "\"host\"", "\"cpus\": 2", "\"cpus\": 0",
		  "host.cpus is 0, not in 1 … 2147483647" },
		{ "\"host\"", "\"cpus\": 2", "\"cpus\": 2147483648",
		  "host.cpus is 2147483648, not in 1 … 2147483647" },
		{ "\"config\"", "\"250\"", "250",
		  "host.config.HZ is a whole number, not a string" },
		{ "\"functions\"", "true", "1",
		  "functions[0].attached is a whole number, not true or false" },
		{ "\"paths\"", "[", "[ 1, ", "paths[0] is a whole number, not an object" },
		{ "\"paths\"", "\"id\": 0", "\"id\": 1", "paths[0].id is 1, not in 0 … 0" },
		{ "\"paths\"", "\"parent_id\": null", "\"parent_id\": 0",
		  "paths[0].parent_id: the first path has no parent" },
		{ "\"paths\"", "\"parent_id\": 0", "\"parent_id\": 1",
		  "paths[1].parent_id is 1, not in 0 … 0" },
		{ "\"paths\"", "\"parent_id\": 0", "\"parent_id\": -1",
		  "paths[1].parent_id is -1, not in 0 … 0" },
		{ "\"paths\"", "\"parent_id\": 0", "\"parent_id\": null",
		  "paths[1].parent is not the function of parent_id" },
		{ "\"paths\"", "\"parent\": \"__x64_sys_clock_gettime\"",
		  "\"parent\": \"getrusage\"", "paths[1].parent is not the function of parent_id" },
		{ "\"paths\"", "sum_exec_runtime", "runtime",
		  "paths[0].asks[0]: no field is called \"runtime\"" },
		{ "\"paths\"", "[\"sum_exec_runtime\"]", "\"r\"",
		  "paths[0].asks is a string, not an array" },
		{ "\"paths\"", "\"clamped\": false", "\"clamped\": \"no\"",
		  "paths[0].clamped is a string, not true or false" },
		{ "\"lower_ns\"", "360", "361",
		  "paths[0].hist.lower_ns[0] is 361, no bucket's lower bound" },
		{ "\"lower_ns\"", "360", "720", "paths[0].hist.lower_ns[1] is there twice" },
		{ "\"lower_ns\"", "[360, ", "[",
		  "paths[0].hist: lower_ns and count differ in length" },
		{ "\"count\"", "900000", "-1", "paths[0].hist.count[0] is negative" },
		{ "\"count\"", "900000", "18446744073709551614",
		  "paths[0].hist: the counts' sum overflows" },
		{ "\"count\"", "\"count\"", "\"n\"", "paths[0].hist.count is missing" },
		{ "\"processes\"", "\"pid\": 2711", "\"pid\": -1",
		  "processes[0].pid is -1, not in 0 … 2147483647" },
		{ "\"processes\"", "java", "0123456789abcdef",
		  "processes[0].comm is longer than 15 bytes" },
		{ "\"processes\"", "\"us\": 240", "\"su\": 240",
		  "processes[0].masks: no mask is \"su\"" },
		{ "\"processes\"", "\"us\": 240", "\"us\": -240",
		  "processes[0].masks.us is negative" },
		{ "\"lost\"", "{", "[], \"x\": {", "lost is an array, not an object" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put_changed(rows[i].after, rows[i].from, rows[i].to);
		assert_bad(file, EPROTO, rows[i].line);
	}
}

static void test_long_config_name(void **state)
{
	(void)state;
	put_changed("\"config\"", "HZ", "CONFIG_0123456789012345678901234567890123456789X");
	assert_bad(file, EPROTO,
		   "host.config: \"CONFIG_0123456789012345678901234567890123456789X…\" is longer "
		   "than 47 bytes");
}

/* Keys of a later version are passed over; those this version added may be missing. */
static void test_other_keys(void **state)
{
	struct profile profile;
	char err[256];

	(void)state;
	put_changed("\"tool\"", "{", "{\"build\": [1, {\"x\": null}], ");
	assert_int_equal(profile_read(&profile, file, err, sizeof(err)), 0);
	assert_string_equal(profile.engine, "fentry");
	profile_free(&profile);

	put_changed("\"paths\"", "\"errors\": 0,", "");
	assert_int_equal(profile_read(&profile, file, err, sizeof(err)), 0);
	assert_int_equal(profile.paths[0].errors, 0);
	profile_free(&profile);
	put_changed("\"command\"", "\"command\": \"./workload --threads 17\",", "");
	assert_int_equal(profile_read(&profile, file, err, sizeof(err)), 0);
	assert_string_equal(profile.command, "");
	profile_free(&profile);
}

static void test_too_many(void **state)
{
	size_t bytes = 70000 * 3 + 64, at;
	char *many = malloc(bytes);
	struct profile profile;

	(void)state;
	assert_non_null(many);
	at = snprintf(many, bytes, "{\"schema\": \"cputoll.profile/1\", \"x\": [");
	for (int i = 0; i < 70000; i++)
		at += snprintf(many + at, bytes - at, "0,");
	at += snprintf(many + at, bytes - at, "0]}");
	put(many, at);
	free(many);
	assert_bad(file, EPROTO, "tool is missing"); /* an unknown key may be of any length */

	snprintf(text, sizeof(text), "%s", example);
	many = malloc(example_bytes + 70000 * 3 + 64);
	assert_non_null(many);
	at = strstr(example, "\"functions\": [") + strlen("\"functions\": [") - example;
	memcpy(many, example, at);
	for (int i = 0; i < 70000; i++)
		memcpy(many + at + 3 * i, "{},", 3);
	memcpy(many + at + 3 * 70000, example + at, example_bytes - at);
	put(many, example_bytes + 3 * 70000);
	free(many);
	/* those of the example come with them */
	fixture_make(&profile);
	snprintf(text, sizeof(text), "functions has %zu elements, more than 65536",
		 70000 + profile.nr_functions);
	profile_free(&profile);
	assert_bad(file, EPROTO, text);
}

static void test_stdin(void **state)
{
	int saved = dup(STDIN_FILENO);
	struct profile profile;
	char err[256];

	(void)state;
	put(example, example_bytes);
	assert_non_null(freopen(file, "r", stdin));
	assert_int_equal(profile_read(&profile, "-", err, sizeof(err)), 0);
	assert_int_equal(profile.host.cpus, 2);
	profile_free(&profile);
	/* at its end now */
	assert_int_equal(profile_read(&profile, "-", err, sizeof(err)), -EBADMSG);
	assert_string_equal(err, "standard input: is empty");
	profile_free(&profile);
	dup2(saved, STDIN_FILENO);
	close(saved);
}

/* One line, whatever the name and however little room. */
static void test_err_is_one_line(void **state)
{
	struct profile profile;
	char err[512], small[8];

	(void)state;
	assert_int_equal(profile_read(&profile, "a\n\x1b[31mb", err, sizeof(err)), -ENOENT);
	assert_string_equal(err, "a??[31mb: cannot open: No such file or directory");
	assert_int_equal(profile_read(&profile, "/nonexistent", small, sizeof(small)), -ENOENT);
	assert_string_equal(small, "/nonexi");
	assert_int_equal(profile_read(&profile, "/nonexistent", NULL, 0), -ENOENT);
}

/* Whatever it is: a code and a line, or a profile; and no harm (see also under valgrind). */
static int try_text(const char *content, size_t bytes)
{
	struct profile profile;
	char err[512] = "";
	int ret;

	put(content, bytes);
	ret = profile_read(&profile, file, err, sizeof(err));
	assert_true(ret <= 0);
	assert_int_equal(!ret, !err[0]);
	assert_null(strchr(err, '\n'));
	profile_free(&profile);
	return ret;
}

static void test_every_cut(void **state)
{
	(void)state;
	/* all but the last newline and "}" are needed */
	for (size_t bytes = 0; bytes < example_bytes - 1; bytes += 1 + bytes % 7)
		assert_int_equal(try_text(example, bytes), -EBADMSG);
	assert_int_equal(try_text(example, example_bytes - 1), 0);
}

static void test_changed_bytes(void **state)
{
	unsigned seed = 1;
	int nr_bad = 0;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		memcpy(text, example, example_bytes);
		for (int i = rand_r(&seed) % 4; i >= 0; i--) {
			size_t at = rand_r(&seed) % example_bytes;

			text[at] = rand_r(&seed) % 2 ? (char)rand_r(&seed)
						     : "{}[]\",:0-9e.\\n"[rand_r(&seed) % 14];
		}
		nr_bad += try_text(text, example_bytes) != 0;
	}
	assert_in_range(nr_bad, 1000, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_regular_file),	 cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_no_json),		 cmocka_unit_test(test_deep),
		cmocka_unit_test(test_other_documents),	 cmocka_unit_test(test_wrong_values),
		cmocka_unit_test(test_long_config_name), cmocka_unit_test(test_other_keys),
		cmocka_unit_test(test_too_many),	 cmocka_unit_test(test_stdin),
		cmocka_unit_test(test_err_is_one_line),	 cmocka_unit_test(test_every_cut),
		cmocka_unit_test(test_changed_bytes),
	};

	return cmocka_run_group_tests_name("profile_read", tests, set_up, tear_down);
}
