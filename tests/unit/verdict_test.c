// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll verdict: the table and its blocks, the lines for each kernel, JSON, exit status, boots as
 * samples; folders that are missing or hold what they must not. From tests/data's results.
 */
#include "command.h"
#include <sys/stat.h>
#include "cmd.h"
#include "text.h"
#include "verdict.h"

#define DATA "tests/data/"

static void put(const char *kernel, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, kernel);
	mkdir(path, 0700);
	if (!name)
		return;
	snprintf(path, sizeof(path), "%s/%s/%s", dir, kernel, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* What tests/data/check-right.json has beside what is right. */
#define OPEN "; left open (adjust when quiet: too slow)\n"

/* tests/data/@from as @kernel's @name. */
static void copy(const char *kernel, const char *name, const char *from)
{
	static char text[1 << 14];
	FILE *file = fopen(from, "r");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	put(kernel, name, text);
}

/* cputoll verdict WORDS, NULL at the end; in a word every "@" is the folder of all kernels. */
static int run(const char *const *from)
{
	static char words[16][256];
	char *argv[16] = { "verdict" };
	int argc = 1;

	for (; *from; from++) {
		const char *word = *from, *at = strchr(word, '@');

		snprintf(words[argc], sizeof(words[0]), "%.*s%s%s",
			 at ? (int)(at - word) : (int)strlen(word), word, at ? dir : "",
			 at ? at + 1 : "");
		argv[argc] = words[argc];
		argc++;
	}
	return run_command(cmd_verdict, argc, argv);
}

static void assert_err(const char *want)
{
	char line[512];
	const char *at = strchr(want, '@');

	snprintf(line, sizeof(line), "cputoll: verdict: %.*s%s%s\n",
		 at ? (int)(at - want) : (int)strlen(want), want, at ? dir : "", at ? at + 1 : "");
	assert_string_equal(err, line);
}

/* Three kernels: the base, one slower and right, one slower and wrong. */
static void make_three(void)
{
	copy("stock", "clock.json", DATA "bench-stock.json");
	copy("stock", "check.json", DATA "check-right.json");
	copy("hot", "a.json", DATA "bench-hot.json");
	copy("hot", "b.json", DATA "check-right.json");
	copy("wrong", "bench.json", DATA "bench-hot.json");
	copy("wrong", "check.json", DATA "check-wrong.json");
	put("wrong", "variant.json",
	    "{\"name\": \"wrong\", \"patches\": [\"irqtime-hot.patch\", \"readonly.patch\"], "
	    "\"config_fragment\": \"vtime.config\", \"source\": \"6.1.192-3\"}");
	put("wrong", "console.txt", "no JSON, and nobody asks for it");
	put("wrong", "p.json", "{\"schema\": \"cputoll.profile/1\"}");
}

static void test_table(void **state)
{
	(void)state;
	make_three();
	assert_int_equal(RUN("--base", "stock=@/stock", "hot=@/hot"), EXIT_OK);
	assert_string_equal(err, "");
	assert_string_equal(out, "clock-thread, instructions per call   stock              hot\n"
				 "clock_gettime thread/sched constant   678.5  778.6 (+14.8 %)\n"
				 "~ no difference: p is not below 0.01, or the median changed by "
				 "less than 0.1 %, or "
				 "the 95 % interval\n    holds 0; ? no test: too few samples\n\n"
				 "stock: base; right" OPEN
				 "hot: slower: clock-thread +14.8 %; right" OPEN);
	/* a kernel that is wrong makes the whole so, and says why */
	assert_int_equal(RUN("--base", "stock=@/stock", "hot=@/hot", "v1=@/wrong"), EXIT_NO);
	assert_has(out,
		   "v1: slower: clock-thread +14.8 %; WRONG (fresh-thread under irq load: read "
		   "117 ms, at most 4 us: off\n    by 117 ms; wall-bound when quiet: off "
		   "by 1.00 µs)\n");
	assert_string_equal(err, "");
	assert_int_equal(RUN("--base", "v1=@/wrong", "stock=@/stock"), EXIT_NO);
	assert_has(out, "v1: base; WRONG (fresh-thread under irq load: ");
	assert_has(out, "stock: faster: clock-thread -12.9 %; right" OPEN);
}

static void test_against_itself(void **state)
{
	(void)state;
	make_three();
	assert_int_equal(RUN("--base", "stock=@/stock", "stock=@/stock"), EXIT_OK);
	assert_has(out, "  678.5 (~0 %)\n");
	assert_has(out,
		   "stock: base; right" OPEN "stock: no difference: clock-thread 0 %; right" OPEN);
}

static const char *string(struct json_object *from, const char *key)
{
	return json_object_get_string(json_at(from, key, 0));
}

static void test_json(void **state)
{
	struct json_object *document, *variants, *wrong, *line;
	static char text[1 << 16], table[1 << 20];
	char path[128];
	FILE *file;

	(void)state;
	make_three();
	assert_int_equal(RUN("--base", "stock=@/stock", "v1=@/wrong"), EXIT_NO);
	snprintf(table, sizeof(table), "%s", out);
	assert_int_equal(RUN("-o", "@/v.json", "--base", "stock=@/stock", "v1=@/wrong"), EXIT_NO);
	assert_string_equal(out, table);
	snprintf(path, sizeof(path), "%s/v.json", dir);
	file = fopen(path, "r");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	assert_int_equal(RUN("--json", "--base", "stock=@/stock", "v1=@/wrong"), EXIT_NO);
	assert_string_equal(out, text);
	assert_int_equal(RUN("--base", "stock=@/stock", "v1=@/wrong", "-o", "-"), EXIT_NO);
	assert_string_equal(out, text);

	document = json_tokener_parse(text);
	assert_non_null(document);
	assert_string_equal(string(document, "schema"), "cputoll.verdict/1");
	assert_string_equal(string(document, "base"), "stock");
	assert_string_equal(string(document, "accel"), "icount");
	assert_string_equal(string(document, "unit"), "instructions");
	variants = json_at(document, "variants", 0);
	assert_int_equal(json_object_array_length(variants), 2);
	line = json_at(json_at(json_at(variants, NULL, 0), "benches", 0), NULL, 0);
	assert_string_equal(string(line, "verdict"), "base");
	assert_null(json_at(line, "change_percent", 0));
	assert_null(json_at(line, "p", 0));
	assert_true(json_object_get_double(json_at(line, "median", 0)) == 678.5);

	wrong = json_at(variants, NULL, 1);
	assert_string_equal(string(wrong, "name"), "v1");
	assert_string_equal(string(wrong, "source"), "6.1.192-3");
	assert_string_equal(string(wrong, "config_fragment"), "vtime.config");
	assert_null(json_at(json_at(variants, NULL, 0), "config_fragment", 0));
	assert_string_equal(string(json_at(wrong, "patches", 0), NULL), "irqtime-hot.patch");
	assert_int_equal(json_object_array_length(json_at(wrong, "patches", 0)), 2);
	assert_false(json_object_get_boolean(json_at(wrong, "right", 0)));
	line = json_at(json_at(wrong, "benches", 0), NULL, 0);
	assert_string_equal(string(line, "workload"), "clock-thread");
	assert_int_equal(json_object_get_int(json_at(line, "samples", 0)), 5);
	assert_string_equal(string(line, "verdict"), "slower");
	assert_string_equal(string(line, "change_percent"), "14.75313");
	line = json_at(json_at(wrong, "oracles", 0), NULL, 1);
	assert_string_equal(string(line, "name"), "fresh-thread");
	assert_string_equal(string(line, "load"), "irq");
	assert_string_equal(string(line, "result"), "wrong");
	assert_true(json_object_get_double(json_at(line, "off_ns", 0)) == 116996000);
	json_object_put(document);
}

/* Too many kernels for one block; every line within the width, the base in each block. */
static void test_blocks(void **state)
{
	static char names[8][8] = { "stock", "k1", "k2", "k3", "k4", "k5", "k6", "k7" };
	static char dirs[8][128];
	struct verdict_variant *variants = calloc(8, sizeof(*variants));
	struct verdict verdict;
	int nr_heads = 0;

	(void)state;
	assert_non_null(variants);
	for (int i = 0; i < 8; i++) {
		snprintf(dirs[i], sizeof(dirs[i]), "%s/pound-%s", dir, names[i]);
		copy(dirs[i] + strlen(dir) + 1, "p.json",
		     i % 3 == 1	  ? DATA "pound-sync-all.json"
		     : i % 3 == 2 ? DATA "pound-sync-target.json"
				  : DATA "pound-stock.json");
		variants[i].name = names[i];
		variants[i].dir = dirs[i];
	}
	assert_int_equal(verdict_make(&verdict, variants, 8, err, sizeof(err)), 0);
	for (int width = 80; width <= 120; width += 20) {
		FILE *file = fmemopen(out, sizeof(out), "w");

		assert_non_null(file);
		assert_int_equal(verdict_print(&verdict, width, file), 0);
		fclose(file);
		assert_has(out, "k1: slower: pound +21.5 %; not checked\n");
		assert_has(out, "k2: faster: pound -12.5 %; not checked\n");
		assert_has(out, "k3: no difference: pound 0 %; not checked\n");
		nr_heads = 0;
		for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
			assert_true(text_width(line) <= (size_t)width);
			if (!strncmp(line, "pound, ns per call ", 19)) {
				nr_heads++;
				assert_non_null(strstr(line, "  stock"));
			}
		}
		assert_int_equal(nr_heads, width == 80 ? 5 : width == 100 ? 3 : 2);
	}
	verdict_free(&verdict);
}

/* Rows that go both ways, a workload that does not change, rows that reach from … to. */
static void test_sums(void **state)
{
	(void)state;
	make_three();
	copy("stock", "pound.json", DATA "pound-stock.json");
	copy("hot", "pound.json", DATA "pound-sync-target.json");
	copy("wrong", "pound.json", DATA "pound-stock.json");
	assert_int_equal(RUN("--base", "stock=@/stock", "hot=@/hot", "v1=@/wrong"), EXIT_NO);
	assert_has(out, "\nhot: mixed: clock-thread slower +14.8 %, pound faster -12.5 %; right; "
			"left open (adjust");
	assert_has(out, "\nv1: slower: clock-thread +14.8 %, pound no difference 0 %; WRONG (");
	assert_has(out, "\npound, ns per call ");
	unlink(strcat(strcpy(err, dir), "/stock/pound.json"));
	unlink(strcat(strcpy(err, dir), "/hot/pound.json"));
	unlink(strcat(strcpy(err, dir), "/wrong/pound.json"));
}

/* Several boots: the median of each is one sample, also where there was one boot only. */
static void test_boots(void **state)
{
	char name[32];

	(void)state;
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "boot%d.json", i);
		copy("boots-a", name, DATA "bench-stock.json");
		copy("boots-b", name, DATA "bench-hot.json");
	}
	copy("boots-b", "check0.json", DATA "check-right.json");
	copy("boots-b", "check1.json", DATA "check-wrong.json");
	copy("boots-b", "check2.json", DATA "check-right.json");
	copy("boots-1", "boot.json", DATA "bench-stock.json");
	assert_int_equal(RUN("--json", "--base", "a=@/boots-a", "b=@/boots-b", "one=@/boots-1"),
			 EXIT_NO);
	assert_has(out, "\"samples\": 6");
	assert_has(out, "\"samples\": 1");
	assert_null(strstr(out, "\"samples\": 5"));
	assert_has(out, "\"verdict\": \"slower\"");
	assert_has(out, "\"verdict\": \"no test\"");
	assert_has(out, "\"notes\": [\"one: 1 boot: no test\"]");
	/* one wrong boot of three, and the right ones do not hide it */
	assert_has(out, "\"detail\": \"read 117 ms, at most 4 us: off by 117 ms\"");
	assert_has(out, "\"right\": null");
}

static void test_missing_workload(void **state)
{
	(void)state;
	make_three();
	copy("more", "clock.json", DATA "bench-stock.json");
	copy("more", "pound.json", DATA "pound-stock.json");
	assert_int_equal(RUN("--base", "more=@/more", "hot=@/hot"), EXIT_CANNOT);
	assert_err("hot: no result of pound in @/hot");
	assert_has(out, "note: rows only in more: 6, only in hot: 0\n");
	assert_has(out, "clock_gettime process/sched 2 threads  1234.5                -\n");
	assert_has(out, "hot: slower: clock-thread +14.8 %; right" OPEN);
	/* wrong outweighs incomplete */
	assert_int_equal(RUN("--base", "more=@/more", "v1=@/wrong"), EXIT_NO);
	copy("checked", "check.json", DATA "check-right.json");
	assert_int_equal(RUN("--base", "c=@/checked", "d=@/checked"), EXIT_OK);
	assert_string_equal(out, "c: base; right" OPEN "d: no test; right" OPEN);
}

static void test_usage(void **state)
{
	static const struct {
		const char *words[8], *line;
	} rows[] = {
		{ { NULL }, "--base NAME=DIR is missing; see cputoll verdict -h" },
		{ { "a=@/stock" }, "--base NAME=DIR is missing; see cputoll verdict -h" },
		{ { "--base", "a=@/stock" },
		  "name a variant to compare with the base: NAME=DIR; see cputoll verdict -h" },
		{ { "--base", "stock", "b=@/hot" }, "'stock' is not NAME=DIR" },
		{ { "--base", "a=@/stock", "=@/hot" }, "'=@/hot' is not NAME=DIR" },
		{ { "--base", "a=@/stock", "hot=" }, "'hot=' is not NAME=DIR" },
		{ { "--base", "a=@/stock", "b=@/hot", "b=@/wrong" },
		  "two variants are called 'b'" },
		{ { "--base", "a=@/stock", "b=@/hot", "-o", "@/none/v.json" },
		  "cannot write @/none/v.json: No such file or directory" },
		{ { "--base", "a=@/stock", "b=@/hot", "--no" },
		  "unknown option --no; see cputoll verdict -h" },
	};

	(void)state;
	make_three();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(run(rows[i].words), EXIT_USAGE);
		assert_err(rows[i].line);
		assert_string_equal(out, "");
	}
}

static void test_unreadable(void **state)
{
	static const struct {
		const char *name, *content, *line;
	} rows[] = {
		{ NULL, NULL,
		  "bad: no result of bench or check in @/bad (*.json); did its guest fail?" },
		{ "x.json", "", "@/bad/x.json: is empty" },
		{ "x.json", "{\"schema\": \"cputoll",
		  "@/bad/x.json: ends at byte 19, inside the document; was it cut?" },
		{ "x.json", "{}", "@/bad/x.json: is no result: it has no \"schema\"" },
		{ "x.json", "{\"schema\": \"cputoll.bench/9\"}",
		  "@/bad/x.json: schema is \"cputoll.bench/9\"; this cputoll reads "
		  "\"cputoll.bench/1\"" },
		{ "x.json", "{\"schema\": \"cputoll.check/1\"}", "@/bad/x.json: tool is missing" },
		{ "x.json", "{\"schema\": \"other/1\"}",
		  "bad: no result of bench or check in @/bad (*.json); did its guest fail?" },
		{ "x.json",
		  "{\"schema\": \"cputoll.check/1\", \"tool\": {\"version\": \"0.1\"}, \"kernel\": "
		  "\"6\", \"accel\": null, \"cpus\": 1, \"checks\": [{\"name\": \"a\", \"load\": "
		  "\"irq\", \"result\": \"fine\", \"off_ns\": 0, \"detail\": \"\"}]}",
		  "@/bad/x.json: checks[0].result is \"fine\", not right, wrong or skipped" },
		{ "variant.json", "{\"patches\": 7}",
		  "@/bad/variant.json: patches is a whole number, not an array" },
		{ "variant.json", "{\"patches\": [], \"config_fragment\": [\"a\"]}",
		  "@/bad/variant.json: config_fragment is an array, not a string" },
	};

	(void)state;
	make_three();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		put("bad", rows[i].name, rows[i].content);
		assert_int_equal(RUN("--base", "stock=@/stock", "bad=@/bad"), EXIT_CANNOT);
		assert_err(rows[i].line);
		assert_string_equal(out, "");
	}
	assert_int_equal(RUN("--base", "stock=@/stock", "bad=@/nowhere"), EXIT_CANNOT);
	assert_err("bad: cannot read @/nowhere: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_against_itself),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_boots),
		cmocka_unit_test(test_missing_workload),
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests_name("verdict", tests, set_up, tear_down);
}
