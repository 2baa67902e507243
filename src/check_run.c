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

#define POLL_MS 5

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

/* How it ended. */
struct ending {
	int status;    /* as waitpid(2) has it … */
	bool is_late;  /* … unless it had to be ended, being slow … */
	bool is_stuck; /* … or waiting for the kernel: without a reading for half of its time */
};

static _Noreturn void child_main(const struct oracle *oracle, struct check *shared, int parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(1);
	oracle->run(shared);
	_exit(0);
}

/* Wait for @pid, which runs with @shared, as long as that allows. */
static struct ending wait_child(int pid, const struct check *shared)
{
	__u64 start_ns = clock_monotonic_ns(), read_ns = start_ns, now_ns;
	__u64 reads = 0, now_reads;
	struct ending ending = {};
	int got;

	for (;;) {
		got = waitpid(pid, &ending.status, WNOHANG);
		if (got == pid)
			return ending;
		now_ns = clock_monotonic_ns();
		now_reads = __atomic_load_n(&shared->finding.reads, __ATOMIC_RELAXED);
		if (reads != now_reads)
			read_ns = now_ns;
		reads = now_reads;
		if ((got < 0 && errno != EINTR) || now_ns - start_ns > shared->limit_ns)
			break;
		poll(NULL, 0, POLL_MS);
	}
	ending.is_late = true;
	ending.is_stuck = now_ns - read_ns > shared->limit_ns / 2;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return ending;
}

/* What @ending says of the kernel; a wrong reading before it is worse. */
static void judge_end(struct check *settings, const struct ending *ending)
{
	struct finding *finding = &settings->finding;
	double limit_s = (double)settings->limit_ns / 1e9;

	if ((!ending->is_late && ending->status == 0) || finding->result == ORACLE_WRONG)
		return;
	finding->result = ORACLE_WRONG;
	if (ending->is_stuck) {
		finding->off_ns = settings->limit_ns;
		check_say(settings, "it did not end within %.0f s: the kernel did not answer",
			  limit_s);
	} else if (ending->is_late) {
		finding->result = ORACLE_SKIPPED;
		check_say(settings, "it had to be ended after %.0f s: too slow here to say",
			  limit_s);
	} else if (WIFSIGNALED(ending->status)) {
		check_say(settings, "it was ended by signal %d", WTERMSIG(ending->status));
	} else {
		check_say(settings, "it ended with status %d", WEXITSTATUS(ending->status));
	}
}

static int run_child(const struct oracle *oracle, struct check *settings)
{
	int parent = getpid(), pid;
	struct ending ending;
	struct check *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return -errno;
	*shared = check_part(settings);
	fflush(NULL);
	pid = fork();
	if (!pid)
		child_main(oracle, shared, parent);
	if (pid < 0) {
		int err = -errno;

		munmap(shared, sizeof(*shared));
		return err;
	}
	ending = wait_child(pid, shared);
	settings->finding = shared->finding;
	munmap(shared, sizeof(*shared));
	judge_end(settings, &ending);
	return 0;
}

int check_run(const struct oracle *oracle, enum check_load which, struct check *settings)
{
	struct load load = {};
	int err = 0;

	settings->finding = (struct finding){};
	settings->has_load = which == LOAD_IRQ;
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
