// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options as a table, over getopt_long(3): parsing, range checks, and the help text made
 * from the rows. Called by every cmd_*.c.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "opts.h"

#define OPTS_MAX   32
#define LONG_FIRST 256 /* getopt's value for row i is LONG_FIRST + i */

static void print_help(const struct opts *opts)
{
	printf("Usage: cputoll %s\n\n%s\n\nOptions:\n", opts->usage, opts->about);
	for (size_t i = 0; i < opts->nr; i++) {
		const struct opt *opt = &opts->table[i];
		char left[64];

		snprintf(left, sizeof(left), "%c%c%s--%s%s%s", opt->letter ? '-' : ' ',
			 opt->letter ? opt->letter : ' ', opt->letter ? ", " : "  ", opt->name,
			 opt->argument ? " " : "", opt->argument ? opt->argument : "");
		printf("  %-26s %s\n", left, opt->help);
	}
	printf("  %-26s %s\n", "-h, --help", "print this help");
	if (opts->more)
		printf("\n%s", opts->more);
}

static int parse_number(const char *text, double *number)
{
	char *end;

	errno = 0;
	*number = strtod(text, &end);
	return errno || end == text || *end || !isfinite(*number) ? -EINVAL : 0;
}

static int set_value(const struct opt *opt, const char *command, const char *text)
{
	double number = 0;

	if (opt->type == OPT_FLAG) {
		*(bool *)opt->value = true;
		return 0;
	}
	if (opt->type == OPT_STRING) {
		*(const char **)opt->value = text;
		return 0;
	}
	if (parse_number(text, &number) || number < opt->min || number > opt->max ||
	    (opt->type == OPT_INT && number != floor(number))) {
		error("%s: --%s takes a %s from %.15g to %.15g, not '%s'", command, opt->name,
		      opt->type == OPT_INT ? "whole number" : "number", opt->min, opt->max, text);
		return -EINVAL;
	}
	if (opt->type == OPT_INT)
		*(int *)opt->value = (int)number;
	else
		*(double *)opt->value = number;
	return 0;
}

/* What getopt_long(3) did not like: it moves optind past a cluster of letters only at its end. */
static void complain(char **argv, int got)
{
	char letter[] = { '-', (char)optopt, 0 };
	bool is_letter = optopt > 0 && optopt < LONG_FIRST;

	error("%s: %s %s; see cputoll %s -h", argv[0],
	      got == ':'	     ? "an argument is missing after"
	      : optopt >= LONG_FIRST ? "no argument goes with"
				     : "unknown option",
	      is_letter ? letter : argv[optind - 1], argv[0]);
}

int opts_parse(const struct opts *opts, int argc, char **argv, int *first)
{
	struct option longs[OPTS_MAX + 2] = {};
	char shorts[2 * OPTS_MAX + 4] =
		"+:h"; /* +: stop at the first word; :: tell what is missing */
	size_t at = strlen(shorts), i;
	int got;

	for (i = 0; i < opts->nr && i < OPTS_MAX; i++) {
		const struct opt *opt = &opts->table[i];

		longs[i] = (struct option){ opt->name, opt->type != OPT_FLAG, NULL,
					    LONG_FIRST + (int)i };
		if (!opt->letter)
			continue;
		shorts[at++] = opt->letter;
		if (opt->type != OPT_FLAG)
			shorts[at++] = ':';
	}
	longs[i] = (struct option){ "help", no_argument, NULL, 'h' };

	optind = 0; /* glibc: start afresh */
	opterr = 0;
	while ((got = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
		const struct opt *opt = NULL;

		if (got == 'h') {
			print_help(opts);
			return OPTS_HELP;
		}
		if (got == '?' || got == ':') {
			complain(argv, got);
			return OPTS_INVALID;
		}
		for (i = 0; i < opts->nr && !opt; i++)
			if (got == LONG_FIRST + (int)i || got == opts->table[i].letter)
				opt = &opts->table[i];
		if (!opt || set_value(opt, argv[0], optarg))
			return OPTS_INVALID;
	}
	*first = optind;
	return OPTS_PARSED;
}

int opts_parse_words(const struct opts *opts, int argc, char **argv, int *nr)
{
	char *command = argv[0];
	int at = 0, first, ret;

	for (*nr = 0;; at = first) {
		char *word = argv[at];

		argv[at] = command; /* for the error lines */
		ret = opts_parse(opts, argc - at, argv + at, &first);
		argv[at] = word;
		first += at;
		if (ret != OPTS_PARSED || first >= argc)
			return ret;
		argv[++*nr] = argv[first];
		if (first > at + 1 && !strcmp(argv[first - 1], "--"))
			break;
	}
	while (++first < argc)
		argv[++*nr] = argv[first];
	return OPTS_PARSED;
}
