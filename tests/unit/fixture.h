/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile as one of a Debian 6.1 host could be, for the tests of the profile and of the report;
 * tests/data/example.json is this one written.
 */
#ifndef CPUTOLL_TESTS_FIXTURE_H
#define CPUTOLL_TESTS_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clocks.h"
#include "functions.h"
#include "mask.h"
#include "profile.h"

#define FIXTURE_ARRAY(a) (sizeof(a) / sizeof((a)[0]))

struct fixture_path {
	const char *caller;
	int clock;
	const char *function;
	int parent;
	__u64 calls, errors, avg_ns;
	bool may_sleep;
};

static const struct fixture_path fixture_paths[] = {
	{ "clock_gettime", CLK_THREAD_SCHED, "__x64_sys_clock_gettime", -1, 1000000, 0, 361, true },
	{ "clock_gettime", CLK_THREAD_SCHED, "task_sched_runtime", 0, 1000000, 0, 284, false },
	{ "clock_gettime", CLK_THREAD_SCHED, "update_rq_clock", 1, 1000000, 0, 123, false },
	{ "clock_gettime", CLK_PROCESS_PROF, "__x64_sys_clock_gettime", -1, 100000, 12, 8420,
	  true },
	{ "clock_gettime", CLK_PROCESS_PROF, "thread_group_cputime", 3, 99988, 0, 8250, true },
	{ "clock_gettime", CLK_PROCESS_PROF, "task_sched_runtime", 4, 1699796, 0, 297, false },
	{ "clock_gettime", CLK_PROCESS_PROF, "update_rq_clock", 5, 212475, 0, 131, false },
	{ "getrusage", CLK_SELF, "__x64_sys_getrusage", -1, 50000, 0, 642, true },
	{ "getrusage", CLK_SELF, "thread_group_cputime_adjusted", 7, 50000, 0, 510, true },
	{ "getrusage", CLK_SELF, "thread_group_cputime", 8, 50000, 0, 431, true },
	{ "getrusage", CLK_SELF, "task_sched_runtime", 9, 50000, 0, 285, false },
	{ "getrusage", CLK_SELF, "update_rq_clock", 10, 50000, 0, 122, false },
	{ "wait4", CLK_CHILD, "__x64_sys_wait4", -1, 64, 3, 12400000, true },
	{ "wait4", CLK_CHILD, "thread_group_cputime_adjusted", 12, 61, 0, 577, true },
};

static const struct profile_process fixture_processes[] = {
	{ 2711, "java", 1000240, 366000000, { [MASK_SCHED] = 1000000, [MASK_PROF] = 240 } },
	{ 2935, "postgres", 149760, 868840000, { [MASK_PROF] = 149760 } },
	{ 1, "systemd", 64, 793600000, { [MASK_PROF] = 64 } },
};

static inline void *fixture_copy(const void *from, size_t bytes)
{
	void *to = malloc(bytes);

	if (!to)
		abort();
	return memcpy(to, from, bytes);
}

/* Nine in ten near the average, the others an octave above: the percentiles differ. */
static inline void fixture_hist(struct hist *hist, __u64 calls, __u64 avg_ns)
{
	hist->count[hist_bucket(avg_ns)] = calls - calls / 10;
	hist->count[hist_bucket(2 * avg_ns)] = calls / 10;
}

static inline void fixture_paths_fill(struct profile *profile)
{
	profile->nr_paths = FIXTURE_ARRAY(fixture_paths);
	profile->paths = calloc(profile->nr_paths, sizeof(*profile->paths));
	if (!profile->paths)
		abort();
	for (size_t i = 0; i < profile->nr_paths; i++) {
		const struct fixture_path *from = &fixture_paths[i];
		struct profile_path *to = &profile->paths[i];

		snprintf(to->caller, sizeof(to->caller), "%s", from->caller);
		snprintf(to->clock, sizeof(to->clock), "%s", clock_name(from->clock));
		snprintf(to->function, sizeof(to->function), "%s", from->function);
		to->asks = clock_asks(from->clock);
		to->needs = clock_needs(from->clock, true);
		to->parent = from->parent;
		to->calls = from->calls;
		to->errors = from->errors;
		to->may_sleep = from->may_sleep;
		/* what the probes would have shown: profile_correct() finds avg_ns again */
		to->raw_ns = from->calls * (from->avg_ns + profile->inside_ns);
		for (size_t j = i + 1; j < profile->nr_paths; j++)
			for (int up = fixture_paths[j].parent; up >= 0;
			     up = fixture_paths[up].parent)
				if (up == (int)i)
					to->raw_ns += fixture_paths[j].calls * profile->whole_ns;
		fixture_hist(&to->hist, from->calls, from->avg_ns);
	}
}

static inline void fixture_functions_fill(struct profile *profile)
{
	static const struct {
		const char *name;
		enum fn_kind kind;
		enum fn_group group;
	} rows[] = {
#define X(name, kind, parent, preemptible, config, group) { #name, FN_##kind, GROUP_##group },
		CPUTOLL_FUNCTIONS(X)
#undef X
	};

	profile->functions = calloc(FN_COUNT, sizeof(*profile->functions));
	if (!profile->functions)
		abort();
	for (int i = 0; i < FN_COUNT; i++) {
		struct profile_function *to = &profile->functions[profile->nr_functions];

		if (rows[i].kind == FN_CALIBRATE || rows[i].group == GROUP_vtime ||
		    rows[i].group == GROUP_other) /* as without --functions */
			continue;
		profile->nr_functions++;
		snprintf(to->name, sizeof(to->name), "%s%s",
			 rows[i].kind == FN_SYSCALL ? "__x64_sys_" : "", rows[i].name);
		snprintf(to->group, sizeof(to->group), "%s",
			 rows[i].group == GROUP_reads ? "reads" : "internal");
		to->attached = i != FN_ID_psi_account_irqtime;
		if (!to->attached)
			snprintf(to->reason, sizeof(to->reason),
				 "not in this kernel: IRQ_TIME_ACCOUNTING is off");
	}
}

static inline bool fixture_is_entry(const char *function)
{
	return !strncmp(function, "__x64_sys_", 10);
}

/* fixture_make() - the whole profile; freed with profile_free(). */
static inline void fixture_make(struct profile *profile)
{
	static const struct profile_config config[] = {
		{ "HZ", "250" },
		{ "IRQ_TIME_ACCOUNTING", "n" },
		{ "PSI", "y" },
	};

	*profile = (struct profile){
		.version = "0.1",
		.engine = "fentry",
		.command = "./workload --threads 17",
		.filter = "comm work*",
		.host = { .kernel = "6.1.0-57-cloud-amd64",
			  .arch = "x86_64",
			  .cpus = 2,
			  .clocksource = "tsc",
			  .accounting = "tick" },
		.duration_ns = 5000000000,
		.inside_ns = 171,
		.whole_ns = 441,
		.lost = { .migrated = 2, .recursion = 1, .processes = 4 },
	};
	profile->host.config = fixture_copy(config, sizeof(config));
	profile->host.nr_config = FIXTURE_ARRAY(config);
	profile->processes = fixture_copy(fixture_processes, sizeof(fixture_processes));
	profile->nr_processes = FIXTURE_ARRAY(fixture_processes);
	fixture_functions_fill(profile);
	fixture_paths_fill(profile);
	profile_correct(profile);
	if (profile_summarize(profile, fixture_is_entry))
		abort();
}

#endif /* CPUTOLL_TESTS_FIXTURE_H */
