/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the JSON of bench and of check begins with, and how both are printed. Used by bench_print.c
 * and cmd_check.c; results.c reads it again.
 */
#ifndef CPUTOLL_RESULT_JSON_H
#define CPUTOLL_RESULT_JSON_H

struct json_object;

/* result_begin() - a document of @schema that says which tool made it, on which kernel. */
struct json_object *result_begin(const char *schema);

/* result_print() - print @document, which ends with it, to standard output. */
void result_print(struct json_object *document);

/* result_accel() - how the lab's guest that this is runs (docs/lab.md), NULL outside of one. */
const char *result_accel(void);

/* result_accel_json() - the same for a document. */
struct json_object *result_accel_json(void);

#endif /* CPUTOLL_RESULT_JSON_H */
