// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll: what reading CPU time costs on a live kernel. This file is the table of commands;
 * each command is one cmd_*.c.
 */
#include <stdio.h>
#include <string.h>
#include "cmd.h"

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "record", cmd_record, "trace reads of CPU time and write a profile" },
	{ "report", cmd_report, "print a profile" },
	{ "compare", cmd_compare, "say what changed between profiles, or between bench results" },
	{ "verdict", cmd_verdict, "say which kernels are faster than a base, and which are right" },
	{ "predict", cmd_predict, "say what other kernels would save on a profile's host" },
	{ "bench", cmd_bench, "make a known number of reads of CPU time" },
	{ "check", cmd_check, "say whether the CPU clocks tell the truth" },
	{ "doctor", cmd_doctor, "say whether cputoll can run here, and if not why" },
	{ "version", cmd_version, "print the version" },
};
#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *to)
{
	fprintf(to,
		"Usage: cputoll COMMAND [OPTIONS]\n\n"
		"What does reading CPU time cost, who pays it, and which fields were asked for?\n\n"
		"Commands:\n");
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
	fprintf(to, "\n'cputoll COMMAND -h' explains a command.\n");
}

int cmd_version(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		error("version takes no arguments");
		return EXIT_USAGE;
	}
	printf("cputoll %s\n", CPUTOLL_VERSION);
	return EXIT_OK;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return EXIT_OK;
	}
	if (!strcmp(argv[1], "--version"))
		return cmd_version(1, argv);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	error("unknown command '%s'; 'cputoll help' lists them", argv[1]);
	return EXIT_USAGE;
}
