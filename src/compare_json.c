// SPDX-License-Identifier: GPL-2.0-only
/*
 * A comparison as JSON, cputoll.compare/1: the rows of each side against the base, as a table of
 * keys (docs/json.md). Called by cmd_compare.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "compare.h"
#include "fields.h"

/* A row of one side. */
struct line {
	struct compare_key key;
	__u64 base_calls, calls;
	__u64 base_samples, samples;
	struct stats_change change;
	char word[16];
};

struct side {
	char file[512];
	struct line *lines;
	size_t nr_lines;
};

struct document {
	char version[32];
	char kind[16];
	char unit[16];
	char base[512];
	char (*notes)[COMPARE_NOTE_BYTES];
	size_t nr_notes;
	struct side *sides;
	size_t nr_sides;
};

#define T struct line
static const struct field line_row[] = {
	{ "syscall", FIELD_STRING, FIELD_AT(T, key.caller) },
	{ "clock", FIELD_STRING, FIELD_AT(T, key.clock) },
	{ "how", FIELD_STRING, FIELD_AT(T, key.how) },
	{ "threads", FIELD_INT, FIELD_AT(T, key.threads) },
	{ "function", FIELD_STRING, .is_nullable = true, FIELD_AT(T, key.function) },
	{ "asks", FIELD_MASK, FIELD_AT(T, key.asks) },
	{ "base_calls", FIELD_U64, FIELD_AT(T, base_calls) },
	{ "calls", FIELD_U64, FIELD_AT(T, calls) },
	{ "base_samples", FIELD_U64, FIELD_AT(T, base_samples) },
	{ "samples", FIELD_U64, FIELD_AT(T, samples) },
	{ "base_median", FIELD_DOUBLE, FIELD_AT(T, change.base) },
	{ "median", FIELD_DOUBLE, FIELD_AT(T, change.other) },
	{ "change_percent", FIELD_DOUBLE, FIELD_AT(T, change.change_percent) },
	{ "shift_percent", FIELD_DOUBLE, FIELD_AT(T, change.shift_percent) },
	{ "interval_percent", FIELD_INTERVAL, FIELD_AT(T, change.interval_percent) },
	{ "p", FIELD_DOUBLE, FIELD_AT(T, change.p) },
	{ "verdict", FIELD_STRING, FIELD_AT(T, word) },
};
static const struct fields lines = FIELDS(line_row, T);
#undef T

#define T struct side
static const struct field side_row[] = {
	{ "file", FIELD_STRING, FIELD_AT(T, file) },
	{ "rows", FIELD_ARRAY, FIELD_ARRAY_AT(T, lines, nr_lines), .of = &lines },
};
static const struct fields sides = FIELDS(side_row, T);
#undef T

#define T struct document
static const struct field tool_row[] = {
	{ "version", FIELD_STRING, FIELD_AT(T, version) },
};
static const struct fields tool = FIELDS(tool_row, T);

static const struct field document_row[] = {
	{ .key = "schema", .type = FIELD_SCHEMA },
	{ "tool", FIELD_OBJECT, .of = &tool },
	{ "kind", FIELD_STRING, FIELD_AT(T, kind) },
	{ "unit", FIELD_STRING, FIELD_AT(T, unit) },
	{ "base", FIELD_STRING, FIELD_AT(T, base) },
	{ "notes", FIELD_STRINGS, FIELD_ARRAY_AT(T, notes, nr_notes) },
	{ "compared", FIELD_ARRAY, FIELD_ARRAY_AT(T, sides, nr_sides), .of = &sides },
};
static const struct fields document_fields = FIELDS(document_row, T);
#undef T
static const struct schema schema = { "cputoll.compare/1", "comparison", &document_fields };

static int fill_side(struct side *side, const struct compare *compare, size_t nr)
{
	snprintf(side->file, sizeof(side->file), "%s", compare->sides[nr].name);
	side->lines = calloc(compare->nr_rows + 1, sizeof(*side->lines));
	if (!side->lines)
		return -ENOMEM;
	side->nr_lines = compare->nr_rows;
	for (size_t i = 0; i < compare->nr_rows; i++) {
		const struct compare_row *row = &compare->rows[i];
		const struct compare_cell *base = &row->cells[0], *cell = &row->cells[nr];

		side->lines[i] = (struct line){
			.key = row->key,
			.base_calls = base->calls,
			.calls = cell->calls,
			.base_samples = (__u64)compare_samples(base),
			.samples = (__u64)compare_samples(cell),
			.change = cell->change,
		};
		snprintf(side->lines[i].word, sizeof(side->lines[i].word), "%s",
			 compare_word(row, nr));
	}
	return 0;
}

static int fill(struct document *document, const struct compare *compare)
{
	int err;

	snprintf(document->version, sizeof(document->version), "%s", CPUTOLL_VERSION);
	strcpy(document->kind, compare->is_profile ? "profile" : "bench");
	snprintf(document->unit, sizeof(document->unit), "%s", compare_unit(compare));
	snprintf(document->base, sizeof(document->base), "%s", compare->sides[0].name);
	document->sides = calloc(compare->nr_sides, sizeof(*document->sides));
	if (!document->sides)
		return -ENOMEM;
	err = compare_notes(compare, &document->notes, &document->nr_notes);
	for (size_t i = 1; !err && i < compare->nr_sides; i++)
		err = fill_side(&document->sides[document->nr_sides++], compare, i);
	return err;
}

int compare_write(const struct compare *compare, const char *path)
{
	struct document document = {};
	int err = fill(&document, compare);

	if (!err)
		err = fields_write(&schema, &document, path);
	for (size_t i = 0; i < document.nr_sides; i++)
		free(document.sides[i].lines);
	free(document.sides);
	free(document.notes);
	return err;
}
