#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# However a record ends, nothing of it stays in the kernel and no half of a profile on the disk: kills
# and signals, no root, no BTF, no command, no room, wrong options.
# Run by "make check-guest" or by hand: tests/guest/lifecycle_test.sh [--kernel NAME]; one minute.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
t_options "$@"
out=$t_tmp/out
bpftool=$(command -v bpftool || echo /usr/sbin/bpftool)

# --- signals: what stays in the kernel, and what is in the profile -----------------------------

cat >"$t_tmp/signals" <<'EOS'
#!/bin/sh
few=clock_gettime,task_sched_runtime
# objects FILE: how many programs, maps and links there are
objects() {
	for kind in prog map link; do
		bpftool $kind list | grep -c '^[0-9]*: '
	done | tr '\n' ' ' >"/out/$1"
}
# The kernel frees some of it later.
settle() { sleep 2; }
settle
objects before

cputoll record -o /out/kill.p -- sleep 1000 &
recorder=$!
sleep 30
objects during
kill -KILL $recorder
wait $recorder 2>/dev/null
echo $? >/out/kill.status
settle
objects kill.after
ls /out | grep -c 'kill\.p\|cputoll\.' >/out/kill.files

# All is read when the signal comes ...
for signal in INT TERM; do
	rm -f /tmp/done
	cputoll record -o /out/$signal.p --functions $few -- sh -c \
		"cputoll bench masks --json >/out/$signal.b; : >/tmp/done; exec sleep 1000" 2>/out/$signal.err &
	recorder=$!
	while [ ! -e /tmp/done ]; do sleep 0.1; done
	kill -$signal $recorder
	wait $recorder
	echo $? >/out/$signal.status
	cputoll report /out/$signal.p >/out/$signal.report 2>&1
	echo $? >>/out/$signal.status
	settle
	objects $signal.after
done
# ... and in the midst of it, without a command.
cputoll bench clock-thread --count 100000000 >/dev/null &
reader=$!
cputoll record -o /out/midst.p --functions $few 2>/out/midst.err &
recorder=$!
# A background job's SIGINT is ignored until record takes it, which is when it begins to wait.
# Syscall 7 is poll(2); wchan, which has its name, is 0 on Linux 5.10.
until read -r syscall _ </proc/$recorder/syscall && [ "$syscall" = 7 ]; do sleep 0.5; done
sleep 1
kill -INT $recorder
wait $recorder 2>/dev/null
echo $? >/out/midst.status
kill $reader
cputoll report /out/midst.p >/out/midst.report 2>&1
echo $? >>/out/midst.status
settle
objects midst.after
ps | grep -c 'sleep 100[0]' >/out/sleepers
EOS
chmod 755 "$t_tmp/signals"
t_lab --add "$bpftool" --add "$t_tmp/signals" -- signals
t_is "$t_status $(<"$t_err")" '0 ' 'signals: the guest ran'
before=$(<"$out/before")
t_match "$before" '^[0-9]+ [0-9]+ [0-9]+ $' 'programs, maps and links can be counted'
read -r programs maps links <<<"$before"
read -r programs_now maps_now links_now <<<"$(<"$out/during")"
t_is $((programs_now - programs > 30 && maps_now > maps && links_now - links > 30)) 1 \
	"during a record there are more ($(<"$out/during")than $before)"
t_is "$(<"$out/kill.status")" 137 'kill -9: it died'
t_is "$(<"$out/kill.after")" "$before" 'kill -9: none is left'
t_is "$(<"$out/kill.files")" 0 'kill -9: no file is left'
for signal in INT TERM; do
	t_is "$(<"$out/$signal.status")" $'0\n0' "SIG$signal: record and report say 0"
	t_match "$(<"$out/$signal.err")" "^(cputoll: record: 'sh' was ended by signal 15)?\$" \
		"SIG$signal: at most a line on the command's end"
	t_profile "SIG$signal" "$out/$signal.p" "$out/$signal.b"
	t_match "$(<"$out/$signal.report")" $'\n11 721 reads|\n *365 clock_gettime' "SIG$signal: in the report"
	t_is "$(<"$out/$signal.after")" "$before" "SIG$signal: none is left"
done
t_is "$(<"$out/midst.status") $(<"$out/midst.err")" $'0\n0 ' 'SIGINT in the midst: record and report say 0'
t_profile 'SIGINT in the midst' "$out/midst.p"
t_jq "$out/midst.p" '[.syscalls[] | [.name, .clock, .calls > 1000, .errors]]' \
	'[["clock_gettime","thread/sched",true,0]]' 'SIGINT in the midst: the reads until then'
t_jq "$out/midst.p" '[.paths[] | select(.caller == "clock_gettime").calls] | max - min' 0 'SIGINT in the midst: no read is half in it'
t_is "$(<"$out/midst.after")" "$before" 'SIGINT in the midst: none is left'
# The one of the killed recorder: there is nobody left who could end it.
t_is "$(<"$out/sleepers")" 1 'the commands have been ended with their recorders'

# --- where it cannot run: one line, the right status, nothing half-written ---------------------

cat >"$t_tmp/refusals" <<'EOS'
#!/bin/sh
few=task_sched_runtime
mkdir -m 777 /tmp/open
mkdir /tmp/dir /tmp/small /tmp/ro
cd /tmp/open || exit
# try NAME COMMAND...: leaves its status, both outputs, and what is in the folder afterwards
try() {
	name=$1
	shift
	"$@" >/out/$name.out 2>/out/$name.err </dev/null
	echo $? >/out/$name.status
	ls -A /tmp/open >/out/$name.files
	rm -rf /tmp/open/*
}
record() {
	name=$1
	shift
	try "$name" cputoll record --functions $few "$@"
}
mkdir -p /etc
echo nobody:x:65534:65534::/:/bin/sh >/etc/passwd
echo nogroup:x:65534: >/etc/group
as_nobody='start-stop-daemon -S -c nobody:nogroup -x'
try nobody.id $as_nobody /bin/id -- -u
try nobody $as_nobody /bin/cputoll -- record -o nobody.p -- true

record missing -o p -- /nonexistent
record noexec -o p -- /tmp
record failing -o p -- sh -c 'exit 7'
record killed -o p -- sh -c 'kill -SEGV $$'
record quiet -o p -- true
record stdout -o - -- sh -c 'cputoll bench clock-thread --count 10 >/dev/null'

record nodir -o /tmp/none/p -- true
record isdir -o /tmp/dir -- true
record full.device -o /dev/full -- true
mount -t tmpfs -o size=4k tmpfs /tmp/small
echo old >/tmp/small/p
record full -o /tmp/small/p -- true
cp /tmp/small/p /out/full.kept
ls -A /tmp/small >/out/full.left
mount -t tmpfs -o ro tmpfs /tmp/ro
record ro -o /tmp/ro/p -- true

try unknown cputoll record -o p --functions frobnicate -- true
try nothing cputoll record -o p --functions '' -- true
try absent cputoll record -o p --functions psi_account_irqtime -- true
cp_profile() { cputoll record -o /out/some.p --functions task_sched_runtime,psi_account_irqtime -- cputoll bench clock-thread --count 10 --json >/out/some.b; }
try some cp_profile
try badoption cputoll record -o p --frob -- true
try novalue cputoll record -o
try zero cputoll record -o p -d 0 -- true
try word cputoll record -o p -d soon -- true
try pidzero cputoll record -o p -p 0
try both cputoll record -o p -p 1 -- true
try nopid cputoll record -o p -p 4194304

mkdir /tmp/nobtf
mount --bind /tmp/nobtf /sys/kernel/btf
record nobtf -o p -- true
umount /sys/kernel/btf
echo 'this is no BTF' >/tmp/btf
mount --bind /tmp/btf /sys/kernel/btf/vmlinux
record badbtf -o p -- true
umount /sys/kernel/btf/vmlinux

# There is no way back from this one.
mount -t securityfs securityfs /sys/kernel/security
if echo confidentiality >/sys/kernel/security/lockdown; then
	record lockdown -o p -- true
fi
EOS
chmod 755 "$t_tmp/refusals"
rm -rf "$out"
t_lab --add "$t_tmp/refusals" -- refusals
t_is "$t_status" 0 'refusals: the guest ran'

# ended NAME STATUS PATTERN [OUTPUT]: the status, one line that matches, no output, no file.
ended() {
	t_is "$(<"$out/$1.status")" "$2" "$1: status $2"
	t_match "$(<"$out/$1.err")" "^cputoll: $3" "$1: says so"
	t_lines "$out/$1.err" 1 "$1: in one line"
	t_is "$(<"$out/$1.out")$(<"$out/$1.files")" "${4:-}" "$1: and leaves ${4:-nothing}"
}
t_is "$(<"$out/nobody.id.out")" 65534 'not root: the test is not'
ended nobody 3 'record: .*(root|CAP_BPF)'
ended missing 2 "record: cannot run '/nonexistent': No such file or directory"
ended noexec 2 "record: cannot run '/tmp': Permission denied"
ended failing 0 "record: 'sh' exited with status 7" p
ended killed 0 "record: 'sh' was ended by signal 11" p
t_is "$(<"$out/quiet.status") $(<"$out/quiet.err") $(<"$out/quiet.files")" '0  p' 'a good command: no word'
t_is "$(<"$out/stdout.status") $(<"$out/stdout.err") $(<"$out/stdout.files")" '0  ' '-o -: no file'
t_profile '-o -: the profile' "$out/stdout.out"
ended nodir 2 'record: cannot write /tmp/none/p: No such file or directory'
ended isdir 2 'record: cannot write /tmp/dir: Is a directory'
ended ro 2 'record: cannot write /tmp/ro/p: Read-only file system'
ended full 3 'record: cannot write /tmp/small/p: No space left on device'
t_is "$(<"$out/full.left") $(<"$out/full.kept")" 'p old' 'full: the old profile stays, alone'
ended full.device 3 'record: cannot write /dev/full: No space left on device'
ended unknown 2 "record: no function 'frobnicate' in this kernel, unless inlined"
ended nothing 2 'record: .*functions'
ended absent 3 'record: .*(none of the functions|psi_account_irqtime)'
t_is "$(<"$out/some.status") $(<"$out/some.err")" '0 ' 'one function of two missing: traces the other'
t_profile 'one function of two missing' "$out/some.p" "$out/some.b"
t_jq "$out/some.p" '.functions[] | select(.name == "psi_account_irqtime") | .attached, .reason' \
	$'false\nnot in this kernel: IRQ_TIME_ACCOUNTING is off' 'the missing one: says why'
ended badoption 2 "record: .*frob"
ended novalue 2 "record: .*-o"
ended zero 2 "record: .*duration"
ended word 2 "record: .*'?soon"
ended pidzero 2 "record: .*pid"
ended both 2 'record: -p and a command exclude each other'
ended nopid 2 'record: no process 4194304'
ended nobtf 3 'record: cannot read this kernel.s types \(/sys/kernel/btf/vmlinux\)'
ended badbtf 3 'record: cannot read this kernel.s types \(/sys/kernel/btf/vmlinux\)'
if [[ -e $out/lockdown.status ]]; then
	ended lockdown 3 'record: .*lockdown confidentiality'
else
	t_skip lockdown 'this kernel has none'
fi

t_done
