// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing a profile and reading it again: every field, the example in tests/data (made by
 * "profile_test example"), and failures that must leave the old file and nothing else.
 */
#include "unit.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "fixture.h"
#include "json_file.h"

#define EXAMPLE "tests/data/example.json"

static char dir[64];

static const char *in_dir(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/cputoll-test-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(in_dir("p.json"));
	unlink(in_dir("link.json"));
	unlink(in_dir("fifo"));
	rmdir(in_dir("sub"));
	return rmdir(dir);
}

static int nr_entries(void)
{
	DIR *d = opendir(dir);
	int nr = 0;

	assert_non_null(d);
	while (readdir(d))
		nr++;
	closedir(d);
	return nr - 2; /* . and .. */
}

static void slurp(const char *path, char *text, size_t bytes)
{
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	text[fread(text, 1, bytes - 1, f)] = 0;
	fclose(f);
}

static void assert_same(const struct profile *a, const struct profile *b)
{
	assert_string_equal(a->version, b->version);
	assert_string_equal(a->engine, b->engine);
	assert_string_equal(a->command, b->command);
	assert_string_equal(a->filter, b->filter);
	assert_int_equal(a->all_callers, b->all_callers);
	assert_string_equal(a->host.kernel, b->host.kernel);
	assert_string_equal(a->host.arch, b->host.arch);
	assert_int_equal(a->host.cpus, b->host.cpus);
	assert_string_equal(a->host.clocksource, b->host.clocksource);
	assert_string_equal(a->host.accounting, b->host.accounting);
	assert_int_equal(a->duration_ns, b->duration_ns);
	assert_int_equal(a->inside_ns, b->inside_ns);
	assert_int_equal(a->whole_ns, b->whole_ns);
	assert_memory_equal(&a->lost, &b->lost, sizeof(a->lost));
	assert_int_equal(a->host.nr_config, b->host.nr_config);
	for (size_t i = 0; i < a->host.nr_config; i++) {
		assert_string_equal(a->host.config[i].name, b->host.config[i].name);
		assert_string_equal(a->host.config[i].value, b->host.config[i].value);
	}
	assert_int_equal(a->nr_functions, b->nr_functions);
	for (size_t i = 0; i < a->nr_functions; i++) {
		assert_string_equal(a->functions[i].name, b->functions[i].name);
		assert_int_equal(a->functions[i].attached, b->functions[i].attached);
		assert_string_equal(a->functions[i].reason, b->functions[i].reason);
	}
	assert_int_equal(a->nr_paths, b->nr_paths);
	for (size_t i = 0; i < a->nr_paths; i++) {
		const struct profile_path *x = &a->paths[i], *y = &b->paths[i];

		assert_string_equal(x->caller, y->caller);
		assert_string_equal(x->clock, y->clock);
		assert_string_equal(x->function, y->function);
		assert_int_equal(x->asks, y->asks);
		assert_int_equal(x->needs, y->needs);
		assert_int_equal(x->parent, y->parent);
		assert_int_equal(x->calls, y->calls);
		assert_int_equal(x->errors, y->errors);
		assert_int_equal(x->raw_ns, y->raw_ns);
		assert_int_equal(x->total_ns, y->total_ns);
		assert_int_equal(x->self_ns, y->self_ns);
		assert_int_equal(x->clamped, y->clamped);
		assert_int_equal(x->may_sleep, y->may_sleep);
		assert_memory_equal(&x->hist, &y->hist, sizeof(x->hist));
	}
	assert_int_equal(a->nr_syscalls, b->nr_syscalls);
	for (size_t i = 0; i < a->nr_syscalls; i++) {
		const struct profile_syscall *x = &a->syscalls[i], *y = &b->syscalls[i];

		assert_string_equal(x->name, y->name);
		assert_string_equal(x->clock, y->clock);
		assert_int_equal(x->calls, y->calls);
		assert_int_equal(x->errors, y->errors);
		assert_int_equal(x->total_ns, y->total_ns);
		assert_int_equal(x->accounting_ns, y->accounting_ns);
		assert_memory_equal(&x->hist, &y->hist, sizeof(x->hist));
	}
	assert_int_equal(a->nr_processes, b->nr_processes);
	for (size_t i = 0; i < a->nr_processes; i++) {
		const struct profile_process *x = &a->processes[i], *y = &b->processes[i];

		assert_int_equal(x->pid, y->pid);
		assert_string_equal(x->comm, y->comm);
		assert_int_equal(x->calls, y->calls);
		assert_int_equal(x->total_ns, y->total_ns);
		assert_memory_equal(x->masks, y->masks, sizeof(x->masks));
	}
}

/* Write @profile, read it into @again, which the caller frees. */
static void round_trip(const struct profile *profile, struct profile *again)
{
	char err[256] = "unset";

	assert_int_equal(profile_write(profile, in_dir("p.json")), 0);
	assert_int_equal(profile_read(again, in_dir("p.json"), err, sizeof(err)), 0);
	assert_string_equal(err, "");
}

static void test_round_trip(void **state)
{
	struct profile profile, again;

	(void)state;
	fixture_make(&profile);
	profile.all_callers = true;
	profile.paths[1].clamped = true;
	round_trip(&profile, &again);
	assert_same(&profile, &again);
	assert_int_equal(again.paths[5].total_ns, 1699796ull * 297);
	profile_free(&profile);
	profile_free(&again);
}

/* Values at the ends of their ranges, every bucket in use, names as long as they may be. */
static void test_extremes(void **state)
{
	struct profile_process process = { .pid = INT32_MAX, .calls = UINT64_MAX - 1 };
	struct profile_path paths[2] = { { .parent = -1 }, { .parent = 0 } };
	struct profile profile = { .host.cpus = INT32_MAX,
				   .paths = paths,
				   .nr_paths = 2,
				   .processes = &process,
				   .nr_processes = 1,
				   .duration_ns = UINT64_MAX - 1 };
	struct profile again;

	(void)state;
	memset(profile.command, 'c', sizeof(profile.command) - 1);
	memset(profile.filter, 'f', sizeof(profile.filter) - 1);
	memset(process.comm, 'p', sizeof(process.comm) - 1);
	for (int i = 0; i < MASK_COUNT; i++)
		process.masks[i] = (1ull << 53) + 1 + i; /* not exact as doubles */
	for (int i = 0; i < 2; i++) {
		memset(paths[i].function, 'a' + i, sizeof(paths[i].function) - 1);
		paths[i].asks = i ? MASK_COUNT - 1 : 0;
		paths[i].raw_ns = INT64_MAX + 1ull;
		for (unsigned j = 0; j < HIST_BUCKETS; j++)
			paths[i].hist.count[j] = j * 1000003ull + 1;
	}
	round_trip(&profile, &again);
	assert_same(&profile, &again);
	profile_free(&again);
}

static void test_empty(void **state)
{
	struct profile profile = { .host.cpus = 1 }, again;

	(void)state;
	round_trip(&profile, &again);
	assert_same(&profile, &again);
	assert_null(again.paths);
	profile_free(&again);
}

/* A comm is any bytes: control characters survive, what is no UTF-8 becomes "?". */
static void test_hostile_comm(void **state)
{
	static const char *const comms[][2] = {
		{ "a\x1b[2J\n\"\\/\x7f", "a\x1b[2J\n\"\\/\x7f" },
		{ "\xd0\xbf\xd1\x80\xd0", "\xd0\xbf\xd1\x80?" }, /* cut inside a letter */
		{ "\xff\xc0\xaf\xed\xa0\x80", "??????" },
	};

	(void)state;
	for (size_t i = 0; i < FIXTURE_ARRAY(comms); i++) {
		struct profile_process process = { .pid = 1 };
		struct profile profile = { .host.cpus = 1,
					   .processes = &process,
					   .nr_processes = 1 };
		struct profile again;

		strcpy(process.comm, comms[i][0]);
		round_trip(&profile, &again);
		assert_string_equal(again.processes[0].comm, comms[i][1]);
		profile_free(&again);
	}
}

static void test_example(void **state)
{
	static char want[1 << 16], got[1 << 16];
	struct profile profile;

	(void)state;
	fixture_make(&profile);
	assert_int_equal(profile_write(&profile, in_dir("p.json")), 0);
	profile_free(&profile);
	slurp(EXAMPLE, want, sizeof(want));
	slurp(in_dir("p.json"), got, sizeof(got));
	assert_string_equal(got, want);
}

static void test_stdout(void **state)
{
	static char want[1 << 16], got[1 << 16];
	struct capture capture;
	struct profile profile;
	int err;

	(void)state;
	fixture_make(&profile);
	capture_begin(&capture, STDOUT_FILENO);
	err = profile_write(&profile, "-");
	capture_end(&capture, got, sizeof(got));
	profile_free(&profile);
	slurp(EXAMPLE, want, sizeof(want));
	assert_int_equal(err, 0);
	assert_string_equal(got, want);
}

static void test_mode_and_link(void **state)
{
	struct profile profile = { .host.cpus = 1 };
	mode_t mask = umask(027);
	char real[128];
	struct stat st;

	(void)state;
	strcpy(real, in_dir("p.json"));
	assert_int_equal(symlink(real, in_dir("link.json")), 0);
	assert_int_equal(profile_write(&profile, real), 0);
	assert_int_equal(profile_write(&profile, in_dir("link.json")), 0);
	umask(mask);
	assert_int_equal(lstat(in_dir("link.json"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat(real, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(nr_entries(), 2);
}

/* Neither a device nor a FIFO is ever replaced by a file, nor waited for. */
static void test_not_a_file(void **state)
{
	struct profile profile = { .host.cpus = 1 };
	struct stat st;

	(void)state;
	assert_int_equal(profile_write(&profile, "/dev/null"), 0);
	assert_int_equal(json_file_check_writable("/dev/null"), 0);
	assert_int_equal(profile_write(&profile, "/dev/full"), -ENOSPC);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(mkfifo(in_dir("fifo"), 0600), 0);
	assert_int_equal(profile_write(&profile, in_dir("fifo")), -ENXIO);
	assert_int_equal(stat(in_dir("fifo"), &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(mkdir(in_dir("sub"), 0700), 0);
	assert_int_equal(profile_write(&profile, in_dir("sub")), -EISDIR);
	assert_int_equal(json_file_check_writable(in_dir("sub")), -EISDIR);
	assert_int_equal(profile_write(&profile, in_dir("sub/")), -EISDIR);
	assert_int_equal(profile_write(&profile, in_dir("none/p.json")), -ENOENT);
	assert_int_equal(json_file_check_writable(in_dir("none/p.json")), -ENOENT);
	assert_int_equal(profile_write(&profile, in_dir("fifo/p.json")), -ENOTDIR);
	assert_int_equal(profile_write(&profile, "/proc/p.json"), -ENOENT);
	assert_int_equal(profile_write(&profile, ""), -ENOENT);
	assert_int_equal(nr_entries(), 2);
	assert_int_equal(json_file_check_writable("-"), 0);
}

/* Out of room half-way: the old file is untouched, no temporary one stays. */
static void test_no_room(void **state)
{
	struct rlimit old, tight = { 4096, RLIM_INFINITY };
	static char before[1 << 16], after[1 << 16];
	struct profile small = { .host.cpus = 3 }, profile;
	int err;

	(void)state;
	assert_int_equal(profile_write(&small, in_dir("p.json")), 0);
	slurp(in_dir("p.json"), before, sizeof(before));
	fixture_make(&profile);
	getrlimit(RLIMIT_FSIZE, &old);
	tight.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	err = profile_write(&profile, in_dir("p.json"));
	setrlimit(RLIMIT_FSIZE, &old);
	profile_free(&profile);
	assert_int_equal(err, -EFBIG);
	slurp(in_dir("p.json"), after, sizeof(after));
	assert_string_equal(after, before);
	assert_int_equal(nr_entries(), 1);
}

static void test_check_leaves_nothing(void **state)
{
	(void)state;
	assert_int_equal(json_file_check_writable(in_dir("p.json")), 0);
	assert_int_equal(nr_entries(), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_round_trip),		 TEST(test_extremes),	TEST(test_empty),
		TEST(test_hostile_comm),	 TEST(test_example),	TEST(test_stdout),
		TEST(test_mode_and_link),	 TEST(test_not_a_file), TEST(test_no_room),
		TEST(test_check_leaves_nothing),
	};

	if (argc > 1 && !strcmp(argv[1], "example")) {
		struct profile profile;
		int err;

		fixture_make(&profile);
		err = profile_write(&profile, "-");
		profile_free(&profile);
		return !!err;
	}
	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
