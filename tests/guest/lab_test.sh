#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Tests of the lab itself: what goes into a guest and what comes out of it, also when it dies.
# Run by "make check-guest" or by hand: tests/guest/lab_test.sh [--kernel NAME]; about two minutes.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
t_options "$@"

# --- refused before any guest is started -------------------------------------------------------

refused() {
	local name=$1 status=$2 pattern=$3
	shift 3
	t_run "$t_repo/tools/lab" "$@"
	t_is "$t_status" "$status" "$name: status"
	t_match "$(<"$t_err")" "$pattern" "$name: says so"
	t_lines "$t_err" 1 "$name: in one line"
	t_is "$(<"$t_out")" '' "$name: stdout empty"
}

echo "this is no kernel" >"$t_tmp/text"
refused 'no command' 2 "no command; see 'lab help'"
refused 'unknown command' 2 "no command 'frob'" frob
refused 'nothing to run' 2 'no command to run in the guest' run
refused 'nothing after --' 2 'no command to run in the guest' run --
refused 'command without --' 2 "put '--' before the command" run true
refused 'unknown option' 2 "no option '--frob'" run --frob 1 -- true
refused 'option without value' 2 '--kernel needs a value' run --kernel
refused 'unknown kernel' 2 "no kernel 'debian-99'; known: debian-11 debian-12" run --kernel debian-99 -- true
refused 'kernel path missing' 2 "cannot read a kernel at '/nowhere/vmlinuz'" \
	run --kernel /nowhere/vmlinuz -- true
refused 'kernel is a text' 2 "'$t_tmp/text' is not a kernel image" run --kernel "$t_tmp/text" -- true
refused 'icount with two CPUs' 2 '--smp 2 use --accel tcg' run --smp 2 -- true
refused 'no CPU' 2 '--smp takes a whole number' run --accel tcg --smp 0 -- true
refused 'CPUs in words' 2 '--smp takes a whole number' run --accel tcg --smp two -- true
refused 'unknown accelerator' 2 "icount, tcg or kvm, not 'warp'" run --accel warp -- true
refused 'missing file' 2 "cannot read '/nowhere/file'" run --add /nowhere/file -- true
refused 'add outside the guest' 2 "no '\.\.' in the place" run --add "$t_tmp/text:/../../x" -- true
if [[ ! -x $t_repo/build/cputoll-static ]]; then
	refused 'cputoll not built' 3 "run 'make static' first" run -- cputoll doctor
else
	t_skip 'cputoll not built' 'it is built'
fi
t_run "$t_repo/tools/lab" help
t_is "$t_status" 0 'help: status'
t_match "$(<"$t_out")" '--kernel NAME' 'help: names the options'

# --- one guest, everything that passes through it ----------------------------------------------

# All byte values, so that a port that is not raw shows: carriage returns, ^D, ^S, zero.
seq 0 255 | awk '{ printf "\\x%02x", $1 }' >"$t_tmp/escapes"
for _ in 1 2 3 4; do printf '%b' "$(<"$t_tmp/escapes")"; done >"$t_tmp/bytes"
head -c 1048576 /dev/urandom >"$t_tmp/megabyte"
cat >"$t_tmp/inside" <<'EOF'
#!/bin/sh
cat ~/bytes
tr '\000-\377' '\001-\377\000' <~/bytes >&2
[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo no terminal >/out/terminal
printf '%s\n' "$#" "$@" >/out/words
mkdir -p "/out/deep er/er"
mv ~/megabyte "/out/deep er/er/megabyte"
ln -s /etc/passwd /out/link
{
	id -u
	pwd
	cat /sys/devices/system/clocksource/clocksource0/current_clocksource
	cat /sys/class/net/lo/operstate /sys/class/net/lo/flags
	ls -d "/boot/config-$(uname -r)" >/dev/null && echo config
	for kind in proc sysfs devtmpfs tmpfs tracefs debugfs bpf cgroup2; do
		grep -q " $kind " /proc/mounts || echo "$kind missing"
	done
	ls -d /lib 2>&1
} >/out/system
: >/out/empty
exit 7
EOF
chmod 755 "$t_tmp/inside"
# shellcheck disable=SC2016 # for nobody to expand
words=(plain 'two words' "it's" '"quoted"' $'new\nline' '$HOME `id` \\ *' '' '-n' 'ünï')
t_lab --add "$t_tmp/bytes" --add "$t_tmp/megabyte" --add "$t_tmp/inside" -- inside "${words[@]}"
t_is "$t_status" 7 'exit status 7'
t_same "$t_out" "$t_tmp/bytes" 'stdout byte for byte'
tr '\000-\377' '\001-\377\000' <"$t_tmp/bytes" >"$t_tmp/bytes2"
t_same "$t_err" "$t_tmp/bytes2" 'stderr byte for byte, and apart from stdout'
printf '%s\n' "${#words[@]}" "${words[@]}" >"$t_tmp/words"
t_same "$t_tmp/out/words" "$t_tmp/words" 'arguments word for word'
t_same "$t_tmp/out/deep er/er/megabyte" "$t_tmp/megabyte" 'a megabyte through /out'
t_is "$(stat -c %s "$t_tmp/out/empty")" 0 'an empty file through /out'
t_is "$(<"$t_tmp/out/terminal")" 'no terminal' 'not on a terminal'
t_is "$(ls -d "$t_tmp/out/link" 2>/dev/null)" '' 'links stay in the guest'
printf '%s\n' 0 /root tsc unknown 0x9 config 'ls: /lib: No such file or directory' >"$t_tmp/system"
t_same "$t_tmp/out/system" "$t_tmp/system" 'root, clock source, mounts, loopback, configuration'

# --- exit statuses -----------------------------------------------------------------------------

t_lab --add "$(command -v env):/bin/dynamic" -- dynamic true
t_is "$t_status" 0 'a dynamic program runs, status 0'
t_is "$(<"$t_err")" '' 'nothing on stderr when all is well'

# shellcheck disable=SC2016 # for the guest's shell
t_lab -- sh -c 'kill -SEGV $$'
t_is "$t_status" 139 'killed by signal 11'

t_lab -- sh -c 'echo "<4>WARNING: CPU: 0 PID: 1 at kernel/frob.c" >/dev/kmsg'
t_is "$t_status" 0 'kernel warning: status'
t_match "$(<"$t_err")" "kernel complained: WARNING: CPU: 0 PID: 1 at kernel/frob.c \\(console: " \
	'kernel warning: says so'
sed -n 's/.*(console: \(.*\))$/\1/p' "$t_err" | xargs -r rm -f

t_lab -- frobnicate now
t_is "$t_status" 127 'missing command: status'
t_is "$(<"$t_err")" "lab: no command 'frobnicate' in the guest" 'missing command: says so'

# --- guests that do not come back --------------------------------------------------------------

t_lab -- sh -c 'echo before; sleep 1; echo c >/proc/sysrq-trigger'
t_is "$t_status" 3 'panic: status'
t_is "$(<"$t_out")" before 'panic: output up to it'
t_match "$(<"$t_err")" 'the guest died: Kernel panic - not syncing: sysrq triggered crash' \
	'panic: says so'
t_lines "$t_err" 1 'panic: in one line'
kept=$(sed -n 's/.*(console: \(.*\))$/\1/p' "$t_err")
t_match "$(tr -d '\0' <"$kept")" 'sysrq: Trigger a crash' 'panic: console log kept'
rm -f "$kept"

t_lab -- sh -c 'echo b >/proc/sysrq-trigger'
t_is "$t_status" 3 'reset: status'
t_match "$(<"$t_err")" 'reset or went off without a result' 'reset: says so'
t_lines "$t_err" 1 'reset: in one line'

# The real limit is then far away: sleeping costs no real time, so this shows the virtual one.
t_lab --timeout 5 -- sh -c 'trap "" TERM; echo started; while :; do sleep 1000; done'
t_is "$t_status" 124 'sleeps for ever: status'
t_is "$(<"$t_out")" started 'sleeps for ever: output up to it'
t_is "$(head -n 1 "$t_err")" 'lab: time limit of 5 s of guest time reached' 'sleeps for ever: says so'

start_s=$SECONDS
t_lab --timeout 1 --boot-timeout 2 -- true
t_is "$t_status" 124 'no boot in real time: status'
t_match "$(<"$t_err")" 'not booted after 2 s; stopped the guest' 'no boot in real time: says so'
t_is $((SECONDS - start_s < 8)) 1 'no boot in real time: stopped in time'

# A kernel by its looks only: the header is there, the code behind it is not.
{
	head -c 512 /dev/zero
	printf '\0\0HdrS'
	head -c 1048576 /dev/zero
} >"$t_tmp/hollow"
t_run "$t_repo/tools/lab" run --kernel "$t_tmp/hollow" --timeout 1 --boot-timeout 4 -- true
t_match "$t_status" '^(3|124)$' 'kernel without code: status'
t_lines "$t_err" 1 'kernel without code: in one line'

t_done
