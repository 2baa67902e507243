// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model behind cputoll predict.
 *
 * A verdict has instructions of whole system calls, in a loop; a profile has the time in a system
 * call's function. What both have in common is the change: a kernel whose read takes D instructions
 * less saves D for each call, wherever the loop and the way in and out are. So a saving is
 *
 *	calls x D x the host's time for an instruction.
 *
 * That time comes from reads of a thread's own clock, which cost the same everywhere: the profile's
 * average, by the verdict's instructions without the way in and out, which its null-syscall row
 * has. Without such reads each path is its own measure: its time changes by the part that D is of
 * its instructions.
 *
 * A process's clock takes longer with more threads. Rows for several numbers of threads make a
 * line; from the average time of the profile's reads comes how many threads they met.
 *
 * The null-syscall row is not only the way in and out but also the little that getppid does, which
 * makes an instruction too dear; the ranges are as much wider as that, and more, has made us wrong.
 *
 * With virtual accounting each entry and exit has a cost of its own, the null-syscall row. Where
 * the profile has counted them (--functions vtime) they are a saving by themselves.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "predict.h"

#define NOTHING_PERCENT 0.1 /* of the reads' time: what the verdicts can tell */
#define MODEL_PERCENT	10  /* of a saving: tests/lab/predict_test.sh finds us wrong by less */
#define MAX_POINTS	8

#define THREAD_CLOCK	"thread/sched"
#define NULL_SYSCALL	"getppid"
#define HYPERCALL	"hypercall"

/* One path on two kernels, by the number of idle threads: instructions, and what is saved at least
 * and at most, by the 95 % intervals of both. */
struct point {
	double threads, from, to, least, most;
};

struct line {
	struct point points[MAX_POINTS];
	size_t nr;
};

struct model {
	const struct profile *profile;
	const struct verdict_file_variant *from, *to;
	struct point null; /* the way in and out; 0 when the verdict has none */
	double ns_per_unit;
	bool has_entries; /* the profile counts the kernel's entries themselves */
};

/* Without memory for it, the note is missing. */
static void note(struct notes *notes, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void note(struct notes *notes, const char *fmt, ...)
{
	char(*grown)[sizeof(*notes->text)];
	va_list args;

	grown = reallocarray(notes->text, notes->nr + 1, sizeof(*grown));
	if (!grown)
		return;
	notes->text = grown;
	va_start(args, fmt);
	vsnprintf(grown[notes->nr++], sizeof(*grown), fmt, args);
	va_end(args);
}

/* The same row of another variant; NULL when it has none. */
static const struct verdict_file_row *same_row(const struct verdict_file_variant *variant,
					       const struct verdict_file_row *row)
{
	for (size_t i = 0; i < variant->nr_rows; i++) {
		const struct verdict_file_row *other = &variant->rows[i];

		if (!strcmp(other->workload, row->workload) &&
		    !strcmp(other->syscall, row->syscall) && !strcmp(other->clock, row->clock) &&
		    !strcmp(other->how, row->how) && other->threads == row->threads)
			return other;
	}
	return NULL;
}

/* Where an interval's end would put the median: both are relative to the verdict's base. */
static double end_of(const struct verdict_file_row *row, int end)
{
	double base = row->median / (1 + row->change_percent / 100);

	if (isnan(row->change_percent) || isnan(row->interval_percent[end]))
		return row->median;
	return base * (1 + row->interval_percent[end] / 100);
}

/* The rows of @syscall and @clock, of workloads that pound not: one point a number of threads. */
static struct line line_of(const struct model *model, const char *syscall, const char *clock)
{
	struct line line = {};

	for (size_t i = 0; i < model->from->nr_rows && line.nr < MAX_POINTS; i++) {
		const struct verdict_file_row *row = &model->from->rows[i], *to;
		bool is_twice = false;

		if (strcmp(row->syscall, syscall) || strcmp(row->clock, clock) ||
		    !strcmp(row->workload, "pound"))
			continue;
		to = same_row(model->to, row);
		for (size_t j = 0; j < line.nr; j++)
			is_twice |= line.points[j].threads == row->threads;
		if (!to || is_twice)
			continue;
		line.points[line.nr++] = (struct point){ .threads = row->threads,
							 .from = row->median,
							 .to = to->median,
							 .least = end_of(row, 0) - end_of(to, 1),
							 .most = end_of(row, 1) - end_of(to, 0) };
	}
	return line;
}

/* @line at so many @threads, from its first and last points. */
static struct point point_at(const struct line *line, double threads)
{
	const struct point *a = &line->points[0], *b = &line->points[line->nr - 1];
	double part = line->nr > 1 ? (threads - a->threads) / (b->threads - a->threads) : 0;

#define BETWEEN(member) (a->member + part * (b->member - a->member))
	return (struct point){ threads, BETWEEN(from), BETWEEN(to), BETWEEN(least), BETWEEN(most) };
#undef BETWEEN
}

/* How many threads make a read take @instructions, the way in and out included. */
static double threads_for(const struct line *line, double instructions)
{
	const struct point *a = &line->points[0], *b = &line->points[line->nr - 1];
	double each = line->nr > 1 ? (b->from - a->from) / (b->threads - a->threads) : 0;
	double threads = each > 0 ? a->threads + (instructions - a->from) / each : a->threads;

	return threads > 0 ? threads : 0;
}

/* [0]: by the medians; [1], [2]: by the ends of the intervals, in instructions. */
static void add_change(const struct model *model, const struct point *at, double times,
		       bool with_entry, double saved[3])
{
	double entry = with_entry ? 0 : model->null.from - model->null.to;

	saved[0] += times * (at->from - at->to - entry);
	saved[1] += times * (at->least - entry);
	saved[2] += times * (at->most - entry);
}

/* One row of the profile. Returns whether the verdict knows it. @saved_ns grows. */
static bool add_read(const struct model *model, const struct profile_syscall *read,
		     double saved_ns[3])
{
	struct line line = line_of(model, read->name, read->clock);
	double mean_ns = (double)read->total_ns / (double)read->calls, scale, saved[3] = {};
	struct point at;

	if (!line.nr)
		return false;
	if (!isnan(model->ns_per_unit)) {
		scale = model->ns_per_unit;
		at = point_at(&line, threads_for(&line, mean_ns / scale + model->null.from));
		add_change(model, &at, (double)read->calls, !model->has_entries, saved);
	} else {
		/* by itself: with the fewest threads, and for the range with the most */
		at = point_at(&line, line.points[0].threads);
		if (at.from <= model->null.from)
			return false;
		scale = mean_ns / (at.from - model->null.from);
		add_change(model, &at, (double)read->calls, !model->has_entries, saved);
		if (line.nr > 1) {
			const struct point *most = &line.points[line.nr - 1];
			double other = (double)read->calls * (most->from - most->to) *
				       (at.from - model->null.from) /
				       (most->from - model->null.from);

			saved[1] = fmin(saved[1], other);
			saved[2] = fmax(saved[2], other);
		}
	}
	for (int i = 0; i < 3; i++)
		saved_ns[i] += saved[i] * scale;
	return true;
}

static double calls_of(const struct profile *profile, const char *function)
{
	double calls = 0;

	for (size_t i = 0; i < profile->nr_paths; i++)
		if (!strcmp(profile->paths[i].function, function))
			calls += (double)profile->paths[i].calls;
	return calls;
}

/* Entries of the kernel from user mode, and of guests, by what each changes. */
static void add_entries(const struct model *model, double saved_ns[3])
{
	struct line guest = line_of(model, HYPERCALL, "-");
	double saved[3] = {};

	if (!model->has_entries)
		return;
	add_change(model, &model->null, calls_of(model->profile, "vtime_user_exit"), true, saved);
	if (guest.nr)
		add_change(model, &guest.points[0], calls_of(model->profile, "vtime_guest_exit"),
			   true, saved);
	for (int i = 0; i < 3; i++)
		saved_ns[i] += saved[i] * model->ns_per_unit;
}

/* The host's time for an instruction on these paths, from reads of threads' own clocks. */
static double find_scale(const struct model *model)
{
	struct line line = line_of(model, "clock_gettime", THREAD_CLOCK);
	double calls = 0, total_ns = 0;

	for (size_t i = 0; i < model->profile->nr_syscalls; i++) {
		const struct profile_syscall *read = &model->profile->syscalls[i];

		if (strcmp(read->name, "clock_gettime") || strcmp(read->clock, THREAD_CLOCK))
			continue;
		calls += (double)read->calls;
		total_ns += (double)read->total_ns;
	}
	if (!calls || !line.nr || !model->null.from || line.points[0].from <= model->null.from)
		return NAN;
	return total_ns / calls / (line.points[0].from - model->null.from);
}

/* What @read takes of a CPU: those that wait do little else, and only their accounting counts. */
static double cpu_ns(const struct profile_syscall *read)
{
	static const char *const waits[] = { "wait4", "waitid", "clock_nanosleep" };

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (!strcmp(read->name, waits[i]))
			return (double)read->accounting_ns;
	return (double)read->total_ns;
}

static void predict_one(struct prediction *prediction, struct model *model, struct saving *saving)
{
	const struct profile *profile = model->profile;
	struct line null = line_of(model, NULL_SYSCALL, "-");
	double saved_ns[3] = {}, reads_ns = 0, covered_ns = 0, model_ns;
	double seconds = (double)profile->duration_ns / 1e9;

	model->null = null.nr ? null.points[0] : (struct point){};
	model->ns_per_unit = find_scale(model);
	model->has_entries = !isnan(model->ns_per_unit) && calls_of(profile, "vtime_user_exit") > 0;
	for (size_t i = 0; i < profile->nr_syscalls; i++) {
		const struct profile_syscall *read = &profile->syscalls[i];

		if (!read->calls)
			continue;
		reads_ns += cpu_ns(read);
		if (add_read(model, read, saved_ns))
			covered_ns += cpu_ns(read);
	}
	add_entries(model, saved_ns);
	snprintf(saving->name, sizeof(saving->name), "%s", model->to->name);
	saving->right = model->to->right;
	saving->covered_percent = reads_ns > 0 ? 100 * covered_ns / reads_ns : NAN;
	if (!covered_ns && reads_ns > 0 && !model->has_entries)
		saved_ns[0] = saved_ns[1] = saved_ns[2] = NAN;
	saving->ns_per_s = saved_ns[0] / seconds;
	model_ns = fabs(saved_ns[0]) * MODEL_PERCENT / 100;
	saving->range_ns_per_s[0] = (fmin(saved_ns[1], saved_ns[2]) - model_ns) / seconds;
	saving->range_ns_per_s[1] = (fmax(saved_ns[1], saved_ns[2]) + model_ns) / seconds;
	saving->host_percent = 100 * saving->ns_per_s / 1e9 / profile->host.cpus;
	saving->reads_percent = reads_ns > 0 ? 100 * saved_ns[0] / reads_ns : 0;
	saving->is_nothing = fabs(saving->reads_percent) < NOTHING_PERCENT ||
			     saving->range_ns_per_s[0] * saving->range_ns_per_s[1] < 0;
	prediction->ns_per_unit = model->ns_per_unit;
}

static int best_first(const void *a, const void *b)
{
	const struct saving *x = a, *y = b;

	if ((x->right == 0) != (y->right == 0))
		return (x->right == 0) - (y->right == 0);
	if (isnan(x->ns_per_s) || isnan(y->ns_per_s))
		return !!isnan(x->ns_per_s) - !!isnan(y->ns_per_s);
	return (x->ns_per_s < y->ns_per_s) - (x->ns_per_s > y->ns_per_s);
}

static const struct verdict_file_variant *find_variant(const struct verdict_file *verdict,
						       const char *name)
{
	for (size_t i = 0; name && i < verdict->nr_variants; i++)
		if (!strcmp(verdict->variants[i].name, name))
			return &verdict->variants[i];
	return NULL;
}

/* The variant that the profile's kernel is: by its release, by @from, or by its accounting. */
static const struct verdict_file_variant *choose_from(struct prediction *prediction,
						      const struct profile *profile,
						      const struct verdict_file *verdict,
						      const char *from, bool must_fit)
{
	const struct verdict_file_variant *variant = find_variant(verdict, from);
	bool is_tick = !strcmp(profile->host.accounting, "tick");

	if (from)
		return variant;
	for (size_t i = 0; i < verdict->nr_variants; i++)
		if (!strcmp(verdict->variants[i].kernel, profile->host.kernel))
			return &verdict->variants[i];
	variant = find_variant(verdict, is_tick ? "stock" : "vtime");
	if (!variant && must_fit)
		return NULL;
	if (variant)
		note(&prediction->notes,
		     "%s is none of the verdict's kernels: taken for '%s', as its accounting is by "
		     "%s; --base NAME takes it for another",
		     profile->host.kernel, variant->name,
		     is_tick ? "the tick" : "each entry and exit");
	else
		note(&prediction->warnings,
		     "%s is none of the verdict's kernels, and taken for its base '%s', which may "
		     "account otherwise; --base NAME takes it for another",
		     profile->host.kernel, verdict->variants[0].name);
	return variant ? variant : &verdict->variants[0];
}

/* As far as the version of the sources: "6.1". */
static size_t version_length(const char *kernel)
{
	size_t major = strspn(kernel, "0123456789");

	return kernel[major] == '.' ? major + 1 + strspn(kernel + major + 1, "0123456789") : major;
}

static void note_assumptions(struct prediction *prediction, const struct profile *profile,
			     const struct model *model)
{
	size_t length = version_length(model->from->kernel);
	bool by_instructions = !strcmp(prediction->unit, "instructions");
	struct notes *notes = &prediction->notes;
	double covered_percent = NAN;

	for (size_t i = 0; i < prediction->nr_savings; i++)
		covered_percent = fmin(covered_percent, prediction->savings[i].covered_percent);
	if (version_length(profile->host.kernel) != length ||
	    strncmp(profile->host.kernel, model->from->kernel, length))
		note(&prediction->warnings,
		     "the verdict is of Linux %.*s, the profile of %s: the paths may differ",
		     (int)length, model->from->kernel, profile->host.kernel);
	if (isnan(covered_percent))
		note(notes, "the profile has no reads of CPU time");
	else if (covered_percent > 0 && covered_percent < 99.5)
		note(notes,
		     "the verdict has no change for %.1f %% of the reads' time, counted as "
		     "unchanged",
		     100 - covered_percent);
	if (!isnan(prediction->ns_per_unit))
		note(notes, "%s %.3f ns here, by the reads of threads' own clocks",
		     by_instructions ? "an instruction takes" : "1 ns of the verdict's is",
		     prediction->ns_per_unit);
	else if (!isnan(covered_percent))
		note(notes,
		     "no reads of threads' own clocks to scale by, or no null-syscall row: each "
		     "path's time is taken to change by the same part, with few "
		     "threads");
	if (model->null.from > 0 && !calls_of(profile, "vtime_user_exit") &&
	    strcmp(profile->host.accounting, "tick"))
		note(notes,
		     "the profile counts no entries of the kernel: system calls that are no reads "
		     "are not in it; 'cputoll record --functions reads,vtime' counts them");
	if (by_instructions)
		note(notes,
		     "instructions, not caches: a change that moves memory traffic is not seen");
}

int predict_make(struct prediction *prediction, const struct profile *profile,
		 const struct verdict_file *verdict, const char *path, const char *from,
		 bool must_fit, char *err, size_t err_bytes)
{
	struct model model = { .profile = profile };

	*prediction = (struct prediction){};
	model.from = choose_from(prediction, profile, verdict, from, must_fit);
	if (!model.from && must_fit)
		return -ESRCH;
	if (!model.from) {
		snprintf(err, err_bytes, "%s has no variant '%s'", path, from);
		return -ENOENT;
	}
	snprintf(prediction->kernel, sizeof(prediction->kernel), "%s", profile->host.kernel);
	snprintf(prediction->from, sizeof(prediction->from), "%s", model.from->name);
	snprintf(prediction->verdict, sizeof(prediction->verdict), "%s", path);
	snprintf(prediction->unit, sizeof(prediction->unit), "%s", verdict->unit);
	prediction->savings = calloc(verdict->nr_variants, sizeof(*prediction->savings));
	if (!prediction->savings)
		return -ENOMEM;
	for (size_t i = 0; i < verdict->nr_variants; i++) {
		model.to = &verdict->variants[i];
		if (strcmp(model.to->name, model.from->name))
			predict_one(prediction, &model,
				    &prediction->savings[prediction->nr_savings++]);
	}
	qsort(prediction->savings, prediction->nr_savings, sizeof(*prediction->savings),
	      best_first);
	note_assumptions(prediction, profile, &model);
	return 0;
}

void predict_free(struct prediction *prediction)
{
	free(prediction->savings);
	free(prediction->notes.text);
	free(prediction->warnings.text);
}
