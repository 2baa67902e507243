#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A kernel against itself is no different: always under icount, and nearly always under tcg.
# Run by `make check-lab`; about an hour on two cores.
set -euo pipefail

# shellcheck source=tests/lab/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
times=20

# same_as_itself LEAST OPTIONS...: of so many verdicts, at least LEAST say no difference in all rows.
same_as_itself() {
	local least=$1 nr same=0
	shift
	for ((nr = 1; nr <= times; nr++)); do
		t_verdict "A/A $nr $*" --base stock --variant stock --check none "$@"
		if ((t_status == 0)) && [[ $(jq -c '[.variants[1].benches[].verdict] | unique' \
			"$t_tmp/verdict.json") == '["no difference"]' ]]; then
			same=$((same + 1))
		fi
	done
	t_within "$same" "$least" "$times" "A/A $*: no difference, times of $times"
}

same_as_itself "$times"
same_as_itself 18 --accel tcg

t_done
