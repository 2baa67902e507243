// SPDX-License-Identifier: GPL-2.0-only
/*
 * timer-tick: a loop that looks at the clock again and again loses time where an interrupt comes;
 * those that come once a tick are told apart by when they come. Called by bench_armed.c.
 */
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include "bench_tick.h"
#include "clock.h"

/*
 * Rounds of the loop between two looks at the clock: enough that the tick rarely comes while the
 * vDSO reads it, who would then have to read it again (1.2 % of a tick more), few enough that a
 * tick (2600 instructions) is longer than they take.
 */
#define ROUNDS 500
/* No interrupt is over sooner, and looking at the clock may take a few times as long as usual. */
#define SHORTEST_GAP_NS 300
/* The first ticks of a process find the kernel still cleaning up after others, and the task's load,
 * which they average, young: some 20 are up to 1 % longer than the rest. */
#define WARMUP 30
/* Interruptions to keep for each tick, more are not looked at: a busy host has them, too. */
#define GAPS_PER_TICK 16
/* How far from its place in the period a tick may come: one part in so many of the period. */
#define NEAR_PART 50
/* Whose places are tried; the ticks have to be among these somewhere. */
#define PLACES 1000

/* The ticks of another CPU may come at another place in the period. */
static int stay_on_cpu(void)
{
	cpu_set_t cpus;
	int cpu = sched_getcpu();

	if (cpu < 0)
		return -errno;
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus) ? -errno : 0;
}

static __u64 do_work(void)
{
	for (int i = 0; i < ROUNDS; i++)
		__asm__ volatile("" ::: "memory");
	return clock_monotonic_ns();
}

/* The shortest of many turns of the loop, all of them over before two ticks have come. */
static __u64 shortest_turn_ns(__u64 period_ns)
{
	__u64 start_ns = clock_monotonic_ns(), last_ns = start_ns, shortest_ns = UINT64_MAX;

	while (last_ns - start_ns < period_ns) {
		__u64 now_ns = do_work();

		if (now_ns - last_ns < shortest_ns)
			shortest_ns = now_ns - last_ns;
		last_ns = now_ns;
	}
	return shortest_ns;
}

/* Work for @duration_ns. Returns how many interruptions there were, @most at most. */
static size_t find_gaps(struct gap *gaps, size_t most, __u64 duration_ns, __u64 turn_ns)
{
	__u64 start_ns = clock_monotonic_ns(), last_ns = start_ns;
	size_t nr = 0;

	while (last_ns - start_ns < duration_ns && nr < most) {
		__u64 now_ns = do_work();

		if (now_ns - last_ns > turn_ns + turn_ns / 2 + SHORTEST_GAP_NS) {
			gaps[nr].at_ns = last_ns;
			gaps[nr].duration_ns = now_ns - last_ns - turn_ns;
			nr++;
			now_ns = clock_monotonic_ns();
		}
		last_ns = now_ns;
	}
	return nr;
}

/* Whether @gap comes near the start of a period, of those counted from @place_ns, and of which. */
static bool is_near(const struct gap *gap, __u64 place_ns, __u64 period_ns, __u64 *period)
{
	/* one period earlier, for all that come no more than one before place_ns */
	__u64 since_ns = gap->at_ns + period_ns + period_ns / NEAR_PART - place_ns;

	*period = since_ns / period_ns;
	return since_ns % period_ns <= 2 * (period_ns / NEAR_PART);
}

/*
 * The longest one of each period that comes near @place_ns, of @gaps in the order of time; into
 * @ticks_ns, unless that is NULL. Returns how many.
 */
static size_t pick_at(const struct gap *gaps, size_t nr, __u64 place_ns, __u64 period_ns,
		      __u64 *ticks_ns)
{
	__u64 period, last = UINT64_MAX, longest_ns = 0;
	size_t picked = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!is_near(&gaps[i], place_ns, period_ns, &period))
			continue;
		if (period != last) {
			picked++;
			longest_ns = 0;
		}
		if (gaps[i].duration_ns > longest_ns)
			longest_ns = gaps[i].duration_ns;
		if (ticks_ns)
			ticks_ns[picked - 1] = longest_ns;
		last = period;
	}
	return picked;
}

size_t ticks_pick(const struct gap *gaps, size_t nr, __u64 period_ns, __u64 *ticks_ns)
{
	__u64 place_ns = 0;
	size_t best = 0;

	for (size_t i = 0; i < nr && i < PLACES; i++) {
		/* the same place in the first period */
		__u64 at_ns = gaps[0].at_ns + (gaps[i].at_ns - gaps[0].at_ns) % period_ns;
		size_t picked = pick_at(gaps, nr, at_ns, period_ns, NULL);

		if (picked > best) {
			best = picked;
			place_ns = at_ns;
		}
	}
	return pick_at(gaps, nr, place_ns, period_ns, ticks_ns);
}

int bench_measure_ticks(int count, struct bench_sample *sample, const char **what)
{
	size_t periods = 2 * (size_t)count, most = (periods + WARMUP) * GAPS_PER_TICK, nr;
	__u64 period_ns = clock_tick_ns(), turn_ns, *ticks_ns;
	struct gap *gaps;
	int err;

	*what = "staying on one CPU";
	err = stay_on_cpu();
	if (err)
		return err;
	*what = "telling ticks from other interruptions (is this CPU busy, or in nohz_full?)";
	gaps = malloc(most * sizeof(gaps[0]));
	ticks_ns = malloc(most * sizeof(ticks_ns[0]));
	if (!gaps || !ticks_ns) {
		err = -ENOMEM;
		goto out;
	}
	turn_ns = shortest_turn_ns(period_ns);
	find_gaps(gaps, most, WARMUP * period_ns, turn_ns);
	nr = find_gaps(gaps, most, periods * period_ns, turn_ns);
	nr = ticks_pick(gaps, nr, period_ns, ticks_ns);
	if (nr < periods / 2)
		err = -ETIME;
	*sample = bench_part(ticks_ns, nr, nr / 4, nr - 2 * (nr / 4));
out:
	free(ticks_ns);
	free(gaps);
	return err;
}
