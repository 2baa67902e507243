// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the command of `cputoll record -- CMD`. A failed exec is told by its errno through a pipe
 * that closes by itself when exec succeeds.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "command.h"

int command_start(struct command *command, char *const *argv)
{
	int fds[2], ret = 0;
	sigset_t none;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	command->pid = fork();
	if (command->pid < 0) {
		ret = -errno;
		close(fds[0]);
		close(fds[1]);
		return ret;
	}
	if (!command->pid) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		signal(SIGPIPE, SIG_DFL);
		execvp(argv[0], argv);
		ret = -errno;
		if (write(fds[1], &ret, sizeof(ret)) < 0)
			_exit(126);
		_exit(127);
	}
	close(fds[1]);
	if (read(fds[0], &ret, sizeof(ret)) != sizeof(ret))
		ret = 0; /* closed by exec */
	close(fds[0]);
	command->pidfd = ret ? -1 : (int)syscall(SYS_pidfd_open, command->pid, 0);
	if (!ret && command->pidfd < 0)
		ret = -errno;
	if (ret) {
		kill(command->pid, SIGKILL);
		waitpid(command->pid, NULL, 0);
	}
	return ret;
}

int command_finish(struct command *command)
{
	int status = 0;
	pid_t got = waitpid(command->pid, &status, WNOHANG);

	if (!got) {
		kill(command->pid, SIGTERM);
		kill(command->pid, SIGCONT); /* a stopped one would never see it */
		while (waitpid(command->pid, &status, 0) < 0 && errno == EINTR)
			;
	}
	close(command->pidfd);
	return status;
}
