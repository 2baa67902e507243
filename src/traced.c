// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which of the table's functions (include/functions.h) are wanted and there. Called by engine.c
 * before it loads anything.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>
#include "host.h"
#include "symbols.h"
#include "text.h"
#include "traced.h"

const char *const function_groups[GROUP_COUNT] = {
#define X(name, choosable) #name,
	CPUTOLL_GROUPS(X)
#undef X
};

static const bool choosable[GROUP_COUNT] = {
#define X(name, choosable) choosable,
	CPUTOLL_GROUPS(X)
#undef X
};

static const struct {
	const char *name;
	enum fn_kind kind;
	const char *parent;
	bool preemptible;
	const char *config;
	enum fn_group group;
} rows[FN_COUNT] = {
#define X(name, kind, parent, preemptible, config, group) \
	{ #name, FN_##kind, #parent, preemptible, config, GROUP_##group },
	CPUTOLL_FUNCTIONS(X)
#undef X
};

static void want(struct function *fn)
{
	fn->wanted = fn->selected = true;
	fn->reason[0] = '\0';
}

static void unwant(struct function *fn, const char *reason)
{
	fn->wanted = false;
	snprintf(fn->reason, sizeof(fn->reason), "%s", reason);
}

void functions_init(struct function *functions, const struct arch *arch)
{
	for (int i = 0; i < FN_COUNT; i++) {
		struct function *fn = &functions[i];

		*fn = (struct function){ .name = rows[i].name,
					 .kind = rows[i].kind,
					 .parent = rows[i].parent,
					 .preemptible = rows[i].preemptible,
					 .config = rows[i].config,
					 .group = rows[i].group };
		if (fn->group != GROUP_other)
			snprintf(fn->symbol, sizeof(fn->symbol), "%s%s",
				 fn->kind == FN_SYSCALL ? arch->syscall_prefix : "", fn->name);
		fn->wanted = function_is_internal(fn) || fn->group == GROUP_reads;
		fn->selected = fn->group == GROUP_reads;
		if (!fn->wanted)
			unwant(fn, "not selected");
	}
}

bool functions_has_group(const struct function *functions, enum fn_group group)
{
	for (int i = 0; i < FN_COUNT; i++)
		if (functions[i].group == group && functions[i].selected)
			return true;
	return false;
}

void refuse(struct refusals *refusals, const char *fmt, ...)
{
	size_t room = sizeof(refusals->text) - refusals->used;
	va_list args;
	int n;

	refusals->nr++;
	va_start(args, fmt);
	n = vsnprintf(refusals->text + refusals->used, room, fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n + 2 > room) { /* no room for it whole: the first ones are enough */
		refusals->text[refusals->used] = '\0';
		return;
	}
	refusals->used += (size_t)n;
	refusals->text[refusals->used++] = '\n';
	refusals->text[refusals->used] = '\0';
}

/* The choosable row of that name or symbol, or one for another function that is already there. */
static struct function *find(struct function *functions, const char *name)
{
	for (int i = 0; i < FN_COUNT; i++) {
		struct function *fn = &functions[i];

		if (function_is_internal(fn) || !fn->symbol[0])
			continue;
		if (!strcmp(fn->symbol, name) ||
		    (fn->group != GROUP_other && !strcmp(fn->name, name)))
			return fn;
	}
	return NULL;
}

static bool select_group(struct function *functions, const char *name)
{
	bool found = false;

	for (int group = 0; group < GROUP_COUNT; group++) {
		if (!choosable[group] ||
		    (strcmp(name, function_groups[group]) && strcmp(name, "all")))
			continue;
		found = true;
		for (int i = 0; i < FN_COUNT; i++)
			if (functions[i].group == (enum fn_group)group)
				want(&functions[i]);
	}
	return found;
}

/* A selection on its way through the names. */
struct selection {
	struct function *functions;
	struct symbols *symbols;
	struct refusals *refusals;
	const char *glob;
	int matches; /* of the glob … */
	int named;   /* functions that the table does not know, all names together */
};

/* Give @symbol a row of the group other; NULL when there is none left, and it is only counted. */
static struct function *give_row(struct selection *selection, const char *symbol)
{
	int index = selection->named++;

	for (int i = 0; i < FN_COUNT; i++) {
		struct function *fn = &selection->functions[i];

		if (fn->group != GROUP_other || index--)
			continue;
		snprintf(fn->symbol, sizeof(fn->symbol), "%s", symbol);
		want(fn);
		return fn;
	}
	return NULL;
}

static int rows_of_group(enum fn_group group)
{
	int nr = 0;

	for (int i = 0; i < FN_COUNT; i++)
		nr += rows[i].group == group;
	return nr;
}

static bool must_refuse(struct selection *selection, const char *name, char *reason, size_t bytes)
{
	if (strlen(name) < SYMBOL_BYTES)
		return symbols_refuse(selection->symbols, name, reason, bytes);
	snprintf(reason, bytes, "its name has more than %d letters", SYMBOL_BYTES - 1);
	return true;
}

/* Visit of symbols_each(). */
static void match_symbol(void *context, const char *name)
{
	struct selection *selection = context;
	char reason[160];
	struct function *fn;

	if (fnmatch(selection->glob, name, 0) || find(selection->functions, name))
		return;
	selection->matches++;
	fn = give_row(selection, name);
	if (fn)
		fn->by_glob = true;
	if (fn && must_refuse(selection, name, reason, sizeof(reason)))
		unwant(fn, reason);
}

static void select_glob(struct selection *selection, const char *glob)
{
	int before = selection->named;

	selection->glob = glob;
	selection->matches = 0;
	for (int i = 0; i < FN_COUNT; i++) {
		struct function *fn = &selection->functions[i];

		if (!choosable[fn->group] ||
		    (fnmatch(glob, fn->name, 0) && fnmatch(glob, fn->symbol, 0)))
			continue;
		want(fn);
		selection->matches++;
	}
	symbols_each(selection->symbols, match_symbol, selection);
	if (!selection->matches)
		refuse(selection->refusals, "no function matches '%s'", glob);
	else if (selection->named - before > rows_of_group(GROUP_other))
		refuse(selection->refusals,
		       "'%s' matches %d functions, and at most %d that 'cputoll doctor' does not "
		       "list can be traced at once",
		       glob, selection->matches, rows_of_group(GROUP_other));
}

/* No function is called @name: why, or what is like it. */
static void refuse_missing(struct selection *selection, const char *name)
{
	const struct function *syscall = &selection->functions[FN_ID_clock_gettime];
	char reason[160] = "", names[NEAREST_MAX * 130] = "", entry[128];
	struct nearest nearest;
	size_t used = 0;

	snprintf(entry, sizeof(entry), "%.*s%s",
		 (int)(strlen(syscall->symbol) - strlen(syscall->name)), syscall->symbol, name);
	symbols_explain_missing(selection->symbols, name, reason, sizeof(reason));
	if (reason[0]) {
		refuse(selection->refusals, "cannot trace '%s': %s", name, reason);
		return;
	}
	nearest_begin(&nearest, name);
	for (int i = 0; i < FN_COUNT; i++)
		if (choosable[rows[i].group])
			nearest_try(&nearest, rows[i].name);
	symbols_each(selection->symbols, nearest_try, &nearest);
	if (symbols_has(selection->symbols, entry)) { /* a syscall by its own name */
		snprintf(nearest.best[0].name, sizeof(nearest.best[0].name), "%s", entry);
		nearest.best[1].name[0] = '\0';
	}
	for (int i = 0; i < NEAREST_MAX && nearest.best[i].name[0]; i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 nearest.best[i].name);
	refuse(selection->refusals, "no function '%s' in this kernel, unless inlined%s%s", name,
	       used ? "; near it: " : "", names);
}

static void select_name(struct selection *selection, const char *name)
{
	struct function *fn = find(selection->functions, name);
	bool is_known = fn && fn->group != GROUP_other;
	char reason[160];

	if (!is_known && !symbols_has(selection->symbols, name)) {
		refuse_missing(selection, name);
		return;
	}
	if (!is_known && must_refuse(selection, name, reason, sizeof(reason))) {
		refuse(selection->refusals, "cannot trace '%s': %s", name, reason);
		return;
	}
	if (!fn)
		fn = give_row(selection, name);
	if (fn) {
		want(fn);
		fn->by_glob = false;
	}
}

static void select_word(struct selection *selection, const char *word)
{
	if (!word[0])
		refuse(selection->refusals, "an empty name among the functions");
	else if (select_group(selection->functions, word))
		return;
	else if (strpbrk(word, "*?["))
		select_glob(selection, word);
	else
		select_name(selection, word);
}

/* What tells an entry's clock comes with it. */
static void select_resolvers(struct function *functions)
{
	for (int i = 0; i < FN_COUNT; i++) {
		struct function *fn = &functions[i];
		struct function *parent = find(functions, fn->parent);

		if (fn->kind == FN_RESOLVE && parent && parent->wanted)
			want(fn);
	}
}

int functions_parent(const struct function *functions, int index)
{
	for (int i = 0; i < FN_COUNT; i++)
		if (!strcmp(functions[i].name, functions[index].parent))
			return i;
	return -1;
}

int functions_select(struct function *functions, const char *names, struct symbols *symbols,
		     struct refusals *refusals)
{
	struct selection selection = { .functions = functions,
				       .symbols = symbols,
				       .refusals = refusals };

	*refusals = (struct refusals){};
	if (!names)
		return 0;
	for (int i = 0; i < FN_COUNT; i++) {
		functions[i].selected = false;
		if (!function_is_internal(&functions[i]))
			unwant(&functions[i], "not selected");
	}
	while (names) {
		char word[128];

		names = text_word(names, word, sizeof(word));
		select_word(&selection, word);
	}
	select_resolvers(functions);
	if (!refusals->nr && selection.named > rows_of_group(GROUP_other))
		refuse(refusals,
		       "%d functions that 'cputoll doctor' does not list, and at most %d of them "
		       "can be traced at once",
		       selection.named, rows_of_group(GROUP_other));
	return refusals->nr ? -EINVAL : 0;
}

/* Why @fn isn't in BTF: compiled out, made into something else by the compiler, or nowhere. */
static void explain_missing(struct function *fn, struct symbols *symbols,
			    const struct profile_host *host)
{
	const char *value = fn->config[0] ? host_config(host, fn->config) : NULL;

	fn->wanted = false;
	if (!fn->config[0] || (value && strcmp(value, "n")))
		snprintf(fn->reason, sizeof(fn->reason), "not in this kernel: inlined or renamed");
	else
		snprintf(fn->reason, sizeof(fn->reason), "not in this kernel: %s is off%s",
			 fn->config, value ? "" : ", or inlined");
	if (!value || strcmp(value, "n")) /* else that is all; its symbols take long to read */
		symbols_explain_missing(symbols, fn->symbol, fn->reason, sizeof(fn->reason));
}

#define TRACEPOINT "btf_trace_" /* a tracepoint's type is called by this and its name */

/* What the kernel's BTF calls a function or tracepoint of @type, NULL: it is neither. */
static const char *traceable_name(const struct btf *btf, const struct btf_type *type)
{
	const char *name = btf__name_by_offset(btf, type->name_off);

	if (btf_is_func(type))
		return name;
	if (!btf_is_typedef(type) || strncmp(name, TRACEPOINT, strlen(TRACEPOINT)))
		return NULL;
	return name + strlen(TRACEPOINT);
}

/* Is a function or tracepoint called @name the one of @fn? */
static bool is_named(const char *name, bool is_function, const struct function *fn)
{
	size_t length = strlen(fn->symbol);

	if (fn->kind != FN_INTERRUPT)
		return is_function && !strcmp(name, fn->symbol);
	return !is_function && !strncmp(name, fn->symbol, length) &&
	       !strcmp(name + length, "_entry");
}

void functions_look_up(struct function *functions, struct symbols *symbols,
		       const struct profile_host *host)
{
	__u32 types = btf__type_cnt(symbols->vmlinux);
	struct function *wanted[FN_COUNT];
	bool found[FN_COUNT] = {};
	int nr = 0;

	for (int i = 0; i < FN_COUNT; i++)
		if (functions[i].group != GROUP_other && functions[i].wanted)
			wanted[nr++] = &functions[i];
	/* One walk for all: btf__find_by_name() walks anew for each name. */
	for (__u32 id = 1; id < types; id++) {
		const struct btf_type *type = btf__type_by_id(symbols->vmlinux, id);
		const char *name = traceable_name(symbols->vmlinux, type);

		for (int i = 0; name && i < nr; i++)
			if (is_named(name, btf_is_func(type), wanted[i]))
				found[i] = true;
	}
	for (int i = 0; i < nr; i++)
		if (!found[i])
			explain_missing(wanted[i], symbols, host);
}

bool functions_is_entry(const char *symbol)
{
	const struct arch *arch = arch_this();
	size_t length = arch ? strlen(arch->syscall_prefix) : 0;

	for (int i = 0; i < FN_COUNT; i++) {
		if (rows[i].kind == FN_PROCFS && !strcmp(symbol, rows[i].name))
			return true;
		if (rows[i].kind == FN_SYSCALL && arch &&
		    !strncmp(symbol, arch->syscall_prefix, length) &&
		    !strcmp(symbol + length, rows[i].name))
			return true;
	}
	return false;
}
