#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The profile says what the workload did, to the last read: every kind, its caller, clock and masks,
# and the calls it makes; with fewer functions, more callers, other readers, and on four CPUs.
# Run by "make check-guest" or by hand: tests/guest/record_test.sh [--kernel NAME]; one to three minutes.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
t_options "$@"
out=$t_tmp/out

# --- on one CPU, by instruction count ----------------------------------------------------------

printf '%s\n' "$t_record" >"$t_tmp/inside"
cat >>"$t_tmp/inside" <<'EOS'
ls -d /lib /lib64 /usr/lib /usr/lib64 2>/dev/null >/out/libraries
cputoll version >/out/version 2>&1

record plain -- cputoll bench masks --json
record callers --all-callers -- cputoll bench masks --json
# From here on with few functions: loading all of them is most of a record here.
record two --functions task_sched_runtime,update_rq_clock -- cputoll bench masks --count 7 --json
record one --functions task_sched_runtime -- cputoll bench masks --json
some=clock_gettime,getrusage,thread_group_cputime,task_sched_runtime
record some --functions $some -- cputoll bench masks --json

# another: a process that reads all the time, once there is something in the pipe
mkfifo /tmp/one /tmp/another
another() {
	sh -c 'read go </tmp/another; exec cputoll bench getrusage --count 100000000' &
	another=$!
}
another
record alone --functions $some -- sh -c 'echo >/tmp/another; exec cputoll bench masks --json'
kill $another
another
record all -a --functions $some -- sh -c 'echo >/tmp/another; exec cputoll bench masks --json'
kill $another
another
sh -c 'read go </tmp/one; exec cputoll bench masks --json >/out/pid.b2' &
one=$!
( sleep 8; echo >/tmp/another; echo >/tmp/one; sleep 1; kill $another ) &
record pid -p $one -d 10 --functions $some
EOS
chmod 755 "$t_tmp/inside"
t_lab --add "$t_tmp/inside" -- inside
t_is "$t_status $(<"$t_err")" '0 ' 'the guest ran'

t_is "$(<"$out/libraries")" '' 'the guest has no libraries'
t_match "$(<"$out/version")" '^cputoll [0-9.]+$' 'cputoll runs in it'
t_is "$(ldd "$t_repo/build/cputoll-static" 2>&1 | tr -d '\t')" 'not a dynamic executable' \
	'cputoll-static needs none'
for name in plain callers two one some alone all pid; do
	t_is "$(<"$out/$name.status") $(<"$out/$name.err")" '0 ' "$name: status 0, nothing on stderr"
done

t_profile plain "$out/plain.p" "$out/plain.b"
t_is "$(jq '[.kinds[].reads] | add' "$out/plain.b")" 11721 'plain: the workload made 11721 reads'
t_is "$(jq '[.syscalls[].calls] | add' "$out/plain.p")" 11721 'plain: the profile says 11721'
t_profile '--all-callers' "$out/callers.p" "$out/callers.b"
t_jq "$out/callers.p" '.all_callers, ([.paths[] | select(.caller == "irq" and .parent == null
	and .function == "update_rq_clock").calls] | add > 10)' $'true\ntrue' \
	'--all-callers: ticks are counted'
t_profile '--functions, two of them' "$out/two.p" "$out/two.b"
t_jq "$out/two.p" '.syscalls, ([.paths[] | select(.caller != "irq").function] | unique)' \
	$'[]\n["task_sched_runtime","update_rq_clock"]' '--functions, two of them: and no syscall'
t_profile '--functions, one' "$out/one.p" "$out/one.b"
t_jq "$out/one.p" '[.paths[] | select(.caller != "irq").function] | unique' '["task_sched_runtime"]' '--functions, one: only that'
t_profile '--functions, four' "$out/some.p" "$out/some.b"
t_jq "$out/some.p" '[.functions[] | select(.attached).name]' \
	"$(printf '["%s","%s","%s","%s","%s","%s","%s"]' __x64_sys_{clock_gettime,getrusage} \
		thread_group_cputime task_sched_runtime local_timer irq_handler softirq)" \
	'--functions, four: these are attached, and the interrupts'
# 7.x preempts tasks inside the kernel, also in a probe, which it then skips for all others on that
# CPU: what is missing must be no more than what the profile says is lost. Elsewhere nothing is lost.
others=()
if [[ $t_kernel == debian-sid ]]; then others=(--lossy); fi
t_profile 'a command beside another reader' "${others[@]}" "$out/alone.p" "$out/alone.b"
t_profile '-p PID beside another reader' "${others[@]}" "$out/pid.p" "$out/pid.b2"
for name in alone pid; do
	t_jq "$out/$name.p" '.processes | length' 1 "$name: one process"
done
t_profile '-a' "${others[@]}" --also getrusage:self "$out/all.p" "$out/all.b"
t_jq "$out/all.p" '.processes | length' 2 '-a: two processes'
t_jq "$out/all.p" '(.processes | map(.masks.us) | max) > 2000, all(.processes[]; .comm == "cputoll")' \
	$'true\ntrue' '-a: what the other read is there'

# --- the checks themselves: each falsehood must be noticed --------------------------------------

# falsehood NAME FILTER PATTERN: a profile changed by the filter does not pass, for that reason.
falsehood() {
	jq "$2" "$out/plain.p" >"$t_tmp/false"
	t_run "$t_repo/build/check_profile" "$t_tmp/false" "$out/plain.b"
	t_match "$t_status $(grep '^not ok' "$t_out" || :)" "^1 not ok $3" "noticed: $1"
}
# shellcheck disable=SC2016 # jq's variable
first='.paths |= (. as $p | [range(length)] | map($p[.] | if .caller == "clock_gettime"
	and .clock == "process/prof" and .function == "%s" then %s else . end))'
# path FUNCTION CHANGE: the filter that changes the paths of one kind and function
path() {
	# shellcheck disable=SC2059 # the format is ours
	printf "$first" "$1" "$2"
}
falsehood 'one read less' '(.syscalls[] | select(.clock == "thread/sched" and .name == "clock_gettime").calls) -= 1' \
	'clock_gettime thread/sched: 365 reads and no error \(profile: 364, 0\)'
falsehood 'one error' '.syscalls[0].errors = 1' 'clock_gettime thread/sched: 365 reads .*365, 1\)'
falsehood 'a read of no workload' '.syscalls += [.syscalls[0] | .clock = "process/none"]' \
	'clock_gettime process/none: 365 reads that no workload made'
falsehood 'one call less' "$(path task_sched_runtime '.calls -= 1')" \
	'clock_gettime process/prof: 284 calls of task_sched_runtime \(profile: 283\)'
falsehood 'another caller' "$(path update_rq_clock '.caller = "times"')" \
	'clock_gettime process/prof: 284 calls of update_rq_clock \(profile: 0\)'
falsehood 'other asks' "$(path thread_group_cputime '.asks = ["utime"]')" \
	'clock_gettime process/prof: asks 3, needs 3 in all its 4 paths \(1 differ\)'
falsehood 'other needs' "$(path thread_group_cputime '.needs += ["sum_exec_runtime"]')" \
	'clock_gettime process/prof: asks 3, needs 3 in all its 4 paths \(1 differ\)'
falsehood 'a nanosecond of self' "$(path thread_group_cputime '.self_ns += 1')" \
	'self and children are the total in [0-9]+ paths \(not in 1\)'
falsehood 'a child above its parent' '.paths[1].total_ns = .paths[0].total_ns + 1' \
	'.*no child.s total exceeds its parent.s \(1 do\)'
falsehood 'more than measured' '.paths[0].raw_ns = .paths[0].total_ns - 1' \
	'no total exceeds what was measured \(1 do\)'
falsehood 'a latency lost' '.paths[0].hist.count[0] -= 1' \
	'each histogram holds its path.s calls \(1 do not\)'
falsehood 'a loss' '.lost.migrated = 1' 'lost: migrated 1, .* all zero'
falsehood 'a process with one call more' '.processes[0].calls += 1 | .processes[0].masks.r += 1' \
	'a process has the reads of plain.b: u 2806, us 4132, r 4783'
falsehood 'nothing at all' '.paths = [] | .syscalls = [] | .processes = []' \
	'clock_gettime thread/sched: 365 reads'

# --- on four CPUs, several workloads at once ---------------------------------------------------

workloads='masks
masks --count 3
clock-thread --count 30000
clock-process --threads 8 --count 10000
getrusage --count 20000
times --count 20000
proc-stat --count 500'
cat >"$t_tmp/together" <<EOS
#!/bin/sh
nproc >/out/cpus
i=0
while read -r words; do
	i=\$((i + 1))
	cputoll bench \$words --json >/out/together.b\$i &
done <<EOW
$workloads
EOW
wait
EOS
chmod 755 "$t_tmp/together"
rm -rf "$out"
t_lab --accel tcg --smp 4 --add "$t_tmp/together" -- cputoll record -o /out/together.p -- together
t_is "$t_status $(<"$t_err")" '0 ' 'four CPUs: status 0, nothing on stderr'
t_is "$(<"$out/cpus")" 4 'four CPUs: they are there'
# The shell that starts the workloads collects them, each with a wait.
t_profile 'four CPUs' "${others[@]}" --also wait4:child "$out/together.p" "$out"/together.b?
t_jq "$out/together.p" '.processes | length' 8 'four CPUs: seven workloads and their shell'
echo "# four CPUs: lost $(jq -c .lost "$out/together.p") of $(jq '[.syscalls[].calls] | add' "$out/together.p") reads"

t_done
