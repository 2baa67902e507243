// SPDX-License-Identifier: GPL-2.0-only
/*
 * A verdict as JSON, cputoll.verdict/1, by a table of keys (docs/json.md). Called by cmd_verdict.c.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "fields.h"
#include "verdict.h"

struct line {
	struct compare_key key;
	__u64 samples;
	struct stats_change change;
	char word[16];
};

struct variant {
	char name[128];
	struct verdict_variant of; /* a copy, whose pointers stay the verdict's */
	struct line *lines;
	size_t nr_lines;
};

struct document {
	char version[32];
	char base[128];
	char accel[16];
	char unit[16];
	char (*notes)[COMPARE_NOTE_BYTES];
	size_t nr_notes;
	struct variant *variants;
	size_t nr_variants;
};

#define T struct line
static const struct field line_row[] = {
	{ "workload", FIELD_STRING, FIELD_AT(T, key.workload) },
	{ "syscall", FIELD_STRING, FIELD_AT(T, key.caller) },
	{ "clock", FIELD_STRING, FIELD_AT(T, key.clock) },
	{ "how", FIELD_STRING, FIELD_AT(T, key.how) },
	{ "threads", FIELD_INT, FIELD_AT(T, key.threads) },
	{ "samples", FIELD_U64, FIELD_AT(T, samples) },
	{ "median", FIELD_DOUBLE, FIELD_AT(T, change.other) },
	{ "change_percent", FIELD_DOUBLE, FIELD_AT(T, change.change_percent) },
	{ "interval_percent", FIELD_INTERVAL, FIELD_AT(T, change.interval_percent) },
	{ "p", FIELD_DOUBLE, FIELD_AT(T, change.p) },
	{ "verdict", FIELD_STRING, FIELD_AT(T, word) },
};
static const struct fields lines = FIELDS(line_row, T);
#undef T

#define T struct verdict_oracle
static const struct field oracle_row[] = {
	{ "name", FIELD_STRING, FIELD_AT(T, name) },
	{ "load", FIELD_STRING, FIELD_AT(T, load) },
	{ "result", FIELD_STRING, FIELD_AT(T, result) },
	{ "off_ns", FIELD_DOUBLE, FIELD_AT(T, off_ns) },
	{ "detail", FIELD_STRING, FIELD_AT(T, detail) },
};
static const struct fields oracles = FIELDS(oracle_row, T);
#undef T

#define T struct variant
static const struct field variant_row[] = {
	{ "name", FIELD_STRING, FIELD_AT(T, name) },
	{ "kernel", FIELD_STRING, FIELD_AT(T, of.kernel) },
	{ "source", FIELD_STRING, .is_nullable = true, FIELD_AT(T, of.note.source) },
	{ "patches", FIELD_STRINGS, FIELD_ARRAY_AT(T, of.note.patches, of.note.nr_patches) },
	{ "config_fragment", FIELD_STRING, .is_nullable = true,
	  FIELD_AT(T, of.note.config_fragment) },
	{ "benches", FIELD_ARRAY, FIELD_ARRAY_AT(T, lines, nr_lines), .of = &lines },
	{ "oracles", FIELD_ARRAY, FIELD_ARRAY_AT(T, of.oracles, of.nr_oracles), .of = &oracles },
	{ "right", FIELD_ANSWER, FIELD_AT(T, of.right) },
};
static const struct fields variants = FIELDS(variant_row, T);
#undef T

#define T struct document
static const struct field tool_row[] = {
	{ "version", FIELD_STRING, FIELD_AT(T, version) },
};
static const struct fields tool = FIELDS(tool_row, T);

static const struct field document_row[] = {
	{ .key = "schema", .type = FIELD_SCHEMA },
	{ "tool", FIELD_OBJECT, .of = &tool },
	{ "base", FIELD_STRING, FIELD_AT(T, base) },
	{ "accel", FIELD_STRING, .is_nullable = true, FIELD_AT(T, accel) },
	{ "unit", FIELD_STRING, FIELD_AT(T, unit) },
	{ "notes", FIELD_STRINGS, FIELD_ARRAY_AT(T, notes, nr_notes) },
	{ "variants", FIELD_ARRAY, FIELD_ARRAY_AT(T, variants, nr_variants), .of = &variants },
};
static const struct fields document_fields = FIELDS(document_row, T);
#undef T
static const struct schema schema = { VERDICT_FILE_SCHEMA, "verdict", &document_fields };

static int fill_variant(struct variant *to, const struct verdict *verdict, size_t side)
{
	const struct compare *compare = &verdict->compare;

	snprintf(to->name, sizeof(to->name), "%s", verdict->variants[side].name);
	to->of = verdict->variants[side];
	to->lines = calloc(compare->nr_rows + 1, sizeof(*to->lines));
	if (!to->lines)
		return -ENOMEM;
	for (size_t i = 0; i < compare->nr_rows; i++) {
		const struct compare_row *row = &compare->rows[i];
		struct line *line = &to->lines[to->nr_lines];

		if (!row->cells[side].is_there)
			continue;
		to->nr_lines++;
		line->key = row->key;
		line->samples = row->cells[side].nr_samples;
		line->change = row->cells[side].change;
		snprintf(line->word, sizeof(line->word), "%s",
			 side ? compare_word(row, side) : "base");
		if (!side)
			line->change = (struct stats_change){ .other = line->change.base,
							      .change_percent = NAN,
							      .interval_percent = { NAN, NAN },
							      .p = NAN };
	}
	return 0;
}

int verdict_write(const struct verdict *verdict, const char *path)
{
	const struct verdict_variant *base = &verdict->variants[0];
	struct document document = { .variants = calloc(verdict->nr_variants,
							sizeof(*document.variants)) };
	int err = document.variants ? 0 : -ENOMEM;

	snprintf(document.version, sizeof(document.version), "%s", CPUTOLL_VERSION);
	snprintf(document.base, sizeof(document.base), "%s", base->name);
	snprintf(document.unit, sizeof(document.unit), "%s", compare_unit(&verdict->compare));
	if (base->nr_benches)
		memcpy(document.accel, base->benches[0].accel, sizeof(document.accel));
	if (!err)
		err = compare_notes(&verdict->compare, &document.notes, &document.nr_notes);
	for (size_t i = 0; !err && i < verdict->nr_variants; i++)
		err = fill_variant(&document.variants[document.nr_variants++], verdict, i);
	if (!err)
		err = fields_write(&schema, &document, path);
	for (size_t i = 0; i < document.nr_variants; i++)
		free(document.variants[i].lines);
	free(document.variants);
	free(document.notes);
	return err;
}
