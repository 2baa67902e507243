# shellcheck shell=bash disable=SC2034,SC2154 # the parts share their variables
# SPDX-License-Identifier: GPL-2.0-only
# The run command: reads its options, runs one guest, and turns what came back into output, files
# and an exit status. Sourced by tools/lab.

# run_number OPTION VALUE MOST: ends the lab unless VALUE is a whole number from 1 to MOST.
run_number() {
	if [[ ! $2 =~ ^[1-9][0-9]{0,8}$ ]] || (($2 > $3)); then
		die 2 "$1 takes a whole number from 1 to $3, not '$2'"
	fi
}

# Options that take a value, with their defaults; --add may be given several times.
declare -A opt=(
	[kernel]=debian-12
	[accel]=icount
	[smp]=1
	[mem]=1024
	[append]=''
	[add]=''
	[out]=./out
	[timeout]=600
	[boot-timeout]=120
)
opt_add=()
command=()

# run_options WORDS...: sets opt, opt_add and command.
run_options() {
	while (($#)); do
		case $1 in
		--) command=("${@:2}"); break ;;
		-h | --help) lab_help; exit 0 ;;
		--*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}"; continue ;;
		-*) ;;
		*) die 2 "put '--' before the command, as in: lab run -- $1" ;;
		esac
		if [[ $1 != --?* || -z ${opt[${1#--}]+known} ]]; then
			die 2 "no option '$1'; see 'lab help'"
		fi
		(($# > 1)) || die 2 "$1 needs a value"
		opt[${1#--}]=$2
		if [[ $1 == --add ]]; then opt_add+=("$2"); fi
		shift 2
	done
	((${#command[@]})) || die 2 "no command to run in the guest; see 'lab help'"
	[[ ${opt[accel]} =~ ^(icount|tcg|kvm)$ ]] ||
		die 2 "--accel takes icount, tcg or kvm, not '${opt[accel]}'"
	run_number --smp "${opt[smp]}" 64
	run_number --mem "${opt[mem]}" 1048576
	run_number --timeout "${opt[timeout]}" 1000000
	run_number --boot-timeout "${opt[boot-timeout]}" 1000000
	[[ ${opt[append]} != *$'\n'* ]] || die 2 "--append takes one line"
	if [[ ${opt[accel]} == icount ]] && ((opt[smp] > 1)); then
		die 2 "--accel icount counts the instructions of one CPU; for --smp ${opt[smp]} use --accel tcg"
	fi
}

lab_run() {
	local status=0 file
	run_options "$@"
	command -v "$qemu" >/dev/null || die 3 "no $qemu on this machine; run tools/deps as root"
	if [[ ${opt[accel]} == kvm ]]; then guest_kvm_usable; fi
	# Exists for the length of this run, whatever ends it.
	run_dir=$(mktemp -d "${TMPDIR:-/tmp}/cputoll-lab.XXXXXX")
	run_qemu_pid=
	trap run_clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	guest_tree "$run_dir/root"
	for file in "${opt_add[@]}"; do
		guest_add "$run_dir/root" "$file"
	done
	if [[ ${command[0]} == cputoll && ! -e $run_dir/root/bin/cputoll ]]; then
		die 3 "no build/cputoll-static to put into the guest; run 'make static' first"
	fi
	kernel_find "${opt[kernel]}"
	if [[ -n $kernel_config ]]; then cp "$kernel_config" "$run_dir/root/boot/config"; fi
	guest_job "$run_dir/root/lab/job" "${command[@]}"
	guest_pack "$run_dir/root" "$run_dir/initramfs"
	guest_machine
	guest_start
	wait "$run_qemu_pid" || status=$?
	run_qemu_pid=
	# For the two that copy the output.
	wait
	run_result "$status"
}

run_clean_up() {
	if [[ -n $run_qemu_pid ]]; then
		kill "$run_qemu_pid" 2>/dev/null || :
		wait
	fi
	rm -rf "$run_dir"
}

# run_result STATUS: QEMU ended with STATUS; ends the lab with the command's status, or says why
# there is none.
run_result() {
	local qemu_status=$1 line='' status='' hint='' trouble
	if [[ -s $run_dir/result ]]; then
		# tr: an unfinished result may hold anything, and bash does not store zero bytes.
		line=$(head -n 1 "$run_dir/result" | head -c 100 | tr -d '\0')
	fi
	if [[ $line =~ ^cputoll-lab\ ([0-9]{1,3})$ ]]; then
		status=${BASH_REMATCH[1]}
	fi
	if [[ -n $status ]] && run_unpack; then
		# Oopses end the guest; warnings do not, but nobody measuring a patch wants to miss one.
		trouble=$(grep -aoE -m 1 '(WARNING: |BUG: |rcu: INFO: ).*' "$run_dir/console") || :
		if [[ -n $trouble ]]; then
			say "the guest's kernel complained: ${trouble%$'\r'} (console: $(run_keep_console))"
		fi
		exit "$status"
	fi
	trouble=$(grep -aoE -m 1 'Kernel panic - not syncing.*' "$run_dir/console") || :
	if [[ -n $trouble ]]; then
		die 3 "the guest died: ${trouble%$'\r'} (console: $(run_keep_console))"
	elif ((qemu_status == 124 || qemu_status == 137)); then
		# Some hosts offer a KVM on which an ordinary kernel does not get through its boot.
		if [[ ${opt[accel]} == kvm ]]; then hint='; if it never booted, use --accel tcg'; fi
		die 124 "no result after $((opt[timeout] + opt[boot-timeout])) s; stopped the guest$hint" \
			"(console: $(run_keep_console))"
	elif ((qemu_status)); then
		die 3 "QEMU failed: $(tail -n 1 "$run_dir/qemu.log")"
	fi
	die 3 "the guest reset or went off without a result (console: $(run_keep_console))"
}

# run_keep_console: prints where the console log is kept. A week is enough to look at it.
run_keep_console() {
	local dir=$cache/console kept
	mkdir -p "$dir"
	find "$dir" -name '*.log' -mtime +7 -delete
	kept=$(mktemp "$dir/$(basename "${opt[kernel]}").XXXXXX.log")
	cat "$run_dir/console" >"$kept"
	echo "$kept"
}

# run_unpack: the files of the guest's /out go to --out. Fails when the archive is not whole.
run_unpack() {
	tail -n +2 "$run_dir/result" | gzip -dc >"$run_dir/out.tar" 2>/dev/null || return 1
	# Unpacked aside first: the guest's word on names and links is not trusted. tar itself refuses
	# absolute names and "..", and follows no link of the archive; links stay out altogether, so
	# that nothing unpacked later can go through one that an earlier run left.
	mkdir "$run_dir/out"
	tar -x -f "$run_dir/out.tar" -C "$run_dir/out" --no-same-owner --no-same-permissions \
		--strip-components=1 out 2>/dev/null || return 1
	find "$run_dir/out" ! -type f ! -type d -delete
	chmod -R u+rwX "$run_dir/out"
	if [[ -z $(find "$run_dir/out" -mindepth 1 -print -quit) ]]; then return 0; fi
	if ! mkdir -p "${opt[out]}" || ! cp -rT --remove-destination "$run_dir/out" "${opt[out]}"; then
		die 3 "cannot write the guest's files to '${opt[out]}'"
	fi
}
