#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# host.sh LOGS KERNEL KO: build IDs of the same programs in two boots. Boots once more; prints
# "ok - " and "not ok - " lines.
set -euo pipefail
. "$(dirname "$0")/../../lib/common.sh"

logs=$1 kernel=$2 ko=$3
second=$logs/second
mkdir -p "$second"
status=0
"$TESTS_DIR/vm/run.sh" -k "$kernel" --ko "$ko" --keep "$second" --timeout 300 \
	--dir "$TOP_DIR/build/guest/bpfrec:/test/bpfrec" --cmd '/test/bpfrec/t_ids 37' \
	> "$second/verdict" 2>&1 || status=$?
if [ "$status" != 0 ]; then
	grep -v '^# cmd1: ok' "$second/verdict" | sed 's/^/# host: /'
	echo 'not ok - host: the second boot runs the same programs'
	exit 1
fi
echo 'ok - host: the second boot runs the same programs'
if [ -s "$logs/files" ] && diff "$logs/files" "$second/files" > "$second/diff" 2>&1; then
	echo "ok - host: $(wc -l < "$logs/files") programs have the same build IDs in two boots"
	exit 0
fi
sed 's/^/# host: /' "$second/diff"
echo 'not ok - host: the same programs have the same build IDs in two boots'
exit 1
