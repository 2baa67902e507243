#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Predictions against the truth: a mixed workload is recorded on one kernel, what others save is predicted from that,
# and then the same workload runs, untraced, on all of them.
# Run by `make check-lab`; three minutes on two cores, when the kernels are built.
set -euo pipefail

# shellcheck source=tests/lab/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
within_percent=15

# All kinds of reads, beside few threads and many, and system calls that read nothing.
cat >"$t_tmp/mixed" <<'EOS'
#!/bin/sh
cputoll bench clock-thread -n 600000
cputoll bench clock-process -n 20000 -t 20
cputoll bench times -n 200000
cputoll bench getrusage -n 100000 -t 60
cputoll bench proc-stat -n 10000
cputoll bench null-syscall -n 1000000
EOS
chmod 755 "$t_tmp/mixed"
cat >"$t_tmp/timed" <<'EOS'
# The kernel's log has microseconds, /proc/uptime hundredths of a second.
echo Y >/sys/module/printk/parameters/time
now() {
	echo now >/dev/kmsg
	dmesg | sed -n 's/^\[ *\([0-9.]*\)\] now$/\1/p' | tail -n 1
}
before=$(now)
mixed >/dev/null || exit
echo "$before $(now)" | awk '{ print ($2 - $1) * 1e9 }'
EOS

# untraced VARIANT: the time that the workload takes, ns.
untraced() {
	t_run "$t_repo/tools/lab" run --kernel "$1" --add "$t_tmp/mixed" --add "$t_tmp/timed" -- sh timed
	t_is "$t_status $(<"$t_err")" '0 ' "$1: the workload ran"
	took[$1]=$(tail -n 1 "$t_out")
}

# recorded VARIANT FUNCTIONS: its profile, and what is predicted from it.
recorded() {
	t_run "$t_repo/tools/lab" run --kernel "$1" --out "$t_tmp/out" --add "$t_tmp/mixed" -- \
		cputoll record --functions "$2" -o /out/profile -- mixed
	t_is "$t_status" 0 "$1: recorded"
	t_run "$t_repo/build/cputoll-static" predict --json "$t_tmp/out/profile"
	t_is "$t_status $(<"$t_err")" '0 ' "$1: predicted"
	cp "$t_out" "$t_tmp/prediction"
	"$t_repo/build/cputoll-static" predict "$t_tmp/out/profile" | sed 's/^/# /'
}

# compare FROM TO: the saving that was predicted for TO, and the real one.
compare() {
	local predicted least most real
	read -r predicted least most < <(jq -r --arg from "$1" --arg to "$2" --slurpfile profile "$t_tmp/out/profile" '
		[.predictions[] | select(.from == $from) | .variants[] | select(.name == $to) |
			(.saved_ns_per_s, .range_ns_per_s[]) * $profile[0].duration_ns / 1e9] | join(" ")' \
		"$t_tmp/prediction")
	real=$(jq -n "${took[$1]} - ${took[$2]}")
	printf '# %s to %s: predicted %.1f ms, real %.1f ms of %.1f ms\n' "$1" "$2" \
		"$(jq -n "$predicted / 1e6")" "$(jq -n "$real / 1e6")" "$(jq -n "${took[$1]} / 1e6")"
	t_within "$(jq -n "($predicted / $real - 1) * 100")" "-$within_percent" "$within_percent" \
		"$1 to $2: predicted beside real, percent off"
	t_within "$real" "$least" "$most" "$1 to $2: the real one is in the range that was predicted, ns"
}

declare -A took=()
for variant in irqtime-hot readonly-v2 stock vtime-eager vtime; do untraced "$variant"; done
recorded irqtime-hot reads
compare irqtime-hot readonly-v2
compare irqtime-hot stock
recorded vtime-eager reads,vtime
compare vtime-eager vtime

t_done
