#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The corrected latencies are right: as worked out by hand from the raw sums, the same in three
# runs, the same however many probes were in between, and what the bench itself sees.
# Run by "make check-guest" or by hand: tests/guest/accuracy_test.sh [--kernel NAME]; half a minute.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
t_options "$@"
out=$t_tmp/out

cat >"$t_tmp/inside" <<'EOS'
#!/bin/sh
record() {
	name=$1
	functions=$2
	shift 2
	cputoll record -o "/out/$name.p" --functions "$functions" -- "$@" >"/out/$name.b" || exit
}
# Enough reads that the few ticks among them do not show.
bench='cputoll bench clock-thread --count 200000 --json'
all=clock_gettime,task_sched_runtime,update_rq_clock
record run1 $all $bench
record run2 $all $bench
record run3 $all $bench
record alone task_sched_runtime $bench
record syscall clock_gettime $bench
$bench >/out/untraced.b
cputoll doctor --calibrate >/out/doctor || exit
EOS
chmod 755 "$t_tmp/inside"
t_lab --add "$t_tmp/inside" -- inside
t_is "$t_status $(<"$t_err")" '0 ' 'the guest ran'

# Where nothing disturbs it, each calibration finds the same, and the warning stays away.
spread='inside [0-9]+ to [0-9]+ ns, whole [0-9]+ to [0-9]+ ns, in 20 calibrations'
t_match "$(<"$out/doctor")" $'\n'"ok +$spread"$'\n''ok +a single call' 'doctor: calibrations are stable'

# figures FILE: what is worked out here, and what the profile says. Nothing of the first comes from
# the program's own correction: calls, raw sums and the two costs of a probe are as measured.
cat >"$t_tmp/figures.jq" <<'EOS'
def descendants($paths; $i): [$paths | to_entries[] | select(.value.parent_id == $i) | .key
	| $paths[.].calls + descendants($paths; .)] | add // 0;
. as $profile | .paths as $paths | [$paths | to_entries[] | select(.value.caller == "clock_gettime"
	and .value.clock == "thread/sched")] | map({ key: .value.function, value: {
		calls: .value.calls,
		hand: ((.value.raw_ns - .value.calls * $profile.calibration.inside_ns
			- descendants($paths; .key) * $profile.calibration.whole_ns) / .value.calls),
		says: (.value.total_ns / .value.calls) } }) | from_entries
EOS
for name in run1 run2 run3 alone syscall; do
	jq -f "$t_tmp/figures.jq" "$out/$name.p" >"$t_tmp/$name.figures"
	# shellcheck disable=SC2016 # jq's variables
	jq -r --arg name "$name" 'to_entries[] | "# \($name) \(.key): by hand \(.value.hand) ns, profile \(.value.says) ns"' \
		"$t_tmp/$name.figures"
done

# shellcheck disable=SC2016 # jq's variables
jq -n 'reduce inputs as $one ({}; .[input_filename | split("/")[-1] | split(".")[0]] = $one)' \
	"$t_tmp"/*.figures >"$t_tmp/all"
# within NAME MOST A B: A and B, jq programs on all figures, differ by at most the part MOST of B.
within() {
	local answer
	answer=$(jq -r "($3) as \$a | ($4) as \$b |
		if (\$a - \$b | fabs) <= $2 * \$b and \$b > 0 then \"yes\" else \"\(\$a) and \(\$b)\" end" \
		"$t_tmp/all" 2>&1)
	t_is "$answer" yes "$1"
}

for name in run1 run2 run3 alone; do
	t_jq "$t_tmp/$name.figures" '.task_sched_runtime.calls' 200000 "$name: 200000 calls"
	within "$name: the corrected average is that by hand, within 5 %" 0.05 \
		".$name.task_sched_runtime.says" ".$name.task_sched_runtime.hand"
done
for name in run1 run2 run3; do
	for function in __x64_sys_clock_gettime task_sched_runtime update_rq_clock; do
		within "$name: $function as in all three runs, within 0.1 %" 0.001 \
			".$name.$function.says" "([.run1, .run2, .run3] | map(.$function.says) | add / 3)"
	done
done
within 'a probed child changes nothing for its parent, within 5 %' 0.05 \
	.run1.task_sched_runtime.says .alone.task_sched_runtime.says
within 'nor two for their syscall' 0.05 \
	.run1.__x64_sys_clock_gettime.says .syscall.__x64_sys_clock_gettime.says
# What is left of a read is the way into the kernel and back, the same with any probes.
t_jq "$out/untraced.b" '.kinds[0].reads' 200000 'untraced: 200000 reads'
jq -s '.[0] + { untraced: .[1].ns_per_read }' "$t_tmp/all" "$out/untraced.b" >"$t_tmp/more"
mv "$t_tmp/more" "$t_tmp/all"
# shellcheck disable=SC2016 # jq's variable
t_jq "$t_tmp/all" '.untraced as $untraced | .run1.__x64_sys_clock_gettime.says | . > $untraced / 2 and . < $untraced' true \
	'a corrected read is most of an untraced one, but not the way in and out'
jq -r '"# untraced: \(.untraced) ns a read"' "$t_tmp/all"

t_done
