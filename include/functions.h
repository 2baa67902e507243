/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of traced kernel functions, read by both sides: bpf/engine.bpf.c makes a
 * program pair of each row, src/functions.c looks each row up and attaches what is there.
 */
#ifndef CPUTOLL_FUNCTIONS_H
#define CPUTOLL_FUNCTIONS_H

/*
 * What a function is to the engine, and so how it is attached:
 *
 *	SYSCALL   fentry+fexit on a syscall's entry function. Opens a frame when its arguments
 *	          name a CPU clock; its calls are the *reads*, its fexit sees the return value.
 *	PROCFS    the same for a /proc file: the function that fills the file is the entry.
 *	READ      fentry+fexit; may be outermost in the default scope (a read by another road).
 *	BELOW     fentry+fexit; counts only when nested in one of the above, unless all callers
 *	          are asked for.
 *	ANY       fentry+fexit; no part of reading CPU time by itself: counts wherever it is called
 *	          from, nested when that is inside another traced function.
 *	RESOLVE   fentry only, opens no frame: names the clock of the SYSCALL frame around it,
 *	          whose arguments carry only a timer's number.
 *	INTERRUPT a pair of tracepoints, NAME_entry and NAME_exit, always attached: what an
 *	          interrupt takes that comes in the middle of a traced call is not that call's time
 *	CALIBRATE fentry+fexit on the kernel's own test functions, attached at start-up only.
 */
enum fn_kind {
	FN_SYSCALL,
	FN_PROCFS,
	FN_READ,
	FN_BELOW,
	FN_ANY,
	FN_RESOLVE,
	FN_INTERRUPT,
	FN_CALIBRATE,
};

/*
 * What --functions calls a set of rows. X(name, choosable): the functions of a group that is not
 * choosable are none that a user can name.
 *
 *	reads     who reads CPU time, and what the kernel does to answer: the default
 *	vtime     virtual CPU-time accounting: the kernel's entries and exits, guests and switches
 *	other     rows without a function, for those that the table does not know: its number is
 *	          how many of them can be traced at once
 *	internal  the engine's own
 */
#define CPUTOLL_GROUPS(X) \
	X(reads, 1)       \
	X(vtime, 1)       \
	X(other, 0)       \
	X(internal, 0)

enum fn_group {
#define X(name, choosable) GROUP_##name,
	CPUTOLL_GROUPS(X)
#undef X
		GROUP_COUNT,
};

/*
 * X(name, kind, parent, preemptible, config, group)
 *
 * name         the symbol in the kernel, or the syscall's name for SYSCALL rows (the
 *              architecture's prefix is added when it is looked up)
 * parent       the traced function it is called from in a read, none for none; a BELOW function
 *              called from any other place inside a read (a context switch) is no part of it
 * preemptible  1: the task may be preempted or sleep inside, so that its total holds
 *              time off the CPU; 0: it runs with preemption or interrupts off
 * config       the option without which a kernel does not have it, "" for none
 * group        what it is chosen with
 *
 * Of the vtime rows, x86 and arm64 have the generic ones (VIRT_CPU_ACCOUNTING_GEN), s390 and
 * powerpc the native ones; account_*_time, below both, is where accumulated time is flushed to,
 * and what the tick calls where there is neither.
 */
#define CPUTOLL_FUNCTIONS(X)                                                            \
	X(clock_gettime, SYSCALL, none, 1, "POSIX_TIMERS", reads)                       \
	X(clock_nanosleep, SYSCALL, none, 1, "POSIX_TIMERS", reads)                     \
	X(getrusage, SYSCALL, none, 1, "", reads)                                       \
	X(times, SYSCALL, none, 1, "", reads)                                           \
	X(wait4, SYSCALL, none, 1, "", reads)                                           \
	X(waitid, SYSCALL, none, 1, "", reads)                                          \
	X(timer_settime, SYSCALL, none, 1, "POSIX_TIMERS", reads)                       \
	X(timer_gettime, SYSCALL, none, 1, "POSIX_TIMERS", reads)                       \
	X(setitimer, SYSCALL, none, 1, "", reads)                                       \
	X(getitimer, SYSCALL, none, 1, "", reads)                                       \
	X(proc_tgid_stat, PROCFS, none, 1, "PROC_FS", reads)                            \
	X(proc_tid_stat, PROCFS, none, 1, "PROC_FS", reads)                             \
	X(posix_cpu_timer_set, RESOLVE, timer_settime, 1, "POSIX_TIMERS", reads)        \
	X(posix_cpu_timer_get, RESOLVE, timer_gettime, 1, "POSIX_TIMERS", reads)        \
	X(thread_group_cputime_adjusted, READ, none, 1, "", reads)                      \
	X(thread_group_cputime, READ, thread_group_cputime_adjusted, 1, "", reads)      \
	X(task_sched_runtime, READ, thread_group_cputime, 0, "", reads)                 \
	X(update_rq_clock, BELOW, task_sched_runtime, 0, "", reads)                     \
	X(psi_account_irqtime, BELOW, update_rq_clock, 0, "IRQ_TIME_ACCOUNTING", reads) \
	X(vtime_user_enter, ANY, none, 0, "VIRT_CPU_ACCOUNTING_GEN", vtime)             \
	X(vtime_user_exit, ANY, none, 0, "VIRT_CPU_ACCOUNTING_GEN", vtime)              \
	X(vtime_guest_enter, ANY, none, 0, "VIRT_CPU_ACCOUNTING_GEN", vtime)            \
	X(vtime_guest_exit, ANY, none, 0, "VIRT_CPU_ACCOUNTING_GEN", vtime)             \
	X(vtime_account_kernel, ANY, none, 0, "VIRT_CPU_ACCOUNTING", vtime)             \
	X(vtime_account_idle, ANY, none, 0, "VIRT_CPU_ACCOUNTING", vtime)               \
	X(vtime_task_switch_generic, ANY, none, 0, "VIRT_CPU_ACCOUNTING_GEN", vtime)    \
	X(vtime_task_switch, ANY, none, 0, "VIRT_CPU_ACCOUNTING_NATIVE", vtime)         \
	X(vtime_account_irq, ANY, none, 0, "VIRT_CPU_ACCOUNTING_NATIVE", vtime)         \
	X(vtime_account_hardirq, ANY, none, 0, "VIRT_CPU_ACCOUNTING_NATIVE", vtime)     \
	X(vtime_account_softirq, ANY, none, 0, "VIRT_CPU_ACCOUNTING_NATIVE", vtime)     \
	X(vtime_flush, ANY, none, 0, "VIRT_CPU_ACCOUNTING_NATIVE", vtime)               \
	X(account_user_time, ANY, none, 0, "", vtime)                                   \
	X(account_system_time, ANY, none, 0, "", vtime)                                 \
	X(account_guest_time, ANY, none, 0, "", vtime)                                  \
	X(account_steal_time, ANY, none, 0, "", vtime)                                  \
	X(account_idle_time, ANY, none, 0, "", vtime)                                   \
	X(any_00, ANY, none, 1, "", other)                                              \
	X(any_01, ANY, none, 1, "", other)                                              \
	X(any_02, ANY, none, 1, "", other)                                              \
	X(any_03, ANY, none, 1, "", other)                                              \
	X(any_04, ANY, none, 1, "", other)                                              \
	X(any_05, ANY, none, 1, "", other)                                              \
	X(any_06, ANY, none, 1, "", other)                                              \
	X(any_07, ANY, none, 1, "", other)                                              \
	X(any_08, ANY, none, 1, "", other)                                              \
	X(any_09, ANY, none, 1, "", other)                                              \
	X(any_10, ANY, none, 1, "", other)                                              \
	X(any_11, ANY, none, 1, "", other)                                              \
	X(any_12, ANY, none, 1, "", other)                                              \
	X(any_13, ANY, none, 1, "", other)                                              \
	X(any_14, ANY, none, 1, "", other)                                              \
	X(any_15, ANY, none, 1, "", other)                                              \
	X(any_16, ANY, none, 1, "", other)                                              \
	X(any_17, ANY, none, 1, "", other)                                              \
	X(any_18, ANY, none, 1, "", other)                                              \
	X(any_19, ANY, none, 1, "", other)                                              \
	X(any_20, ANY, none, 1, "", other)                                              \
	X(any_21, ANY, none, 1, "", other)                                              \
	X(any_22, ANY, none, 1, "", other)                                              \
	X(any_23, ANY, none, 1, "", other)                                              \
	X(local_timer, INTERRUPT, none, 0, "X86_LOCAL_APIC", internal)                  \
	X(irq_handler, INTERRUPT, none, 0, "", internal)                                \
	X(softirq, INTERRUPT, none, 0, "", internal)                                    \
	X(bpf_prog_test_run_tracing, CALIBRATE, none, 1, "BPF_SYSCALL", internal)       \
	X(bpf_fentry_test1, CALIBRATE, bpf_prog_test_run_tracing, 1, "NET", internal)

enum fn_id {
#define X(name, kind, parent, preemptible, config, group) FN_ID_##name,
	CPUTOLL_FUNCTIONS(X)
#undef X
		FN_COUNT,
	FN_ID_none = FN_COUNT,
};

#endif /* CPUTOLL_FUNCTIONS_H */
