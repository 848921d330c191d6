#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# install.sh --check: say what is in the way of an installation; nothing is changed.
# install.sh [KERNEL...]: hand this source tree to dkms on this machine, and build and install the
# module for the named kernels, by default for all supported ones that have headers. With DESTDIR the
# files are only put there.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
version=$(cat "$top/VERSION")
dest=${DESTDIR:-}
target=$dest/usr/src/buildidx-$version
hook=$dest/etc/kernel/postinst.d/buildidx
. "$top/module/dkms/supported.sh"

# dkms asks make for the kernel's compiler; as a child of make it would get "Entering directory" too
unset MAKEFLAGS MFLAGS MAKELEVEL

if [ -z "$dest" ] && [ "$(id -u)" != 0 ]; then
	echo "buildidx: run make install as root" >&2
	exit 1
fi
if [ -z "$dest" ] && bidx_packaged; then
	echo "buildidx: the package buildidx-dkms is installed: remove it first (apt-get purge buildidx-dkms), or use make install DKMS=no" >&2
	exit 1
fi
if [ -z "$dest" ] && ! command -v dkms >/dev/null; then
	echo "buildidx: dkms is missing: apt-get install dkms pahole libc6-dev, and the linux-headers package of your kernel" >&2
	exit 1
fi

if [ "${1:-}" = --check ]; then
	exit 0
fi

if [ -z "$dest" ] && [ -e "/var/lib/dkms/buildidx/$version" ]; then
	dkms remove -m buildidx -v "$version" --all
fi
rm -rf "$target"
mkdir -p "$target"
for entry in Kbuild Makefile VERSION dkms.conf module include; do
	cp -r "$top/$entry" "$target/"
done
mkdir -p "${hook%/*}"
install -m 755 "$top/module/dkms/kernel-postinst" "$hook"
if [ -n "$dest" ]; then
	exit 0
fi
dkms add -m buildidx -v "$version"

if [ $# -eq 0 ]; then
	for build in /lib/modules/*/build; do
		kernel=${build#/lib/modules/}
		kernel=${kernel%/build}
		if [ ! -e "$build/include" ]; then
			continue
		elif bidx_supported "$kernel"; then
			set -- "$@" "$kernel"
		else
			echo "buildidx: kernel $kernel is skipped: $BIDX_KERNEL_MIN to $BIDX_KERNEL_MAX are supported"
		fi
	done
fi
if [ $# -eq 0 ]; then
	echo "buildidx: there are no headers of a supported kernel: install the linux-headers package of your kernel; dkms will then build the module"
fi

failed=
for kernel; do
	if ! dkms install -m buildidx -v "$version" -k "$kernel"; then
		failed="$failed $kernel"
	fi
done
if [ -n "$failed" ]; then
	echo "buildidx: not installed for:$failed (see messages above)" >&2
	exit 1
fi
dkms status buildidx
