#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Recording one function with full attribution costs at most 1.6 times the least latency probe.
# Run by "make check-guest" or by hand: tests/guest/overhead_test.sh [--kernel NAME]; half a minute.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
t_options "$@"

t_run "$t_repo/tests/overhead/run.sh" --kernel "$t_kernel" --json
t_is "$t_status $(<"$t_err")" '0 ' 'measured'
cp "$t_out" "$t_tmp/figures"
jq -r '.ways[] | "# \(.way): \(.per_read) a read, \(.extra) extra, \(.floors) x floor"' "$t_tmp/figures"
t_jq "$t_tmp/figures" '.reads' 200000 'as many reads as asked for'
t_jq "$t_tmp/figures" '[.ways[].way]' '["nothing","empty pair","pair with two clock reads","record task_sched_runtime","record task_sched_runtime, update_rq_clock","record everything"]' 'every way'
t_jq "$t_tmp/figures" '[.ways[].extra] | . == sort and .[1] > 50 and .[5] < 10000' true \
	'each way costs more than the one before it'
t_jq "$t_tmp/figures" '.ways[0].per_read | . > 300 and . < 3000' true 'an untraced read is one'
# The probes' cost depends on the kernel's trampolines, so the target is for one kernel.
if [[ $t_kernel == debian-12 ]]; then
	t_jq "$t_tmp/figures" '.ways[3].floors | if . <= 1.6 then "yes" else . end' yes \
		'task_sched_runtime with full attribution: at most 1.6 x floor'
else
	t_jq "$t_tmp/figures" '.ways[3].floors | . > 1 and . < 10' true \
		'task_sched_runtime with full attribution: above the floor, and sane'
fi

t_done
