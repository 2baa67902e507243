// SPDX-License-Identifier: GPL-2.0-only
/*
 * The results of bench and check, and the lab's note, as tables of keys. Called by cmd_compare.c
 * and verdict.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fields.h"
#include "json_file.h"
#include "results.h"

#define T struct bench_file_run
static const struct field sample_row[] = {
	{ "reads", FIELD_U64, FIELD_AT(T, reads) },
	{ "ns_per_read", FIELD_TIME, FIELD_AT(T, ns_per_read) },
};
static const struct fields sample = FIELDS(sample_row, T);
#undef T

#define T struct bench_file_row
static const struct field bench_kind_row[] = {
	{ "syscall", FIELD_STRING, FIELD_AT(T, syscall) },
	{ "clock", FIELD_STRING, FIELD_AT(T, clock) },
	{ "how", FIELD_STRING, FIELD_AT(T, how) },
	{ "threads", FIELD_INT, .is_optional = true, FIELD_AT(T, threads) },
	{ "reads", FIELD_U64, FIELD_AT(T, reads) },
	{ "ns_per_read", FIELD_TIME, FIELD_AT(T, ns_per_read) },
	{ "runs", FIELD_ARRAY, .is_optional = true, FIELD_ARRAY_AT(T, runs, nr_runs),
	  .of = &sample },
};
static const struct fields bench_kind = FIELDS(bench_kind_row, T);
#undef T

#define T struct bench_file
static const struct field bench_tool_row[] = {
	{ "version", FIELD_STRING, FIELD_AT(T, version) },
};
static const struct fields bench_tool = FIELDS(bench_tool_row, T);

static const struct field bench_document_row[] = {
	{ .key = "schema", .type = FIELD_SCHEMA },
	{ "tool", FIELD_OBJECT, .of = &bench_tool },
	{ "kernel", FIELD_STRING, FIELD_AT(T, kernel) },
	{ "arch", FIELD_STRING, .is_optional = true, FIELD_AT(T, arch) },
	{ "cpus", FIELD_INT, .is_optional = true, .min = 1, FIELD_AT(T, cpus) },
	{ "accounting", FIELD_STRING, FIELD_AT(T, accounting) },
	{ "accel", FIELD_STRING, .is_optional = true, .is_nullable = true, FIELD_AT(T, accel) },
	{ "unit", FIELD_STRING, .is_optional = true, FIELD_AT(T, unit) },
	{ "workload", FIELD_STRING, FIELD_AT(T, workload) },
	{ "threads", FIELD_INT, FIELD_AT(T, threads) },
	{ "kinds", FIELD_ARRAY, FIELD_ARRAY_AT(T, rows, nr_rows), .of = &bench_kind },
};
static const struct fields bench_document = FIELDS(bench_document_row, T);
#undef T
static const struct schema bench_schema = { BENCH_FILE_SCHEMA, "bench result", &bench_document };

#define T struct check_file_row
static const struct field check_row_row[] = {
	{ "name", FIELD_STRING, FIELD_AT(T, name) },
	{ "load", FIELD_STRING, FIELD_AT(T, load) },
	{ "result", FIELD_STRING, FIELD_AT(T, result) },
	{ "off_ns", FIELD_TIME, .is_nullable = true, FIELD_AT(T, off_ns) },
	{ "detail", FIELD_STRING, FIELD_AT(T, detail) },
};
static const struct fields check_rows = FIELDS(check_row_row, T);
#undef T

#define T struct check_file
static const struct field check_tool_row[] = {
	{ "version", FIELD_STRING, FIELD_AT(T, version) },
};
static const struct fields check_tool = FIELDS(check_tool_row, T);

static const struct field check_document_row[] = {
	{ .key = "schema", .type = FIELD_SCHEMA },
	{ "tool", FIELD_OBJECT, .of = &check_tool },
	{ "kernel", FIELD_STRING, FIELD_AT(T, kernel) },
	{ "accel", FIELD_STRING, .is_optional = true, .is_nullable = true, FIELD_AT(T, accel) },
	{ "cpus", FIELD_INT, .min = 1, FIELD_AT(T, cpus) },
	{ "checks", FIELD_ARRAY, FIELD_ARRAY_AT(T, rows, nr_rows), .of = &check_rows },
};
static const struct fields check_document = FIELDS(check_document_row, T);
#undef T
static const struct schema check_schema = { CHECK_FILE_SCHEMA, "check result", &check_document };

#define T struct verdict_file_row
static const struct field verdict_line_row[] = {
	{ "workload", FIELD_STRING, FIELD_AT(T, workload) },
	{ "syscall", FIELD_STRING, FIELD_AT(T, syscall) },
	{ "clock", FIELD_STRING, FIELD_AT(T, clock) },
	{ "how", FIELD_STRING, FIELD_AT(T, how) },
	{ "threads", FIELD_INT, FIELD_AT(T, threads) },
	{ "median", FIELD_TIME, FIELD_AT(T, median) },
	{ "change_percent", FIELD_DOUBLE, FIELD_AT(T, change_percent) },
	{ "interval_percent", FIELD_INTERVAL, FIELD_AT(T, interval_percent) },
};
static const struct fields verdict_line = FIELDS(verdict_line_row, T);
#undef T

#define T struct verdict_file_variant
static const struct field verdict_variant_row[] = {
	{ "name", FIELD_STRING, FIELD_AT(T, name) },
	{ "kernel", FIELD_STRING, FIELD_AT(T, kernel) },
	{ "benches", FIELD_ARRAY, FIELD_ARRAY_AT(T, rows, nr_rows), .of = &verdict_line },
	{ "right", FIELD_ANSWER, FIELD_AT(T, right) },
};
static const struct fields verdict_variant = FIELDS(verdict_variant_row, T);
#undef T

#define T struct verdict_file
static const struct field verdict_tool_row[] = {
	{ "version", FIELD_STRING, FIELD_AT(T, version) },
};
static const struct fields verdict_tool = FIELDS(verdict_tool_row, T);

static const struct field verdict_row[] = {
	{ .key = "schema", .type = FIELD_SCHEMA },
	{ "tool", FIELD_OBJECT, .of = &verdict_tool },
	{ "base", FIELD_STRING, FIELD_AT(T, base) },
	{ "unit", FIELD_STRING, FIELD_AT(T, unit) },
	{ "variants", FIELD_ARRAY, FIELD_ARRAY_AT(T, variants, nr_variants),
	  .of = &verdict_variant },
};
static const struct fields verdict_fields = FIELDS(verdict_row, T);
#undef T
static const struct schema verdict_schema = { VERDICT_FILE_SCHEMA, "verdict", &verdict_fields };

#define T struct variant_note
static const struct field note_row[] = {
	{ "patches", FIELD_STRINGS, FIELD_ARRAY_AT(T, patches, nr_patches) },
	{ "config_fragment", FIELD_STRING, .is_optional = true, .is_nullable = true,
	  FIELD_AT(T, config_fragment) },
	{ "source", FIELD_STRING, .is_optional = true, .is_nullable = true, FIELD_AT(T, source) },
};
static const struct fields note_fields = FIELDS(note_row, T);
#undef T
static const struct schema note_schema = { NULL, "variant's note", &note_fields };

/* What an older cputoll did not say: its totals are its only run. */
static int complete_row(struct bench_file_row *row, int threads)
{
	if (!row->threads)
		row->threads = threads;
	if (row->nr_runs)
		return 0;
	row->runs = calloc(1, sizeof(*row->runs));
	if (!row->runs)
		return -ENOMEM;
	row->runs[0] = (struct bench_file_run){ row->reads, row->ns_per_read };
	row->nr_runs = 1;
	return 0;
}

int bench_file_read(struct bench_file *result, struct json_object *document, const char *path,
		    char *err, size_t err_bytes)
{
	int ret;

	memset(result, 0, sizeof(*result));
	strcpy(result->unit, "ns");
	ret = document_read(&bench_schema, document, result, path, err, err_bytes);
	for (size_t i = 0; !ret && i < result->nr_rows; i++) {
		ret = complete_row(&result->rows[i], result->threads);
		if (ret)
			snprintf(err, err_bytes, "out of memory");
	}
	return ret;
}

static bool is_known_result(const char *result)
{
	static const char *const known[] = { "right", "wrong", "skipped" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(result, known[i]))
			return true;
	return false;
}

static __attribute__((format(printf, 4, 5))) int complain(const char *path, char *err,
							  size_t err_bytes, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	json_file_complain(json_file_name(path), err, err_bytes, fmt, args);
	va_end(args);
	return -EPROTO;
}

int check_file_read(struct check_file *result, struct json_object *document, const char *path,
		    char *err, size_t err_bytes)
{
	int ret;

	memset(result, 0, sizeof(*result));
	ret = document_read(&check_schema, document, result, path, err, err_bytes);
	for (size_t i = 0; !ret && i < result->nr_rows; i++)
		if (!is_known_result(result->rows[i].result))
			ret = complain(path, err, err_bytes,
				       "checks[%zu].result is \"%s\", not right, wrong or skipped",
				       i, result->rows[i].result);
	return ret;
}

int verdict_file_read(struct verdict_file *result, const char *path, char *err, size_t err_bytes)
{
	int ret;

	memset(result, 0, sizeof(*result));
	ret = fields_read(&verdict_schema, result, path, err, err_bytes);
	if (!ret && result->nr_variants < 2)
		ret = complain(path, err, err_bytes, "it judges no variant");
	for (size_t i = 0; !ret && i < result->nr_variants; i++)
		for (size_t j = 0; !ret && j < result->variants[i].nr_rows; j++)
			if (result->variants[i].rows[j].median <= 0)
				ret = complain(path, err, err_bytes,
					       "variants[%zu].benches[%zu].median is not above 0",
					       i, j);
	return ret;
}

void verdict_file_free(struct verdict_file *result)
{
	for (size_t i = 0; i < result->nr_variants; i++)
		free(result->variants[i].rows);
	free(result->variants);
	memset(result, 0, sizeof(*result));
}

int variant_note_read(struct variant_note *note, const char *path, char *err, size_t err_bytes)
{
	memset(note, 0, sizeof(*note));
	return fields_read(&note_schema, note, path, err, err_bytes);
}

void bench_file_free(struct bench_file *result)
{
	for (size_t i = 0; i < result->nr_rows; i++)
		free(result->rows[i].runs);
	free(result->rows);
	memset(result, 0, sizeof(*result));
}

void check_file_free(struct check_file *result)
{
	free(result->rows);
	memset(result, 0, sizeof(*result));
}

void variant_note_free(struct variant_note *note)
{
	free(note->patches);
	memset(note, 0, sizeof(*note));
}
