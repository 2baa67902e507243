/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What engine.c (life cycle), calibrate.c and engine_read.c (the maps to a profile) share; nobody
 * else includes it.
 */
#ifndef CPUTOLL_ENGINE_IMPL_H
#define CPUTOLL_ENGINE_IMPL_H

#include <bpf/libbpf.h>
#include "arch.h"
#include "engine.h"
#include "layout.h"
#include "traced.h"

struct engine_bpf;

struct engine {
	struct engine_opts opts;
	const struct arch *arch;
	struct profile_host host;
	struct function functions[FN_COUNT];
	struct engine_bpf *skel;
	struct bpf_program *entry[FN_COUNT], *exit[FN_COUNT]; /* exit NULL for RESOLVE rows */
	struct bpf_link *links[2 * FN_COUNT + 3];
	int nr_links;
	__u32 shards;
	__u32 nodes;		     /* room in the call tree, NODES at most */
	const struct tally *tallies; /* shards * nodes of them, mapped */
	struct engine_calibration *calibrations;
	int nr_calibrations;
};

/* engine_tallies_bytes() - the size of the mapping at engine->tallies. */
size_t engine_tallies_bytes(const struct engine *engine);

/* engine_attach_pair() - attach function @id's programs; @err: what the kernel said. Returns 0 or
 * a negative errno, nothing of the pair then being attached. */
int engine_attach_pair(struct engine *engine, int id);
void engine_detach_all(struct engine *engine);

/* engine_calibrate() - measure what a probe costs, and use it from now on. Once, before anything is
 * attached. Returns 0 or a negative errno: -ENOENT when the kernel has no test function. */
int engine_calibrate(struct engine *engine);

/*
 * engine_try_named() - try for each function that the user named and the table does not know
 * whether the kernel lets it be traced, without a trace: a glob's that it does not is left out,
 * with the reason, a name's is refused. Returns 0, or -EINVAL with @refusals.
 */
int engine_try_named(struct engine *engine, const struct btf *vmlinux, struct refusals *refusals);

/* engine_read_processes() - fill in profile->processes, most calls first. Returns 0 or -ENOMEM. */
int engine_read_processes(const struct engine *engine, struct profile *profile);

#endif /* CPUTOLL_ENGINE_IMPL_H */
