// SPDX-License-Identifier: GPL-2.0-only
/*
 * Totals by process: those of threads that have exited, from a map, and those that living threads
 * still hold in their slots. Called by engine__read().
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include "engine_impl.h"
#include "engine.skel.h"

struct entry {
	struct process_key key;
	struct process_totals totals;
};

struct list {
	struct entry *entries;
	size_t nr, room;
};

static int append(struct list *list, const struct process_key *key,
		  const struct process_totals *totals)
{
	if (list->nr == list->room) {
		size_t room = list->room ? 2 * list->room : 64;
		struct entry *grown = realloc(list->entries, room * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		list->entries = grown;
		list->room = room;
	}
	list->entries[list->nr++] = (struct entry){ *key, *totals };
	return 0;
}

static int read_exited(const struct engine *engine, struct list *list)
{
	int fd = bpf_map__fd(engine->skel->maps.processes);
	struct process_key key, *previous = NULL;
	struct process_totals totals;

	while (!bpf_map_get_next_key(fd, previous, &key)) {
		if (!bpf_map_lookup_elem(fd, &key, &totals) && append(list, &key, &totals))
			return -ENOMEM;
		previous = &key;
	}
	return 0;
}

/* The name as it is now: the slot's is of when its thread was first seen, before an exec perhaps.
 */
static void refresh_comm(__u32 tgid, char *comm, size_t bytes)
{
	char path[48], now[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/comm", tgid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(now, sizeof(now), file)) {
		now[strcspn(now, "\n")] = '\0';
		snprintf(comm, bytes, "%.*s", (int)bytes - 1, now);
	}
	fclose(file);
}

static int read_living(const struct engine *engine, struct list *list)
{
	for (int i = 0; i < SLOTS; i++) {
		const struct slot *slot = (const struct slot *)&engine->skel->bss->slots[i];
		struct process_key key = { .born_ns = slot->born_ns, .tgid = slot->tgid };
		struct process_totals totals = { .total_ns = slot->total_ns };
		__u64 calls = 0;

		for (int m = 0; m < MASK_COUNT; m++) {
			totals.calls[m] = slot->calls[m];
			calls += slot->calls[m];
		}
		if (!calls)
			continue;
		memcpy(totals.comm, slot->comm, sizeof(totals.comm));
		refresh_comm(slot->tgid, totals.comm, sizeof(totals.comm));
		if (append(list, &key, &totals))
			return -ENOMEM;
	}
	return 0;
}

static int by_process(const void *a, const void *b)
{
	const struct process_key *x = &((const struct entry *)a)->key;
	const struct process_key *y = &((const struct entry *)b)->key;

	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return x->born_ns < y->born_ns ? -1 : x->born_ns > y->born_ns;
}

static int by_calls(const void *a, const void *b)
{
	const struct profile_process *x = a, *y = b;

	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static void add_totals(struct profile_process *process, const struct process_totals *totals)
{
	for (int m = 0; m < MASK_COUNT; m++) {
		process->masks[m] += totals->calls[m];
		process->calls += totals->calls[m];
	}
	process->total_ns += totals->total_ns;
	snprintf(process->comm, sizeof(process->comm), "%.15s", totals->comm);
}

int engine_read_processes(const struct engine *engine, struct profile *profile)
{
	struct list list = {};
	int ret = read_exited(engine, &list);

	if (!ret)
		ret = read_living(engine, &list);
	if (!ret && list.nr) {
		profile->processes = calloc(list.nr, sizeof(*profile->processes));
		ret = profile->processes ? 0 : -ENOMEM;
	}
	if (ret)
		goto out;
	if (list.nr)
		qsort(list.entries, list.nr, sizeof(*list.entries), by_process);
	for (size_t i = 0; i < list.nr; i++) {
		const struct entry *entry = &list.entries[i];

		if (!i || by_process(entry, entry - 1))
			profile->processes[profile->nr_processes++].pid = (int)entry->key.tgid;
		add_totals(&profile->processes[profile->nr_processes - 1], &entry->totals);
	}
	if (profile->nr_processes)
		qsort(profile->processes, profile->nr_processes, sizeof(*profile->processes),
		      by_calls);
out:
	free(list.entries);
	return ret;
}
