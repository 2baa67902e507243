// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_profile [OPTIONS] PROFILE [BENCH...]: does a profile say exactly what the bench workloads,
 * whose JSON is in BENCH, did while it was recorded? Prints "ok" and "not ok" lines, for
 * t_profile() in tests/guest/lib.sh; exit status 1 when anything is not ok.
 */
#include <err.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include "clocks.h"
#include "hist.h"
#include "mask.h"
#include "profile.h"

#define MAX_KEYS      128
#define MAX_BENCHES   16
#define MAX_FUNCTIONS 8

/* What one syscall reading one clock must come to. */
struct key {
	char syscall[48];
	char clock[24];
	unsigned asks;
	uint64_t reads; /* 0 when its entry function is not traced */
	uint64_t calls[MAX_FUNCTIONS];
	bool also; /* others read so too: these are the least */
};

/* One workload's process: its outermost calls by what they ask for. */
struct bench {
	const char *file;
	uint64_t masks[MASK_COUNT];
};

struct check {
	struct profile profile;
	bool lossy;
	bool exits;	/* threads exit meanwhile: see check_key() */
	uint64_t slack; /* so many of each may be missing or elsewhere: a start was lost */
	struct key keys[MAX_KEYS];
	size_t nr_keys;
	char functions[MAX_FUNCTIONS][64]; /* whose calls the workloads tell */
	size_t nr_functions;
	struct bench benches[MAX_BENCHES];
	size_t nr_benches;
	bool failed;
};

/* Outside of any syscall: src/callers.c has their names. */
static const char *const contexts[] = { "irq", "idle", "kthread", "switch", "fault" };

/* Whose answer goes through cputime_adjust(), which needs sum_exec_runtime; NULL: any clock. */
static const struct {
	const char *syscall;
	const char *clock;
} adjusted[] = {
	{ "getrusage", "self" }, { "getrusage", "thread" }, { "times", NULL },
	{ "read", NULL },	 { "wait4", NULL },	    { "waitid", NULL },
};

static void __attribute__((format(printf, 3, 4)))
verdict(struct check *check, bool ok, const char *fmt, ...)
{
	va_list args;

	printf("%s ", ok ? "ok" : "not ok");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	check->failed |= !ok;
}

/* err(3) exits with the status of a wrong answer; here it's a question that cannot be asked. */
#define die(...) errx(2, __VA_ARGS__)

/*
 * @actual is @expected, or less by what may be missing, or (@also) more. When the start of a
 * syscall is lost, what it calls is counted without it, and so elsewhere.
 */
static bool matches(const struct check *check, uint64_t actual, uint64_t expected, bool also)
{
	return actual + check->slack >= expected && (also || actual <= expected + check->slack);
}

static bool is_context(const char *caller)
{
	for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
		if (!strcmp(contexts[i], caller))
			return true;
	return false;
}

static bool is_below(const char *function)
{
	return !strcmp(function, "update_rq_clock") || !strcmp(function, "psi_account_irqtime");
}

static bool is_attached(const struct profile *profile, const char *function)
{
	for (size_t i = 0; i < profile->nr_functions; i++)
		if (!strcmp(profile->functions[i].name, function))
			return profile->functions[i].attached;
	die("the profile does not say whether %s was traced", function);
}

static bool is_entry_attached(const struct profile *profile, const char *syscall, const char *clock)
{
	char function[80];

	if (strcmp(syscall, "read"))
		snprintf(function, sizeof(function), "__x64_sys_%s", syscall);
	else
		snprintf(function, sizeof(function), "proc_%s_stat",
			 strcmp(clock, "proc/thread") ? "tgid" : "tid");
	return is_attached(profile, function);
}

static unsigned needs_of(const struct check *check, const char *syscall, const char *clock,
			 unsigned asks)
{
	if (!strcmp(check->profile.host.accounting, "vtime-native") || !strcmp(clock, "-"))
		return asks;
	for (size_t i = 0; i < sizeof(adjusted) / sizeof(adjusted[0]); i++)
		if (!strcmp(adjusted[i].syscall, syscall) &&
		    (!adjusted[i].clock || !strcmp(adjusted[i].clock, clock)))
			return asks | MASK_SCHED;
	return asks;
}

static struct key *find_key(struct check *check, const char *syscall, const char *clock)
{
	for (size_t i = 0; i < check->nr_keys; i++)
		if (!strcmp(check->keys[i].syscall, syscall) &&
		    !strcmp(check->keys[i].clock, clock))
			return &check->keys[i];
	return NULL;
}

static struct key *get_key(struct check *check, const char *syscall, const char *clock,
			   unsigned asks)
{
	struct key *key = find_key(check, syscall, clock);

	if (key)
		return key;
	if (check->nr_keys == MAX_KEYS)
		die("more than %d kinds of reads", MAX_KEYS);
	key = &check->keys[check->nr_keys++];
	snprintf(key->syscall, sizeof(key->syscall), "%s", syscall);
	snprintf(key->clock, sizeof(key->clock), "%s", clock);
	key->asks = asks;
	return key;
}

static size_t function_index(struct check *check, const char *name)
{
	size_t i = 0;

	while (i < check->nr_functions && strcmp(check->functions[i], name))
		i++;
	if (i == MAX_FUNCTIONS)
		die("more than %d functions", MAX_FUNCTIONS);
	if (i == check->nr_functions)
		snprintf(check->functions[check->nr_functions++], sizeof(check->functions[0]), "%s",
			 name);
	return i;
}

static struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, name, &value))
		die("no '%s' in a bench's JSON", name);
	return value;
}

static unsigned asks_of(struct json_object *kind)
{
	struct json_object *fields = member(kind, "asks");
	unsigned asks = 0;

	for (size_t i = 0; i < json_object_array_length(fields); i++)
		asks |= mask_bit(json_object_get_string(json_object_array_get_idx(fields, i)));
	return asks;
}

/*
 * Add one kind to what is expected. Without its entry function a read is only seen at the first
 * traced function it reaches, and a stat file's or a timer's clock is not known there.
 */
static void expect_kind(struct check *check, struct bench *bench, struct json_object *kind)
{
	const char *syscall = json_object_get_string(member(kind, "syscall"));
	const char *clock = json_object_get_string(member(kind, "clock"));
	uint64_t reads = json_object_get_uint64(member(kind, "reads")), outermost = 0;
	bool entry = is_entry_attached(&check->profile, syscall, clock);
	bool anonymous = !entry && (!strcmp(syscall, "read") || !strncmp(syscall, "timer_", 6));
	unsigned asks = anonymous ? MASK_NONE : asks_of(kind);
	struct key *key = get_key(check, syscall, anonymous ? "-" : clock, asks);

	if (entry)
		key->reads += outermost = reads;
	json_object_object_foreach(member(kind, "calls"), name, value) {
		uint64_t calls = json_object_get_uint64(value);

		if (!is_attached(&check->profile, name))
			continue;
		key->calls[function_index(check, name)] += calls;
		/* each is called by the one before it, so the most is the outermost's */
		if (!entry && !is_below(name) && calls > outermost)
			outermost = calls;
	}
	bench->masks[asks] += outermost;
}

static void expect_bench(struct check *check, const char *file)
{
	struct json_object *top = json_object_from_file(file), *kinds;
	struct bench *bench = &check->benches[check->nr_benches++];

	if (!top)
		die("cannot read %s: %s", file, json_util_get_last_err());
	bench->file = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	kinds = member(top, "kinds");
	if (!json_object_array_length(kinds))
		die("%s has no kinds", file);
	for (size_t i = 0; i < json_object_array_length(kinds); i++)
		expect_kind(check, bench, json_object_array_get_idx(kinds, i));
	json_object_put(top);
}

/* Calls of @function in paths of @key; update_rq_clock's only from task_sched_runtime(). */
static uint64_t sum_calls(const struct profile *profile, const struct key *key,
			  const char *function)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < profile->nr_paths; i++) {
		const struct profile_path *path = &profile->paths[i];

		if (strcmp(path->caller, key->syscall) || strcmp(path->clock, key->clock) ||
		    strcmp(path->function, function))
			continue;
		if (!strcmp(function, "update_rq_clock") &&
		    (path->parent < 0 ||
		     strcmp(profile->paths[path->parent].function, "task_sched_runtime")))
			continue;
		calls += path->calls;
	}
	return calls;
}

static void check_reads(struct check *check, const struct key *key)
{
	const struct profile_syscall *found = NULL;
	uint64_t reads, errors;

	for (size_t i = 0; i < check->profile.nr_syscalls; i++) {
		const struct profile_syscall *syscall = &check->profile.syscalls[i];

		if (strcmp(syscall->name, key->syscall) || strcmp(syscall->clock, key->clock))
			continue;
		if (found)
			verdict(check, false, "%s %s: twice in syscalls[]", key->syscall,
				key->clock);
		found = syscall;
	}
	reads = found ? found->calls : 0;
	errors = found ? found->errors : 0;
	verdict(check, matches(check, reads, key->reads, key->also) && (key->also || !errors),
		"%s %s: %" PRIu64 " reads and no error (profile: %" PRIu64 ", %" PRIu64 ")",
		key->syscall, key->clock, key->reads, reads, errors);
}

static void check_key(struct check *check, const struct key *key)
{
	unsigned needs = needs_of(check, key->syscall, key->clock, key->asks);
	size_t wrong = 0, paths = 0;
	/* do_task_stat() of 5.10 sums up anew when a thread exits in the middle of it */
	bool more = key->also || (check->exits && !strcmp(key->clock, "proc/process"));

	check_reads(check, key);
	for (size_t f = 0; f < check->nr_functions; f++) {
		uint64_t calls = sum_calls(&check->profile, key, check->functions[f]);

		verdict(check, matches(check, calls, key->calls[f], more),
			"%s %s: %" PRIu64 " calls of %s (profile: %" PRIu64 ")", key->syscall,
			key->clock, key->calls[f], check->functions[f], calls);
	}
	for (size_t i = 0; i < check->profile.nr_paths; i++) {
		const struct profile_path *path = &check->profile.paths[i];

		if (strcmp(path->caller, key->syscall) || strcmp(path->clock, key->clock))
			continue;
		paths++;
		wrong += path->asks != key->asks || path->needs != needs;
	}
	verdict(check, !wrong, "%s %s: asks %u, needs %u in all its %zu paths (%zu differ)",
		key->syscall, key->clock, key->asks, needs, paths, wrong);
}

/* Whatever is in the profile is a workload's read, or one of others that we know of. */
static void check_nothing_else(struct check *check)
{
	const struct profile *profile = &check->profile;
	bool ok = true;

	for (size_t i = 0; i < profile->nr_syscalls; i++) {
		const struct profile_syscall *syscall = &profile->syscalls[i];

		if (find_key(check, syscall->name, syscall->clock))
			continue;
		verdict(check, false, "%s %s: %llu reads that no workload made", syscall->name,
			syscall->clock, syscall->calls);
		ok = false;
	}
	for (size_t i = 0; i < profile->nr_paths; i++) {
		const struct profile_path *path = &profile->paths[i];

		if (is_context(path->caller) || find_key(check, path->caller, path->clock) ||
		    path->calls <= check->slack ||
		    /* a wake-up's or a switch's, and what is below it */
		    (profile->all_callers && is_below(path->function) &&
		     (path->parent < 0 || !strcmp(path->clock, "-"))))
			continue;
		verdict(check, false, "%s %s: %llu calls of %s that no workload made", path->caller,
			path->clock, path->calls, path->function);
		ok = false;
	}
	if (ok)
		verdict(check, true, "no reads but the workloads'");
}

/* Is @process the one of @bench? */
static bool is_bench(const struct check *check, const struct profile_process *process,
		     const struct bench *bench)
{
	if (strcmp(process->comm, "cputoll"))
		return false;
	for (int mask = 0; mask < MASK_COUNT; mask++)
		if (!matches(check, process->masks[mask], bench->masks[mask], false))
			return false;
	return true;
}

/* Each workload has a process with its reads by mask; and processes and paths tell the same. */
static void check_processes(struct check *check)
{
	const struct profile *profile = &check->profile;
	uint64_t by_process[MASK_COUNT] = {}, by_path[MASK_COUNT] = {}, calls = 0, in_masks = 0;
	bool *taken = calloc(profile->nr_processes + 1, sizeof(*taken));

	for (size_t b = 0; taken && b < check->nr_benches; b++) {
		size_t i = 0;

		while (i < profile->nr_processes &&
		       (taken[i] || !is_bench(check, &profile->processes[i], &check->benches[b])))
			i++;
		taken[i] = true;
		verdict(check, i < profile->nr_processes,
			"a process has the reads of %s: u %" PRIu64 ", us %" PRIu64 ", r %" PRIu64
			", - %" PRIu64,
			check->benches[b].file, check->benches[b].masks[MASK_UTIME],
			check->benches[b].masks[MASK_PROF], check->benches[b].masks[MASK_SCHED],
			check->benches[b].masks[MASK_NONE]);
	}
	free(taken);
	for (size_t i = 0; i < profile->nr_processes; i++) {
		calls += profile->processes[i].calls;
		for (int mask = 0; mask < MASK_COUNT; mask++) {
			by_process[mask] += profile->processes[i].masks[mask];
			in_masks += profile->processes[i].masks[mask];
		}
	}
	for (size_t i = 0; i < profile->nr_paths; i++) {
		const struct profile_path *path = &profile->paths[i];

		if (path->parent < 0 && !is_below(path->function) && strcmp(path->caller, "irq") &&
		    strcmp(path->caller, "switch"))
			by_path[path->asks] += path->calls;
	}
	verdict(check, calls == in_masks,
		"processes: calls are the sum of their masks (%" PRIu64 ", %" PRIu64 ")", calls,
		in_masks);
	verdict(check, check->lossy || !memcmp(by_process, by_path, sizeof(by_path)),
		"processes: the calls of all by mask are the outermost paths'");
}

/* What holds between the numbers of a path and its children's, whatever was measured. */
static void check_paths(struct check *check)
{
	const struct profile *profile = &check->profile;
	size_t nr = profile->nr_paths, sums = 0, larger = 0, raised = 0, hists = 0, places = 0;
	uint64_t *below_ns = calloc(nr + 1, sizeof(*below_ns));

	if (!below_ns)
		die("out of memory");
	for (size_t i = 0; i < nr; i++) {
		const struct profile_path *path = &profile->paths[i];

		/* A caller lost without its callees is given their sum, and marked. */
		raised += path->total_ns > path->raw_ns && !(check->lossy && path->clamped);
		hists += hist_total(&path->hist) != path->calls;
		if (path->parent < 0) {
			places += !profile->all_callers && is_below(path->function) &&
				  strcmp(path->caller, "irq");
			continue;
		}
		below_ns[path->parent] += path->total_ns;
		larger += path->total_ns > profile->paths[path->parent].total_ns;
	}
	for (size_t i = 0; i < nr; i++)
		sums += profile->paths[i].self_ns + below_ns[i] != profile->paths[i].total_ns;
	free(below_ns);
	verdict(check, nr && !sums, "self and children are the total in %zu paths (not in %zu)", nr,
		sums);
	verdict(check, !larger, "no child's total exceeds its parent's (%zu do)", larger);
	verdict(check, !raised, "no total exceeds what was measured (%zu do)", raised);
	verdict(check, !hists, "each histogram holds its path's calls (%zu do not)", hists);
	verdict(check, !places, "no scheduler's call is outermost but an interrupt's (%zu are)",
		places);
}

static void check_lost(struct check *check)
{
	const struct profile_lost *lost = &check->profile.lost;

	verdict(check,
		check->lossy ||
			!(lost->migrated | lost->overflow | lost->recursion | lost->processes),
		"lost: migrated %llu, overflow %llu, recursion %llu, processes %llu%s",
		lost->migrated, lost->overflow, lost->recursion, lost->processes,
		check->lossy ? "" : ", all zero");
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "also", required_argument, NULL, 'a' },
						 { "lossy", no_argument, NULL, 'l' },
						 { "exits", no_argument, NULL, 'e' },
						 {} };
	const char *also[MAX_KEYS];
	struct check *check = calloc(1, sizeof(*check));
	size_t nr_also = 0;
	int option, status;
	char err[512];

	while (check && (option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'a' && nr_also < MAX_KEYS)
			also[nr_also++] = optarg;
		else if (option == 'l')
			check->lossy = true;
		else if (option == 'e')
			check->exits = true;
		else
			return 2;
	}
	if (!check || optind >= argc)
		die("usage: [--also SYSCALL:CLOCK]... [--lossy] [--exits] PROFILE [BENCH...]");
	if (profile_read(&check->profile, argv[optind], err, sizeof(err))) {
		verdict(check, false, "%s", err);
		return 1;
	}
	if (check->lossy)
		check->slack = check->profile.lost.migrated + check->profile.lost.overflow +
			       check->profile.lost.recursion + check->profile.lost.processes;
	if (argc - optind - 1 > MAX_BENCHES)
		die("more than %d workloads", MAX_BENCHES);
	for (int i = optind + 1; i < argc; i++)
		expect_bench(check, argv[i]);
	for (size_t i = 0; i < nr_also; i++) {
		char syscall[48], clock[24];

		if (sscanf(also[i], "%47[^:]:%23s", syscall, clock) != 2)
			die("--also takes SYSCALL:CLOCK, not '%s'", also[i]);
		/* only a wait is somebody else's reading that no workload need have made */
		get_key(check, syscall, clock, MASK_TICKS)->also = true;
	}
	if (check->nr_benches) {
		for (size_t i = 0; i < check->nr_keys; i++)
			check_key(check, &check->keys[i]);
		check_nothing_else(check);
	}
	check_processes(check);
	check_paths(check);
	check_lost(check);
	status = check->failed;
	profile_free(&check->profile);
	free(check);
	return status;
}
