#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# bench.sh [KERNEL...]: measure on stock Debian kernels in virtual machines; print a table and
# write build/bench.json. KERNEL: 6.1, 6.12, 6.12-rt, 6.12-trixie, 7.3 or default; without
# any, 6.1 6.12 7.3 6.12-rt. Five to ten minutes each, and 3 GiB of memory.
#
# Two boots for each kernel: in the first the guest's clock counts instructions (QEMU's
# icount, one CPU), which makes the figures exact and independent of the host; in the second
# two CPUs truly run at once, for what only time can tell.
#
# bench.sh --smoke KERNEL: the same with tiny counts and the module that tests/dkms.sh left, as a
# test of bench itself: prints "ok - ..." and "not ok - ..." lines, writes build/bench/smoke.json.
#
# --ko FILE: measure this module instead.
#
# Exit status 0: measured, goals met or not; 1: something failed; 2: could not start, says
# what is needed.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/debian.sh"
. "$(dirname "$0")/lib/module.sh"

smoke='' given_ko='' kernels=()
while [ $# -gt 0 ]; do
	case $1 in
	--smoke)	smoke=yes ;;
	--ko)		[ $# -ge 2 ] || lacking '--ko needs a file'; given_ko=$2; shift ;;
	-*)		lacking 'usage: bench.sh [--smoke] [--ko FILE] [KERNEL...]' ;;
	*)		line=$(kernel_line "$1"); kernels+=("$line") ;;
	esac
	shift
done
[ ${#kernels[@]} -gt 0 ] || kernels=(6.1 6.12 7.3 6.12-rt)
[ -z "$given_ko" ] || [ ${#kernels[@]} -eq 1 ] || lacking '--ko is for one kernel'
[ "$(id -u)" = 0 ] ||
	lacking 'must be root: installs packages, and the module with dkms in a clean Debian root'
"$TESTS_DIR/setup.sh" ${smoke:+--check}

out=$TOP_DIR/build/bench
json=$TOP_DIR/build/bench.json
[ -z "$smoke" ] || json=$out/smoke.json
mkdir -p "$out"
for dir in bench guest/bench; do
	make -s -C "$TESTS_DIR/$dir" all > "$out/build.log" 2>&1 ||
		{ cat "$out/build.log" >&2; die "tests/$dir does not build (messages above)"; }
done

# boot KERNEL KO NAME MEASUREMENTS OPTION...: measure in one boot, print the guests' lines
boot()
{
	local logs=$BUILDIDX_CACHE/logs/$1/bench-$3 kernel=$1 ko=$2 measurement status=0 limit=3000
	local measurements=$4
	shift 4

	mkdir -p "$logs"
	# one at a time: the logs of a run are evidence
	exec 7> "$logs/.lock"
	flock 7
	for measurement in $measurements; do
		printf '%s\t%d\town\texit\t/test/bench/bench %s %s\n' "$measurement" "$limit" \
			"${smoke:+--smoke}" "$measurement"
	done > "$logs/tests"
	# tsc: the guest's clocks read nothing else, so that they count what the CPU did
	"$TESTS_DIR/vm/run.sh" -k "$kernel" --ko "$ko" --list "$logs/tests" --keep "$logs" \
		--timeout "$limit" --append 'tsc=reliable clocksource=tsc' \
		--dir "$TOP_DIR/build/guest/bench:/test/bench" "$@" \
		> "$logs/verdict" 2>&1 || status=$?
	grep '^bench: ' "$logs/results.txt" || true
	exec 7>&-
	if [ "$status" != 0 ]; then
		grep -v '^# [^ ]*: bench: ' "$logs/verdict" >&2 || true
		note "measuring on $kernel failed; logs are in $logs"
	fi
	return "$status"
}

# boot_multi KERNEL KO: the boot with CPUs that truly run at once. QEMU then has a sporadic "Oops:
# int3" where the kernel patches its own code, at boot for one, and more so on a busy host: that
# proves nothing of the module, and it is tried again.
boot_multi()
{
	local try log=$BUILDIDX_CACHE/logs/$1/bench-time

	for try in 1 2 3; do
		if boot "$1" "$2" time 'readers capture stream' --thread multi --smp 2 > "$out/attempt"; then
			cat "$out/attempt"
			return 0
		fi
		grep -aq 'Oops: int3' "$log/console" "$log/dmesg" || return 1
		note "QEMU's sporadic int3 (attempt $try of 3)"
	done
	return 1
}

# text_bytes KO: bytes of code that stay while the module is loaded
text_bytes()
{
	local file=$out/text.ko

	case $1 in
	*.xz)	xz -dc "$1" > "$file" ;;
	*.zst)	zstd -qdc "$1" > "$file" ;;
	*)	cp "$1" "$file" ;;
	esac
	size -A -d "$file" |
		awk '$1 ~ /^\.([a-z_]+\.)?text/ && $1 !~ /^\.(init|exit)\./ { sum += $2 }
			END { print "bench: text_bytes -", sum, "- 0" }'
	rm -f "$file"
}

# measure KERNEL: its results to $out/KERNEL.results
measure()
{
	local ko mem=3072 env

	[ -z "$smoke" ] || mem=1024
	note "fetching kernel $1"
	env=$("$TESTS_DIR/vm/kernel.sh" "$1")
	eval "$env"
	if [ -n "$given_ko" ]; then
		ko=$given_ko
	elif [ -n "$smoke" ]; then
		ko=$(compgen -G "$BUILDIDX_CACHE/ko/$KREL/buildidx.ko*") ||
			die "tests/dkms.sh left no module for $KREL in $BUILDIDX_CACHE/ko"
	else
		ko=$(dkms_module bench "$out/dkms.log")
	fi
	note "measuring on $KREL, counting instructions"
	boot "$1" "$ko" icount 'frames paths sizes scan lookup kernel' --icount --smp 1 --mem "$mem" \
		> "$out/$1.results"
	note "measuring on $KREL, in time"
	boot_multi "$1" "$ko" > "$out/$1.time"
	cat "$out/$1.time" >> "$out/$1.results"
	text_bytes "$ko" >> "$out/$1.results"
}

reports=()
for kernel in "${kernels[@]}"; do
	measure "$kernel"
	reports+=("$kernel=$out/$kernel.results")
done
if [ -z "$smoke" ]; then
	"$out/report" "$json" "${reports[@]}"
	note "written: $json"
	exit 0
fi

# Smoke: is what came out whole, and would it be noticed if it were not?
failed=0
# point WHAT COMMAND...
point()
{
	local what=$1
	shift

	if "$@"; then
		echo "ok - $what"
	else
		echo "not ok - $what"
		failed=1
	fi
}

whole_json()
{
	# shellcheck disable=SC2016 # jq's own variables
	jq -e --arg kernel "$kernel" '
		.[$kernel] | length == 26 and all(.[]; (.buildidx | type) == "number" and
			(.unit | type) == "string" and (.noise_percent | type) == "number" and
			(if .stock and .stock > 0 then (.ratio - .buildidx / .stock | fabs) < 0.001
			 else .ratio == null end))' "$json" > /dev/null
}

refuses()
{
	! "$out/report" "$out/refused.json" "$1" > /dev/null 2>&1
}

kernel=${kernels[0]}
results=$out/$kernel.results
rm -f "$json"
"$out/report" "$json" "${reports[@]}" | sed 's/^/# /' || true
point 'bench.json has each metric, as numbers' whole_json
sed '/frame_runs /d' "$results" > "$out/lacking.results"
point 'results that lack a metric are refused' refuses "$kernel=$out/lacking.results"
sed 's/^bench: frame_runs /&x/' "$results" > "$out/broken.results"
point 'results that are no numbers are refused' refuses "$kernel=$out/broken.results"
exit "$failed"
