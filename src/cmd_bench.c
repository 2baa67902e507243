// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll bench: make a known number of reads of CPU time, say how many of each kind, how long
 * they took, and which kernel functions they must have called. Called by main.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <json-c/json.h>
#include "bench.h"
#include "cmd.h"
#include "mask.h"
#include "opts.h"

#define BENCH_SCHEMA "cputoll.bench/1"
#define NOT_GIVEN    -1

static const struct bench_workload workloads[] = {
	{ .name = "clock-thread",
	  .help = "clock_gettime(CLOCK_THREAD_CPUTIME_ID)",
	  .in = IN_CLOCK_THREAD,
	  .count = 1000000,
	  .is_timed = true },
	{ .name = "clock-process",
	  .help = "the process's PROF, VIRT and SCHED clocks, beside 250 idle threads",
	  .in = IN_CLOCK_PROCESS,
	  .count = 100000,
	  .threads = 250,
	  .is_timed = true },
	{ .name = "times", .help = "times()", .in = IN_TIMES, .count = 1000000, .is_timed = true },
	{ .name = "getrusage",
	  .help = "getrusage(RUSAGE_SELF)",
	  .in = IN_GETRUSAGE,
	  .count = 1000000,
	  .is_timed = true },
	{ .name = "proc-stat",
	  .help = "open, read and close /proc/self/stat",
	  .in = IN_PROC_STAT,
	  .count = 100000,
	  .is_timed = true },
	{ .name = "masks",
	  .help = "every kind of read, each a different number of times, times --count",
	  .count = 1,
	  .helpers = true },
};
#define NR_WORKLOADS (sizeof(workloads) / sizeof(workloads[0]))

struct bench_options {
	int count;
	int threads;
	bool json;
};

static double per_read(__u64 duration_ns, __u64 reads)
{
	return reads ? (double)duration_ns / (double)reads : 0;
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

static void print_text(const struct bench_run *run)
{
	bool is_timed = run->workload->is_timed;
	char asks[64];

	printf("%-16s%-20s%-11s%-17s%11s%s\n", "SYSCALL", "CLOCK", "HOW", "ASKS", "READS",
	       is_timed ? "    NS/READ" : "");
	for (size_t i = 0; i < run->nr; i++) {
		const struct bench_result *result = &run->results[i];
		const struct bench_kind *kind = result->kind;

		printf("%-16s%-20s%-11s%-17s%11" PRIu64, kind->syscall, clock_name(kind->clock),
		       kind->how[0] ? kind->how : "-",
		       asks_text(clock_asks(kind->clock), asks, sizeof(asks)),
		       (uint64_t)result->reads);
		if (is_timed)
			printf("%11.1f", per_read(result->duration_ns, result->reads));
		putchar('\n');
	}
	printf("%s: %" PRIu64 " reads in %.3f s", run->workload->name, (uint64_t)run->reads,
	       (double)run->duration_ns / 1e9);
	if (is_timed)
		printf(", %.1f ns per read", per_read(run->duration_ns, run->reads));
	putchar('\n');
}

/* The keys of a kind and of the whole that say how many reads and how long. */
static void add_totals(struct json_object *to, __u64 reads, __u64 duration_ns)
{
	json_object_object_add(to, "reads", json_object_new_int64((int64_t)reads));
	json_object_object_add(to, "duration_ns", json_object_new_int64((int64_t)duration_ns));
	json_object_object_add(to, "ns_per_read",
			       json_object_new_double(per_read(duration_ns, reads)));
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
	json_object_object_add(kind, "asks", asks);
	add_totals(kind, result->reads, result->duration_ns);
	json_object_object_add(kind, "calls", calls);
	return kind;
}

static void print_json(const struct bench_run *run)
{
	struct json_object *top = json_object_new_object();
	struct json_object *tool = json_object_new_object();
	struct json_object *kinds = json_object_new_array();
	struct utsname host = {};

	uname(&host);
	json_object_object_add(tool, "version", json_object_new_string(CPUTOLL_VERSION));
	json_object_object_add(top, "schema", json_object_new_string(BENCH_SCHEMA));
	json_object_object_add(top, "tool", tool);
	json_object_object_add(top, "kernel", json_object_new_string(host.release));
	json_object_object_add(top, "workload", json_object_new_string(run->workload->name));
	json_object_object_add(top, "threads", json_object_new_int(run->threads));
	/* what the calls are right for */
	json_object_object_add(top, "accounting", json_object_new_string("tick"));
	add_totals(top, run->reads, run->duration_ns);
	for (size_t i = 0; i < run->nr; i++)
		json_object_array_add(kinds, kind_json(&run->results[i]));
	json_object_object_add(top, "kinds", kinds);
	printf("%s\n", json_object_to_json_string_ext(top, JSON_C_TO_STRING_PRETTY |
								   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(top);
}

/* The workloads for the help, a line each, or for an error, in one: the caller frees it. */
static char *list_workloads(bool in_lines)
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return NULL;
	if (in_lines)
		fprintf(to, "Workloads, and how many reads of each kind they make by default:\n");
	for (size_t i = 0; i < NR_WORKLOADS; i++) {
		const struct bench_workload *one = &workloads[i];

		if (in_lines)
			fprintf(to, "  %-14s%8d  %s\n", one->name, one->count, one->help);
		else
			fprintf(to, "%s%s", i ? ", " : "", one->name);
	}
	fclose(to);
	return text;
}

static const struct bench_workload *find_workload(const char *name)
{
	char *names;

	for (size_t i = 0; name && i < NR_WORKLOADS; i++)
		if (!strcmp(name, workloads[i].name))
			return &workloads[i];
	names = list_workloads(false);
	if (name)
		error("bench: no workload is called '%s'; there are %s", name, names);
	else
		error("bench: name a workload: %s", names);
	free(names);
	return NULL;
}

/*
 * Options may stand before the workload and after it. Returns 0 with @workload, else -1 with
 * *@status the command's exit status.
 */
static int parse(int argc, char **argv, struct bench_options *options,
		 const struct bench_workload **workload, int *status)
{
	const struct opt table[] = {
		{ 'n', "count", OPT_INT, &options->count, 1, 1e9, "N", "reads of each kind" },
		{ 't', "threads", OPT_INT, &options->threads, 0, 30000, "N",
		  "idle threads beside the reading one (clock-process: 250, else 0)" },
		{ 0, "json", OPT_FLAG, &options->json, 0, 0, NULL, "print JSON" },
	};
	char *more = list_workloads(true);
	const struct opts opts = {
		.usage = "bench WORKLOAD [OPTIONS]",
		.about = "Make a known number of reads of CPU time.",
		.table = table,
		.nr = sizeof(table) / sizeof(table[0]),
		.more = more,
	};
	int first = 0, got = opts_parse(&opts, argc, argv, &first);

	*status = got == OPTS_HELP ? EXIT_OK : EXIT_USAGE;
	if (got == OPTS_PARSED) {
		*workload = find_workload(argv[first]);
		if (!*workload) {
			free(more);
			return -1;
		}
		argc -= first;
		argv += first;
		argv[0] = "bench"; /* the command's name again, for the error lines */
		got = opts_parse(&opts, argc, argv, &first);
		*status = got == OPTS_HELP ? EXIT_OK : EXIT_USAGE;
	}
	free(more);
	if (got == OPTS_PARSED && first < argc) {
		error("bench: one workload at a time; what is '%s'?", argv[first]);
		return -1;
	}
	return got == OPTS_PARSED ? 0 : -1;
}

int cmd_bench(int argc, char **argv)
{
	struct bench_options options = { .count = NOT_GIVEN, .threads = NOT_GIVEN };
	struct bench_run run = {};
	int status, err;

	if (parse(argc, argv, &options, &run.workload, &status))
		return status;
	run.count = options.count == NOT_GIVEN ? run.workload->count : options.count;
	run.threads = options.threads == NOT_GIVEN ? run.workload->threads : options.threads;
	err = bench_run(&run);
	if (err) {
		error("bench %s: %s: %s", run.workload->name, run.error, strerror(-err));
		return EXIT_NO;
	}
	if (options.json)
		print_json(&run);
	else
		print_text(&run);
	return EXIT_OK;
}
