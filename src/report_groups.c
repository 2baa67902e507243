// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a report's tables hold and in which order: outermost paths gathered by caller and clock,
 * everything sorted by total time. Called by report_text.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "functions.h"
#include "layout.h"
#include "report.h"

/* Functions that are no entry: outermost, they say that the entry above them was not traced. */
static bool is_below_entry(const char *function)
{
	static const struct {
		const char *name;
		enum fn_kind kind;
	} table[] = {
#define X(name, kind, parent, preemptible, config, group) { #name, FN_##kind },
		CPUTOLL_FUNCTIONS(X)
#undef X
	};

	for (size_t i = 0; i < FN_COUNT; i++)
		if (!strcmp(table[i].name, function))
			return table[i].kind == FN_READ || table[i].kind == FN_BELOW;
	return false;
}

static bool is_counted(const struct profile *profile, const struct profile_path *path)
{
	for (size_t i = 0; i < profile->nr_syscalls; i++)
		if (!strcmp(profile->syscalls[i].name, path->caller) &&
		    !strcmp(profile->syscalls[i].clock, path->clock))
			return !is_below_entry(path->function);
	return false;
}

bool report_has_group(const struct profile *profile, const char *group)
{
	for (size_t i = 0; i < profile->nr_functions; i++)
		if (!strcmp(profile->functions[i].group, group))
			return true;
	return false;
}

/* Is @function no part of reading CPU time? What an older profile names is. */
static bool is_other(const struct profile *profile, const char *function)
{
	for (size_t i = 0; i < profile->nr_functions; i++) {
		const struct profile_function *of = &profile->functions[i];

		if (!strcmp(of->name, function))
			return !strcmp(of->group, "vtime") || !strcmp(of->group, "other");
	}
	return false;
}

bool report_is_context(const char *caller)
{
	static const char *const contexts[] = {
#define X(id, name) name,
		CPUTOLL_CONTEXTS(X)
#undef X
	};

	for (int i = 0; i < CTX_COUNT; i++)
		if (!strcmp(caller, contexts[i]))
			return true;
	return false;
}

static enum report_section section_of(const struct profile *profile,
				      const struct profile_path *path)
{
	bool is_context = report_is_context(path->caller);

	if (is_other(profile, path->function))
		return is_context ? REPORT_CONTEXTS : REPORT_OTHERS;
	if (is_counted(profile, path))
		return REPORT_READS;
	return is_context ? REPORT_CONTEXTS : REPORT_CALLS;
}

static struct report_group *group_of(struct report_groups *groups, const struct profile *profile,
				     const struct profile_path *path)
{
	enum report_section section = section_of(profile, path);
	struct report_group *group;

	for (size_t i = 0; i < groups->nr; i++) {
		group = &groups->group[i];
		if (group->section == section && !strcmp(group->of->caller, path->caller) &&
		    !strcmp(group->of->clock, path->clock) && group->of->asks == path->asks &&
		    group->of->needs == path->needs)
			return group;
	}
	group = &groups->group[groups->nr++];
	group->section = section;
	group->of = path;
	group->first = -1;
	return group;
}

static void add_path(struct report_group *group, const struct profile_path *path)
{
	group->calls += path->calls;
	group->errors += path->errors;
	group->total_ns += path->total_ns;
	group->below_ns += path->total_ns - path->self_ns;
	group->clamped |= path->clamped;
	group->may_sleep |= path->may_sleep;
	hist_add(&group->hist, &path->hist);
}

struct sortable {
	__u64 total_ns;
	int path;
};

/* The smallest total first, and of equal ones the last. */
static int compare_paths(const void *a, const void *b)
{
	const struct sortable *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns < y->total_ns ? -1 : 1;
	return y->path - x->path;
}

static int compare_groups(const void *a, const void *b)
{
	const struct report_group *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x->of < y->of ? -1 : 1;
}

int report_groups_make(struct report_groups *groups, const struct profile *profile)
{
	size_t nr = profile->nr_paths, nr_outermost = 0;
	struct sortable *sorted = calloc(nr + 1, sizeof(*sorted));

	memset(groups, 0, sizeof(*groups));
	for (size_t i = 0; i < nr; i++)
		nr_outermost += profile->paths[i].parent < 0;
	groups->group = calloc(nr_outermost + 1, sizeof(*groups->group));
	groups->child = calloc(nr + 1, sizeof(*groups->child));
	groups->next = calloc(nr + 1, sizeof(*groups->next));
	if (!sorted || !groups->group || !groups->child || !groups->next) {
		free(sorted);
		return -ENOMEM;
	}

	for (size_t i = 0; i < nr; i++) {
		sorted[i] = (struct sortable){ profile->paths[i].total_ns, (int)i };
		groups->child[i] = -1;
	}
	qsort(sorted, nr, sizeof(*sorted), compare_paths);
	/* each goes before its smaller siblings */
	for (size_t i = 0; i < nr; i++) {
		const struct profile_path *path = &profile->paths[sorted[i].path];
		int *head;

		if (path->parent < 0) {
			struct report_group *group = group_of(groups, profile, path);

			add_path(group, path);
			head = &group->first;
		} else {
			head = &groups->child[path->parent];
		}
		groups->next[sorted[i].path] = *head;
		*head = sorted[i].path;
	}
	free(sorted);
	qsort(groups->group, groups->nr, sizeof(*groups->group), compare_groups);
	return 0;
}

void report_groups_free(struct report_groups *groups)
{
	free(groups->group);
	free(groups->child);
	free(groups->next);
	memset(groups, 0, sizeof(*groups));
}

int report_groups_next(const struct report_groups *groups, const struct profile *profile, int path,
		       int *depth)
{
	if (groups->child[path] >= 0) {
		(*depth)++;
		return groups->child[path];
	}
	while (groups->next[path] < 0 && profile->paths[path].parent >= 0) {
		path = profile->paths[path].parent;
		(*depth)--;
	}
	return groups->next[path];
}
