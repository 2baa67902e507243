// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll record: trace until the command ends, the duration is over or a signal comes, then
 * write the profile.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include "clock.h"
#include "cmd.h"
#include "command.h"
#include "engine.h"
#include "opts.h"
#include "json_file.h"
#include "profile.h"

struct record {
	struct engine_opts engine;
	const char *output;
	double seconds;
	struct filter filter;
	bool all; /* the whole host although a command is run */
	char **argv;
};

static void print_progress(const struct engine *engine, __u64 elapsed_ns)
{
	struct engine_progress progress;

	engine__progress(engine, &progress);
	fprintf(stderr, "\r%4.0f s  %llu reads  %llu lost ", elapsed_ns / 1e9, progress.calls,
		progress.lost);
}

/* The first is the signals' descriptor, which ends the wait; of the others all must have come. */
static bool is_over(struct pollfd *fds, int nr)
{
	int ended = 0;

	for (int i = 1; i < nr; i++) {
		if (fds[i].revents)
			fds[i].fd = -1; /* from now on poll() passes it over */
		ended += fds[i].fd < 0;
	}
	return fds[0].revents || (nr > 1 && ended == nr - 1);
}

/*
 * Wait for whichever comes first: the end of the command or of all processes, whose @nr descriptors
 * are @pidfds, the end of the duration, SIGINT or SIGTERM. Returns 0 or a negative errno.
 */
static int wait_for_end(const struct record *record, const struct engine *engine, const int *pidfds,
			int nr, int signal_fd)
{
	struct pollfd fds[1 + FILTER_PIDS_MAX] = { { .fd = signal_fd, .events = POLLIN } };
	bool tell = isatty(STDERR_FILENO);
	__u64 start_ns = clock_monotonic_ns(), limit_ns = (__u64)(record->seconds * 1e9),
	      elapsed_ns = 0;

	for (int i = 0; i < nr; i++)
		fds[1 + i] = (struct pollfd){ .fd = pidfds[i], .events = POLLIN };
	while (!limit_ns || elapsed_ns < limit_ns) {
		int wait_ms = tell ? 1000 : -1, ready;

		if (limit_ns && (!tell || limit_ns - elapsed_ns < 1000000000))
			wait_ms = (int)((limit_ns - elapsed_ns + 999999) / 1000000);
		ready = poll(fds, 1 + (nfds_t)nr, wait_ms);
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready > 0 && is_over(fds, 1 + nr))
			break;
		elapsed_ns = clock_monotonic_ns() - start_ns;
		if (tell)
			print_progress(engine, elapsed_ns);
	}
	if (tell && elapsed_ns)
		fputc('\n', stderr);
	return 0;
}

/* The signals that end a record are read from a file descriptor, so that none comes in between. */
static int block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void tell_command(const char *name, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status))
		error("record: '%s' exited with status %d", name, WEXITSTATUS(status));
	if (WIFSIGNALED(status))
		error("record: '%s' was ended by signal %d", name, WTERMSIG(status));
}

/* Trace from start to end. @duration_ns: how long that was. Returns an exit_status. */
static int trace(const struct record *record, struct engine *engine, int signal_fd,
		 __u64 *duration_ns)
{
	const struct filter *filter = &record->filter;
	struct command command = {};
	__u64 start_ns;
	int ret;

	engine__start(engine);
	start_ns = clock_monotonic_ns();
	ret = record->argv ? command_start(&command, record->argv) : 0;
	if (ret) {
		error("record: cannot run '%s': %s", record->argv[0], strerror(-ret));
		return EXIT_USAGE;
	}
	ret = record->argv
		      ? wait_for_end(record, engine, &command.pidfd, 1, signal_fd)
		      : wait_for_end(record, engine, filter->pidfds, filter->nr_pids, signal_fd);
	*duration_ns = clock_monotonic_ns() - start_ns;
	engine__stop(engine);
	if (record->argv)
		tell_command(record->argv[0], command_finish(&command));
	if (ret)
		error("record: cannot wait: %s", strerror(-ret));
	return ret ? EXIT_CANNOT : EXIT_OK;
}

static void describe_command(const struct record *record, struct profile *profile)
{
	size_t at = 0;

	for (char **word = record->argv; word && *word && at < sizeof(profile->command); word++)
		at += (size_t)snprintf(profile->command + at, sizeof(profile->command) - at, "%s%s",
				       at ? " " : "", *word);
}

/* To a person at a terminal, what was recorded and where it is, as perf says it. */
static void tell_result(const struct record *record, const struct profile *profile)
{
	const struct profile_lost *lost = &profile->lost;
	__u64 reads = 0, calls = 0;

	if (!isatty(STDERR_FILENO))
		return;
	for (size_t i = 0; i < profile->nr_syscalls; i++)
		reads += profile->syscalls[i].calls;
	for (size_t i = 0; i < profile->nr_paths; i++)
		calls += profile->paths[i].calls;
	fprintf(stderr, "[ cputoll record: %llu reads, %llu calls in %.2f s, %llu lost, in %s ]\n",
		reads, calls, profile->duration_ns / 1e9,
		lost->migrated + lost->overflow + lost->recursion, record->output);
}

static int write_profile(const struct record *record, struct engine *engine, __u64 duration_ns)
{
	struct profile profile;
	int ret = engine__read(engine, &profile);

	if (ret) {
		error("record: cannot read what was counted: %s", strerror(-ret));
		return EXIT_CANNOT;
	}
	snprintf(profile.version, sizeof(profile.version), "%s", CPUTOLL_VERSION);
	profile.duration_ns = duration_ns;
	describe_command(record, &profile);
	ret = profile_write(&profile, record->output);
	if (ret)
		error("record: cannot write %s: %s", record->output, strerror(-ret));
	else
		tell_result(record, &profile);
	profile_free(&profile);
	return ret ? EXIT_CANNOT : EXIT_OK;
}

static void tell_error(struct engine_error *err)
{
	char *rest = err->text, *line;

	while ((line = strsep(&rest, "\n")))
		error("record: %s", line);
}

static int run(struct record *record)
{
	struct engine_error err;
	struct engine *engine;
	__u64 duration_ns = 0;
	int signal_fd, ret;

	ret = json_file_check_writable(record->output);
	if (ret) {
		error("record: cannot write %s: %s", record->output, strerror(-ret));
		return EXIT_USAGE;
	}
	/* Before the second that loading takes: a signal in it ends the record as soon as it
	 * starts. */
	signal_fd = block_signals();
	if (signal_fd < 0) {
		error("record: cannot take signals: %s", strerror(errno));
		return EXIT_CANNOT;
	}
	engine = engine__new(&record->engine, &err);
	if (!engine) {
		ret = errno == EINVAL ? EXIT_USAGE : EXIT_CANNOT;
		tell_error(&err);
		return ret;
	}
	if (engine__load(engine, &err) || engine__attach(engine, &err)) {
		tell_error(&err);
		engine__free(engine);
		return EXIT_CANNOT;
	}
	ret = trace(record, engine, signal_fd, &duration_ns);
	if (!ret)
		ret = write_profile(record, engine, duration_ns);
	engine__free(engine);
	return ret;
}

int cmd_record(int argc, char **argv)
{
	struct record record = { .output = "cputoll.json" };
	const struct opt table[] = {
		FILTER_OPTS(&record.filter),
		{ 'a', "all", OPT_FLAG, &record.all, 0, 0, NULL,
		  "the whole host while CMD runs, not only CMD" },
		{ 'd', "duration", OPT_DOUBLE, &record.seconds, 0.001, 1e6, "SECONDS",
		  "stop after this long" },
		{ 'o', "output", OPT_STRING, &record.output, 0, 0, "FILE",
		  "where the profile goes, - for standard output (default cputoll.json)" },
		{ 0, "all-callers", OPT_FLAG, &record.engine.all_callers, 0, 0, NULL,
		  "count update_rq_clock and below from ticks, wake-ups and switches too" },
		{ 0, "functions", OPT_STRING, &record.engine.functions, 0, 0, "NAME,...",
		  "trace these: names, globs, groups reads (default), vtime, all" },
		{ 'v', "verbose", OPT_FLAG, &record.engine.verbose, 0, 0, NULL,
		  "show libbpf's messages" },
	};
	const struct opts opts = {
		.usage = "record [OPTIONS] [-- CMD ARGS...]",
		.about = "Trace reads of CPU time and write a profile: of CMD and what it starts, "
			 "until it\n"
			 "ends; of some processes; or of the whole host, until Ctrl-C or the "
			 "duration is over.",
		.table = table,
		.nr = sizeof(table) / sizeof(table[0]),
	};
	int first, ret = opts_parse(&opts, argc, argv, &first);
	char why[256];

	if (ret)
		return ret == OPTS_HELP ? EXIT_OK : EXIT_USAGE;
	record.argv = first < argc ? argv + first : NULL;
	if (record.filter.pid_list && record.argv) {
		error("record: -p and a command exclude each other");
		return EXIT_USAGE;
	}
	if (filter_open(&record.filter, why, sizeof(why))) {
		error("record: %s", why);
		return EXIT_USAGE;
	}
	record.engine.filter = &record.filter;
	record.engine.descendants = record.argv && !record.all;
	ret = run(&record);
	filter_close(&record.filter);
	return ret;
}
