/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bytes of a JSON document, to and from files. Used by fields_read.c and fields_write.c, and by
 * commands that look beforehand whether they can write.
 */
#ifndef CPUTOLL_JSON_FILE_H
#define CPUTOLL_JSON_FILE_H

#include <stdarg.h>
#include <stddef.h>

struct dirent;
struct json_object;

/* A profile of every path there is room for is some 2 MB; more than this is no file of ours. */
#define JSON_FILE_MAX_BYTES (64u << 20)

/* json_file_filter() - for scandir(3): is @entry called NAME.json, and not hidden? */
int json_file_filter(const struct dirent *entry);

/* json_file_name() - what to call @path when speaking of it: "-" is standard input. */
const char *json_file_name(const char *path);

/* json_file_complain() - put "NAME: ..." into @err as one line safe for a terminal. */
void json_file_complain(const char *name, char *err, size_t err_bytes, const char *fmt,
			va_list args);

/*
 * json_file_load() - parse the JSON in @path ("-": standard input), which should be a @what. Never
 * waits for a FIFO.
 * @document: to be freed with json_object_put(), NULL after an error
 * @err:      on error one line for a person
 * Returns 0; -ENOENT … of open; -EFBIG; -EBADMSG: truncated, empty or not JSON.
 */
int json_file_load(const char *path, const char *what, struct json_object **document, char *err,
		   size_t err_bytes);

/* json_file_schema() - the "schema" of @document, NULL when it has none that is a string. */
const char *json_file_schema(struct json_object *document);

/*
 * json_file_save() - write @text to @path: to a temporary file beside it, then renamed, so that
 * nothing half-written is ever seen under that name. "-" is standard output.
 * Returns 0 or a negative errno (of the step that failed); the temporary file is gone then.
 */
int json_file_save(const char *path, const char *text, size_t bytes);

/*
 * json_file_check_writable() - can json_file_save() write @path? To be told before a long record,
 * not after. Returns 0 or a negative errno; leaves nothing behind.
 */
int json_file_check_writable(const char *path);

#endif /* CPUTOLL_JSON_FILE_H */
