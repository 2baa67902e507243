// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel's functions by name: in its BTF, among its symbols, among those that can be traced; and
 * names that are like another. Called by traced.c.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/btf.h>
#include "symbols.h"

/* BPF_TRAMP's and BTF's own limit, MAX_BPF_FUNC_ARGS of include/linux/bpf.h. */
#define ARGUMENTS_MAX 12
/* Names that only have a few letters in common are no help. */
#define EDIT_LIMIT(length) (1 + (length) / 4)

#define IN_PROBES                                                                            \
	"the probes themselves run it, or interrupt themselves with it, without end on old " \
	"kernels"
#define NO_RETURN "never returns, so that its calls have no end to be timed"

/*
 * Functions that no kernel need refuse, and that must not be traced all the same. What the engine's
 * programs run: helpers, the maps' code, their locks; what may come in the middle of that without
 * masking (NMIs); and what never returns (the kernel's own list is tools/objtool/noreturns.h).
 */
static const struct {
	const char *glob, *reason;
} untraceable[] = {
	{ "bpf_*", IN_PROBES },
	{ "__bpf_*", IN_PROBES },
	{ "htab_*", IN_PROBES },
	{ "__htab_*", IN_PROBES },
	{ "array_map_*", IN_PROBES },
	{ "lookup_*elem_raw", IN_PROBES },
	{ "*pcpu_freelist_*", IN_PROBES },
	{ "*_nofault*", IN_PROBES },
	{ "ktime_get_mono_fast_ns", IN_PROBES },
	{ "*spin_*lock*", IN_PROBES },
	{ "*rcu_read_*lock*", IN_PROBES },
	{ "migrate_*able", IN_PROBES },
	{ "preempt_count_*", IN_PROBES },
	{ "*nmi*", IN_PROBES },
	{ "do_exit", NO_RETURN },
	{ "do_group_exit", NO_RETURN },
	{ "do_task_dead", NO_RETURN },
	{ "make_task_dead", NO_RETURN },
	{ "kthread_exit", NO_RETURN },
	{ "kthread_complete_and_exit", NO_RETURN },
	{ "module_put_and_*exit", NO_RETURN },
	{ "__module_put_and_*exit", NO_RETURN },
	{ "cpu_startup_entry", NO_RETURN },
	{ "panic", NO_RETURN },
	{ "*_sys_exit", NO_RETURN },
	{ "*_sys_exit_group", NO_RETURN },
};

void symbols_free(struct symbols *symbols)
{
	free(symbols->kallsyms);
	free(symbols->traceable);
	*symbols = (struct symbols){};
}

/* All of @path, a file of the kernel's without a size; "" when it cannot be read. NULL: memory. */
static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	if (!file)
		return strdup("");
	if (getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = strdup("");
	}
	fclose(file);
	return text;
}

static const char *kallsyms(struct symbols *symbols)
{
	if (!symbols->kallsyms)
		symbols->kallsyms = read_text("/proc/kallsyms");
	return symbols->kallsyms ? symbols->kallsyms : "";
}

static const char *traceable(struct symbols *symbols)
{
	static const char *const paths[] = {
		"/sys/kernel/tracing/available_filter_functions",
		"/sys/kernel/debug/tracing/available_filter_functions",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char *text;

		if (symbols->traceable && symbols->traceable[0])
			break;
		text = read_text(paths[i]);
		free(symbols->traceable);
		symbols->traceable = NULL;
		if (text && text[0] && asprintf(&symbols->traceable, "\n%s", text) < 0)
			symbols->traceable = NULL;
		free(text);
	}
	if (!symbols->traceable)
		symbols->traceable = strdup("");
	return symbols->traceable ? symbols->traceable : "";
}

bool symbols_has(const struct symbols *symbols, const char *name)
{
	return btf__find_by_name_kind(symbols->vmlinux, name, BTF_KIND_FUNC) > 0;
}

void symbols_each(const struct symbols *symbols, void (*visit)(void *context, const char *name),
		  void *context)
{
	__u32 types = btf__type_cnt(symbols->vmlinux);

	for (__u32 id = 1; id < types; id++) {
		const struct btf_type *type = btf__type_by_id(symbols->vmlinux, id);

		if (btf_is_func(type))
			visit(context, btf__name_by_offset(symbols->vmlinux, type->name_off));
	}
}

/* A symbol of the kernel's code, behind its type in kallsyms: " T vfs_read". */
struct found {
	const char *rest; /* what follows the name: a newline, "\t[module]", ".part.0" */
	bool is_code;
};

/* The next symbol in *@text that begins with @name; false: none is left. */
static bool next_symbol(const char **text, const char *name, struct found *found)
{
	const char *at = *text;
	size_t length = strlen(name);

	while ((at = strstr(at, name))) {
		if (at < *text + 3 || at[-1] != ' ') {
			at++;
			continue;
		}
		found->is_code = strchr("tTwW", at[-2]);
		found->rest = at + length;
		*text = at + length;
		return true;
	}
	return false;
}

void symbols_explain_missing(struct symbols *symbols, const char *name, char *reason, size_t bytes)
{
	const char *text = kallsyms(symbols);
	struct found found;

	while (name[0] && next_symbol(&text, name, &found)) {
		int length = (int)strcspn(found.rest, " \t\n");

		if (!found.is_code)
			continue;
		if (found.rest[0] == '\n' || !found.rest[0]) {
			snprintf(reason, bytes, "in this kernel, but not described by its BTF");
			return;
		}
		if (found.rest[0] == '\t') {
			length = (int)strcspn(found.rest + 1, "\n");
			snprintf(reason, bytes,
				 "in module %.*s; only the kernel's own functions can be traced",
				 length > 64 ? 64 : length, found.rest + 1);
			return;
		}
		if (found.rest[0] == '.') {
			snprintf(reason, bytes, "changed by the compiler, only %.64s%.*s is there",
				 name, length > 32 ? 32 : length, found.rest);
			return;
		}
	}
}

/* How many functions of the kernel itself are called @name. */
static int count_symbols(struct symbols *symbols, const char *name)
{
	const char *text = kallsyms(symbols);
	struct found found;
	int count = 0;

	while (next_symbol(&text, name, &found))
		count += found.is_code && (found.rest[0] == '\n' || !found.rest[0]);
	return count;
}

/* Is @name among the functions that ftrace, and so a trampoline, can be put on? */
static bool is_traceable(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at++)
		if (at > list && at[-1] == '\n' && (at[length] == '\n' || !at[length]))
			return true;
	return false;
}

/* Does the C prototype of @name keep it from being traced? */
static bool refuse_prototype(const struct symbols *symbols, const char *name, char *reason,
			     size_t bytes)
{
	int id = btf__find_by_name_kind(symbols->vmlinux, name, BTF_KIND_FUNC);
	const struct btf_type *proto = id > 0 ? btf__type_by_id(symbols->vmlinux, (__u32)id) : NULL;
	int nr;

	if (proto)
		proto = btf__type_by_id(symbols->vmlinux, proto->type);
	if (!proto || !btf_is_func_proto(proto))
		return false;
	nr = btf_vlen(proto);
	if (nr && !btf_params(proto)[nr - 1].type) {
		snprintf(reason, bytes,
			 "takes a variable number of arguments (...), which no "
			 "probe can pass on");
		return true;
	}
	if (nr > ARGUMENTS_MAX) {
		snprintf(reason, bytes, "takes %d arguments, more than the %d a probe can pass on",
			 nr, ARGUMENTS_MAX);
		return true;
	}
	return false;
}

bool symbols_refuse(struct symbols *symbols, const char *name, char *reason, size_t bytes)
{
	const char *list;
	int count;

	for (size_t i = 0; i < sizeof(untraceable) / sizeof(untraceable[0]); i++) {
		if (fnmatch(untraceable[i].glob, name, 0))
			continue;
		snprintf(reason, bytes, "%s", untraceable[i].reason);
		return true;
	}
	if (refuse_prototype(symbols, name, reason, bytes))
		return true;
	count = count_symbols(symbols, name);
	if (count > 1) {
		snprintf(reason, bytes, "%d functions of this kernel have that name", count);
		return true;
	}
	list = traceable(symbols);
	if (list[0] && !is_traceable(list, name)) {
		snprintf(reason, bytes,
			 "the kernel does not let it be traced (noinstr, notrace: "
			 "not in available_filter_functions)");
		return true;
	}
	return false;
}

/* The least number of letters to put in, take out or change that makes @a of @b; @limit when it is
 * that or more. */
static size_t edits_between(const char *a, const char *b, size_t limit)
{
	size_t length_a = strlen(a), length_b = strlen(b), row[128];

	if (length_b >= sizeof(row) / sizeof(row[0]) ||
	    (length_a > length_b ? length_a - length_b : length_b - length_a) >= limit)
		return limit;
	for (size_t j = 0; j <= length_b; j++)
		row[j] = j;
	for (size_t i = 1; i <= length_a; i++) {
		size_t diagonal = row[0], least = row[0] = i;

		for (size_t j = 1; j <= length_b; j++) {
			size_t edits = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < edits)
				edits = row[j] + 1;
			if (row[j - 1] + 1 < edits)
				edits = row[j - 1] + 1;
			row[j] = edits;
			if (edits < least)
				least = edits;
		}
		if (least >= limit)
			return limit;
	}
	return row[length_b] < limit ? row[length_b] : limit;
}

void nearest_begin(struct nearest *nearest, const char *wanted)
{
	*nearest = (struct nearest){ .wanted = wanted, .limit = EDIT_LIMIT(strlen(wanted)) + 1 };
	for (int i = 0; i < NEAREST_MAX; i++)
		nearest->best[i].edits = nearest->limit;
}

void nearest_try(void *context, const char *name)
{
	struct nearest *nearest = context;
	size_t edits = edits_between(nearest->wanted, name, nearest->best[NEAREST_MAX - 1].edits);
	int at = NEAREST_MAX - 1;

	if (edits >= nearest->best[at].edits)
		return;
	for (int i = 0; i < NEAREST_MAX; i++) /* BTF may name a function twice */
		if (!strcmp(nearest->best[i].name, name))
			return;
	for (; at > 0 && nearest->best[at - 1].edits > edits; at--)
		nearest->best[at] = nearest->best[at - 1];
	snprintf(nearest->best[at].name, sizeof(nearest->best[at].name), "%s", name);
	nearest->best[at].edits = edits;
}
