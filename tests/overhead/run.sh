#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the probes cost: instructions per clock_gettime(THREAD) with nothing attached, with the least
# probe there can be, and with cputoll record, all in one guest, where a nanosecond is an
# instruction. Run by "make bench-overhead" and tests/guest/overhead_test.sh.
set -euo pipefail

usage() {
	echo "usage: $0 [--kernel NAME] [--count READS] [--json]" >&2
	exit 2
}

repo=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
kernel=debian-12 count=200000 format=text
while (($#)); do
	case $1 in
	--kernel) kernel=${2:-}; shift 2 || usage ;;
	--count) count=${2:-}; shift 2 || usage ;;
	--json) format=json; shift ;;
	*) usage ;;
	esac
done
for file in cputoll-static floor; do
	if [[ ! -x $repo/build/$file ]]; then
		echo "overhead: no build/$file; run 'make static build/floor' first" >&2
		exit 3
	fi
done
tmp=$(mktemp -d "${TMPDIR:-/tmp}/cputoll-overhead.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

# What is in front of the bench, and what the table calls it.
ways='nothing|
empty pair|floor empty
pair with two clock reads|floor clock
record task_sched_runtime|cputoll record -o /tmp/p --functions task_sched_runtime --
record task_sched_runtime, update_rq_clock|cputoll record -o /tmp/p --functions task_sched_runtime,update_rq_clock --
record everything|cputoll record -o /tmp/p --'
{
	printf '#!/bin/sh\nset -e\n'
	index=0
	while IFS='|' read -r _ command; do
		index=$((index + 1))
		printf '%s cputoll bench clock-thread --count %s --json >/out/%s\n' \
			"$command" "$count" "$index"
	done <<<"$ways"
} >"$tmp/inside"
chmod 755 "$tmp/inside"
"$repo/tools/lab" run --kernel "$kernel" --out "$tmp/out" --add "$tmp/inside" \
	--add "$repo/build/floor" -- inside

# shellcheck disable=SC2016 # jq's variables
jq -n --arg ways "$ways" '
	[inputs] as $runs | ($ways | split("\n") | map(split("|")[0])) as $names
	| $runs[0].ns_per_read as $bare | ($runs[2].ns_per_read - $bare) as $floor
	| { kernel: $runs[0].kernel, reads: $runs[0].reads, ways: [range($runs | length) | {
		way: $names[.], per_read: $runs[.].ns_per_read,
		extra: ($runs[.].ns_per_read - $bare),
		floors: (($runs[.].ns_per_read - $bare) / $floor) }] }' \
	"$tmp"/out/? >"$tmp/result"
if [[ $format == json ]]; then
	cat "$tmp/result"
	exit
fi
jq -r '"\(.kernel), \(.reads) reads of CLOCK_THREAD_CPUTIME_ID a row, in instructions a read\n"' "$tmp/result"
printf '%-42s%10s%10s%10s\n' 'WHILE ATTACHED' 'A READ' EXTRA '× FLOOR'
while IFS=$'\t' read -r way per_read extra floors; do
	printf '%-42s%10.1f%10.1f%9.2f\n' "$way" "$per_read" "$extra" "$floors"
done < <(jq -r '.ways[] | [.way, .per_read, .extra, .floors] | @tsv' "$tmp/result")
