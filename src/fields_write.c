// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing a document: a structure as JSON, by its table of keys. Called for every kind of document
 * that has such a table: profiles, comparisons, verdicts.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include "fields.h"
#include "json_file.h"
#include "mask.h"
#include "profile.h"
#include "text.h"

/* What is being written, and the innermost array that is. */
struct writer {
	const struct schema *schema;
	const void *elements;
};

static struct json_object *object_of(const struct writer *writer, const struct fields *fields,
				     const void *base);

/* Add @child, which is consumed, to the object or (@key is NULL) to the array @to. */
static int add(struct json_object *to, const char *key, struct json_object *child)
{
	if (child &&
	    !(key ? json_object_object_add(to, key, child) : json_object_array_add(to, child)))
		return 0;
	json_object_put(child);
	return -ENOMEM;
}

/* JSON_C_TO_STRING_PRETTY would give every number of a histogram a line of its own. */
static int print_on_one_line(struct json_object *array, struct printbuf *to, int level, int flags)
{
	(void)level;
	(void)flags;
	printbuf_strappend(to, "[");
	for (size_t i = 0; i < json_object_array_length(array); i++) {
		struct json_object *element = json_object_array_get_idx(array, i);

		if (i)
			printbuf_strappend(to, ", ");
		sprintbuf(to, "%s",
			  json_object_to_json_string_ext(element, JSON_C_TO_STRING_PLAIN));
	}
	return printbuf_strappend(to, "]");
}

static struct json_object *new_line_array(void)
{
	struct json_object *array = json_object_new_array();

	if (array)
		json_object_set_serializer(array, print_on_one_line, NULL, NULL);
	return array;
}

/* A comm is any bytes at all, and is cut at its 15th, also inside a character; JSON is UTF-8. */
static struct json_object *string_of(const char *text, size_t bytes)
{
	char valid[512];
	size_t n = strnlen(text, bytes < sizeof(valid) ? bytes : sizeof(valid) - 1);

	memcpy(valid, text, n);
	valid[n] = 0;
	for (size_t i = 0; i < n;) {
		size_t character = text_utf8_bytes(valid + i);

		if (!character)
			valid[i++] = '?';
		i += character;
	}
	return json_object_new_string(valid);
}

static struct json_object *mask_of(unsigned mask)
{
	struct json_object *array = new_line_array();

	for (unsigned bit = 1; array && bit < MASK_COUNT; bit <<= 1)
		if (mask & bit && add(array, NULL, json_object_new_string(mask_field(bit))))
			goto nomem;
	return array;
nomem:
	json_object_put(array);
	return NULL;
}

static struct json_object *mask_counts_of(const __u64 *counts)
{
	struct json_object *object = json_object_new_object();

	for (unsigned mask = 0; object && mask < MASK_COUNT; mask++)
		if (counts[mask] &&
		    add(object, mask_letters(mask), json_object_new_uint64(counts[mask])))
			goto nomem;
	return object;
nomem:
	json_object_put(object);
	return NULL;
}

static struct json_object *hist_of(const struct hist *hist)
{
	struct json_object *object = json_object_new_object();
	struct json_object *lower = new_line_array(), *count = new_line_array();

	if (!object || !lower || !count)
		goto nomem;
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		if (!hist->count[i])
			continue;
		if (add(lower, NULL, json_object_new_uint64(hist_lower_ns(i))) ||
		    add(count, NULL, json_object_new_uint64(hist->count[i])))
			goto nomem;
	}
	if (!add(object, "lower_ns", json_object_get(lower)) &&
	    !add(object, "count", json_object_get(count))) {
		json_object_put(lower);
		json_object_put(count);
		return object;
	}
nomem:
	json_object_put(lower);
	json_object_put(count);
	json_object_put(object);
	return NULL;
}

static struct json_object *array_of(const struct writer *writer, const struct field *field,
				    const char *elements, size_t nr)
{
	struct json_object *array = json_object_new_array();
	const struct writer inner = { writer->schema, elements };

	for (size_t i = 0; array && i < nr; i++)
		if (add(array, NULL,
			object_of(&inner, field->of, elements + i * field->of->bytes))) {
			json_object_put(array);
			return NULL;
		}
	return array;
}

static struct json_object *strings_of(const char *strings, size_t bytes, size_t nr)
{
	struct json_object *array = new_line_array();

	for (size_t i = 0; array && i < nr; i++)
		if (add(array, NULL, string_of(strings + i * bytes, bytes))) {
			json_object_put(array);
			return NULL;
		}
	return array;
}

static struct json_object *config_of(const struct profile_config *config, size_t nr)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; object && i < nr; i++)
		if (add(object, config[i].name,
			string_of(config[i].value, sizeof(config[i].value)))) {
			json_object_put(object);
			return NULL;
		}
	return object;
}

static bool is_null(const struct field *field, const void *at)
{
	const double *number = at;

	switch (field->type) {
	case FIELD_PARENT:
	case FIELD_PARENT_ID:
	case FIELD_ANSWER:
		return *(const int *)at < 0;
	case FIELD_STRING:
		return field->is_nullable && !*(const char *)at;
	case FIELD_TIME:
	case FIELD_DOUBLE:
		return !isfinite(*number);
	case FIELD_INTERVAL:
		return isnan(number[0]) && isnan(number[1]);
	default:
		return false;
	}
}

/* Six digits tell more than was measured, and two runs' documents compare well. */
static struct json_object *number_of(double number)
{
	char text[32];

	snprintf(text, sizeof(text), "%.*g", fabs(number) < 1e6 ? 7 : 15, number);
	return json_object_new_double_s(number, text);
}

/* An end that is nowhere is null: nobody knows how far the interval goes. */
static struct json_object *interval_of(const double *ends)
{
	struct json_object *array = new_line_array();

	for (int i = 0; array && i < 2; i++) {
		int err = isfinite(ends[i]) ? add(array, NULL, number_of(ends[i]))
					    : json_object_array_add(array, NULL);

		if (err) {
			json_object_put(array);
			return NULL;
		}
	}
	return array;
}

static struct json_object *value_of(const struct writer *writer, const struct field *field,
				    const void *base)
{
	const void *at = (const char *)base + field->offset;
	const void *nr = (const char *)base + field->nr_offset;
	const struct profile_path *paths = writer->elements;

	switch (field->type) {
	case FIELD_STRING:
		return string_of(at, field->size);
	case FIELD_STRINGS:
		return strings_of(*(char *const *)at, field->size, *(const size_t *)nr);
	case FIELD_ANSWER:
		return json_object_new_boolean(*(const int *)at);
	case FIELD_TIME:
	case FIELD_DOUBLE:
		return number_of(*(const double *)at);
	case FIELD_INTERVAL:
		return interval_of(at);
	case FIELD_BOOL:
		return json_object_new_boolean(*(const bool *)at);
	case FIELD_INT:
	case FIELD_PARENT_ID:
		return json_object_new_int(*(const int *)at);
	case FIELD_U64:
		return json_object_new_uint64(*(const __u64 *)at);
	case FIELD_MASK:
		return mask_of(*(const unsigned *)at);
	case FIELD_MASK_COUNTS:
		return mask_counts_of(at);
	case FIELD_HIST:
		return hist_of(at);
	case FIELD_OBJECT:
		return object_of(writer, field->of, base);
	case FIELD_ARRAY:
		return array_of(writer, field, *(char *const *)at, *(const size_t *)nr);
	case FIELD_CONFIG:
		return config_of(*(struct profile_config *const *)at, *(const size_t *)nr);
	case FIELD_SCHEMA:
		return json_object_new_string(writer->schema->name);
	case FIELD_ID:
		return json_object_new_int64((const struct profile_path *)base - paths);
	case FIELD_PARENT:
		return string_of(paths[*(const int *)at].function, sizeof(paths->function));
	}
	return NULL;
}

static struct json_object *object_of(const struct writer *writer, const struct fields *fields,
				     const void *base)
{
	struct json_object *object = json_object_new_object();

	for (size_t i = 0; object && i < fields->nr; i++) {
		const struct field *field = &fields->row[i];
		int err;

		if (is_null(field, (const char *)base + field->offset))
			err = json_object_object_add(object, field->key, NULL);
		else
			err = add(object, field->key, value_of(writer, field, base));
		if (err) {
			json_object_put(object);
			return NULL;
		}
	}
	return object;
}

int fields_write(const struct schema *schema, const void *from, const char *path)
{
	const struct writer writer = { schema, NULL };
	struct json_object *document = object_of(&writer, schema->fields, from);
	int flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
		    JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *json = document ? json_object_to_json_string_ext(document, flags) : NULL;
	char *text = NULL;
	int n = -1, err;

	if (json)
		n = asprintf(&text, "%s\n", json);
	json_object_put(document);
	if (n < 0)
		return -ENOMEM;
	err = json_file_save(path, text, n);
	free(text);
	return err;
}
