// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of clocks, masks and the fields of struct task_cputime. Called by record, which fills a
 * profile, by its reader and writer, by the report and by the workloads.
 */
#include <stddef.h>
#include <string.h>
#include "mask.h"

static const struct {
	const char *name;
	unsigned asks;
	bool is_scaled;
} clocks[] = {
#define X(id, name, asks, scaled) [CLK_##id] = { name, asks, scaled },
	CPUTOLL_CLOCKS(X)
#undef X
};

static const struct {
	unsigned bit;
	const char *name;
} fields[] = {
	{ MASK_UTIME, "utime" },
	{ MASK_STIME, "stime" },
	{ MASK_SCHED, "sum_exec_runtime" },
};
#define NR_FIELDS (sizeof(fields) / sizeof(fields[0]))

static bool is_clock(int id)
{
	return id >= 0 && id < CLK_COUNT;
}

const char *clock_name(int id)
{
	return is_clock(id) ? clocks[id].name : "?";
}

unsigned clock_asks(int id)
{
	return is_clock(id) ? clocks[id].asks : MASK_NONE;
}

unsigned clock_needs(int id, bool adjusts)
{
	if (!is_clock(id))
		return MASK_NONE;
	return clocks[id].asks | (adjusts && clocks[id].is_scaled ? MASK_SCHED : MASK_NONE);
}

const char *mask_letters(unsigned mask)
{
	static const char *const letters[MASK_COUNT] = {
		"-", "u", "s", "us", "r", "ur", "sr", "usr",
	};

	return mask < MASK_COUNT ? letters[mask] : "?";
}

const char *mask_field(unsigned bit)
{
	for (size_t i = 0; i < NR_FIELDS; i++)
		if (fields[i].bit == bit)
			return fields[i].name;
	return NULL;
}

unsigned mask_bit(const char *name)
{
	for (size_t i = 0; i < NR_FIELDS; i++)
		if (!strcmp(fields[i].name, name))
			return fields[i].bit;
	return 0;
}
