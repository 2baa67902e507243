// SPDX-License-Identifier: GPL-2.0-only
/*
 * Syscalls by number and name (libseccomp's tables, so that no architecture's numbers are written
 * here), and the table of those that read CPU time. Called by engine.c.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <seccomp.h>
#include "callers.h"
#include "layout.h"
#include "text.h"

/* The *64 and waitpid forms are those of 32-bit programs. */
static const struct {
	const char *name;
	enum syscall_class class;
} readers[] = {
	{ "clock_gettime", CLASS_CLOCKID },
	{ "clock_gettime64", CLASS_CLOCKID },
	{ "clock_nanosleep", CLASS_CLOCKID },
	{ "clock_nanosleep_time64", CLASS_CLOCKID },
	{ "getrusage", CLASS_RUSAGE },
	{ "times", CLASS_SELF },
	{ "wait4", CLASS_WAIT },
	{ "waitid", CLASS_WAIT },
	{ "waitpid", CLASS_WAIT },
	{ "setitimer", CLASS_ITIMER },
	{ "getitimer", CLASS_ITIMER },
	{ "timer_settime", CLASS_TIMER },
	{ "timer_gettime", CLASS_TIMER },
	{ "timer_settime64", CLASS_TIMER },
	{ "timer_gettime64", CLASS_TIMER },
};

static const char *const contexts[] = {
#define X(id, name) [CTX_##id] = name,
	CPUTOLL_CONTEXTS(X)
#undef X
};

void caller_name(const struct arch *arch, unsigned caller, char *name, size_t bytes)
{
	unsigned number = caller % CALLER_SYSCALLS;
	int compat = caller >= CALLER_COMPAT;
	char *found;

	if (caller >= CALLER_CONTEXTS) {
		caller -= CALLER_CONTEXTS;
		snprintf(name, bytes, "%s", caller < CTX_COUNT ? contexts[caller] : "?");
		return;
	}
	found = seccomp_syscall_resolve_num_arch(compat ? arch->compat : arch->native, number);
	if (found)
		snprintf(name, bytes, "%s%s", compat ? "ia32:" : "", found);
	else
		snprintf(name, bytes, "%ssyscall_%u", compat ? "ia32:" : "", number);
	free(found);
}

void caller_classes(const struct arch *arch, __u8 *classes)
{
	const __u32 tables[] = { arch->native, arch->compat };

	for (int t = 0; t < 2; t++) {
		for (size_t i = 0; tables[t] && i < sizeof(readers) / sizeof(readers[0]); i++) {
			int number = seccomp_syscall_resolve_name_arch(tables[t], readers[i].name);

			if (number >= 0 &&
			    number < CALLER_SYSCALLS) /* negative: not in this table */
				classes[t * CALLER_SYSCALLS + number] = readers[i].class;
		}
	}
}

/* Marks @name's number in both tables; false: it is in neither. */
static bool select_syscall(const struct arch *arch, const char *name, bool *selected)
{
	const __u32 tables[] = { arch->native, arch->compat };
	bool found = false;

	for (int t = 0; t < 2 && tables[t]; t++) {
		int number = seccomp_syscall_resolve_name_arch(tables[t], name);

		if (number < 0 || number >= CALLER_SYSCALLS)
			continue;
		selected[t * CALLER_SYSCALLS + number] = found = true;
	}
	return found;
}

int caller_select(const struct arch *arch, const char *names, __u8 *classes, char *unknown,
		  size_t bytes)
{
	bool selected[2 * CALLER_SYSCALLS] = {};

	while (names) {
		char name[64];

		names = text_word(names, name, sizeof(name));
		if (!select_syscall(arch, name, selected)) {
			snprintf(unknown, bytes, "%s", name);
			return -EINVAL;
		}
	}
	for (int i = 0; i < 2 * CALLER_SYSCALLS; i++)
		if (!selected[i])
			classes[i] = CLASS_IGNORED;
	return 0;
}
