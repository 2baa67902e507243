/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every unit test includes: cmocka with the headers it wants first, and catching what a
 * function prints.
 */
#ifndef CPUTOLL_TESTS_UNIT_H
#define CPUTOLL_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/* A file descriptor sent to a temporary file until capture_end() hands back what was written. */
struct capture {
	int fd, saved;
	FILE *file;
};

static inline void capture_begin(struct capture *capture, int fd)
{
	fflush(NULL);
	capture->fd = fd;
	capture->saved = dup(fd);
	capture->file = tmpfile();
	assert_non_null(capture->file);
	assert_int_equal(dup2(fileno(capture->file), fd), fd);
}

/* What was written, in @text as a string. */
static inline void capture_end(struct capture *capture, char *text, size_t bytes)
{
	ssize_t n;

	fflush(NULL);
	n = pread(fileno(capture->file), text, bytes - 1, 0);
	assert_true(n >= 0);
	text[n] = 0;
	dup2(capture->saved, capture->fd);
	close(capture->saved);
	fclose(capture->file);
}

#endif /* CPUTOLL_TESTS_UNIT_H */
