// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text for people: clean strings, and numbers in three significant digits. Called by the report
 * and by the profile's reader and writer.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "text.h"

size_t text_utf8_bytes(const char *text)
{
	const unsigned char *c = (const unsigned char *)text;
	__u32 code;
	size_t n;

	if (c[0] < 0x80)
		return c[0] ? 1 : 0;
	n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
	if (c[0] < 0xc2 || c[0] > 0xf4)
		return 0;
	code = c[0] & (0x7f >> n);
	for (size_t i = 1; i < n; i++) {
		if ((c[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (c[i] & 0x3f);
	}
	/* no overlong forms, no surrogates, nothing past the last plane */
	if ((n == 3 && code < 0x800) || (n == 4 && (code < 0x10000 || code > 0x10ffff)) ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	return n;
}

static bool is_control(const char *text, size_t bytes)
{
	unsigned char c = text[0];

	if (bytes == 1)
		return c < 0x20 || c == 0x7f;
	return c == 0xc2 && (unsigned char)text[1] < 0xa0; /* C1: 0x9b alone starts a sequence */
}

char *text_clean(char *to, size_t bytes, const char *from)
{
	size_t at = 0;

	while (*from) {
		size_t n = text_utf8_bytes(from), step = n ? n : 1;
		bool is_shown = n && !is_control(from, n);

		if (at + (is_shown ? n : 1) >= bytes)
			break;
		if (is_shown) {
			memmove(to + at, from, n);
			at += n;
		} else {
			to[at++] = '?';
		}
		from += step;
	}
	to[at] = 0;
	return to;
}

const char *text_word(const char *list, char *word, size_t bytes)
{
	size_t length = strcspn(list, ",");

	snprintf(word, bytes, "%.*s", (int)length, list);
	return list[length] ? list + length + 1 : NULL;
}

size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

void text_cell(FILE *out, int columns, const char *text)
{
	size_t room = columns < 0 ? -columns : columns, width;
	char clean[512];

	text_clean(clean, sizeof(clean), text);
	width = text_width(clean);
	if (width > room) {
		char *end = clean;

		for (size_t i = 0; i + 1 < room; i++)
			end += text_utf8_bytes(end);
		*end = 0;
		fprintf(out, "%s…", clean);
		return;
	}
	fprintf(out, "%*s%s%*s", columns < 0 ? 0 : (int)(room - width), "", clean,
		columns < 0 ? (int)(room - width) : 0, "");
}

/* Three significant digits in the first of @units in which there is but one to three before the
 * point; each unit is 1000 of the one before. */
static const char *print_scaled(char *buf, double number, const char *const *units, size_t nr)
{
	size_t unit = 0;

	while (unit + 1 < nr && number >= 999.5) {
		number /= 1000;
		unit++;
	}
	snprintf(buf, TEXT_NUMBER_BYTES, "%.*f%s",
		 number < 9.995	  ? 2
		 : number < 99.95 ? 1
				  : 0,
		 number, units[unit]);
	return buf;
}

const char *text_count(char buf[TEXT_NUMBER_BYTES], double number)
{
	static const char *const units[] = { "", " k", " M", " G", " T", " P", " E" };

	if (number < 1000 && number == (double)(int)number) {
		snprintf(buf, TEXT_NUMBER_BYTES, "%d", (int)number);
		return buf;
	}
	return print_scaled(buf, number, units, sizeof(units) / sizeof(units[0]));
}

const char *text_duration(char buf[TEXT_NUMBER_BYTES], double ns)
{
	static const char *const units[] = { " ns", " µs", " ms", " s" };

	if (ns == 0)
		return strcpy(buf, "0 ns");
	return print_scaled(buf, ns, units, sizeof(units) / sizeof(units[0]));
}

const char *text_grouped(char buf[TEXT_NUMBER_BYTES], __u64 number)
{
	char digits[TEXT_NUMBER_BYTES];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	char *to = buf;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*to++ = ' ';
		*to++ = digits[i];
	}
	*to = 0;
	return buf;
}

const char *text_percent(char buf[TEXT_NUMBER_BYTES], double part, double whole)
{
	double percent = whole > 0 ? 100 * part / whole : 0;

	if (whole <= 0)
		return strcpy(buf, "-");
	snprintf(buf, TEXT_NUMBER_BYTES, "%.*f %%", part > 0 && percent < 9.95 ? 1 : 0, percent);
	return buf;
}

char *text_list(const char *heading, const char *between, size_t nr,
		void (*print)(FILE *to, size_t index))
{
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return NULL;
	fputs(heading, to);
	for (size_t i = 0; i < nr; i++) {
		fputs(i ? between : "", to);
		print(to, i);
	}
	fclose(to);
	return text;
}
