// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupt load: a process with one thread on each CPU. Called by check_run.c.
 *
 * In each period a thread sets a batch of timers that nobody waits for, so that they interrupt
 * whoever runs, but wake up nothing; and sends itself datagrams, which pass through the network's
 * softirq. It sleeps for the rest: what it uses is interrupt time, not CPU time, on purpose, for
 * the oracles are about threads that run. No thread wakes up or interrupts another CPU.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "load.h"

/* No multiple of any tick, or the same ticks would find this thread on the CPU again and again. */
#define PERIOD_NS  9700000
#define TIMERS	   96
#define DATAGRAMS  16
#define BYTES	   1024
#define WARM_UP_MS 30 /* three periods */

struct shared {
	atomic_int ready; /* threads */
	atomic_bool no_network;
};

struct maker {
	struct shared *shared;
	int cpu;
};

/* A socket that is connected to itself, or -1. */
static int open_socket(void)
{
	struct sockaddr_in self = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	socklen_t bytes = sizeof(self);

	if (fd < 0)
		return -1;
	if (bind(fd, (struct sockaddr *)&self, sizeof(self)) ||
	    getsockname(fd, (struct sockaddr *)&self, &bytes) ||
	    connect(fd, (struct sockaddr *)&self, sizeof(self))) {
		close(fd);
		return -1;
	}
	return fd;
}

static void set_timers(const int *timers)
{
	for (int i = 0; i < TIMERS; i++) {
		struct itimerspec at = { .it_value.tv_nsec = (long)PERIOD_NS / TIMERS * (i + 1) };

		if (timers[i] >= 0)
			timerfd_settime(timers[i], 0, &at, NULL);
	}
}

static void send_datagrams(int fd, struct shared *shared)
{
	static _Thread_local char data[BYTES];

	for (int i = 0; i < DATAGRAMS; i++) {
		if (send(fd, data, sizeof(data), 0) < 0)
			atomic_store(&shared->no_network, true);
		while (recv(fd, data, sizeof(data), 0) > 0)
			;
	}
}

static void *maker_main(void *arg)
{
	struct maker *maker = arg;
	struct timespec rest = { .tv_nsec = PERIOD_NS };
	int timers[TIMERS], fd = open_socket();
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(maker->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (int i = 0; i < TIMERS; i++)
		timers[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (fd < 0)
		atomic_store(&maker->shared->no_network, true);
	for (int i = 0;; i++) {
		set_timers(timers);
		if (fd >= 0)
			send_datagrams(fd, maker->shared);
		if (!i)
			atomic_fetch_add(&maker->shared->ready, 1);
		nanosleep(&rest, NULL);
	}
	return NULL;
}

static _Noreturn void load_main(struct shared *shared, const int *cpus, int nr_cpus, int parent)
{
	struct maker *makers = calloc((size_t)nr_cpus, sizeof(*makers));
	struct rlimit files;

	/* should the parent have died before the prctl, no signal would come */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent || !makers)
		_exit(1);
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	for (int i = 0; i < nr_cpus; i++) {
		pthread_t thread;

		makers[i] = (struct maker){ .shared = shared, .cpu = cpus[i] };
		if (pthread_create(&thread, NULL, maker_main, &makers[i]))
			_exit(1);
	}
	for (;;)
		pause();
}

static void sleep_ms(int ms)
{
	struct timespec left = { .tv_nsec = (long)ms * 1000000 };

	nanosleep(&left, NULL);
}

int load_start(struct load *load, const int *cpus, int nr_cpus)
{
	int parent = getpid(), status;
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*load = (struct load){};
	if (shared == MAP_FAILED)
		return -errno;
	fflush(NULL);
	load->pid = fork();
	if (!load->pid)
		load_main(shared, cpus, nr_cpus, parent);
	if (load->pid < 0) {
		int err = -errno;

		load->pid = 0;
		munmap(shared, sizeof(*shared));
		return err;
	}
	while (atomic_load(&shared->ready) < nr_cpus) {
		if (waitpid(load->pid, &status, WNOHANG) == load->pid) {
			load->pid = 0;
			munmap(shared, sizeof(*shared));
			return -EAGAIN;
		}
		sleep_ms(1);
	}
	sleep_ms(WARM_UP_MS);
	load->has_network = !atomic_load(&shared->no_network);
	munmap(shared, sizeof(*shared));
	return 0;
}

void load_stop(struct load *load)
{
	int status;

	if (!load->pid)
		return;
	kill(load->pid, SIGKILL);
	while (waitpid(load->pid, &status, 0) < 0 && errno == EINTR)
		;
	load->pid = 0;
}
