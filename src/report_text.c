// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile as text for a terminal: what was measured where, the tables of callers and processes,
 * what was lost or not traced, and a legend. Called by the report and record commands.
 */
#include <stdarg.h>
#include <stdbool.h>
#include "mask.h"
#include "report.h"
#include "text.h"

#define WIDTH	       100
#define NAME_MAX_WIDTH 35 /* the columns around it take 65 */
#define NAME_MIN_WIDTH 24
#define INDENT_MAX     10
#define TOP_PROCESSES  10

struct report {
	const struct profile *profile;
	FILE *out;
	struct report_groups groups;
	int caller_width, name_width;
	bool has_sleepers, has_clamped, has_ratios; /* what the legend must explain */
};

/* Items of a sentence, two spaces apart, on lines of at most WIDTH. */
struct line {
	FILE *out;
	size_t column;
};

static __attribute__((format(printf, 2, 3))) void item(struct line *line, const char *fmt, ...)
{
	char text[512], clean[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	text_clean(clean, sizeof(clean), text);
	if (line->column && line->column + 2 + text_width(clean) > WIDTH) {
		fputc('\n', line->out);
		line->column = 0;
	}
	fprintf(line->out, "%s%s", line->column ? "  " : "", clean);
	line->column += text_width(clean) + (line->column ? 2 : 0);
}

static void end(struct line *line)
{
	if (line->column)
		fputc('\n', line->out);
	line->column = 0;
}

static void print_host(const struct report *report)
{
	const struct profile *profile = report->profile;
	const struct profile_host *host = &profile->host;
	char number[TEXT_NUMBER_BYTES], inside[TEXT_NUMBER_BYTES];
	struct line line = { report->out, 0 };

	item(&line, "cputoll %s", profile->version);
	item(&line, "Linux %s %s", host->kernel, host->arch);
	item(&line, "%d CPU%s", host->cpus, host->cpus == 1 ? "" : "s");
	if (host->clocksource[0])
		item(&line, "%s", host->clocksource);
	item(&line, "%s accounting", host->accounting);
	item(&line, "%s", profile->engine);
	item(&line, "%s", text_duration(number, (double)profile->duration_ns));
	if (profile->command[0])
		item(&line, "ran: %s", profile->command);
	if (profile->filter[0])
		item(&line, "only: %s", profile->filter);
	end(&line);
	if (!profile->whole_ns)
		return;
	item(&line, "probes cost %s a call, %s of it inside what they measure: subtracted below",
	     text_duration(number, (double)profile->whole_ns),
	     text_duration(inside, (double)profile->inside_ns));
	end(&line);
}

static __u64 section_calls(const struct report *report, enum report_section section)
{
	__u64 calls = 0;

	for (size_t i = 0; i < report->groups.nr; i++)
		if (report->groups.group[i].section == section)
			calls += report->groups.group[i].calls;
	return calls;
}

static __u64 all_calls(const struct report *report)
{
	__u64 calls = 0;

	for (int section = 0; section < REPORT_SECTIONS; section++)
		calls += section_calls(report, section);
	return calls;
}

/* lost.processes were counted, if not for their process */
static __u64 lost_of(const struct profile *profile)
{
	return profile->lost.migrated + profile->lost.overflow + profile->lost.recursion;
}

static void print_summary(const struct report *report)
{
	const struct profile *profile = report->profile;
	__u64 reads = section_calls(report, REPORT_READS), calls;
	double seconds = (double)profile->duration_ns / 1e9;
	struct line line = { report->out, 0 };
	char number[TEXT_NUMBER_BYTES];

	item(&line, "%s reads", text_grouped(number, reads));
	if (reads && seconds > 0)
		item(&line, "%s/s", text_count(number, (double)reads / seconds));
	calls = section_calls(report, REPORT_CALLS);
	if (calls)
		item(&line, "%s calls by syscalls without a traced entry",
		     text_grouped(number, calls));
	calls = section_calls(report, REPORT_OTHERS);
	if (calls)
		item(&line, "%s calls of other functions", text_grouped(number, calls));
	calls = section_calls(report, REPORT_CONTEXTS);
	if (calls)
		item(&line, "%s calls from elsewhere", text_grouped(number, calls));
	item(&line, "%s lost", text_grouped(number, lost_of(profile)));
	end(&line);
}

static void print_nothing(const struct report *report)
{
	const struct profile *profile = report->profile;
	bool reads = report_has_group(profile, "reads") || report_has_group(profile, "");
	char number[TEXT_NUMBER_BYTES];

	for (size_t i = 0; i < profile->nr_functions; i++) {
		if (!profile->functions[i].attached)
			continue;
		fprintf(report->out, "no %s in %s: record for longer (-d)%s\n",
			reads ? "CPU time was read" : "traced function was called",
			text_duration(number, (double)profile->duration_ns),
			reads ? ", or see it work with 'record -- cputoll bench'" : "");
		return;
	}
	fprintf(report->out,
		"no read was seen, because no function was traced: 'cputoll doctor' says why\n");
}

/* The columns on the right: latencies of one call, their sum, and @part_ns of @whole_ns. */
struct numbers {
	const struct hist *hist; /* NULL: leave the latencies out */
	__u64 calls;
	__u64 self_ns;
	__u64 total_ns;
	__u64 part_ns;
	__u64 whole_ns; /* 0: leave the share out */
};

static void print_numbers(FILE *out, const struct numbers *numbers)
{
	char text[TEXT_NUMBER_BYTES];

	if (!numbers->hist) {
		text_cell(out, 4 * 8, "");
	} else if (!numbers->calls || !hist_total(numbers->hist)) {
		for (int i = 0; i < 4; i++)
			text_cell(out, 8, "-");
	} else {
		double calls = (double)numbers->calls;

		text_cell(out, 8, text_duration(text, hist_percentile(numbers->hist, 50)));
		text_cell(out, 8, text_duration(text, hist_percentile(numbers->hist, 99)));
		text_cell(out, 8, text_duration(text, (double)numbers->total_ns / calls));
		text_cell(out, 8, text_duration(text, (double)numbers->self_ns / calls));
	}
	text_cell(out, 8, text_duration(text, (double)numbers->total_ns));
	if (numbers->whole_ns)
		text_cell(out, 6,
			  text_percent(text, (double)numbers->part_ns, (double)numbers->whole_ns));
	fputc('\n', out);
}

static void print_name(struct report *report, const char *text, bool may_sleep, bool clamped)
{
	char name[256];

	snprintf(name, sizeof(name), "%s%s%s", text, may_sleep ? "*" : "", clamped ? "!" : "");
	text_cell(report->out, -report->name_width, name);
	report->has_sleepers |= may_sleep;
	report->has_clamped |= clamped;
}

static void print_group(struct report *report, const struct report_group *group)
{
	bool is_read = group->section == REPORT_READS;
	struct numbers numbers = {
		.hist = is_read ? &group->hist : NULL,
		.calls = group->calls,
		.self_ns = group->total_ns - group->below_ns,
		.total_ns = group->total_ns,
		.part_ns = group->below_ns,
		.whole_ns = is_read ? group->total_ns : 0,
	};
	char text[TEXT_NUMBER_BYTES], caller[64], name[128];
	int padding;

	snprintf(caller, sizeof(caller), "%s%s", group->of->caller,
		 is_read && group->may_sleep ? "*" : "");
	padding = report->caller_width - (int)text_width(caller);
	snprintf(name, sizeof(name), "%s%*s %s", caller, padding > 0 ? padding : 0, "",
		 group->of->clock);
	report->has_sleepers |= is_read && group->may_sleep;

	text_cell(report->out, 7, text_count(text, (double)group->calls));
	fputc(' ', report->out);
	print_name(report, name, false, is_read && group->clamped);
	fprintf(report->out, " %-4s %-5s", mask_letters(group->of->asks),
		mask_letters(group->of->needs));
	print_numbers(report->out, &numbers);
	if (group->errors) {
		text_cell(report->out, 7, text_count(text, (double)group->errors));
		fprintf(report->out, "   of them returned an error\n");
	}
}

static void print_path(struct report *report, const struct report_group *group,
		       const struct profile_path *path, int depth)
{
	struct numbers numbers = {
		.hist = &path->hist,
		.calls = path->calls,
		.self_ns = path->self_ns,
		.total_ns = path->total_ns,
		.part_ns = path->total_ns,
		.whole_ns = group->total_ns,
	};
	char text[TEXT_NUMBER_BYTES], calls[TEXT_NUMBER_BYTES + 4] = "", name[128];
	double ratio = (double)path->calls / (double)(group->calls ? group->calls : 1);

	if (path->calls != group->calls && ratio >= 0.01) {
		snprintf(calls, sizeof(calls), "×%s", text_count(text, ratio));
		report->has_ratios = true;
	} else if (path->calls != group->calls) {
		text_count(calls, (double)path->calls);
	}
	text_cell(report->out, 7, calls);
	fputc(' ', report->out);
	snprintf(name, sizeof(name), "%*s%s", 2 * (depth < INDENT_MAX ? depth : INDENT_MAX), "",
		 path->function);
	print_name(report, name, path->may_sleep, path->clamped);
	text_cell(report->out, 11, "");
	print_numbers(report->out, &numbers);
}

/* A read's entry function is its caller's own line; below it, and elsewhere, each has its line. */
static void print_group_paths(struct report *report, const struct report_group *group)
{
	int depth = 0;

	for (int i = group->first; i >= 0;
	     i = report_groups_next(&report->groups, report->profile, i, &depth))
		if (depth || group->section != REPORT_READS)
			print_path(report, group, &report->profile->paths[i],
				   group->section == REPORT_READS ? depth : depth + 1);
}

static int larger(int a, size_t b)
{
	return a > (int)b ? a : (int)b;
}

/* The same columns in every table: as wide as what stands in them, WIDTH in all at most. */
static void set_widths(struct report *report)
{
	int clock_width = 5, function_width = NAME_MIN_WIDTH;
	char clean[128];

	report->caller_width = 6;
	for (size_t i = 0; i < report->groups.nr; i++) {
		const struct report_group *group = &report->groups.group[i];
		int depth = 0;

		text_clean(clean, sizeof(clean), group->of->caller);
		report->caller_width =
			larger(report->caller_width, text_width(clean) + group->may_sleep);
		text_clean(clean, sizeof(clean), group->of->clock);
		clock_width = larger(clock_width, text_width(clean));
		for (int j = group->first; j >= 0;
		     j = report_groups_next(&report->groups, report->profile, j, &depth)) {
			const struct profile_path *path = &report->profile->paths[j];

			text_clean(clean, sizeof(clean), path->function);
			function_width =
				larger(function_width, 2 * depth + 2 + path->may_sleep +
							       path->clamped + text_width(clean));
		}
	}
	if (report->caller_width > NAME_MAX_WIDTH - 1 - clock_width)
		report->caller_width = larger(6, NAME_MAX_WIDTH - 1 - clock_width);
	report->name_width = larger(function_width, report->caller_width + 1 + clock_width);
	if (report->name_width > NAME_MAX_WIDTH)
		report->name_width = NAME_MAX_WIDTH;
}

static void print_section(struct report *report, enum report_section section)
{
	static const struct {
		const char *title, *count, *caller;
	} heads[REPORT_SECTIONS] = {
		[REPORT_READS] = { NULL, "reads", "caller" },
		[REPORT_CALLS] = { "by syscalls without a traced entry: calls of these functions, "
				   "not reads",
				   "calls", "caller" },
		[REPORT_OTHERS] = { "other functions, by the syscall that called them", "calls",
				    "caller" },
		[REPORT_CONTEXTS] = { "from elsewhere", "calls", "context" },
	};
	char name[64];

	if (!section_calls(report, section))
		return;
	fputc('\n', report->out);
	if (heads[section].title)
		fprintf(report->out, "%s\n", heads[section].title);
	snprintf(name, sizeof(name), "%-*s %s", report->caller_width, heads[section].caller,
		 "clock");
	fprintf(report->out, "%7s ", heads[section].count);
	text_cell(report->out, -report->name_width, name);
	fprintf(report->out, " %-4s %-5s%8s%8s%8s%8s%8s%6s\n", "asks", "needs", "p50", "p99", "avg",
		"self", "total", "share");
	for (size_t i = 0; i < report->groups.nr; i++) {
		if (report->groups.group[i].section != section)
			continue;
		print_group(report, &report->groups.group[i]);
		print_group_paths(report, &report->groups.group[i]);
	}
}

static void print_process(FILE *out, const struct profile_process *process, __u64 all_calls,
			  __u64 all_ns)
{
	char text[TEXT_NUMBER_BYTES];
	const char *comma = "";

	fprintf(out, "%7d ", process->pid);
	text_cell(out, -15, process->comm);
	text_cell(out, 8, text_count(text, (double)process->calls));
	text_cell(out, 7, text_percent(text, (double)process->calls, (double)all_calls));
	text_cell(out, 9, text_duration(text, (double)process->total_ns));
	text_cell(out, 7, text_percent(text, (double)process->total_ns, (double)all_ns));
	fputs("  ", out);
	for (unsigned mask = 0; mask < MASK_COUNT; mask++) {
		if (!process->masks[mask])
			continue;
		fprintf(out, "%s%s %s", comma, mask_letters(mask),
			text_count(text, (double)process->masks[mask]));
		comma = ", ";
	}
	fputc('\n', out);
}

static void print_processes(const struct report *report)
{
	const struct profile *profile = report->profile;
	size_t nr = profile->nr_processes, shown = nr < TOP_PROCESSES ? nr : TOP_PROCESSES;
	__u64 all_calls = 0, all_ns = 0;

	if (!nr)
		return;
	for (size_t i = 0; i < nr; i++) {
		all_calls += profile->processes[i].calls;
		all_ns += profile->processes[i].total_ns;
	}
	fprintf(report->out, "\n%7s %-15s%8s%7s%9s%7s  %s\n", "pid", "comm", "calls", "share",
		"time", "share", "by fields asked for");
	for (size_t i = 0; i < shown; i++)
		print_process(report->out, &profile->processes[i], all_calls, all_ns);
	if (nr > shown)
		fprintf(report->out, "%7s and %zu more\n", "", nr - shown);
}

static void print_lost(const struct report *report)
{
	const struct profile_lost *lost = &report->profile->lost;
	const struct {
		__u64 count;
		const char *why;
	} rows[] = {
		{ lost->migrated, "the end of a call was not seen where its start was" },
		{ lost->overflow, "calls were nested too deep, or a table was full" },
		{ lost->recursion, "the kernel skipped a probe: one ran already on that CPU" },
		{ lost->processes, "counted by caller, but the table of processes was full" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[TEXT_NUMBER_BYTES];

		if (rows[i].count)
			fprintf(report->out, "lost: %s: %s\n", text_grouped(text, rows[i].count),
				rows[i].why);
	}
}

static void print_not_traced(const struct report *report)
{
	const struct profile *profile = report->profile;

	for (size_t i = 0; i < profile->nr_functions; i++) {
		const struct profile_function *function = &profile->functions[i];
		char name[sizeof(function->name)], reason[sizeof(function->reason)];

		if (!function->attached)
			fprintf(report->out, "not traced: %s: %s\n",
				text_clean(name, sizeof(name), function->name),
				text_clean(reason, sizeof(reason), function->reason));
	}
}

static void print_legend(const struct report *report)
{
	FILE *out = report->out;

	fprintf(out,
		"u utime  s stime  r sum_exec_runtime: asked for by the caller, needed by "
		"the kernel to answer\n"
		"p50, p99, avg, self: of one call; self and avg without and with what it calls\n"
		"share: of the caller's time, in the function; on its own line, in all below\n");
	if (report->has_ratios)
		fprintf(out, "×N: calls for each of the caller's\n");
	if (report->has_sleepers)
		fprintf(out, "* can be preempted or sleep: its time may hold time off the CPU\n");
	if (report->has_clamped)
		fprintf(out, "! less was measured than the probes cost: too short to tell\n");
}

int report_print(const struct profile *profile, FILE *out)
{
	struct report report = { .profile = profile, .out = out };
	int err = report_groups_make(&report.groups, profile);

	if (err)
		goto out;
	set_widths(&report);
	print_host(&report);
	if (all_calls(&report)) {
		print_summary(&report);
		report_vtime_print(profile, out);
		for (int section = 0; section < REPORT_SECTIONS; section++)
			print_section(&report, section);
		print_processes(&report);
		fputc('\n', out);
		print_lost(&report);
		print_not_traced(&report);
		print_legend(&report);
	} else {
		print_nothing(&report);
		report_vtime_print(profile, out);
		print_lost(&report);
		print_not_traced(&report);
	}
out:
	report_groups_free(&report.groups);
	return err;
}
