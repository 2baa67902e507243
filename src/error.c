// SPDX-License-Identifier: GPL-2.0-only
/*
 * How cputoll speaks of what went wrong: one line on standard error. Called by main.c, opts.c
 * and every cmd_*.c.
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
