#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# check.sh [KERNEL]: all tests, or only those that do not need a kernel and those of one
# kernel (6.1, 6.12, 6.12-rt, 6.12-trixie, 7.3, default).
#
# Prints "ok - SUITE: ..." and "not ok - SUITE: ..." lines as suites end, at last exactly
# "<n> passed, <n> failed". A suite that could not run is a failure. Exit status 0: none
# failed; 1: some did; 2: could not start, says what is needed.
#
# Two things run at a time (JOBS=n for another number). Logs: BUILDIDX_CACHE/logs.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/debian.sh"

read -ra KERNELS <<< "$KERNEL_LINES"
JOBS=${JOBS:-2}

[ $# -le 1 ] || lacking 'usage: check.sh [KERNEL]'
if [ -n "${1:-}" ]; then
	line=$(kernel_line "$1")
	KERNELS=("$line")
fi
[ "$(id -u)" = 0 ] || lacking 'must be root: installs into clean Debian roots with dkms, and mounts'
"$TESTS_DIR/setup.sh" --check || exit 2

mkdir -p "$BUILDIDX_CACHE"
exec 6> "$BUILDIDX_CACHE/.check.lock"
flock -n 6 ||
	lacking "another check is running with $BUILDIDX_CACHE; wait, or set BUILDIDX_CACHE to another directory"

work=$(mktemp -d "${TMPDIR:-/tmp}/buildidx-check.XXXXXX")
job_pids=()
# Each job is a process group of its own (set -m), so that an interrupt ends what it started.
set -m
cleanup()
{
	local pid

	for pid in ${job_pids[@]+"${job_pids[@]}"}; do
		kill -TERM -- "-$pid" 2>/dev/null || true
	done
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM
: > "$work/all"

# publish SUITE FILE: a suite's lines, all at once, so that suites do not mix
publish()
{
	sed -E "s|^(not ok -\|ok -\|#) ?|\\1 $1: |; t; s|^|# $1: |" "$2" > "$2.lines"
	(
		flock 9
		cat "$2.lines"
		cat "$2.lines" >> "$work/all"
	) 9> "$work/lock"
}

# judged SUITE COMMAND...: COMMAND prints "ok - " and "not ok - " lines itself
judged()
{
	local suite=$1 out start=$SECONDS status=0
	shift

	out=$work/${suite//\//.}
	"$@" > "$out" 2> "$out.err" < /dev/null || status=$?
	if [ "$status" != 0 ] && ! grep -q '^not ok' "$out"; then
		tail -n 100 "$out.err" | sed 's/^/# /' >> "$out"
		echo "not ok - could not run (exit status $status)" >> "$out"
	elif ! grep -qE '^(not )?ok' "$out"; then
		echo 'not ok - ran no test' >> "$out"
	fi
	echo "# took $((SECONDS - start)) s" >> "$out"
	publish "$suite" "$out"
}

# tap SUITE COMMAND...: COMMAND prints TAP
tap()
{
	local suite=$1 out start=$SECONDS status=0
	shift

	out=$work/${suite//\//.}
	"$@" > "$out.raw" 2> "$out.err" < /dev/null || status=$?
	awk -v name=tap -v kind=tap -v status="$status" -f "$TESTS_DIR/lib/tap.awk" "$out.raw" |
		sed -E 's/^(not ok -|ok -|#) tap: /\1 /' > "$out" || true
	if grep -q '^not ok' "$out"; then
		tail -n 60 "$out.err" | sed 's/^/# /' >> "$out"
	fi
	echo "# took $((SECONDS - start)) s" >> "$out"
	publish "$suite" "$out"
}

fuzz_short()
{
	make -s -C "$TESTS_DIR/fuzz" short >&2 && echo 'ok - parser and records, a fixed number of runs'
}

# O: where some of the Makefiles put things; the others do so by themselves
guest_programs()
{
	local makefile dir

	for makefile in "$TESTS_DIR"/guest/*/Makefile; do
		dir=${makefile%/Makefile}
		make -s -C "$dir" "O=$TOP_DIR/build/guest/${dir##*/}" all >&2 || return 1
		echo "ok - ${dir##*/} built"
	done
}

# What must have been heard of by the end: a script that dies half-way hides nothing.
expected=()
jobs_running=0

# start tap|judged SUITE COMMAND...: in the background, when there is room
start()
{
	if [ "$jobs_running" -ge "$JOBS" ]; then
		wait -n || true
		jobs_running=$((jobs_running - 1))
	fi
	expected+=("$2")
	"$@" &
	job_pids+=($!)
	jobs_running=$((jobs_running + 1))
}

finish()
{
	wait
	jobs_running=0
}

# Which suite each kernel is from. No guest may test what an earlier run left.
bookworm=() trixie=()
for kernel in "${KERNELS[@]}"; do
	env=$("$TESTS_DIR/vm/kernel.sh" "$kernel") || lacking "no kernel $kernel (message above)"
	eval "$env"
	rm -rf "$BUILDIDX_CACHE"/ko{,-nobtf,-deb}/"$KREL"
	case $KSUITE in
	bookworm)	bookworm+=("$kernel") ;;
	trixie)		trixie+=("$kernel") ;;
	esac
done

# What the guests need and what needs no guest; the longest first.
if [ ${#bookworm[@]} -gt 0 ]; then
	start tap dkms/bookworm "$TESTS_DIR/dkms.sh" "${bookworm[@]}"
fi
if [ ${#trixie[@]} -gt 0 ]; then
	start tap dkms/trixie "$TESTS_DIR/dkms.sh" "${trixie[@]}"
fi
if [ ${#bookworm[@]} -gt 0 ]; then
	start tap deb/bookworm "$TESTS_DIR/deb.sh" bookworm
fi
if [ ${#trixie[@]} -gt 0 ]; then
	start tap deb/trixie "$TESTS_DIR/deb.sh" trixie
fi
start judged guest-programs guest_programs
start tap style "$TESTS_DIR/style.sh"
start tap unit-lib make -s -C "$TESTS_DIR/unit-lib" check
start tap unit make -s -C "$TESTS_DIR/unit" check
start tap btf "$TESTS_DIR/btf.sh"
start judged fuzz fuzz_short
start tap self/tap "$TESTS_DIR/lib/tap-test.sh"
start tap self/kernels "$TESTS_DIR/lib/kernels-test.sh"
start tap self/splat "$TESTS_DIR/vm/splat-test.sh"
finish

# Then the guests. The one that makes real splats comes first: without it no clean log counts.
start tap self/splat-guest "$TESTS_DIR/vm/splat-test.sh" "${KERNELS[0]}"
start judged bench "$TESTS_DIR/bench.sh" --smoke "${KERNELS[0]}"
for kernel in "${KERNELS[@]}"; do
	boots=$("$TESTS_DIR/vm/suite.sh" "$kernel" --boots) || boots=''
	if [ -z "$boots" ]; then
		echo 'not ok - no boot for it in tests/guest/suite.conf' > "$work/$kernel.none"
		publish "$kernel" "$work/$kernel.none"
	fi
	for boot in $boots; do
		start judged "$kernel/$boot" "$TESTS_DIR/vm/suite.sh" "$kernel" "$boot"
	done
done
finish

for suite in "${expected[@]}"; do
	if ! grep -qE "^(ok|not ok) - $suite: " "$work/all"; then
		echo 'not ok - ended without a word' > "$work/silent"
		publish "$suite" "$work/silent"
	fi
done

passed=$(grep -cE '^ok ' "$work/all" || true)
skipped=$(grep -ciE '^ok .*# *skip' "$work/all" || true)
failed=$(grep -c '^not ok ' "$work/all" || true)
if [ "$skipped" != 0 ]; then
	echo "# not run, each with its reason:"
	grep -iE '^ok .*# *skip' "$work/all" | sed 's/^ok - /#   /'
fi
if [ "$failed" != 0 ]; then
	echo '# failed:'
	grep '^not ok ' "$work/all" | sed 's/^not ok - /#   /'
fi
echo "$((passed - skipped)) passed, $failed failed"
[ "$failed" = 0 ]
