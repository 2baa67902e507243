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
 * that). Returns 0 or a negative errno; @outer_ns: the median duration, raw, of
 * bpf_prog_test_run_tracing; @inner: those of bpf_fentry_test1 inside it, in order.
 */
static int run_tests(struct engine *engine, __u64 *outer_ns, __u64 inner[RUNS])
{
	int fd = bpf_program__fd(engine->entry[FN_ID_bpf_fentry_test1]);
	__u64 *raw = engine->skel->bss->calibration_raw_ns, outer[RUNS];

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
	*outer_ns = outer[RUNS / 2];
	return 0;
}

/* Each calibration is the outer function alone, then with the inner one probed: the difference is
 * a probe's cost. Programs of Linux before 5.13 are attached once only, so all that is measured
 * alone comes first. */
static int measure(struct engine *engine)
{
	int ret = engine_attach_pair(engine, FN_ID_bpf_prog_test_run_tracing);
	__u64 inner[RUNS];

	/* whole_ns is the outer function's time until the end */
	for (int i = 0; !ret && i < engine->nr_calibrations; i++)
		ret = run_tests(engine, &engine->calibrations[i].whole_ns, inner);
	if (!ret)
		ret = engine_attach_pair(engine, FN_ID_bpf_fentry_test1);
	for (int i = 0; !ret && i < engine->nr_calibrations; i++) {
		struct engine_calibration *one = &engine->calibrations[i];
		__u64 bare_ns = one->whole_ns, probed_ns;

		ret = run_tests(engine, &probed_ns, inner);
		one->inside_ns = inner[RUNS / 2];
		one->whole_ns = probed_ns > bare_ns ? probed_ns - bare_ns : one->inside_ns;
		one->low_ns = inner[RUNS / 20];
		one->high_ns = inner[RUNS - 1 - RUNS / 20];
	}
	engine_detach_all(engine);
	return ret;
}

/* This process's own slot, which the calibration claims: muted, so that a record counts none of the
 * recorder's own reads. */
static void mute_self(struct engine *engine)
{
	struct engine_bpf__bss *bss = engine->skel->bss;

	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = (struct slot *)&bss->slots[i];

		if (slot->task && slot->tgid == bss->self_tgid)
			slot->depth = SLOT_MUTED;
	}
}

int engine_calibrate(struct engine *engine)
{
	struct engine_bpf__bss *bss = engine->skel->bss;
	int nr = engine->opts.calibrations ? engine->opts.calibrations : 1, ret;

	if (!engine->functions[FN_ID_bpf_prog_test_run_tracing].wanted ||
	    !engine->functions[FN_ID_bpf_fentry_test1].wanted)
		return -ENOENT;
	engine->calibrations = calloc((size_t)nr, sizeof(*engine->calibrations));
	if (!engine->calibrations)
		return -ENOMEM;
	engine->nr_calibrations = nr;
	bss->calibrating = bss->active = true;
	ret = measure(engine);
	bss->calibrating = bss->active = false;
	mute_self(engine);
	if (ret) {
		engine->nr_calibrations = 0;
		return ret;
	}
	bss->inside_ns = engine->calibrations[0].inside_ns;
	bss->whole_ns = engine->calibrations[0].whole_ns;
	return 0;
}
