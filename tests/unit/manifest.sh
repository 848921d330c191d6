#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# manifest.sh IDENTIFY DIR
#
# Compares the parser's answer for each file that mkfiles wrote into DIR with DIR/manifest, and
# the content hash of each file that has one with sha256sum(1).
set -euo pipefail

identify=$(realpath "$1")
cd "$2"

# First half of SHA-256 over the first and last 4096 bytes and the length, big-endian.
content_hash() {
	local size length
	size=$(stat -c %s "$1")
	length=$(printf '%016x' "$size" | sed 's/../\\x&/g')
	{ head -c 4096 "$1"; tail -c 4096 "$1"; printf '%b' "$length"; } | sha256sum | cut -c 1-32
}

echo "TAP version 13"
echo "1..2"
failed=0

files=$(wc -l < manifest)
if cut -d' ' -f1 manifest | "$identify" | diff -u manifest - && [ "$files" -gt 100 ]; then
	echo "ok 1 - manifest: $files files on disk"
else
	echo "not ok 1 - manifest: $files files on disk"
	failed=1
fi

hashes=0
wrong=0
while read -r file _ kind id _; do
	[ "$kind" = hash ] || continue
	hashes=$((hashes + 1))
	[ "$(content_hash "$file")" = "$id" ] || { echo "# $file: not the hash of sha256sum"; wrong=1; }
done < manifest
if [ "$wrong" = 0 ] && [ "$hashes" -gt 30 ]; then
	echo "ok 2 - manifest: $hashes content hashes equal sha256sum"
else
	echo "not ok 2 - manifest: $hashes content hashes equal sha256sum"
	failed=1
fi
exit "$failed"
