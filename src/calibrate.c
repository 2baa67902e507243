// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a probe costs on this machine: the engine's own programs around the kernel's empty test
 * function. Called by engine__load() before anything else is attached.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include "engine_impl.h"
#include "engine.skel.h"

/* A run takes some 2 us; the median of this many stands still when a few meet an interrupt. */
#define RUNS   401
#define WARMUP 50

static int compare(const void *a, const void *b)
{
	__u64 x = *(const __u64 *)a, y = *(const __u64 *)b;

	return (x > y) - (x < y);
}

/*
 * Have the kernel call its test functions RUNS times (BPF_PROG_TEST_RUN on a tracing program does
 * that). @outer, @inner: raw durations, ns, in order, of bpf_prog_test_run_tracing and of
 * bpf_fentry_test1 inside it, as the attached programs saw them.
 */
static int run_tests(struct engine *engine, __u64 outer[RUNS], __u64 inner[RUNS])
{
	int fd = bpf_program__fd(engine->entry[FN_ID_bpf_fentry_test1]);
	__u64 *raw = engine->skel->bss->calibration_raw_ns;

	for (int i = -WARMUP; i < RUNS; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts);
		int ret = bpf_prog_test_run_opts(fd, &opts);

		if (ret)
			return ret;
		if (i < 0)
			continue;
		outer[i] = raw[0];
		inner[i] = raw[1];
	}
	qsort(outer, RUNS, sizeof(*outer), compare);
	qsort(inner, RUNS, sizeof(*inner), compare);
	return 0;
}

/*
 * This process's own slot, which the calibration claims: muted, so that a record counts none of the
 * recorder's own reads; not muted for another calibration. And this process's tgid as the kernel
 * knows it (getpid() is the pid namespace's).
 */
static void mute_self(struct engine *engine, bool muted)
{
	struct engine_bpf__bss *bss = engine->skel->bss;

	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = (struct slot *)&bss->slots[i];

		if (!slot->task || slot->own_tgid != (__u32)getpid())
			continue;
		bss->self_tgid = slot->tgid;
		slot->depth = muted ? SLOT_MUTED : 0;
	}
}

int engine__calibrate(struct engine *engine, struct engine_calibration *calibration)
{
	__u64 bare[RUNS], outer[RUNS], inner[RUNS];
	struct engine_bpf__bss *bss = engine->skel->bss;
	const size_t middle = RUNS / 2;
	int ret;

	*calibration = (struct engine_calibration){};
	if (!engine->functions[FN_ID_bpf_prog_test_run_tracing].wanted ||
	    !engine->functions[FN_ID_bpf_fentry_test1].wanted)
		return -ENOENT;
	if (!bss->self_tgid)
		bss->self_tgid = (__u32)getpid(); /* until mute_self() knows better */
	mute_self(engine, false);
	bss->calibrating = bss->active = true;
	/* The outer function alone, then with the inner one probed: the difference is a probe's
	 * cost. */
	ret = engine_attach_pair(engine, FN_ID_bpf_prog_test_run_tracing);
	if (!ret)
		ret = run_tests(engine, bare, inner);
	if (!ret)
		ret = engine_attach_pair(engine, FN_ID_bpf_fentry_test1);
	if (!ret)
		ret = run_tests(engine, outer, inner);
	engine_detach_all(engine);
	bss->calibrating = bss->active = false;
	mute_self(engine, true);
	if (ret)
		return ret;
	calibration->inside_ns = inner[middle];
	calibration->whole_ns = outer[middle] > bare[middle] ? outer[middle] - bare[middle]
							     : inner[middle];
	calibration->low_ns = inner[RUNS / 20];
	calibration->high_ns = inner[RUNS - 1 - RUNS / 20];
	bss->inside_ns = calibration->inside_ns;
	bss->whole_ns = calibration->whole_ns;
	return 0;
}
