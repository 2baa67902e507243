/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command a record runs: started, waited for without a CPU-time read, stopped. Used by
 * cmd_record.c.
 */
#ifndef CPUTOLL_COMMAND_H
#define CPUTOLL_COMMAND_H

#include <sys/types.h>

struct command {
	pid_t pid;
	int pidfd; /* readable when it has ended */
};

/*
 * command_start() - run @argv (NULL terminated), found through PATH.
 * Returns 0 with @command filled in, or the negative errno of fork or exec; nothing runs then.
 */
int command_start(struct command *command, char *const *argv);

/* command_finish() - collect the command, asking it with SIGTERM to end when it has not.
 * Returns its wait status. */
int command_finish(struct command *command);

#endif /* CPUTOLL_COMMAND_H */
