#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tests/run counts what passed, failed and was skipped, and takes no crash or silence for a success.
# Run by `make check`; needs no kernel.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../guest/lib.sh"

# program NAME: a test program made of standard input.
program() {
	{ echo '#!/bin/bash'; cat; } >"$t_tmp/$1"
	chmod 755 "$t_tmp/$1"
}

# run_is SUMS STATUS NAME PROGRAM...: tests/run on these ends in SUMS and STATUS.
run_is() {
	local sums=$1 status=$2 name=$3
	shift 3
	t_run "$t_repo/tests/run" --log "$t_tmp/log" --limit 2 "${@/#/$t_tmp/}"
	t_is "$(tail -n 1 "$t_out")" "$sums" "$name: last line"
	t_is "$t_status" "$status" "$name: status"
	t_is "$(<"$t_err")" '' "$name: stderr empty"
}

program good <<'EOP'
echo 'ok one'
echo 'ok two # SKIP no such kernel'
echo '1 passed, 0 failed, 1 skipped'
EOP
program bad <<'EOP'
echo 'not ok three: got 1, expected 2'
echo '5 passed, 1 failed, 0 skipped'
exit 1
EOP
# As cmocka prints a program with two groups, to both outputs.
program cmocka <<'EOP'
printf '[==========] Running 3 test(s).\n[ RUN      ] a\n[       OK ] a\n[ RUN      ] b\n'
printf '[  ERROR   ] --- 0x1 != 0x2\n[  FAILED  ] b\n[ RUN      ] c\n[  SKIPPED ] c\n' >&2
printf '[==========] 3 test(s) run.\n[  PASSED  ] 1 test(s).\n'
printf '[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] c\n'
printf '[  FAILED  ] 1 test(s), listed below:\n[  FAILED  ] b\n\n 1 FAILED TEST(S)\n' >&2
printf '[==========] Running 4 test(s).\n[==========] 4 test(s) run.\n[  PASSED  ] 4 test(s).\n'
exit 1
EOP
program silent <<<'exit 0'
program nothing <<<'echo "0 passed, 0 failed, 3 skipped"'
program crashes <<'EOP'
echo 'ok one'
kill -SEGV $$
EOP
program crashes_late <<'EOP'
echo '7 passed, 0 failed, 0 skipped'
kill -SEGV $$
EOP
program status_only <<'EOP'
echo '7 passed, 0 failed, 0 skipped'
exit 9
EOP
program hangs <<<'sleep 60'

run_is '1 passed, 0 failed, 1 skipped' 0 'all is well' good
t_match "$(<"$t_out")" 'skipped: two: no such kernel' 'the reason of a skip is printed'
t_match "$(<"$t_out")" 'ok +good +1 passed, 1 skipped' 'a line for each program'
run_is '6 passed, 1 failed, 1 skipped' 1 'sums of several' good bad
t_match "$(<"$t_out")" 'FAIL +bad +5 passed, 1 failed' 'the failed program is named'
t_match "$(<"$t_out")" 'not ok three: got 1, expected 2' 'the failing line is shown'
run_is '5 passed, 1 failed, 1 skipped' 1 'cmocka, two groups' cmocka
t_match "$(<"$t_out")" 'ERROR   \] --- 0x1 != 0x2' 'cmocka: the failing line is shown'
run_is '1 passed, 1 failed, 1 skipped' 1 'no sums' silent good
t_match "$(<"$t_out")" 'FAIL +silent .*no sums printed' 'no sums: says so'
run_is '0 passed, 1 failed, 3 skipped' 1 'no test passed' nothing
t_match "$(<"$t_out")" 'FAIL +nothing .*passed no test' 'no test passed: says so'
run_is '0 passed, 1 failed, 0 skipped' 1 'crash' crashes
t_match "$(<"$t_out")" 'FAIL +crashes .*ended by signal 11' 'crash: says so'
run_is '7 passed, 1 failed, 0 skipped' 1 'crash after the sums' crashes_late
run_is '7 passed, 1 failed, 0 skipped' 1 'a status nobody explains' status_only
run_is '0 passed, 1 failed, 0 skipped' 1 'no such program' missing
t_match "$(<"$t_out")" 'FAIL +missing .*could not be started' 'no such program: says so'
run_is '0 passed, 1 failed, 0 skipped' 1 'hangs' hangs
t_match "$(<"$t_out")" 'FAIL +hangs .*stopped after 2 s' 'hangs: says so'

t_run "$t_repo/tests/run"
t_is "$t_status" 2 'no programs: status'
t_run "$t_repo/tests/run" --frob "$t_tmp/good"
t_is "$t_status" 2 'unknown option: status'

t_done
