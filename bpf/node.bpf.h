/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call tree: finding a node is one load from a table; a node not met before is made.
 * Used by what.bpf.h.
 */
#ifndef CPUTOLL_NODE_BPF_H
#define CPUTOLL_NODE_BPF_H

#include "state.bpf.h"

#define NODE_TRIES 16 /* CPUs that may be making nodes at the same moment before one gives up */

/*
 * node_make() - a new node for @function below @parent, or a root for @caller and @clock.
 * Two CPUs that meet a function at the same moment may make two nodes of it; the loader adds
 * up nodes of the same name. Returns 0 when the tree is full; the call is then counted as lost.
 * Global, as slot_claim() is.
 */
__noinline __u32 node_make(__u32 parent, __u32 function, __u32 caller, __u32 clock)
{
	__u32 none = 0, id;
	struct call_node *node;

	for (__u32 i = 0; i < NODE_TRIES; i++) {
		id = READ_ONCE(last_node) + 1;
		if (id < NODE_FIRST)
			id = NODE_FIRST;
		if (id >= node_limit)
			break;
		if (bpf_map_update_elem(&node_claims, &id, &none, BPF_NOEXIST)) {
			WRITE_ONCE(last_node,
				   id); /* taken by another CPU, which may not have said so yet */
			continue;
		}
		WRITE_ONCE(last_node, id);
		node = &nodes[BOUNDED(id, NODES)];
		node->parent = parent;
		node->caller = caller;
		node->clock = clock;
		node->function = function;
		return id;
	}
	loss(overflow);
	return 0;
}

/* node_root() - the root of @caller's reads of @clock. */
static __always_inline __u32 node_root(__u32 caller, __u32 clock)
{
	__u32 at = BOUNDED(caller * CLK_MAX + clock, CALLER_COUNT * CLK_MAX);
	__u32 node = roots[at];

	if (!node) {
		node = node_make(0, NODE_ROOT, caller, clock);
		roots[at] = node;
	}
	return node;
}

static __always_inline bool is_interrupt(__u32 function)
{
#define X(name, kind, parent, preemptible, config, group)          \
	if (FN_##kind == FN_INTERRUPT && function == FN_ID_##name) \
		return true;
	CPUTOLL_FUNCTIONS(X)
#undef X
	return false;
}

/* Where `below` has the node of @function when called from @parent. */
static __always_inline __u32 node_slot(__u32 parent, enum fn_id function)
{
	return BOUNDED(parent * FN_MAX + function, NODES * FN_MAX);
}

static __always_inline bool is_usual_caller(enum fn_id function, __u32 caller)
{
	return caller < 64 && usual_callers[BOUNDED(function, FN_MAX)] >> caller & 1;
}

/*
 * node_below() - the node of @function when called from @parent; NODE_IGNORED when such a call is
 * no part of a read: a function of @kind BELOW whose caller is not a usual one.
 */
static __always_inline __u32 node_below(__u32 parent, enum fn_id function, enum fn_kind kind)
{
	__u32 at = node_slot(parent, function);
	__u32 node = below[at], caller;

	if (node)
		return node;
	caller = nodes[BOUNDED(parent, NODES)].function;
	if (kind == FN_BELOW && !is_usual_caller(function, caller) &&
	    !(all_callers && is_interrupt(caller)))
		node = NODE_IGNORED;
	else
		node = node_make(parent, function, 0, 0);
	below[at] = node;
	return node;
}

/*
 * node_outermost() - the node of @function when called straight from @caller, for @clock. Global,
 * as slot_claim() is.
 */
__noinline __u32 node_outermost(__u32 caller, __u32 clock, __u32 function)
{
	__u32 root = node_root(caller, clock);

	return root ? node_below(root, function, FN_READ) : 0;
}

#endif /* CPUTOLL_NODE_BPF_H */
