/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Several sides, each a set of results, put side by side: rows that mean the same, the change from
 * the first side to each other, and what besides differs. compare and verdict fill and print it.
 */
#ifndef CPUTOLL_COMPARE_H
#define CPUTOLL_COMPARE_H

#include <stdbool.h>
#include <stdio.h>
#include "profile.h"
#include "results.h"
#include "stats.h"

/* What is known of a side; when two sides differ in it, compare_notes() says so. */
enum compare_fact {
	FACT_WORKLOAD,
	FACT_KERNEL,
	FACT_ARCH,
	FACT_CPUS,
	FACT_CLOCKSOURCE,
	FACT_ACCOUNTING,
	FACT_CONFIG,
	FACT_ENGINE,
	FACT_SCOPE,
	FACT_PROBES,
	FACT_ACCEL,
	FACT_UNIT,
	FACT_VERSION,
	COMPARE_FACTS,
};

struct compare_side {
	const char *name; /* the file's, the variant's; not a copy */
	struct {
		char text[256]; /* "" when nothing is known */
		double number;	/* of those compared by size */
	} facts[COMPARE_FACTS];
};

/* One side's measurements of one row. */
struct compare_cell {
	bool is_there;
	double *samples; /* of bench results: ns per call, one for each run or boot */
	size_t nr_samples;
	struct hist *hist; /* of profiles */
	__u64 calls;
	struct stats_change change; /* from the first side; on that, only .base and .other */
};

/* A row's identity. Strings not in use are "". */
struct compare_key {
	char workload[48]; /* verdict: several workloads on a side */
	char caller[48];   /* the syscall */
	char clock[24];
	char how[32];
	char function[64]; /* profile: "" for the read itself */
	int threads;
	unsigned asks; /* profile's functions */
};

struct compare_row {
	struct compare_key key;
	struct compare_cell *cells; /* one for each side */
};

struct compare {
	bool is_profile;
	bool has_boots;		    /* of some bench a sample is a boot, not a run */
	struct compare_side *sides; /* the first is the base */
	size_t nr_sides;
	struct compare_row
		*rows; /* in the order they were first seen; a read before its functions */
	size_t nr_rows;
};

/* compare_init() - room for @nr_sides sides. Returns 0 or -ENOMEM; compare_free() after either. */
int compare_init(struct compare *compare, size_t nr_sides);
void compare_free(struct compare *compare);

/*
 * compare_add_bench() - add the rows of @file to side @side.
 * @is_boot:     each row's runs give one sample, their median: the runs of one boot resemble each
 *               other more than those of two boots do
 * @is_workload: rows are of different workloads, and told apart by them
 * Returns 0 or -ENOMEM.
 */
int compare_add_bench(struct compare *compare, size_t side, const struct bench_file *file,
		      bool is_boot, bool is_workload);

/*
 * compare_add_profile() - the same of a profile: reads by syscall and clock, and the functions
 * below them; a function that stands at several places below one read is one row.
 */
int compare_add_profile(struct compare *compare, size_t side, const struct profile *profile);

/* compare_finish() - fill in the changes, when everything was added. Returns 0 or -ENOMEM. */
int compare_finish(struct compare *compare);

#define COMPARE_NOTE_BYTES 512

/*
 * compare_notes() - what a reader must know of the sides before believing the changes, a line each:
 * "kernels differ: A.json 5.10, B.json 6.1", rows that only one side has, too few samples for a
 * test.
 * @notes: @nr of them; the caller frees it, also after an error
 * Returns 0 or -ENOMEM.
 */
int compare_notes(const struct compare *compare, char (**notes)[COMPARE_NOTE_BYTES], size_t *nr);

/* compare_word() - what came of side @side of @row: stats_word_text(), or that a side lacks it. */
const char *compare_word(const struct compare_row *row, size_t side);

/* compare_row_name() - "clock_gettime process/sched 2 threads", or a function's, in @text. */
const char *compare_row_name(const struct compare_row *row, char *text, size_t bytes);

/* compare_unit() - "instructions" when all sides count those, else "ns". */
const char *compare_unit(const struct compare *compare);

/* compare_samples() - how many measurements a cell holds. */
double compare_samples(const struct compare_cell *cell);

/*
 * compare_print() - the first side and another, @other: both medians, the change, its interval, p,
 * and in a word what that means. At most 120 columns wide.
 */
void compare_print(const struct compare *compare, size_t other, FILE *out);

/*
 * compare_print_columns() - all sides, a column each, in blocks of at most @width columns, each
 * with the first side's beside it. Rows of one workload stand together.
 */
void compare_print_columns(const struct compare *compare, int width, FILE *out);

/* compare_percent() - a change as "+14.8 %", "-0.31 %", "0 %"; "-" when it is none. */
const char *compare_percent(char text[32], double percent);

/* compare_write() - all of it as JSON, cputoll.compare/1, to @path. Returns as fields_write(). */
int compare_write(const struct compare *compare, const char *path);

#endif /* CPUTOLL_COMPARE_H */
