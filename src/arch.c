// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of architectures. A further one is a row here, a block in bpf/arch.bpf.h and a header
 * in vmlinux/.
 */
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>
#include <seccomp.h>
#include "arch.h"

static const struct arch arches[] = {
	{ "x86_64", "__x64_sys_", SCMP_ARCH_X86_64, SCMP_ARCH_X86 },
};

const struct arch *arch_this(void)
{
	struct utsname uts;

	if (uname(&uts))
		return NULL;
	for (size_t i = 0; i < sizeof(arches) / sizeof(arches[0]); i++)
		if (!strcmp(uts.machine, arches[i].machine))
			return &arches[i];
	return NULL;
}
