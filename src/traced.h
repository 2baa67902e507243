/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The function table on the user's side: which rows are wanted, which this kernel has, and in
 * words why not. Used by engine.c and cmd_doctor.c.
 */
#ifndef CPUTOLL_TRACED_H
#define CPUTOLL_TRACED_H

#include <stdbool.h>
#include <stddef.h>
#include "functions.h"
#include "arch.h"
#include "profile.h"

struct symbols;

#define SYMBOL_BYTES 64 /* of struct profile_function too */

struct function {
	const char *name; /* the row's */
	enum fn_kind kind;
	const char *parent;
	bool preemptible;
	const char *config;
	enum fn_group group;
	char symbol[SYMBOL_BYTES]; /* the kernel's; "" of a row of the group other that has none yet
				    */
	bool wanted;		   /* selected, and not known to be missing */
	bool selected;		   /* by the user, by name or by group */
	bool by_glob;		   /* it is one of several: left out when it cannot be traced */
	bool attached;
	char reason[160]; /* why it is not attached, "" otherwise */
};

extern const char *const function_groups[GROUP_COUNT];

/* function_is_internal() - is @fn a row that is always attached, and chosen by nobody? */
static inline bool function_is_internal(const struct function *fn)
{
	return fn->group == GROUP_internal;
}

/* function_is_named() - did the user name a function that the table does not know, for this row? */
static inline bool function_is_named(const struct function *fn)
{
	return fn->group == GROUP_other && fn->selected;
}

/* functions_init() - fill @functions (FN_COUNT of them) from the table; the group reads is wanted,
 * with what is internal. */
void functions_init(struct function *functions, const struct arch *arch);

/* Why a selection cannot be traced: a line for each name. */
struct refusals {
	char text[2048];
	size_t used;
	int nr;
};

/* functions_parent() - the index of the row that row @index is called from in a read, -1: none. */
int functions_parent(const struct function *functions, int index);

/*
 * functions_select() - want only what is in @names, comma separated: a row's name or its symbol, a
 * group, "all" (groups), any other function in the BTF of @symbols, or a glob for several of these.
 * @names NULL wants the group reads. A RESOLVE row comes with its parent; internal rows stay.
 *
 * A function that the table does not know and that is not there or cannot be traced is refused; of
 * those that a glob matches, it is left out, with the reason. Returns 0, or -EINVAL with all that
 * is wrong in @refusals.
 */
int functions_select(struct function *functions, const char *names, struct symbols *symbols,
		     struct refusals *refusals);

/*
 * functions_look_up() - no longer want those rows of the table that the BTF of @symbols has not;
 * say why, from the kernel's configuration and symbols.
 */
void functions_look_up(struct function *functions, struct symbols *symbols,
		       const struct profile_host *host);

/* functions_has_group() - is any row of @fn's group selected? Else the group is none of the
 * user's concern. */
bool functions_has_group(const struct function *functions, enum fn_group group);

/* refuse() - add a line to @refusals. */
void refuse(struct refusals *refusals, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* functions_is_entry() - is kernel symbol @symbol a read's entry function (SYSCALL or PROCFS)? */
bool functions_is_entry(const char *symbol);

#endif /* CPUTOLL_TRACED_H */
