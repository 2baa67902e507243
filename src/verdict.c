// SPDX-License-Identifier: GPL-2.0-only
/*
 * Folders of results made into a verdict: files told apart by their schema, samples chosen, the
 * worst of the oracles kept. Called by cmd_verdict.c.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include "json_file.h"
#include "text.h"
#include "verdict.h"

#define NOTE_FILE "variant.json"

/* Where to say what is wrong. */
struct complaint {
	char *text;
	size_t bytes;
};

static __attribute__((format(printf, 3, 4))) int fail(const struct complaint *complaint, int code,
						      const char *fmt, ...)
{
	char line[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	text_clean(complaint->text, complaint->bytes, line);
	return code;
}

static int add_bench(struct verdict_variant *variant, struct json_object *document,
		     const char *path, const struct complaint *complaint)
{
	struct bench_file *grown;
	int ret;

	grown = reallocarray(variant->benches, variant->nr_benches + 1, sizeof(*grown));
	if (!grown)
		return fail(complaint, -ENOMEM, "out of memory");
	variant->benches = grown;
	ret = bench_file_read(&grown[variant->nr_benches++], document, path, complaint->text,
			      complaint->bytes);
	if (!ret)
		strcpy(variant->kernel, grown[variant->nr_benches - 1].kernel);
	return ret;
}

/* From best to worst: what a wrong boot said is not outweighed by ten right ones, nor what one left
 * open. */
static int badness(const char *result)
{
	static const char *const order[] = { "right", "skipped", "wrong" };
	int i = 0;

	while (i < 2 && strcmp(result, order[i]))
		i++;
	return i;
}

static struct verdict_oracle *oracle_of(struct verdict_variant *variant,
					const struct check_file_row *row)
{
	struct verdict_oracle *grown;

	for (size_t i = 0; i < variant->nr_oracles; i++)
		if (!strcmp(variant->oracles[i].name, row->name) &&
		    !strcmp(variant->oracles[i].load, row->load))
			return &variant->oracles[i];
	grown = reallocarray(variant->oracles, variant->nr_oracles + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	variant->oracles = grown;
	grown += variant->nr_oracles++;
	memset(grown, 0, sizeof(*grown));
	return grown;
}

static int add_check(struct verdict_variant *variant, struct json_object *document,
		     const char *path, const struct complaint *complaint)
{
	struct check_file file;
	int ret = check_file_read(&file, document, path, complaint->text, complaint->bytes);

	for (size_t i = 0; !ret && i < file.nr_rows; i++) {
		const struct check_file_row *row = &file.rows[i];
		struct verdict_oracle *oracle = oracle_of(variant, row);

		if (!oracle) {
			ret = fail(complaint, -ENOMEM, "out of memory");
			break;
		}
		if (!strcmp(row->result, "wrong"))
			variant->right = 0;
		else if (!strcmp(row->result, "right") && variant->right < 0)
			variant->right = 1;
		if (oracle->name[0] && (badness(row->result) < badness(oracle->result) ||
					(badness(row->result) == badness(oracle->result) &&
					 row->off_ns <= oracle->off_ns)))
			continue;
		memcpy(oracle->name, row->name, sizeof(oracle->name));
		memcpy(oracle->load, row->load, sizeof(oracle->load));
		memcpy(oracle->result, row->result, sizeof(oracle->result));
		memcpy(oracle->detail, row->detail, sizeof(oracle->detail));
		oracle->off_ns = row->off_ns;
	}
	if (!ret)
		memcpy(variant->kernel, file.kernel, sizeof(variant->kernel));
	check_file_free(&file);
	return ret;
}

/* The documents that count. Of another version one is an error; others are not ours to read. */
static const struct kind {
	const char *schema;
	size_t family; /* the schema's bytes without the version */
	int (*add)(struct verdict_variant *variant, struct json_object *document, const char *path,
		   const struct complaint *complaint);
} kinds[] = {
	{ BENCH_FILE_SCHEMA, sizeof(BENCH_FILE_SCHEMA) - 2, add_bench },
	{ CHECK_FILE_SCHEMA, sizeof(CHECK_FILE_SCHEMA) - 2, add_check },
};

static int add_file(struct verdict_variant *variant, const char *name,
		    const struct complaint *complaint)
{
	struct json_object *document;
	char path[PATH_MAX];
	const char *schema;
	int ret;

	if (snprintf(path, sizeof(path), "%s/%s", variant->dir, name) >= (int)sizeof(path))
		return fail(complaint, -ENAMETOOLONG, "%s: too long a name", variant->dir);
	if (!strcmp(name, NOTE_FILE))
		return variant_note_read(&variant->note, path, complaint->text, complaint->bytes);
	ret = json_file_load(path, "result", &document, complaint->text, complaint->bytes);
	schema = ret ? NULL : json_file_schema(document);
	if (!ret && !schema)
		ret = fail(complaint, -EPROTO, "%s: is no result: it has no \"schema\"", path);
	for (size_t i = 0; schema && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		/* the reader says what is wrong with the version */
		if (!strncmp(schema, kinds[i].schema, kinds[i].family)) {
			ret = kinds[i].add(variant, document, path, complaint);
			break;
		}
	}
	json_object_put(document);
	return ret;
}

static int load(struct verdict_variant *variant, const struct complaint *complaint)
{
	struct dirent **entries;
	int nr = scandir(variant->dir, &entries, json_file_filter, alphasort), ret = 0;

	variant->right = -1;
	if (nr < 0)
		return fail(complaint, -errno, "%s: cannot read %s: %s", variant->name,
			    variant->dir, strerror(errno));
	for (int i = 0; i < nr; i++) {
		if (!ret)
			ret = add_file(variant, entries[i]->d_name, complaint);
		free(entries[i]);
	}
	free(entries);
	if (!ret && !variant->nr_benches && !variant->nr_oracles)
		ret = fail(complaint, -ENOENT,
			   "%s: no result of bench or check in %s (*.json); did its guest fail?",
			   variant->name, variant->dir);
	return ret;
}

static size_t count_files(const struct verdict_variant *variant, const char *workload)
{
	size_t nr = 0;

	for (size_t i = 0; i < variant->nr_benches; i++)
		nr += !strcmp(variant->benches[i].workload, workload);
	return nr;
}

/* Is any kernel's @workload there from several boots? Then boots are the samples of all. */
static bool has_boots(const struct verdict *verdict, const char *workload)
{
	for (size_t i = 0; i < verdict->nr_variants; i++)
		if (count_files(&verdict->variants[i], workload) > 1)
			return true;
	return false;
}

static int add_benches(struct verdict *verdict, size_t side)
{
	const struct verdict_variant *variant = &verdict->variants[side];

	for (size_t i = 0; i < variant->nr_benches; i++) {
		const struct bench_file *file = &variant->benches[i];

		if (compare_add_bench(&verdict->compare, side, file,
				      has_boots(verdict, file->workload), true))
			return -ENOMEM;
	}
	verdict->compare.sides[side].name = variant->name;
	/* each is a kernel of its own: that is no news */
	verdict->compare.sides[side].facts[FACT_KERNEL].text[0] = 0;
	return 0;
}

static void find_missing(struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nr_variants; i++) {
		for (size_t j = 0; j < verdict->compare.nr_rows; j++) {
			const char *workload = verdict->compare.rows[j].key.workload;

			if (verdict->missing[0] || count_files(&verdict->variants[i], workload))
				continue;
			snprintf(verdict->missing, sizeof(verdict->missing),
				 "%s: no result of %s in %s", verdict->variants[i].name, workload,
				 verdict->variants[i].dir);
		}
	}
}

int verdict_make(struct verdict *verdict, struct verdict_variant *variants, size_t nr, char *err,
		 size_t err_bytes)
{
	const struct complaint complaint = { err, err_bytes };
	int ret = 0;

	memset(verdict, 0, sizeof(*verdict));
	verdict->variants = variants;
	verdict->nr_variants = nr;
	for (size_t i = 0; !ret && i < nr; i++)
		ret = load(&variants[i], &complaint);
	if (ret)
		return ret;
	ret = compare_init(&verdict->compare, nr);
	for (size_t i = 0; !ret && i < nr; i++)
		ret = add_benches(verdict, i);
	if (!ret)
		ret = compare_finish(&verdict->compare);
	if (ret)
		return fail(&complaint, ret, "out of memory");
	find_missing(verdict);
	return 0;
}

void verdict_free(struct verdict *verdict)
{
	for (size_t i = 0; i < verdict->nr_variants; i++) {
		struct verdict_variant *variant = &verdict->variants[i];

		for (size_t j = 0; j < variant->nr_benches; j++)
			bench_file_free(&variant->benches[j]);
		free(variant->benches);
		free(variant->oracles);
		variant_note_free(&variant->note);
	}
	free(verdict->variants);
	compare_free(&verdict->compare);
	memset(verdict, 0, sizeof(*verdict));
}

void verdict_sum(const struct verdict *verdict, size_t side, const char *workload,
		 struct verdict_sum *sum)
{
	size_t words[STATS_WORDS] = {};

	*sum = (struct verdict_sum){ "no test", NAN, NAN };
	for (size_t i = 0; i < verdict->compare.nr_rows; i++) {
		const struct compare_row *row = &verdict->compare.rows[i];
		const struct stats_change *change = &row->cells[side].change;

		if ((workload && strcmp(workload, row->key.workload)) || !row->cells[0].is_there ||
		    !row->cells[side].is_there)
			continue;
		words[change->word]++;
		sum->low_percent = fmin(sum->low_percent, change->change_percent);
		sum->high_percent = fmax(sum->high_percent, change->change_percent);
	}
	if (words[STATS_FASTER] && words[STATS_SLOWER])
		sum->word = "mixed";
	else if (words[STATS_FASTER])
		sum->word = stats_word_text(STATS_FASTER);
	else if (words[STATS_SLOWER])
		sum->word = stats_word_text(STATS_SLOWER);
	else if (words[STATS_NO_DIFFERENCE])
		sum->word = stats_word_text(STATS_NO_DIFFERENCE);
}
