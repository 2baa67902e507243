// SPDX-License-Identifier: GPL-2.0-only
/*
 * How cputoll speaks to a person when something is wrong: one line on standard error. Called by
 * the commands and the option parser; apart from main.c so that unit tests can link it.
 */
#include <stdarg.h>
#include <stdio.h>
#include "cmd.h"

void error(const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, fmt);
	fputs("cputoll: ", stderr);
	vfprintf(stderr, fmt, args);
	fputc('\n', stderr);
	va_end(args);
}
