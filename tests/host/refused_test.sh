#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On this very machine: a record works, or is refused in one line with nothing left behind, whichever
# its kernel and our rights allow; and what report says to files that are no profiles.
# Run by "make check" or by hand: tests/host/refused_test.sh; a few seconds, no guest.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../guest/lib.sh"
cputoll=$t_repo/build/cputoll
if [[ ! -x $cputoll ]]; then cputoll=$t_repo/build/cputoll-static; fi
mkdir "$t_tmp/work"
cd "$t_tmp/work"

# --- record, here -------------------------------------------------------------------------------

t_run "$cputoll" record -o profile -- true
if ((t_status == 0)); then
	t_is "$(<"$t_err")" '' 'record, allowed: says nothing'
	t_jq profile '.schema, .command, any(.functions[]; .attached)' \
		$'cputoll.profile/1\ntrue\ntrue' 'record, allowed: a profile'
	t_run "$cputoll" report profile
	t_is "$t_status" 0 'record, allowed: report reads it'
else
	t_is "$t_status" 3 'record, refused: status 3'
	t_lines "$t_err" 1 'record, refused: one line'
	t_match "$(<"$t_err")" '^cputoll: record: .*(refuses fentry programs|needs root|cannot read this kernel|cannot load)' \
		'record, refused: says why'
	t_is "$(<"$t_out")$(ls -A)" '' 'record, refused: leaves nothing'
	echo old >profile
	t_run "$cputoll" record -o profile -- touch ran
	t_is "$t_status $(<profile) $(ls -A)" '3 old profile' \
		'record, refused: an old profile stays, the command never ran'
fi

# --- report, of what is no profile --------------------------------------------------------------

# bad NAME FILE PATTERN: status 2, one line that matches, nothing on stdout.
bad() {
	t_run "$cputoll" report "$2"
	t_is "$t_status" 2 "report $1: status 2"
	t_match "$(<"$t_err")" "^cputoll: report: $3" "report $1: says so"
	t_lines "$t_err" 1 "report $1: in one line"
	t_is "$(<"$t_out")" '' "report $1: nothing on stdout"
}
example=$t_repo/tests/data/example.json
t_run "$cputoll" report "$example"
t_is "$t_status" 0 'report: the example is one'
t_same "$t_out" "$t_repo/tests/data/example.txt" 'report: prints it as it was'

bytes=$(stat -c %s "$example")
head -c $((bytes / 2)) "$example" >half
head -c $((bytes - 3)) "$example" >nearly
: >empty
echo ' ' >blank
sed 's|cputoll.profile/1|cputoll.profile/2|' "$example" >newer
jq 'del(.schema)' "$example" >unnamed
jq 'del(.paths)' "$example" >pathless
jq '.paths[0].calls = -1' "$example" >negative
jq '.paths[1].parent_id = 1' "$example" >looped
echo '[]' >array
truncate -s 65M huge
head -c 4096 "$cputoll" >binary
mkdir directory
mkfifo pipe
bad 'a missing file' missing "missing: cannot open: No such file.*'cputoll record' writes one"
bad 'half a profile' half 'half: .*(truncated|ends)'
bad 'nearly a whole profile' nearly 'nearly: .*(truncated|ends)'
bad 'an empty file' empty 'empty: .*empty'
bad 'a blank file' blank 'blank: .*(empty|truncated|ends|JSON)'
bad 'another schema' newer 'newer: .*cputoll.profile/2'
bad 'no schema' unnamed 'unnamed: .*schema'
bad 'no paths' pathless 'pathless: .*paths'
bad 'a negative number' negative 'negative: .*paths\[0\].calls'
bad 'its own parent' looped 'looped: .*paths\[1\].parent_id'
bad 'an array' array 'array: is no profile: it has no "schema"'
bad 'a huge file' huge 'huge: is larger than 64 MiB; no profile is'
bad 'a program' binary 'binary: .*JSON'
bad 'a directory' directory 'directory: is a directory, not a profile'
bad 'a pipe' pipe 'pipe: is not a regular file'

t_done
