#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Each oracle fails on a kernel that is broken in its way, and on none that is not: builds the patches of
# tests/lab/broken/ on top of stock, and runs the oracles there. Run by `make check-lab`; half an hour.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../guest/lib.sh"
broken=$t_repo/tests/lab/broken
# How many times in a row a right kernel must be found right, under icount and on four CPUs.
times=${CPUTOLL_ORACLE_TIMES:-20}

# image NAME [OPTIONS]: prints the kernel that "lab build stock" makes of it.
image() {
	"$t_repo/tools/lab" build stock "$@" 2>"$t_tmp/build" | cut -f 2
}

# right NAME OPTIONS...: the oracles find stock right, $times times in a row.
right() {
	local name=$1 status
	shift
	# shellcheck disable=SC2016 # expands in the guest
	t_run "$t_repo/tools/lab" run --kernel "$stock" --timeout 7200 "$@" -- sh -c '
		for i in $(seq '"$times"'); do cputoll check --seconds 0.2 || exit; done'
	status=$t_status
	t_is "$(grep -c '^14 right, 0 wrong$' "$t_out") $status" "$times 0" "$name: right, $times times"
	grep -hE ' WRONG | skipped ' "$t_out" || :
}

# wrong NAME ORACLE: the kernel at $kernel is found wrong by it.
wrong() {
	t_run "$t_repo/tools/lab" run --kernel "$kernel" -- cputoll check "$2" --seconds 1 --load quiet
	t_is "$t_status" 1 "$1: $2 is wrong"
	sed -n "s/^$2.* off /      off /p" "$t_out"
}

if ! stock=$(image); then
	t_not_ok 'stock builds' "$(tail -n 1 "$t_tmp/build")"
	t_done
fi
while read -r patch oracles; do
	if [[ $patch == '#'* ]]; then continue; fi
	if ! kernel=$(image --patch "$broken/$patch"); then
		t_not_ok "$patch builds" "$(tail -n 1 "$t_tmp/build")"
		continue
	fi
	for oracle in $oracles; do wrong "${patch%.patch}" "$oracle"; done
done <"$broken/table"
right icount
right 'four CPUs' --accel tcg --smp 4
t_done
