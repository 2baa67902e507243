#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The corrected latencies against the kernel's own cycles per call, which the `counters` variant has in
# /proc/stat: averages, the sum of the self times of nested functions, and the percentiles of two known
# populations. Prints the table of docs/accuracy.md.
# Run by `make check-truth` and `make check-lab`; a minute on two cores, when the kernels are built.
set -euo pipefail

# shellcheck source=tests/lab/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
out=$t_tmp/out
within_percent=3
# The least the histogram's buckets tell apart: 8 ns, from 1024 ns on an eighth (include/buckets.h).
bucket_ns=8

# What is measured: name, kernel function, the bench that calls it.
rows='
runtime task_sched_runtime clock-thread -n 100000
group-1 thread_group_cputime clock-process -n 10000 -t 1
group-125 thread_group_cputime clock-process -n 4000 -t 125
group-250 thread_group_cputime clock-process -n 2000 -t 250
'
cat >"$t_tmp/inside" <<'EOS'
#!/bin/sh
# What it runs untraced, alone and nested, with the kernel's counts before and after the first.
measure() {
	name=$1 function=$2
	shift 2
	cat /proc/stat >"/out/$name.before"
	cputoll bench "$@" --json >"/out/$name.untraced" || exit
	cat /proc/stat >"/out/$name.after"
	[ "$function" ] || return
	cputoll record -o "/out/$name.alone" --functions "$function" -- cputoll bench "$@" || exit
	cputoll record -o "/out/$name.nested" -- cputoll bench "$@" || exit
}
while read -r name function bench; do
	if [ "$name" ]; then measure "$name" "$function" $bench </dev/null; fi
done <rows
measure sizes-small '' two-sizes -t 0
measure sizes-both thread_group_cputime two-sizes
EOS
printf '%s\n' "$rows" >"$t_tmp/rows"

# guest VARIANT: runs all of it there, its files in $out/VARIANT.
guest() {
	t_run "$t_repo/tools/lab" run --kernel "$1" --out "$out/$1" --add "$t_tmp/inside" --add "$t_tmp/rows" \
		-- sh inside
	t_is "$t_status" 0 "$1: measured"
}

# figure EXPRESSION: awk's answer.
figure() {
	awk "BEGIN { printf \"%.2f\", $1 }"
}

# per_read VARIANT NAME: of the untraced bench, in instructions.
per_read() {
	jq .ns_per_read "$out/$1/$2.untraced"
}

# kernel NAME FUNCTION: its cycles per call, as the kernel counted them, less the counting's own.
kernel() {
	awk -v name="$2" '$1 == "cputime_cost_self" { self = $2 }
		$1 == name { calls = $2 - calls; cycles = $3 - cycles }
		END { printf "%.2f", cycles / calls - self }' "$out/counters/$1.before" "$out/counters/$1.after"
}

# profile NAME WAY FUNCTION KEY: average of the key over all calls of the function by a clock_gettime, ns.
profile() {
	jq --arg function "$3" --arg key "$4" '[.paths[] | select(.caller == "clock_gettime" and
		.function == $function)] | (map(.[$key]) | add) / (map(.calls) | add)' "$out/counters/$1.$2"
}

# self NAME FUNCTION: the self times of the function and all below it, per call of it.
self() {
	jq --arg function "$2" '.paths as $all | [$all[] | select(.caller == "clock_gettime")] |
		def below($id): [$all[] | select(.parent_id == $id)] | map(.self_ns + below(.id)) | add // 0;
		[.[] | select(.function == $function)] |
		(map(.self_ns + below(.id)) | add) / (map(.calls) | add)' "$out/counters/$1.nested"
}

# error ACTUAL TRUE: in percent.
error() {
	figure "($1 / $2 - 1) * 100"
}

# line NAME WAY RAW CORRECTED: one of the table, and whether it holds; $own and $truth are set.
line() {
	local off
	off=$(error "$(figure "$4 - $own")" "$truth")
	printf '# %-10s %-7s %9.1f %9.1f %9.1f %9.1f %8.2f %%\n' "$1" "$2" "$3" "$4" "$(figure "$4 - $own")" "$truth" "$off"
	t_within "$off" "-$within_percent" "$within_percent" "$1, $2: percent off"
}

for variant in stock counters; do guest "$variant"; done

# What the instrument adds to one call, of which no profile can know.
declare -A instrument
instrument[task_sched_runtime]=$(figure "$(per_read counters runtime) - $(per_read stock runtime)")
instrument[both]=$(figure "$(per_read counters group-1) - $(per_read stock group-1)")
instrument[thread_group_cputime]=$(figure "${instrument[both]} - ${instrument[task_sched_runtime]}")
printf '# the instrument: %s instructions a call of task_sched_runtime, %s of thread_group_cputime; %s of it in what it counts\n' \
	"${instrument[task_sched_runtime]}" "${instrument[thread_group_cputime]}" \
	"$(awk '$1 == "cputime_cost_self" { print $2 }' "$out/counters/runtime.after")"
printf '#\n# %-10s %-7s %9s %9s %9s %9s %10s\n' FUNCTION TRACED RAW CORRECTED 'LESS OWN' KERNEL ERROR
while read -r name function _; do
	if [[ -z $name ]]; then continue; fi
	own=${instrument[$function]} truth=$(kernel "$name" "$function")
	if [[ $function == thread_group_cputime ]]; then
		own=${instrument[both]} truth=$(figure "$truth - ${instrument[task_sched_runtime]}")
	fi
	for way in alone nested; do
		line "$name" "$way" "$(profile "$name" "$way" "$function" raw_ns)" \
			"$(profile "$name" "$way" "$function" total_ns)"
	done
	line "$name" 'self' "$(profile "$name" nested "$function" raw_ns)" "$(self "$name" "$function")"
done <<<"$rows"

# Two reads of the small process for each of the large one: p50 is the one, p99 the other.
own=${instrument[thread_group_cputime]}
small=$(figure "$(kernel sizes-small thread_group_cputime) + $own")
large=$(figure "3 * ($(kernel sizes-both thread_group_cputime) + $own) - 2 * $small")
"$t_repo/build/cputoll-static" report "$out/counters/sizes-both.alone" >"$t_tmp/report"
# "p50 p99" of the row, in ns.
read -r p50 p99 < <(awk '$1 == "thread_group_cputime*" {
	print $2 * ($3 == "µs" ? 1000 : 1), $4 * ($5 == "µs" ? 1000 : 1); exit }' "$t_tmp/report")
printf '# two-sizes: p50 %s ns where the kernel has %s, p99 %s ns where it has %s\n' "$p50" "$small" "$p99" "$large"
for pair in "p50 $p50 $small" "p99 $p99 $large"; do
	read -r name actual truth <<<"$pair"
	width=$(figure "($truth > 1024) ? $truth / 8 : $bucket_ns")
	t_within "$(figure "$actual - $truth")" "-$width" "$width" "two-sizes, $name: ns off, a bucket at most"
done

t_done
