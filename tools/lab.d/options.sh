# shellcheck shell=bash disable=SC2034,SC2154 # the parts share their variables
# SPDX-License-Identifier: GPL-2.0-only
# Reads the options of any command of the lab. Sourced by tools/lab; each command first sets opt, whose
# keys are the options that it knows, to its defaults.

declare -A opt=()
# Those that may be given several times: all their values go to the array named here.
declare -A opt_lists=([add]=opt_add [patch]=opt_patch [variant]=opt_variant)
opt_add=() opt_patch=() opt_variant=()
# Those that take no value; opt has them as "" or 1.
opt_flags=' json '
# What is no option, and what comes after "--".
words=() command=()

# options_read WORDS...: sets opt, the lists, words and command, or ends the lab.
options_read() {
	local name
	while (($#)); do
		case $1 in
		--) command=("${@:2}"); return ;;
		-h | --help) lab_help; exit 0 ;;
		-o) set -- --output "${@:2}"; continue ;;
		--*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}"; continue ;;
		-*) ;;
		*) words+=("$1"); shift; continue ;;
		esac
		name=${1#--}
		if [[ $1 != --?* || -z ${opt[$name]+known} ]]; then
			die 2 "no option '$1'; see 'lab help'"
		fi
		if [[ $opt_flags == *" $name "* ]]; then
			opt[$name]=1
			shift
			continue
		fi
		(($# > 1)) || die 2 "$1 needs a value"
		opt[$name]=$2
		if [[ -n ${opt_lists[$name]:-} ]]; then
			local -n list=${opt_lists[$name]}
			list+=("$2")
			unset -n list
		fi
		shift 2
	done
}

# option_number NAME MOST: ends the lab unless the option is a whole number from 1 to MOST.
option_number() {
	local value=${opt[$1]}
	if [[ ! $value =~ ^[1-9][0-9]{0,8}$ ]] || ((value > $2)); then
		die 2 "--$1 takes a whole number from 1 to $2, not '$value'"
	fi
}

# option_guest: checks --accel and --smp, which belong together.
option_guest() {
	[[ ${opt[accel]} =~ ^(icount|tcg|kvm)$ ]] ||
		die 2 "--accel takes icount, tcg or kvm, not '${opt[accel]}'"
	option_number smp 64
	if [[ ${opt[accel]} == icount ]] && ((opt[smp] > 1)); then
		die 2 "--accel icount counts the instructions of one CPU; for --smp ${opt[smp]} use --accel tcg"
	fi
}
