/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracing engine as an object: open, load, calibrate, attach, run, read, free, in that order.
 *
 *	engine = engine__new(&opts, &err);      find out what is there
 *	engine__load(engine)                    the verifier, then the calibration
 *	engine__attach(engine)                  every probe in place, none counting yet
 *	engine__start(engine) … engine__stop(engine)
 *	engine__read(engine, &profile)
 *	engine__free(engine)                    nothing stays behind
 *
 * Everything the engine puts into the kernel hangs on file descriptors of this process: killed at
 * any moment, it leaves the host as it was. Called by cmd_record.c and cmd_doctor.c.
 */
#ifndef CPUTOLL_ENGINE_H
#define CPUTOLL_ENGINE_H

#include <stdbool.h>
#include <sys/types.h>
#include "filter.h"
#include "profile.h"

struct engine;

struct engine_opts {
	bool all_callers;      /* functions below a read count from everywhere */
	const char *functions; /* names, globs and groups, comma separated; NULL: the group reads */
	const struct filter *filter; /* opened; NULL: none */
	bool descendants;	     /* only processes that this one starts from now on */
	int calibrations;	     /* so many, to see how far apart they are; 0: one */
	bool verbose;		     /* libbpf's own messages on standard error */
};

/* What went wrong, for a person: what was tried, the answer, what to do. One line, or one for each
 * function that cannot be traced; no newline behind the last. */
struct engine_error {
	char text[2048];
};

/*
 * engine__new() - look at the machine and choose what can be traced.
 * Returns NULL with @err set: unknown architecture, functions that cannot be traced or syscalls
 * that do not exist (then errno is EINVAL), no BTF, no memory.
 */
struct engine *engine__new(const struct engine_opts *opts, struct engine_error *err);

/*
 * engine__load() - load the programs and calibrate them on the kernel's empty test function.
 * Returns 0, or a negative errno with @err set: -EPERM when the kernel refuses, …
 */
int engine__load(struct engine *engine, struct engine_error *err);

/*
 * engine__attach() - attach to every function that takes it; those that do not are in
 * profile.functions with the reason. Returns 0, or a negative errno with @err set when none does,
 * or one does not that opts.functions named and the table does not know.
 */
int engine__attach(struct engine *engine, struct engine_error *err);

/* engine__start(), engine__stop() - count calls from here to there. Stop lets open calls end, for
 * 20 ms at most, and detaches everything. */
void engine__start(struct engine *engine);
void engine__stop(struct engine *engine);

/* What a running engine can tell cheaply, for progress. */
struct engine_progress {
	__u64 calls; /* of entry functions, or of the outermost when none is attached */
	__u64 lost;
};
void engine__progress(const struct engine *engine, struct engine_progress *progress);

/*
 * engine__read() - what was counted, as a profile (without version, command and duration).
 * Call after engine__stop(). The profile is the caller's, to be freed with profile_free().
 * Returns 0 or -ENOMEM.
 */
int engine__read(struct engine *engine, struct profile *profile);

/* engine__host(), engine__functions() - what engine__new() and engine__attach() found. */
const struct profile_host *engine__host(const struct engine *engine);
const struct function *engine__functions(const struct engine *engine);

/* What a probe costs on this machine, measured around the kernel's empty test function. */
struct engine_calibration {
	__u64 inside_ns, whole_ns; /* a call's, within what it measures and to whom is around */
	__u64 low_ns, high_ns;	   /* of 20 single calls, one costs less inside, and one more */
};

/* engine__calibrations() - all that engine__load() made, *@nr of them: none where the kernel has no
 * such function. The first is the one in use. */
const struct engine_calibration *engine__calibrations(const struct engine *engine, int *nr);

/* engine__free() - detach, unload and free; NULL is fine. */
void engine__free(struct engine *engine);

#endif /* CPUTOLL_ENGINE_H */
