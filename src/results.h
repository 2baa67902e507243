/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What other commands printed as JSON, read again: the results of bench and of check, and the
 * lab's note of what a kernel was made of. Used by compare, verdict and predict. docs/json.md has
 * the keys.
 */
#ifndef CPUTOLL_RESULTS_H
#define CPUTOLL_RESULTS_H

#include <stddef.h>
#include <linux/types.h>

#define BENCH_FILE_SCHEMA   "cputoll.bench/1"
#define CHECK_FILE_SCHEMA   "cputoll.check/1"
#define VERDICT_FILE_SCHEMA "cputoll.verdict/1"

struct json_object;

struct bench_file_run { /* one of a row's runs */
	__u64 reads;
	double ns_per_read;
};

struct bench_file_row {
	char syscall[48];
	char clock[24];
	char how[32];
	int threads;
	__u64 reads; /* of all runs */
	double ns_per_read;
	struct bench_file_run *runs;
	size_t nr_runs;
};

struct bench_file {
	char version[32];
	char kernel[128];
	char arch[32]; /* "" when not said */
	int cpus;      /* 0 when not said */
	char accounting[16];
	char accel[16]; /* the lab's, "" on a host */
	char unit[16];	/* "ns", or "instructions" */
	char workload[48];
	int threads;
	struct bench_file_row *rows;
	size_t nr_rows;
};

struct check_file_row {
	char name[48];
	char load[16];
	char result[16]; /* "right", "wrong", "skipped" */
	double off_ns;
	char detail[768];
};

struct check_file {
	char version[32];
	char kernel[128];
	char accel[16];
	int cpus;
	struct check_file_row *rows;
	size_t nr_rows;
};

/* A verdict, as far as it is read again. NaN: nothing is said. */
struct verdict_file_row {
	char workload[48];
	char syscall[48];
	char clock[24];
	char how[32];
	int threads;
	double median;
	double change_percent;
	double interval_percent[2];
};

struct verdict_file_variant {
	char name[128];
	char kernel[128];
	int right; /* 1, 0, -1 when nobody knows */
	struct verdict_file_row *rows;
	size_t nr_rows;
};

struct verdict_file {
	char version[32];
	char base[128];
	char unit[16];
	struct verdict_file_variant *variants; /* the base first, one at least */
	size_t nr_variants;
};

#define PATCH_NAME_BYTES 256

/* variant.json: tools/lab writes it beside a kernel's results. */
struct variant_note {
	char (*patches)[PATCH_NAME_BYTES];
	size_t nr_patches;
	char config_fragment[PATCH_NAME_BYTES]; /* "" when it has the common configuration */
	char source[64];
};

/*
 * *_read() - fill @result from @document, loaded from @path (see json_file_load()). To be freed,
 * also after an error. A bench result without runs (of an older cputoll) has one. Returns 0,
 * -EPROTO or -ENOMEM, told in @err.
 */
int bench_file_read(struct bench_file *result, struct json_object *document, const char *path,
		    char *err, size_t err_bytes);
int check_file_read(struct check_file *result, struct json_object *document, const char *path,
		    char *err, size_t err_bytes);

/* verdict_file_read() - the same from the file @path. */
int verdict_file_read(struct verdict_file *result, const char *path, char *err, size_t err_bytes);

/* variant_note_read() - the same from the file @path, whose absence is an error too: -ENOENT. */
int variant_note_read(struct variant_note *note, const char *path, char *err, size_t err_bytes);

void bench_file_free(struct bench_file *result);
void check_file_free(struct check_file *result);
void verdict_file_free(struct verdict_file *result);
void variant_note_free(struct variant_note *note);

#endif /* CPUTOLL_RESULTS_H */
