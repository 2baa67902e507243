/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * JSON documents as tables of keys: what each is called, its type, and where its value lives in a
 * structure. fields_read.c and fields_write.c walk a table; every document we read or write has one
 * in a *_fields.c or beside its structure.
 */
#ifndef CPUTOLL_FIELDS_H
#define CPUTOLL_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

/* No array of ours comes near this; it bounds what a hostile file can make the reader take. */
#define FIELDS_MAX_ELEMENTS 65536

enum field_type {
	FIELD_STRING,	/* char[size] */
	FIELD_STRINGS,	/* a pointer to char[size] at @offset, a size_t at @nr_offset: an array */
	FIELD_BOOL,	/* bool */
	FIELD_ANSWER,	/* int: 1 true, 0 false, -1 null */
	FIELD_INT,	/* int, min … INT_MAX */
	FIELD_U64,	/* __u64 */
	FIELD_TIME,	/* double, not negative; NaN is null, which is only written */
	FIELD_DOUBLE,	/* double, NaN as null; infinities are null when written */
	FIELD_INTERVAL, /* double[2], the same: an array, or null when both are NaN */
	FIELD_MASK,	/* unsigned, MASK_*: an array of fields' names */
	FIELD_MASK_COUNTS, /* __u64[MASK_COUNT]: an object, letters → count, without zeros */
	FIELD_HIST,	   /* struct hist: lower_ns[] and count[], without zeros */
	FIELD_OBJECT,	   /* the keys of @of, about the same structure */
	FIELD_ARRAY,	   /* a pointer at @offset, a size_t at @nr_offset: objects of @of */
	FIELD_CONFIG,	   /* the same of struct profile_config: an object, name → value */
	FIELD_SCHEMA,	   /* the schema's own name */
	FIELD_ID,	   /* a path's own index */
	FIELD_PARENT_ID,   /* int: a smaller index, or -1, which is null */
	FIELD_PARENT,	   /* the parent's function, or null */
};

struct fields {
	const struct field *row;
	size_t nr;
	size_t bytes; /* of the structure they describe */
};

struct field {
	const char *key;
	enum field_type type;
	bool is_optional; /* added to the contract: a reader takes 0 when it is not there */
	bool is_nullable; /* null is read as "" or 0; "" is written as null */
	int min;
	size_t offset;
	size_t size;
	size_t nr_offset;
	const struct fields *of;
};

/* For the tables: where a member is, where an array and its length are, the table of some rows. */
#define FIELD_AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define FIELD_ARRAY_AT(type, member, nr)                                        \
	.offset = offsetof(type, member), .size = sizeof(*((type *)0)->member), \
	.nr_offset = offsetof(type, nr)
#define FIELDS(table, type)                                           \
	{                                                             \
		table, sizeof(table) / sizeof(table[0]), sizeof(type) \
	}

/* One kind of document. */
struct schema {
	const char *name; /* "cputoll.profile/1"; NULL when it carries none */
	const char *what; /* "profile": for a person */
	const struct fields *fields;
};

struct json_object;

/*
 * document_read() - fill @to, which is zeroes, from @document, loaded from @path.
 * What was allocated for @to is the caller's to free, also after an error.
 * Returns 0; -EPROTO: another schema, or a key missing or of the wrong type or out of range;
 * -ENOMEM; told in @err.
 */
int document_read(const struct schema *schema, struct json_object *document, void *to,
		  const char *path, char *err, size_t err_bytes);

/* fields_read() - json_file_load() and document_read(). */
int fields_read(const struct schema *schema, void *to, const char *path, char *err,
		size_t err_bytes);

/* fields_write() - @from as JSON to @path, as json_file_save() does. Returns as that, or -ENOMEM.
 */
int fields_write(const struct schema *schema, const void *from, const char *path);

#endif /* CPUTOLL_FIELDS_H */
