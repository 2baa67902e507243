// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs one oracle in a child process. Called by cmd_check.c.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check_run.h"
#include "clock.h"
#include "load.h"

const char *const check_load_names[LOADS] = { [LOAD_QUIET] = "quiet", [LOAD_IRQ] = "irq" };

/* Wall time after which an oracle is ended: its least number of readings takes longer than its
 * time on a slow machine. */
#define LIMIT_NS(budget_ns) (60000 * MS_NS + 20 * (budget_ns))
#define POLL_MS		    5

int check_cpus(int **cpus)
{
	cpu_set_t set;
	int nr = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -errno;
	*cpus = calloc(CPU_SETSIZE, sizeof(**cpus));
	if (!*cpus)
		return -ENOMEM;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			(*cpus)[nr++] = cpu;
	return nr;
}

static _Noreturn void child_main(const struct oracle *oracle, const struct check *settings,
				 struct finding *shared, int parent)
{
	struct check check = check_part(settings);

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	oracle->run(&check);
	*shared = check.finding;
	_exit(0);
}

/* Wait for @pid, at most until @limit_ns of wall time. Its status, or -1 when that had to end it.
 */
static int wait_child(int pid, __u64 limit_ns)
{
	__u64 start_ns = clock_monotonic_ns();
	int status, got;

	for (;;) {
		got = waitpid(pid, &status, WNOHANG);
		if (got == pid)
			return status;
		if (got < 0 && errno != EINTR)
			return -1;
		if (clock_monotonic_ns() - start_ns > limit_ns)
			break;
		poll(NULL, 0, POLL_MS);
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return -1;
}

static void judge_end(struct check *settings, int status, __u64 limit_ns)
{
	struct finding *finding = &settings->finding;

	if (status == 0)
		return;
	*finding = (struct finding){ .result = ORACLE_WRONG };
	if (status == -1) {
		finding->off_ns = limit_ns;
		check_say(settings,
			  "it did not end within %.0f s, although every wait in it is for a clock",
			  (double)limit_ns / 1e9);
	} else if (WIFSIGNALED(status)) {
		check_say(settings, "it was ended by signal %d", WTERMSIG(status));
	} else {
		check_say(settings, "it ended with status %d", WEXITSTATUS(status));
	}
}

static int run_child(const struct oracle *oracle, struct check *settings)
{
	__u64 limit_ns = LIMIT_NS(settings->budget_ns);
	int parent = getpid(), pid, status;
	struct finding *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return -errno;
	fflush(NULL);
	pid = fork();
	if (!pid)
		child_main(oracle, settings, shared, parent);
	if (pid < 0) {
		int err = -errno;

		munmap(shared, sizeof(*shared));
		return err;
	}
	status = wait_child(pid, limit_ns);
	settings->finding = *shared;
	munmap(shared, sizeof(*shared));
	judge_end(settings, status, limit_ns);
	return 0;
}

int check_run(const struct oracle *oracle, enum check_load which, struct check *settings)
{
	struct load load = {};
	int err = 0;

	settings->finding = (struct finding){};
	signal(SIGCHLD, SIG_DFL); /* ignored, a child would leave no status */
	if (which == LOAD_IRQ)
		err = load_start(&load, settings->cpus, settings->nr_cpus);
	if (!err)
		err = run_child(oracle, settings);
	if (which == LOAD_IRQ && !err && !load.has_network)
		check_leave_out(settings, "loopback traffic: none goes through here");
	load_stop(&load);
	return err;
}
