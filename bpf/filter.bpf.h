/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which tasks are traced: told when a task's slot is claimed (slot.bpf.h) and when its program
 * changes (engine.bpf.c), never on the way of a read. Which syscalls are, is a class of theirs.
 */
#ifndef CPUTOLL_FILTER_BPF_H
#define CPUTOLL_FILTER_BPF_H

#include "state.bpf.h"

#define PID_NS_LEVELS 32 /* MAX_PID_NS_LEVEL, include/linux/pid_namespace.h */

/* What @pid is called in the namespace @level below the initial one. */
static __always_inline struct upid *upid_at(struct pid *pid, __u32 level)
{
	return (void *)pid + bpf_core_field_offset(struct pid, numbers) +
	       level * bpf_core_type_size(struct upid);
}

/* The number of @leader in the recorder's pid namespace, 0: it has none there. That namespace is
 * the task's own or one around it. Global, so that the verifier looks at it once. */
__noinline __u32 pid_seen(__u64 leader)
{
	struct pid *pid = BPF_CORE_READ((struct task_struct *)leader, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);

	for (__u32 i = 0; i < PID_NS_LEVELS; i++) {
		struct upid *upid = upid_at(pid, level);

		if (!recorder_pid_ns || BPF_CORE_READ(upid, ns, ns.inum) == recorder_pid_ns)
			return BPF_CORE_READ(upid, nr);
		if (!level--)
			break;
	}
	return 0;
}

/* tgid_seen() - of @task's process. */
static __always_inline __u32 tgid_seen(struct task_struct *task)
{
	return pid_seen((__u64)BPF_CORE_READ(task, group_leader));
}

/* Does @name match `wanted_comm`? No branch depends on the pattern, so that the verifier has as
 * little to do for one as for another. */
static __always_inline bool comm_matches(const char *name)
{
	__u32 stars = wanted_comm.stars, state = 1 | (stars & 1) << 1;

	for (int i = 0; i < COMM_BYTES && name[i]; i++) {
		state = (state & wanted_comm.chars[(__u8)name[i]]) << 1 | (state & stars);
		state |= (state & stars) << 1;
	}
	return state & wanted_comm.accept;
}

/* Is the current task, of process @tgid called @comm, one to trace? */
static __always_inline bool is_wanted(__u32 tgid, const char *comm)
{
	if (filtered && !bpf_map_lookup_elem(&targets, &tgid))
		return false;
	if (by_cgroup && bpf_current_task_under_cgroup(&cgroups, 0) != 1)
		return false;
	return !wanted_comm.accept || comm_matches(comm);
}

#endif /* CPUTOLL_FILTER_BPF_H */
