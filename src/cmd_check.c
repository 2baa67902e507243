// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll check: do the kernel's CPU clocks tell the truth? Runs the oracles, quiet and under
 * interrupt load, and says what was read, what was expected, and by how much it is off. Called by
 * main.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include "check_run.h"
#include "cmd.h"
#include "opts.h"
#include "result_json.h"
#include "text.h"

#define CHECK_SCHEMA "cputoll.check/1"
/* An oracle's least number of readings takes longer than its time on a slow machine. */
#define LIMIT_NS(budget_ns) (30000 * MS_NS + 20 * (budget_ns))
#define NAME_WIDTH	    14

struct check_options {
	const char *load;
	double seconds;
	bool json;
};

struct report {
	int right, wrong, skipped;
	struct json_object *checks; /* NULL for text */
};

static const char *const result_names[] = {
	[ORACLE_RIGHT] = "right", [ORACLE_WRONG] = "wrong", [ORACLE_SKIPPED] = "skipped"
};

static void print_oracle(FILE *to, size_t index)
{
	fprintf(to, "  %-*s%s\n", NAME_WIDTH, oracles[index].name, oracles[index].holds);
}

static void print_name(FILE *to, size_t index)
{
	fputs(oracles[index].name, to);
}

static void print_text(const struct oracle *oracle, enum check_load load,
		       const struct finding *finding)
{
	char reads[TEXT_NUMBER_BYTES], ns[TEXT_NUMBER_BYTES];

	printf("%-*s%-7s", NAME_WIDTH, oracle->name, check_load_names[load]);
	if (finding->result == ORACLE_SKIPPED) {
		printf("skipped  %s\n", finding->detail);
	} else if (finding->result == ORACLE_WRONG) {
		printf("WRONG%11s reads  off %s: %s", text_grouped(reads, finding->reads),
		       text_duration(ns, (double)finding->off_ns), finding->detail);
	} else {
		printf("right%11s reads  margin %s", text_grouped(reads, finding->reads),
		       text_duration(ns, (double)finding->margin_ns));
	}
	if (finding->result != ORACLE_SKIPPED)
		printf("%s%s%s\n", finding->left_out[0] ? "  (without " : "", finding->left_out,
		       finding->left_out[0] ? ")" : "");
	fflush(stdout); /* a line as soon as it's known, through a pipe as well */
}

/* One sentence for machines' readers, also when all is right. */
static const char *detail_of(const struct oracle *oracle, const struct finding *finding, char *text,
			     size_t bytes)
{
	snprintf(text, bytes, "%s%s%s%s",
		 finding->result == ORACLE_RIGHT ? oracle->holds : finding->detail,
		 finding->left_out[0] ? " (without " : "", finding->left_out,
		 finding->left_out[0] ? ")" : "");
	return text;
}

static struct json_object *check_json(const struct oracle *oracle, enum check_load load,
				      const struct finding *finding)
{
	struct json_object *check = json_object_new_object();
	char detail[640];

	json_object_object_add(check, "name", json_object_new_string(oracle->name));
	json_object_object_add(check, "load", json_object_new_string(check_load_names[load]));
	json_object_object_add(check, "result",
			       json_object_new_string(result_names[finding->result]));
	json_object_object_add(check, "reads", json_object_new_uint64(finding->reads));
	json_object_object_add(check, "off_ns", json_object_new_uint64(finding->off_ns));
	json_object_object_add(check, "margin_ns", json_object_new_uint64(finding->margin_ns));
	json_object_object_add(
		check, "detail",
		json_object_new_string(detail_of(oracle, finding, detail, sizeof(detail))));
	return check;
}

static void print_json(const struct report *report, int cpus, double seconds)
{
	struct json_object *top = result_begin(CHECK_SCHEMA);

	json_object_object_add(top, "accel", result_accel_json());
	json_object_object_add(top, "cpus", json_object_new_int(cpus));
	json_object_object_add(top, "seconds", json_object_new_double(seconds));
	json_object_object_add(top, "checks", report->checks);
	result_print(top);
}

/* A reading that the kernel refused says nothing about right and wrong. */
static void judge_refused(const struct oracle *oracle, struct finding *finding, int err)
{
	if (!err && !finding->err)
		return;
	if (finding->result == ORACLE_WRONG) /* before that */
		return;
	finding->result = ORACLE_SKIPPED;
	snprintf(finding->detail, sizeof(finding->detail), "%s: %s",
		 err ? "starting it" : finding->failed, strerror(err ? -err : -finding->err));
	error("check %s: %s", oracle->name, finding->detail);
}

static void run_one(struct report *report, const struct oracle *oracle, enum check_load load,
		    struct check *settings)
{
	struct finding *finding = &settings->finding;
	int err = check_run(oracle, load, settings);

	judge_refused(oracle, finding, err);
	*(finding->result == ORACLE_RIGHT   ? &report->right
	  : finding->result == ORACLE_WRONG ? &report->wrong
					    : &report->skipped) += 1;
	if (report->checks)
		json_object_array_add(report->checks, check_json(oracle, load, finding));
	else
		print_text(oracle, load, finding);
}

/* Load by load, so that those of one kind stand together. Returns 0, or EXIT_CANNOT with a line. */
static int run_all(struct report *report, const struct oracle *const *chosen, size_t nr,
		   unsigned loads, double seconds)
{
	struct source source;
	__u64 budget_ns = (__u64)(seconds * 1e9);
	struct check settings = { .source = &source,
				  .budget_ns = budget_ns,
				  .limit_ns = LIMIT_NS(budget_ns) };
	int *cpus = NULL, err = source_kernel(&source);
	bool is_first = true;

	if (!err) {
		settings.nr_cpus = check_cpus(&cpus);
		err = settings.nr_cpus < 0 ? settings.nr_cpus : 0;
	}
	if (err) {
		error("check: cannot read this kernel's clocks: %s", strerror(-err));
		return EXIT_CANNOT;
	}
	settings.cpus = cpus;
	for (int load = 0; load < LOADS; load++) {
		if (!(loads & 1U << load))
			continue;
		settings.with_rlimit = is_first;
		is_first = false;
		for (size_t i = 0; i < nr; i++)
			run_one(report, chosen[i], load, &settings);
	}
	free(cpus);
	if (report->checks) {
		print_json(report, settings.nr_cpus, seconds);
	} else {
		printf("%d right, %d wrong", report->right, report->wrong);
		if (report->skipped)
			printf(", %d skipped", report->skipped);
		putchar('\n');
	}
	return 0;
}

/* The loads by name, as bits, or 0 with a line printed. */
static unsigned loads_of(const char *name)
{
	for (int load = 0; load < LOADS; load++)
		if (!strcmp(name, check_load_names[load]))
			return 1U << load;
	if (!strcmp(name, "both"))
		return (1U << LOADS) - 1;
	error("check: --load takes quiet, irq or both, not '%s'", name);
	return 0;
}

/* @chosen gets the oracles that @argv names, or all. Returns how many, or 0 with a line printed. */
static size_t choose(int argc, char **argv, const struct oracle **chosen)
{
	size_t nr = 0;

	for (int i = 0; i < argc; i++) {
		const struct oracle *oracle = oracle_find(argv[i]);
		bool is_twice = false;

		if (!oracle) {
			char *names = text_list("", ", ", nr_oracles, print_name);

			error("check: no oracle is called '%s'; there are %s", argv[i], names);
			free(names);
			return 0;
		}
		for (size_t j = 0; j < nr; j++)
			is_twice |= chosen[j] == oracle;
		if (!is_twice)
			chosen[nr++] = oracle;
	}
	for (size_t i = 0; !argc && i < nr_oracles; i++)
		chosen[nr++] = &oracles[i];
	return nr;
}

/*
 * @argv[1] … are the names then. Returns how many, or -1 with *@status the command's exit status.
 */
static int parse(int argc, char **argv, struct check_options *options, int *status)
{
	const struct opt table[] = {
		{ 0, "load", OPT_STRING, &options->load, 0, 0, "LOAD",
		  "quiet, irq (timers, loopback traffic) or both (default both)" },
		{ 0, "seconds", OPT_DOUBLE, &options->seconds, 0.01, 3600, "S",
		  "for each oracle and load (default 1)" },
		{ 0, "json", OPT_FLAG, &options->json, 0, 0, NULL, "print JSON" },
	};
	char *more = text_list("Oracles, and what must hold:\n", "", nr_oracles, print_oracle);
	const struct opts opts = {
		.usage = "check [NAME...] [OPTIONS]",
		.about = "Do this kernel's CPU clocks tell the truth? Needs no privileges.",
		.table = table,
		.nr = sizeof(table) / sizeof(table[0]),
		.more = more,
	};
	int nr, got = opts_parse_words(&opts, argc, argv, &nr);

	free(more);
	*status = got == OPTS_HELP ? EXIT_OK : EXIT_USAGE;
	return got == OPTS_PARSED ? nr : -1;
}

int cmd_check(int argc, char **argv)
{
	struct check_options options = { .load = "both", .seconds = 1 };
	const struct oracle **chosen;
	struct report report = {};
	int status, nr = parse(argc, argv, &options, &status);
	unsigned loads;
	size_t nr_chosen;

	if (nr < 0)
		return status;
	loads = loads_of(options.load);
	if (!loads)
		return EXIT_USAGE;
	chosen = calloc(nr_oracles, sizeof(*chosen));
	if (!chosen) {
		error("check: no memory");
		return EXIT_CANNOT;
	}
	nr_chosen = choose(nr, argv + 1, chosen);
	if (!nr_chosen) {
		free(chosen);
		return EXIT_USAGE;
	}
	if (options.json)
		report.checks = json_object_new_array();
	status = run_all(&report, chosen, nr_chosen, loads, options.seconds);
	free(chosen);
	if (status)
		return status;
	if (report.wrong)
		return EXIT_NO;
	return report.skipped ? EXIT_CANNOT : EXIT_OK;
}
