#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The verdicts that the carried patches are known for: which are faster, by how much, and which is wrong.
# Run by `make check-lab`; about half an hour on two cores, builds included.
set -euo pipefail

# shellcheck source=tests/lab/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# instructions VARIANT FILE: of the first row, as the median of its samples.
instructions() {
	jq -r --arg name "$1" '.variants[] | select(.name == $name) | .benches[0].median' "$2"
}

# beside VARIANT OTHER FILE: by how many percent the first is above the other.
beside() {
	awk -v a="$(instructions "$1" "$3")" -v b="$(instructions "$2" "$3")" \
		'BEGIN { printf "%.2f\n", (a / b - 1) * 100 }'
}

# --- one patch, start to end -----------------------------------------------------------------------

t_run "$t_repo/tools/lab" build stock
# Changed every time, so that it is built every time.
sed "s/spins < 50/spins < $((50 + RANDOM % 200))/" "$t_data/slower.patch" >"$t_tmp/one-file.patch"
t_verdict 'a whole verdict on a one-file patch' --patch "$t_tmp/one-file.patch"
t_is "$t_status" 0 'one-file patch: status'
t_within "$t_seconds" 1 180 'one-file patch: seconds, of three minutes at most'

t_verdict 'wrong' --patch "$t_data/wrong.patch" --bench clock-thread --check fresh-thread
t_is "$t_status" 1 'wrong: status'
t_jq "$t_tmp/verdict.json" '[.variants[] | .right]' '[true,false]' 'wrong: only the patch is'
t_jq "$t_tmp/verdict.json" '[.variants[1].oracles[] | select(.result == "wrong") | .name] | unique' \
	'["fresh-thread"]' 'wrong: by fresh-thread'
t_match "$(<"$t_out")" 'wrong: .*WRONG \(fresh-thread' 'wrong: the table says so'

# --- the carried patches ---------------------------------------------------------------------------

for run in 1 2; do
	t_verdict "clock-thread, run $run" --base stock --variant irqtime-hot,readonly-v1,readonly-v2,readonly \
		--bench clock-thread
	t_is "$t_status" 1 "run $run: status"
	t_jq "$t_tmp/verdict.json" '[.variants[] | select(.right | not) | .name]' '["readonly-v1"]' \
		"run $run: readonly-v1 is wrong, and no other"
	t_match "$(jq -r '[.variants[] | select(.name == "readonly-v1") | .oracles[] |
		select(.result == "wrong") | .name] | unique | join(" ")' "$t_tmp/verdict.json")" \
		'(^| )fresh-thread( |$)' "run $run: by fresh-thread"
	t_within "$(beside irqtime-hot stock "$t_tmp/verdict.json")" 12 18 "run $run: irqtime-hot beside stock, %"
	t_within "$(beside readonly-v1 irqtime-hot "$t_tmp/verdict.json")" -32 -26 \
		"run $run: readonly-v1 beside irqtime-hot, %"
	t_within "$(beside readonly-v2 irqtime-hot "$t_tmp/verdict.json")" -30 -24 \
		"run $run: readonly-v2 beside irqtime-hot, %"
	mv "$t_tmp/verdict.json" "$t_tmp/$run.json"
done
for name in stock irqtime-hot readonly-v1 readonly-v2 readonly; do
	t_within "$(awk -v a="$(instructions "$name" "$t_tmp/1.json")" \
		-v b="$(instructions "$name" "$t_tmp/2.json")" 'BEGIN { print (a / b - 1) * 100 }')" \
		-0.1 0.1 "$name: the two runs agree, %"
done

# --- do three branches pay? ------------------------------------------------------------------------

t_verdict 'field-mask' --base stock --variant field-mask \
	--bench clock-process:1,clock-process:125,clock-process:250
t_is "$t_status" 0 'field-mask: status'
while read -r name clock per_thread; do
	printf '# %s, %s: %s instructions for each idle thread\n' "$name" "$clock" "$per_thread"
	if [[ $name == stock ]]; then t_within "$per_thread" 16.9 17.1 "stock, $clock: for each idle thread"; fi
done < <(jq -r '.variants[] | .name as $name | [.benches[] | select(.threads == 1 or .threads == 250)] |
	group_by(.clock)[] | sort_by(.threads) |
	"\($name) \(.[0].clock) \(((.[1].median - .[0].median) / 249 * 100 | round) / 100)"' "$t_tmp/verdict.json")

# --- contention ------------------------------------------------------------------------------------

t_verdict 'pound' --base stock --variant sync-all,sync-target,no-prefetch \
	--bench pound --accel tcg --smp 4 --boots 3
t_match "$t_status" '^[01]$' 'pound: status'
t_jq "$t_tmp/verdict.json" '[.variants[] | .benches | length] | unique' '[18]' \
	'pound: nine numbers of threads, two calls, for each variant'

t_done
