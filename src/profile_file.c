// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile's bytes: loaded from a file that may be anything, saved so that the file appears whole
 * or not at all. Called by profile_read.c, profile_write.c, and record before it starts.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "profile.h"
#include "profile_file.h"
#include "text.h"

#define TOO_LARGE "is larger than %u MiB; no profile is"

const char *profile_file_name(const char *path)
{
	return strcmp(path, "-") ? path : "standard input";
}

void profile_file_complain(const char *name, char *err, size_t err_bytes, const char *fmt,
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
	char *err;
	size_t err_bytes;
};

static __attribute__((format(printf, 3, 4))) int fail(const struct source *source, int code,
						      const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	profile_file_complain(source->name, source->err, source->err_bytes, fmt, args);
	va_end(args);
	return code;
}

/* All of @fd, at most PROFILE_MAX_BYTES, into *@text, which the caller frees, also on error. */
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
		if (*bytes > PROFILE_MAX_BYTES)
			return fail(source, -EFBIG, TOO_LARGE, PROFILE_MAX_BYTES >> 20);
	}
}

int profile_file_load(const char *path, char **text, size_t *bytes, char *err, size_t err_bytes)
{
	struct source source = { profile_file_name(path), err, err_bytes };
	struct stat st;
	int fd, ret;

	*text = NULL;
	*bytes = 0;
	if (!strcmp(path, "-"))
		return read_text(&source, STDIN_FILENO, text, bytes);
	/* O_NONBLOCK: a FIFO that nobody writes to would make us wait */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return fail(&source, -errno, "cannot open: %s", strerror(errno));
	if (fstat(fd, &st))
		ret = fail(&source, -errno, "cannot read: %s", strerror(errno));
	else if (S_ISDIR(st.st_mode))
		ret = fail(&source, -EISDIR, "is a directory, not a profile");
	else if (!S_ISREG(st.st_mode))
		ret = fail(&source, -EINVAL, "is not a regular file (a pipe is read as \"-\")");
	else if (st.st_size > PROFILE_MAX_BYTES)
		ret = fail(&source, -EFBIG, TOO_LARGE, PROFILE_MAX_BYTES >> 20);
	else
		ret = read_text(&source, fd, text, bytes);
	close(fd);
	return ret;
}

/* Where a profile goes: beside a regular file and then over it, into anything else. */
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

int profile_file_save(const char *path, const char *text, size_t bytes)
{
	if (strcmp(path, "-"))
		return save_target(path, text, bytes);
	return fflush(stdout) ? -errno : write_all(STDOUT_FILENO, text, bytes);
}

int profile_check_writable(const char *path)
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
