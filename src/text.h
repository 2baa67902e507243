/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text for people: strings from elsewhere made safe for a terminal, counts and durations in three
 * significant digits. Used by the report, the profile's reader (its messages) and writer.
 */
#ifndef CPUTOLL_TEXT_H
#define CPUTOLL_TEXT_H

#include <stddef.h>
#include <stdio.h>
#include <linux/types.h>

/* Room for any number text_*() prints. */
#define TEXT_NUMBER_BYTES 32

/* text_utf8_bytes() - the length of the UTF-8 character @text starts with; 0 when it is none. */
size_t text_utf8_bytes(const char *text);

/*
 * text_clean() - copy @from to @to, cut to @bytes (> 0) at a character's end, with every control
 * character (a process may choose its comm) and every byte that is no UTF-8 as "?". @to may
 * be @from. Returns @to.
 */
char *text_clean(char *to, size_t bytes, const char *from);

/* text_word() - copy the first of @list's words, comma separated, to @word, cut to @bytes (> 0).
 * Returns what follows the comma, NULL when it was the last one. */
const char *text_word(const char *list, char *word, size_t bytes);

/* text_width() - columns of @text, which is clean: one a character. */
size_t text_width(const char *text);

/*
 * text_cell() - print @text, cleaned, on exactly @columns columns: cut with "…" when longer,
 * else padded, on the right when @columns is negative (as in printf's %-5s).
 */
void text_cell(FILE *out, int columns, const char *text);

/* text_count() - @number as "999", "1.23 k", "45.6 M"; text_grouped() - as "1 200 064". */
const char *text_count(char buf[TEXT_NUMBER_BYTES], double number);
const char *text_grouped(char buf[TEXT_NUMBER_BYTES], __u64 number);

/* text_duration() - @ns as "356 ns", "1.23 µs", "45.6 ms", "5.00 s". */
const char *text_duration(char buf[TEXT_NUMBER_BYTES], double ns);

/* text_percent() - @part of @whole as "61 %", "3.3 %", "0 %" for exactly none; "-" when there is no
 * whole. */
const char *text_percent(char buf[TEXT_NUMBER_BYTES], double part, double whole);

/*
 * text_list() - @heading and what @print prints of 0 … @nr - 1, with @between between them: a table
 * for a help, or the names for an error. Returns text that the caller frees, NULL without memory.
 */
char *text_list(const char *heading, const char *between, size_t nr,
		void (*print)(FILE *to, size_t index));

#endif /* CPUTOLL_TEXT_H */
