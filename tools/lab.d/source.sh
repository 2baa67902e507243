# shellcheck shell=bash disable=SC2034,SC2154 # the parts share their variables
# SPDX-License-Identifier: GPL-2.0-only
# The kernel source that variants are built from: fetched once, its signature checked, then one work
# tree that git switches from variant to variant. Sourced by tools/lab; called by build.sh.

# The base versions: where each one's source comes from. patches/VERSION/ holds what is built of it.
base=6.1
declare -A source_suite=([6.1]=bookworm)
declare -A source_package=([6.1]=linux-source-6.1)

patches_dir=$repo/patches/$base
# source_dir holds: version (of the package), tree (the work tree), git (its repository), build* (objects),
# lock (held by whoever changes any of these), building (there while the tree or objects may be half
# written).
source_dir=$cache/source/$base
# What the tree, the repository and the objects of two configurations take, with room to spare.
source_needs_mib=5000

# source_version: prints the version of the source in the cache; nothing when there is none.
source_version() {
	cat "$source_dir/version" 2>/dev/null || :
}

# source_git WORDS...: git on the work tree, with nobody's settings. The repository is not in the tree:
# the kernel's own scripts would find it there, and change the release's name by what they see.
source_git() {
	env -i PATH="$PATH" LC_ALL=C HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 \
		GIT_DIR="$source_dir/git" GIT_WORK_TREE="$source_dir/tree" \
		GIT_INDEX_FILE="${source_index:-$source_dir/git/index}" \
		GIT_AUTHOR_NAME=cputoll GIT_AUTHOR_EMAIL=lab GIT_AUTHOR_DATE='2025-01-01T00:00:00Z' \
		GIT_COMMITTER_NAME=cputoll GIT_COMMITTER_EMAIL=lab \
		GIT_COMMITTER_DATE='2025-01-01T00:00:00Z' git "$@"
}

# source_lock: one at a time; the others wait. Children inherit the lock, so that it lasts as long as
# the last compiler of a build whose lab was killed.
source_lock() {
	mkdir -p "$source_dir" 2>/dev/null || die 3 "cannot write to the cache $cache; set CPUTOLL_CACHE"
	exec {source_lock_fd}>"$source_dir/lock"
	if ! flock -n "$source_lock_fd"; then
		say "waiting for another build to end"
		flock "$source_lock_fd"
	fi
}

# source_ready: with the lock held, the tree is there, fetched and unpacked if it must be.
source_ready() {
	if [[ -d $source_dir/tree && -d $source_dir/git && -s $source_dir/version ]]; then return; fi
	# In a subshell: whatever ends it, a signal included, its temporary folder goes with it.
	(source_fetch)
}

# source_fetch: the package is unpacked aside and moved in place when whole: version, moved last, tells.
source_fetch() {
	local package=${source_package[$base]} tool free_mib start_s=$SECONDS version debs
	for tool in apt-get apt-cache dpkg-deb gpgv xz git; do
		command -v "$tool" >/dev/null || die 3 "no $tool here to fetch $package with; see tools/deps"
	done
	# What one killed outright has left.
	rm -rf "$source_dir"/{tmp.*,version,tree,git,build*}
	free_mib=$(($(stat -f -c '%a * %S / 1048576' "$source_dir")))
	((free_mib >= source_needs_mib)) ||
		die 3 "$source_dir has $free_mib MiB free; a kernel's source and build take $source_needs_mib"
	tmp=$(mktemp -d "$source_dir/tmp.XXXXXX")
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 130' INT TERM HUP
	say "fetching $package"
	apt_prepare "${source_suite[$base]}"
	version=$(apt_field "$package" Version)
	[[ -n $version ]] || die 3 "cannot find $package: $(apt_trouble)"
	(cd "$tmp" && apt-get -q download "$package" >"$tmp/log" 2>&1) ||
		die 3 "cannot fetch $package: $(apt_trouble)"
	debs=("$tmp"/*.deb)
	say "unpacking $package $version"
	mkdir "$tmp/tree"
	dpkg-deb --fsys-tarfile "${debs[0]}" | tar -xO "./usr/src/$package.tar.xz" | xz -T0 -dc |
		tar -x -C "$tmp/tree" --strip-components=1 || die 3 "cannot unpack $package in $source_dir"
	rm -f "${debs[0]}"
	source_import "$tmp"
	printf '%s\n' "$version" >"$tmp/version"
	mv "$tmp/tree" "$tmp/git" "$tmp/version" "$source_dir" || die 3 "cannot write to $source_dir"
	say "$package $version is ready ($((SECONDS - start_s)) s)"
}

# source_import DIR: DIR/git, with DIR/tree as its one commit, called base. All files, also those that
# .gitignore names. Straight into one pack: as 78 000 files it took twice the space.
source_import() {
	local source_dir=$1
	source_git -c init.defaultBranch=tree init -q
	source_git config gc.auto 0
	# A backup or a hard link changes a file's ctime, and nothing in it.
	source_git config core.trustctime false
	# init has put the folder of now there; GIT_WORK_TREE says where it is.
	source_git config --unset core.worktree || :
	if ! source_git -c core.compression=1 -c core.bigFileThreshold=1 add -A -f . ||
		! source_git commit -q -m "the packaged source" || ! source_git tag base; then
		die 3 "cannot import the source into $source_dir/git"
	fi
}

# source_stack NAME PATCH...: prints a commit of base with all of them applied; one that does not apply
# ends the lab. The work tree has no part in it. git applies without any fuzz, all hunks or none.
source_stack() {
	local name=$1 patch tree trouble under source_index=$source_dir/git/index.stack
	shift
	rm -f "$source_index" "$source_index.lock"
	source_git read-tree base
	under="linux $(source_version)"
	for patch; do
		if ! source_git apply --cached --whitespace=nowarn "$(realpath "$patch")" \
			2>"$source_dir/apply.log"; then
			trouble=$(sed -n 's/^error: //p' "$source_dir/apply.log" | head -n 1)
			die 1 "$(basename "$patch") does not apply to $under:" \
				"${trouble:-$(head -n 1 "$source_dir/apply.log")}" \
				"(all of it: $(keep_log "$name" "$source_dir/apply.log"))"
		fi
		under+=" + $(basename "$patch")"
	done
	tree=$(source_git write-tree)
	rm -f "$source_index"
	source_git commit-tree -p base -m "$name" "$tree"
}

# source_switch COMMIT: makes the work tree that. Only files that differ are written, so make compiles
# only what changed; those that a build was killed in are put right.
source_switch() {
	rm -f "$source_dir/git/index.lock"
	# reset writes every file whose times are not as it knows them; this looks at what is in them first,
	# lest all be compiled anew.
	source_git update-index -q --refresh >/dev/null || :
	source_git reset -q --hard "$1" || die 3 "cannot switch the source in $source_dir/tree"
	# New files of a patch whose checkout was killed before git knew them.
	source_git clean -q -d -f -x || die 3 "cannot clean $source_dir/tree"
}
