/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options as a table: name, type, range and help stand in one row, parsed with getopt_long(3).
 * Every command describes itself with one; -h is made from it.
 */
#ifndef CPUTOLL_OPTS_H
#define CPUTOLL_OPTS_H

#include <stddef.h>

enum opt_type {
	OPT_FLAG,   /* bool *value is set */
	OPT_INT,    /* int *value, min … max */
	OPT_DOUBLE, /* double *value, min … max */
	OPT_STRING, /* const char **value */
};

struct opt {
	char letter; /* 0: long only */
	const char *name;
	enum opt_type type;
	void *value;
	double min, max;      /* of OPT_INT and OPT_DOUBLE */
	const char *argument; /* its name in the help, NULL for OPT_FLAG */
	const char *help;
};

struct opts {
	const char *usage; /* after "cputoll ": "record [OPTIONS] [-- CMD ARGS...]" */
	const char *about; /* what the command does, one or two lines */
	const struct opt *table;
	size_t nr;
	const char *more; /* printed after the options, or NULL */
};

#define OPTS_PARSED  0
#define OPTS_HELP    1 /* -h was given and answered; the command is done, status 0 */
#define OPTS_INVALID 2 /* one line was printed; the command's status is EXIT_USAGE */

/*
 * opts_parse() - parse @argv by @opts; parsing stops at the first word that is no option, or
 * after "--". @first gets the index of the first word left. Returns OPTS_*.
 */
int opts_parse(const struct opts *opts, int argc, char **argv, int *first);

/*
 * opts_parse_words() - the same with options before, between and after the words, which come to
 * stand in @argv[1] … @argv[*@nr]. Returns OPTS_*.
 */
int opts_parse_words(const struct opts *opts, int argc, char **argv, int *nr);

#endif /* CPUTOLL_OPTS_H */
