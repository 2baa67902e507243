# shellcheck shell=bash disable=SC2034 # results are read by the tests
# SPDX-License-Identifier: GPL-2.0-only
# Assertions and the counting of results for tests that run in the lab.
# Sourced by tests/guest/*_test.sh; prints "ok NAME" and "not ok NAME: why", and a last line of sums.

t_passed=0 t_failed=0 t_skipped=0
t_repo=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
# Removed at the end; tests put what they write here.
t_tmp=$(mktemp -d "${TMPDIR:-/tmp}/cputoll-test.XXXXXX")
trap 'rm -rf "$t_tmp"' EXIT

# t_ok NAME: a test held.
t_ok() {
	t_passed=$((t_passed + 1))
	printf 'ok %s\n' "$1"
}

# t_not_ok NAME WHY: a test did not hold. Unprintable bytes in WHY come out escaped.
t_not_ok() {
	t_failed=$((t_failed + 1))
	printf 'not ok %s: %s\n' "$1" "$2"
}

# t_skip NAME WHY: a test cannot run here.
t_skip() {
	t_skipped=$((t_skipped + 1))
	printf 'ok %s # SKIP %s\n' "$1" "$2"
}

# t_is ACTUAL EXPECTED NAME: the two are the same text.
t_is() {
	if [[ $1 == "$2" ]]; then
		t_ok "$3"
	else
		t_not_ok "$3" "$(printf 'got %q, expected %q' "$1" "$2")"
	fi
}

# t_match ACTUAL REGEX NAME: the extended regular expression is found in the text.
t_match() {
	if [[ $1 =~ $2 ]]; then
		t_ok "$3"
	else
		t_not_ok "$3" "$(printf 'got %q, which has no match for %q' "$1" "$2")"
	fi
}

# t_same FILE FILE NAME: the two files hold the same bytes.
t_same() {
	local difference
	if difference=$(cmp "$1" "$2" 2>&1); then
		t_ok "$3"
	else
		t_not_ok "$3" "$difference"
	fi
}

# t_absent FILE NAME: there is no such file.
t_absent() {
	if [[ ! -e $1 ]]; then
		t_ok "$2"
	else
		t_not_ok "$2" "$1 is there, $(wc -c <"$1") bytes"
	fi
}

# t_profile NAME [OPTIONS] PROFILE [BENCH...]: the profile says what the benches' JSON says they did
# (tests/guest/check_profile.c); one line when all of it holds, else one for each thing that does not.
t_profile() {
	local name=$1 status=0 line
	shift
	"$t_repo/build/check_profile" "$@" >"$t_tmp/checks" 2>&1 || status=$?
	if ((status == 0)); then
		t_ok "$name: $(grep -c '^ok ' "$t_tmp/checks") facts"
		return
	fi
	while read -r line; do
		t_not_ok "$name" "${line#not ok }"
	done < <(grep -v '^ok ' "$t_tmp/checks" || echo "check_profile ended with status $status")
}

# t_jq FILE FILTER EXPECTED NAME: what jq prints of the file, compact, is the text.
t_jq() {
	t_is "$(jq -r -c "$2" "$1" 2>&1)" "$3" "$4"
}

# t_lines FILE COUNT NAME: the file has that many lines.
t_lines() {
	t_is "$(wc -l <"$1")" "$2" "$3"
}

# t_run COMMAND...: runs it; sets t_status, and t_out and t_err, the files its output went to.
t_run() {
	t_out=$t_tmp/stdout
	t_err=$t_tmp/stderr
	t_status=0
	"$@" >"$t_out" 2>"$t_err" </dev/null || t_status=$?
}

# t_lab OPTIONS...: the same for "lab run", with the kernel under test and a folder for its files.
t_lab() {
	t_run "$t_repo/tools/lab" run --kernel "${t_kernel:-debian-12}" --out "$t_tmp/out" "$@"
}

# t_options WORDS...: what every guest test takes on its command line.
t_options() {
	t_kernel=debian-12
	while (($#)); do
		case $1 in
		--kernel) t_kernel=${2:?--kernel needs a name}; shift 2 ;;
		*) echo "usage: $0 [--kernel NAME]" >&2; exit 2 ;;
		esac
	done
}

# The head of a guest's script, with record NAME WORDS...: leaves NAME.p, NAME.b (what the command printed), NAME.err,
# NAME.status.
# shellcheck disable=SC2016 # expands in the guest
t_record='#!/bin/sh
record() {
	name=$1
	shift
	cputoll record -o "/out/$name.p" "$@" >"/out/$name.b" 2>"/out/$name.err" </dev/null
	echo $? >"/out/$name.status"
}'

# t_done: prints the sums and ends the test.
t_done() {
	printf '%d passed, %d failed, %d skipped\n' "$t_passed" "$t_failed" "$t_skipped"
	exit $((t_failed > 0))
}
