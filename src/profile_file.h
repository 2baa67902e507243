/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of a profile, to and from files. Used by profile_read.c and profile_write.c; what is
 * for everybody (profile_check_writable()) is in profile.h.
 */
#ifndef CPUTOLL_PROFILE_FILE_H
#define CPUTOLL_PROFILE_FILE_H

#include <stdarg.h>
#include <stddef.h>

/* profile_file_name() - what to call @path when speaking of it: "-" is standard input. */
const char *profile_file_name(const char *path);

/* profile_file_complain() - put "NAME: ..." into @err as one line safe for a terminal. */
void profile_file_complain(const char *name, char *err, size_t err_bytes, const char *fmt,
			   va_list args);

/*
 * profile_file_load() - all of @path ("-": standard input) as *@text, which the caller frees, also
 * after an error. Never waits for a FIFO. Returns 0 or a negative errno, told in @err.
 */
int profile_file_load(const char *path, char **text, size_t *bytes, char *err, size_t err_bytes);

/* profile_file_save() - what profile_write() does once there is text. */
int profile_file_save(const char *path, const char *text, size_t bytes);

#endif /* CPUTOLL_PROFILE_FILE_H */
