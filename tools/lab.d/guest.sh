# shellcheck shell=bash disable=SC2034,SC2154 # the parts share their variables
# SPDX-License-Identifier: GPL-2.0-only
# Builds the initial file system of a guest and runs QEMU on it. Sourced by tools/lab; called by
# lab_run, which has set the options and the folder of this run.

qemu='qemu-system-x86_64'
# In the guest: where commands run, and files are put that are no programs. The init has it too.
guest_home=/root

# guest_tree ROOT: the files every guest has: busybox, the init, cputoll when it is built.
guest_tree() {
	local root=$1 busybox
	busybox=$(command -v busybox) || die 3 "no busybox to put into the guest; see tools/deps"
	# A dynamic one would start no process at all in there.
	if ldd "$busybox" >/dev/null 2>&1; then
		die 3 "$busybox is not static; install busybox-static, see tools/deps"
	fi
	mkdir -p "$root"/{bin,sbin,usr/bin,usr/sbin,boot,dev,lab,out,proc,root,run,sys,tmp}
	cp "$busybox" "$root/bin/busybox"
	cp "$lab_dir/init" "$root/init"
	chmod 755 "$root/init"
	if [[ -x $repo/build/cputoll-static ]]; then
		cp "$repo/build/cputoll-static" "$root/bin/cputoll"
	fi
}

# guest_add ROOT SPEC: one --add FILE[:DEST].
guest_add() {
	local root=$1 file=$2 dest=
	# A file whose own name holds a colon is still a file.
	if [[ ! -e $file && $file == *:* ]]; then
		dest=${file##*:}
		file=${file%:*}
		[[ $dest == /* ]] || die 2 "--add $2: the place in the guest must be an absolute path"
	fi
	[[ -r $file ]] || die 2 "--add $2: cannot read '$file'"
	if [[ -z $dest ]]; then
		if [[ -f $file && -x $file ]]; then dest=/bin/; else dest=$guest_home/; fi
	fi
	if [[ $dest == */ ]]; then dest+=$(basename "$file"); fi
	if [[ /$dest/ == */../* ]]; then die 2 "--add $2: no '..' in the place in the guest"; fi
	mkdir -p "$(dirname "$root$dest")"
	cp -rLT "$file" "$root$dest"
	if [[ -f $file ]]; then guest_add_libraries "$root" "$file"; fi
}

# guest_add_libraries ROOT FILE: the loader and the libraries of a dynamic executable, where its
# headers want them.
guest_add_libraries() {
	local root=$1 library
	[[ $(head -c 4 "$2" | tr -d '\0') == $'\x7fELF' ]] || return 0
	while read -r library; do
		mkdir -p "$root$(dirname "$library")"
		cp -L "$library" "$root$library"
	done < <(ldd "$2" 2>/dev/null | grep -oE '(^|[[:space:]])/[^ ]+' | tr -d '\t ')
}

# guest_job FILE CMD...: the settings and the command, in words that the guest's shell reads back
# byte for byte.
guest_job() {
	local file=$1 word quoted=
	shift
	for word; do
		quoted+=" '${word//\'/\'\\\'\'}'"
	done
	printf 'lab_accel=%s\nlab_settle_s=2\nlab_limit_s=%s\nset --%s\n' "${opt[accel]}" \
		"${opt[timeout]}" "$quoted" >"$file"
}

# guest_pack ROOT FILE: kernels unpack a plain archive much faster than they decompress one. The same
# files make the same archive, so that under icount two runs are the same run: the order in which a
# folder lists its files, their inodes and times would be different ones each time.
guest_pack() {
	command -v cpio >/dev/null || die 3 "no cpio here; see tools/deps"
	find "$1" -exec touch -h -d @0 {} +
	(cd "$1" && find . -print0 | LC_ALL=C sort -z |
		cpio -0 -o --quiet -H newc -R 0:0 --reproducible) >"$2"
}

# guest_machine: sets qemu_args and kernel_args for --accel, --smp and --mem.
guest_machine() {
	qemu_args=(-nodefaults -no-user-config -no-reboot -display none -cpu max
		-smp "${opt[smp]}" -m "${opt[mem]}" -machine 'pc,hpet=off')
	# "quiet" alone would also hide the kernel's warnings.
	kernel_args="console=ttyS0,115200 panic=-1 oops=panic quiet loglevel=5 clocksource=tsc tsc=reliable"
	case ${opt[accel]} in
	icount)
		# One virtual nanosecond per instruction; idle time is skipped. The seed and the clock
		# make every run the same run.
		qemu_args+=(-accel tcg -icount 'shift=0,sleep=off' -rtc 'base=2025-01-01,clock=vm'
			-seed 1)
		# The time stamp counter ticks in virtual nanoseconds; the kernel's own early measurement
		# of it is off by up to 12 parts per million, its late one by at most 1.
		kernel_args+=" tsc_early_khz=1000000"
		;;
	tcg) qemu_args+=(-accel "tcg,thread=$(guest_tcg_threads)") ;;
	kvm) qemu_args+=(-accel kvm) ;;
	esac
	kernel_args+=${opt[append]:+ ${opt[append]}}
}

# guest_tcg_threads: how QEMU may run several CPUs. Before 8.1 ("accel/tcg: Always lock pages before
# translation") a CPU could translate code while another one patched it and keep the old bytes: kernels
# that attach a probe then die of a breakpoint (int3) that is no longer there, or hang. There all CPUs
# take turns in one thread.
guest_tcg_threads() {
	local version
	version=$("$qemu" --version | sed -n 's/^QEMU emulator version \([0-9]*\.[0-9]*\).*/\1/p')
	if [[ -n $version ]] && sort -VC <<<"8.1"$'\n'"$version"; then echo multi; else echo single; fi
}

# guest_kvm_usable: ends the lab unless QEMU can open the host's KVM.
guest_kvm_usable() {
	local answer
	[[ -r /dev/kvm && -w /dev/kvm ]] || die 3 "cannot use /dev/kvm on this machine; use --accel tcg"
	answer=$(timeout 10 "$qemu" -accel kvm -machine none -nodefaults -display none \
		-monitor stdio <<<quit 2>&1) ||
		die 3 "QEMU cannot use KVM here (${answer##*$'\n'}); use --accel tcg"
}

# guest_start: sets run_qemu_pid; the command's output is copied to ours as it arrives.
guest_start() {
	local index=0 port
	# Every port has an interrupt of its own: not all kernels let two share one.
	for port in console:4 stdout:3 stderr:6 result:7; do
		# Files and no pipes: nobody who reads slowly can hold up the guest.
		: >"$run_dir/${port%:*}"
		qemu_args+=(-chardev "file,id=${port%:*},path=$run_dir/${port%:*}"
			-device "isa-serial,chardev=${port%:*},index=$index,irq=${port#*:}")
		index=$((index + 1))
	done
	# The guest must not outlive us, even if we are killed.
	setpriv --pdeathsig TERM timeout -k 5 $((opt[timeout] + opt[boot-timeout])) \
		"$qemu" "${qemu_args[@]}" -kernel "$kernel_image" -initrd "$run_dir/initramfs" \
		-append "$kernel_args" </dev/null >"$run_dir/qemu.log" 2>&1 &
	run_qemu_pid=$!
	tail -c +1 -s 0.1 -f --pid="$run_qemu_pid" "$run_dir/stdout" &
	tail -c +1 -s 0.1 -f --pid="$run_qemu_pid" "$run_dir/stderr" >&2 &
	guest_watch_boot &
}

# guest_watch_boot: ends a guest that has not booted in time, which no command's limit would.
guest_watch_boot() {
	local until_s=$((SECONDS + opt[boot-timeout]))
	while [[ ! -s $run_dir/result ]] && kill -0 "$run_qemu_pid" 2>/dev/null; do
		if ((SECONDS >= until_s)); then
			: >"$run_dir/not-booted"
			kill "$run_qemu_pid"
			return
		fi
		sleep 0.2
	done
}
