#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On this very machine: predict finds the verdicts of cputoll's own, beside its source and where it is installed, and
# uses those that the profile, or --base, asks for.
# Run by "make check" or by hand: tests/host/predict_test.sh; a second, no guest.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../guest/lib.sh"
cputoll=$t_repo/build/cputoll
if [[ ! -x $cputoll ]]; then cputoll=$t_repo/build/cputoll-static; fi
profile=$t_repo/tests/data/example.json

# used NAME EXPECTED CPUTOLL OPTIONS...: the verdicts that it predicts by, and which kernel the profile's is to each.
used() {
	local name=$1 expected=$2
	shift 2
	t_run "$1" predict --json "${@:2}"
	t_is "$t_status $(<"$t_err")" '0 ' "$name: predicted"
	t_jq "$t_out" '.predictions[] | (.verdict | sub(".*/"; "")) + " " + .from' "$expected" "$name: by which"
}

used 'tick' 'reads.json stock' "$cputoll" "$profile"
used 'tick, taken for another' 'reads.json irqtime-hot' "$cputoll" --base irqtime-hot "$profile"
sed 's/"accounting": *"tick"/"accounting": "vtime-gen"/' "$profile" >"$t_tmp/vtime"
used 'vtime' 'vtime.json vtime' "$cputoll" "$t_tmp/vtime"
used 'vtime, taken for another' 'vtime.json vtime-eager' "$cputoll" --base vtime-eager "$t_tmp/vtime"
kernel=$(jq -r '.variants[] | select(.name == "vtime-eager").kernel' "$t_repo/patches/6.1/verdicts/vtime.json")
sed 's/"accounting": *"tick"/"accounting": "vtime-gen"/; s/"kernel": *"[^"]*"/"kernel": "'"$kernel"'"/' "$profile" \
	>"$t_tmp/eager"
used 'by the release' 'vtime.json vtime-eager' "$cputoll" "$t_tmp/eager"

t_run "$cputoll" predict --base frob "$profile"
t_is "$t_status $(<"$t_out")$(<"$t_err")" \
	"2 cputoll: predict: none of cputoll's verdicts has a variant 'frob'" 'a variant that is nowhere'

mkdir -p "$t_tmp/usr/bin" "$t_tmp/usr/share/cputoll/verdicts"
cp "$cputoll" "$t_tmp/usr/bin/cputoll"
t_run "$t_tmp/usr/bin/cputoll" predict "$profile"
t_is "$t_status" 3 'no verdicts beside it: status'
t_lines "$t_err" 1 'no verdicts beside it: one line'
cp "$t_repo"/patches/6.1/verdicts/*.json "$t_tmp/usr/share/cputoll/verdicts"
used 'installed' 'reads.json stock' "$t_tmp/usr/bin/cputoll" "$profile"

t_done
