/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A verdict on kernels: is each faster or slower than the base, and is it right? Made from folders
 * of bench and check results, one folder a kernel. cmd_verdict.c asks, verdict_text.c and
 * verdict_json.c tell.
 */
#ifndef CPUTOLL_VERDICT_H
#define CPUTOLL_VERDICT_H

#include "compare.h"

/* One oracle under one load: the worst that any boot said of it. */
struct verdict_oracle {
	char name[48];
	char load[16];
	char result[16]; /* "right", "wrong", "skipped" */
	double off_ns;
	char detail[768];
};

struct verdict_variant {
	const char *name, *dir; /* the caller's */
	char kernel[128];
	struct variant_note note; /* empty when there is none */
	struct bench_file *benches;
	size_t nr_benches;
	struct verdict_oracle *oracles;
	size_t nr_oracles;
	int right; /* 1, 0; -1 when nothing was checked */
};

struct verdict {
	struct verdict_variant *variants; /* the first is the base */
	size_t nr_variants;
	struct compare compare; /* a side for each, a row for each of the workloads' rows */
	char missing[256];	/* "NAME: no result of WORKLOAD", "" when all are complete */
};

/*
 * verdict_make() - load the folders of @variants, whose names and dirs are set, and compare.
 * @verdict: filled in, takes over @variants; verdict_free() also after an error
 * Returns 0, or a negative errno with one line in @err that names the file or folder.
 */
int verdict_make(struct verdict *verdict, struct verdict_variant *variants, size_t nr, char *err,
		 size_t err_bytes);
void verdict_free(struct verdict *verdict);

/* A variant's rows of one workload, or of all: in a word, and how far the changes reach. */
struct verdict_sum {
	const char *word; /* "faster", "slower", "no difference", "mixed", "no test" */
	double low_percent, high_percent; /* NaN: no row is on both sides */
};

/* verdict_sum() - sum up side @side; @workload NULL: all workloads. */
void verdict_sum(const struct verdict *verdict, size_t side, const char *workload,
		 struct verdict_sum *sum);

/* verdict_print() - the table and a line for each variant, at most @width columns wide. */
int verdict_print(const struct verdict *verdict, int width, FILE *out);

/* verdict_write() - as JSON, cputoll.verdict/1, to @path. Returns as fields_write(). */
int verdict_write(const struct verdict *verdict, const char *path);

#endif /* CPUTOLL_VERDICT_H */
