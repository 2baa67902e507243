#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The workloads: what their figures say twice over, rows and runs that add up, pound under record and
# on four CPUs, and what is said when something runs out.
# Run by "make check-guest" or by hand: tests/guest/bench_test.sh [--kernel NAME]; one to three minutes.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
t_options "$@"

# --- on one CPU, by instruction count ----------------------------------------------------------

# Long enough that one tick more or less (3000 instructions) does not show.
timed='clock-thread --count 200000 --repeat 3
clock-process --count 20000 --threads 50 --repeat 3
times --count 50000 --repeat 3
getrusage --count 50000 --repeat 3
proc-stat --count 5000 --repeat 7
null-syscall --count 100000 --repeat 3
pound --count 20000 --threads 12 --repeat 3
exit --count 250 --repeat 3
timer-tick --count 8'
functions=clock_gettime,times,thread_group_cputime,task_sched_runtime,update_rq_clock

cat >"$t_tmp/inside" <<EOS
#!/bin/sh
export LAB_ACCEL=icount
while read -r words; do
	cputoll bench \$words --json >"/out/\${words%% *}"
done <<EOW
$timed
EOW
cputoll bench pound --count 1000 --json >/out/table
cputoll bench pound --count 1000 --threads 8 --repeat 2 >/out/text
cputoll record -o /out/pound.p --functions $functions -- \
	cputoll bench pound --count 1000 --repeat 2 --json >/out/pound.b
cputoll record -o /out/null.p --functions __task_pid_nr_ns -- \
	cputoll bench null-syscall --count 1234 --repeat 2 >/out/null

# fails NAME WORDS...: leaves the status and what was said
fails() {
	name=\$1
	shift
	cputoll bench "\$@" >/out/\$name.out 2>/out/\$name.err
	echo \$? >/out/\$name.status
}
tasks() {
	ls -d /proc/[0-9]*/task/* | wc -l
}
fails repeat masks --repeat 2
fails nokvm kvm-hypercall
: >/dev/kvm
fails notkvm kvm-hypercall
rm /dev/kvm
(ulimit -t 1000; fails limit exit)
(ulimit -i 0; fails timers exit)
tasks >/out/tasks
echo 400 >/proc/sys/kernel/pid_max
fails pounders pound --threads 1000
fails exits exit --threads 1000
fails ticks timer-tick --threads 1000
fails idle clock-process --threads 1000
tasks >>/out/tasks
EOS
chmod 755 "$t_tmp/inside"
# One guest like another: in the same one, a second time may meet more or fewer ticks, and memory that the
# first has used.
for time in 1 2; do
	t_lab --out "$t_tmp/$time" --add "$t_tmp/inside" -- inside
	t_is "$t_status $(<"$t_err")" '0 ' "guest $time ran"
done
out=$t_tmp/1

# Of each row, by what tells it apart: the median of its runs.
cat >"$t_tmp/medians.jq" <<'EOS'
def median: sort | .[((length - 1) / 2 | floor)];
[.kinds[] | { key: "\(.syscall) \(.clock) \(.how) \(.threads)", value: ([.runs[].ns_per_read] | median) }]
	| from_entries
EOS
# Sums of a bench's JSON that do not hold.
cat >"$t_tmp/sums.jq" <<'EOS'
. as $top | [.kinds[] | select((.runs | length) != $top.repeat
	or ([.runs[].reads] | add) != .reads or ([.runs[].duration_ns] | add) != .duration_ns
	or ([.runs[].ns_per_read] | min) <= 0)] | length
EOS
while read -r name words; do
	repeat=$([[ $words =~ --repeat\ ([0-9]+) ]] && echo "${BASH_REMATCH[1]}" || echo 1)
	t_jq "$out/$name" '"\(.workload) \(.accel) \(.unit) \(.repeat)"' \
		"$name icount instructions $repeat" "$name: what it is"
	t_is "$(jq -f "$t_tmp/sums.jq" "$out/$name")" 0 "$name: the rows are the sums of their runs"
	for time in 1 2; do
		jq -f "$t_tmp/medians.jq" "$t_tmp/$time/$name" >"$t_tmp/medians.$time"
	done
	# shellcheck disable=SC2016 # jq's variable
	answer=$(jq -s -c '.[1] as $other | .[0]
		| with_entries(select((.value - $other[.key] | fabs) > 0.001 * .value) | .value = [.value, $other[.key]])' "$t_tmp"/medians.[12])
	t_is "$answer" '{}' "$name: the same in both guests in every row, within 0.1 %"
	# shellcheck disable=SC2016 # jq's variable
	jq -s -r --arg name "$name" '.[1] as $other | .[0] | to_entries[]
		| "# \($name): \(.key): \(.value), \($other[.key])"' "$t_tmp"/medians.[12]
done <<<"$timed"

# shellcheck disable=SC2016 # jq's variables
t_jq "$out/clock-thread" '[.kinds[].runs[].ns_per_read] | (max - min) / min < 5e-4' true \
	'clock-thread: no run of 200000 reads is off by 0.05 %, not even the first'
# Nothing but the way in and out: what a read adds to it is 200 instructions at least.
t_is "$(jq -s '[.[].kinds[0].runs[0].ns_per_read] | .[0] + 200 < .[1]' "$out/null-syscall" "$out/clock-thread")" true \
	'null-syscall: cheaper than a read'
t_jq "$out/timer-tick" '[.kinds[] | "\(.clock) \(.how)"]' \
	'["- no timer","process/prof timer","process/virt timer","process/sched timer","process/prof setitimer","process/virt setitimer","process/prof RLIMIT_CPU","thread/prof timer","thread/virt timer","thread/sched timer"]' \
	'timer-tick: its rows'
# shellcheck disable=SC2016 # jq's variable
t_jq "$out/timer-tick" '.kinds | map(.ns_per_read) | .[0] as $none | .[1:] | min > $none' true \
	'timer-tick: any timer makes the tick longer'
t_jq "$out/timer-tick" 'all(.kinds[]; .reads >= 7 and .reads <= 8)' true 'timer-tick: the ticks asked for'
t_jq "$out/exit" '[.kinds[] | "\(.syscall) \(.clock) \(.how) \(.reads)"]' \
	'["thread exit - no timer 750","thread exit process/prof timer 750","thread exit process/virt timer 750","thread exit process/sched timer 750"]' \
	'exit: its rows, of three runs'
t_jq "$out/table" '[.kinds[] | select(.syscall == "times") | "\(.threads) \(.reads)"]' \
	'["2 1000","5 1000","8 1000","12 1008","21 1008","30 1020","48 1008","79 1027","110 1100"]' \
	'pound: each number of threads, and as many reads from each'
t_jq "$out/table" '[.kinds[] | select(.syscall == "clock_gettime").ns_per_read] | . == sort' true \
	'pound: a read is dearer with more threads'
t_jq "$out/null.p" '[.paths[] | select(.caller == "getppid" and .function == "__task_pid_nr_ns").calls] | add' 2468 \
	'null-syscall: two runs of 1234 calls are 2468 of getppid(), no more'
t_match "$(<"$out/text")" 'THREADS  ASKS +CALLS +INSTR/READ +SPREAD' 'text: the heading'
t_match "$(<"$out/text")" $'\ntimes +self +- +8  utime\+stime +2000 +[0-9]+\.[0-9] +[0-9]+\.[0-9]+ %' \
	'text: a row, with both runs of 1000'
# 7.x preempts tasks inside the kernel, also in a probe: what is missing must be told as lost.
others=()
if [[ $t_kernel == debian-sid ]]; then others=(--lossy); fi
t_profile 'pound' "${others[@]}" "$out/pound.p" "$out/pound.b"
t_jq "$out/pound.b" '.reads' 36684 'pound: 36684 reads in two runs'

# failed NAME STATUS PATTERN: what came of it; one line, and nothing printed as if it had been done
failed() {
	t_is "$(<"$out/$1.status") $(<"$out/$1.out") $(wc -l <"$out/$1.err")" "$2  1" "$1: status $2, one line"
	t_match "$(<"$out/$1.err")" "$3" "$1: what it says"
}
failed repeat 2 '^cputoll: bench masks: its reads are counted, not timed; --count multiplies them$'
failed nokvm 3 '^cputoll: bench kvm-hypercall: no KVM to be used here: opening /dev/kvm: No such file or directory$'
failed notkvm 3 '^cputoll: bench kvm-hypercall: /dev/kvm is of another version: Inappropriate ioctl for device$'
failed limit 1 '^cputoll: bench exit: RLIMIT_CPU is set \(ulimit -t\), .*: Device or resource busy$'
failed timers 1 '^cputoll: bench exit: thread exit, process/prof timer: timer_create: Resource temporarily unavailable$'
failed pounders 1 '^cputoll: bench pound: starting 1000 threads to read: Resource temporarily unavailable$'
failed exits 1 '^cputoll: bench exit: thread exit, - no timer: starting the idle threads: Resource temporarily unavailable$'
failed ticks 1 '^cputoll: bench timer-tick: tick, - no timer: starting the idle threads: Resource temporarily unavailable$'
failed idle 1 '^cputoll: bench clock-process: starting the idle threads: Resource temporarily unavailable$'
t_is "$(uniq "$out/tasks" | wc -l)" 1 'nobody is left behind'

# --- on four CPUs -------------------------------------------------------------------------------

cat >"$t_tmp/four" <<EOS
#!/bin/sh
export LAB_ACCEL=tcg
cputoll bench pound --count 2000 --repeat 2 --json >/out/pound4.b || exit
cputoll bench exit --count 100 --json >/out/exit4.b || exit
cputoll record -o /out/record4.p --functions $functions -- \
	cputoll bench pound --count 1000 --json >/out/record4.b
EOS
chmod 755 "$t_tmp/four"
t_lab --out "$out" --accel tcg --smp 4 --add "$t_tmp/four" -- four
t_is "$t_status $(<"$t_err")" '0 ' 'four CPUs: status 0, nothing on stderr'
t_jq "$out/pound4.b" '"\(.accel) \(.unit) \(.kinds | length) \(.reads)"' 'tcg ns 18 72760' \
	'four CPUs: every row of pound'
t_jq "$out/pound4.b" 'all(.kinds[]; .ns_per_read > 0)' true 'four CPUs: all of them timed'
t_jq "$out/exit4.b" '[.kinds[].reads]' '[100,100,100,100]' 'four CPUs: exits'
t_profile 'four CPUs: pound' "${others[@]}" "$out/record4.p" "$out/record4.b"

t_done
