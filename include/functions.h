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
 *	RESOLVE   fentry only, opens no frame: names the clock of the SYSCALL frame around it,
 *	          whose arguments carry only a timer's number.
 *	INTERRUPT a pair of tracepoints, NAME_entry and NAME_exit, always attached: what an
 *interrupt takes that comes in the middle of a traced call is not that call's time CALIBRATE
 *fentry+fexit on the kernel's own test functions, attached at start-up only.
 */
enum fn_kind {
	FN_SYSCALL,
	FN_PROCFS,
	FN_READ,
	FN_BELOW,
	FN_RESOLVE,
	FN_INTERRUPT,
	FN_CALIBRATE,
};

/*
 * X(name, kind, parent, preemptible, config)
 *
 * name         the symbol in the kernel, or the syscall's name for SYSCALL rows (the
 *              architecture's prefix is added when it is looked up)
 * parent       the traced function it is called from in a read, none for none; a BELOW function
 *              called from any other place inside a read (a context switch) is no part of it
 * preemptible  1: the task may be preempted or sleep inside, so that its total holds
 *              time off the CPU; 0: it runs with preemption or interrupts off
 * config       the option without which a kernel does not have it, "" for none
 */
#define CPUTOLL_FUNCTIONS(X)                                                     \
	X(clock_gettime, SYSCALL, none, 1, "POSIX_TIMERS")                       \
	X(clock_nanosleep, SYSCALL, none, 1, "POSIX_TIMERS")                     \
	X(getrusage, SYSCALL, none, 1, "")                                       \
	X(times, SYSCALL, none, 1, "")                                           \
	X(wait4, SYSCALL, none, 1, "")                                           \
	X(waitid, SYSCALL, none, 1, "")                                          \
	X(timer_settime, SYSCALL, none, 1, "POSIX_TIMERS")                       \
	X(timer_gettime, SYSCALL, none, 1, "POSIX_TIMERS")                       \
	X(setitimer, SYSCALL, none, 1, "")                                       \
	X(getitimer, SYSCALL, none, 1, "")                                       \
	X(proc_tgid_stat, PROCFS, none, 1, "PROC_FS")                            \
	X(proc_tid_stat, PROCFS, none, 1, "PROC_FS")                             \
	X(posix_cpu_timer_set, RESOLVE, timer_settime, 1, "POSIX_TIMERS")        \
	X(posix_cpu_timer_get, RESOLVE, timer_gettime, 1, "POSIX_TIMERS")        \
	X(thread_group_cputime_adjusted, READ, none, 1, "")                      \
	X(thread_group_cputime, READ, thread_group_cputime_adjusted, 1, "")      \
	X(task_sched_runtime, READ, thread_group_cputime, 0, "")                 \
	X(update_rq_clock, BELOW, task_sched_runtime, 0, "")                     \
	X(psi_account_irqtime, BELOW, update_rq_clock, 0, "IRQ_TIME_ACCOUNTING") \
	X(local_timer, INTERRUPT, none, 0, "X86_LOCAL_APIC")                     \
	X(irq_handler, INTERRUPT, none, 0, "")                                   \
	X(softirq, INTERRUPT, none, 0, "")                                       \
	X(bpf_prog_test_run_tracing, CALIBRATE, none, 1, "BPF_SYSCALL")          \
	X(bpf_fentry_test1, CALIBRATE, bpf_prog_test_run_tracing, 1, "NET")

enum fn_id {
#define X(name, kind, parent, preemptible, config) FN_ID_##name,
	CPUTOLL_FUNCTIONS(X)
#undef X
		FN_COUNT,
	FN_ID_none = FN_COUNT,
};

#endif /* CPUTOLL_FUNCTIONS_H */
