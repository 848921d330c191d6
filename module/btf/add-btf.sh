#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# add-btf.sh KO KERNEL KDIR TOOL RELINK...
# Sees to it that the module KO has BTF that fits KERNEL: kfuncs need it. KDIR is the directory of the
# kernel's headers, TOOL is bidx-btf, RELINK is a command that links KO again without BTF.
#
# Where the headers bring the kernel's BTF (6.12 and later), kbuild has made the module's; that is kept
# if it fits the kernel image. Otherwise (6.1) it is made here, from the image, never from the
# running kernel, which may be another one. A machine without what this needs gets a module without
# BTF, which works but for the kfuncs: the last line says so, and what to do. Exit status 0 then, too.
#
# The last line is read by tell.sh and by the kernel hook; one of
#   buildidx: BTF: self-contained
#   buildidx: BTF: base <sha256 of the kernel's BTF>
#   buildidx: BTF: none: <why, and what to do>
set -eu

ko=$1
kernel=$2
kdir=$3
tool=$4
shift 4

work=$ko.btf
trap 'rm -rf "$work"' EXIT
rm -rf "$work"
mkdir -p "$work"

finish()
{
	echo "buildidx: BTF: $*"
	exit 0
}

none()
{
	echo "buildidx: ******************************************************************" >&2
	echo "buildidx: the module is built WITHOUT BTF: BPF programs cannot call its kfuncs" >&2
	echo "buildidx: ******************************************************************" >&2
	finish "none: $*"
}

has_section()
{
	readelf -SW "$ko" | grep -qF "] $1 "
}

# Prints the kernel's image. KIMAGE: as the caller says.
find_image()
{
	for image in ${KIMAGE:-"/boot/vmlinuz-$kernel" "/lib/modules/$kernel/vmlinuz" \
			"/boot/vmlinux-$kernel" "/usr/lib/debug/boot/vmlinux-$kernel"}; do
		if [ -s "$image" ]; then
			echo "$image"
			return
		fi
	done
}

digest()
{
	sha256sum "$1" | cut -d' ' -f1
}

rebuild="then run: /usr/src/buildidx-$(cat "${0%/*}/../../VERSION")/module/dkms/rebuild.sh $kernel"

if has_section .BTF.base; then
	finish "self-contained"
fi
if ! command -v pahole >/dev/null; then
	none "the program pahole is missing; install the package pahole, $rebuild"
fi
if [ ! -x "$tool" ]; then
	none "module/btf/bidx-btf could not be compiled (messages above); install the package libc6-dev, $rebuild"
fi

image=$(find_image)
if [ -n "$image" ] && ! "$tool" base "$kernel" "$image" "$work/image"; then
	image=
	unfit=" that can be used (messages above)"
fi

if has_section .BTF; then
	if ! "$tool" section "$kdir/vmlinux" "$work/headers"; then
		none "$kdir/vmlinux cannot be read; reinstall the package linux-headers-$kernel, $rebuild"
	fi
	if [ -z "$image" ] || cmp -s "$work/image" "$work/headers"; then
		finish "base $(digest "$work/headers")"
	fi
	echo "buildidx: $kdir/vmlinux and $image are of different builds of $kernel; the image counts"
	rm -f "$ko"
	"$@"
fi

if [ -z "$image" ]; then
	none "no image of kernel $kernel in /boot or /lib/modules/$kernel${unfit:-};" \
		"install the package linux-image-$kernel (the module is then rebuilt by itself)"
fi

cp "$ko" "$work/ko"
if ! LLVM_OBJCOPY="${OBJCOPY:-objcopy}" pahole -J --btf_gen_floats --btf_base "$work/image" "$work/ko" ||
	! "$tool" ids "$work/ko" "$work/image"; then
	none "pahole $(pahole --version) or bidx-btf failed (messages above); please report it"
fi
mv "$work/ko" "$ko"
finish "base $(digest "$work/image")"
