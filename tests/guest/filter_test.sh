#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What a record is limited to: processes as the recorder's pid namespace numbers them, a cgroup, names, syscalls;
# each read of those is counted, and nobody else's. And what cannot be such a limit is refused before anything is loaded.
# Run by "make check-guest" or by hand: tests/guest/filter_test.sh [--kernel NAME]; a minute.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
t_options "$@"
out=$t_tmp/out

cat >"$t_tmp/inside" <<'EOS'
#!/bin/sh
cd /tmp || exit
for name in aa ab b abcdefghijklmno; do ln -s /bin/cputoll $name; done
quiet() { "$@" >/dev/null; }
cat >begun <<'E'
# begun RECORDER: it is in poll(2), and so counts.
begun() { until read -r syscall _ </proc/$1/syscall && [ "$syscall" = 7 ]; do sleep 0.2; done; }
E
. ./begun

# After the exec the process has another name than it had before, and the other way round.
cat >comms <<'E'
./aa bench clock-thread -n 1000
./ab bench times -n 500
./b bench clock-thread -n 300
sh -c 'exec ./aa bench times -n 70'
E
quiet cputoll record -o /out/comm.p -a --comm 'a?' -- sh comms || exit
quiet cputoll record -o /out/both.p --comm 'a?' --syscall times -- sh comms || exit
quiet cputoll record -o /out/left.p -a --comm sh -- sh comms || exit

while read -r name glob; do
	quiet cputoll record -o p -a --comm "$glob" -- ./$name bench clock-thread -n 9 || exit
	if grep -Eq '"calls": *9,' p; then echo yes; else echo no; fi
done >/out/globs <<'E'
aa aa
aa *
aa a?
aa *a*[a-c]*
aa a
aa aaa
aa *b
abcdefghijklmno abcdefghijklmno
abcdefghijklmno a*h*o
abcdefghijklmno abcdefghijklmnop
abcdefghijklmno abcdefghijklmn
E

quiet cputoll record -o /out/syscall.p --syscall getrusage,times -- sh -c './aa bench clock-thread -n 1000; ./ab bench getrusage -n 500; ./b bench times -n 20' || exit

# Its threads start long after the record does.
mkfifo go
sh -c 'read -r go <go; exec cputoll bench storm --json' >/out/threads.b &
pid=$!
cputoll record -o /out/threads.p -p $pid &
recorder=$!
begun $recorder
./b bench clock-thread -n 100 >/dev/null
echo go >go
wait $recorder || exit

# The record ends with the last of them.
mkfifo go2
sh -c 'read -r go <go; exec ./aa bench clock-thread -n 40' >/dev/null & one=$!
sh -c 'read -r go <go2; exec ./ab bench clock-thread -n 50' >/dev/null & two=$!
cputoll record -o /out/two.p -p $two,$one,$one &
recorder=$!
begun $recorder
echo go >go
wait $one
echo go >go2
wait $recorder || exit

mkdir cg && mount -t cgroup2 none cg && mkdir -p cg/x/y
quiet cputoll record -o /out/cgroup.p -a --cgroup cg/x -- sh -c './aa bench clock-thread -n 1000
	sh -c "echo \$\$ >cg/x/y/cgroup.procs; exec ./ab bench clock-thread -n 500"' || exit

# Process 2 of another pid namespace, in which the recorder is.
cat >namespace <<'E'
. ./begun
sh -c 'read -r go <go; exec ./aa bench clock-thread -n 60' >/dev/null &
cputoll record -o /out/namespace.p -p $! &
recorder=$!
begun $recorder
echo go >go
wait $recorder
E
if [ -e /proc/self/ns/pid ]; then unshare -p -f --mount-proc sh namespace || exit; fi

for wrong in '-p 0' '-p 1,x' '-p 1,' '-p 99999' '--comm abcdefghijklmnopqrstuvwxyz0123456789' '--cgroup /nope' '--cgroup /proc' '--syscall no_such'; do
	cputoll record -o /out/wrong.p -d 1 $wrong
	echo "$?"
done >/out/wrong 2>&1
exit 0
EOS
chmod 755 "$t_tmp/inside"
t_lab --mem 1024 --add "$t_tmp/inside" -- inside
t_is "$t_status $(<"$t_err")" '0 ' 'the guest ran'

by_name='[.processes[] | "\(.comm) \(.calls)"] | sort'
t_jq "$out/comm.p" "$by_name" '["aa 1000","aa 70","ab 500"]' '--comm: who is called so, and nobody else'
t_jq "$out/comm.p" '[.syscalls[] | "\(.name) \(.calls)"] | sort' '["clock_gettime 1000","times 570"]' '--comm: their reads'
t_jq "$out/both.p" "$by_name" '["aa 70","ab 500"]' '--comm and --syscall: both must hold'
t_jq "$out/left.p" '[.processes[].comm] | unique - ["sh"]' '[]' '--comm: not after an exec gave it another name'
t_is "$(tr '\n' ' ' <"$out/globs")" 'yes yes yes yes no no no yes yes no no ' '--comm: patterns'
t_jq "$out/syscall.p" '[.syscalls[] | "\(.name) \(.calls)"] | sort' '["getrusage 500","times 20"]' '--syscall: these, and no other'
t_jq "$out/syscall.p" '[.paths[].caller] | unique - ["irq"]' '["getrusage","times"]' '--syscall: no path of another'
t_jq "$out/syscall.p" "$by_name" '["ab 500","b 20"]' '--syscall: no process of another'
t_profile '-p: threads that start later' --exits --lossy "$out/threads.p" "$out/threads.b"
t_jq "$out/threads.p" '.lost | add' 0 '-p: nothing is lost'
t_jq "$out/two.p" '[.processes[].comm] | sort' '["aa","ab"]' '-p: several, until the last one ends'
t_jq "$out/two.p" '[.syscalls[] | select(.name == "clock_gettime") | .calls] | add' 90 '-p: the reads of all'
t_jq "$out/cgroup.p" "$by_name" '["ab 500"]' '--cgroup: what is below it, and nobody else'
if [[ -e $out/namespace.p ]]; then
	t_jq "$out/namespace.p" '[.processes[] | "\(.pid) \(.comm)"]' '["2 aa"]' 'the numbers are those of the pid namespace'
	t_jq "$out/namespace.p" '[.syscalls[] | select(.name == "clock_gettime") | .calls] | add' 60 'its reads'
else
	t_skip 'numbers of a pid namespace' 'this kernel has none'
fi
mapfile -t wrong <"$out/wrong"
says() { t_is "${wrong[2 * $1]-} ${wrong[2 * $1 + 1]-}" "cputoll: record: $2 2" "refused: $2"; }
says 0 "--pid takes numbers of processes, comma separated, not '0'"
says 1 "--pid takes numbers of processes, comma separated, not '1,x'"
says 2 "--pid takes numbers of processes, comma separated, not '1,'"
says 3 'no process 99999'
says 4 '--comm takes a pattern of 1 to 31 letters'
says 5 'no cgroup /nope: No such file or directory'
says 6 '/proc is no cgroup of version 2'
says 7 "no syscall 'no_such' on x86_64"
t_absent "$out/wrong.p" 'and nothing is written'

t_done
