// SPDX-License-Identifier: GPL-2.0-only
/*
 * floor empty|clock CMD ARGS...: run CMD while the least probe there can be sits on
 * task_sched_runtime. Run in a guest by tests/overhead/run.sh.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include "floor.skel.h"

int main(int argc, char **argv)
{
	struct floor_bpf *skel;
	int status = 0;
	pid_t pid;

	if (argc < 3 || (strcmp(argv[1], "empty") && strcmp(argv[1], "clock"))) {
		fprintf(stderr, "usage: floor empty|clock CMD ARGS...\n");
		return 2;
	}
	skel = floor_bpf__open();
	if (!skel)
		return 3;
	skel->rodata->read_clock = !strcmp(argv[1], "clock");
	if (floor_bpf__load(skel) || floor_bpf__attach(skel)) {
		fprintf(stderr, "floor: cannot load or attach\n");
		return 3;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	if (!strcmp(argv[1], "clock") && !(skel->bss->entered_ns && skel->bss->left_ns)) {
		fprintf(stderr, "floor: its probe was never hit\n");
		return 3;
	}
	floor_bpf__destroy(skel);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
