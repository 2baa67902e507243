// SPDX-License-Identifier: GPL-2.0-only
/*
 * What came of a workload, as a table for people and as JSON. Called by cmd_bench.c.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include "bench_print.h"
#include "cmd.h"
#include "mask.h"
#include "result_json.h"

#define BENCH_SCHEMA "cputoll.bench/1"

/* A nanosecond is an instruction in such a guest. */
static bool is_by_instruction(void)
{
	const char *accel = result_accel();

	return accel && !strcmp(accel, "icount");
}

/* "utime+stime" … in @text. */
static const char *asks_text(unsigned asks, char *text, size_t bytes)
{
	text[0] = 0;
	for (unsigned bit = 1; bit < MASK_COUNT; bit <<= 1)
		if (asks & bit)
			snprintf(text + strlen(text), bytes - strlen(text), "%s%s",
				 text[0] ? "+" : "", mask_field(bit));
	return text;
}

/* "NS/READ", "INSTR/TICK" … in @text. */
static const char *heading(const struct bench_run *run, char *text, size_t bytes)
{
	snprintf(text, bytes, "%s/%s", is_by_instruction() ? "instr" : "ns", run->workload->noun);
	for (char *c = text; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return text;
}

static void print_heading(const struct bench_run *run)
{
	char text[32];

	printf("%-16s%-20s%-11s%7s  %-17s%10s", "SYSCALL", "CLOCK", "HOW", "THREADS", "ASKS",
	       "CALLS");
	if (run->workload->is_timed)
		printf("%12s", heading(run, text, sizeof(text)));
	if (run->repeat > 1)
		printf("%10s", "SPREAD");
	putchar('\n');
}

static void print_result(const struct bench_run *run, const struct bench_result *result)
{
	const struct bench_kind *kind = result->kind;
	char asks[64];

	printf("%-16s%-20s%-11s%7d  %-17s%10" PRIu64, kind->syscall, clock_name(kind->clock),
	       kind->how[0] ? kind->how : "-", result->threads,
	       asks_text(clock_asks(kind->clock), asks, sizeof(asks)), (uint64_t)result->sum.reads);
	if (run->workload->is_timed)
		printf("%12.1f", bench_median(result));
	if (run->repeat > 1)
		printf("%8.3f %%", bench_spread(result));
	putchar('\n');
}

void bench_print_text(const struct bench_run *run)
{
	print_heading(run);
	for (size_t i = 0; i < run->nr; i++)
		print_result(run, &run->results[i]);
	printf("%s: %" PRIu64 " %ss in %.3f s", run->workload->name, (uint64_t)run->sum.reads,
	       run->workload->noun, (double)run->sum.duration_ns / 1e9);
	if (run->workload->is_timed)
		printf(", %.1f %s per %s", bench_per_read(&run->sum),
		       is_by_instruction() ? "instructions" : "ns", run->workload->noun);
	if (run->repeat > 1)
		printf("; above, medians of %d runs and how far apart these are", run->repeat);
	putchar('\n');
}

/* The keys of a run, of a kind and of the whole that say how many reads and how long. */
static void add_sample(struct json_object *to, const struct bench_sample *sample)
{
	json_object_object_add(to, "reads", json_object_new_int64((int64_t)sample->reads));
	json_object_object_add(to, "duration_ns",
			       json_object_new_int64((int64_t)sample->duration_ns));
	json_object_object_add(to, "ns_per_read", json_object_new_double(bench_per_read(sample)));
}

static struct json_object *runs_json(const struct bench_result *result)
{
	struct json_object *runs = json_object_new_array();

	for (int i = 0; i < result->nr_runs; i++) {
		struct json_object *run = json_object_new_object();

		add_sample(run, &result->runs[i]);
		json_object_array_add(runs, run);
	}
	return runs;
}

static struct json_object *kind_json(const struct bench_result *result)
{
	int clock = result->kind->clock;
	struct json_object *kind = json_object_new_object();
	struct json_object *asks = json_object_new_array();
	struct json_object *calls = json_object_new_object();

	for (unsigned bit = 1; bit < MASK_COUNT; bit <<= 1)
		if (clock_asks(clock) & bit)
			json_object_array_add(asks, json_object_new_string(mask_field(bit)));
	for (int i = 0; i < BENCH_FUNCTIONS; i++)
		json_object_object_add(calls, bench_functions[i],
				       json_object_new_int64((int64_t)result->calls[i]));
	json_object_object_add(kind, "syscall", json_object_new_string(result->kind->syscall));
	json_object_object_add(kind, "clock", json_object_new_string(clock_name(clock)));
	json_object_object_add(kind, "how", json_object_new_string(result->kind->how));
	json_object_object_add(kind, "threads", json_object_new_int(result->threads));
	json_object_object_add(kind, "asks", asks);
	add_sample(kind, &result->sum);
	json_object_object_add(kind, "calls", calls);
	json_object_object_add(kind, "runs", runs_json(result));
	return kind;
}

void bench_print_json(const struct bench_run *run)
{
	struct json_object *top = result_begin(BENCH_SCHEMA);
	struct json_object *kinds = json_object_new_array();

	json_object_object_add(top, "workload", json_object_new_string(run->workload->name));
	json_object_object_add(top, "threads", json_object_new_int(run->threads));
	json_object_object_add(top, "repeat", json_object_new_int(run->repeat));
	json_object_object_add(top, "accel", result_accel_json());
	json_object_object_add(top, "unit",
			       json_object_new_string(is_by_instruction() ? "instructions" : "ns"));
	/* what the calls are right for */
	json_object_object_add(top, "accounting", json_object_new_string("tick"));
	add_sample(top, &run->sum);
	for (size_t i = 0; i < run->nr; i++)
		json_object_array_add(kinds, kind_json(&run->results[i]));
	json_object_object_add(top, "kinds", kinds);
	result_print(top);
}
