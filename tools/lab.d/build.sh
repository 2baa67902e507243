# shellcheck shell=bash disable=SC2034,SC2154 # the parts share their variables
# SPDX-License-Identifier: GPL-2.0-only
# The build and list commands: kernels made of the packaged source and a variant's patches. An image is
# kept under a hash of all that went into it. Sourced by tools/lab; lab_run comes here for a variant.

# Goes into the hash: to be changed with anything below that changes what is built.
build_recipe=2
images_dir=$cache/variants
# The make that runs.
build_pid=

# variant_names: the variants of the table, one a line.
variant_names() {
	awk '/^[^#]/ && NF { print $1 }' "$patches_dir/variants" 2>/dev/null || :
}

# variant_known NAME
variant_known() {
	[[ -n $1 ]] && variant_names | grep -qxF -- "$1"
}

# variant_read NAME: sets variant_files, paths of patches and configurations, and variant_title from its line of the
# table.
variant_read() {
	local name=$1 files file
	variant_files=()
	read -r _ files variant_title < <(awk -v name="$name" '$1 == name' "$patches_dir/variants")
	if [[ $files == - ]]; then return; fi
	for file in ${files//,/ }; do
		variant_files+=("$patches_dir/$file")
	done
}

# patch_name FILE: the name of what --patch FILE makes, for tables and file names.
patch_name() {
	local name
	name=$(basename "$1")
	name=${name%.patch}
	name=${name%.diff}
	printf '%s' "${name//[^A-Za-z0-9._+-]/_}"
}

# patch_check FILE: ends the lab unless it can be read and may be a patch.
patch_check() {
	[[ -f $1 && -r $1 ]] || die 2 "--patch $1: cannot read it"
	grep -qE '^(diff --git |--- )' "$1" || die 2 "--patch $1: no patch in it"
}

# build_split FILE...: sets build_configs and build_patches, and build_dir, where such objects are: one for each
# configuration, so that going back to another compiles nothing again.
build_split() {
	local file
	build_configs=() build_patches=() build_dir=$source_dir/build
	for file; do
		if [[ $file == *.config ]]; then
			build_configs+=("$file")
			build_dir+=.$(basename "$file" .config)
		else
			build_patches+=("$file")
		fi
	done
}

# build_hash FILE...: prints the name of the image's folder, for the source in the cache.
build_hash() {
	local file
	{
		echo "recipe $build_recipe, source $(source_version)"
		gcc --version 2>/dev/null | head -n 1
		# Contents only: neither a file's path nor its name makes another kernel.
		cat "$patches_dir/config"
		for file; do sha256sum <"$file" || return; done
	} 2>/dev/null | sha256sum | head -c 16
}

# build_tools: ends the lab when something that a kernel's build needs is missing, all in one line.
build_tools() {
	local tool missing=()
	for tool in gcc make ld git flex bison bc pahole xz; do
		command -v "$tool" >/dev/null || missing+=("$tool")
	done
	for tool in libelf.h gelf.h; do
		[[ -f /usr/include/$tool ]] || missing+=("$tool")
	done
	((!${#missing[@]})) ||
		die 3 "cannot build a kernel without ${missing[*]}; run 'tools/deps kernel' as root"
	[[ $(gcc -dumpmachine) == x86_64-* ]] ||
		die 3 "gcc here builds for $(gcc -dumpmachine); variants are x86-64 kernels"
}

# build_find NAME FILE...: sets kernel_image and kernel_config to what NAME is made of, built when it is
# not in the cache.
build_find() {
	local name=$1 hash file
	shift
	for file; do [[ -r $file ]] || die 3 "$name: cannot read $file"; done
	if ! build_is_there "$@"; then
		build_tools
		source_lock
		source_ready
		if ! build_is_there "$@"; then
			hash=$(build_hash "$@")
			build_image "$name" "$hash" "$@"
		fi
		exec {source_lock_fd}>&-
		build_is_there "$@"
	fi
}

# build_is_there FILE...: the image of these is in the cache; sets kernel_image, kernel_config.
build_is_there() {
	local dir
	[[ -s $source_dir/version ]] || return 1
	dir=$images_dir/$(build_hash "$@")
	[[ -s $dir/bzImage ]] || return 1
	kernel_image=$dir/bzImage
	kernel_config=$dir/config
}

# build_image NAME HASH FILE...: the lock is held.
build_image() {
	local name=$1 hash=$2 commit start_s=$SECONDS log=$source_dir/build.log
	shift 2
	at_end build_clean_up
	build_split "$@"
	commit=$(source_stack "$name" "${build_patches[@]}")
	build_recover
	: >"$source_dir/building"
	source_switch "$commit"
	if [[ -f $build_dir/vmlinux ]]; then
		say "building $name"
	else
		say "building $name; the first build takes some minutes"
	fi
	mkdir -p "$build_dir"
	: >"$log"
	build_configure "$name" "$hash"
	build_make "$name" "$hash" bzImage
	rm "$source_dir/building"
	build_keep "$name" "$hash" "$@"
	say "built $name ($((SECONDS - start_s)) s)"
}

# build_configure NAME HASH: olddefconfig only for a configuration that is new: what it writes is newer than any
# object.
build_configure() {
	local asked=$build_dir/config.asked line
	if [[ -f $build_dir/.config ]] && cat "$patches_dir/config" "${build_configs[@]}" | cmp -s - "$asked"; then
		return
	fi
	cat "$patches_dir/config" "${build_configs[@]}" >"$build_dir/.config"
	cp "$build_dir/.config" "$asked.new"
	build_make "$1" "$2" olddefconfig
	# What depends on something that is off is dropped without a word.
	if ((${#build_configs[@]})); then
		while read -r line; do
			if grep -qxF -- "$line" "$build_dir/.config"; then continue; fi
			# Nothing is half written.
			rm -f "$source_dir/building"
			die 3 "$1: the kernel's configuration does not take '$line'"
		done < <(cat "${build_configs[@]}" | grep -E '^(CONFIG_|# CONFIG_.* is not set$)')
	fi
	mv "$asked.new" "$asked"
}

# build_recover: a build that was killed has left half of a file somewhere; what it wrote goes. The
# source is put right by source_switch.
build_recover() {
	[[ -e $source_dir/building ]] || return 0
	say "the last build did not end; removing what it wrote"
	# A second earlier, so that none is missed.
	find "$source_dir"/build* -type f \
		-newermt "@$(($(stat -c %Y "$source_dir/building") - 1))" -delete 2>/dev/null || :
}

# build_make NAME HASH TARGET: make with nobody's settings. The release's name has the hash, and so the same
# length for all, lest a longer name shift a kernel's data.
build_make() {
	local name=$1 hash=$2 target=$3 status=0 pahole
	# Several threads of pahole number the types as they come, another way each time.
	pahole=$(PAHOLE=pahole sh "$source_dir/tree/scripts/pahole-flags.sh")
	# In the background, for wait to be interruptible; make must not outlive us, even if we are killed.
	setpriv --pdeathsig TERM env -i PATH="$PATH" LC_ALL=C TMPDIR="${TMPDIR:-/tmp}" \
		KBUILD_BUILD_TIMESTAMP='Wed Jan  1 00:00:00 UTC 2025' KBUILD_BUILD_VERSION=1 \
		KBUILD_BUILD_USER=cputoll KBUILD_BUILD_HOST=lab \
		make -s -C "$source_dir/tree" O="$build_dir" -j"$(nproc)" ARCH=x86_64 \
		LOCALVERSION="-cputoll-${hash:0:8}" PAHOLE_FLAGS="${pahole// -j/}" "$target" </dev/null >>"$log" 2>&1 &
	build_pid=$!
	wait "$build_pid" || status=$?
	build_pid=
	if ((status)); then build_failed "$name" "$status"; fi
}

# What a compiler, a linker, Kconfig or make says when it is the source's fault, in the order of use
# to a person.
build_troubles=(
	'^[^ ]+:[0-9]+:([0-9]+:)? (fatal )?error: '
	': undefined reference to |: multiple definition of '
	'^[^ ]+:[0-9]+: syntax error'
	'^(make.*\*\*\* |ERROR: |FAILED)'
)

# build_failed NAME STATUS: says what make's log has, and ends the lab: 3 when it is the machine's
# fault, 1 when it is the patch's.
build_failed() {
	local name=$1 status=$2 trouble place kept
	kept=$(keep_log "$name" "$log") || kept=$log
	# Told to end, or ended by itself, make leaves nothing half written; else "building" stays, to say so.
	if [[ $status =~ ^(2|129|130|143)$ ]]; then rm -f "$source_dir/building"; fi
	((status == 2)) || die 3 "the build of $name was stopped, status $status (all of it: $kept)"
	trouble='No space left on device|Cannot allocate memory|signal terminated program'
	if place=$(grep -m 1 -E "$trouble" "$log"); then
		die 3 "cannot build $name: ${place//$source_dir\/tree\/} (all of it: $kept)"
	fi
	for trouble in "${build_troubles[@]}"; do
		if place=$(grep -m 1 -E "$trouble" "$log"); then break; fi
	done
	die 1 "$name does not compile: ${place//$source_dir\/tree\/} (all of it: $kept)"
}

# build_clean_up: make takes its half-written files away when told to end.
build_clean_up() {
	local status=0
	if [[ -n $build_pid ]]; then
		kill "$build_pid" 2>/dev/null || :
		wait "$build_pid" 2>/dev/null || status=$?
		if ((status == 143)); then rm -f "$source_dir/building"; fi
	fi
}

# build_keep NAME HASH FILE...: moves the finished image in place.
build_keep() {
	local name=$1 hash=$2 dir
	shift 2
	[[ $(build_hash "$@") == "$hash" ]] ||
		die 3 "$name: a patch or the configuration was changed during the build"
	mkdir -p "$images_dir"
	rm -rf "$images_dir"/tmp.*
	dir=$(mktemp -d "$images_dir/tmp.XXXXXX")
	if ! cp "$build_dir/arch/x86/boot/bzImage" "$log" "$dir/" ||
		! cp "$build_dir/.config" "$dir/config" ||
		! printf '%s\n' "$name" "${@##*/}" >"$dir/made-of"; then
		rm -rf "$dir"
		die 3 "cannot write to $images_dir"
	fi
	rm -rf "${images_dir:?}/$hash"
	mv "$dir" "$images_dir/$hash"
}

# lab_build: the images of variants, or of each --patch on top of each; prints name and path.
lab_build() {
	local name patch
	opt=([patch]='')
	options_read "$@"
	((!${#command[@]})) || die 2 "build takes variants and --patch FILE"
	if ((!${#words[@]})); then
		((${#opt_patch[@]})) || die 2 "no variant to build; known: $(variant_names | paste -sd ' ')"
		words=(stock)
	fi
	for name in "${words[@]}"; do
		variant_known "$name" || die 2 "no variant '$name'; known: $(variant_names | paste -sd ' ')"
	done
	for patch in "${opt_patch[@]}"; do patch_check "$patch"; done
	for name in "${words[@]}"; do
		variant_read "$name"
		if ((!${#opt_patch[@]})); then
			build_find "$name" "${variant_files[@]}"
			printf '%s\t%s\n' "$name" "$kernel_image"
		fi
		for patch in "${opt_patch[@]}"; do
			build_find "$(patch_name "$patch")" "${variant_files[@]}" "$patch"
			printf '%s\t%s\n' "$(patch_name "$patch")" "$kernel_image"
		done
	done
}

# variant_list: the variants, what each is made of, and the release's name of those in the cache.
variant_list() {
	local name files built format='%-14s %-10s %-38s %s\n'
	# shellcheck disable=SC2059 # the format is ours
	printf "$format" VARIANT BUILT 'MADE OF' TITLE
	while read -r name; do
		variant_read "$name"
		built=-
		if build_is_there "${variant_files[@]}"; then
			built=$(basename "$(dirname "$kernel_image")")
			built=${built:0:8}
		fi
		files=$(IFS=, && echo "${variant_files[*]##*/}")
		# shellcheck disable=SC2059
		printf "$format" "$name" "$built" "${files:--}" "$variant_title"
	done < <(variant_names)
}
