// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading a document: text that may be anything, into a structure by its table of keys, or one line
 * that says what is wrong. Called for every kind of document that is read: profiles, results.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <json-c/json.h>
#include "fields.h"
#include "json_file.h"
#include "mask.h"
#include "profile.h"

#define WHERE_BYTES 128 /* "paths[123].hist.count[4]" */

struct reader {
	const struct schema *schema;
	const void *elements; /* of the innermost array that is being read */
	const char *file;
	char *err;
	size_t err_bytes;
};

/* Say what is wrong, as one line, and return @code. */
static __attribute__((format(printf, 3, 4))) int fail(struct reader *reader, int code,
						      const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	json_file_complain(reader->file, reader->err, reader->err_bytes, fmt, args);
	va_end(args);
	return code;
}

/* Where in the document we are, for a person; an overlong name is cut. */
static __attribute__((format(printf, 2, 3))) void at_key(char here[WHERE_BYTES], const char *fmt,
							 ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(here, WHERE_BYTES, fmt, args);
	va_end(args);
}

static int read_object(struct reader *reader, struct json_object *object,
		       const struct fields *fields, void *base, const char *where);

static int expect(struct reader *reader, struct json_object *value, enum json_type type,
		  const char *where)
{
	static const char *const names[] = {
		[json_type_null] = "null",	   [json_type_boolean] = "true or false",
		[json_type_double] = "a fraction", [json_type_int] = "a whole number",
		[json_type_object] = "an object",  [json_type_array] = "an array",
		[json_type_string] = "a string",
	};

	if (json_object_get_type(value) == type)
		return 0;
	return fail(reader, -EPROTO, "%s is %s, not %s", where, names[json_object_get_type(value)],
		    names[type]);
}

static int read_string(struct reader *reader, struct json_object *value, char *to, size_t bytes,
		       const char *where)
{
	size_t n;
	int err = expect(reader, value, json_type_string, where);

	if (err)
		return err;
	n = json_object_get_string_len(value);
	if (n >= bytes)
		return fail(reader, -EPROTO, "%s is longer than %zu bytes", where, bytes - 1);
	if (memchr(json_object_get_string(value), 0, n))
		return fail(reader, -EPROTO, "%s has a NUL character in it", where);
	memcpy(to, json_object_get_string(value), n);
	to[n] = 0;
	return 0;
}

static int read_u64(struct reader *reader, struct json_object *value, __u64 *to, const char *where)
{
	int err = expect(reader, value, json_type_int, where);

	if (err)
		return err;
	if (json_object_get_int64(value) < 0)
		return fail(reader, -EPROTO, "%s is negative", where);
	*to = json_object_get_uint64(value);
	if (*to == UINT64_MAX) /* json-c's answer for all that is larger, too */
		return fail(reader, -EPROTO, "%s is too large", where);
	return 0;
}

static int read_int(struct reader *reader, struct json_object *value, int min, int max, int *to,
		    const char *where)
{
	int err = expect(reader, value, json_type_int, where);
	__s64 number = json_object_get_int64(value);

	if (err)
		return err;
	if (number < min || number > max)
		return fail(reader, -EPROTO, "%s is %lld, not in %d … %d", where, (long long)number,
			    min, max);
	*to = (int)number;
	return 0;
}

/* null is NaN. */
static int read_double(struct reader *reader, struct json_object *value, double *to,
		       const char *where)
{
	bool is_whole = json_object_is_type(value, json_type_int);
	int err = is_whole || !value ? 0 : expect(reader, value, json_type_double, where);

	*to = NAN;
	if (err || !value)
		return err;
	*to = json_object_get_double(value);
	if (!isfinite(*to))
		return fail(reader, -EPROTO, "%s is no number", where);
	return 0;
}

static int read_time(struct reader *reader, struct json_object *value, double *to,
		     const char *where)
{
	int err = value ? read_double(reader, value, to, where)
			: expect(reader, value, json_type_double, where);

	if (!err && *to < 0)
		return fail(reader, -EPROTO, "%s is negative", where);
	return err;
}

static int read_interval(struct reader *reader, struct json_object *value, double to[2],
			 const char *where)
{
	int err = value ? expect(reader, value, json_type_array, where) : 0;

	to[0] = to[1] = NAN;
	if (err || !value)
		return err;
	if (json_object_array_length(value) != 2)
		return fail(reader, -EPROTO, "%s has %zu elements, not 2", where,
			    json_object_array_length(value));
	for (size_t i = 0; i < 2 && !err; i++)
		err = read_double(reader, json_object_array_get_idx(value, i), &to[i], where);
	return err;
}

static int read_mask(struct reader *reader, struct json_object *value, unsigned *to,
		     const char *where)
{
	int err = expect(reader, value, json_type_array, where);

	for (size_t i = 0; !err && i < json_object_array_length(value); i++) {
		char name[32], here[WHERE_BYTES];

		at_key(here, "%s[%zu]", where, i);
		err = read_string(reader, json_object_array_get_idx(value, i), name, sizeof(name),
				  here);
		if (!err && !mask_bit(name))
			err = fail(reader, -EPROTO, "%s: no field is called \"%s\"", here, name);
		if (!err)
			*to |= mask_bit(name);
	}
	return err;
}

static int read_mask_counts(struct reader *reader, struct json_object *value, __u64 *to,
			    const char *where)
{
	int err = expect(reader, value, json_type_object, where);

	if (err)
		return err;
	json_object_object_foreach(value, key, count) {
		char here[WHERE_BYTES];
		unsigned mask = 0;

		while (mask < MASK_COUNT && strcmp(mask_letters(mask), key))
			mask++;
		if (mask == MASK_COUNT)
			return fail(reader, -EPROTO, "%s: no mask is \"%s\"", where, key);
		at_key(here, "%s.%s", where, key);
		err = read_u64(reader, count, &to[mask], here);
		if (err)
			return err;
	}
	return 0;
}

/* @key of @object, an array; NULL after telling what is wrong. */
static struct json_object *get_array(struct reader *reader, struct json_object *object,
				     const char *key, const char *where)
{
	struct json_object *array;
	char here[WHERE_BYTES];

	at_key(here, "%s.%s", where, key);
	if (!json_object_object_get_ex(object, key, &array)) {
		fail(reader, -EPROTO, "%s is missing", here);
		return NULL;
	}
	return expect(reader, array, json_type_array, here) ? NULL : array;
}

static int read_hist(struct reader *reader, struct json_object *value, struct hist *to,
		     const char *where)
{
	struct json_object *lower, *count;
	__u64 total = 0;
	int err = expect(reader, value, json_type_object, where);

	if (err)
		return err;
	lower = get_array(reader, value, "lower_ns", where);
	count = lower ? get_array(reader, value, "count", where) : NULL;
	if (!count)
		return -EPROTO;
	if (json_object_array_length(lower) != json_object_array_length(count))
		return fail(reader, -EPROTO, "%s: lower_ns and count differ in length", where);

	for (size_t i = 0; i < json_object_array_length(lower); i++) {
		__u64 bound_ns, latencies;
		char here[WHERE_BYTES];
		unsigned bucket;

		at_key(here, "%s.lower_ns[%zu]", where, i);
		err = read_u64(reader, json_object_array_get_idx(lower, i), &bound_ns, here);
		if (err)
			return err;
		bucket = hist_bucket(bound_ns);
		if (hist_lower_ns(bucket) != bound_ns)
			return fail(reader, -EPROTO, "%s is %llu, no bucket's lower bound", here,
				    (unsigned long long)bound_ns);
		if (to->count[bucket])
			return fail(reader, -EPROTO, "%s is there twice", here);

		at_key(here, "%s.count[%zu]", where, i);
		err = read_u64(reader, json_object_array_get_idx(count, i), &latencies, here);
		if (err)
			return err;
		if (__builtin_add_overflow(total, latencies, &total))
			return fail(reader, -EPROTO, "%s: the counts' sum overflows", where);
		to->count[bucket] = latencies;
	}
	return 0;
}

/* Room for @value's @nr elements of @bytes each; *@elements stays NULL when there are none. */
static int new_elements(struct reader *reader, size_t nr, size_t bytes, void *elements,
			const char *where)
{
	if (nr > FIELDS_MAX_ELEMENTS)
		return fail(reader, -EPROTO, "%s has %zu elements, more than %d", where, nr,
			    FIELDS_MAX_ELEMENTS);
	if (!nr)
		return 0;
	*(void **)elements = calloc(nr, bytes);
	return *(void **)elements ? 0 : fail(reader, -ENOMEM, "out of memory");
}

static int read_array(struct reader *reader, struct json_object *value, const struct field *field,
		      void *elements, size_t *nr, const char *where)
{
	const void *outer = reader->elements;
	size_t length;
	int err = expect(reader, value, json_type_array, where);

	if (err)
		return err;
	length = json_object_array_length(value);
	err = new_elements(reader, length, field->of->bytes, elements, where);
	reader->elements = *(void **)elements;
	for (size_t i = 0; !err && i < length; i++) {
		char here[WHERE_BYTES];

		at_key(here, "%s[%zu]", where, i);
		err = read_object(reader, json_object_array_get_idx(value, i), field->of,
				  *(char **)elements + i * field->of->bytes, here);
		*nr = i + 1;
	}
	reader->elements = outer;
	return err;
}

static int read_strings(struct reader *reader, struct json_object *value, const struct field *field,
			void *elements, size_t *nr, const char *where)
{
	size_t length;
	int err = expect(reader, value, json_type_array, where);

	if (err)
		return err;
	length = json_object_array_length(value);
	err = new_elements(reader, length, field->size, elements, where);
	for (size_t i = 0; !err && i < length; i++) {
		char here[WHERE_BYTES];

		at_key(here, "%s[%zu]", where, i);
		err = read_string(reader, json_object_array_get_idx(value, i),
				  *(char **)elements + i * field->size, field->size, here);
		*nr = i + 1;
	}
	return err;
}

static int read_config(struct reader *reader, struct json_object *value,
		       struct profile_config **config, size_t *nr, const char *where)
{
	int err = expect(reader, value, json_type_object, where);

	if (!err)
		err = new_elements(reader, json_object_object_length(value), sizeof(**config),
				   config, where);
	if (err)
		return err;
	json_object_object_foreach(value, name, setting) {
		struct profile_config *to = &(*config)[*nr];
		char here[WHERE_BYTES];

		if (strlen(name) >= sizeof(to->name))
			return fail(reader, -EPROTO, "%s: \"%.64s…\" is longer than %zu bytes",
				    where, name, sizeof(to->name) - 1);
		strcpy(to->name, name);
		at_key(here, "%s.%s", where, name);
		err = read_string(reader, setting, to->value, sizeof(to->value), here);
		if (err)
			return err;
		(*nr)++;
	}
	return 0;
}

static int read_parent_id(struct reader *reader, struct json_object *value, int own, int *to,
			  const char *where)
{
	*to = -1;
	if (!value)
		return 0;
	if (!own && json_object_get_type(value) == json_type_int)
		return fail(reader, -EPROTO, "%s: the first path has no parent", where);
	return read_int(reader, value, 0, own - 1, to, where);
}

static int read_parent(struct reader *reader, struct json_object *value, int parent,
		       const char *where)
{
	char function[sizeof(((struct profile_path *)0)->function)] = "";
	const struct profile_path *paths = reader->elements;
	int err = value ? read_string(reader, value, function, sizeof(function), where) : 0;

	if (err)
		return err;
	if (!!value != (parent >= 0) || (value && strcmp(function, paths[parent].function)))
		return fail(reader, -EPROTO, "%s is not the function of parent_id", where);
	return 0;
}

static int read_schema(struct reader *reader, struct json_object *value)
{
	char schema[64];
	int err = read_string(reader, value, schema, sizeof(schema), "schema");

	if (!err && strcmp(schema, reader->schema->name))
		err = fail(reader, -EPROTO, "schema is \"%s\"; this cputoll reads \"%s\"", schema,
			   reader->schema->name);
	return err;
}

static int read_value(struct reader *reader, struct json_object *value, const struct field *field,
		      void *base, const char *where)
{
	void *at = (char *)base + field->offset;
	size_t *nr = (void *)((char *)base + field->nr_offset);
	int own = 0, unused, err;

	switch (field->type) {
	case FIELD_STRING:
		if (field->is_nullable && !value)
			return 0;
		return read_string(reader, value, at, field->size, where);
	case FIELD_STRINGS:
		return read_strings(reader, value, field, at, nr, where);
	case FIELD_BOOL:
		err = expect(reader, value, json_type_boolean, where);
		*(bool *)at = json_object_get_boolean(value);
		return err;
	case FIELD_INT:
		return read_int(reader, value, field->min, INT_MAX, at, where);
	case FIELD_U64:
		return read_u64(reader, value, at, where);
	case FIELD_TIME:
		if (field->is_nullable && !value)
			return 0;
		return read_time(reader, value, at, where);
	case FIELD_MASK:
		return read_mask(reader, value, at, where);
	case FIELD_MASK_COUNTS:
		return read_mask_counts(reader, value, at, where);
	case FIELD_HIST:
		return read_hist(reader, value, at, where);
	case FIELD_OBJECT:
		return read_object(reader, value, field->of, base, where);
	case FIELD_ARRAY:
		return read_array(reader, value, field, at, nr, where);
	case FIELD_CONFIG:
		return read_config(reader, value, at, nr, where);
	case FIELD_SCHEMA:
		return read_schema(reader, value);
	case FIELD_ID:
		own = (int)((struct profile_path *)base -
			    (const struct profile_path *)reader->elements);
		return read_int(reader, value, own, own, &unused, where);
	case FIELD_PARENT_ID:
		own = (int)((struct profile_path *)base -
			    (const struct profile_path *)reader->elements);
		return read_parent_id(reader, value, own, at, where);
	case FIELD_PARENT:
		return read_parent(reader, value, *(int *)at, where);
	case FIELD_ANSWER:
		*(int *)at = -1;
		if (!value)
			return 0;
		err = expect(reader, value, json_type_boolean, where);
		*(int *)at = json_object_get_boolean(value);
		return err;
	case FIELD_DOUBLE:
		return read_double(reader, value, at, where);
	case FIELD_INTERVAL:
		return read_interval(reader, value, at, where);
	}
	return -EINVAL;
}

/* Keys the table does not know are another version's additions, and are passed over. */
static int read_object(struct reader *reader, struct json_object *object,
		       const struct fields *fields, void *base, const char *where)
{
	int err = expect(reader, object, json_type_object, *where ? where : "the document");

	for (size_t i = 0; !err && i < fields->nr; i++) {
		const struct field *field = &fields->row[i];
		struct json_object *value;
		char here[WHERE_BYTES];

		at_key(here, "%s%s%s", where, *where ? "." : "", field->key);
		if (json_object_object_get_ex(object, field->key, &value))
			err = read_value(reader, value, field, base, here);
		else if (!field->is_optional)
			err = fail(reader, -EPROTO, "%s is missing", here);
	}
	return err;
}

int document_read(const struct schema *schema, struct json_object *document, void *to,
		  const char *path, char *err, size_t err_bytes)
{
	struct reader reader = { schema, NULL, json_file_name(path), err, err_bytes };

	if (err_bytes)
		err[0] = 0;
	if (schema->name && (!json_object_is_type(document, json_type_object) ||
			     !json_object_object_get_ex(document, "schema", NULL)))
		return fail(&reader, -EPROTO, "is no %s: it has no \"schema\"", schema->what);
	return read_object(&reader, document, schema->fields, to, "");
}

int fields_read(const struct schema *schema, void *to, const char *path, char *err,
		size_t err_bytes)
{
	struct json_object *document;
	int ret = json_file_load(path, schema->what, &document, err, err_bytes);

	if (!ret)
		ret = document_read(schema, document, to, path, err, err_bytes);
	json_object_put(document);
	return ret;
}
