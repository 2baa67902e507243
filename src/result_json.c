// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the JSON of bench and of check begins with, and how both are printed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <json-c/json.h>
#include "cmd.h"
#include "result_json.h"

struct json_object *result_begin(const char *schema)
{
	struct json_object *top = json_object_new_object();
	struct json_object *tool = json_object_new_object();
	struct utsname host = {};

	uname(&host);
	json_object_object_add(tool, "version", json_object_new_string(CPUTOLL_VERSION));
	json_object_object_add(top, "schema", json_object_new_string(schema));
	json_object_object_add(top, "tool", tool);
	json_object_object_add(top, "kernel", json_object_new_string(host.release));
	return top;
}

void result_print(struct json_object *document)
{
	printf("%s\n", json_object_to_json_string_ext(
			       document, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(document);
}

const char *result_accel(void)
{
	return getenv("LAB_ACCEL");
}

struct json_object *result_accel_json(void)
{
	const char *accel = result_accel();

	return accel ? json_object_new_string(accel) : NULL;
}
