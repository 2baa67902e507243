#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What virtual CPU-time accounting costs at each entry and exit of the kernel and of a KVM guest, and what delaying it
# to the tick saves: the figures of docs/vtime.md. Two runs agree, and the clocks are right.
# Run by `make check-lab`; five minutes on two cores, and six more when its kernels have to be built.
set -euo pipefail

# shellcheck source=tests/lab/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# instructions VARIANT WORKLOAD FILE: the median of its row.
instructions() {
	jq -r --arg name "$1" --arg bench "$2" '.variants[] | select(.name == $name) |
		.benches[] | select(.workload == $bench) | .median' "$3"
}

# about NAME VARIANT WORKLOAD EXPECTED: as docs/vtime.md has it, to one percent, which another compiler may take.
about() {
	t_within "$(instructions "$2" "$3" "$t_tmp/1.json")" \
		"$(jq -n "$4 * 0.99")" "$(jq -n "$4 * 1.01")" "$1: instructions"
}

# `stock` has no KVM, so that its row is missing there, and the status says so.
t_verdict 'vtime, run 1' --base vtime-eager --variant vtime,stock --bench null-syscall,kvm-hypercall --check none
t_is "$t_status" 3 'run 1: status, as stock has no hypercalls'
t_match "$(<"$t_err")" 'stock: no result of kvm-hypercall' 'run 1: says so'
mv "$t_tmp/verdict.json" "$t_tmp/1.json"
about 'getppid, tick accounting' stock null-syscall 236.2
about 'getppid, vtime' vtime null-syscall 550.4
about 'getppid, vtime, eager' vtime-eager null-syscall 669.5
about 'hypercall, vtime' vtime kvm-hypercall 2452.3
about 'hypercall, vtime, eager' vtime-eager kvm-hypercall 2558.3

# Without --bench, a base with this configuration has these two.
t_verdict 'vtime, run 2' --base vtime-eager --variant vtime
t_is "$t_status" 0 'run 2: status'
t_jq "$t_tmp/verdict.json" '[.variants[] | .right]' '[true,true]' 'run 2: both are right'
t_jq "$t_tmp/verdict.json" '[.variants[1].benches[] | [.workload, .verdict]] | sort' \
	'[["kvm-hypercall","faster"],["null-syscall","faster"]]' 'run 2: both workloads, faster when delayed'
for variant in vtime vtime-eager; do
	for bench in null-syscall kvm-hypercall; do
		t_within "$(jq -n "($(instructions "$variant" "$bench" "$t_tmp/verdict.json") /
			$(instructions "$variant" "$bench" "$t_tmp/1.json") - 1) * 100")" -0.1 0.1 \
			"$variant, $bench: the two runs agree, %"
	done
done

t_jq "$t_tmp/verdict.json" '[.variants[] | [.config_fragment, .patches]]' \
	'[["vtime.config",["vtime-eager.patch"]],["vtime.config",[]]]' 'run 2: what they are made of'

# Lines that the kernel drops, as what they depend on is off, are told, and leave nothing to tidy up.
mkdir "$t_tmp/repo"
cp -r "$t_repo/tools" "$t_repo/patches" "$t_tmp/repo/"
printf 'CONFIG_KVM=y\n' >"$t_tmp/repo/patches/6.1/test-dropped.config"
printf 'test-dropped test-dropped.config a test\n' >>"$t_tmp/repo/patches/6.1/variants"
t_run "$t_tmp/repo/tools/lab" build test-dropped
t_is "$t_status $(<"$t_out")" '3 ' 'lines that are dropped: status'
t_is "$(tail -n 1 "$t_err")" "lab: test-dropped: the kernel's configuration does not take 'CONFIG_KVM=y'" \
	'lines that are dropped: says so'
t_absent "$t_source/building" 'lines that are dropped: nothing is half written'
rm -rf "$t_source/build.test-dropped"

# Each system call is entered and left, and nothing is lost.
t_run "$t_repo/tools/lab" run --kernel vtime --out "$t_tmp/out" -- \
	cputoll record --functions vtime -o /out/p -- cputoll bench null-syscall -n 100000
t_is "$t_status $(<"$t_err")" '0 ' 'record --functions vtime: status 0, nothing on stderr'
for function in vtime_user_enter vtime_user_exit; do
	t_jq "$t_tmp/out/p" "[.paths[] | select(.caller == \"getppid\" and .function == \"$function\").calls] | add" 100000 \
		"$function: once for each call"
done
t_jq "$t_tmp/out/p" '.lost | add' 0 'nothing is lost'

t_done
