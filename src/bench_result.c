// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows that a workload's runs add up to, and what they say of one another. Filled by the
 * workloads (bench_run.c, bench_pound.c, bench_armed.c), read by bench_print.c.
 */
#include <errno.h>
#include <stdlib.h>
#include "bench.h"

/* The row of @kind and @threads, a new one when this is its first run; NULL: no memory. */
static struct bench_result *get_result(struct bench_run *run, const struct bench_kind *kind,
				       int threads)
{
	struct bench_result *result;

	for (size_t i = 0; i < run->nr; i++)
		if (run->results[i].kind == kind && run->results[i].threads == threads)
			return &run->results[i];
	if (run->nr == BENCH_MAX_RESULTS)
		return NULL;
	result = &run->results[run->nr];
	result->kind = kind;
	result->threads = threads;
	result->runs = calloc(run->repeat, sizeof(result->runs[0]));
	if (!result->runs)
		return NULL;
	run->nr++;
	return result;
}

static void add_sample(struct bench_sample *to, const struct bench_sample *from)
{
	to->reads += from->reads;
	to->duration_ns += from->duration_ns;
}

int bench_add(struct bench_run *run, const struct bench_kind *kind, int threads,
	      const struct bench_sample *sample)
{
	struct bench_result *result = get_result(run, kind, threads);
	__u64 calls[BENCH_FUNCTIONS];

	if (!result || result->nr_runs == run->repeat)
		return -ENOMEM;
	result->runs[result->nr_runs++] = *sample;
	bench_expect(kind, sample->reads, run->is_limited, calls);
	for (int i = 0; i < BENCH_FUNCTIONS; i++)
		result->calls[i] += calls[i];
	add_sample(&result->sum, sample);
	add_sample(&run->sum, sample);
	return 0;
}

double bench_per_read(const struct bench_sample *sample)
{
	return sample->reads ? (double)sample->duration_ns / (double)sample->reads : 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The runs' ns per read in @sorted, the least first. Returns how many. */
static int sort_runs(const struct bench_result *result, double sorted[BENCH_MAX_REPEAT])
{
	for (int i = 0; i < result->nr_runs; i++)
		sorted[i] = bench_per_read(&result->runs[i]);
	qsort(sorted, result->nr_runs, sizeof(sorted[0]), compare);
	return result->nr_runs;
}

double bench_median(const struct bench_result *result)
{
	double sorted[BENCH_MAX_REPEAT] = {};
	int nr = sort_runs(result, sorted);

	return nr ? (sorted[(nr - 1) / 2] + sorted[nr / 2]) / 2 : 0;
}

double bench_spread(const struct bench_result *result)
{
	double sorted[BENCH_MAX_REPEAT] = {}, median = bench_median(result);
	int nr = sort_runs(result, sorted);

	return median > 0 ? 100 * (sorted[nr - 1] - sorted[0]) / median : 0;
}

static int compare_times(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

struct bench_sample bench_part(__u64 *times_ns, size_t nr, size_t skip, size_t keep)
{
	struct bench_sample sample = { .reads = keep };

	qsort(times_ns, nr, sizeof(times_ns[0]), compare_times);
	for (size_t i = skip; i < skip + keep; i++)
		sample.duration_ns += times_ns[i];
	return sample;
}

void bench_free(struct bench_run *run)
{
	for (size_t i = 0; i < run->nr; i++)
		free(run->results[i].runs);
	run->nr = 0;
}
