/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Histograms on the user's side: bounds of the buckets (include/buckets.h has the arithmetic),
 * percentiles. Used by the profile and the report.
 */
#ifndef CPUTOLL_SRC_HIST_H
#define CPUTOLL_SRC_HIST_H

#include "types.h"
#include "buckets.h"

/* Latencies in HIST_BUCKETS buckets, corrected for the probes' cost. */
struct hist {
	__u64 count[HIST_BUCKETS];
};

/* hist_lower_ns() - the least latency, ns, that falls into @bucket (< HIST_BUCKETS). */
__u64 hist_lower_ns(unsigned bucket);

/* hist_total() - how many latencies @hist holds; UINT64_MAX when more than that. */
__u64 hist_total(const struct hist *hist);

/* hist_add() - add @from's counts to @to. */
void hist_add(struct hist *to, const struct hist *from);

/*
 * hist_percentile() - the latency, ns, at or below which @percent (0 … 100) of @hist's lie,
 * interpolated inside its bucket; 0 for an empty histogram. The last bucket answers its lower
 * bound.
 */
double hist_percentile(const struct hist *hist, double percent);

#endif /* CPUTOLL_SRC_HIST_H */
