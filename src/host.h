/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the profile says of the machine, and what the engine and doctor ask of it: release,
 * configuration, clock source, accounting, privileges.
 */
#ifndef CPUTOLL_HOST_H
#define CPUTOLL_HOST_H

#include <stdbool.h>
#include "profile.h"

/* host_read() - fill @host in; host->config is the caller's to free. Returns 0 or -ENOMEM. */
int host_read(struct profile_host *host);

/*
 * host_config() - the value of kernel option @name (without CONFIG_): "y", "m", "n" (not set),
 * a number or string, or NULL when this kernel's configuration could not be read or the option
 * isn't one of those the host reports.
 */
const char *host_config(const struct profile_host *host, const char *name);

/* host_can_trace() - has this process the capabilities that loading a tracing program takes? */
bool host_can_trace(void);

/* host_has_jit() - is BPF compiled to machine code? Trampolines need that. True when untold. */
bool host_has_jit(void);

/* host_lockdown() - the kernel's lockdown mode: "none", "integrity", "confidentiality", "" when
 * it cannot be told. @mode holds at least 32 bytes. */
void host_lockdown(char *mode, size_t bytes);

#endif /* CPUTOLL_HOST_H */
