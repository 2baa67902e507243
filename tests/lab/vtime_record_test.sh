#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# cputoll record --functions vtime, on the kernels that account at every entry and exit: each syscall and each guest is
# entered and left exactly once, and what flushes is what the kernel was built to flush.
# Run by `make check-lab`; one minute on two cores, and six more when its kernels have to be built.
set -euo pipefail

# shellcheck source=tests/lab/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# calls FILE CALLER FUNCTION [PARENT]: its calls from PARENT, else those that are outermost.
calls() {
	jq --arg caller "$2" --arg function "$3" --arg parent "${4:-}" '[.paths[] | select(.caller == $caller and
		.function == $function and (.parent // "") == $parent).calls] | add // 0' "$1"
}

for variant in vtime vtime-eager; do
	rm -rf "$t_tmp/out"
	t_kernel=$variant
	# shellcheck disable=SC2016 # expanded in the guest
	t_lab -- sh -c '
		cputoll record -o /out/null --functions vtime,__task_pid_nr_ns -- cputoll bench null-syscall --count 100000
		cputoll record -o /out/kvm --functions vtime -- cputoll bench kvm-hypercall --count 20000
		for name in null kvm; do cputoll report /out/$name >/out/$name.text; done'
	t_is "$t_status $(<"$t_err")" '0 ' "$variant: the guest ran"
	null=$t_tmp/out/null kvm=$t_tmp/out/kvm
	for file in "$null" "$kvm"; do
		t_jq "$file" '[.lost[]] | add' 0 "$variant, ${file##*/}: nothing lost"
		t_jq "$file" .host.accounting vtime-gen "$variant, ${file##*/}: accounting"
	done

	# The function that does the work. The bench makes hundreds of calls first, so that ticks have seen it in the kernel.
	made=$(calls "$null" getppid __task_pid_nr_ns)
	t_is "$((made >= 100000 && made % 100 == 0))" 1 "$variant: the syscalls that were made: $made"
	t_is "$(calls "$null" getppid vtime_user_exit)" "$made" "$variant: each left user mode once"
	t_is "$(calls "$null" getppid vtime_user_enter)" "$made" "$variant: each went back once"
	flushed="$(calls "$null" getppid account_user_time vtime_user_exit) $(calls "$null" getppid account_system_time vtime_user_enter)"
	if [[ $variant == vtime-eager ]]; then
		t_is "$flushed" "$made $made" "$variant: each event flushes"
		t_match "$(<"$null.text")" $'\n[^\n]+ syscall [^\n]+ 100 %\n' "$variant: the report says so"
	else
		read -r user system <<<"$flushed"
		t_within "$((user + system))" 10 200 "$variant: events that flush, once a tick"
		t_match "$(<"$null.text")" $'\n[^\n]+ syscall [^\n]+ 0.0 %\n' "$variant: the report says so"
	fi
	t_is "$(calls "$kvm" ioctl vtime_guest_enter)" "$(calls "$kvm" ioctl vtime_guest_exit)" "$variant: each guest entered was left"
	t_within "$(calls "$kvm" ioctl vtime_guest_exit)" 20000 20100 "$variant: a guest exit for each hypercall, and for few interrupts"
	t_match "$(<"$kvm.text")" $'\n +40\\.. k [^\n]+ guest ' "$variant: the report has the guest's line"
done

t_done
