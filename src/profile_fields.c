// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of the profile's keys; docs/profile.md explains them. Read by profile_write.c and
 * profile_read.c.
 */
#include "profile.h"
#include "profile_fields.h"

#define MEMBER(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define ARRAY(member, nr) \
	.offset = offsetof(struct profile, member), .nr_offset = offsetof(struct profile, nr)
#define FIELDS(table, type)                                           \
	{                                                             \
		table, sizeof(table) / sizeof(table[0]), sizeof(type) \
	}

#define T struct profile
static const struct field tool_row[] = {
	{ "version", FIELD_STRING, MEMBER(T, version) },
	{ "engine", FIELD_STRING, MEMBER(T, engine) },
};
static const struct fields tool = FIELDS(tool_row, T);

static const struct field host_row[] = {
	{ "kernel", FIELD_STRING, MEMBER(T, host.kernel) },
	{ "arch", FIELD_STRING, MEMBER(T, host.arch) },
	{ "cpus", FIELD_INT, .min = 1, MEMBER(T, host.cpus) },
	{ "clocksource", FIELD_STRING, MEMBER(T, host.clocksource) },
	{ "accounting", FIELD_STRING, MEMBER(T, host.accounting) },
	{ "config", FIELD_CONFIG, ARRAY(host.config, host.nr_config) },
};
static const struct fields host = FIELDS(host_row, T);

static const struct field calibration_row[] = {
	{ "inside_ns", FIELD_U64, MEMBER(T, inside_ns) },
	{ "whole_ns", FIELD_U64, MEMBER(T, whole_ns) },
};
static const struct fields calibration = FIELDS(calibration_row, T);

static const struct field lost_row[] = {
	{ "migrated", FIELD_U64, MEMBER(T, lost.migrated) },
	{ "overflow", FIELD_U64, MEMBER(T, lost.overflow) },
	{ "recursion", FIELD_U64, MEMBER(T, lost.recursion) },
	{ "processes", FIELD_U64, .is_optional = true, MEMBER(T, lost.processes) },
};
static const struct fields lost = FIELDS(lost_row, T);
#undef T

#define T struct profile_function
static const struct field function_row[] = {
	{ "name", FIELD_STRING, MEMBER(T, name) },
	{ "attached", FIELD_BOOL, MEMBER(T, attached) },
	{ "reason", FIELD_STRING, MEMBER(T, reason) },
};
static const struct fields function = FIELDS(function_row, T);
#undef T

#define T struct profile_path
static const struct field path_row[] = {
	{ "id", FIELD_ID, .is_optional = true },
	{ "parent_id", FIELD_PARENT_ID, MEMBER(T, parent) },
	{ "caller", FIELD_STRING, MEMBER(T, caller) },
	{ "clock", FIELD_STRING, MEMBER(T, clock) },
	{ "asks", FIELD_MASK, MEMBER(T, asks) },
	{ "needs", FIELD_MASK, MEMBER(T, needs) },
	{ "function", FIELD_STRING, MEMBER(T, function) },
	{ "parent", FIELD_PARENT, MEMBER(T, parent) },
	{ "calls", FIELD_U64, MEMBER(T, calls) },
	{ "errors", FIELD_U64, .is_optional = true, MEMBER(T, errors) },
	{ "raw_ns", FIELD_U64, MEMBER(T, raw_ns) },
	{ "total_ns", FIELD_U64, MEMBER(T, total_ns) },
	{ "self_ns", FIELD_U64, MEMBER(T, self_ns) },
	{ "clamped", FIELD_BOOL, .is_optional = true, MEMBER(T, clamped) },
	{ "may_sleep", FIELD_BOOL, .is_optional = true, MEMBER(T, may_sleep) },
	{ "hist", FIELD_HIST, MEMBER(T, hist) },
};
static const struct fields path = FIELDS(path_row, T);
#undef T

#define T struct profile_syscall
static const struct field syscall_row[] = {
	{ "name", FIELD_STRING, MEMBER(T, name) },
	{ "clock", FIELD_STRING, MEMBER(T, clock) },
	{ "calls", FIELD_U64, MEMBER(T, calls) },
	{ "errors", FIELD_U64, .is_optional = true, MEMBER(T, errors) },
	{ "total_ns", FIELD_U64, MEMBER(T, total_ns) },
	{ "accounting_ns", FIELD_U64, MEMBER(T, accounting_ns) },
	{ "hist", FIELD_HIST, MEMBER(T, hist) },
};
static const struct fields syscall = FIELDS(syscall_row, T);
#undef T

#define T struct profile_process
static const struct field process_row[] = {
	{ "pid", FIELD_INT, .min = 0, MEMBER(T, pid) },
	{ "comm", FIELD_STRING, MEMBER(T, comm) },
	{ "calls", FIELD_U64, MEMBER(T, calls) },
	{ "total_ns", FIELD_U64, MEMBER(T, total_ns) },
	{ "masks", FIELD_MASK_COUNTS, MEMBER(T, masks) },
};
static const struct fields process = FIELDS(process_row, T);
#undef T

#define T struct profile
static const struct field profile_row[] = {
	{ .key = "schema", .type = FIELD_SCHEMA },
	{ "tool", FIELD_OBJECT, .of = &tool },
	{ "command", FIELD_STRING, .is_optional = true, MEMBER(T, command) },
	{ "all_callers", FIELD_BOOL, .is_optional = true, MEMBER(T, all_callers) },
	{ "host", FIELD_OBJECT, .of = &host },
	{ "duration_ns", FIELD_U64, MEMBER(T, duration_ns) },
	{ "calibration", FIELD_OBJECT, .of = &calibration },
	{ "functions", FIELD_ARRAY, ARRAY(functions, nr_functions), .of = &function },
	{ "paths", FIELD_ARRAY, ARRAY(paths, nr_paths), .of = &path },
	{ "syscalls", FIELD_ARRAY, ARRAY(syscalls, nr_syscalls), .of = &syscall },
	{ "processes", FIELD_ARRAY, ARRAY(processes, nr_processes), .of = &process },
	{ "lost", FIELD_OBJECT, .of = &lost },
};
static const struct fields document = FIELDS(profile_row, T);
#undef T

const struct fields *profile_fields(void)
{
	return &document;
}
