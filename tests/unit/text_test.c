// SPDX-License-Identifier: GPL-2.0-only
/* Text for people: numbers to three digits, strings safe for a terminal, cells of exact width. */
#include "unit.h"
#include "text.h"

static void test_durations(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} rows[] = {
		{ 0, "0 ns" },	      { 0.5, "0.50 ns" },    { 9.994, "9.99 ns" },
		{ 9.996, "10.0 ns" }, { 99.94, "99.9 ns" },  { 99.96, "100 ns" },
		{ 356.4, "356 ns" },  { 999.4, "999 ns" },   { 999.6, "1.00 µs" },
		{ 1234, "1.23 µs" },  { 12345, "12.3 µs" },  { 123456, "123 µs" },
		{ 999499, "999 µs" }, { 999500, "1.00 ms" }, { 5e9, "5.00 s" },
		{ 61.2e9, "61.2 s" }, { 3600e9, "3600 s" },
	};
	char buf[TEXT_NUMBER_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(text_duration(buf, rows[i].ns), rows[i].text);
}

static void test_counts(void **state)
{
	char buf[TEXT_NUMBER_BYTES];

	(void)state;
	assert_string_equal(text_count(buf, 0), "0");
	assert_string_equal(text_count(buf, 999), "999");
	assert_string_equal(text_count(buf, 1000), "1.00 k");
	assert_string_equal(text_count(buf, 240013), "240 k");
	assert_string_equal(text_count(buf, 999600), "1.00 M");
	assert_string_equal(text_count(buf, 1200064), "1.20 M");
	assert_string_equal(text_count(buf, 17.0004), "17.0");
	assert_string_equal(text_count(buf, 1.8446744073709552e19), "18.4 E");
	assert_string_equal(text_grouped(buf, 0), "0");
	assert_string_equal(text_grouped(buf, 999), "999");
	assert_string_equal(text_grouped(buf, 1000), "1 000");
	assert_string_equal(text_grouped(buf, 1200064), "1 200 064");
	assert_string_equal(text_grouped(buf, UINT64_MAX), "18 446 744 073 709 551 615");
}

static void test_percents(void **state)
{
	char buf[TEXT_NUMBER_BYTES];

	(void)state;
	assert_string_equal(text_percent(buf, 61, 100), "61 %");
	assert_string_equal(text_percent(buf, 1, 3), "33 %");
	assert_string_equal(text_percent(buf, 3.3, 100), "3.3 %");
	assert_string_equal(text_percent(buf, 9.96, 100), "10 %");
	assert_string_equal(text_percent(buf, 1, 100000), "0.0 %");
	assert_string_equal(text_percent(buf, 0, 7), "0 %");
	assert_string_equal(text_percent(buf, 7, 7), "100 %");
	assert_string_equal(text_percent(buf, 0, 0), "-");
}

static void test_clean(void **state)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{ "java", "java" },
		{ "", "" },
		{ "пр", "пр" },
		{ "a\x1b[31mb\n\t\r\x07\x7f", "a?[31mb?????" },
		{ "\xc2\x9b"
		  "31m",
		  "?31m" },			/* C1: a control sequence of one character */
		{ "\xc2\xa0", "\xc2\xa0" },	/* the first above them */
		{ "\x9b", "?" },		/* the same as a bare byte */
		{ "\xd0", "?" },		/* cut */
		{ "\xc0\x9b", "??" },		/* overlong */
		{ "\xe0\x80\x9b", "???" },	/* overlong */
		{ "\xed\xa0\x80", "???" },	/* a surrogate */
		{ "\xf4\x90\x80\x80", "????" }, /* past the last plane */
		{ "\xf0\x9f\x90\xa7", "\xf0\x9f\x90\xa7" },
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(text_clean(buf, sizeof(buf), rows[i].from), rows[i].to);
	assert_string_equal(text_clean(buf, 4, "abcdef"), "abc");
	assert_string_equal(text_clean(buf, 4, "пр"), "п"); /* never half a letter */
	assert_string_equal(text_clean(buf, 1, "abc"), "");
	strcpy(buf, "a\nb");
	assert_string_equal(text_clean(buf, sizeof(buf), buf), "a?b");
}

static const char *cell(int columns, const char *text)
{
	static char buf[256];
	FILE *out = fmemopen(buf, sizeof(buf), "w");

	assert_non_null(out);
	text_cell(out, columns, text);
	fclose(out);
	return buf;
}

static void test_cells(void **state)
{
	(void)state;
	assert_string_equal(cell(6, "abc"), "   abc");
	assert_string_equal(cell(-6, "abc"), "abc   ");
	assert_string_equal(cell(3, "abc"), "abc");
	assert_string_equal(cell(-3, "abcd"), "ab…");
	assert_string_equal(cell(8, "1.23 µs"), " 1.23 µs");
	assert_string_equal(cell(-4, "прив"), "прив");
	assert_string_equal(cell(-3, "прив"), "пр…");
	assert_string_equal(cell(5, "a\nb"), "  a?b");
	assert_string_equal(cell(4, ""), "    ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations), cmocka_unit_test(test_counts),
		cmocka_unit_test(test_percents),  cmocka_unit_test(test_clean),
		cmocka_unit_test(test_cells),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
