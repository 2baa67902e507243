// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads what the profile says of the machine from /proc, /sys and the kernel's configuration
 * (/proc/config.gz, else /boot/config-RELEASE; zlib reads both). Called by engine.c and
 * cmd_doctor.c.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/utsname.h>
#include <zlib.h>
#include "host.h"

/* The options that decide what a read costs or whether it can be traced. */
static const char *const options[] = {
	"HZ",
	"PREEMPTION",
	"PREEMPT_DYNAMIC",
	"TICK_CPU_ACCOUNTING",
	"VIRT_CPU_ACCOUNTING",
	"VIRT_CPU_ACCOUNTING_GEN",
	"VIRT_CPU_ACCOUNTING_NATIVE",
	"CONTEXT_TRACKING_USER_FORCE",
	"IRQ_TIME_ACCOUNTING",
	"PARAVIRT_TIME_ACCOUNTING",
	"PSI",
	"POSIX_TIMERS",
	"POSIX_CPU_TIMERS_TASK_WORK",
	"PROC_FS",
	"NET",
	"BPF_SYSCALL",
	"BPF_JIT",
	"DEBUG_INFO_BTF",
};
#define NR_OPTIONS (sizeof(options) / sizeof(options[0]))

/* The first line of @path into @text, without its newline; "" when it cannot be read. */
static void read_line(const char *path, char *text, size_t bytes)
{
	FILE *file = fopen(path, "re");

	text[0] = '\0';
	if (!file)
		return;
	if (!fgets(text, (int)bytes, file))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	fclose(file);
}

/* One line of a configuration, "CONFIG_HZ=250" or "# CONFIG_PSI is not set", into @config. */
static void config_line(char *line, struct profile_config *config)
{
	char *name = strstr(line, "CONFIG_"), *end, *value;

	if (!name)
		return;
	name += strlen("CONFIG_");
	for (end = name; isalnum((unsigned char)*end) || *end == '_';)
		end++;
	if (*end == '=') {
		value = end + 1;
		value[strcspn(value, "\n")] = '\0';
	} else if (line[0] == '#' && !strncmp(end, " is not set", 11)) {
		value = "n";
	} else {
		return;
	}
	*end = '\0';
	for (size_t i = 0; i < NR_OPTIONS; i++)
		if (!strcmp(name, config[i].name))
			snprintf(config[i].value, sizeof(config[i].value), "%.31s", value);
}

static void read_config(const char *release, struct profile_config *config)
{
	char path[256], line[1024];
	gzFile file = gzopen("/proc/config.gz", "re");

	if (!file) {
		snprintf(path, sizeof(path), "/boot/config-%s", release);
		file = gzopen(path, "re");
	}
	if (!file)
		return;
	for (size_t i = 0; i < NR_OPTIONS; i++) /* an option that is not mentioned is off */
		strcpy(config[i].value, "n");
	while (gzgets(file, line, sizeof(line)))
		config_line(line, config);
	gzclose(file);
}

/*
 * How utime and stime are kept. VIRT_CPU_ACCOUNTING_GEN compiles it in; it is on where context
 * tracking is: on nohz_full CPUs, or on all with CONTEXT_TRACKING_USER_FORCE.
 */
static void read_accounting(struct profile_host *host)
{
	const char *native = host_config(host, "VIRT_CPU_ACCOUNTING_NATIVE");
	const char *force = host_config(host, "CONTEXT_TRACKING_USER_FORCE");
	char nohz_full[256];

	read_line("/sys/devices/system/cpu/nohz_full", nohz_full, sizeof(nohz_full));
	if (native && !strcmp(native, "y"))
		strcpy(host->accounting, "vtime-native");
	else if ((force && !strcmp(force, "y")) || isdigit((unsigned char)nohz_full[0]))
		strcpy(host->accounting, "vtime-gen");
	else
		strcpy(host->accounting, "tick");
}

int host_read(struct profile_host *host)
{
	struct utsname uts;

	memset(host, 0, sizeof(*host));
	if (uname(&uts))
		return -errno;
	snprintf(host->kernel, sizeof(host->kernel), "%s", uts.release);
	snprintf(host->arch, sizeof(host->arch), "%.31s", uts.machine);
	host->cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	read_line("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		  host->clocksource, sizeof(host->clocksource));
	host->config = calloc(NR_OPTIONS, sizeof(*host->config));
	if (!host->config)
		return -ENOMEM;
	host->nr_config = NR_OPTIONS;
	for (size_t i = 0; i < NR_OPTIONS; i++)
		snprintf(host->config[i].name, sizeof(host->config[i].name), "%s", options[i]);
	read_config(uts.release, host->config);
	read_accounting(host);
	return 0;
}

const char *host_config(const struct profile_host *host, const char *name)
{
	for (size_t i = 0; i < host->nr_config; i++)
		if (!strcmp(host->config[i].name, name))
			return host->config[i].value[0] ? host->config[i].value : NULL;
	return NULL;
}

bool host_can_trace(void)
{
	const unsigned long long sys_admin = 1ull << 21, perfmon = 1ull << 38, bpf = 1ull << 39;
	unsigned long long effective = 0;
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];

	if (!file)
		return geteuid() == 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "CapEff: %llx", &effective) == 1)
			break;
	fclose(file);
	return (effective & sys_admin) || ((effective & perfmon) && (effective & bpf));
}

bool host_has_jit(void)
{
	char value[16];

	read_line("/proc/sys/net/core/bpf_jit_enable", value, sizeof(value));
	return strcmp(value, "0") != 0;
}

void host_lockdown(char *mode, size_t bytes)
{
	char line[128], *from, *to;

	mode[0] = '\0';
	read_line("/sys/kernel/security/lockdown", line, sizeof(line)); /* "none [integrity] …" */
	from = strchr(line, '[');
	to = from ? strchr(from, ']') : NULL;
	if (to)
		snprintf(mode, bytes, "%.*s", (int)(to - from - 1), from + 1);
}
