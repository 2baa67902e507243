// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of the profile's keys, by which profiles are read and written; docs/profile.md explains
 * them. Called by whoever has a profile to read or write.
 */
#include <string.h>
#include "fields.h"
#include "profile.h"

#define T struct profile
static const struct field tool_row[] = {
	{ "version", FIELD_STRING, FIELD_AT(T, version) },
	{ "engine", FIELD_STRING, FIELD_AT(T, engine) },
};
static const struct fields tool = FIELDS(tool_row, T);

static const struct field host_row[] = {
	{ "kernel", FIELD_STRING, FIELD_AT(T, host.kernel) },
	{ "arch", FIELD_STRING, FIELD_AT(T, host.arch) },
	{ "cpus", FIELD_INT, .min = 1, FIELD_AT(T, host.cpus) },
	{ "clocksource", FIELD_STRING, FIELD_AT(T, host.clocksource) },
	{ "accounting", FIELD_STRING, FIELD_AT(T, host.accounting) },
	{ "config", FIELD_CONFIG, FIELD_ARRAY_AT(T, host.config, host.nr_config) },
};
static const struct fields host = FIELDS(host_row, T);

static const struct field calibration_row[] = {
	{ "inside_ns", FIELD_U64, FIELD_AT(T, inside_ns) },
	{ "whole_ns", FIELD_U64, FIELD_AT(T, whole_ns) },
};
static const struct fields calibration = FIELDS(calibration_row, T);

static const struct field lost_row[] = {
	{ "migrated", FIELD_U64, FIELD_AT(T, lost.migrated) },
	{ "overflow", FIELD_U64, FIELD_AT(T, lost.overflow) },
	{ "recursion", FIELD_U64, FIELD_AT(T, lost.recursion) },
	{ "processes", FIELD_U64, .is_optional = true, FIELD_AT(T, lost.processes) },
};
static const struct fields lost = FIELDS(lost_row, T);
#undef T

#define T struct profile_function
static const struct field function_row[] = {
	{ "name", FIELD_STRING, FIELD_AT(T, name) },
	{ "group", FIELD_STRING, .is_optional = true, FIELD_AT(T, group) },
	{ "attached", FIELD_BOOL, FIELD_AT(T, attached) },
	{ "reason", FIELD_STRING, FIELD_AT(T, reason) },
};
static const struct fields function = FIELDS(function_row, T);
#undef T

#define T struct profile_path
static const struct field path_row[] = {
	{ "id", FIELD_ID, .is_optional = true },
	{ "parent_id", FIELD_PARENT_ID, FIELD_AT(T, parent) },
	{ "caller", FIELD_STRING, FIELD_AT(T, caller) },
	{ "clock", FIELD_STRING, FIELD_AT(T, clock) },
	{ "asks", FIELD_MASK, FIELD_AT(T, asks) },
	{ "needs", FIELD_MASK, FIELD_AT(T, needs) },
	{ "function", FIELD_STRING, FIELD_AT(T, function) },
	{ "parent", FIELD_PARENT, FIELD_AT(T, parent) },
	{ "calls", FIELD_U64, FIELD_AT(T, calls) },
	{ "errors", FIELD_U64, .is_optional = true, FIELD_AT(T, errors) },
	{ "raw_ns", FIELD_U64, FIELD_AT(T, raw_ns) },
	{ "total_ns", FIELD_U64, FIELD_AT(T, total_ns) },
	{ "self_ns", FIELD_U64, FIELD_AT(T, self_ns) },
	{ "clamped", FIELD_BOOL, .is_optional = true, FIELD_AT(T, clamped) },
	{ "may_sleep", FIELD_BOOL, .is_optional = true, FIELD_AT(T, may_sleep) },
	{ "hist", FIELD_HIST, FIELD_AT(T, hist) },
};
static const struct fields path = FIELDS(path_row, T);
#undef T

#define T struct profile_syscall
static const struct field syscall_row[] = {
	{ "name", FIELD_STRING, FIELD_AT(T, name) },
	{ "clock", FIELD_STRING, FIELD_AT(T, clock) },
	{ "calls", FIELD_U64, FIELD_AT(T, calls) },
	{ "errors", FIELD_U64, .is_optional = true, FIELD_AT(T, errors) },
	{ "total_ns", FIELD_U64, FIELD_AT(T, total_ns) },
	{ "accounting_ns", FIELD_U64, FIELD_AT(T, accounting_ns) },
	{ "hist", FIELD_HIST, FIELD_AT(T, hist) },
};
static const struct fields syscall = FIELDS(syscall_row, T);
#undef T

#define T struct profile_process
static const struct field process_row[] = {
	{ "pid", FIELD_INT, .min = 0, FIELD_AT(T, pid) },
	{ "comm", FIELD_STRING, FIELD_AT(T, comm) },
	{ "calls", FIELD_U64, FIELD_AT(T, calls) },
	{ "total_ns", FIELD_U64, FIELD_AT(T, total_ns) },
	{ "masks", FIELD_MASK_COUNTS, FIELD_AT(T, masks) },
};
static const struct fields process = FIELDS(process_row, T);
#undef T

#define T struct profile
static const struct field profile_row[] = {
	{ .key = "schema", .type = FIELD_SCHEMA },
	{ "tool", FIELD_OBJECT, .of = &tool },
	{ "command", FIELD_STRING, .is_optional = true, FIELD_AT(T, command) },
	{ "filter", FIELD_STRING, .is_optional = true, FIELD_AT(T, filter) },
	{ "all_callers", FIELD_BOOL, .is_optional = true, FIELD_AT(T, all_callers) },
	{ "host", FIELD_OBJECT, .of = &host },
	{ "duration_ns", FIELD_U64, FIELD_AT(T, duration_ns) },
	{ "calibration", FIELD_OBJECT, .of = &calibration },
	{ "functions", FIELD_ARRAY, FIELD_ARRAY_AT(T, functions, nr_functions), .of = &function },
	{ "paths", FIELD_ARRAY, FIELD_ARRAY_AT(T, paths, nr_paths), .of = &path },
	{ "syscalls", FIELD_ARRAY, FIELD_ARRAY_AT(T, syscalls, nr_syscalls), .of = &syscall },
	{ "processes", FIELD_ARRAY, FIELD_ARRAY_AT(T, processes, nr_processes), .of = &process },
	{ "lost", FIELD_OBJECT, .of = &lost },
};
static const struct fields document = FIELDS(profile_row, T);
#undef T

static const struct schema schema = { PROFILE_SCHEMA, "profile", &document };

int profile_read(struct profile *profile, const char *path, char *err, size_t err_bytes)
{
	memset(profile, 0, sizeof(*profile));
	return fields_read(&schema, profile, path, err, err_bytes);
}

int profile_read_document(struct profile *profile, struct json_object *document, const char *path,
			  char *err, size_t err_bytes)
{
	memset(profile, 0, sizeof(*profile));
	return document_read(&schema, document, profile, path, err, err_bytes);
}

int profile_write(const struct profile *profile, const char *path)
{
	return fields_write(&schema, profile, path);
}
