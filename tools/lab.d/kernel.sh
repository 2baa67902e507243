# shellcheck shell=bash disable=SC2034,SC2154 # the parts share their variables
# SPDX-License-Identifier: GPL-2.0-only
# Finds a kernel by name; fetches packaged ones, signatures checked, into the cache. Sourced by
# tools/lab, whose run and list commands call kernel_find and lab_list.

# Names in the order people read them; each has its suite, and the suites that may carry updates.
kernel_names=(debian-11 debian-12 debian-13 debian-sid)
declare -A kernel_suite=(
	[debian-11]=bullseye
	[debian-12]=bookworm
	[debian-13]=trixie
	[debian-sid]=sid
)
# Moving suites are asked again once a day; the others are kept until someone removes them.
declare -A kernel_moves=([debian-sid]=1)
kernel_meta=linux-image-cloud-amd64

# A kernel in the cache is kernels/NAME/VERSION/{vmlinuz,config,release}; "current" links to the
# VERSION in use, so that a guest about to start never sees a half-replaced one.

# kernel_find NAME: sets kernel_image and kernel_config (empty when unknown), or ends the lab.
kernel_find() {
	local name=$1
	kernel_image=
	kernel_config=
	if [[ -n ${kernel_suite[$name]:-} ]]; then
		kernel_find_packaged "$name"
	elif variant_known "$name"; then
		variant_read "$name"
		build_find "$name" "${variant_files[@]}"
	elif [[ $name == */* || -f $name ]]; then
		kernel_find_file "$name"
	else
		die 2 "no kernel '$name'; known: ${kernel_names[*]} $(variant_names | paste -sd ' ')," \
			"or a path to a vmlinuz"
	fi
}

# kernel_find_file PATH: a kernel somebody built; its configuration is looked for beside it.
kernel_find_file() {
	local path=$1 candidate dir
	[[ -f $path && -r $path ]] || die 2 "cannot read a kernel at '$path'"
	# The x86 boot protocol puts these four letters at 0x202 of every image QEMU can boot.
	if [[ $(dd if="$path" bs=1 skip=514 count=4 status=none | tr -d '\0') != HdrS ]]; then
		die 2 "'$path' is not a kernel image (vmlinuz or bzImage)"
	fi
	kernel_image=$(realpath "$path")
	dir=$(dirname "$kernel_image")
	# Beside it, as /boot has it, and where a build leaves it (arch/x86/boot/bzImage).
	for candidate in "$path.config" "${path%vmlinuz*}config${path##*vmlinuz}" "$dir/config" \
		"$dir/.config" "$dir/../../../.config"; do
		if [[ -f $candidate && $candidate != "$path" ]]; then
			kernel_config=$(realpath "$candidate")
			return
		fi
	done
}

kernel_find_packaged() {
	local name=$1 dir=$cache/kernels/$1 current
	mkdir -p "$dir" 2>/dev/null || die 3 "cannot write to the cache $cache; set CPUTOLL_CACHE"
	if ! kernel_is_fresh "$name"; then
		# One fetches, the others wait here and then find the work done.
		exec {kernel_lock}>"$dir/lock"
		flock "$kernel_lock"
		if ! kernel_is_fresh "$name"; then
			kernel_fetch "$name"
		fi
		exec {kernel_lock}>&-
	fi
	current=$(realpath "$dir/current")
	kernel_image=$current/vmlinuz
	if [[ -f $current/config ]]; then kernel_config=$current/config; fi
}

# kernel_is_fresh NAME: in the cache, and not due for another look at the mirror.
kernel_is_fresh() {
	local dir=$cache/kernels/$1
	[[ -f $dir/current/vmlinuz ]] || return 1
	[[ -z ${kernel_moves[$1]:-} ]] || [[ -n $(find "$dir/checked" -mmin -1440 2>/dev/null) ]]
}

# kernel_fetch NAME: the lock is held. A failure is fatal only with nothing to fall back on.
kernel_fetch() {
	local name=$1 dir=$cache/kernels/$1
	# In a subshell: whatever ends it, a signal included, its temporary folder goes with it.
	if ! (kernel_fetch_into "$name" "$dir"); then
		[[ -f $dir/current/vmlinuz ]] || exit 3
		say "using the $name of the cache, $(<"$dir/current/release")"
	fi
	touch "$dir/checked"
}

# kernel_fetch_into NAME DIR: resolves the newest package and unpacks it to DIR/VERSION. Each step
# says itself what failed: it is called from a condition, where "set -e" sleeps.
kernel_fetch_into() {
	local name=$1 dir=$2 image version tool
	for tool in apt-get apt-cache dpkg-deb gpgv; do
		command -v "$tool" >/dev/null || die 3 "no $tool here to fetch $name with; see tools/deps"
	done
	tmp=$(mktemp -d "$dir/tmp.XXXXXX") || exit 3
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT TERM HUP
	say "looking for the newest kernel of $name"
	apt_prepare "${kernel_suite[$name]}"
	image=$(apt_field "$kernel_meta" Depends | grep -oE '^linux-image-[0-9][^ ]*') ||
		die 3 "cannot find $kernel_meta of $name: $(apt_trouble)"
	version=$(apt_field "$image" Version)
	if [[ ! -f $dir/$version/vmlinuz ]]; then
		kernel_unpack "$image" || exit 3
		printf '%s\n' "${image#linux-image-}" >"$tmp/kernel/release"
		rm -rf "${dir:?}/$version"
		mv "$tmp/kernel" "$dir/$version" || die 3 "cannot write to $dir"
	fi
	ln -s "$version" "$tmp/current"
	mv -T "$tmp/current" "$dir/current" || die 3 "cannot write to $dir"
}

# kernel_unpack IMAGE: follows the dependencies of a kernel's package until one holds the image and
# one its configuration: since 7.x they are spread over several packages.
kernel_unpack() {
	local queue=("$1") seen=' ' package deb names member
	mkdir -p "$tmp/kernel"
	while ((${#queue[@]})); do
		package=${queue[0]}
		queue=("${queue[@]:1}")
		if [[ $seen == *" $package "* ]]; then continue; fi
		seen+="$package "
		say "fetching $package"
		(cd "$tmp" && rm -f ./*.deb && apt-get -q download "$package" >"$tmp/log" 2>&1) ||
			die 3 "cannot fetch $package: $(apt_trouble)"
		deb=("$tmp"/*.deb)
		names=$(dpkg-deb --fsys-tarfile "${deb[0]}" | tar -t) || die 3 "$package is damaged"
		for member in vmlinuz config; do
			kernel_take "$member" "${deb[0]}" "$names" || die 3 "cannot unpack $package"
		done
		if [[ -s $tmp/kernel/vmlinuz && -s $tmp/kernel/config ]]; then return; fi
		# Modules are the biggest part and the least likely, hence the order.
		for member in binary base image modules; do
			mapfile -t -O "${#queue[@]}" queue < <(apt_field "$package" Depends |
				grep -oE "^linux-$member-[0-9][^ ]*")
		done
	done
	[[ -s $tmp/kernel/vmlinuz ]] || die 3 "no kernel image in $1 or what it depends on"
}

# kernel_take WHAT DEB NAMES: copies boot/WHAT-* or lib/modules/*/WHAT out of DEB, if it is there.
kernel_take() {
	local path
	path=$(grep -E -m 1 "^\./(boot/$1-|(usr/)?lib/modules/[^/]*/$1\$)" <<<"$3") || return 0
	dpkg-deb --fsys-tarfile "$2" | tar -xO "$path" >"$tmp/kernel/$1"
}

# apt_prepare SUITE: an apt of our own under $tmp with one suite's indexes; the machine's lists,
# status and hooks stay out of it, its mirror, proxy and credentials are used.
apt_prepare() {
	local suite=$1 keyring main security
	for keyring in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
		if [[ -f $keyring ]]; then break; fi
	done
	[[ -f $keyring ]] || die 3 "no Debian archive keys on this machine; see tools/deps"
	# Unlike "indextargets" this also answers on a machine that has no lists yet.
	apt-get update --print-uris |
		sed -n "s|^'\(.*\)/dists/\([^ ]*\)/InRelease' .*|\1 \2|p" >"$tmp/sites" || :
	main=$(awk '$2 !~ /-(security|updates|backports)/ && $1 !~ /^cdrom:/ { print $1; exit }' "$tmp/sites")
	security=$(awk '$2 ~ /-security$/ { print $1; exit }' "$tmp/sites")
	[[ -n $main ]] || die 3 "no Debian mirror in this machine's apt configuration"
	mkdir -p "$tmp"/apt/{state/lists/partial,cache/archives/partial}
	: >"$tmp/apt/status"
	{
		apt-config dump | grep '^Acquire::' | grep -v '^Acquire::IndexTargets'
		cat <<-EOF
		Dir::Etc::main "/dev/null";
		Dir::Etc::parts "/dev/null";
		Dir::Etc::sourcelist "$tmp/apt/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::State "$tmp/apt/state";
		Dir::State::status "$tmp/apt/status";
		Dir::Cache "$tmp/apt/cache";
		Dir::Cache::srcpkgcache "";
		APT::Architecture "amd64";
		APT::Architectures { "amd64"; };
		APT::Sandbox::User "root";
		Acquire::Languages { "none"; };
		EOF
	} >"$tmp/apt/conf"
	echo "deb [signed-by=$keyring] $main $suite main" >"$tmp/apt/sources.list"
	if [[ $suite != sid && -n $security ]]; then
		echo "deb [signed-by=$keyring] $security $suite-security main" >>"$tmp/apt/sources.list"
	fi
	export APT_CONFIG=$tmp/apt/conf
	# An error here need not be the end: an old suite's security part may have been archived.
	apt-get -q update >"$tmp/log" 2>&1 || :
}

# apt_field PACKAGE FIELD: the field of the newest version; a list comes one item to a line.
apt_field() {
	apt-cache show --no-all-versions "$1" 2>/dev/null | sed -n "s/^$2: //p" | sed 's/, */\n/g'
}

# apt_trouble: apt's first error, or its first warning: the later ones only sum up.
apt_trouble() {
	grep -m 1 '^E:' "$tmp/log" || grep -m 1 '^W:' "$tmp/log" || echo "apt gave no reason"
}

# lab_list: the kernels known, packaged and to be built, and what the cache holds of them.
lab_list() {
	local name current format='%-12s %-10s %-28s %s\n'
	(($# == 0)) || die 2 "list takes no arguments"
	# shellcheck disable=SC2059 # the format is ours
	printf "$format" NAME SUITE RELEASE PACKAGE
	for name in "${kernel_names[@]}"; do
		current=$cache/kernels/$name/current
		if [[ -f $current/vmlinuz ]]; then
			# shellcheck disable=SC2059
			printf "$format" "$name" "${kernel_suite[$name]}" "$(<"$current/release")" \
				"$(readlink "$current")"
		else
			# shellcheck disable=SC2059
			printf "$format" "$name" "${kernel_suite[$name]}" - "not in the cache"
		fi
	done
	echo
	variant_list
}
