// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trying a function before it is traced: an empty fexit program is loaded for it, attached, and
 * taken away again, so that what the kernel has against it is known by its name, and before
 * anything else is loaded. Called by engine__new().
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include "engine_impl.h"

#define ENOTSUPP 524 /* the kernel's own, include/linux/errno.h */

/* What the verifier said last before its statistics, on one line. */
static void last_words(char *log, char *words, size_t bytes)
{
	char *rest = log, *line;

	words[0] = '\0';
	while ((line = strsep(&rest, "\n")))
		if (line[0] && strncmp(line, "processed ", 10) &&
		    strncmp(line, "verification time", 17) && strncmp(line, "stack depth", 11))
			snprintf(words, bytes, "%s", line);
}

/*
 * Load and attach an empty program to function @id of the kernel's BTF. Returns 0 or a negative
 * errno; @reason: what the kernel says.
 */
static int try(__u32 id, char *reason, size_t bytes)
{
	/* r0 = 0; exit */
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts);
	char log[4096] = "";
	int program, link, ret;

	opts.expected_attach_type = BPF_TRACE_FEXIT;
	opts.attach_btf_id = id;
	opts.log_buf = log;
	opts.log_size = sizeof(log);
	opts.log_level = 1;
	program = bpf_prog_load(BPF_PROG_TYPE_TRACING, "cputoll_try", "GPL", insns, 2, &opts);
	if (program < 0) {
		ret = program;
		last_words(log, reason, bytes);
		if (!reason[0])
			snprintf(reason, bytes, "%s", strerror(-ret));
		return ret;
	}
	link = bpf_raw_tracepoint_open(NULL, program);
	close(program);
	if (link >= 0) {
		close(link);
		return 0;
	}
	ret = link;
	if (ret == -EBUSY)
		snprintf(reason, bytes,
			 "it does not begin with a place for a probe (noinstr or "
			 "notrace), or another probe is there");
	else if (ret == -ENOTSUPP)
		snprintf(reason, bytes, "it takes more arguments than a probe can pass on here");
	else
		snprintf(reason, bytes, "%s", strerror(-ret));
	return ret;
}

int engine_try_named(struct engine *engine, const struct btf *vmlinux, struct refusals *refusals)
{
	for (int i = 0; i < FN_COUNT; i++) {
		struct function *fn = &engine->functions[i];
		char reason[128];
		int id, ret;

		if (!function_is_named(fn) || !fn->wanted)
			continue;
		id = btf__find_by_name_kind(vmlinux, fn->symbol, BTF_KIND_FUNC);
		ret = id < 0 ? id : try((__u32)id, reason, sizeof(reason));
		if (ret == -EPERM) /* of any function; loading says it better */
			return 0;
		if (!ret)
			continue;
		snprintf(fn->reason, sizeof(fn->reason), "refused by the kernel: %.120s", reason);
		fn->wanted = false;
		if (!fn->by_glob)
			refuse(refusals, "cannot trace '%s': %s", fn->symbol, fn->reason);
	}
	return refusals->nr ? -EINVAL : 0;
}
