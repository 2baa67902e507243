#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# No read is lost, however the threads that make them are shaken: bench storm on four CPUs, on a kernel that
# is not preemptible, where lost must be zero, and on one that is, where what is missing must be among the lost.
# Run by "make check-guest" or by hand: tests/guest/storm_test.sh [--kernel NAME]; a minute.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
t_options "$@"

cat >"$t_tmp/inside" <<'EOS'
#!/bin/sh
# Kernels before 5.12 cannot change it.
if [ -w /sys/kernel/debug/sched/preempt ]; then modes='none full'; else modes=none; fi
for mode in $modes; do
	if [ "$modes" != none ]; then echo "$mode" >/sys/kernel/debug/sched/preempt; fi
	cputoll record -o "/out/$mode.p" -- cputoll bench storm --json >"/out/$mode.b" || exit
done
EOS
chmod 755 "$t_tmp/inside"
t_lab --accel tcg --smp 4 --add "$t_tmp/inside" -- inside
t_is "$t_status $(<"$t_err")" '0 ' 'the guest ran'

t_profile 'not preemptible' --exits "$t_tmp/out/none.p" "$t_tmp/out/none.b"
t_jq "$t_tmp/out/none.p" '.lost | add' 0 'not preemptible: nothing is lost'
if [[ -e $t_tmp/out/full.p ]]; then
	t_profile 'preemptible' --lossy --exits "$t_tmp/out/full.p" "$t_tmp/out/full.b"
	echo "# preemptible: of $(jq .reads "$t_tmp/out/full.b") reads $(jq '[.syscalls[].calls] | add' "$t_tmp/out/full.p") counted, lost $(jq -c .lost "$t_tmp/out/full.p")"
fi

t_done
