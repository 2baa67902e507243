# shellcheck shell=bash disable=SC2034 # results are read by the tests
# SPDX-License-Identifier: GPL-2.0-only
# What the tests of kernel builds and verdicts share, on top of the guest tests' assertions.
# Sourced by tests/lab/*_test.sh.

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../guest/lib.sh"
t_data=$t_repo/tests/lab/data
# As tools/lab finds it.
t_source=${CPUTOLL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cputoll}/source/6.1

# t_timed NAME COMMAND...: t_run, and a line with the real time it took; sets t_seconds.
t_timed() {
	local name=$1 start_s=$SECONDS
	shift
	t_run "$@"
	t_seconds=$((SECONDS - start_s))
	printf '# %s: %d s\n' "$name" "$t_seconds"
	# For whoever reads the log of a failure.
	sed 's/^/# /' "$t_err"
}

# t_verdict NAME OPTIONS...: a verdict, its JSON in $t_tmp/verdict.json.
t_verdict() {
	local name=$1
	shift
	rm -f "$t_tmp/verdict.json"
	t_timed "$name" "$t_repo/tools/lab" verdict -o "$t_tmp/verdict.json" "$@"
	sed 's/^/# /' "$t_out"
}

# t_within ACTUAL LEAST MOST NAME: a number, a fraction perhaps.
t_within() {
	if awk -v x="$1" -v a="$2" -v b="$3" 'BEGIN { exit !(x != "" && x >= a && x <= b) }'; then
		t_ok "$4: $1"
	else
		t_not_ok "$4" "got '$1', expected $2 to $3"
	fi
}

# t_change VARIANT: the change of its first bench row, in percent, in verdict.json.
t_change() {
	jq -r --arg name "$1" '.variants[] | select(.name == $name) | .benches[0].change_percent' \
		"$t_tmp/verdict.json"
}

# t_tree_is_clean NAME: the source tree is what git thinks it is, and no build is unfinished.
t_tree_is_clean() {
	t_absent "$t_source/building" "$1: no build is unfinished"
	t_is "$(GIT_DIR=$t_source/git GIT_WORK_TREE=$t_source/tree git status --porcelain 2>&1 | head -n 3)" '' \
		"$1: the tree is clean"
}
