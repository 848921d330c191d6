#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# demo-bpf.sh [--ko FILE] [KERNEL]: BPF programs that are gone when they are looked up, by perf
# and by buildidx side by side, on a stock Debian kernel in a virtual machine. KERNEL: 6.1,
# 6.12, 6.12-rt, 6.12-trixie, 7.3 or default (the host suite's newest).
#
# Installs the packages that it needs, fetches the kernel and the suite's perf, installs the
# module with dkms in a clean root of the kernel's suite (not with --ko), boots. Prints a table
# and at last the line
#	demo-bpf: kernel=... programs=... perf_full=... buildidx_full=... wrong=...
# Exit status 0: buildidx told all of all programs, kernel log clean; 1: not so; 2: could not
# start, says what is needed.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/debian.sh"
. "$(dirname "$0")/lib/module.sh"

ko=''
if [ "${1:-}" = --ko ]; then
	[ $# -ge 2 ] || lacking '--ko needs a file'
	ko=$2
	shift 2
fi
[ $# -le 1 ] || lacking 'usage: demo-bpf.sh [--ko FILE] [KERNEL]'
[ "$(id -u)" = 0 ] ||
	lacking 'must be root: installs packages, and the module with dkms in a clean Debian root'
kernel=$(kernel_line "${1:-default}")
"$TESTS_DIR/setup.sh"

logs=$BUILDIDX_CACHE/logs/demo-bpf-$kernel
mkdir -p "$logs"

note 'building the demo'
make -s -C "$TESTS_DIR/guest/demobpf" > "$logs/build" 2>&1 ||
	{ cat "$logs/build" >&2; die 'the demo does not build (messages above)'; }

note "fetching kernel $kernel"
env=$("$TESTS_DIR/vm/kernel.sh" "$kernel")
eval "$env"
perf=$("$TESTS_DIR/vm/perf.sh" "$KSUITE")
[ -n "$ko" ] || ko=$(dkms_module demo "$logs/dkms")

note "booting $KREL, running programs, asking perf and buildidx: one to three minutes"
status=0
"$TESTS_DIR/vm/run.sh" -k "$kernel" --ko "$ko" --mem 2048 \
	--dir "$TOP_DIR/build/guest/demobpf:/test/demobpf" --dir "$perf:/test/perf" \
	--cmd '/test/perf/perf version && /test/demobpf/demobpf /test/perf/perf' \
	--timeout 900 --keep "$logs" > "$logs/verdict" 2>&1 || status=$?

shown=$(tr -d '\r' < "$logs/results" 2>/dev/null | sed -n '/^#: begin cmd1/,/^#: end cmd1/{/^#:/!p}') ||
	true
if [ "$status" != 0 ]; then
	grep -v '^# cmd1: ' "$logs/verdict" >&2 || true
	note "not as it should be; logs are in $logs"
fi
sed '/^demo-bpf: /d' <<< "$shown"
grep '^demo-bpf: ' <<< "$shown" || die 'the guest did not get as far as its result'
exit "$status"
