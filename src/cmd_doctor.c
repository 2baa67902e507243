// SPDX-License-Identifier: GPL-2.0-only
/*
 * cputoll doctor: can it trace here, and if not why and what to do. Tries the engine for real, up
 * to attaching, and takes it away again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cmd.h"
#include "engine.h"
#include "host.h"
#include "opts.h"
#include "traced.h"

static void print_row(const char *mark, const char *what, const char *found)
{
	printf("%-4s %-14s %s\n", mark, what, found);
}

/* The value of a kernel option that tracing needs; its absence from the file is no evidence. */
static void check_option(const struct profile_host *host, const char *what, const char *option)
{
	const char *value = host_config(host, option);
	char found[128];

	if (!value)
		snprintf(found, sizeof(found),
			 "CONFIG_%s unknown: no /proc/config.gz or /boot/config-%.40s", option,
			 host->kernel);
	else
		snprintf(found, sizeof(found), "CONFIG_%s=%s", option, value);
	print_row(!value ? "?" : strcmp(value, "n") ? "ok" : "no", what, found);
}

/* What the machine offers, before anything is tried. */
static void print_host(const struct profile_host *host)
{
	char found[256], lockdown[32];
	bool slow_clock = strcmp(host->clocksource, "tsc") &&
			  strcmp(host->clocksource, "kvm-clock");

	snprintf(found, sizeof(found), "Linux %.100s %.31s, %d CPU%s, %.15s accounting",
		 host->kernel, host->arch, host->cpus, host->cpus == 1 ? "" : "s",
		 host->accounting);
	print_row("ok", "kernel", found);
	print_row(host_can_trace() ? "ok" : "no", "privileges",
		  host_can_trace() ? "may load tracing programs"
				   : "run as root, or with CAP_BPF and CAP_PERFMON");
	print_row(access("/sys/kernel/btf/vmlinux", R_OK) ? "no" : "ok", "BTF",
		  access("/sys/kernel/btf/vmlinux", R_OK) ? "no /sys/kernel/btf/vmlinux: a kernel "
							    "with CONFIG_DEBUG_INFO_BTF=y is needed"
							  : "/sys/kernel/btf/vmlinux");
	check_option(host, "BPF", "BPF_SYSCALL");
	if (host_has_jit())
		check_option(host, "JIT", "BPF_JIT");
	else
		print_row("no", "JIT", "off: sysctl net.core.bpf_jit_enable=1");
	host_lockdown(lockdown, sizeof(lockdown));
	print_row(strcmp(lockdown, "confidentiality") ? "ok" : "no", "lockdown",
		  lockdown[0] ? lockdown : "none");
	snprintf(found, sizeof(found), "%s%s", host->clocksource[0] ? host->clocksource : "unknown",
		 slow_clock ? ": slow to read, so the probes cost more than need be" : "");
	print_row(slow_clock ? "?" : "ok", "clock source", found);
}

/* Every function of a group, below the one it is usually called from. */
static void print_group(const struct function *functions, enum fn_group group, const char *tried)
{
	for (int i = 0; i < FN_COUNT; i++) {
		const struct function *fn = &functions[i];
		int depth = 0, up = i;
		char name[96];

		if (fn->kind == FN_CALIBRATE || fn->group != group)
			continue;
		while ((up = functions_parent(functions, up)) >= 0)
			depth++;
		snprintf(name, sizeof(name), "%*s%s", 2 * depth, "", fn->symbol);
		printf("%-4s %-44s %s\n",
		       fn->attached    ? "ok"
		       : fn->reason[0] ? "no"
				       : "-",
		       name,
		       fn->attached    ? ""
		       : fn->reason[0] ? fn->reason
				       : tried);
	}
}

#define CALIBRATIONS  20
#define UNSTABLE_PART 20 /* a calibration that moves by more than this part of it says little */

static void widen(__u64 *least, __u64 *most, __u64 value)
{
	if (value < *least)
		*least = value;
	else if (value > *most)
		*most = value;
}

/* What changes from one calibration to the next, and from call to call. */
static void print_calibrations(const struct engine_calibration *all, int nr)
{
	struct engine_calibration least = all[0], most = all[0];
	char found[256];
	bool stable;

	for (int i = 1; i < nr; i++) {
		widen(&least.inside_ns, &most.inside_ns, all[i].inside_ns);
		widen(&least.whole_ns, &most.whole_ns, all[i].whole_ns);
		widen(&least.low_ns, &most.low_ns, all[i].low_ns);
		widen(&least.high_ns, &most.high_ns, all[i].high_ns);
	}
	snprintf(found, sizeof(found),
		 "inside %llu to %llu ns, whole %llu to %llu ns, in %d calibrations",
		 least.inside_ns, most.inside_ns, least.whole_ns, most.whole_ns, nr);
	stable = (most.inside_ns - least.inside_ns) * UNSTABLE_PART <= least.inside_ns &&
		 (most.whole_ns - least.whole_ns) * UNSTABLE_PART <= least.whole_ns;
	print_row(stable ? "ok" : "?", "", found);
	snprintf(found, sizeof(found),
		 "a single call's inside cost: nine of ten are %llu to %llu ns", least.low_ns,
		 most.high_ns);
	print_row("ok", "", found);
	if (!stable) {
		snprintf(found, sizeof(found),
			 "unstable: corrected latencies may be off by %llu ns a call and %llu ns "
			 "for each call nested in it; a busy host, or a CPU whose frequency moves?",
			 most.inside_ns - least.inside_ns, most.whole_ns - least.whole_ns);
		print_row("?", "", found);
	}
}

static void print_functions(const struct function *functions, const char *tried)
{
	printf("\nfunctions\n");
	print_group(functions, GROUP_reads, tried);
	print_group(functions, GROUP_internal, tried);
	printf("\nvirtual CPU-time accounting (record --functions vtime)\n");
	print_group(functions, GROUP_vtime, tried);
}

static const char cannot[] = "cputoll cannot run here: see 'no' above";

static void print_calibration(const struct engine *engine)
{
	const struct engine_calibration *all;
	char found[128];
	int nr;

	all = engine__calibrations(engine, &nr);
	if (!nr) {
		print_row("no", "calibration",
			  "this kernel has no empty test function: latencies are raw");
		return;
	}
	snprintf(found, sizeof(found),
		 "a probe costs %llu ns a call, %llu ns of it inside what it measures",
		 all[0].whole_ns, all[0].inside_ns);
	print_row("ok", "calibration", found);
	if (nr > 1)
		print_calibrations(all, nr);
}

static int examine(const struct engine_opts *opts)
{
	struct profile_host host;
	struct engine_error err;
	struct engine *engine;
	bool loaded, runs;

	if (host_read(&host)) {
		error("doctor: cannot read what machine this is: %s", strerror(errno));
		return EXIT_CANNOT;
	}
	print_host(&host);
	free(host.config);
	fflush(stdout);
	engine = engine__new(opts, &err);
	if (!engine) {
		print_row("no", "engine", err.text);
		printf("\n%s\n", cannot);
		return EXIT_CANNOT;
	}
	loaded = !engine__load(engine, &err);
	if (loaded)
		print_calibration(engine);
	runs = loaded && !engine__attach(engine, &err);
	print_row(runs ? "ok" : "no", "engine", runs ? "fentry" : err.text);
	print_functions(engine__functions(engine), "there, not tried");
	engine__free(engine);
	printf("\n%s\n", runs ? "cputoll can run here" : cannot);
	return runs ? EXIT_OK : EXIT_CANNOT;
}

int cmd_doctor(int argc, char **argv)
{
	struct engine_opts engine = { .functions = "all" };
	bool calibrate = false;
	const struct opt table[] = {
		{ 0, "calibrate", OPT_FLAG, &calibrate, 0, 0, NULL,
		  "calibrate again and again: how far can the corrections be trusted?" },
		{ 'v', "verbose", OPT_FLAG, &engine.verbose, 0, 0, NULL, "show libbpf's messages" },
	};
	const struct opts opts = {
		.usage = "doctor [OPTIONS]",
		.about = "Say whether cputoll can trace on this machine: what it needs and what it "
			 "found, and of\n"
			 "each function whether it can be traced. Exit status 0: it can, 3: it "
			 "cannot.",
		.table = table,
		.nr = sizeof(table) / sizeof(table[0]),
	};
	int first, ret = opts_parse(&opts, argc, argv, &first);

	if (ret)
		return ret == OPTS_HELP ? EXIT_OK : EXIT_USAGE;
	if (first < argc) {
		error("doctor: takes no arguments, not '%s'", argv[first]);
		return EXIT_USAGE;
	}
	if (calibrate)
		engine.calibrations = CALIBRATIONS;
	return examine(&engine);
}
