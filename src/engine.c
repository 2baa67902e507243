// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine's life cycle: choose functions, load, attach, start, stop, free. engine.h is its
 * manual; calibrate.c and engine_read.c do the measuring of probes and the reading of results.
 */
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include "callers.h"
#include "engine_impl.h"
#include "engine.skel.h"
#include "host.h"
#include "symbols.h"

/* libbpf's first complaint of a load: what the verifier or the kernel said, for the error line. */
static char libbpf_said[256];
static bool libbpf_verbose;

static int on_libbpf(enum libbpf_print_level level, const char *fmt, va_list args)
{
	if (libbpf_verbose)
		return vfprintf(stderr, fmt, args);
	if (level == LIBBPF_WARN && !libbpf_said[0]) {
		vsnprintf(libbpf_said, sizeof(libbpf_said), fmt, args);
		libbpf_said[strcspn(libbpf_said, "\n")] = '\0';
	}
	return 0;
}

static void __attribute__((format(printf, 2, 3)))
say(struct engine_error *err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, args);
	va_end(args);
}

static __u32 choose_shards(int cpus)
{
	__u32 shards = 1;

	while ((int)shards < cpus && shards < SHARDS_MAX)
		shards *= 2;
	return shards;
}

/* Point a program of @fn, if there is one and it is wanted, at its function; else leave it out. */
static int set_target(struct bpf_program *program, const struct function *fn, bool is_exit)
{
	char target[80];

	if (!program)
		return 0;
	bpf_program__set_autoload(program, fn->wanted);
	if (!fn->wanted)
		return 0;
	snprintf(target, sizeof(target), "%s%s", fn->symbol,
		 fn->kind != FN_INTERRUPT ? ""
		 : is_exit		  ? "_exit"
					  : "_entry");
	return bpf_program__set_attach_target(program, 0, target);
}

static int set_targets(struct engine *engine, struct engine_error *err)
{
	char name[80];
	int ret;

	for (int i = 0; i < FN_COUNT; i++) {
		const struct function *fn = &engine->functions[i];
		struct bpf_program **pair[] = { &engine->entry[i], &engine->exit[i] };

		for (int p = 0; p < 2; p++) {
			snprintf(name, sizeof(name), "%s_%s", p ? "exit" : "enter", fn->name);
			*pair[p] = bpf_object__find_program_by_name(engine->skel->obj, name);
			ret = set_target(*pair[p], fn, p);
			if (ret) {
				say(err, "cannot set the target of %s: %s", name, strerror(-ret));
				return ret;
			}
		}
	}
	return 0;
}

/*
 * Who calls a BELOW function in a read: the one in the table, or, where the compiler has made that
 * a part of its own caller, that one; as long as both run without preemption, since in the middle
 * of others the scheduler calls it, too.
 */
static void usual_callers(const struct function *functions, __u64 *callers)
{
	for (int i = 0; i < FN_COUNT; i++) {
		int caller = functions_parent(functions, i);

		callers[i] = 0;
		while (caller >= 0 && caller < 64) {
			callers[i] |= 1ULL << caller;
			if (functions[caller].preemptible)
				break;
			caller = functions_parent(functions, caller);
			if (caller >= 0 && functions[caller].preemptible)
				break;
		}
	}
}

/* The functions that opts.functions asks for and this kernel has. */
static int choose_functions(struct engine *engine, const struct btf *vmlinux,
			    struct engine_error *err)
{
	struct symbols symbols = { .vmlinux = vmlinux };
	struct refusals refusals;
	int ret;

	functions_init(engine->functions, engine->arch);
	ret = functions_select(engine->functions, engine->opts.functions, &symbols, &refusals);
	if (!ret)
		ret = engine_try_named(engine, vmlinux, &refusals);
	if (ret)
		say(err, "%.*s", (int)refusals.used - 1, refusals.text);
	else
		functions_look_up(engine->functions, &symbols, &engine->host);
	symbols_free(&symbols);
	return ret;
}

static bool has_any(const struct engine *engine)
{
	for (int i = 0; i < FN_COUNT; i++)
		if (engine->functions[i].wanted && engine->functions[i].kind == FN_ANY)
			return true;
	return false;
}

/* What the programs are to leave alone. The kernel gets the rest of it in attach_hooks(). */
static int set_filter(struct engine *engine, struct engine_error *err)
{
	const struct filter *filter = engine->opts.filter;
	struct engine_bpf__rodata *rodata = engine->skel->rodata;
	__u8 *classes = (__u8 *)rodata->syscall_classes;
	bool by_pid = engine->opts.descendants || (filter && filter->nr_pids);
	char unknown[64];
	struct stat ns;

	caller_classes(engine->arch, classes);
	if (!stat("/proc/self/ns/pid", &ns))
		rodata->recorder_pid_ns = (__u32)ns.st_ino;
	rodata->filtered = by_pid;
	bpf_program__set_autoload(engine->skel->progs.hook_fork, by_pid);
	rodata->by_cgroup = filter && filter->cgroup;
	bpf_map__set_autocreate(engine->skel->maps.cgroups, rodata->by_cgroup);
	if (filter)
		memcpy((void *)&rodata->wanted_comm, &filter->glob, sizeof(filter->glob));
	rodata->by_syscall = filter && filter->syscalls;
	if (!rodata->by_syscall ||
	    !caller_select(engine->arch, filter->syscalls, classes, unknown, sizeof(unknown)))
		return 0;
	say(err, "no syscall '%s' on %s", unknown, engine->host.arch);
	return -EINVAL;
}

struct engine *engine__new(const struct engine_opts *opts, struct engine_error *err)
{
	LIBBPF_OPTS(bpf_object_open_opts, open_opts);
	struct engine *engine = calloc(1, sizeof(*engine));
	struct btf *vmlinux = NULL;
	int ret = -ENOMEM;

	if (!engine || (ret = host_read(&engine->host))) {
		say(err, "cannot read what machine this is: %s", strerror(-ret));
		goto fail;
	}
	engine->opts = *opts;
	libbpf_verbose = opts->verbose;
	libbpf_set_print(on_libbpf);
	engine->arch = arch_this();
	if (!engine->arch) {
		ret = -EOPNOTSUPP;
		say(err, "no engine for %s yet, only for x86_64", engine->host.arch);
		goto fail;
	}
	vmlinux = btf__load_vmlinux_btf();
	if (!vmlinux) {
		ret = -errno;
		say(err,
		    "cannot read this kernel's types (/sys/kernel/btf/vmlinux): %s; it needs "
		    "CONFIG_DEBUG_INFO_BTF=y",
		    strerror(-ret));
		goto fail;
	}
	ret = choose_functions(engine, vmlinux, err);
	btf__free(vmlinux);
	if (ret)
		goto fail;

	open_opts.kernel_log_level = opts->verbose ? 4 : 0; /* the verifier's statistics */
	engine->skel = engine_bpf__open_opts(&open_opts);
	if (!engine->skel) {
		ret = -errno;
		say(err, "cannot open the BPF programs: %s", strerror(-ret));
		goto fail;
	}
	ret = set_targets(engine, err);
	if (ret)
		goto fail;
	engine->shards = choose_shards(libbpf_num_possible_cpus());
	engine->nodes = has_any(engine) ? NODES : NODES_READS;
	bpf_map__set_max_entries(engine->skel->maps.tallies, engine->shards * engine->nodes);
	engine->skel->rodata->shard_mask = engine->shards - 1;
	engine->skel->rodata->all_callers = opts->all_callers;
	engine->skel->rodata->any_functions = has_any(engine);
	engine->skel->rodata->node_limit = engine->nodes;
	usual_callers(engine->functions, (__u64 *)engine->skel->rodata->usual_callers);
	ret = set_filter(engine, err);
	if (ret)
		goto fail;
	return engine;
fail:
	engine__free(engine);
	errno = -ret;
	return NULL;
}

static void explain_load(const struct engine *engine, int ret, struct engine_error *err)
{
	char lockdown[32];

	host_lockdown(lockdown, sizeof(lockdown));
	if (!strcmp(lockdown, "confidentiality")) /* the verifier answers EINVAL then */
		say(err,
		    "this kernel refuses tracing programs: %s, lockdown confidentiality; boot it "
		    "without that, or use a guest (tools/lab run)",
		    strerror(-ret));
	else if (ret != -EPERM && !host_has_jit())
		say(err, "fentry programs need the BPF JIT (%s): sysctl net.core.bpf_jit_enable=1",
		    strerror(-ret));
	else if (ret != -EPERM)
		say(err, "cannot load the BPF programs: %s (%s)", strerror(-ret), libbpf_said);
	else if (!host_can_trace())
		say(err, "tracing needs root, or CAP_BPF and CAP_PERFMON: %s", strerror(-ret));
	else
		say(err,
		    "this kernel (%s) refuses fentry programs: %s%s%s; run it on a host that "
		    "allows them, or in a guest (tools/lab run)",
		    engine->host.kernel, strerror(-ret), lockdown[0] ? ", lockdown " : "",
		    lockdown);
}

size_t engine_tallies_bytes(const struct engine *engine)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = engine->shards * engine->nodes * sizeof(struct tally);

	return (bytes + page - 1) / page * page;
}

int engine__load(struct engine *engine, struct engine_error *err)
{
	void *map;
	int ret;

	libbpf_said[0] = '\0';
	ret = engine_bpf__load(engine->skel);
	malloc_trim(0); /* of the kernel's types, read twice, some 8 MB */
	if (ret) {
		explain_load(engine, ret, err);
		return ret;
	}
	map = mmap(NULL, engine_tallies_bytes(engine), PROT_READ, MAP_SHARED,
		   bpf_map__fd(engine->skel->maps.tallies), 0);
	if (map == MAP_FAILED) {
		ret = -errno;
		say(err, "cannot map the tallies: %s", strerror(-ret));
		return ret;
	}
	engine->tallies = map;
	engine->skel->bss->self_tgid = (__u32)getpid();
	/* without it the profile says 0, and report that nothing was subtracted */
	engine_calibrate(engine);
	return 0;
}

static int attach(struct engine *engine, struct bpf_program *program)
{
	struct bpf_link *link = bpf_program__attach(program);

	if (!link)
		return -errno;
	engine->links[engine->nr_links++] = link;
	return 0;
}

int engine_attach_pair(struct engine *engine, int id)
{
	int ret = attach(engine, engine->entry[id]);

	if (ret || !engine->exit[id])
		return ret;
	ret = attach(engine, engine->exit[id]);
	if (ret)
		bpf_link__destroy(engine->links[--engine->nr_links]);
	return ret;
}

void engine_detach_all(struct engine *engine)
{
	while (engine->nr_links)
		bpf_link__destroy(engine->links[--engine->nr_links]);
}

static int attach_hooks(struct engine *engine, struct engine_error *err)
{
	const struct filter *filter = engine->opts.filter;
	const __u32 none = 0;
	int ret = attach(engine, engine->skel->progs.hook_exit);

	if (!ret)
		ret = attach(engine, engine->skel->progs.hook_exec);
	if (!ret && engine->skel->rodata->filtered)
		ret = attach(engine, engine->skel->progs.hook_fork);
	for (int i = 0; !ret && filter && i < filter->nr_pids; i++)
		ret = bpf_map__update_elem(engine->skel->maps.targets, &filter->pids[i],
					   sizeof(filter->pids[i]), &none, sizeof(none), BPF_ANY);
	if (!ret && engine->skel->rodata->by_cgroup)
		ret = bpf_map__update_elem(engine->skel->maps.cgroups, &none, sizeof(none),
					   &filter->cgroup_fd, sizeof(filter->cgroup_fd), BPF_ANY);
	if (ret)
		say(err, "cannot attach to task exit, exec and fork: %s", strerror(-ret));
	return ret;
}

int engine__attach(struct engine *engine, struct engine_error *err)
{
	int attached = 0, ret = attach_hooks(engine, err);

	if (ret)
		return ret;
	for (int i = 0; i < FN_COUNT; i++) {
		struct function *fn = &engine->functions[i];

		if (!fn->wanted || fn->kind == FN_CALIBRATE)
			continue;
		ret = engine_attach_pair(engine, i);
		fn->attached = !ret;
		if (ret && function_is_named(fn)) {
			say(err, "cannot trace '%s': the kernel refuses to attach: %s", fn->symbol,
			    strerror(-ret));
			return ret;
		}
		if (ret)
			snprintf(fn->reason, sizeof(fn->reason), "refused: %s", strerror(-ret));
		else if (fn->kind != FN_RESOLVE && fn->kind != FN_INTERRUPT)
			attached++;
	}
	if (attached)
		return 0;
	say(err, "none of the functions could be attached; 'cputoll doctor' says why, one by one");
	return -ENOENT;
}

void engine__start(struct engine *engine)
{
	engine->skel->bss->active = true;
}

void engine__stop(struct engine *engine)
{
	engine->skel->bss->active = false;
	/* Reads that had begun end now, with their inner calls; one that sleeps isn't waited for.
	 */
	nanosleep(&(struct timespec){ .tv_nsec = 20 * 1000 * 1000 }, NULL);
	engine_detach_all(engine);
}

const struct profile_host *engine__host(const struct engine *engine)
{
	return &engine->host;
}

const struct function *engine__functions(const struct engine *engine)
{
	return engine->functions;
}

const struct engine_calibration *engine__calibrations(const struct engine *engine, int *nr)
{
	*nr = engine->nr_calibrations;
	return engine->calibrations;
}

void engine__free(struct engine *engine)
{
	if (!engine)
		return;
	engine_detach_all(engine);
	if (engine->tallies)
		munmap((void *)engine->tallies, engine_tallies_bytes(engine));
	engine_bpf__destroy(engine->skel);
	free(engine->calibrations);
	free(engine->host.config);
	free(engine);
}
