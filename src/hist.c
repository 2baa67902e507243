// SPDX-License-Identifier: GPL-2.0-only
/*
 * Histograms on the user's side: bounds, sums and percentiles. Called by the profile's reader
 * and writer and by the report.
 */
#include <stdint.h>
#include "hist.h"

__u64 hist_lower_ns(unsigned bucket)
{
	unsigned octave, step;

	if (bucket < HIST_LINEAR)
		return (__u64)bucket << HIST_LINEAR_SHIFT;
	octave = (bucket - HIST_LINEAR) / HIST_STEPS + HIST_LINEAR_BITS;
	step = (bucket - HIST_LINEAR) % HIST_STEPS;
	return (__u64)(HIST_STEPS + step) << (octave - HIST_STEP_BITS);
}

__u64 hist_total(const struct hist *hist)
{
	__u64 total = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		if (__builtin_add_overflow(total, hist->count[i], &total))
			return UINT64_MAX;
	return total;
}

void hist_add(struct hist *to, const struct hist *from)
{
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		to->count[i] += from->count[i];
}

double hist_percentile(const struct hist *hist, double percent)
{
	double rank = percent / 100 * (double)hist_total(hist), below = 0;
	unsigned last = 0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		double count = (double)hist->count[i], lower, width;

		if (!hist->count[i])
			continue;
		last = i;
		if (below + count < rank) {
			below += count;
			continue;
		}
		lower = (double)hist_lower_ns(i);
		if (i == HIST_BUCKETS - 1)
			return lower;
		width = (double)hist_lower_ns(i + 1) - lower;
		return rank <= below ? lower : lower + (rank - below) / count * width;
	}
	/* Empty; or a @rank that rounding has put a hair above the sum of the counts. */
	return last + 1 < HIST_BUCKETS && hist->count[last] ? (double)hist_lower_ns(last + 1)
							    : (double)hist_lower_ns(last);
}
