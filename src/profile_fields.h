/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The profile's JSON document as a table of keys: what each is called, its type, and where its
 * value lives in struct profile. profile_write.c and profile_read.c walk the same table.
 */
#ifndef CPUTOLL_PROFILE_FIELDS_H
#define CPUTOLL_PROFILE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

/* No array of a profile comes near this; it bounds what a hostile file can make the reader take. */
#define PROFILE_MAX_ELEMENTS 65536

enum field_type {
	FIELD_STRING,	   /* char[size] */
	FIELD_BOOL,	   /* bool */
	FIELD_INT,	   /* int, min … INT_MAX */
	FIELD_U64,	   /* __u64 */
	FIELD_MASK,	   /* unsigned, MASK_*: an array of fields' names */
	FIELD_MASK_COUNTS, /* __u64[MASK_COUNT]: an object, letters → count, without zeros */
	FIELD_HIST,	   /* struct hist: lower_ns[] and count[], without zeros */
	FIELD_OBJECT,	   /* the keys of @of, about the same structure */
	FIELD_ARRAY,	   /* a pointer at @offset, a size_t at @nr_offset: objects of @of */
	FIELD_CONFIG,	   /* the same of struct profile_config: an object, name → value */
	FIELD_SCHEMA,	   /* PROFILE_SCHEMA itself */
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
	int min;
	size_t offset;
	size_t size;
	size_t nr_offset;
	const struct fields *of;
};

/* profile_fields() - the table of the whole document. */
const struct fields *profile_fields(void);

#endif /* CPUTOLL_PROFILE_FIELDS_H */
