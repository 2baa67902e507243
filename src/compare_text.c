// SPDX-License-Identifier: GPL-2.0-only
/*
 * A comparison as text: two sides with all that is known of their difference, or many sides a
 * column each. Called by cmd_compare.c and verdict_text.c.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "compare.h"
#include "text.h"

#define NAME_MAX_WIDTH	 50 /* the columns around it take 69, of a profile 15 more */
#define COLUMN_MAX_WIDTH 28
#define CELL_BYTES	 80

const char *compare_percent(char text[TEXT_NUMBER_BYTES], double percent)
{
	double size = fabs(percent);

	if (isnan(percent))
		return strcpy(text, "-");
	if (isinf(percent))
		return strcpy(text, "∞");
	if (percent == 0)
		return strcpy(text, "0 %");
	snprintf(text, TEXT_NUMBER_BYTES, "%+.*f %%",
		 size < 0.995	? 2
		 : size < 999.5 ? 1
				: 0,
		 percent);
	return text;
}

static const char *median_text(const struct compare *compare, char text[TEXT_NUMBER_BYTES],
			       double median)
{
	if (isnan(median))
		return strcpy(text, "-");
	if (compare->is_profile)
		return text_duration(text, median);
	snprintf(text, TEXT_NUMBER_BYTES, median < 1e9 ? "%.1f" : "%.3g", median);
	return text;
}

static const char *interval_text(char text[CELL_BYTES], const double *interval)
{
	char low[TEXT_NUMBER_BYTES], high[TEXT_NUMBER_BYTES];
	size_t n;

	if (isnan(interval[0]))
		return strcpy(text, "-");
	compare_percent(low, interval[0]);
	compare_percent(high, interval[1]);
	n = strlen(low);
	/* one sign of percent for both */
	if (n > 2 && !isinf(interval[1]))
		low[n - 2] = 0;
	snprintf(text, CELL_BYTES, "%s … %s", low, high);
	return text;
}

static const char *p_text(char text[TEXT_NUMBER_BYTES], double p)
{
	if (isnan(p))
		return strcpy(text, "-");
	if (p < 1e-4)
		return strcpy(text, "<0.0001");
	snprintf(text, TEXT_NUMBER_BYTES, "%.4f", p);
	return text;
}

static int wider(int width, const char *text)
{
	int own = (int)text_width(text);

	return own > width ? own : width;
}

static int names_width(const struct compare *compare)
{
	char name[256], clean[256];
	int width = 8;

	for (size_t i = 0; i < compare->nr_rows; i++) {
		compare_row_name(&compare->rows[i], name, sizeof(name));
		width = wider(width, text_clean(clean, sizeof(clean), name));
	}
	return width < NAME_MAX_WIDTH ? width : NAME_MAX_WIDTH;
}

/* The file's name without its folders and suffix: what a column is called. */
static const char *column_name(const char *path, char *name, size_t bytes)
{
	const char *slash = strrchr(path, '/');
	size_t n;

	text_clean(name, bytes, slash && slash[1] ? slash + 1 : path);
	n = strlen(name);
	if (n > 5 && !strcmp(name + n - 5, ".json"))
		name[n - 5] = 0;
	return name;
}

static void print_calls(const struct compare_cell *base, const struct compare_cell *other,
			FILE *out)
{
	char text[TEXT_NUMBER_BYTES], ratio[TEXT_NUMBER_BYTES + 4] = "-";

	text_cell(out, 8, base->is_there ? text_count(text, (double)base->calls) : "-");
	if (base->calls && other->is_there)
		snprintf(ratio, sizeof(ratio), "×%s",
			 text_count(text, (double)other->calls / (double)base->calls));
	text_cell(out, 7, ratio);
}

static void print_row(const struct compare *compare, const struct compare_row *row, size_t other,
		      int name_width, FILE *out)
{
	const struct compare_cell *base = &row->cells[0], *cell = &row->cells[other];
	const struct stats_change *change = &cell->change;
	char name[256], text[CELL_BYTES];

	text_cell(out, -name_width, compare_row_name(row, name, sizeof(name)));
	if (compare->is_profile)
		print_calls(base, cell, out);
	text_cell(out, 9, median_text(compare, text, change->base));
	text_cell(out, 9, median_text(compare, text, change->other));
	text_cell(out, 9, compare_percent(text, change->change_percent));
	text_cell(out, 18, interval_text(text, change->interval_percent));
	text_cell(out, 9, p_text(text, change->p));
	fprintf(out, "  %s\n", compare_word(row, other));
}

/* What called the functions that follow, when that is no read with a row of its own. */
static void print_caller(const struct compare_row *row, const struct compare_row *before, FILE *out)
{
	const struct compare_key *key = &row->key;
	char clean[128];

	if (!key->function[0] || (before && !strcmp(before->key.caller, key->caller) &&
				  !strcmp(before->key.clock, key->clock)))
		return;
	fprintf(out, "%s", text_clean(clean, sizeof(clean), key->caller));
	fprintf(out, " %s\n", text_clean(clean, sizeof(clean), key->clock));
}

void compare_print(const struct compare *compare, size_t other, FILE *out)
{
	int name_width = names_width(compare), room = NAME_MAX_WIDTH;
	char head[64];

	if (compare->is_profile)
		room -= 15;
	if (name_width > room)
		name_width = room;
	if (compare->is_profile)
		snprintf(head, sizeof(head), "median of");
	else
		snprintf(head, sizeof(head), "%s per call, median", compare_unit(compare));
	text_cell(out, -name_width, head);
	if (compare->is_profile)
		fprintf(out, "%8s%7s", "calls", "");
	fprintf(out, "%9s%9s%9s%18s%9s\n", "base", "other", "change", "95 % interval", "p");
	for (size_t i = 0; i < compare->nr_rows; i++) {
		print_caller(&compare->rows[i], i ? &compare->rows[i - 1] : NULL, out);
		print_row(compare, &compare->rows[i], other, name_width, out);
	}
}

/* "778.6 (+14.8 %)"; "~": no difference, "?": no test. */
static const char *cell_text(const struct compare *compare, const struct compare_row *row,
			     size_t side, char text[CELL_BYTES])
{
	static const char *const marks[STATS_WORDS] = {
		[STATS_NO_TEST] = "?",
		[STATS_NO_DIFFERENCE] = "~",
		[STATS_FASTER] = "",
		[STATS_SLOWER] = "",
	};
	const struct stats_change *change = &row->cells[side].change;
	char median[TEXT_NUMBER_BYTES], percent[TEXT_NUMBER_BYTES];

	median_text(compare, median, change->other);
	if (!side || !row->cells[side].is_there || !row->cells[0].is_there)
		return strcpy(text, median);
	snprintf(text, CELL_BYTES, "%s (%s%s)", median, marks[change->word],
		 compare_percent(percent, change->change_percent));
	return text;
}

static int column_width(const struct compare *compare, size_t side)
{
	char text[CELL_BYTES], name[64];
	int width = wider(6, column_name(compare->sides[side].name, name, sizeof(name)));

	for (size_t i = 0; i < compare->nr_rows; i++)
		width = wider(width, cell_text(compare, &compare->rows[i], side, text));
	return 2 + (width < COLUMN_MAX_WIDTH ? width : COLUMN_MAX_WIDTH);
}

/* The sides of one block: the first one, and from @from to before @to. */
struct block {
	size_t from, to;
	int name_width;
	const int *widths;
};

static void print_block_head(const struct compare *compare, const struct block *block,
			     const char *title, FILE *out)
{
	char name[64];

	text_cell(out, -block->name_width, title);
	for (size_t i = 0; i < block->to; i = i ? i + 1 : block->from) {
		fputs("  ", out);
		text_cell(out, block->widths[i] - 2,
			  column_name(compare->sides[i].name, name, sizeof(name)));
	}
	fputc('\n', out);
}

static void print_block(const struct compare *compare, const struct block *block, FILE *out)
{
	const char *workload = NULL;
	char name[256], text[CELL_BYTES];

	for (size_t i = 0; i < compare->nr_rows; i++) {
		const struct compare_row *row = &compare->rows[i];

		if (!workload || strcmp(workload, row->key.workload)) {
			workload = row->key.workload;
			if (compare->is_profile)
				snprintf(name, sizeof(name), "median of");
			else
				snprintf(name, sizeof(name), "%s%s%s per call", workload,
					 workload[0] ? ", " : "", compare_unit(compare));
			print_block_head(compare, block, name, out);
		}
		print_caller(row, i ? row - 1 : NULL, out);
		text_cell(out, -block->name_width, compare_row_name(row, name, sizeof(name)));
		for (size_t j = 0; j < block->to; j = j ? j + 1 : block->from)
			text_cell(out, block->widths[j], cell_text(compare, row, j, text));
		fputc('\n', out);
	}
}

void compare_print_columns(const struct compare *compare, int width, FILE *out)
{
	int *widths = calloc(compare->nr_sides, sizeof(*widths));
	struct block block = { 1, 1, names_width(compare), widths };

	for (size_t i = 0; widths && i < compare->nr_sides; i++)
		widths[i] = column_width(compare, i);
	while (widths && block.from < compare->nr_sides) {
		int used = block.name_width + widths[0] + widths[block.from];

		if (block.from > 1)
			fputc('\n', out);
		block.to = block.from + 1;
		while (block.to < compare->nr_sides && used + widths[block.to] <= width)
			used += widths[block.to++];
		print_block(compare, &block, out);
		block.from = block.to;
	}
	free(widths);
}
