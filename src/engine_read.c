// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the engine's memory to a profile: the call tree with its sums over all shards, the
 * processes, what was lost. Called by cmd_record.c through engine.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include "callers.h"
#include "engine_impl.h"
#include "engine.skel.h"
#include "host.h"
#include "mask.h"

static bool is_made(const struct call_node *node)
{
	return node->parent || node->function == NODE_ROOT;
}

/* The sums of @node over all shards; returns its calls. */
static __u64 sum_tallies(const struct engine *engine, __u32 node, struct tally *sum)
{
	__u64 calls = 0;

	memset(sum, 0, sizeof(*sum));
	for (__u32 shard = 0; shard < engine->shards; shard++) {
		const struct tally *tally = &engine->tallies[shard * engine->nodes + node];

		sum->raw_ns += tally->raw_ns;
		for (int i = 0; i < HIST_BUCKETS; i++)
			sum->bucket[i] += tally->bucket[i];
	}
	for (int i = 0; i < HIST_BUCKETS; i++)
		calls += sum->bucket[i];
	return calls;
}

void engine__progress(const struct engine *engine, struct engine_progress *progress)
{
	const struct engine_bpf__bss *bss = engine->skel->bss;
	struct tally sum;

	*progress = (struct engine_progress){ .lost = bss->losses.migrated + bss->losses.overflow };
	for (__u32 id = NODE_FIRST; id <= bss->last_node && id < NODES; id++) {
		const struct call_node *node = (const struct call_node *)&bss->nodes[id];
		const struct call_node *parent =
			(const struct call_node *)&bss->nodes[node->parent % NODES];

		if (node->function < FN_COUNT && parent->function == NODE_ROOT &&
		    engine->functions[node->function].kind != FN_CALIBRATE)
			progress->calls += sum_tallies(engine, id, &sum);
	}
}

/* What one node becomes: a path, and where it hangs. */
struct branch {
	int path;   /* index in profile->paths, -1: a root or none */
	int merged; /* the first node of the same name, which stands for it */
};

static void name_path(const struct engine *engine, const struct call_node *root, __u32 function,
		      struct profile_path *path)
{
	const struct function *fn = &engine->functions[function];
	bool adjusts = strcmp(engine->host.accounting, "vtime-native") != 0;

	caller_name(engine->arch, root->caller, path->caller, sizeof(path->caller));
	snprintf(path->clock, sizeof(path->clock), "%s", clock_name(root->clock));
	path->asks = clock_asks(root->clock);
	path->needs = clock_needs(root->clock, adjusts);
	snprintf(path->function, sizeof(path->function), "%s", fn->symbol);
	path->may_sleep = fn->preemptible;
}

/* The lowest node with the same place in the tree: two CPUs may have made one each. */
static int find_twin(const struct call_node *nodes, const int *merged, int id)
{
	for (int twin = NODE_FIRST; twin < id; twin++)
		if (nodes[twin].function == nodes[id].function &&
		    merged[nodes[twin].parent] == merged[nodes[id].parent] &&
		    nodes[twin].caller == nodes[id].caller && nodes[twin].clock == nodes[id].clock)
			return twin;
	return id;
}

struct tree {
	const struct call_node *nodes;
	int merged[NODES];
	__u64 calls[NODES], raw_ns[NODES], errors[NODES]; /* of merged nodes */
	struct hist *hists;
	int last;
};

/*
 * Has node @id, or anything below it, calls? A call whose parent's frame is still open when the
 * record ends has been counted, its parent not.
 */
static bool is_used(const struct tree *tree, int id)
{
	if (tree->calls[id])
		return true;
	for (int child = id + 1; child <= tree->last; child++)
		if (tree->merged[child] == child && tree->merged[tree->nodes[child].parent] == id &&
		    is_used(tree, child))
			return true;
	return false;
}

static void sum_tree(const struct engine *engine, struct tree *tree)
{
	struct tally sum;

	for (int id = NODE_FIRST; id <= tree->last; id++) {
		int merged = find_twin(tree->nodes, tree->merged, id);

		tree->merged[id] = merged;
		tree->calls[merged] += sum_tallies(engine, id, &sum);
		tree->raw_ns[merged] += sum.raw_ns;
		tree->errors[merged] += tree->nodes[id].errors;
		for (int i = 0; i < HIST_BUCKETS; i++)
			tree->hists[merged].count[i] += sum.bucket[i];
	}
}

/* Append @parent_node's children, depth first, to @profile->paths, which has room for all. */
static void add_paths(const struct engine *engine, const struct tree *tree, int root,
		      int parent_node, int parent_path, struct profile *profile)
{
	for (int id = parent_node + 1; id <= tree->last; id++) {
		const struct call_node *node = &tree->nodes[id];
		struct profile_path *path;
		int index;

		if (tree->merged[id] != id || tree->merged[node->parent] != parent_node ||
		    node->function >= FN_COUNT || !is_used(tree, id))
			continue;
		index = (int)profile->nr_paths++;
		path = &profile->paths[index];
		name_path(engine, &tree->nodes[root], node->function, path);
		path->parent = parent_path;
		path->calls = tree->calls[id];
		path->errors = tree->errors[id];
		path->raw_ns = tree->raw_ns[id];
		path->hist = tree->hists[id];
		add_paths(engine, tree, root, id, index, profile);
	}
}

static int read_paths(const struct engine *engine, struct profile *profile)
{
	const struct engine_bpf__bss *bss = engine->skel->bss;
	struct tree *tree = calloc(1, sizeof(*tree));
	int ret = -ENOMEM;

	if (!tree)
		return -ENOMEM;
	tree->hists = calloc(NODES, sizeof(*tree->hists));
	profile->paths = calloc(NODES, sizeof(*profile->paths));
	if (!tree->hists || !profile->paths)
		goto out;
	tree->nodes = (const struct call_node *)bss->nodes;
	tree->last = NODE_FIRST - 1;
	while (tree->last + 1 < NODES && is_made(&tree->nodes[tree->last + 1]))
		tree->last++;
	ret = 0;
	sum_tree(engine, tree);
	for (int id = NODE_FIRST; id <= tree->last; id++)
		if (tree->nodes[id].function == NODE_ROOT && tree->merged[id] == id &&
		    tree->nodes[id].caller < CALLER_CONTEXTS + CTX_COUNT)
			add_paths(engine, tree, id, id, -1, profile);
out:
	free(tree->hists);
	free(tree);
	return ret;
}

static int read_functions(const struct engine *engine, struct profile *profile)
{
	profile->functions = calloc(FN_COUNT, sizeof(*profile->functions));
	if (!profile->functions)
		return -ENOMEM;
	for (int i = 0; i < FN_COUNT; i++) {
		const struct function *fn = &engine->functions[i];
		struct profile_function *to = &profile->functions[profile->nr_functions];

		if (fn->kind == FN_CALIBRATE ||
		    (!function_is_internal(fn) &&
		     !functions_has_group(engine->functions, fn->group)) ||
		    (fn->group == GROUP_other && !fn->selected))
			continue;
		snprintf(to->name, sizeof(to->name), "%s", fn->symbol);
		snprintf(to->reason, sizeof(to->reason), "%s", fn->reason);
		snprintf(to->group, sizeof(to->group), "%s", function_groups[fn->group]);
		to->attached = fn->attached;
		profile->nr_functions++;
	}
	return 0;
}

/* Programs that the kernel skipped since another of the same was running on that CPU (5.12,
 * 9ed9e9ba2337). */
static __u64 count_recursion(const struct engine *engine)
{
	struct bpf_program *program;
	__u64 misses = 0;

	bpf_object__for_each_program(program, engine->skel->obj) {
		struct bpf_prog_info info = {};
		__u32 bytes = sizeof(info);
		int fd = bpf_program__fd(program);

		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &bytes))
			misses += info.recursion_misses;
	}
	return misses;
}

int engine__read(struct engine *engine, struct profile *profile)
{
	const struct engine_bpf__bss *bss = engine->skel->bss;
	int ret;

	memset(profile, 0, sizeof(*profile));
	strcpy(profile->engine, "fentry");
	profile->all_callers = engine->opts.all_callers;
	if (engine->opts.filter)
		filter_describe(engine->opts.filter, profile->filter, sizeof(profile->filter));
	ret = host_read(&profile->host);
	if (!ret)
		ret = read_functions(engine, profile);
	if (!ret)
		ret = read_paths(engine, profile);
	if (!ret)
		ret = engine_read_processes(engine, profile);
	if (ret) {
		profile_free(profile);
		return ret;
	}
	profile->inside_ns = engine->skel->bss->inside_ns;
	profile->whole_ns = engine->skel->bss->whole_ns;
	profile->lost.migrated = bss->losses.migrated;
	profile->lost.overflow = bss->losses.overflow;
	profile->lost.processes = bss->losses.processes;
	profile->lost.recursion = count_recursion(engine);
	profile_correct(profile);
	return profile_summarize(profile, functions_is_entry);
}
