#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# initramfs.sh: build the guest's whole world as a cpio archive.
#
#   --root DIR --release REL  stock kernel modules (kernel.sh's KROOT and KREL)
#   --ko FILE          buildidx.ko, .ko.xz or .ko.zst exactly as dkms made it; it goes
#                      to updates/dkms, where the real modprobe finds and opens it
#   --prog FILE        a program, to /test/bin; what it links to comes along
#   --dir HOST:GUEST   a directory tree
#   --module NAME      one more stock module, loaded at boot (may be repeated)
#   --list FILE        the tests to run (see guest-init)
#   --settings FILE    settings for guest-init (optional)
#   --out FILE         the archive
#
# Modules are loaded by the real modprobe from a modules.dep made for just these files,
# so the order is depmod's (on 6.1, virtio_ring comes before virtio that way).
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

# Loaded at boot. A name that is built into this kernel costs nothing.
BOOT_MODULES=(virtio_pci virtio_blk virtio_console ext4 loop)
# There for mount(2), which asks for them itself.
MODULES=(xfs btrfs squashfs overlay fuse isofs)

root='' release='' ko='' out='' list='' settings=/dev/null
progs=() dirs=()
while [ $# -gt 0 ]; do
	case $1 in
	--root)		root=$2 ;;
	--release)	release=$2 ;;
	--ko)		ko=$2 ;;
	--prog)		progs+=("$2") ;;
	--dir)		dirs+=("$2") ;;
	--module)	BOOT_MODULES+=("$2") ;;
	--list)		list=$2 ;;
	--settings)	settings=$2 ;;
	--out)		out=$2 ;;
	*)		lacking "unknown option $1" ;;
	esac
	shift 2
done
[ -n "$root" ] && [ -n "$release" ] && [ -n "$list" ] && [ -n "$out" ] ||
	lacking "initramfs.sh needs --root, --release, --list and --out"
need_tools busybox kmod dash dmesg cpio depmod modprobe mksquashfs ldd xz zstd
# the host's busybox may be the one with fewer applets; -static is what setup.sh installs
if ldd "$(command -v busybox)" >/dev/null 2>&1; then
	lacking "$(command -v busybox) is not static; install busybox-static"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/buildidx-initramfs.XXXXXX")
trap 'rm -rf "$work"' EXIT
fs=$work/fs
moddir=$fs/usr/lib/modules/$release
mkdir -p "$fs"/{dev,proc,sys,tmp,run,etc,root,mnt,scratch,img,test/bin} \
	"$fs"/usr/{bin,sbin,lib,lib64} "$moddir/kernel"
for d in bin sbin lib lib64; do
	ln -s "usr/$d" "$fs/$d"
done
echo 'root:x:0:0:root:/root:/bin/sh
nobody:x:65534:65534:nobody:/:/bin/sh' > "$fs/etc/passwd"

# add_libraries FILE: what the program needs at run time, at the same path. ldd names
# the loader too. A static program has none.
add_libraries()
{
	local lib

	while read -r lib; do
		[ -e "$fs$lib" ] || install -D "$lib" "$fs$lib"
	done < <(ldd "$1" 2>/dev/null | grep -o '/[^ ]*' || true)
}

# add_tree SOURCE DESTINATION: all of it, and what its programs link to
add_tree()
{
	local file

	mkdir -p "$2"
	cp -a "$1/." "$2/"
	while read -r -d '' file; do
		add_libraries "$file"
	done < <(find "$1" -type f -perm -u+x -print0)
}

install "$(command -v busybox)" "$fs/usr/bin/busybox"
for tool in kmod dash; do
	install "$(command -v "$tool")" "$fs/usr/bin/$tool"
	add_libraries "$(command -v "$tool")"
done
ln -s dash "$fs/usr/bin/sh"
# util-linux's, in sbin, before busybox's in PATH: that one gives the last 16 MiB at most
install "$(command -v dmesg)" "$fs/usr/sbin/dmesg"
add_libraries "$(command -v dmesg)"
for tool in insmod rmmod modprobe lsmod modinfo; do
	ln -s ../bin/kmod "$fs/usr/sbin/$tool"
done

# add_module NAME: the file and all that it depends on, decompressed here rather than
# by the emulated CPU
add_module()
{
	local kind file rest

	while read -r kind file rest; do
		[ "$kind" = insmod ] || continue
		file=${file#"$root"}
		file=${file#/usr}
		mkdir -p "$fs/usr${file%/*}"
		case $file in
		*.xz)	xz -dc "$root$file" > "$fs/usr${file%.xz}" ;;
		*.zst)	zstd -qdc "$root$file" > "$fs/usr${file%.zst}" ;;
		*)	cp "$root$file" "$fs/usr$file" ;;
		esac
	done < <(modprobe -d "$root" -S "$release" --show-depends "$1" ||
		echo "missing $1" >> "$work/missing")
}

printf '%s\n' "${BOOT_MODULES[@]}" > "$work/modules"
for name in "${BOOT_MODULES[@]}" "${MODULES[@]}"; do
	add_module "$name"
done
if [ -n "$ko" ]; then
	[ -f "$ko" ] || die "$ko: no such file"
	for name in $(modinfo -F depends "$ko" | tr ',' ' '); do
		add_module "$name"
	done
	install -D -m 0644 "$ko" "$moddir/updates/dkms/${ko##*/}"
fi
[ ! -s "$work/missing" ] || die "$release lacks these modules: $(tr '\n' ' ' < "$work/missing")"
cp "$root/lib/modules/$release"/modules.{builtin,builtin.modinfo,order} "$moddir/"
depmod -b "$fs" "$release"

for prog in ${progs[@]+"${progs[@]}"}; do
	[ -f "$prog" ] || die "$prog: no such file"
	cp "$prog" "$fs/test/bin/"
	add_libraries "$prog"
done
for pair in ${dirs[@]+"${dirs[@]}"}; do
	[ -d "${pair%%:*}" ] || die "${pair%%:*}: no such directory"
	add_tree "${pair%%:*}" "$fs${pair#*:}"
done

# The same programs on a read-only file system of their own, for a loop mount.
mksquashfs "$fs/test/bin" "$fs/img/squashfs.img" -quiet -no-progress -all-root >/dev/null

install -m 0755 "$(dirname "$0")/guest-init" "$fs/init"
install -m 0644 "$work/modules" "$fs/test/modules"
install -m 0644 "$list" "$fs/test/list"
cat "$settings" > "$fs/test/settings"
(cd "$fs" && find . -print0 | cpio --null -o -H newc --quiet) > "$out.new"
mv "$out.new" "$out"
