// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rows of several results that mean the same, matched, and the change between them. Called by
 * cmd_compare.c and verdict.c; printed by compare_text.c, written by compare_json.c.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "traced.h"

/* What to call a fact, and by how much, of the larger number, it may differ: by nothing mostly. */
static const struct {
	const char *plural;
	double tolerance;
} facts[COMPARE_FACTS] = {
	[FACT_WORKLOAD] = { "workloads", 0 },
	[FACT_KERNEL] = { "kernels", 0 },
	[FACT_ARCH] = { "architectures", 0 },
	[FACT_CPUS] = { "numbers of CPUs", 0 },
	[FACT_CLOCKSOURCE] = { "clocksources", 0 },
	[FACT_ACCOUNTING] = { "ways of accounting", 0 },
	[FACT_CONFIG] = { "kernel options", 0 },
	[FACT_ENGINE] = { "engines", 0 },
	[FACT_SCOPE] = { "scopes", 0 },
	/* measured anew by each record: less than this is noise */
	[FACT_PROBES] = { "costs of the probes", 0.05 },
	[FACT_ACCEL] = { "machines", 0 },
	[FACT_UNIT] = { "units", 0 },
	[FACT_VERSION] = { "versions of cputoll", 0 },
};

int compare_init(struct compare *compare, size_t nr_sides)
{
	memset(compare, 0, sizeof(*compare));
	compare->sides = calloc(nr_sides, sizeof(*compare->sides));
	if (!compare->sides)
		return -ENOMEM;
	compare->nr_sides = nr_sides;
	return 0;
}

void compare_free(struct compare *compare)
{
	for (size_t i = 0; i < compare->nr_rows; i++) {
		for (size_t j = 0; j < compare->nr_sides; j++) {
			free(compare->rows[i].cells[j].samples);
			free(compare->rows[i].cells[j].hist);
		}
		free(compare->rows[i].cells);
	}
	free(compare->rows);
	free(compare->sides);
	memset(compare, 0, sizeof(*compare));
}

static bool is_same_key(const struct compare_key *a, const struct compare_key *b)
{
	return a->threads == b->threads && a->asks == b->asks && !strcmp(a->caller, b->caller) &&
	       !strcmp(a->clock, b->clock) && !strcmp(a->how, b->how) &&
	       !strcmp(a->function, b->function) && !strcmp(a->workload, b->workload);
}

static bool is_same_read(const struct compare_key *a, const struct compare_key *b)
{
	return !strcmp(a->caller, b->caller) && !strcmp(a->clock, b->clock);
}

/* Where a new row goes: a function behind the last row of its read, what belongs to a workload
 * behind that one's last row, anything else at the end. */
static size_t place_of(const struct compare *compare, const struct compare_key *key)
{
	for (size_t i = compare->nr_rows; i-- > 0;) {
		const struct compare_key *other = &compare->rows[i].key;

		if (key->function[0] ? is_same_read(other, key)
				     : key->workload[0] && !strcmp(other->workload, key->workload))
			return i + 1;
	}
	return compare->nr_rows;
}

/* The cell of the row with @key on side @side; the row is made when there is none. NULL: no memory.
 */
static struct compare_cell *cell_of(struct compare *compare, size_t side,
				    const struct compare_key *key)
{
	struct compare_row *rows;
	struct compare_cell *cells;
	size_t place;

	for (size_t i = 0; i < compare->nr_rows; i++)
		if (is_same_key(&compare->rows[i].key, key))
			return &compare->rows[i].cells[side];

	cells = calloc(compare->nr_sides, sizeof(*cells));
	rows = cells ? reallocarray(compare->rows, compare->nr_rows + 1, sizeof(*rows)) : NULL;
	if (!rows) {
		free(cells);
		return NULL;
	}
	compare->rows = rows;
	place = place_of(compare, key);
	memmove(&rows[place + 1], &rows[place], (compare->nr_rows - place) * sizeof(*rows));
	rows[place] = (struct compare_row){ .key = *key, .cells = cells };
	compare->nr_rows++;
	return &cells[side];
}

static __attribute__((format(printf, 3, 4))) void
set_fact(struct compare_side *side, enum compare_fact fact, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(side->facts[fact].text, sizeof(side->facts[fact].text), fmt, args);
	va_end(args);
}

static void set_bench_facts(struct compare_side *side, const struct bench_file *file,
			    bool is_workload)
{
	if (!is_workload)
		set_fact(side, FACT_WORKLOAD, "%s", file->workload);
	set_fact(side, FACT_KERNEL, "%s", file->kernel);
	set_fact(side, FACT_ARCH, "%s", file->arch);
	if (file->cpus)
		set_fact(side, FACT_CPUS, "%d", file->cpus);
	set_fact(side, FACT_ACCOUNTING, "%s", file->accounting);
	set_fact(side, FACT_ACCEL, "%s", file->accel[0] ? file->accel : "host");
	set_fact(side, FACT_UNIT, "%s", file->unit);
	set_fact(side, FACT_VERSION, "%s", file->version);
}

static int add_samples(struct compare_cell *cell, const double *samples, size_t nr)
{
	double *grown = reallocarray(cell->samples, cell->nr_samples + nr, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	memcpy(grown + cell->nr_samples, samples, nr * sizeof(*grown));
	cell->samples = grown;
	cell->nr_samples += nr;
	return 0;
}

/* Runs in which nothing was read say nothing. */
static int add_row(struct compare_cell *cell, const struct bench_file_row *row, bool is_boot)
{
	double *samples = calloc(row->nr_runs + 1, sizeof(*samples)), median;
	size_t nr = 0;
	int err = 0;

	if (!samples)
		return -ENOMEM;
	for (size_t i = 0; i < row->nr_runs; i++)
		if (row->runs[i].reads)
			samples[nr++] = row->runs[i].ns_per_read;
	cell->is_there = true;
	cell->calls += row->reads;
	if (nr && is_boot) {
		median = stats_median(samples, nr);
		err = add_samples(cell, &median, 1);
	} else if (nr) {
		err = add_samples(cell, samples, nr);
	}
	free(samples);
	return err;
}

int compare_add_bench(struct compare *compare, size_t side, const struct bench_file *file,
		      bool is_boot, bool is_workload)
{
	set_bench_facts(&compare->sides[side], file, is_workload);
	compare->has_boots |= is_boot;
	for (size_t i = 0; i < file->nr_rows; i++) {
		const struct bench_file_row *row = &file->rows[i];
		struct compare_key key = { .threads = row->threads };
		struct compare_cell *cell;

		if (is_workload)
			memcpy(key.workload, file->workload, sizeof(key.workload));
		memcpy(key.caller, row->syscall, sizeof(key.caller));
		memcpy(key.clock, row->clock, sizeof(key.clock));
		memcpy(key.how, row->how, sizeof(key.how));
		cell = cell_of(compare, side, &key);
		if (!cell || add_row(cell, row, is_boot))
			return -ENOMEM;
	}
	return 0;
}

static void set_profile_facts(struct compare_side *side, const struct profile *profile)
{
	const struct profile_host *host = &profile->host;
	char *config = side->facts[FACT_CONFIG].text;
	size_t at = 0, bytes = sizeof(side->facts[FACT_CONFIG].text);

	set_fact(side, FACT_KERNEL, "%s", host->kernel);
	set_fact(side, FACT_ARCH, "%s", host->arch);
	set_fact(side, FACT_CPUS, "%d", host->cpus);
	set_fact(side, FACT_CLOCKSOURCE, "%s", host->clocksource);
	set_fact(side, FACT_ACCOUNTING, "%s", host->accounting);
	for (size_t i = 0; i < host->nr_config && at < bytes; i++)
		at += snprintf(config + at, bytes - at, "%s%s=%s", i ? " " : "",
			       host->config[i].name, host->config[i].value);
	set_fact(side, FACT_ENGINE, "%s", profile->engine);
	set_fact(side, FACT_SCOPE, "%s", profile->all_callers ? "all callers" : "reads");
	set_fact(side, FACT_PROBES, "%llu ns a call", (unsigned long long)profile->whole_ns);
	side->facts[FACT_PROBES].number = (double)profile->whole_ns;
	set_fact(side, FACT_UNIT, "ns");
	set_fact(side, FACT_VERSION, "%s", profile->version);
}

static int add_hist(struct compare *compare, size_t side, const struct compare_key *key,
		    const struct hist *hist, __u64 calls)
{
	struct compare_cell *cell = cell_of(compare, side, key);

	if (cell && !cell->hist)
		cell->hist = calloc(1, sizeof(*cell->hist));
	if (!cell || !cell->hist)
		return -ENOMEM;
	cell->is_there = true;
	cell->calls += calls;
	hist_add(cell->hist, hist);
	return 0;
}

int compare_add_profile(struct compare *compare, size_t side, const struct profile *profile)
{
	int err = 0;

	compare->is_profile = true;
	set_profile_facts(&compare->sides[side], profile);
	for (size_t i = 0; !err && i < profile->nr_syscalls; i++) {
		const struct profile_syscall *syscall = &profile->syscalls[i];
		struct compare_key key = {};

		memcpy(key.caller, syscall->name, sizeof(key.caller));
		memcpy(key.clock, syscall->clock, sizeof(key.clock));
		err = add_hist(compare, side, &key, &syscall->hist, syscall->calls);
	}
	for (size_t i = 0; !err && i < profile->nr_paths; i++) {
		const struct profile_path *path = &profile->paths[i];
		struct compare_key key = { .asks = path->asks };

		/* the read's own entry is the row of its syscall */
		if (path->parent < 0 && functions_is_entry(path->function))
			continue;
		memcpy(key.caller, path->caller, sizeof(key.caller));
		memcpy(key.clock, path->clock, sizeof(key.clock));
		memcpy(key.function, path->function, sizeof(key.function));
		err = add_hist(compare, side, &key, &path->hist, path->calls);
	}
	return err;
}

double compare_samples(const struct compare_cell *cell)
{
	return cell->hist ? (double)hist_total(cell->hist) : (double)cell->nr_samples;
}

static int finish_row(const struct compare *compare, struct compare_row *row)
{
	static const struct hist none;
	const struct compare_cell *base = &row->cells[0];

	for (size_t i = 0; i < compare->nr_sides; i++) {
		struct compare_cell *cell = &row->cells[i];
		int err;

		if (compare->is_profile)
			err = stats_compare_hist(base->hist ? base->hist : &none,
						 cell->hist ? cell->hist : &none, &cell->change);
		else
			err = stats_compare(base->samples, base->nr_samples, cell->samples,
					    cell->nr_samples, &cell->change);
		if (err)
			return err;
	}
	return 0;
}

int compare_finish(struct compare *compare)
{
	int err = 0;

	for (size_t i = 0; !err && i < compare->nr_rows; i++)
		err = finish_row(compare, &compare->rows[i]);
	return err;
}

static bool is_different(const struct compare *compare, enum compare_fact fact, size_t side)
{
	const struct compare_side *a = &compare->sides[0], *b = &compare->sides[side];
	double one = a->facts[fact].number, two = b->facts[fact].number;

	if (!a->facts[fact].text[0] || !b->facts[fact].text[0] ||
	    !strcmp(a->facts[fact].text, b->facts[fact].text))
		return false;
	return facts[fact].tolerance <= 0 ||
	       fabs(one - two) > facts[fact].tolerance * fmax(one, two);
}

static bool note_fact(const struct compare *compare, enum compare_fact fact, char *text)
{
	size_t bytes = COMPARE_NOTE_BYTES, at;
	bool differ = false;

	for (size_t i = 1; i < compare->nr_sides; i++)
		differ |= is_different(compare, fact, i);
	if (!differ)
		return false;
	at = snprintf(text, bytes, "%s differ:", facts[fact].plural);
	for (size_t i = 0; i < compare->nr_sides && at < bytes; i++)
		at += snprintf(text + at, bytes - at, "%s %s %s", i ? "," : "",
			       compare->sides[i].name, compare->sides[i].facts[fact].text);
	return true;
}

static bool note_rows(const struct compare *compare, size_t side, char *text)
{
	size_t only_base = 0, only_side = 0;

	for (size_t i = 0; i < compare->nr_rows; i++) {
		const struct compare_cell *cells = compare->rows[i].cells;

		only_base += cells[0].is_there && !cells[side].is_there;
		only_side += !cells[0].is_there && cells[side].is_there;
	}
	if (!only_base && !only_side)
		return false;
	snprintf(text, COMPARE_NOTE_BYTES, "rows only in %s: %zu, only in %s: %zu",
		 compare->sides[0].name, only_base, compare->sides[side].name, only_side);
	return true;
}

static bool note_samples(const struct compare *compare, size_t side, char *text)
{
	const char *sample = compare->has_boots ? "boot" : "run";
	size_t least = SIZE_MAX, at;

	for (size_t i = 0; i < compare->nr_rows; i++) {
		const struct compare_cell *cell = &compare->rows[i].cells[side];

		if (cell->is_there && cell->nr_samples < least)
			least = cell->nr_samples;
	}
	if (compare->is_profile || least >= STATS_ENOUGH)
		return false;
	if (least < 2)
		at = snprintf(text, COMPARE_NOTE_BYTES, "%s: %zu %s: no test",
			      compare->sides[side].name, least, least ? sample : "samples");
	else
		at = snprintf(text, COMPARE_NOTE_BYTES,
			      "%s: %zu %ss: fewer than %d a side cannot show a difference",
			      compare->sides[side].name, least, sample, STATS_ENOUGH);
	if (!compare->has_boots && at < COMPARE_NOTE_BYTES)
		snprintf(text + at, COMPARE_NOTE_BYTES - at, "; use bench --repeat");
	return true;
}

int compare_notes(const struct compare *compare, char (**notes)[COMPARE_NOTE_BYTES], size_t *nr)
{
	*nr = 0;
	*notes = calloc(COMPARE_FACTS + 2 * compare->nr_sides, sizeof(**notes));
	if (!*notes)
		return -ENOMEM;
	for (int fact = 0; fact < COMPARE_FACTS; fact++)
		*nr += note_fact(compare, fact, (*notes)[*nr]);
	for (size_t i = 1; i < compare->nr_sides; i++)
		*nr += note_rows(compare, i, (*notes)[*nr]);
	for (size_t i = 0; i < compare->nr_sides; i++)
		*nr += note_samples(compare, i, (*notes)[*nr]);
	return 0;
}

const char *compare_word(const struct compare_row *row, size_t side)
{
	if (!row->cells[0].is_there)
		return "not in base";
	if (!row->cells[side].is_there)
		return "only in base";
	return stats_word_text(row->cells[side].change.word);
}

const char *compare_unit(const struct compare *compare)
{
	const char *unit = compare->sides[0].facts[FACT_UNIT].text;

	for (size_t i = 1; i < compare->nr_sides; i++)
		if (strcmp(compare->sides[i].facts[FACT_UNIT].text, unit))
			return "ns";
	return unit[0] ? unit : "ns";
}

const char *compare_row_name(const struct compare_row *row, char *text, size_t bytes)
{
	const struct compare_key *key = &row->key;
	size_t at;

	if (key->function[0]) {
		snprintf(text, bytes, "  %s", key->function);
		return text;
	}
	at = snprintf(text, bytes, "%s %s", key->caller, key->clock);
	if (key->how[0] && at < bytes)
		at += snprintf(text + at, bytes - at, " %s", key->how);
	if (key->threads && at < bytes)
		snprintf(text + at, bytes - at, " %d thread%s", key->threads,
			 key->threads == 1 ? "" : "s");
	return text;
}
