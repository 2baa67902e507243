// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arithmetic of a profile: subtracting the probes' cost, and reads by syscall. Called by
 * record once the engine has stopped; profile_free() by everything that holds a profile.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "profile.h"

static __u64 add_capped(__u64 a, __u64 b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

static __u64 multiply_capped(__u64 a, __u64 b)
{
	return __builtin_mul_overflow(a, b, &a) ? UINT64_MAX : a;
}

/*
 * One pass from the last path to the first meets every child before its parent. Until a path is
 * met, its total_ns gathers the number of its descendants' calls and its self_ns its children's
 * totals.
 */
void profile_correct(struct profile *profile)
{
	for (size_t i = 0; i < profile->nr_paths; i++) {
		profile->paths[i].total_ns = 0;
		profile->paths[i].self_ns = 0;
	}

	for (size_t i = profile->nr_paths; i-- > 0;) {
		struct profile_path *path = &profile->paths[i];
		__u64 below_calls = path->total_ns, below_ns = path->self_ns;
		__u64 cost_ns = add_capped(multiply_capped(path->calls, profile->inside_ns),
					   multiply_capped(below_calls, profile->whole_ns));
		__u64 total_ns = path->raw_ns > cost_ns ? path->raw_ns - cost_ns : 0;

		path->clamped = path->raw_ns < cost_ns || total_ns < below_ns;
		path->total_ns = total_ns < below_ns ? below_ns : total_ns;
		path->self_ns = path->total_ns - below_ns;

		if (path->parent >= 0) {
			struct profile_path *parent = &profile->paths[path->parent];

			parent->total_ns =
				add_capped(parent->total_ns, add_capped(path->calls, below_calls));
			parent->self_ns = add_capped(parent->self_ns, path->total_ns);
		}
	}
}

static struct profile_syscall *find_syscall(struct profile *profile,
					    const struct profile_path *path)
{
	for (size_t i = 0; i < profile->nr_syscalls; i++)
		if (!strcmp(profile->syscalls[i].name, path->caller) &&
		    !strcmp(profile->syscalls[i].clock, path->clock))
			return &profile->syscalls[i];
	return NULL;
}

static struct profile_syscall *add_syscall(struct profile *profile, const struct profile_path *path)
{
	struct profile_syscall *grown, *syscall;

	grown = reallocarray(profile->syscalls, profile->nr_syscalls + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	profile->syscalls = grown;
	syscall = &grown[profile->nr_syscalls++];
	memset(syscall, 0, sizeof(*syscall));
	memcpy(syscall->name, path->caller, sizeof(syscall->name));
	memcpy(syscall->clock, path->clock, sizeof(syscall->clock));
	return syscall;
}

int profile_summarize(struct profile *profile, bool (*is_entry)(const char *function))
{
	free(profile->syscalls);
	profile->syscalls = NULL;
	profile->nr_syscalls = 0;

	for (size_t i = 0; i < profile->nr_paths; i++) {
		const struct profile_path *path = &profile->paths[i];
		struct profile_syscall *syscall;

		if (path->parent >= 0 || !is_entry(path->function))
			continue;
		syscall = find_syscall(profile, path);
		if (!syscall)
			syscall = add_syscall(profile, path);
		if (!syscall)
			return -ENOMEM;
		syscall->calls += path->calls;
		syscall->errors += path->errors;
		syscall->total_ns += path->total_ns;
		/* self = total - children's totals, exactly */
		syscall->accounting_ns += path->total_ns - path->self_ns;
		hist_add(&syscall->hist, &path->hist);
	}
	return 0;
}

void profile_free(struct profile *profile)
{
	free(profile->host.config);
	free(profile->functions);
	free(profile->paths);
	free(profile->syscalls);
	free(profile->processes);
	memset(profile, 0, sizeof(*profile));
}
