#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Functions that are chosen: any of the kernel's by name, nested and right to the last call; those that
# cannot be traced are refused with the reason; and virtual CPU-time accounting, on a CPU that has it.
# Run by "make check-guest" or by hand: tests/guest/functions_test.sh [--kernel NAME]; two minutes.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
t_options "$@"
out=$t_tmp/out
reads=5000

# Functions that all kernels have; each is called when a program starts and reads a file.
twenty=vfs_read,ksys_read,vfs_write,ksys_write,rw_verify_area,fput,filp_close,do_sys_openat2,alloc_empty_file
twenty+=,path_openat,vfs_open,getname_flags,putname,do_wait,wake_up_new_task,copy_process,mmput
twenty+=,handle_mm_fault,vm_mmap_pgoff,__x64_sys_read

# Functions that tasks, the scheduler and interrupts call, on the way into and out of tasks too.
deep=try_to_wake_up,schedule,hrtimer_interrupt,ktime_get,kmem_cache_free,kfree,wake_up_process,handle_mm_fault
# A program that makes so many reads of one byte, as many writes, and no others.
one_by_one="dd if=/dev/zero of=/dev/null bs=1 count=$reads status=none"
printf '%s\n' "$t_record" >"$t_tmp/record"

# recorded NAME: it was, with nothing said and nothing lost.
recorded() {
	t_is "$(<"$out/$1.status") $(<"$out/$1.err")" '0 ' "$1: status 0, nothing on stderr"
	t_jq "$out/$1.p" '[.lost[]] | add' 0 "$1: nothing lost"
}

# refused NAME LINE...: status 2, a line on standard error for each regular expression, no profile.
refused() {
	local name=$1 line
	shift
	t_is "$(<"$out/$name.status")" 2 "$name: status 2"
	t_absent "$out/$name.p" "$name: no profile"
	t_lines "$out/$name.err" $# "$name: a line for each name"
	for line; do
		t_match "$(<"$out/$name.err")" "(^|"$'\n'")cputoll: record: $line(\$|"$'\n'")" "$name: ${line%%:*}"
	done
}

# --- on one CPU, by instruction count ----------------------------------------------------------

cat "$t_tmp/record" - >"$t_tmp/inside" <<EOS
record both --functions vfs_read,ksys_read -- $one_by_one
record outer --functions ksys_read -- $one_by_one
record inner --functions vfs_read -- $one_by_one
mkfifo /tmp/go
sh -c 'read go </tmp/go; exec $one_by_one' &
one=\$!
(sleep 8; echo >/tmp/go) &
record pid -p \$one --functions vfs_write,ksys_write
record twenty --functions $twenty -- sh -c '$one_by_one; cat /proc/self/stat'
record stat --functions vfs_read,reads -- cputoll bench proc-stat --count 50 --json
record masks -- cputoll bench masks --json
record all --functions all -- cputoll bench masks --json
record deep -a --functions $deep,reads -- sh -c 'i=0; while [ \$i -lt 60 ]; do cat /proc/self/stat >/dev/null; i=\$((i+1)); done'
record left_out --functions 'ksys_r*,do_exi*' -- $one_by_one
record names --functions vfs_raed,do_syscall_64,_raw_spin_lock,snprintf,vfs_read,do_exit,getrusag,read -- true
record arguments --functions ksys_read,do_mmap -- $one_by_one
record none --functions 'no_such_*' -- true
record many --functions 'vfs_*' -- true
cputoll doctor >/out/doctor
EOS
chmod 755 "$t_tmp/inside"
t_lab --add "$t_tmp/inside" -- inside
t_is "$t_status $(<"$t_err")" '0 ' 'the guest ran'

# tree NAME: caller, clock, function, parent and calls of every path but an interrupt's.
tree() {
	jq -r -c '.paths[] | select(.caller != "irq") | [.caller, .clock, .function, .parent, .calls]' "$out/$1.p"
}
for name in both outer inner pid twenty stat masks all left_out; do
	recorded "$name"
done
t_is "$(tree both)" '["read","-","ksys_read",null,5000]'$'\n''["read","-","vfs_read","ksys_read",5000]' \
	'vfs_read in ksys_read: as many calls as reads were made'
t_is "$(tree outer)" '["read","-","ksys_read",null,5000]' 'ksys_read alone'
t_is "$(tree inner)" '["read","-","vfs_read",null,5000]' 'vfs_read alone'
t_is "$(tree pid)" '["write","-","ksys_write",null,5000]'$'\n''["write","-","vfs_write","ksys_write",5000]' \
	'-p: as many calls as writes were made'
t_jq "$out/both.p" '[.functions[] | select(.group == "other") | [.name, .attached]]' \
	'[["vfs_read",true],["ksys_read",true]]' 'the profile says which functions were traced'
t_jq "$out/both.p" '[.processes[] | [.comm, .calls, .masks["-"]]]' '[["dd",5000,5000]]' \
	'the process has its calls'
t_jq "$out/both.p" '.paths | map(select(.caller != "irq")) | all(.may_sleep and .total_ns > 0 and .asks == [])' true \
	'nothing is known of them, so they may sleep'

# ns NAME FUNCTION: its average, in ns, which are instructions.
ns() {
	jq ".paths[] | select(.function == \"$2\") | .total_ns / .calls" "$out/$1.p"
}
# same A B: their difference is at most 3 % of what the probes of one call cost, which have been
# subtracted: those of a function with more arguments cost a little more than those that were measured.
same() {
	jq "if $1 > 50 and ($1 - $2 | fabs) <= 0.03 * .calibration.whole_ns then \"same\" else [$1, $2] end" "$out/both.p" |
		tr -d '"\n '
}
t_is "$(same "$(ns both vfs_read)" "$(ns inner vfs_read)")" same 'vfs_read costs the same, nested or alone'
t_is "$(same "$(ns both ksys_read)" "$(ns outer ksys_read)")" same \
	'ksys_read costs the same, with a traced function inside and without'
echo "# ksys_read $(ns outer ksys_read) alone, $(ns both ksys_read) with vfs_read; vfs_read $(ns inner vfs_read) alone, $(ns both vfs_read) nested"

t_jq "$out/twenty.p" '[.functions[] | select(.group == "other" and .attached)] | length' 20 'twenty at once attach'
t_jq "$out/twenty.p" '[.paths[].function] | unique | length >= 20' true 'twenty at once: each was called'
t_jq "$out/twenty.p" '[.paths[] | select(.caller == "read" and .function == "vfs_read" and .parent == "ksys_read").calls] | add >= 5000' \
	true 'twenty at once: every read among them'

# A read inside such a function is still a read, with all its calls.
t_jq "$out/stat.p" '[.syscalls[] | [.name, .clock, .calls]], [.paths[] | select(.function == "vfs_read")
	| [.caller, .clock, .parent, .calls]]' \
	$'[["read","proc/process",50]]\n[["read","-",null,50]]' 'reads of /proc inside vfs_read are reads'
t_jq "$out/stat.p" '[.processes[] | [.calls, .masks.us, .masks["-"]]]' '[[100,50,50]]' \
	'reads of /proc inside vfs_read are their process'"'"'s'
t_profile 'masks' "$out/masks.p" "$out/masks.b"
t_is "$(jq -c '[.syscalls[] | [.name, .clock, .calls, .errors]] | sort' "$out/all.p")" \
	"$(jq -c '[.syscalls[] | [.name, .clock, .calls, .errors]] | sort' "$out/masks.p")" \
	'all groups: the reads are the same'
t_jq "$out/masks.p" '[.functions[].group] | unique' '["internal","reads"]' 'by default only reads are traced'

t_is "$(<"$out/deep.status")" 0 'deep in the kernel: status 0'
t_jq "$out/deep.p" '[.functions[] | select(.group == "other" and (.attached | not)).name]' '[]' 'deep in the kernel: all attach'
# The kernel skips a probe while the same one runs on that CPU; such calls are lost, and told.
t_jq "$out/deep.p" '[([.paths[].calls] | add > 5000), ([.lost[]] | add) * 100 < ([.paths[].calls] | add)]' '[true,true]' \
	'deep in the kernel: less than one call in a hundred is lost'
t_jq "$out/deep.p" '[.syscalls[] | select(.clock == "proc/process") | [.name, .calls]]' '[["read",60]]' \
	'deep in the kernel: the reads are all there'
t_jq "$out/deep.p" '[.paths[] | select(.caller == "irq" and .function == "handle_mm_fault")]' '[]' \
	'deep in the kernel: no page fault is taken for an interrupt'
t_jq "$out/left_out.p" '[.functions[] | select(.name == "do_exit") | .attached, .reason] | tojson' \
	'[false,"never returns, so that its calls have no end to be timed"]' \
	'a glob leaves out what cannot be traced, with the reason'
t_jq "$out/left_out.p" '[.paths[] | select(.function == "ksys_read").calls] | add' 5000 'a glob: the others are traced'

do_syscall_64='the kernel does not let it be traced \(noinstr, notrace: not in available_filter_functions\)'
snprintf='takes a variable number of arguments .*'
if [[ $t_kernel == debian-11 ]]; then
	do_syscall_64='in this kernel, but not described by its BTF' snprintf=$do_syscall_64
fi
refused names \
	"no function 'vfs_raed' in this kernel, unless inlined; near it: ([a-z_]*, )*vfs_read(, [a-z_]*)*" \
	"cannot trace 'do_syscall_64': $do_syscall_64" \
	"cannot trace '_raw_spin_lock': the probes themselves run it.*" \
	"cannot trace 'snprintf': $snprintf" \
	"cannot trace 'do_exit': never returns.*" \
	"no function 'getrusag' in this kernel, unless inlined; near it: getrusage.*" \
	"no function 'read' in this kernel, unless inlined; near it: __x64_sys_read"
# Trampolines pass on six arguments, since 6.6 (473e3150e30a) twelve.
if [[ $t_kernel =~ ^debian-1[12]$ ]]; then
	refused arguments "cannot trace 'do_mmap': refused by the kernel: it takes more arguments than a probe can pass on here"
else
	recorded arguments
	t_jq "$out/arguments.p" '[.paths[] | select(.function == "ksys_read").calls] | add' 5000 'eight arguments: traced'
fi
refused none "no function matches 'no_such_\*'"
refused many "'vfs_\*' matches [0-9]+ functions, and at most 24 that 'cputoll doctor' does not list can be traced at once"
t_match "$(<"$out/doctor")" $'\nok +account_user_time +\n' 'doctor tries the functions of virtual accounting'

# --- virtual accounting, on the second of two CPUs -----------------------------------------------

cat "$t_tmp/record" - >"$t_tmp/inside" <<EOS
cat /sys/devices/system/cpu/nohz_full >/out/nohz_full 2>/dev/null
record tick --functions vtime -- taskset 1 $one_by_one
record vtime --functions vtime -- taskset 2 $one_by_one
record reads -- taskset 2 cputoll bench masks --json
record both --functions all -- taskset 2 cputoll bench masks --json
for name in tick vtime; do
	cputoll report /out/\$name.p >/out/\$name.text
done
EOS
rm -rf "$out"
t_lab --accel tcg --smp 2 --append nohz_full=1 --add "$t_tmp/inside" -- inside
t_is "$t_status $(<"$t_err")" '0 ' 'virtual accounting: the guest ran'
if [[ $(cat "$out/nohz_full" 2>/dev/null) != 1 ]]; then
	t_skip 'virtual accounting' 'this kernel has no nohz_full'
	t_done
fi
for name in tick vtime reads both; do
	recorded "$name"
done

# calls NAME FUNCTION: by dd's two syscalls.
calls() {
	jq -r -c "[.paths[] | select(.parent == null and .function == \"$2\" and
		(.caller | IN(\"read\", \"write\"))) | [.caller, .calls]] | sort" "$out/$1.p"
}
for function in vtime_user_enter vtime_user_exit; do
	t_is "$(calls vtime $function)" '[["read",5000],["write",5000]]' \
		"$function: once for each syscall, to the last one"
	t_is "$(calls tick $function)" '[]' "$function: not on a CPU that accounts at the tick"
done
t_jq "$out/vtime.p" '.host.accounting, ([.functions[].group] | unique)' $'vtime-gen\n["internal","vtime"]' \
	'the profile says how time is accounted, and what was traced'
t_jq "$out/vtime.p" '[.paths[] | select(.function | startswith("account_")) | .parent | select(. != null)] | unique
	| all(startswith("vtime_") or startswith("account_"))' true 'what flushes is below the events'
# Ten thousand syscalls take some ticks, and at each some event flushes.
t_jq "$out/vtime.p" '[.paths[] | select((.function | startswith("account_")) and .parent != null).calls] | add > 0' \
	true 'some events flush'
t_match "$(<"$out/vtime.text")" $'\nvirtual CPU-time accounting\n events .*\n +20.. k +[0-9.]+ [kM] +syscall .*%\n' \
	'the report has a line for syscalls'
t_match "$(<"$out/vtime.text")" $'\nother functions, by the syscall that called them\n' 'the report has the callers'
t_is "$(jq -c '[.syscalls[] | [.name, .clock, .calls, .errors]] | sort' "$out/both.p")" \
	"$(jq -c '[.syscalls[] | [.name, .clock, .calls, .errors]] | sort' "$out/reads.p")" \
	'with virtual accounting beside them, the reads are the same'

t_done
