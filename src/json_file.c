// SPDX-License-Identifier: GPL-2.0-only
/*
 * A JSON document's bytes: loaded from a file that may be anything, saved so that the file appears
 * whole or not at all. Called by fields_read.c, fields_write.c, and commands before they start.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <json-c/json.h>
#include "json_file.h"
#include "text.h"

#define TOO_LARGE "is larger than %u MiB; no %s is"

int json_file_filter(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return entry->d_name[0] != '.' && n > 5 && !strcmp(entry->d_name + n - 5, ".json");
}

const char *json_file_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

void json_file_complain(const char *name, char *err, size_t err_bytes, const char *fmt,
			va_list args)
{
	char line[1024];
	int n = snprintf(line, sizeof(line), "%.512s: ", name);

	vsnprintf(line + n, sizeof(line) - n, fmt, args);
	if (err_bytes)
		text_clean(err, err_bytes, line);
}

/* What is being loaded, and where to say what is wrong with it. */
struct source {
	const char *name;
	const char *what; /* it should be */
	char *err;
	size_t err_bytes;
};

static __attribute__((format(printf, 3, 4))) int fail(const struct source *source, int code,
						      const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	json_file_complain(source->name, source->err, source->err_bytes, fmt, args);
	va_end(args);
	return code;
}

/* All of @fd, at most JSON_FILE_MAX_BYTES, into *@text, which the caller frees, also on error. */
static int read_text(const struct source *source, int fd, char **text, size_t *bytes)
{
	size_t room = 1 << 16;

	for (;;) {
		char *grown = NULL;
		ssize_t n;

		if (!*text || *bytes == room) {
			room = *text ? room * 2 : room;
			grown = realloc(*text, room);
			if (!grown)
				return fail(source, -ENOMEM, "out of memory");
			*text = grown;
		}
		n = read(fd, *text + *bytes, room - *bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(source, -errno, "cannot read: %s", strerror(errno));
		if (!n)
			return 0;
		*bytes += n;
		if (*bytes > JSON_FILE_MAX_BYTES)
			return fail(source, -EFBIG, TOO_LARGE, JSON_FILE_MAX_BYTES >> 20,
				    source->what);
	}
}

/* All of @path as *@text, which the caller frees, also after an error. */
static int load_text(const struct source *source, const char *path, char **text, size_t *bytes)
{
	struct stat st;
	int fd, ret;

	*text = NULL;
	*bytes = 0;
	if (!strcmp(path, "-"))
		return read_text(source, STDIN_FILENO, text, bytes);
	/* O_NONBLOCK: a FIFO that nobody writes to would make us wait */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return fail(source, -errno, "cannot open: %s", strerror(errno));
	if (fstat(fd, &st))
		ret = fail(source, -errno, "cannot read: %s", strerror(errno));
	else if (S_ISDIR(st.st_mode))
		ret = fail(source, -EISDIR, "is a directory, not a %s", source->what);
	else if (!S_ISREG(st.st_mode))
		ret = fail(source, -EINVAL, "is not a regular file (a pipe is read as \"-\")");
	else if (st.st_size > JSON_FILE_MAX_BYTES)
		ret = fail(source, -EFBIG, TOO_LARGE, JSON_FILE_MAX_BYTES >> 20, source->what);
	else
		ret = read_text(source, fd, text, bytes);
	close(fd);
	return ret;
}

static int parse(const struct source *source, const char *text, size_t bytes,
		 struct json_object **document)
{
	const char *nul = bytes ? memchr(text, 0, bytes) : NULL;
	enum json_tokener_error error;
	struct json_tokener *tokener;
	size_t at;

	if (!bytes)
		return fail(source, -EBADMSG, "is empty");
	if (nul)
		return fail(source, -EBADMSG, "is not JSON: a NUL at byte %zu", nul - text);
	tokener = json_tokener_new();
	if (!tokener)
		return fail(source, -ENOMEM, "out of memory");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	*document = json_tokener_parse_ex(tokener, text, (int)bytes);
	error = json_tokener_get_error(tokener);
	at = json_tokener_get_parse_end(tokener);
	json_tokener_free(tokener);

	if (error == json_tokener_continue)
		return fail(source, -EBADMSG, "ends at byte %zu, inside the document; was it cut?",
			    bytes);
	if (error != json_tokener_success)
		return fail(source, -EBADMSG, "is not JSON: %s at byte %zu",
			    json_tokener_error_desc(error), at);
	return 0;
}

int json_file_load(const char *path, const char *what, struct json_object **document, char *err,
		   size_t err_bytes)
{
	struct source source = { json_file_name(path), what, err, err_bytes };
	char *text;
	size_t bytes;
	int ret;

	*document = NULL;
	if (err_bytes)
		err[0] = 0;
	ret = load_text(&source, path, &text, &bytes);
	if (!ret)
		ret = parse(&source, text, bytes, document);
	free(text);
	return ret;
}

const char *json_file_schema(struct json_object *document)
{
	struct json_object *schema;

	if (!json_object_is_type(document, json_type_object) ||
	    !json_object_object_get_ex(document, "schema", &schema) ||
	    !json_object_is_type(schema, json_type_string))
		return NULL;
	return json_object_get_string(schema);
}

/* Where a document goes: beside a regular file and then over it, into anything else. */
struct target {
	char path[PATH_MAX]; /* symbolic links followed */
	char temp[PATH_MAX]; /* "" when written in place: a device, a FIFO */
};

static int target_find(struct target *target, const char *path)
{
	const char *slash;
	struct stat st;
	int n;

	target->temp[0] = 0;
	if (!realpath(path, target->path)) {
		if (errno != ENOENT)
			return -errno;
		if (snprintf(target->path, PATH_MAX, "%s", path) >= PATH_MAX)
			return -ENAMETOOLONG;
	}
	if (!stat(target->path, &st)) {
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		/* root's -o /dev/null must not put a file in the device's place */
		if (!S_ISREG(st.st_mode))
			return 0;
	}
	slash = strrchr(target->path, '/');
	if (slash ? !slash[1] : !target->path[0])
		return slash ? -EISDIR : -ENOENT;
	n = snprintf(target->temp, PATH_MAX, "%.*s.cputoll.XXXXXX",
		     slash ? (int)(slash + 1 - target->path) : 0, target->path);
	return n >= PATH_MAX ? -ENAMETOOLONG : 0;
}

static int target_open(struct target *target)
{
	mode_t mask;
	int fd;

	if (!target->temp[0]) {
		/* a FIFO that nobody reads answers ENXIO instead of making us wait */
		fd = open(target->path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		fcntl(fd, F_SETFL, 0);
		return fd;
	}
	fd = mkostemp(target->temp, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	mask = umask(0);
	umask(mask);
	if (fchmod(fd, 0666 & ~mask)) {
		int err = -errno;

		close(fd);
		unlink(target->temp);
		return err;
	}
	return fd;
}

static int write_all(int fd, const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t n = write(fd, text, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		bytes -= n;
	}
	return 0;
}

static int save_target(const char *path, const char *text, size_t bytes)
{
	struct target target;
	int fd, err;

	err = target_find(&target, path);
	if (err)
		return err;
	fd = target_open(&target);
	if (fd < 0)
		return fd;
	err = write_all(fd, text, bytes);
	if (!err && target.temp[0] && fsync(fd))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	if (!target.temp[0])
		return err;
	if (!err && rename(target.temp, target.path))
		err = -errno;
	if (err)
		unlink(target.temp);
	return err;
}

int json_file_save(const char *path, const char *text, size_t bytes)
{
	if (strcmp(path, "-"))
		return save_target(path, text, bytes);
	return fflush(stdout) ? -errno : write_all(STDOUT_FILENO, text, bytes);
}

int json_file_check_writable(const char *path)
{
	struct target target;
	int fd, err;

	if (!strcmp(path, "-"))
		return 0;
	err = target_find(&target, path);
	if (err)
		return err;
	if (!target.temp[0])
		return access(target.path, W_OK) ? -errno : 0;
	fd = target_open(&target);
	if (fd < 0)
		return fd;
	close(fd);
	unlink(target.temp);
	return 0;
}
