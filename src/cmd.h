/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What main.c's table and the cmd_*.c files agree on: a command's signature, its exit
 * status, and how it speaks to a person.
 */
#ifndef CPUTOLL_CMD_H
#define CPUTOLL_CMD_H

#define CPUTOLL_VERSION "0.1"

enum exit_status {
	EXIT_OK = 0,
	EXIT_NO = 1,	 /* the answer is no: a bench or check failed */
	EXIT_USAGE = 2,	 /* bad option, argument or input file */
	EXIT_CANNOT = 3, /* cannot run here; the line says why and what to do */
};

/* cmd_*() - run one command. argv[0] is the command's name. Returns an exit_status. */
int cmd_record(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_verdict(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_version(int argc, char **argv);

/* error() - print "cputoll: ..." as one line on standard error. */
void error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* CPUTOLL_CMD_H */
