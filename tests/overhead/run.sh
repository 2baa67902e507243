#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the probes cost: instructions per clock_gettime(THREAD) with nothing attached, with the least
# probe there can be, with cputoll record, and with --peers with other tools, all in one guest, where a
# nanosecond is an instruction. Run by "make bench-overhead" and tests/guest/overhead_test.sh.
set -euo pipefail

usage() {
	echo "usage: $0 [--kernel NAME] [--count READS] [--peers] [--json]" >&2
	exit 2
}

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
repo=$(realpath "$here/../..")
kernel=debian-12 count=200000 format=text peers=
while (($#)); do
	case $1 in
	--kernel) kernel=${2:-}; shift 2 || usage ;;
	--count) count=${2:-}; shift 2 || usage ;;
	--peers) peers=1; shift ;;
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

# path TOOL: prints where it is, on PATH or among what was built from source.
path() {
	PATH=$repo/build:${PEERS:+$PEERS:}$PATH:/usr/sbin type -P "$1"
}

# The ways that can be gone here: number, name, and in the guest's script what is run.
cp "$here/inside" "$tmp/run"
add=(--add "$tmp/run" --add "$here/first")
names=()
while IFS='|' read -r name tool command; do
	if [[ -z $name || $name == '#'* || ($name == peer:* && -z $peers) ]]; then continue; fi
	if [[ -n $tool ]]; then
		if ! file=$(path "$tool"); then
			echo "overhead: not measured: ${name#peer: }: no $tool on this machine" >&2
			continue
		fi
		add+=(--add "$file")
	fi
	names+=("${name#peer: }")
	# shellcheck disable=SC2016 # expands in the guest
	printf '%s cputoll bench clock-thread --count %s --json >/out/%02d.json || rm -f /out/%02d.json\n' \
		"$command" "$count" "${#names[@]}" "${#names[@]}" >>"$tmp/run"
done <"$here/ways"
if [[ -n $peers ]]; then
	printf '%s\n' 'started cputoll cputoll record -o /tmp/p -- first >>/out/start' >>"$tmp/run"
	if path bpftrace >/dev/null; then
		printf '%s\n' "started bpftrace bpftrace -c '"'/bin/sh /bin/first'"' -e 'kfunc:task_sched_runtime { @ = count(); }' >>/out/start" >>"$tmp/run"
	fi
fi
echo exit 0 >>"$tmp/run"
# Each tool once, however many ways need it.
mapfile -t add < <(printf '%s\n' "${add[@]}" | paste - - | sort -u | tr '\t' '\n')
"$repo/tools/lab" run --kernel "$kernel" --out "$tmp/out" --mem "$((peers ? 4096 : 1024))" "${add[@]}" -- sh run

# shellcheck disable=SC2016 # jq's variables
jq -n --argjson names "$(printf '%s\n' "${names[@]}" | jq -R . | jq -s .)" '
	[inputs | { key: (input_filename | split("/")[-1] | split(".")[0] | ltrimstr("0")), value: . }] | from_entries as $runs
	| $runs["1"].ns_per_read as $bare | ($runs["3"].ns_per_read - $bare) as $floor
	| { kernel: $runs["1"].kernel, reads: $runs["1"].reads, ways: [range($names | length)
		| (. + 1 | tostring) as $i | select($runs[$i]) | {
		way: $names[.], per_read: $runs[$i].ns_per_read,
		extra: ($runs[$i].ns_per_read - $bare),
		floors: (($runs[$i].ns_per_read - $bare) / $floor) }] }' \
	"$tmp"/out/*.json >"$tmp/result"
if [[ $format == json ]]; then
	cat "$tmp/result"
	exit
fi
jq -r '"\(.kernel), \(.reads) reads of CLOCK_THREAD_CPUTIME_ID a row, in instructions a read\n"' "$tmp/result"
printf '%-42s%10s%10s%10s\n' 'WHILE ATTACHED' 'A READ' EXTRA '× FLOOR'
while IFS=$'\t' read -r way per_read extra floors; do
	printf '%-42s%10.1f%10.1f%9.2f\n' "$way" "$per_read" "$extra" "$floors"
done < <(jq -r '.ways[] | [.way, .per_read, .extra, .floors] | @tsv' "$tmp/result")
if [[ -s $tmp/out/start ]]; then
	printf '\n%-22s%12s%12s%12s\n' STARTED SECONDS 'MEMORY MiB' 'BINARY MiB'
	while read -r name seconds kib; do
		file=$repo/build/cputoll-static
		if [[ $name != cputoll ]]; then file=$(path "$name"); fi
		printf '%-22s%12.2f%12.1f%12.1f\n' "$name" "$seconds" "$(jq -n "$kib / 1024")" \
			"$(jq -n "$(stat -Lc %s "$file") / 1048576")"
	done <"$tmp/out/start"
fi
