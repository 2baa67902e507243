/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The function table on the user's side: which rows are wanted, which this kernel has, and in
 * words why not. Used by engine.c and cmd_doctor.c.
 */
#ifndef CPUTOLL_TRACED_H
#define CPUTOLL_TRACED_H

#include <stdbool.h>
#include "functions.h"
#include "arch.h"
#include "profile.h"

struct btf;

struct function {
	const char *name; /* the row's */
	enum fn_kind kind;
	const char *parent;
	bool preemptible;
	const char *config;
	char symbol[64]; /* the kernel's */
	bool wanted;	 /* selected, and not known to be missing */
	bool attached;
	char reason[160]; /* why it is not attached, "" otherwise */
};

/* function_is_internal() - is @fn a row that is always attached, and chosen by nobody? */
static inline bool function_is_internal(const struct function *fn)
{
	return fn->kind == FN_CALIBRATE || fn->kind == FN_INTERRUPT;
}

/* functions_init() - fill @functions (FN_COUNT of them) from the table; all rows wanted. */
void functions_init(struct function *functions, const struct arch *arch);

/*
 * functions_select() - want only the rows in @names, comma separated: a row's name or its symbol.
 * @names NULL wants all. A RESOLVE row comes with its parent; INTERRUPT rows, which say what isn't
 * to be counted, stay, and neither they nor CALIBRATE rows are a user's to choose. Returns 0, or
 * -ENOENT with the first unknown name in @unknown (of @bytes).
 */
int functions_select(struct function *functions, const char *names, char *unknown, size_t bytes);

/*
 * functions_look_up() - no longer want those that @vmlinux, the kernel's BTF, has not; say why,
 * from the kernel's configuration and symbols.
 */
void functions_look_up(struct function *functions, const struct btf *vmlinux,
		       const struct profile_host *host);

/* functions_is_entry() - is kernel symbol @symbol a read's entry function (SYSCALL or PROCFS)? */
bool functions_is_entry(const char *symbol);

#endif /* CPUTOLL_TRACED_H */
