// SPDX-License-Identifier: GPL-2.0-only
/*
 * A child process that does a piece of work and writes its answer into a pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "bench_child.h"

int bench_fork(void)
{
	int parent = getpid(), pid = fork();

	/* should the parent have died before the prctl, no signal would come */
	if (!pid && (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent))
		_exit(0);
	return pid;
}

static int fail(struct bench_answer *answer, const char *what, int err)
{
	answer->err = err;
	snprintf(answer->what, sizeof(answer->what), "%s", what);
	return err;
}

/* The child: its answer is shorter than a pipe's buffer, and comes whole or not at all. */
static void answer_and_exit(int to, void (*work)(const void *arg, struct bench_answer *answer),
			    const void *arg)
{
	struct bench_answer answer = {};

	work(arg, &answer);
	_exit(write(to, &answer, sizeof(answer)) != sizeof(answer));
}

static int read_answer(int from, struct bench_answer *answer)
{
	ssize_t got;

	do
		got = read(from, answer, sizeof(*answer));
	while (got < 0 && errno == EINTR);
	if (got != sizeof(*answer))
		return fail(answer, "the process that measures ended without a word", -ECHILD);
	return answer->err;
}

int bench_child(void (*work)(const void *arg, struct bench_answer *answer), const void *arg,
		struct bench_answer *answer)
{
	int ends[2], pid, err;

	memset(answer, 0, sizeof(*answer));
	signal(SIGCHLD, SIG_DFL); /* if ignored, there would be nobody to wait for */
	if (pipe2(ends, O_CLOEXEC))
		return fail(answer, "a pipe to the process that measures", -errno);
	pid = bench_fork();
	err = -errno;
	if (!pid)
		answer_and_exit(ends[1], work, arg);
	close(ends[1]);
	if (pid < 0) {
		fail(answer, "starting the process that measures", err);
	} else {
		read_answer(ends[0], answer);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	return answer->err;
}
