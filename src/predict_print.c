// SPDX-License-Identifier: GPL-2.0-only
/*
 * A prediction as text and as JSON, cputoll.predict/1 (docs/json.md). Called by cmd_predict.c.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cmd.h"
#include "fields.h"
#include "predict.h"
#include "text.h"

#define NAME_WIDTH 16

static const char *signed_duration(char text[TEXT_NUMBER_BYTES + 2], double ns)
{
	char number[TEXT_NUMBER_BYTES];

	snprintf(text, TEXT_NUMBER_BYTES + 2, "%s%s", ns < 0 ? "-" : "",
		 text_duration(number, fabs(ns)));
	return text;
}

static void print_saving(const struct saving *saving, FILE *out)
{
	char time[TEXT_NUMBER_BYTES + 2], from[sizeof(time)], to[sizeof(time)];

	text_cell(out, -NAME_WIDTH, saving->name);
	if (isnan(saving->ns_per_s)) {
		fprintf(out, "%10s%12s%10s  not known: the verdict has none of these reads", "?",
			"?", "?");
	} else if (saving->is_nothing) {
		fprintf(out, "%10s%12s%10s  nothing to gain", "-", "-", "-");
	} else {
		text_cell(out, 10, signed_duration(time, saving->ns_per_s));
		fprintf(out, "%10.3f %%%8.1f %%  %s to %s", saving->host_percent,
			saving->reads_percent, signed_duration(from, saving->range_ns_per_s[0]),
			signed_duration(to, saving->range_ns_per_s[1]));
	}
	if (!saving->right)
		fprintf(out, "; the lab found it WRONG");
	else if (saving->right < 0)
		fprintf(out, "; not checked");
	fputc('\n', out);
}

void predict_print(const struct prediction *prediction, FILE *out)
{
	bool any = false, all_known = true;

	fprintf(out, "Linux %s, taken for '%s' of ", prediction->kernel, prediction->from);
	text_cell(out, (int)-text_width(prediction->verdict), prediction->verdict);
	fprintf(out, "\n\n%-*s%10s%12s%10s  %s\n", NAME_WIDTH, "WITH", "SAVES A S", "OF HOST",
		"OF READS", "FROM TO");
	for (size_t i = 0; i < prediction->nr_savings; i++) {
		const struct saving *saving = &prediction->savings[i];

		print_saving(saving, out);
		any |= saving->right && !saving->is_nothing && saving->ns_per_s > 0;
		all_known &= !isnan(saving->ns_per_s);
	}
	fputc('\n', out);
	if (!any && all_known)
		fprintf(out, "Nothing to gain here: no kernel that is right is faster on this "
			     "host's reads.\n");
	for (size_t i = 0; i < prediction->notes.nr; i++)
		fprintf(out, "- %s\n", prediction->notes.text[i]);
}

#define T struct saving
static const struct field saving_row[] = {
	{ "name", FIELD_STRING, FIELD_AT(T, name) },
	{ "right", FIELD_ANSWER, FIELD_AT(T, right) },
	{ "covered_percent", FIELD_DOUBLE, FIELD_AT(T, covered_percent) },
	{ "saved_ns_per_s", FIELD_DOUBLE, FIELD_AT(T, ns_per_s) },
	{ "range_ns_per_s", FIELD_INTERVAL, FIELD_AT(T, range_ns_per_s) },
	{ "host_percent", FIELD_DOUBLE, FIELD_AT(T, host_percent) },
	{ "reads_percent", FIELD_DOUBLE, FIELD_AT(T, reads_percent) },
	{ "nothing", FIELD_BOOL, FIELD_AT(T, is_nothing) },
};
static const struct fields saving_fields = FIELDS(saving_row, T);
#undef T

#define T struct prediction
static const struct field prediction_row[] = {
	{ "verdict", FIELD_STRING, FIELD_AT(T, verdict) },
	{ "kernel", FIELD_STRING, FIELD_AT(T, kernel) },
	{ "from", FIELD_STRING, FIELD_AT(T, from) },
	{ "unit", FIELD_STRING, FIELD_AT(T, unit) },
	{ "ns_per_unit", FIELD_DOUBLE, FIELD_AT(T, ns_per_unit) },
	{ "variants", FIELD_ARRAY, FIELD_ARRAY_AT(T, savings, nr_savings), .of = &saving_fields },
	{ "notes", FIELD_STRINGS, FIELD_ARRAY_AT(T, notes.text, notes.nr) },
	{ "warnings", FIELD_STRINGS, FIELD_ARRAY_AT(T, warnings.text, warnings.nr) },
};
static const struct fields prediction_fields = FIELDS(prediction_row, T);
#undef T

struct document {
	char version[32];
	const struct prediction *predictions;
	size_t nr;
};

#define T struct document
static const struct field tool_row[] = {
	{ "version", FIELD_STRING, FIELD_AT(T, version) },
};
static const struct fields tool = FIELDS(tool_row, T);

static const struct field document_row[] = {
	{ .key = "schema", .type = FIELD_SCHEMA },
	{ "tool", FIELD_OBJECT, .of = &tool },
	{ "predictions", FIELD_ARRAY, FIELD_ARRAY_AT(T, predictions, nr),
	  .of = &prediction_fields },
};
static const struct fields document_fields = FIELDS(document_row, T);
#undef T
static const struct schema schema = { "cputoll.predict/1", "prediction", &document_fields };

int predict_write(const struct prediction *predictions, size_t nr, const char *path)
{
	struct document document = { .predictions = predictions, .nr = nr };

	snprintf(document.version, sizeof(document.version), "%s", CPUTOLL_VERSION);
	return fields_write(&schema, &document, path);
}
