#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# uninstall.sh: undo install.sh, every version, for all kernels. With DESTDIR only files there are
# removed.
set -eu

if [ -n "${DESTDIR:-}" ]; then
	rm -rf "$DESTDIR"/usr/src/buildidx-[0-9]*
	rm -f "$DESTDIR/etc/kernel/postinst.d/buildidx"
	exit 0
fi

tree=/var/lib/dkms/buildidx

dir=$(cd "$(dirname "$0")" && pwd)
. "$dir/supported.sh"
. "$dir/leftovers.sh"
if bidx_packaged; then
	echo "buildidx: the module was installed by the package buildidx-dkms: apt-get purge buildidx-dkms; for the rest: make uninstall DKMS=no" >&2
	exit 1
fi
if [ "$(id -u)" != 0 ]; then
	echo "buildidx: run make uninstall as root" >&2
	exit 1
fi
if [ -e /sys/module/buildidx ] && ! modprobe -r buildidx; then
	echo "buildidx: the module is in use (by a BPF program or an open /dev/buildidx): stop its user, then try again" >&2
	exit 1
fi

kernels=$(bidx_kernels)
for dir in "$tree"/*; do
	version=${dir##*/}
	if [ -e "$dir/source" ]; then
		dkms remove -m buildidx -v "$version" --all
	fi
done
rm -rf "$tree" /usr/src/buildidx-[0-9]*
rm -f /etc/kernel/postinst.d/buildidx
# shellcheck disable=SC2086 # a list
bidx_tidy $kernels
