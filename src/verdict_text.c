// SPDX-License-Identifier: GPL-2.0-only
/*
 * A verdict as text: the table of the 2016 discussion, and a line for each kernel. Called by
 * cmd_verdict.c.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "text.h"
#include "verdict.h"

#define HANG 4 /* how far a line's further lines are indented */

/* @text, cleaned, broken at blanks so that no line is wider than @width where that can be. */
static void print_wrapped(char *text, int width, FILE *out)
{
	int column = 0;
	char *rest, *word;

	text_clean(text, strlen(text) + 1, text);
	for (word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		int own = (int)text_width(word);

		if (column && column + 1 + own > width)
			column = fprintf(out, "\n%*s", HANG, "") - 1;
		else if (column)
			column += fprintf(out, " ");
		fputs(word, out);
		column += own;
	}
	fputc('\n', out);
}

/* "+14.8 %", or from which to which when the rows differ. */
static void print_range(const struct verdict_sum *sum, FILE *to)
{
	char low[32], high[32];

	compare_percent(low, sum->low_percent);
	compare_percent(high, sum->high_percent);
	if (!strcmp(low, high))
		fprintf(to, " %s", low);
	else
		fprintf(to, " %s … %s", low, high);
}

/* ": slower: clock-thread +14.8 %, times no difference +0.02 %": a word where it is another. */
static void print_speed(const struct verdict *verdict, size_t side, FILE *to)
{
	const struct compare *compare = &verdict->compare;
	const char *before = NULL, *mark = ":";
	struct verdict_sum all, sum;

	verdict_sum(verdict, side, NULL, &all);
	fprintf(to, ": %s", all.word);
	for (size_t i = 0; i < compare->nr_rows; i++) {
		const char *workload = compare->rows[i].key.workload;

		if (before && !strcmp(before, workload))
			continue;
		before = workload;
		verdict_sum(verdict, side, workload, &sum);
		if (isnan(sum.low_percent))
			continue;
		fprintf(to, "%s %s%s%s", mark, workload, strcmp(sum.word, all.word) ? " " : "",
			strcmp(sum.word, all.word) ? sum.word : "");
		print_range(&sum, to);
		mark = ",";
	}
}

/* The oracles whose result is @result, after @word; nothing when there is none. */
static void print_oracles(const struct verdict_variant *variant, const char *result,
			  const char *word, FILE *to)
{
	char number[TEXT_NUMBER_BYTES];
	bool any = false;

	for (size_t i = 0; i < variant->nr_oracles; i++) {
		const struct verdict_oracle *oracle = &variant->oracles[i];

		if (strcmp(oracle->result, result))
			continue;
		if (any)
			fprintf(to, "; ");
		else
			fprintf(to, "; %s (", word);
		any = true;
		if (!strcmp(oracle->load, "quiet"))
			fprintf(to, "%s when quiet: ", oracle->name);
		else
			fprintf(to, "%s under %s load: ", oracle->name, oracle->load);
		if (oracle->detail[0])
			fprintf(to, "%s", oracle->detail);
		else
			fprintf(to, "off by %s", text_duration(number, oracle->off_ns));
	}
	if (any)
		fputc(')', to);
}

static int print_variant(const struct verdict *verdict, size_t side, int width, FILE *out)
{
	const struct verdict_variant *variant = &verdict->variants[side];
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return -ENOMEM;
	fprintf(to, "%s", variant->name);
	if (side)
		print_speed(verdict, side, to);
	else
		fprintf(to, ": base");
	print_oracles(variant, "wrong", "WRONG", to);
	if (variant->right)
		fprintf(to, "; %s", variant->right > 0 ? "right" : "not checked");
	print_oracles(variant, "skipped", "left open", to);
	if (fclose(to)) {
		free(text);
		return -ENOMEM;
	}
	print_wrapped(text, width, out);
	free(text);
	return 0;
}

int verdict_print(const struct verdict *verdict, int width, FILE *out)
{
	char(*notes)[COMPARE_NOTE_BYTES] = NULL;
	char line[COMPARE_NOTE_BYTES + 8];
	size_t nr = 0;
	int err = compare_notes(&verdict->compare, &notes, &nr);

	for (size_t i = 0; i < nr; i++) {
		snprintf(line, sizeof(line), "note: %s", notes[i]);
		print_wrapped(line, width, out);
	}
	free(notes);
	if (nr)
		fputc('\n', out);
	if (verdict->compare.nr_rows) {
		compare_print_columns(&verdict->compare, width, out);
		snprintf(line, sizeof(line),
			 "~ no difference: p is not below %g, or the median changed by less than "
			 "%g %%, or the %g %% interval holds 0; ? no test: too few samples",
			 STATS_P, STATS_RESOLUTION_PERCENT, 100 * STATS_CONFIDENCE);
		print_wrapped(line, width, out);
		fputc('\n', out);
	}
	for (size_t i = 0; !err && i < verdict->nr_variants; i++)
		err = print_variant(verdict, i, width, out);
	return err;
}
