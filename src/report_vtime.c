// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report's section on virtual CPU-time accounting: what the kernel's entries and exits, guests
 * and task switches cost where it accounts time at each of them. Called by report_text.c.
 */
#include <string.h>
#include "report.h"
#include "text.h"

/* X(id, name): events, as a reader knows them. */
#define KINDS(X)              \
	X(SYSCALL, "syscall") \
	X(IRQ, "irq, fault")  \
	X(GUEST, "guest")     \
	X(SWITCH, "switch")   \
	X(IDLE, "idle")

enum kind {
#define X(id, name) KIND_##id,
	KINDS(X)
#undef X
		KIND_COUNT,
	KIND_USER,  /* the kernel's border with user mode: SYSCALL or IRQ, by the caller */
	KIND_FLUSH, /* no event: what was accumulated goes to where readers find it */
	KIND_NONE,
};

/* What the functions of the group vtime are. kernel/sched/cputime.c has the generic ones; there
 * vtime_account_kernel() by itself is a native kernel's guest entry or exit. */
static const struct {
	const char *function;
	enum kind kind;
} events[] = {
	{ "vtime_user_enter", KIND_USER },	{ "vtime_user_exit", KIND_USER },
	{ "vtime_guest_enter", KIND_GUEST },	{ "vtime_guest_exit", KIND_GUEST },
	{ "vtime_account_kernel", KIND_GUEST }, { "vtime_task_switch_generic", KIND_SWITCH },
	{ "vtime_task_switch", KIND_SWITCH },	{ "vtime_account_idle", KIND_IDLE },
	{ "vtime_account_irq", KIND_IRQ },	{ "vtime_account_hardirq", KIND_IRQ },
	{ "vtime_account_softirq", KIND_IRQ },	{ "vtime_flush", KIND_FLUSH },
	{ "account_user_time", KIND_FLUSH },	{ "account_system_time", KIND_FLUSH },
	{ "account_guest_time", KIND_FLUSH },	{ "account_steal_time", KIND_FLUSH },
	{ "account_idle_time", KIND_FLUSH },
};

struct tallied {
	__u64 calls;
	__u64 flushed; /* of them */
	__u64 total_ns;
	struct hist hist;
};

static enum kind kind_of(const struct profile_path *path)
{
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (strcmp(events[i].function, path->function))
			continue;
		if (events[i].kind == KIND_USER)
			return report_is_context(path->caller) ? KIND_IRQ : KIND_SYSCALL;
		/* who calls it is the task that is switched to */
		if (events[i].kind == KIND_SWITCH && !strcmp(path->caller, "idle"))
			return KIND_IDLE;
		return events[i].kind;
	}
	return KIND_NONE;
}

/* What the nearest accounting function around @path is. */
static enum kind kind_around(const struct profile *profile, const struct profile_path *path)
{
	for (int up = path->parent; up >= 0; up = profile->paths[up].parent)
		if (kind_of(&profile->paths[up]) != KIND_NONE)
			return kind_of(&profile->paths[up]);
	return KIND_NONE;
}

/*
 * An accounting function inside another one is part of the same event, and a flush inside a flush
 * (account_guest_time in account_system_time) is the same flush.
 */
static void tally(const struct profile *profile, struct tallied *kinds)
{
	for (size_t i = 0; i < profile->nr_paths; i++) {
		const struct profile_path *path = &profile->paths[i];
		enum kind kind = kind_of(path), outer = kind_around(profile, path);

		if (kind == KIND_FLUSH && outer < KIND_COUNT)
			kinds[outer].flushed += path->calls;
		if (kind >= KIND_COUNT || outer != KIND_NONE)
			continue;
		kinds[kind].calls += path->calls;
		kinds[kind].total_ns += path->total_ns;
		hist_add(&kinds[kind].hist, &path->hist);
	}
}

static bool is_traced(const struct profile *profile, enum kind kind)
{
	for (size_t i = 0; i < profile->nr_functions; i++) {
		const struct profile_function *function = &profile->functions[i];

		for (size_t j = 0; j < sizeof(events) / sizeof(events[0]); j++)
			if (function->attached && events[j].kind == kind &&
			    !strcmp(function->name, events[j].function))
				return true;
	}
	return false;
}

static void print_kind(const struct profile *profile, FILE *out, const char *name,
		       const struct tallied *kind, bool flushes_known)
{
	double seconds = (double)profile->duration_ns / 1e9, calls = (double)kind->calls;
	char text[TEXT_NUMBER_BYTES];

	text_cell(out, 7, text_count(text, calls));
	text_cell(out, 9, text_count(text, seconds > 0 ? calls / seconds : 0));
	fputs("  ", out);
	text_cell(out, -14, name);
	text_cell(out, 8, text_duration(text, hist_percentile(&kind->hist, 50)));
	text_cell(out, 8, text_duration(text, hist_percentile(&kind->hist, 99)));
	text_cell(out, 8, text_duration(text, (double)kind->total_ns / calls));
	text_cell(out, 8, text_duration(text, (double)kind->total_ns));
	text_cell(out, 8,
		  text_percent(text, (double)kind->total_ns,
			       (double)profile->duration_ns * profile->host.cpus));
	text_cell(out, 9, flushes_known ? text_percent(text, (double)kind->flushed, calls) : "-");
	fputc('\n', out);
}

void report_vtime_print(const struct profile *profile, FILE *out)
{
	static const char *const names[KIND_COUNT] = {
#define X(id, name) [KIND_##id] = name,
		KINDS(X)
#undef X
	};
	struct tallied kinds[KIND_COUNT] = {};
	__u64 calls = 0;

	if (!report_has_group(profile, "vtime"))
		return;
	fputs("\nvirtual CPU-time accounting", out);
	if (!strcmp(profile->host.accounting, "tick")) {
		fputs(": none, this kernel accounts CPU time at the tick\n", out);
		return;
	}
	tally(profile, kinds);
	for (int i = 0; i < KIND_COUNT; i++)
		calls += kinds[i].calls;
	if (!calls) {
		fputs(": no event\n", out);
		return;
	}
	fprintf(out, "\n events       /s  %-14s     p50     p99     avg   total  of CPU  flushed\n",
		"kind");
	for (int i = 0; i < KIND_COUNT; i++)
		if (kinds[i].calls)
			print_kind(profile, out, names[i], &kinds[i],
				   is_traced(profile, KIND_FLUSH));
}
