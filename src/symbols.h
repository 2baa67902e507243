/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel says of its functions: its BTF, its symbols, and which of them it lets be traced.
 * Used by traced.c to find a function by name, and to say in words why one cannot be traced.
 */
#ifndef CPUTOLL_SYMBOLS_H
#define CPUTOLL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct btf;

/* The texts are read when first needed; a unit test puts its own in their place. */
struct symbols {
	const struct btf *vmlinux; /* the kernel's types */
	char *kallsyms;		   /* /proc/kallsyms */
	char *traceable; /* available_filter_functions behind a newline, "" when it can't be read */
};

/* symbols_free() - free what @symbols has read; the BTF stays its owner's. */
void symbols_free(struct symbols *symbols);

/* symbols_has() - is @name a function in the kernel's BTF? */
bool symbols_has(const struct symbols *symbols, const char *name);

/*
 * symbols_explain_missing() - why is @name not in the BTF? @reason is left as it is when the
 * kernel has no such symbol at all.
 */
void symbols_explain_missing(struct symbols *symbols, const char *name, char *reason, size_t bytes);

/*
 * symbols_refuse() - must @name, a function in the BTF that no table vouches for, be left alone?
 * Returns true, with @reason why: the kernel does not let it be traced, or its calls could not be
 * told or timed.
 */
bool symbols_refuse(struct symbols *symbols, const char *name, char *reason, size_t bytes);

/* symbols_each() - call @visit with the name of each function in the BTF. */
void symbols_each(const struct symbols *symbols, void (*visit)(void *context, const char *name),
		  void *context);

/* The names that are most like one that does not exist, the nearest first, "" for none. */
#define NEAREST_MAX 3

struct nearest {
	const char *wanted;
	size_t limit; /* as many edits make it another name */
	struct {
		char name[128];
		size_t edits;
	} best[NEAREST_MAX];
};

/* nearest_begin() - look for names like @wanted; nearest_try() - is @name one of them? To
 * symbols_each(), @nearest is the context. */
void nearest_begin(struct nearest *nearest, const char *wanted);
void nearest_try(void *nearest, const char *name);

#endif /* CPUTOLL_SYMBOLS_H */
