/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a trace is limited to, as options say it: processes, a cgroup, names, syscalls. A read
 * counts when all of it holds. Used by the commands that trace; the engine hands it to the kernel.
 */
#ifndef CPUTOLL_FILTER_H
#define CPUTOLL_FILTER_H

#include <stddef.h>
#include <sys/types.h>
#include "layout.h"

#define FILTER_PIDS_MAX 64

struct filter {
	const char *pid_list; /* "PID,PID", as the caller's pid namespace names them; NULL: any */
	const char *cgroup;   /* a cgroup v2 folder, whose tasks and those below are meant; … */
	const char *comm;     /* a pattern for the process's name, as in glob(7); … */
	const char *syscalls; /* "NAME,NAME"; NULL: any, and what is in none */
	pid_t pids[FILTER_PIDS_MAX]; /* those of pid_list, and of each an open pidfd */
	int pidfds[FILTER_PIDS_MAX];
	int nr_pids;
	int cgroup_fd;	  /* of cgroup, when that is given */
	struct glob glob; /* of comm */
};

/* The rows of the options, for a table of struct opt. */
/* clang-format off */
#define FILTER_OPTS(filter)                                                                       \
	{ 'p', "pid", OPT_STRING, &(filter)->pid_list, 0, 0, "PID,...",                           \
	  "only these processes and what they start from now on, until they end" },               \
	{ 0, "cgroup", OPT_STRING, &(filter)->cgroup, 0, 0, "PATH",                               \
	  "only what is in this cgroup (v2) or below it" },                                       \
	{ 0, "comm", OPT_STRING, &(filter)->comm, 0, 0, "GLOB",                                   \
	  "only processes of such a name" },                                                      \
	{ 0, "syscall", OPT_STRING, &(filter)->syscalls, 0, 0, "NAME,...",                        \
	  "only reads by these syscalls" }
/* clang-format on */

/*
 * filter_open() - check what the options said, and open what they name. Returns 0, or -EINVAL with
 * one line in @why: no such process, no cgroup, too long a pattern. The syscalls are the engine's
 * to check. Nothing is left open on failure; filter_close() is for the other case.
 */
int filter_open(struct filter *filter, char *why, size_t bytes);
void filter_close(struct filter *filter);

/* filter_describe() - what was asked for, in words: "pid 12,13; comm java"; "" for everything. */
void filter_describe(const struct filter *filter, char *text, size_t bytes);

/* glob_compile() - the machine for @pattern, as in glob(7): *, ?, [a-z], [!a-z], \\ takes any sign
 * for itself. Returns 0, or -EINVAL when it is empty or has more than GLOB_PLACES places. */
int glob_compile(struct glob *glob, const char *pattern);

#endif /* CPUTOLL_FILTER_H */
