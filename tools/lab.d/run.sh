# shellcheck shell=bash disable=SC2034,SC2154 # the parts share their variables
# SPDX-License-Identifier: GPL-2.0-only
# The run command: reads its options, runs one guest, and turns what came back into output, files
# and an exit status. Sourced by tools/lab.

# run_options WORDS...: sets opt, opt_add and command.
run_options() {
	opt=(
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
	options_read "$@"
	((!${#words[@]})) || die 2 "put '--' before the command, as in: lab run -- ${words[0]}"
	((${#command[@]})) || die 2 "no command to run in the guest; see 'lab help'"
	option_guest
	option_number mem 1048576
	option_number timeout 1000000
	option_number boot-timeout 1000000
	[[ ${opt[append]} != *$'\n'* ]] || die 2 "--append takes one line"
}

lab_run() {
	local status=0 file
	run_options "$@"
	command -v "$qemu" >/dev/null || die 3 "no $qemu on this machine; run tools/deps as root"
	if [[ ${opt[accel]} == kvm ]]; then guest_kvm_usable; fi
	# Exists for the length of this run, whatever ends it.
	run_dir=$(mktemp -d "${TMPDIR:-/tmp}/cputoll-lab.XXXXXX")
	run_qemu_pid=
	at_end run_clean_up
	guest_tree "$run_dir/tree"
	for file in "${opt_add[@]}"; do
		guest_add "$run_dir/tree" "$file"
	done
	if [[ ${command[0]} == cputoll && ! -e $run_dir/tree/bin/cputoll ]]; then
		die 3 "no build/cputoll-static to put into the guest; run 'make static' first"
	fi
	kernel_find "${opt[kernel]}"
	if [[ -n $kernel_config ]]; then cp "$kernel_config" "$run_dir/tree/boot/config"; fi
	guest_job "$run_dir/tree/lab/job" "${command[@]}"
	guest_pack "$run_dir/tree" "$run_dir/initramfs"
	guest_machine
	guest_start
	wait "$run_qemu_pid" || status=$?
	run_qemu_pid=
	# For the two that copy the output, and the one that watches the boot.
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
		line=$(sed -n 2p "$run_dir/result" | head -c 100 | tr -d '\0')
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
	fi
	# Some hosts offer a KVM on which an ordinary kernel does not get through its boot.
	if [[ ${opt[accel]} == kvm ]]; then hint='; with --accel tcg it may'; fi
	if [[ -e $run_dir/not-booted ]]; then
		die 124 "not booted after ${opt[boot-timeout]} s; stopped the guest$hint" \
			"(console: $(run_keep_console))"
	elif ((qemu_status == 124 || qemu_status == 137)); then
		die 124 "no result after $((opt[timeout] + opt[boot-timeout])) s; stopped the guest" \
			"(console: $(run_keep_console))"
	elif ((qemu_status)); then
		die 3 "QEMU failed: $(tail -n 1 "$run_dir/qemu.log")"
	fi
	die 3 "the guest reset or went off without a result (console: $(run_keep_console))"
}

# run_keep_console: prints where the console log is kept.
run_keep_console() {
	keep_log "$(basename "${opt[kernel]}")" "$run_dir/console"
}

# run_unpack: the files of the guest's /out go to --out. Fails when the archive is not whole.
run_unpack() {
	tail -n +3 "$run_dir/result" | gzip -dc >"$run_dir/out.tar" 2>/dev/null || return 1
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
