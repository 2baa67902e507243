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

static const struct function *find_function(const struct function *functions, const char *name)
{
	for (int i = 0; i < FN_COUNT; i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

/* Every function of a group, below the one it is usually called from. */
static void print_group(const struct function *functions, enum fn_group group, const char *tried)
{
	for (int i = 0; i < FN_COUNT; i++) {
		const struct function *fn = &functions[i], *up = fn;
		char name[96];
		int depth = 0;

		if (fn->kind == FN_CALIBRATE || fn->group != group)
			continue;
		while ((up = find_function(functions, up->parent)))
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

static void print_functions(const struct function *functions, const char *tried)
{
	printf("\nfunctions\n");
	print_group(functions, GROUP_reads, tried);
	print_group(functions, GROUP_internal, tried);
	printf("\nvirtual CPU-time accounting (record --functions vtime)\n");
	print_group(functions, GROUP_vtime, tried);
}

static const char cannot[] = "cputoll cannot run here: see 'no' above";

static int examine(const struct engine_opts *opts)
{
	struct profile_host host;
	struct engine_error err;
	struct engine *engine;
	__u64 inside_ns, whole_ns;
	bool runs;

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
	runs = !engine__load(engine, &err) && !engine__attach(engine, &err);
	print_row(runs ? "ok" : "no", "engine", runs ? "fentry" : err.text);
	if (runs) {
		engine__calibration(engine, &inside_ns, &whole_ns);
		printf("%-4s %-14s a probe costs %llu ns a call, %llu ns of it inside what it "
		       "measures\n",
		       whole_ns ? "ok" : "no", "calibration", whole_ns, inside_ns);
	}
	print_functions(engine__functions(engine), "there, not tried");
	engine__free(engine);
	printf("\n%s\n", runs ? "cputoll can run here" : cannot);
	return runs ? EXIT_OK : EXIT_CANNOT;
}

int cmd_doctor(int argc, char **argv)
{
	struct engine_opts engine = { .functions = "all" };
	const struct opt table[] = {
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
	return examine(&engine);
}
