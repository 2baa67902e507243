// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll compare: profiles, or results of bench, against the first of them. Called by main.c's
 * table of commands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include "cmd.h"
#include "compare.h"
#include "json_file.h"
#include "opts.h"
#include "text.h"

#define WHAT "profile or bench result"

/* The kinds of documents that can be compared, and how each is added to a side. */
static int add_profile(struct compare *compare, size_t side, struct json_object *document,
		       const char *path, char *err, size_t err_bytes)
{
	struct profile profile;
	int ret = profile_read_document(&profile, document, path, err, err_bytes);

	if (!ret)
		ret = compare_add_profile(compare, side, &profile);
	profile_free(&profile);
	return ret;
}

static int add_bench(struct compare *compare, size_t side, struct json_object *document,
		     const char *path, char *err, size_t err_bytes)
{
	struct bench_file file;
	int ret = bench_file_read(&file, document, path, err, err_bytes);

	if (!ret)
		ret = compare_add_bench(compare, side, &file, false, false);
	bench_file_free(&file);
	return ret;
}

static const struct kind {
	const char *schema;
	const char *what;
	int (*add)(struct compare *compare, size_t side, struct json_object *document,
		   const char *path, char *err, size_t err_bytes);
} kinds[] = {
	{ PROFILE_SCHEMA, "a profile", add_profile },
	{ BENCH_FILE_SCHEMA, "a bench result", add_bench },
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct kind *kind_of(struct json_object *document, const char *file)
{
	const char *schema = json_file_schema(document);
	char name[512], clean[64];

	text_clean(name, sizeof(name), file);
	for (size_t i = 0; schema && i < NR_KINDS; i++)
		if (!strcmp(schema, kinds[i].schema))
			return &kinds[i];
	if (schema)
		error("compare: %s: schema is \"%s\"; compare reads \"%s\" and \"%s\"", name,
		      text_clean(clean, sizeof(clean), schema), kinds[0].schema, kinds[1].schema);
	else
		error("compare: %s: is no " WHAT ": it has no \"schema\"", name);
	return NULL;
}

/* Add @path as @side. *@kind is that of the sides before. Returns an exit status. */
static int add_file(struct compare *compare, size_t side, const char *path,
		    const struct kind **kind)
{
	const char *file = json_file_name(path);
	const struct kind *before = *kind;
	struct json_object *document;
	char err[512], name[2][256];
	int ret = json_file_load(path, WHAT, &document, err, sizeof(err));

	if (ret)
		goto bad;
	*kind = kind_of(document, file);
	if (!*kind) {
		ret = EXIT_USAGE;
		goto out;
	}
	if (before && before != *kind) {
		error("compare: %s is %s, %s is %s: only the same can be compared",
		      text_clean(name[0], sizeof(name[0]), compare->sides[0].name), before->what,
		      text_clean(name[1], sizeof(name[1]), file), (*kind)->what);
		ret = EXIT_USAGE;
		goto out;
	}
	compare->sides[side].name = file;
	ret = (*kind)->add(compare, side, document, path, err, sizeof(err));
	if (!ret)
		goto out;
bad:
	error("compare: %s", ret == -ENOMEM ? "out of memory" : err);
	ret = ret == -ENOMEM ? EXIT_CANNOT : EXIT_USAGE;
out:
	json_object_put(document);
	return ret;
}

static void print_side(const struct compare *compare, size_t side)
{
	static const struct {
		enum compare_fact fact;
		const char *before, *after;
	} shown[] = {
		{ FACT_WORKLOAD, "", "" },
		{ FACT_KERNEL, "Linux ", "" },
		{ FACT_ARCH, "", "" },
		{ FACT_CPUS, "CPUs: ", "" },
		{ FACT_ACCOUNTING, "", " accounting" },
		{ FACT_ENGINE, "", "" },
		{ FACT_ACCEL, "", "" },
	};
	const struct compare_side *of = &compare->sides[side];
	char clean[256];

	printf("%s%s", side ? "other " : "base  ", text_clean(clean, sizeof(clean), of->name));
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (of->facts[shown[i].fact].text[0])
			printf("  %s%s%s", shown[i].before,
			       text_clean(clean, sizeof(clean), of->facts[shown[i].fact].text),
			       shown[i].after);
	putchar('\n');
}

static int print_text(const struct compare *compare)
{
	char(*notes)[COMPARE_NOTE_BYTES] = NULL;
	size_t nr = 0;
	int err = compare_notes(compare, &notes, &nr);

	for (size_t i = 0; !err && i < compare->nr_sides; i++)
		print_side(compare, i);
	for (size_t i = 0; i < nr; i++)
		printf("note: %s\n", text_clean(notes[i], sizeof(notes[i]), notes[i]));
	free(notes);
	if (err)
		return err;
	putchar('\n');
	if (compare->nr_sides == 2)
		compare_print(compare, 1, stdout);
	else
		compare_print_columns(compare, 100, stdout);
	printf("\n%sno difference: p is not below %g, or the median changed by less than %g %%, or "
	       "the "
	       "interval\nholds 0%s\n",
	       compare->nr_sides == 2 ? "" : "~ ", STATS_P, STATS_RESOLUTION_PERCENT,
	       compare->nr_sides == 2 ? "" : "; ? no test: too few samples");
	return 0;
}

int cmd_compare(int argc, char **argv)
{
	bool as_json = false;
	const struct opt table[] = {
		{ 0, "json", OPT_FLAG, &as_json, 0, 0, NULL, "print JSON instead of text" },
	};
	const struct opts opts = {
		"compare [OPTIONS] FILE FILE...",
		"Say what changed from the first FILE to each other: profiles that 'cputoll "
		"record' "
		"wrote,\nor what 'cputoll bench --json' printed. \"-\" is standard input.",
		table,
		sizeof(table) / sizeof(table[0]),
		NULL,
	};
	const struct kind *kind = NULL;
	struct compare compare;
	int nr, ret;

	ret = opts_parse_words(&opts, argc, argv, &nr);
	if (ret != OPTS_PARSED)
		return ret == OPTS_HELP ? EXIT_OK : EXIT_USAGE;
	if (nr < 2) {
		error("compare: two FILEs at least, the first is the base");
		return EXIT_USAGE;
	}
	ret = compare_init(&compare, nr);
	if (ret)
		goto cannot;
	for (int i = 0; i < nr; i++) {
		ret = add_file(&compare, i, argv[1 + i], &kind);
		if (ret)
			goto out;
	}
	ret = compare_finish(&compare);
	if (!ret)
		ret = as_json ? compare_write(&compare, "-") : print_text(&compare);
	if (!ret && (fflush(stdout) || ferror(stdout)))
		ret = -errno;
	if (!ret)
		goto out;
cannot:
	error("compare: cannot print the comparison: %s", strerror(-ret));
	ret = EXIT_CANNOT;
out:
	compare_free(&compare);
	return ret;
}
