#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The documents say what the programs say: commands, options, make's targets, files that exist.
# Run by `make check`; needs build/cputoll and mandoc, no kernel.
set -euo pipefail

# shellcheck source=tests/guest/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../guest/lib.sh"
cd "$t_repo"
cputoll=build/cputoll

# help_options FILE: the options of a help text, one a line, a letter or a long name without dashes.
help_options() {
	sed -nE 's/^  (-([a-zA-Z]), |    )--([a-z-]+)( .*)?$/\2\n\3/p' "$1" | sed '/^$/d' | sort -u
}

# page_options FILE: those that a man page's list describes.
page_options() {
	grep -E '^\.It Fl ' "$1" | grep -oE 'Fl [^ ]+' | sed -E 's/^Fl -?//' | sort -u
}

# one_line: words of standard input, for a message that can be read.
one_line() {
	tr '\n' ' ' | sed 's/ $//'
}

# --- commands and their man pages ---------------------------------------------------------------

t_run "$cputoll" help
t_is "$t_status" 0 'cputoll help: status'
mapfile -t commands < <(sed -nE 's/^  ([a-z]+) +[a-z].*/\1/p' "$t_out")
t_is "$((${#commands[@]} >= 5))" 1 'cputoll help lists the commands'
for command in "${commands[@]}"; do
	t_match "$(<docs/cputoll.1)" "It Cm $command"$'\n' "cputoll.1 describes $command"
	# The one command without options has no page of its own.
	if [[ $command == version ]]; then continue; fi
	page=docs/cputoll-$command.1
	if [[ ! -f $page ]]; then
		t_not_ok "$command has a man page" "no $page"
		continue
	fi
	t_ok "$command has a man page"
	t_run "$cputoll" "$command" -h
	t_is "$t_status" 0 "$command -h: status"
	t_match "$(help_options "$t_out" | one_line)" '(^| )help( |$)' "$command -h lists its options"
	t_is "$(page_options "$page" | one_line)" "$(help_options "$t_out" | one_line)" \
		"$page describes the options of $command -h, and no others"
	t_match "$(<docs/cputoll.1)" "Xr cputoll-$command 1" "cputoll.1 points to $page"
done

# The workloads that bench lists, against the two columns of its page's list.
t_run "$cputoll" bench -h
mapfile -t workloads < <(sed -nE 's/^  ([a-z-]+) +[0-9]+  .*/\1/p' "$t_out")
t_is "$((${#workloads[@]} >= 6))" 1 'bench -h lists the workloads'
for workload in "${workloads[@]}"; do
	count=$(sed -nE "s/^  $workload +([0-9]+)  .*/\1/p" "$t_out")
	text=$(grep -A 6 -Fx ".It Cm $workload" docs/cputoll-bench.1 || :)
	t_match "$text" "(^|[^0-9])$count([^0-9]|$)" "cputoll-bench.1 has $workload and its count"
done

for page in docs/*.1; do
	# "style" would complain of pages not installed, and of long lines.
	t_run mandoc -Tlint -Wwarning "$page"
	t_is "$t_status" 0 "$page: status of mandoc -Tlint"
	t_is "$(<"$t_out")$(<"$t_err")" '' "$page: mandoc has no complaint"
	# Every other page it names is one of ours, or of the system's sections.
	while read -r name; do
		t_is "$(ls "docs/$name.1" 2>&1)" "docs/$name.1" "$page: $name(1) exists"
	done < <(sed -nE 's/^\.Xr (cputoll[a-z-]*) 1.*/\1/p' "$page" | sort -u)
done

# --- the lab ------------------------------------------------------------------------------------

t_run tools/lab help
t_is "$t_status" 0 'lab help: status'
t_is "$(grep -oE '^\| `--[a-z-]+' docs/lab.md | tr -d '|` ' | sort | one_line)" \
	"$(grep -oE '^  --[a-z-]+' "$t_out" | tr -d ' ' | sort | one_line)" \
	'docs/lab.md describes the options of lab help, and no others'
t_is "$(grep -oE '^\| `debian-[a-z0-9]+' docs/lab.md | tr -d '|` ' | one_line)" \
	"$(CPUTOLL_CACHE=$t_tmp tools/lab list | sed '1d;/^$/,$d' | cut -d ' ' -f 1 | one_line)" \
	'docs/lab.md lists the kernels of lab list'

# --- paths, targets and links -------------------------------------------------------------------

dirs=$(git ls-files | sed -n 's|/.*||p' | sort -u | paste -sd '|')
for page in README.md docs/*.md; do
	# shellcheck disable=SC2016 # the text's own backquotes
	while read -r path; do
		t_is "$(compgen -G "${path%/}" >/dev/null && echo there)" there "$page: $path exists"
	done < <({
		# `path/in/the/repository` in the text, and [links](to it), which start from the page's folder.
		grep -oE '`[^` ]+`' "$page" | tr -d '`' | grep -E "^(${dirs//./\\.})(/|$)" || :
		grep -oE '\]\([^):#]+\)' "$page" | sed "s|^](\(.*\))\$|$(dirname "$page")/\1|" || :
	} | sort -u)
	while read -r target; do
		t_is "$(grep -cE "^$target:" Makefile)" 1 "$page: make $target is a target"
	done < <(grep -oE '`make [a-z-]+' "$page" | cut -d ' ' -f 2 | sort -u)
done
while read -r target; do
	t_is "$(grep -cE "^$target:" Makefile)" 1 "make help: $target is a target"
done < <(make help | sed -nE 's/^make ([a-z-]+).*/\1/p')

t_done
