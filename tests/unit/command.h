/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of commands that read files share: a folder for them, what the command printed,
 * and looks into either. Used by compare_test.c and verdict_test.c.
 */
#ifndef CPUTOLL_TESTS_COMMAND_H
#define CPUTOLL_TESTS_COMMAND_H

#include <json-c/json.h>
#include "unit.h"

static char dir[64];
static char out[1 << 20], err[1 << 12];

static int set_up(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/cputoll-test-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

/* The exit status of @command; what it printed is in out and err. */
static int run_command(int (*command)(int argc, char **argv), int argc, char **argv)
{
	struct capture to_out, to_err;
	int status;

	capture_begin(&to_out, STDOUT_FILENO);
	capture_begin(&to_err, STDERR_FILENO);
	status = command(argc, argv);
	capture_end(&to_err, err, sizeof(err));
	capture_end(&to_out, out, sizeof(out));
	return status;
}
#define RUN(...) run((const char *const[]){ __VA_ARGS__, NULL })

static void assert_has(const char *text, const char *part)
{
	if (strstr(text, part))
		return;
	print_error("%s", text);
	fail_msg("no \"%s\" above", part);
}

/* The value of @key, or without one item @index, which must be there. */
static struct json_object *json_at(struct json_object *from, const char *key, int index)
{
	struct json_object *value = NULL;

	if (key)
		assert_true(json_object_object_get_ex(from, key, &value));
	else
		value = json_object_array_get_idx(from, index);
	return value;
}

#endif /* CPUTOLL_TESTS_COMMAND_H */
