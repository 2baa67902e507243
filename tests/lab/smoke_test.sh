#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A kernel is built, and one patch gets its verdict, in the time that was promised.
# Run by `make check`: the one test of tests/lab/ that fits there; six minutes on two cores, most of it the
# build, which the cache saves the next time.
set -euo pipefail

# shellcheck source=tests/lab/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

t_timed 'base build' "$t_repo/tools/lab" build stock
t_is "$t_status" 0 'base build: status'
image=$(cut -f 2 "$t_out")
t_is "$(dd if="$image" bs=1 skip=514 count=4 status=none)" HdrS 'base build: prints where the image is'
t_tree_is_clean 'base build'

t_timed 'base build, again' "$t_repo/tools/lab" build stock
t_is "$(cut -f 2 "$t_out")" "$image" 'again: the same image'
t_is "$(<"$t_err")" '' 'again: nothing to do'

t_run "$t_repo/tools/lab" list
t_match "$(<"$t_out")" $'\n''stock +[0-9a-f]{8} +- +the packaged source' 'list: stock is built'

# Fifty rounds of a decrement and a branch are 100 instructions and a few, on 665 or so.
t_verdict 'slower' --patch "$t_data/slower.patch" --bench clock-thread --check fresh-thread,monotonic
t_is "$t_status" 0 'slower: status'
t_jq "$t_tmp/verdict.json" '[.base, (.variants[] | .name)]' '["stock","stock","slower"]' \
	'slower: who is in it'
t_jq "$t_tmp/verdict.json" '.variants[1].benches[0].verdict' slower 'slower: is slower'
t_within "$(t_change slower)" 12 20 'slower: by how many percent'
t_jq "$t_tmp/verdict.json" '[.variants[] | .right]' '[true,true]' 'slower: and right'
t_jq "$t_tmp/verdict.json" '.variants[1].patches' '["slower.patch"]' 'slower: says what it is made of'

t_done
