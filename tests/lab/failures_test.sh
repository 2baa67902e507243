#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Patches that do not apply, compile, boot or come back, wrong options, and builds that are killed: a clear
# line each, the right status, and a tree that the next build can use.
# Run by `make check-lab`; about ten minutes on two cores once stock is built.
set -euo pipefail

# shellcheck source=tests/lab/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# --- refused before anything is built ------------------------------------------------------------

refused() {
	local name=$1 pattern=$2
	shift 2
	t_run "$t_repo/tools/lab" "$@"
	t_is "$t_status" 2 "$name: status"
	t_match "$(<"$t_err")" "$pattern" "$name: says so"
	t_lines "$t_err" 1 "$name: in one line"
	t_is "$(<"$t_out")" '' "$name: stdout empty"
}

echo 'no patch' >"$t_tmp/text"
refused 'build nothing' 'no variant to build; known: stock ' build
refused 'build unknown' "no variant 'frob'; known: stock " build frob
refused 'build, missing patch' 'cannot read it' build stock --patch /nowhere/x.patch
refused 'build, a text' 'no patch in it' build --patch "$t_tmp/text"
refused 'verdict on nothing' 'nothing to judge' verdict --base stock
refused 'verdict, unknown base' "no variant 'frob'" verdict --base frob --variant stock
refused 'verdict, unknown variant' "no variant 'frob'" verdict --variant stock,frob
refused 'verdict, missing patch' 'cannot read it' verdict --patch /nowhere/x.patch
refused 'verdict, unknown workload' '--bench frob: no such workload; there are clock-thread ' \
	verdict --variant stock --bench frob
refused 'verdict, threads in words' '--bench pound:two: after the colon comes a number' \
	verdict --variant stock --bench pound:two
refused 'verdict, unknown oracle' '--check frob: no such oracle; there are fresh-thread ' \
	verdict --variant stock --check frob
refused 'verdict, no boots' '--boots takes a whole number' verdict --variant stock --boots 0
refused 'verdict, icount with CPUs' 'use --accel tcg' verdict --variant stock --smp 2
refused 'verdict, output nowhere' 'cannot write it' verdict --variant stock -o /nowhere/x.json

# --- patches -------------------------------------------------------------------------------------

t_run "$t_repo/tools/lab" build stock
stock=$(cut -f 2 "$t_out")

# failing NAME STATUS PATTERN: a verdict on data/NAME.patch ends in that status and says that on one line.
failing() {
	local name=$1 status=$2 pattern=$3
	t_timed "$name" "$t_repo/tools/lab" verdict --patch "$t_data/$name.patch" --bench clock-thread \
		--check none --timeout 20 --boot-timeout 40
	t_is "$t_status" "$status" "$name: status"
	t_is "$(grep -cE "$pattern" "$t_err")" 1 "$name: says so, once"
	t_is "$(<"$t_out")" '' "$name: no table"
	t_tree_is_clean "$name"
}

file=kernel/time/posix-cpu-timers.c
failing does-not-apply 1 \
	"^lab: does-not-apply.patch does not apply to linux 6\\.1\\.[0-9-]+: patch failed: $file:370 \\(all "
failing does-not-compile 1 \
	"^lab: does-not-compile does not compile: $file:378:[0-9]+: error: 'undeclared' undeclared"
kept=$(sed -n 's/.*(all of it: \(.*\))$/\1/p' "$t_err")
t_match "$(<"$kept")" "error: 'undeclared' undeclared" 'does-not-compile: the log is kept'
failing panics 3 '^lab: \[ *[0-9]+ s\] panics: .*the guest died: Kernel panic - not syncing: lab test'
failing hangs-at-boot 3 '^lab: \[ *[0-9]+ s\] hangs-at-boot: .*not booted after 40 s'
failing hangs 3 '^lab: \[ *[0-9]+ s\] hangs: .*no result after 60 s'

# One that cannot run takes nothing from the others.
t_verdict 'with a good one' --patch "$t_data/panics.patch" --patch "$t_data/does-not-apply.patch" \
	--patch "$t_data/slower.patch" --bench clock-thread --check none
t_is "$t_status" 3 'with a good one: status'
t_jq "$t_tmp/verdict.json" '[.variants[].name]' '["stock","slower"]' \
	'with a good one: the others have a verdict'

# --- builds that are disturbed -------------------------------------------------------------------

# The image of "slower" as it should be, from a build nobody disturbed.
t_run "$t_repo/tools/lab" build --patch "$t_data/slower.patch"
slower=$(cut -f 2 "$t_out")
good=$(sha256sum <"$slower")

# again NAME: "slower" built once more is the same, bit for bit.
again() {
	t_timed "$1" "$t_repo/tools/lab" build --patch "$t_data/slower.patch"
	t_is "$t_status" 0 "$1: the next build: status"
	t_is "$(sha256sum <"$slower")" "$good" "$1: and the same image"
	t_tree_is_clean "$1"
}

for signal in INT TERM KILL; do
	for after_s in 1 4 9; do
		rm -rf "$(dirname "$slower")"
		# In a session of its own: what is killed here is all of it, and none of ours. What runs in the
		# background of a script would ignore SIGINT.
		env --default-signal=INT setsid "$t_repo/tools/lab" build --patch "$t_data/slower.patch" >/dev/null 2>&1 &
		sleep "$after_s"
		kill -"$signal" -- -$! 2>/dev/null || :
		wait $! 2>/dev/null || :
		again "SIG$signal after $after_s s"
	done
done

# Somebody's edit in the tree does not get into a kernel.
rm -rf "$(dirname "$slower")"
echo '#error edited' >>"$t_source/tree/$file"
again 'an edit in the tree'

# Two at a time: one waits.
rm -rf "$(dirname "$slower")" "$(dirname "$stock")"
"$t_repo/tools/lab" build stock 2>"$t_tmp/first" >/dev/null &
sleep 1
again 'two builds at a time'
t_match "$(<"$t_err")" 'waiting for another build to end' 'two builds at a time: the second waits'
wait $!
t_is "$(stat -c %s "$stock" >/dev/null && echo there)" there 'two builds at a time: both are done'

t_done
