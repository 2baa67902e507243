/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile for people. report and record print with report_print(); report_groups.c makes
 * the lines of its tables, report_text.c prints them.
 */
#ifndef CPUTOLL_REPORT_H
#define CPUTOLL_REPORT_H

#include <stdio.h>
#include "profile.h"

/* report_print() - print @profile, at most 100 columns wide. Returns 0 or -ENOMEM; whether @out
 * took it is for the caller to see. */
int report_print(const struct profile *profile, FILE *out);

/*
 * report_vtime_print() - print the section on virtual CPU-time accounting, nothing when none of its
 * functions was asked for. Called by report_print(), which says the rest.
 */
void report_vtime_print(const struct profile *profile, FILE *out);

/* report_has_group() - was a function of @group (include/functions.h) asked for? */
bool report_has_group(const struct profile *profile, const char *group);

/* report_is_context() - is @caller no syscall? */
bool report_is_context(const char *caller);

/* The tables of a report, in this order. */
enum report_section {
	REPORT_READS,	 /* counted at the entry of their syscall or /proc file */
	REPORT_CALLS,	 /* by syscalls without a traced entry: calls of functions below it */
	REPORT_OTHERS,	 /* calls of functions that are no part of reading CPU time */
	REPORT_CONTEXTS, /* from no syscall: interrupts, the idle task, kernel threads */
	REPORT_SECTIONS,
};

/* One caller's reads of one clock, and the outermost paths they came by. */
struct report_group {
	enum report_section section;
	const struct profile_path *of; /* caller, clock, asks and needs */
	int first;		       /* its outermost path of the largest total */
	__u64 calls;
	__u64 errors;
	__u64 total_ns;
	__u64 below_ns; /* of total_ns, in the functions called by the outermost ones */
	bool clamped;
	bool may_sleep;
	struct hist hist;
};

/* Groups by section and then by total, and the order in which their paths are printed. */
struct report_groups {
	struct report_group *group;
	size_t nr;
	int *child; /* by path: the child of the largest total, -1 for none */
	int *next;  /* by path: the sibling (outermost: in the same group) of the next smaller */
};

/* report_groups_make() - group @profile's paths. Returns 0 or -ENOMEM; report_groups_free() after
 * either. */
int report_groups_make(struct report_groups *groups, const struct profile *profile);
void report_groups_free(struct report_groups *groups);

/* report_groups_next() - the path to print after @path, -1 at the group's end; *@depth, 0 at the
 * outermost, is kept up to date. */
int report_groups_next(const struct report_groups *groups, const struct profile *profile, int path,
		       int *depth);

#endif /* CPUTOLL_REPORT_H */
