// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll bench: make a known number of reads of CPU time, say how many of each kind, how long
 * they took, and which kernel functions they must have called. Called by main.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench.h"
#include "bench_print.h"
#include "cmd.h"
#include "opts.h"
#include "text.h"

#define NOT_GIVEN -1

struct bench_options {
	int count;
	int threads;
	int repeat;
	bool json;
};

static void print_workload(FILE *to, size_t index)
{
	const struct bench_workload *one = &bench_workloads[index];

	fprintf(to, "  %-14s%8d  %s\n", one->name, one->count, one->help);
}

static void print_name(FILE *to, size_t index)
{
	fputs(bench_workloads[index].name, to);
}

static const struct bench_workload *find_workload(const char *name)
{
	char *names;

	for (size_t i = 0; name && i < bench_nr_workloads; i++)
		if (!strcmp(name, bench_workloads[i].name))
			return &bench_workloads[i];
	names = text_list("", ", ", bench_nr_workloads, print_name);
	if (name)
		error("bench: no workload is called '%s'; there are %s", name, names);
	else
		error("bench: name a workload: %s", names);
	free(names);
	return NULL;
}

/* Returns 0 with @workload, else -1 with *@status the command's exit status. */
static int parse(int argc, char **argv, struct bench_options *options,
		 const struct bench_workload **workload, int *status)
{
	const struct opt table[] = {
		{ 'n', "count", OPT_INT, &options->count, 1, 1e9, "N",
		  "reads of each kind; exits, ticks" },
		{ 't', "threads", OPT_INT, &options->threads, 0, 30000, "N",
		  "idle threads beside the reader (clock-process, two-sizes: 250, else 0); pound, "
		  "storm: those that read" },
		{ 'r', "repeat", OPT_INT, &options->repeat, 1, BENCH_MAX_REPEAT, "R",
		  "run the workload R times, tell medians" },
		{ 0, "json", OPT_FLAG, &options->json, 0, 0, NULL, "print JSON" },
	};
	char *more =
		text_list("Workloads, and how many calls each row of theirs makes by default:\n",
			  "", bench_nr_workloads, print_workload);
	const struct opts opts = {
		.usage = "bench WORKLOAD [OPTIONS]",
		.about = "Make a known number of reads of CPU time.",
		.table = table,
		.nr = sizeof(table) / sizeof(table[0]),
		.more = more,
	};
	int nr, got = opts_parse_words(&opts, argc, argv, &nr);

	free(more);
	*status = got == OPTS_HELP ? EXIT_OK : EXIT_USAGE;
	if (got != OPTS_PARSED)
		return -1;
	*workload = find_workload(nr ? argv[1] : NULL);
	if (!*workload)
		return -1;
	if (nr > 1) {
		error("bench: one workload at a time; what is '%s'?", argv[2]);
		return -1;
	}
	return 0;
}

int cmd_bench(int argc, char **argv)
{
	struct bench_options options = { .count = NOT_GIVEN, .threads = NOT_GIVEN, .repeat = 1 };
	struct bench_run run = {};
	int status, err;

	if (parse(argc, argv, &options, &run.workload, &status))
		return status;
	/* its first reads would find timers that the last run's left running */
	if (options.repeat > 1 && !run.workload->is_timed) {
		error("bench %s: its reads are counted, not timed; --count multiplies them",
		      run.workload->name);
		return EXIT_USAGE;
	}
	run.count = options.count == NOT_GIVEN ? run.workload->count : options.count;
	run.threads = options.threads == NOT_GIVEN ? run.workload->threads : options.threads;
	run.repeat = options.repeat;
	err = bench_run(&run);
	if (err)
		error("bench %s: %s: %s", run.workload->name, run.error, strerror(-err));
	else if (options.json)
		bench_print_json(&run);
	else
		bench_print_text(&run);
	bench_free(&run);
	if (err)
		return run.cannot ? EXIT_CANNOT : EXIT_NO;
	return EXIT_OK;
}
