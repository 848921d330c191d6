#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# readelf.sh IDENTIFY [LIMIT]
#
# Compares the parser with `readelf -n`: on files that the linker makes here, and on the ELF files
# in /usr/bin and /usr/lib: LIMIT of them, evenly spread (default 300; 0: all).
set -euo pipefail

identify=$(realpath "$1")
limit=${2:-300}
dirs=(/usr/bin /usr/lib)
export LC_ALL=C

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

readelf_id() {
	readelf -n -- "$1" 2>/dev/null | awk '/^ *Build ID:/ { print $3; exit }'
}

# compare_all < lines of identify: fails if one differs; sets compared and with_id
compare_all() {
	local file status kind id truth ours bad=0
	compared=0
	with_id=0
	while read -r file status kind id _; do
		truth=$(readelf_id "$file")
		ours=
		if [ "$status" = ok ] && [ "$kind" = gnu ]; then
			ours=$id
		elif [ "$status" = too-long ] && [ ${#truth} -gt 64 ]; then
			ours=$truth
		fi
		compared=$((compared + 1))
		[ -z "$truth" ] || with_id=$((with_id + 1))
		if [ "$ours" != "$truth" ]; then
			echo "# $file: readelf '${truth:-none}', parser '$status $kind $id'"
			bad=1
		fi
	done
	return "$bad"
}

# An empty library of class $1 with the linker's build ID style $2, in file $3.
link_library() {
	local emulation=elf_x86_64
	[ "$1" = 64 ] || emulation=elf_i386
	printf '.globl f\n.text\nf: ret\n.section .note.GNU-stack\n' | as "--$1" -o "$tmp/f.o" -
	ld -m "$emulation" -shared "--build-id=$2" -o "$3" "$tmp/f.o"
}

# Set e_phnum to 0: the note stays reachable through section headers only.
drop_segments() {
	local at=56
	[ "$1" = 64 ] || at=44
	printf '\0\0' | dd of="$2" bs=1 seek="$at" conv=notrunc status=none
}

# every LIMIT FILE: LIMIT lines of FILE at most, evenly spread; 0: all
every() {
	awk -v limit="$1" -v total="$(wc -l < "$2")" '
		limit == 0 || int(NR * limit / total) > int((NR - 1) * limit / total)' "$2"
}

# Each check sets text, and fails when what it says is not true.

check_linked() {
	local bits style
	for bits in 32 64; do
		for style in none md5 sha1 uuid 0x01020304 0x00000000 \
			     "0x$(printf 'a0%.0s' {1..32})"; do
			link_library "$bits" "$style" "$tmp/$bits-${style:0:12}.so"
		done
		link_library "$bits" sha1 "$tmp/$bits-no-segments.so"
		drop_segments "$bits" "$tmp/$bits-no-segments.so"
	done
	find "$tmp" -name '*.so' | sort | "$identify" > "$tmp/linked"
	text="16 libraries linked here, 14 with a build ID"
	compare_all < "$tmp/linked" && [ "$compared" = 16 ] && [ "$with_id" = 14 ] &&
		[ "$(grep -c ' shdr$' "$tmp/linked")" = 2 ]
}

# readelf of binutils 2.40 refuses a last note that is not padded to 4 bytes, which is what ld
# writes for these; the truth is what ld was told.
check_odd_lengths() {
	local bits length hex got want bad=0
	for bits in 32 64; do
		for length in 1 2 3 5 17 31 33; do
			hex=$(printf 'c%x' {1..9} {1..9} {1..9} {1..6} | cut -c "1-$((2 * length))")
			link_library "$bits" "0x$hex" "$tmp/odd.so"
			got=$(echo "$tmp/odd.so" | "$identify" | cut -d' ' -f2-4)
			want="ok gnu $hex"
			[ "$length" -le 32 ] || want="too-long hash *"
			# shellcheck disable=SC2053 # a pattern is meant
			[[ $got == $want ]] || { echo "# $bits bits, $length bytes: $got"; bad=1; }
		done
	done
	text="14 libraries with build IDs of odd length, as ld was told"
	return "$bad"
}

check_host() {
	# Names with spaces would need another format, and there are none that matter.
	local likely=(-perm /111 -o -name '*.so*' -o -name '*.o' -o -name '*.ko')
	[ "$limit" != 0 ] || likely=(-true)
	find "${dirs[@]}" -type f -size +0 ! -name '* *' ! -name $'*\n*' \( "${likely[@]}" \) |
		sort > "$tmp/candidates"
	every $((4 * limit)) "$tmp/candidates" | "$identify" -e > "$tmp/elf"
	every "$limit" "$tmp/elf" > "$tmp/some"
	compare_all < "$tmp/some"
	local equal=$?
	text="$compared ELF files in ${dirs[*]}, $with_id with a build ID"
	[ "$equal" = 0 ] && [ "$with_id" -gt 20 ]
}

echo "TAP version 13"
echo "1..3"
failed=0
number=0
for check in check_linked check_odd_lengths check_host; do
	number=$((number + 1))
	text=$check
	verdict=ok
	"$check" || { verdict="not ok"; failed=1; }
	echo "$verdict $number - readelf: $text"
done
exit "$failed"
