#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# demo.sh [KERNEL]: the stock helper and buildidx side by side, in true NMI context, on a
# stock Debian kernel in a virtual machine. KERNEL: 6.1, 6.12, 6.12-rt, 6.12-trixie, 7.3
# or default (the host suite's newest).
#
# Installs the packages that it needs, fetches the kernel, installs the module for it with
# dkms in a clean root of the kernel's suite, boots. Prints a table and at last the line
#	demo: kernel=... nmi=... frames=... stock=... buildidx=... wrong=...
# Exit status 0: every frame answered, none wrongly, kernel log clean; 1: not so; 2: could
# not start, says what is needed.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/debian.sh"
. "$(dirname "$0")/lib/module.sh"

[ $# -le 1 ] || lacking 'usage: demo.sh [KERNEL]'
kernel=$(kernel_line "${1:-default}")
[ "$(id -u)" = 0 ] ||
	lacking 'must be root: installs packages, and the module with dkms in a clean Debian root'
"$TESTS_DIR/setup.sh"

logs=$BUILDIDX_CACHE/logs/demo-$kernel
mkdir -p "$logs"

note "building the demo"
make -s -C "$TESTS_DIR/guest/demo" > "$logs/build" 2>&1 ||
	{ cat "$logs/build" >&2; die "the demo does not build (messages above)"; }

note "fetching kernel $kernel"
env=$("$TESTS_DIR/vm/kernel.sh" "$kernel")
eval "$env"

ko=$(dkms_module demo "$logs/dkms")

note "booting $KREL and sampling: one to four minutes"
status=0
"$TESTS_DIR/vm/run.sh" -k "$kernel" --ko "$ko" --dir "$TOP_DIR/build/guest/demo:/test/demo" \
	--cmd '/test/demo/demo /test/demo/payload' --timeout 900 --keep "$logs" \
	> "$logs/verdict" 2>&1 || status=$?

shown=$(tr -d '\r' < "$logs/results" 2>/dev/null | sed -n '/^#: begin cmd1/,/^#: end cmd1/{/^#:/!p}') ||
	true
if [ "$status" != 0 ]; then
	grep -v '^# cmd1: ' "$logs/verdict" >&2 || true
	note "not as it should be; logs are in $logs"
fi
sed '/^demo: /d' <<< "$shown"
grep '^demo: ' <<< "$shown" || die "the guest did not get as far as its result"
exit "$status"
