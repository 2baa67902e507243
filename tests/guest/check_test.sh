#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# cputoll check: its words and its JSON, that a right kernel is found right, also on four CPUs, and
# that its load is gone afterwards. On which kernels an oracle is wrong: tests/lab/oracles_test.sh.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
t_options "$@"
cputoll=$t_repo/build/cputoll-static
names='fresh-thread wall-bound monotonic group-sum nanosleep timers adjust'

# --- what is refused, without a guest ------------------------------------------------------------

refused() {
	local name=$1 pattern=$2
	shift 2
	t_run "$cputoll" check "$@"
	t_is "$t_status" 2 "$name: status"
	t_match "$(<"$t_err")" "$pattern" "$name: says so"
	t_lines "$t_err" 1 "$name: in one line"
	t_is "$(<"$t_out")" '' "$name: stdout empty"
}

refused 'unknown oracle' "no oracle is called 'frob'; there are ${names// /, }" frob
refused 'unknown load' "quiet, irq or both, not 'frob'" --load frob
refused 'no time' "number from 0.01 to 3600, not '0'" adjust --seconds 0
refused 'unknown option' 'unknown option --frob' adjust --frob

# --- in a guest ------------------------------------------------------------------------------------

cat >"$t_tmp/inside" <<'EOT'
#!/bin/sh
cputoll check --seconds 0.1 --json >/out/all.json
echo "all: $?"
cputoll check adjust group-sum --load irq --seconds 0.05
echo "two: $?"
# killed in the middle, its load and its oracle go with it
cputoll check monotonic --load irq --seconds 60 >/dev/null &
sleep 2
echo "then: $(pidof cputoll | wc -w)"
kill -KILL $!
sleep 1
echo "later: $(pidof cputoll | wc -w)"
EOT
chmod +x "$t_tmp/inside"
t_lab --add "$t_tmp/inside" -- inside
t_is "$t_status" 0 'guest: status'
t_is "$(<"$t_err")" '' 'guest: standard error is empty'
t_match "$(<"$t_out")" 'all: 0' 'all: status'
json=$t_tmp/out/all.json
t_jq "$json" '.schema' 'cputoll.check/1' 'all: schema'
t_jq "$json" '[.cpus, .seconds]' '[1,0.1]' 'all: CPUs, seconds'
t_jq "$json" '[.checks[] | select(.load == "quiet") | .name] | join(" ")' "$names" 'all: quiet, in order'
t_jq "$json" '[.checks[] | select(.load == "irq") | .name] | join(" ")' "$names" 'all: irq, in order'
t_jq "$json" '[.checks[] | select(.result != "right")]' '[]' 'all: right'
t_jq "$json" '[.checks[] | select(.off_ns != 0 or .reads < 50)]' '[]' 'all: none is off, all read'
t_jq "$json" '[.checks[] | select(.name == "timers") | .detail | test("RLIMIT_CPU: ")]' '[true,true]' \
	'all: says that RLIMIT_CPU was left out'
t_match "$(<"$t_out")" $'\nadjust +irq +right .* margin .*\ngroup-sum +irq +right .*\n2 right, 0 wrong\ntwo: 0\n' \
	'two: text'
t_match "$(<"$t_out")" $'then: 3\n' 'killed: the command, its load and its oracle ran'
t_match "$(<"$t_out")" 'later: 0' 'killed: none does'

t_lab --accel tcg --smp 4 -- cputoll check --seconds 0.2 --json
t_is "$t_status" 0 'four CPUs: status'
t_jq "$t_out" '[.checks[] | select(.result != "right")]' '[]' 'four CPUs: right'
t_jq "$t_out" '[.cpus, (.checks | length)]' '[4,14]' 'four CPUs: all'

t_done
