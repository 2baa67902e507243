// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which of the table's functions (include/functions.h) are wanted and there. Called by engine.c
 * before it loads anything.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <bpf/btf.h>
#include "traced.h"
#include "host.h"

static const struct {
	const char *name;
	enum fn_kind kind;
	const char *parent;
	bool preemptible;
	const char *config;
} rows[FN_COUNT] = {
#define X(name, kind, parent, preemptible, config) \
	{ #name, FN_##kind, #parent, preemptible, config },
	CPUTOLL_FUNCTIONS(X)
#undef X
};

void functions_init(struct function *functions, const struct arch *arch)
{
	for (int i = 0; i < FN_COUNT; i++) {
		struct function *fn = &functions[i];

		*fn = (struct function){ .name = rows[i].name,
					 .kind = rows[i].kind,
					 .parent = rows[i].parent,
					 .preemptible = rows[i].preemptible,
					 .config = rows[i].config,
					 .wanted = true };
		snprintf(fn->symbol, sizeof(fn->symbol), "%s%s",
			 fn->kind == FN_SYSCALL ? arch->syscall_prefix : "", fn->name);
	}
}

static struct function *find(struct function *functions, const char *name, size_t length)
{
	for (int i = 0; i < FN_COUNT; i++) {
		struct function *fn = &functions[i];

		if (function_is_internal(fn))
			continue;
		if ((strlen(fn->name) == length && !strncmp(fn->name, name, length)) ||
		    (strlen(fn->symbol) == length && !strncmp(fn->symbol, name, length)))
			return fn;
	}
	return NULL;
}

static void unwant(struct function *fn, const char *reason)
{
	fn->wanted = false;
	snprintf(fn->reason, sizeof(fn->reason), "%s", reason);
}

int functions_select(struct function *functions, const char *names, char *unknown, size_t bytes)
{
	size_t length;

	if (!names)
		return 0;
	for (int i = 0; i < FN_COUNT; i++)
		if (!function_is_internal(&functions[i]))
			unwant(&functions[i], "not selected");
	do {
		struct function *fn;

		length = strcspn(names, ",");
		fn = find(functions, names, length);
		if (!fn) {
			snprintf(unknown, bytes, "%.*s", (int)length, names);
			return -ENOENT;
		}
		fn->wanted = true;
		fn->reason[0] = '\0';
		names += length;
	} while (*names++);
	for (int i = 0; i < FN_COUNT; i++) {
		struct function *fn = &functions[i];
		struct function *parent = find(functions, fn->parent, strlen(fn->parent));

		if (fn->kind == FN_RESOLVE && parent && parent->wanted) {
			fn->wanted = true;
			fn->reason[0] = '\0';
		}
	}
	return 0;
}

/*
 * Why @fn isn't in BTF: compiled out, made into something else by the compiler (".isra", ".part"),
 * or nowhere.
 */
static void explain_missing(struct function *fn, const struct profile_host *host)
{
	const char *value = fn->config[0] ? host_config(host, fn->config) : NULL;
	FILE *file = fopen("/proc/kallsyms", "re");
	size_t length = strlen(fn->symbol);
	char line[512], name[256];

	fn->wanted = false;
	if (!fn->config[0] || (value && strcmp(value, "n")))
		snprintf(fn->reason, sizeof(fn->reason), "not in this kernel: inlined or renamed");
	else
		snprintf(fn->reason, sizeof(fn->reason), "not in this kernel: %s is off%s",
			 fn->config, value ? "" : ", or inlined");
	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*s %*c %255s", name) != 1 || strncmp(name, fn->symbol, length))
			continue;
		if (!name[length]) {
			snprintf(fn->reason, sizeof(fn->reason),
				 "in this kernel, but not described by its BTF");
			break;
		}
		if (name[length] == '.') {
			snprintf(fn->reason, sizeof(fn->reason),
				 "changed by the compiler, only %.100s is there", name);
			break;
		}
	}
	if (file)
		fclose(file);
}

/* Is @type, called @name, what the kernel's BTF has of @fn? */
static bool describes(const struct btf_type *type, const char *name, const struct function *fn)
{
	size_t length = strlen(fn->symbol);

	if (fn->kind != FN_INTERRUPT)
		return btf_is_func(type) && !strcmp(name, fn->symbol);
	return btf_is_typedef(type) && !strncmp(name, "btf_trace_", 10) &&
	       !strncmp(name + 10, fn->symbol, length) && !strcmp(name + 10 + length, "_entry");
}

void functions_look_up(struct function *functions, const struct btf *vmlinux,
		       const struct profile_host *host)
{
	bool found[FN_COUNT] = {};
	__u32 types = btf__type_cnt(vmlinux);

	/* One walk for all: btf__find_by_name() walks anew for each name. */
	for (__u32 id = 1; id < types; id++) {
		const struct btf_type *type = btf__type_by_id(vmlinux, id);
		const char *name = btf__name_by_offset(vmlinux, type->name_off);

		for (int i = 0; i < FN_COUNT; i++)
			if (describes(type, name, &functions[i]))
				found[i] = true;
	}
	for (int i = 0; i < FN_COUNT; i++)
		if (functions[i].wanted && !found[i])
			explain_missing(&functions[i], host);
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
