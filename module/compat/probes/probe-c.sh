#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# probe-c.sh SOURCE RESULT COMPILER FLAGS...
# Writes 1 to RESULT if SOURCE compiles, 0 if only the interface that it asks for is missing, and
# fails if it does not compile without that question either. What the compiler said stays in
# RESULT.log.
set -eu

src=$1
result=$2
shift 2

if "$@" -fsyntax-only "$src" >"$result.log" 2>&1; then
	echo 1 >"$result"
elif "$@" -DPROBE_CONTROL -fsyntax-only "$src" >"$result.control.log" 2>&1; then
	rm -f "$result.control.log"
	echo 0 >"$result"
else
	cat "$result.control.log" >&2
	rm -f "$result.control.log" "$result"
	echo "buildidx: $src does not compile even without the interface that it probes:" \
		"the compiler or the kernel headers are broken (messages above)" >&2
	exit 1
fi
