/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The latency histogram's buckets, the same arithmetic on both sides: bpf/engine.bpf.c
 * finds a latency's bucket, src/hist.c its bounds and the percentiles.
 */
#ifndef CPUTOLL_BUCKETS_H
#define CPUTOLL_BUCKETS_H

#include "types.h"

/*
 * Linear up to 1024 ns, where a read of CPU time lies (8 ns: 2 % of the usual 400), one shift
 * and no branch to find; above that 8 steps an octave (at most 12.5 % wide) up to 2^33 ns, 8.6 s.
 * The last bucket holds all that is longer.
 */
#define HIST_LINEAR_SHIFT 3
#define HIST_LINEAR_BITS  10
#define HIST_LINEAR	  (1 << (HIST_LINEAR_BITS - HIST_LINEAR_SHIFT))
#define HIST_STEP_BITS	  3
#define HIST_STEPS	  (1 << HIST_STEP_BITS)
#define HIST_TOP_BITS	  33
#define HIST_OCTAVES	  (HIST_TOP_BITS - HIST_LINEAR_BITS)
#define HIST_BUCKETS	  (HIST_LINEAR + HIST_OCTAVES * HIST_STEPS + 1)

/* hist_log2() - the number of @v's highest set bit; @v is not 0. BPF has no such instruction. */
static inline __attribute__((always_inline)) __u32 hist_log2(__u64 v)
{
	__u32 bit = 0;

	if (v >> 32) {
		bit += 32;
		v >>= 32;
	}
	if (v >> 16) {
		bit += 16;
		v >>= 16;
	}
	if (v >> 8) {
		bit += 8;
		v >>= 8;
	}
	if (v >> 4) {
		bit += 4;
		v >>= 4;
	}
	if (v >> 2) {
		bit += 2;
		v >>= 2;
	}
	return bit + (v >> 1);
}

/* hist_bucket() - the bucket, below HIST_BUCKETS, of @ns nanoseconds. */
static inline __attribute__((always_inline)) __u32 hist_bucket(__u64 ns)
{
	__u32 bit;

	if (ns < (1 << HIST_LINEAR_BITS))
		return ns >> HIST_LINEAR_SHIFT;
	bit = hist_log2(ns);
	if (bit >= HIST_TOP_BITS)
		return HIST_BUCKETS - 1;
	return HIST_LINEAR + (bit - HIST_LINEAR_BITS) * HIST_STEPS +
	       ((ns >> (bit - HIST_STEP_BITS)) & (HIST_STEPS - 1));
}

#endif /* CPUTOLL_BUCKETS_H */
