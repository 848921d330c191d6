#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# btf.sh: bidx-btf on kernel images made here, whole and damaged, with the address sanitizer.
# Prints TAP. tests/dkms.sh covers Debian's own images.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"

need_tools gcc make perl gzip xz zstd cmp

work=$(mktemp -d "${TMPDIR:-/tmp}/buildidx-btf.XXXXXX")
trap 'rm -rf "$work"' EXIT
count=0
failures=0

check()
{
	local text=$1
	shift

	count=$((count + 1))
	if "$@" > "$work/log" 2>&1; then
		echo "ok $count - $text"
	else
		failures=$((failures + 1))
		echo "not ok $count - $text"
		echo "# failed: $*"
		sed 's/^/#   /' "$work/log"
	fi
}

# Refused with a message: status 1, which the sanitizer's 99 is not
refused()
{
	local status=0

	"$tool" "$@" > "$work/refused" 2>&1 || status=$?
	cat "$work/refused"
	[ "$status" = 1 ] && [ -s "$work/refused" ]
}

same()
{
	"$tool" "$1" "${@:2}" "$work/out" && cmp "$work/out" "$work/btf"
}

# The smallest BTF that says something (int; a function without arguments), and a kernel around it:
# zeros, a false magic, the version banner, the BTF, and text that repeats
make_kernel()
{
	perl -e '
		my $strings = "\0int\0probe\0";
		my $types = pack("VVVV", 1, 1 << 24, 4, 0x01000020) .	# int
			    pack("VVV", 0, 13 << 24, 1) .		# int (void)
			    pack("VVV", 5, 12 << 24, 2);		# probe
		my $btf = pack("vCCVVVVV", 0xeb9f, 1, 0, 24, 0, length $types,
			       length $types, length $strings) . $types . $strings;
		open my $out, ">", "$ARGV[0]/btf" or die;
		print $out $btf;
		open $out, ">", "$ARGV[0]/kernel" or die;
		print $out "\x7fELF", "\0" x 60, pack("vCCV", 0xeb9f, 1, 0, 24),
			   "Linux version 6.1.0-test (nobody) ", $btf, "text that repeats, " x 5000;
	' "$work"
}

# `lz4 -l` is not in every Debian, so: one block with a literal run and one long match
lz4_of()
{
	perl -e '
		local $/;
		open my $in, "<", $ARGV[0] or die;
		my $data = <$in>;
		my ($tail) = $data =~ /((?:text that repeats, )+)$/;
		my $head = substr($data, 0, length($data) - length($tail) + 19);
		my $match = length($tail) - 19 - 5;
		sub long { my $n = shift; return "\xff" x int($n / 255) . chr($n % 255) }
		my $block = chr(0xff) . long(length($head) - 15) . $head . pack("v", 19) .
			    long($match - 4 - 15) . chr(0x50) . substr($data, -5);
		print pack("VV", 0x184c2102, length $block), $block;
	' "$1"
}

# bzimage STREAM SIZE-IS-IN-IT: the boot sectors, then the stream with the size of the kernel
bzimage()
{
	perl -e '
		local $/;
		open my $in, "<", $ARGV[0] or die;
		my $stream = <$in>;
		$stream .= pack("V", $ARGV[1]) unless $ARGV[2];
		my $head = "\0" x (512 * 3);
		substr($head, 0x1f1, 1) = chr(2);
		substr($head, 0x202, 6) = "HdrS" . pack("v", 0x20f);
		substr($head, 0x248, 8) = pack("VV", 100, length $stream);
		print $head, "\0" x 100, $stream, "\0" x 50;
	' "$1" "$(stat -c %s "$work/kernel")" "$2"
}

# Each prefix of the image, in steps, must be refused, never crash
prefixes_refused()
{
	local file=$1 size step n

	size=$(stat -c %s "$file")
	step=$((size / 20 + 1))
	# the last 50 bytes of a bzImage lie behind the payload
	for ((n = 1; n < size - 50; n += step)); do
		head -c "$n" "$file" > "$work/prefix"
		refused base 6.1.0-test "$work/prefix" "$work/out" || { echo "prefix of $n bytes"; return 1; }
	done
}

# A byte changed, in many places: any answer but a crash
survives_damage()
{
	local file=$1 n status

	for n in $(seq 1 25); do
		perl -e '
			local $/;
			srand($ARGV[1]);
			open my $in, "<", $ARGV[0] or die;
			my $data = <$in>;
			substr($data, int(rand(length $data)), 1) = chr(int(rand(256)));
			print $data;
		' "$file" "$n" > "$work/damaged"
		status=0
		"$tool" base 6.1.0-test "$work/damaged" "$work/out" > "$work/damaged.log" 2>&1 || status=$?
		[ "$status" -le 1 ] || { echo "seed $n: exit status $status"; cat "$work/damaged.log"; return 1; }
	done
}

CFLAGS_SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all"
export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99
check "compiles without a warning" make -s -C "$TOP_DIR/module/btf" OUT="$work" \
	BTF_CC="gcc -Werror $CFLAGS_SANITIZE" "$work/bidx-btf"
tool=$work/bidx-btf
[ -x "$tool" ] || die "no bidx-btf (messages above)"
make_kernel

gzip -9c "$work/kernel" > "$work/kernel.gzip"
xz --check=crc32 -c "$work/kernel" > "$work/kernel.xz"
zstd -q -19 < "$work/kernel" > "$work/kernel.zstd"
lz4_of "$work/kernel" > "$work/kernel.lz4"
for method in gzip xz zstd lz4; do
	bzimage "$work/kernel.$method" "$([ "$method" != gzip ] || echo 1)" > "$work/bz.$method"
	check "$method: the BTF of a bzImage is found" same base 6.1.0-test "$work/bz.$method"
	check "$method: each truncated bzImage is refused" prefixes_refused "$work/bz.$method"
	check "$method: a damaged bzImage does no harm" survives_damage "$work/bz.$method"
done

check "vmlinux: its BTF is found" same base 6.1.0-test "$work/kernel"
check "vmlinux: also when its release does not matter" same section "$work/kernel"
check "image of another kernel: refused" refused base 6.1.0 "$work/kernel" "$work/out"
tr 'e' 'E' < /etc/passwd > "$work/nothing"
check "file that is no image: refused" refused base 6.1.0-test "$work/nothing" "$work/out"
check "missing file: refused" refused base 6.1.0-test "$work/missing" "$work/out"
{ printf '\177ELF Linux version 6.1.0-test '; head -c 40 "$work/btf"; } > "$work/cut"
check "kernel whose BTF is cut off: refused" refused base 6.1.0-test "$work/cut" "$work/out"
cp "$work/kernel" "$work/module"
check "ids: a file that is no module is refused" refused ids "$work/module" "$work/btf"
check "ids: a base that is no BTF is refused" refused ids "$work/module" "$work/kernel"

echo "1..$count"
[ "$failures" = 0 ]
