/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A profile: what one record measured, as structures and as one JSON document
 * (docs/profile.md). record fills and writes it; report and the other readers load it.
 */
#ifndef CPUTOLL_PROFILE_H
#define CPUTOLL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include "types.h"
#include "hist.h"

#define PROFILE_SCHEMA "cputoll.profile/1"

struct profile_config { /* host.config: a kernel option and its value: "y", "n", "250", … */
	char name[48];
	char value[32]; /* "" when the kernel's configuration could not be read */
};

struct profile_host {
	char kernel[128]; /* uname -r */
	char arch[32];
	int cpus;	      /* online */
	char clocksource[32]; /* "" when unknown */
	char accounting[16];  /* "tick", "vtime-gen", "vtime-native" */
	struct profile_config *config;
	size_t nr_config;
};

struct profile_function {
	char name[64];	/* the kernel's symbol */
	char group[16]; /* of include/functions.h: "reads", "vtime", "other", "internal"; "" unknown
			 */
	bool attached;
	char reason[160]; /* why not, "" when attached */
};

/*
 * One node of the call tree: a function, below its parent, for one kind of read.
 * total = raw less the probes' cost; self = total less the children's totals (exactly).
 */
struct profile_path {
	char caller[48]; /* the syscall, or a context: "irq", "idle", "kthread", … */
	char clock[24];	 /* a name in include/clocks.h, "-" for none */
	unsigned asks;	 /* MASK_* */
	unsigned needs;	 /* MASK_* */
	char function[64];
	int parent; /* index in paths[] (always a smaller one), -1 at the outermost */
	__u64 calls;
	__u64 errors;	  /* of the calls, those that returned an error (syscalls only) */
	__u64 raw_ns;	  /* sum, as measured */
	__u64 total_ns;	  /* sum, corrected, inclusive */
	__u64 self_ns;	  /* sum, corrected, without the children */
	bool clamped;	  /* the probes' cost came out larger than what was measured */
	bool may_sleep;	  /* preemptible: total holds time off the CPU */
	struct hist hist; /* of corrected inclusive latencies */
};

/* Reads by syscall: the outermost nodes that are entry functions. */
struct profile_syscall {
	char name[48];
	char clock[24];
	__u64 calls;
	__u64 errors;
	__u64 total_ns;	     /* in the syscall's entry function, corrected */
	__u64 accounting_ns; /* of it, in the traced functions right below */
	struct hist hist;
};

struct profile_process {
	int pid;
	char comm[16];
	__u64 calls;
	__u64 total_ns;
	__u64 masks[8]; /* calls by asked mask, indexed by MASK_* */
};

struct profile_lost {
	__u64 migrated;	 /* frames whose end was not seen where their start was left */
	__u64 overflow;	 /* nesting too deep, or a table full */
	__u64 recursion; /* programs the kernel did not run (recursion_misses) */
	__u64 processes; /* calls counted under their path but not for their process */
};

struct profile {
	char version[32];  /* tool.version */
	char engine[16];   /* "fentry", "kprobe", "syscall" */
	char command[256]; /* what was run, "" when nothing was */
	char filter[256];  /* what was traced alone, as filter_describe() says it; "": everything */
	bool all_callers;
	struct profile_host host;
	__u64 duration_ns;
	__u64 inside_ns; /* calibration: the probes' cost inside what they measure … */
	__u64 whole_ns;	 /* … and in all, per nested call */
	struct profile_function *functions;
	size_t nr_functions;
	struct profile_path *paths; /* depth first: a parent before its children */
	size_t nr_paths;
	struct profile_syscall *syscalls;
	size_t nr_syscalls;
	struct profile_process *processes; /* most calls first */
	size_t nr_processes;
	struct profile_lost lost;
};

/*
 * profile_correct() - fill in total_ns, self_ns and clamped of every path from calls, raw_ns,
 * the tree and the calibration:
 *
 * total = raw - calls * inside - descendants' calls * whole, each clamped so that no total is
 * less than the sum of its children's.
 */
void profile_correct(struct profile *profile);

/*
 * profile_summarize() - make syscalls[] from the outermost paths whose function is a read's
 * entry (@is_entry says which). Returns 0 or -ENOMEM.
 */
int profile_summarize(struct profile *profile, bool (*is_entry)(const char *function));

/*
 * profile_write() - write @profile as JSON to @path, as json_file_save() does. Returns as that, or
 * -ENOMEM.
 */
int profile_write(const struct profile *profile, const char *path);

/*
 * profile_read() - load the profile in @path.
 * @profile: filled in; the caller frees it with profile_free(), also after an error
 * @err:     on error one line for a person: what is wrong with the file, and where
 * Returns 0; -ENOENT … of open; -EFBIG; -EBADMSG: truncated, empty or not JSON; -EPROTO: another
 * schema, or a key missing or of the wrong type or out of range.
 */
int profile_read(struct profile *profile, const char *path, char *err, size_t err_bytes);

struct json_object;

/* profile_read_document() - the same of a @document that json_file_load() has loaded from @path. */
int profile_read_document(struct profile *profile, struct json_object *document, const char *path,
			  char *err, size_t err_bytes);

/* profile_free() - free what @profile points to. */
void profile_free(struct profile *profile);

#endif /* CPUTOLL_PROFILE_H */
