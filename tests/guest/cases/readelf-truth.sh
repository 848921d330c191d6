#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# readelf-truth.sh DIR: copy programs and libraries of this machine to DIR, and write
# what `readelf -n` says of each to DIR/manifest, one "FILE ID" a line.
set -euo pipefail

MOST_BYTES=200000

dir=$1
work=$(mktemp)
trap 'rm -f "$work"' EXIT
rm -f "$dir"/*

# some LIMIT DIRECTORY...: small ones of every kind, spread over the alphabet
some()
{
	local limit=$1 taken=0 file id name
	shift

	while read -r file; do
		[ "$taken" -lt "$limit" ] || break
		# not every file is ELF
		id=$(LC_ALL=C readelf -n "$file" 2>/dev/null |
			sed -n 's/.*Build ID: \([0-9a-f]*\).*/\1/p') || continue
		[[ $id =~ ^[0-9a-f]+$ ]] || continue
		taken=$((taken + 1))
		count=$((count + 1))
		name=$count-${file##*/}
		cp "$file" "$dir/$name"
		echo "$name $id" >> "$work"
	done < <(find "$@" -maxdepth 1 -type f -size -${MOST_BYTES}c 2>/dev/null | sort |
		awk 'NR % 7 == 1')
}

count=0
some 25 /usr/bin /usr/sbin
some 25 /usr/lib/x86_64-linux-gnu
some 10 /usr/lib32
if [ "$count" -lt 20 ]; then
	echo "readelf-truth.sh: only $count files with a build ID in /usr; 20 are needed" >&2
	exit 1
fi
cp "$work" "$dir/manifest"
chmod 0644 "$dir/manifest"
