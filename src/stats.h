/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Are two sets of times different? Medians, the change between them in percent with its interval,
 * and the Mann-Whitney test, of samples and of histograms. Used by compare and verdict; the
 * distributions are libRmath's.
 */
#ifndef CPUTOLL_STATS_H
#define CPUTOLL_STATS_H

#include <stddef.h>
#include "hist.h"

/*
 * The rule for calling two sides different: p < STATS_P, the median changed by at least
 * STATS_RESOLUTION_PERCENT, and the interval of the change, at STATS_CONFIDENCE, does not hold 0.
 */
#define STATS_P			 0.01
#define STATS_RESOLUTION_PERCENT 0.1
#define STATS_CONFIDENCE	 0.95

/* The least samples a side with which p can come out below STATS_P: 2 / (10 over 5) = 0.0079. */
#define STATS_ENOUGH 5

enum stats_word {
	STATS_NO_TEST, /* too few samples to tell */
	STATS_NO_DIFFERENCE,
	STATS_FASTER,
	STATS_SLOWER,
	STATS_WORDS,
};

/* stats_word_text() - "no test", "no difference", "faster", "slower". */
const char *stats_word_text(enum stats_word word);

/* From a base to another side. What cannot be said is NaN; an interval's open end is infinite. */
struct stats_change {
	double base, other;	    /* the medians */
	double change_percent;	    /* from median to median */
	double shift_percent;	    /* Hodges-Lehmann: the median of all pairs' ratios */
	double interval_percent[2]; /* at STATS_CONFIDENCE */
	double p;		    /* Mann-Whitney, two-sided */
	enum stats_word word;
};

/* stats_median() - the median of @nr @samples in any order; NaN when there are none or no memory.
 */
double stats_median(const double *samples, size_t nr);

/*
 * stats_compare() - compare two sets of samples, none of them negative.
 *
 * p: exact when both have fewer than 50 samples, with ties too; else by the normal approximation,
 * corrected for ties and continuity. Without ties it is wilcox.test()'s of R, and past 49 always.
 * 1 when all samples are equal; NaN when a side has less than two.
 * shift_percent and interval_percent: exp() of the Hodges-Lehmann estimate of the logarithms'
 * shift, and of the K-th smallest and K-th largest difference of their pairs. K is the exact
 * quantile of the Mann-Whitney distribution when both sides have fewer than 50 samples, else its
 * normal approximation; with ties the interval holds at least its confidence. NaN when a sample is
 * 0, or there are too few for that confidence.
 *
 * Returns 0 or -ENOMEM.
 */
int stats_compare(const double *base, size_t nr_base, const double *other, size_t nr_other,
		  struct stats_change *change);

/*
 * stats_compare_hist() - compare two histograms of latencies.
 *
 * The medians are interpolated in their buckets. p: as of samples of which all in one bucket are
 * equal. shift_percent: as of samples in the middle of their buckets. interval_percent: of the
 * change of the median. Each side's median lies between two order statistics, whose ranks are the
 * binomial distribution's quantiles at the square root of STATS_CONFIDENCE; from the first's
 * bucket the least latency is taken, from the second's the most, so that a change that the buckets
 * are too wide to show is none; then the extreme ratios. NaN with fewer than 7 latencies.
 *
 * Returns 0 or -ENOMEM.
 */
int stats_compare_hist(const struct hist *base, const struct hist *other,
		       struct stats_change *change);

#endif /* CPUTOLL_STATS_H */
