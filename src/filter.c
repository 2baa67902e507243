// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks what a trace is to be limited to, before anything is loaded. Called by the commands that
 * trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/magic.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include "filter.h"
#include "text.h"

#define PID_MAX 4194304 /* PID_MAX_LIMIT, include/linux/threads.h */

static int add_pid(struct filter *filter, const char *word, char *why, size_t bytes)
{
	char *rest;
	long pid;

	errno = 0;
	pid = strtol(word, &rest, 10);
	if (errno || *rest || rest == word || pid < 1 || pid > PID_MAX) {
		snprintf(why, bytes, "--pid takes numbers of processes, comma separated, not '%s'",
			 filter->pid_list);
		return -EINVAL;
	}
	if (filter->nr_pids == FILTER_PIDS_MAX) {
		snprintf(why, bytes, "--pid takes at most %d processes", FILTER_PIDS_MAX);
		return -EINVAL;
	}
	for (int i = 0; i < filter->nr_pids; i++)
		if (filter->pids[i] == pid)
			return 0;
	filter->pidfds[filter->nr_pids] = (int)syscall(SYS_pidfd_open, pid, 0);
	if (filter->pidfds[filter->nr_pids] < 0) {
		snprintf(why, bytes, "no process %ld", pid);
		return -EINVAL;
	}
	filter->pids[filter->nr_pids++] = (pid_t)pid;
	return 0;
}

static int open_pids(struct filter *filter, char *why, size_t bytes)
{
	const char *rest = filter->pid_list;
	int ret = 0;

	while (rest && !ret) {
		char word[32];

		rest = text_word(rest, word, sizeof(word));
		ret = add_pid(filter, word, why, bytes);
	}
	return ret;
}

/* A relative path is one below the current folder or, as systemd writes them, below the mount. */
static int open_cgroup(struct filter *filter, char *why, size_t bytes)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	struct statfs fs;
	char path[4096];

	if (!filter->cgroup)
		return 0;
	filter->cgroup_fd = open(filter->cgroup, flags);
	snprintf(path, sizeof(path), "/sys/fs/cgroup/%s", filter->cgroup);
	if (filter->cgroup_fd < 0)
		filter->cgroup_fd = open(path, flags);
	if (filter->cgroup_fd < 0) {
		snprintf(why, bytes, "no cgroup %s: %s", filter->cgroup, strerror(errno));
		return -EINVAL;
	}
	if (fstatfs(filter->cgroup_fd, &fs) || fs.f_type != CGROUP2_SUPER_MAGIC) {
		snprintf(why, bytes, "%s is no cgroup of version 2", filter->cgroup);
		return -EINVAL;
	}
	return 0;
}

/* Adds @letter to what place @place takes. */
static void take(struct glob *glob, int place, unsigned char letter)
{
	glob->chars[letter] |= 1u << place;
}

/* A set of letters from behind its "["; returns what follows its "]", NULL: it has none. */
static const char *take_set(struct glob *glob, int place, const char *at)
{
	bool is_not = *at == '!' || *at == '^';
	const char *first = at += is_not;

	for (; *at && (*at != ']' || at == first); at++) {
		unsigned char last = (unsigned char)*at;

		if (at[1] == '-' && at[2] && at[2] != ']')
			last = (unsigned char)at[2];
		for (int letter = (unsigned char)*at; letter <= last; letter++)
			take(glob, place, (unsigned char)letter);
		if (at[1] == '-' && at[2] && at[2] != ']')
			at += 2;
	}
	if (!*at) {
		for (int letter = 0; letter < 256; letter++)
			glob->chars[letter] &= ~(1u << place);
		return NULL;
	}
	for (int letter = 1; is_not && letter < 256; letter++)
		glob->chars[letter] ^= 1u << place;
	return at + 1;
}

int glob_compile(struct glob *glob, const char *pattern)
{
	int place = 0;

	*glob = (struct glob){};
	for (const char *at = pattern; *at; place++) {
		const char *rest = NULL;

		if (place == GLOB_PLACES)
			return -EINVAL;
		if (*at == '*') {
			glob->stars |= 1u << place;
			at += strspn(at, "*");
			continue;
		}
		if (*at == '[')
			rest = take_set(glob, place, at + 1);
		if (!rest && *at == '?') {
			for (int letter = 1; letter < 256; letter++)
				take(glob, place, (unsigned char)letter);
		} else if (!rest) {
			at += *at == '\\' && at[1];
			take(glob, place, (unsigned char)*at);
		}
		at = rest ? rest : at + 1;
	}
	glob->accept = 1u << place;
	return place ? 0 : -EINVAL;
}

int filter_open(struct filter *filter, char *why, size_t bytes)
{
	int ret;

	filter->nr_pids = 0;
	filter->cgroup_fd = -1;
	ret = open_pids(filter, why, bytes);
	if (!ret)
		ret = open_cgroup(filter, why, bytes);
	if (!ret && filter->comm && glob_compile(&filter->glob, filter->comm)) {
		snprintf(why, bytes, "--comm takes a pattern of 1 to %d letters", GLOB_PLACES);
		ret = -EINVAL;
	}
	if (ret)
		filter_close(filter);
	return ret;
}

void filter_close(struct filter *filter)
{
	while (filter->nr_pids)
		close(filter->pidfds[--filter->nr_pids]);
	if (filter->cgroup_fd >= 0)
		close(filter->cgroup_fd);
	filter->cgroup_fd = -1;
}

void filter_describe(const struct filter *filter, char *text, size_t bytes)
{
	const char *const limits[][2] = { { "pid", filter->pid_list },
					  { "cgroup", filter->cgroup },
					  { "comm", filter->comm },
					  { "syscall", filter->syscalls } };
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i][1] && used < bytes)
			used += (size_t)snprintf(text + used, bytes - used, "%s%s %s",
						 used ? "; " : "", limits[i][0], limits[i][1]);
}
