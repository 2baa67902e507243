# shellcheck shell=bash disable=SC2034,SC2154 # the parts share their variables
# SPDX-License-Identifier: GPL-2.0-only
# The verdict command: builds a base and its variants, boots them in turn for benches and oracles, and
# has `cputoll verdict` judge what they left. Sourced by tools/lab.

# WORKLOAD, whether it runs by default ("default", or for a base with a configuration of this name), reads and repeats
# under icount, and elsewhere; "-" is bench's own.
# One boot's benches by default take about ten seconds of a core. Repeats under icount differ only by
# the ticks that fall into them; elsewhere by everything, so that there boots count, and three are enough.
verdict_benches='
clock-thread   default  50000 10  200000 3
clock-process  default   1000 10    2000 3
times          default  20000 10  100000 3
getrusage      default  20000 10  100000 3
proc-stat      -         2000 10   10000 3
pound          -          200  5    1000 3
null-syscall   vtime    50000 10  200000 3
kvm-hypercall  vtime    20000 10   50000 3
'

# The guests that run the oracles: acceleration, CPUs, seconds for each oracle and load. One counts every
# instruction, and a second of it is several of ours; the other has CPUs to migrate between.
verdict_checks='
icount 1 0.25
tcg    4 1
'

# One entry for each kernel; [0] is the base: its name, the variant it is, the file of --patch on top,
# the image, and, when it is out of the verdict, why.
v_name=() v_variant=() v_patch=() v_image=() v_gone=()
# Jobs to do: "KERNEL KIND ACCEL SMP WORD", KIND being bench, with WORD the number of the boot, or check,
# with the seconds for each oracle.
v_jobs=()
# By process id of those that run: the job, when it was started, and how many of the host's CPUs it keeps
# busy.
declare -A v_job=() v_started_s=() v_cpus=()
v_status=0

# verdict_defaults: the workloads of a verdict that was not asked for others.
verdict_defaults() {
	local config whose=default
	variant_read "${v_variant[0]-stock}"
	build_split "${variant_files[@]}"
	for config in "${build_configs[@]}"; do whose=$(basename "$config" .config); done
	awk -v whose="$whose" '$2 == whose { print $1 }' <<<"$verdict_benches" | paste -sd ,
}

# step WORDS...: one line of progress.
step() {
	printf 'lab: [%4d s] %s\n' "$SECONDS" "$*" >&2
}

# verdict_options WORDS...: sets opt and the kernels.
verdict_options() {
	local name patch
	opt=([base]=stock [variant]='' [patch]='' [bench]='' [check]=all [accel]=icount [smp]=1 [boots]=''
		[output]='' [json]='' [timeout]=300 [boot-timeout]=120)
	options_read "$@"
	((!${#words[@]} && !${#command[@]})) ||
		die 2 "verdict takes options only, as in: lab verdict --base stock --variant NAME"
	((${#opt_variant[@]} + ${#opt_patch[@]})) || die 2 "nothing to judge; give --variant or --patch"
	option_guest
	# Under icount boots differ in nothing; elsewhere they do more than repeats in one boot.
	if [[ -z ${opt[boots]} ]]; then
		if [[ ${opt[accel]} == icount ]]; then opt[boots]=1; else opt[boots]=5; fi
	fi
	option_number boots 1000
	option_number timeout 1000000
	option_number boot-timeout 1000000
	verdict_add "${opt[base]}"
	while read -r name; do
		verdict_add "$name"
	done < <(printf '%s\n' "${opt_variant[@]}" | tr -s ', ' '\n' | sed '/^$/d')
	for patch in "${opt_patch[@]}"; do
		patch_check "$patch"
		verdict_add "${opt[base]}" "$(realpath "$patch")"
	done
	# Found out now, not after the last guest.
	if [[ -d ${opt[output]} || ! -w $(dirname "${opt[output]:-.}") ]]; then
		die 2 "-o ${opt[output]}: cannot write it"
	fi
}

# verdict_add VARIANT [PATCH]: one more kernel. A name that is taken, as both of an A/A verdict's are, gets
# a number.
verdict_add() {
	local name=$1 taken nr=1
	variant_known "$1" || die 2 "no variant '$1'; known: $(variant_names | paste -sd ' ')"
	if [[ -n ${2:-} ]]; then name=$(patch_name "$2"); fi
	for taken in "${v_name[@]}"; do
		if [[ $taken =~ ^"$name"(#[0-9]+)?$ ]]; then nr=$((nr + 1)); fi
	done
	if ((nr > 1)); then name+="#$nr"; fi
	v_name+=("$name")
	v_variant+=("$1")
	v_patch+=("${2:-}")
	v_image+=('')
	v_gone+=('')
}

# names_known OPTION WHAT NAMES COMMAND: ends the lab unless all NAMES are among those that the help of
# cputoll COMMAND lists.
names_known() {
	local name known
	known=$("$cputoll" "$4" -h | sed -nE 's/^  ([a-z][a-z-]*) +[0-9a-z].*/\1/p')
	for name in $3; do
		grep -qxF -- "$name" <<<"$known" ||
			die 2 "$1 $name: no such $2; there are $(paste -sd ' ' <<<"$known")"
	done
}

# verdict_bench_script: prints the script that a guest runs for its benches; its argument goes into the
# names of the files.
verdict_bench_script() {
	local count=3 name workload threads options names
	if [[ ${opt[accel]} != icount ]]; then count=5; fi
	names=${opt[bench]:-$(verdict_defaults)}
	for name in ${names//,/ }; do
		workload=${name%%:*}
		threads=${name#"$workload"}
		names_known --bench workload "$workload" bench
		[[ $threads =~ ^(:[0-9]{1,5})?$ ]] ||
			die 2 "--bench $name: after the colon comes a number of threads, as in $workload:4"
		options=$(awk -v workload="$workload" -v c="$count" '
			$1 == workload { n = $c; r = $(c + 1) }
			END { print (n && n != "-" ? "-n " n : ""), "-r", (r ? r : 5) }' <<<"$verdict_benches")
		echo "cputoll bench $workload $options ${threads:+-t ${threads#:}} --json \\"
		echo "	>\"/out/bench-\$1-$workload${threads:+-${threads#:}}.json\" ||"
		# Where it cannot run, its row is missing, and the verdict says so.
		echo "	{ status=\$?; rm \"/out/bench-\$1-$workload${threads:+-${threads#:}}.json\"; [ \$status = 3 ] ||"
		echo "	{ echo \"lab: bench $name failed with status \$status\" >&2; exit 1; }; }"
	done
}

# verdict_check_script: the same for the oracles, whose status 1 is an answer like any other; 3 is one, too,
# when some could not be run.
verdict_check_script() {
	local names=
	if [[ ! ${opt[check]} =~ ^(all|none)$ ]]; then names=${opt[check]//,/ }; fi
	names_known --check oracle "$names" check
	cat <<-EOF
	cputoll check $names --seconds "\$1" --json >"/out/check-\$LAB_ACCEL.json"
	status=\$?
	[ \$status -lt 2 ] || grep -q '"checks"' "/out/check-\$LAB_ACCEL.json" || { echo "lab: check failed with status \$status" >&2; exit 1; }
	EOF
}

# start_lab COMMAND...: runs the lab once more, in the background; sets child. It hears of our end, whatever
# the reason; of Ctrl-C only through us.
start_lab() {
	setpriv --pdeathsig TERM "$lab_dir/../lab" "$@" </dev/null &
	child=$!
}

# drop KERNEL STATUS WHY: it is out of this verdict. The worst status is the lab's.
drop() {
	v_gone[$1]=$3
	if (($2 > v_status)); then v_status=$2; fi
}

# verdict_build: the image of each kernel. Without the base, or with nothing beside it, the lab ends.
verdict_build() {
	local kernel status patch left=0 start_s
	for kernel in "${!v_name[@]}"; do
		start_s=$SECONDS status=0 patch=()
		if [[ -n ${v_patch[kernel]} ]]; then patch=(--patch "${v_patch[kernel]}"); fi
		start_lab build "${v_variant[kernel]}" "${patch[@]}" >"$work/image"
		wait "$child" || status=$?
		child=
		if ((status)); then
			drop "$kernel" "$status" 'not built'
			if ((kernel == 0)); then exit "$status"; fi
			continue
		fi
		v_image[kernel]=$(cut -f 2 "$work/image")
		if ((kernel)); then left=$((left + 1)); fi
		verdict_describe "$kernel"
		step "${v_name[kernel]}: ready ($((SECONDS - start_s)) s)"
	done
	if ((!left)); then exit "$v_status"; fi
}

# verdict_describe KERNEL: its folder, with what it is made of.
verdict_describe() {
	local config
	mkdir -p "$work/$1"
	variant_read "${v_variant[$1]}"
	build_split "${variant_files[@]}" ${v_patch[$1]:+"${v_patch[$1]}"}
	config=$(verdict_quote "${build_configs[@]}")
	printf '{ "name": "%s", "patches": [%s], "config_fragment": %s, "source": "%s" }\n' "${v_name[$1]}" \
		"$(verdict_quote "${build_patches[@]}")" "${config:-null}" "$(source_version)" >"$work/$1/variant.json"
}

# verdict_quote FILE...: their names, as JSON has them. No quoting: what JSON would have to quote is rare
# in a file's name, and of no use there.
verdict_quote() {
	local file names=
	for file; do
		file=${file##*/}
		names+="${names:+, }\"${file//[\"\\[:cntrl:]]/_}\""
	done
	printf '%s' "$names"
}

# verdict_plan: the jobs, benches first. Every other boot goes through the kernels backwards, so that none
# always has the machine that another has just warmed up.
verdict_plan() {
	local boot kernel order accel smp seconds
	for ((boot = 1; boot <= opt[boots]; boot++)); do
		order=("${!v_name[@]}")
		if ((boot % 2 == 0)); then mapfile -t order < <(printf '%s\n' "${order[@]}" | tac); fi
		for kernel in "${order[@]}"; do
			v_jobs+=("$kernel bench ${opt[accel]} ${opt[smp]} $boot")
		done
	done
	if [[ ${opt[check]} == none ]]; then return; fi
	while read -r accel smp seconds; do
		if [[ -z $accel ]]; then continue; fi
		for kernel in "${!v_name[@]}"; do
			v_jobs+=("$kernel check $accel $smp $seconds")
		done
	done <<<"$verdict_checks"
}

# verdict_run: all jobs, as many at a time as the host has CPUs for.
verdict_run() {
	local job kernel accel smp cpus host
	host=$(nproc)
	busy=0
	for job in "${v_jobs[@]}"; do
		read -r kernel _ accel smp _ <<<"$job"
		cpus=$((smp < host ? smp : host))
		if [[ $accel == tcg && $(guest_tcg_threads) == single ]]; then cpus=1; fi
		while ((busy && busy + cpus > host)); do verdict_reap; done
		if [[ -z ${v_gone[kernel]} ]]; then verdict_start "$job" "$cpus"; fi
	done
	while ((busy)); do verdict_reap; done
}

# verdict_start JOB CPUS
verdict_start() {
	local kernel kind accel smp word
	read -r kernel kind accel smp word <<<"$1"
	start_lab run --kernel "${v_image[kernel]}" --accel "$accel" --smp "$smp" --out "$work/$kernel" \
		--timeout "${opt[timeout]}" --boot-timeout "${opt[boot-timeout]}" \
		--add "$work/$kind.sh" -- sh "$kind.sh" "$word" \
		>"$work/$kernel-$kind-$accel-$word.log" 2>&1
	v_job[$child]=$1
	v_started_s[$child]=$SECONDS
	v_cpus[$child]=$2
	busy=$((busy + $2))
	child=
}

# verdict_reap: waits for one of the jobs that run. What it says is the lab's own last line, or what the
# bench said.
verdict_reap() {
	local pid status=0 kernel kind accel word log what why
	wait -n -p pid "${!v_job[@]}" || status=$?
	read -r kernel kind accel _ word <<<"${v_job[$pid]}"
	log=$work/$kernel-$kind-$accel-$word.log
	what="${v_name[kernel]}: $kind, $accel"
	if ((opt[boots] > 1)) && [[ $kind == bench ]]; then what+=", boot $word"; fi
	if ((status == 0)); then
		step "$what ($((SECONDS - v_started_s[$pid])) s)"
	elif [[ -z ${v_gone[kernel]} ]]; then
		why=$(grep -a -v '^$' "$log" | tail -n 1)
		drop "$kernel" 3 "$kind, $accel: ${why#lab: }"
		step "$what: ${why#lab: }"
	fi
	busy=$((busy - v_cpus[$pid]))
	unset "v_job[$pid]" "v_started_s[$pid]" "v_cpus[$pid]"
}

# verdict_judge: the table of what is there, and the status: the worst of all.
verdict_judge() {
	local kernel status=0 sides=() options=()
	for kernel in "${!v_name[@]}"; do
		if ((kernel)) && [[ -z ${v_gone[kernel]} ]]; then
			sides+=("${v_name[kernel]}=$work/$kernel")
		fi
	done
	if ((${#sides[@]} == 0)) || [[ -n ${v_gone[0]} ]]; then
		say "no verdict: ${v_name[0]} has nothing beside it; measured so far is in $work"
		exit "$v_status"
	fi
	if [[ -n ${opt[output]} ]]; then options+=(-o "${opt[output]}"); fi
	if [[ -n ${opt[json]} ]]; then options+=(--json); fi
	"$cputoll" verdict "${options[@]}" --base "${v_name[0]}=$work/0" "${sides[@]}" || status=$?
	if ((status > v_status)); then v_status=$status; fi
	step "done; measurements: $work"
	exit "$v_status"
}

# verdict_clean_up: the guests that still run end with us.
verdict_clean_up() {
	local pids=(${child:+"$child"} "${!v_job[@]}")
	if ((${#pids[@]})); then
		kill "${pids[@]}" 2>/dev/null || :
		wait
	fi
}

lab_verdict() {
	local child='' busy=0 cputoll=$repo/build/cputoll-static work
	verdict_options "$@"
	[[ -x $cputoll ]] || die 3 "no build/cputoll-static to put into the guests; run 'make static' first"
	command -v "$qemu" >/dev/null || die 3 "no $qemu on this machine; run tools/deps as root"
	if [[ ${opt[accel]} == kvm ]]; then guest_kvm_usable; fi
	# Kept like the logs, for `cputoll compare` and for whoever wants to look.
	mkdir -p "$cache/verdict" 2>/dev/null || die 3 "cannot write to the cache $cache; set CPUTOLL_CACHE"
	find "$cache/verdict" -mindepth 1 -maxdepth 1 -mtime +7 -exec rm -rf {} +
	work=$(mktemp -d "$cache/verdict/$(date +%Y%m%d-%H%M%S).XXX")
	at_end verdict_clean_up
	verdict_bench_script >"$work/bench.sh"
	verdict_check_script >"$work/check.sh"
	verdict_build
	verdict_plan
	verdict_run
	verdict_judge
}
