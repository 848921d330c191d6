#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# image-digest.sh KERNEL WORK: prints the SHA-256 of the BTF in the kernel's installed image, as
# add-btf.sh writes it into its last line. WORK is an empty directory for temporary files.
set -eu

kernel=$1
work=$2
make -s -C "$(dirname "$0")" OUT="$work" KDIR="/lib/modules/$kernel/build" "$work/bidx-btf" >&2
for image in "/boot/vmlinuz-$kernel" "/lib/modules/$kernel/vmlinuz"; do
	if [ -s "$image" ]; then
		"$work/bidx-btf" base "$kernel" "$image" "$work/base" >&2
		sha256sum "$work/base" | cut -d' ' -f1
		exit
	fi
done
