#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# dkms.sh [KERNEL...]: install the module through dkms in clean Debian roots, for the kernels named
# (6.1 6.12 6.12-rt in bookworm, 6.12-trixie 7.3 in trixie; all by default), and take away one after
# the other what a machine may lack: kernel image, pahole, openssl, a supported kernel.
#
# Prints TAP. Leaves what dkms installed in BUILDIDX_CACHE/ko/RELEASE/buildidx.ko or .ko.xz, and the
# build without BTF in BUILDIDX_CACHE/ko-nobtf/RELEASE. Needs root.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/debian.sh"
. "$(dirname "$0")/lib/root.sh"
. "$(dirname "$0")/lib/module-in-root.sh"

own_mounts "$0" "$@"
need_tools mmdebstrap apt-get readelf xz bpftool

version=$(cat "$TOP_DIR/VERSION")
count=0
failures=0
work=$(mktemp -d "$BUILDIDX_CACHE/dkms.XXXXXX")
trap 'root_close "$work"' EXIT

# open_copy SUITE NAME: a fresh copy of the suite's root with the sources in /root/buildidx
open_copy()
{
	local base

	base=$(root_make "$1")
	root_dir=$work/$2
	root_open "$base" "$root_dir"
	mkdir -p "$root_dir/root/root/buildidx"
	(cd "$TOP_DIR" && tar -c Kbuild Makefile VERSION dkms.conf module include) |
		tar -x -C "$root_dir/root/root/buildidx"
	make_bidx_btf /root/buildidx/module/btf
}

nothing_left()
{
	local left

	left=$(cd "$root_dir/root" && find var/lib/dkms usr/src etc lib/modules/*/updates -name '*buildidx*' 2>/dev/null || true)
	left+=$(cd "$root_dir/root" && find lib/modules/*/updates 2>/dev/null || true)
	echo "$left"
	[ -z "$left" ]
}

# Headers are there and the image is not, then the image arrives
image_after_headers()
{
	local release=$1 vmlinuz=$2

	inside make -C /root/buildidx dkms-install KERNELS="$release"
	check "$suite, $release, no image: dkms-install succeeds" succeeded
	check "$suite, $release, no image: says that there is no BTF and which package brings it" \
		said "install the package linux-image-$release"
	check "$suite, $release, no image: dkms status says installed" status_installed "$release"
	check "$suite, $release, no image: the module is without BTF" lacks_btf "$release"
	keep "$release" ko-nobtf || true

	image_arrives "$release"
}

full_install()
{
	local release=$1 vmlinuz=$2

	check "$suite, $release: dkms status says installed" status_installed "$release"
	check "$suite, $release: the module is version $version for this kernel" is_for_kernel "$release"
	check "$suite, $release: the kfuncs are in its BTF, which continues the kernel's" has_btf "$release" "$vmlinuz"
	check "$suite, $release: it is signed" is_signed "$release"
	keep "$release" ko || true
}

# The headers bring the BTF of a kernel (here: the one without -rt) that is not the image's
foreign_headers()
{
	local release=$1 vmlinuz=$2 usr_src=$root_dir/root/usr/src

	cp --remove-destination "$usr_src/linux-headers-${release/-rt/}/vmlinux" "$usr_src/linux-headers-$release/vmlinux"
	inside "/usr/src/buildidx-$version/module/dkms/rebuild.sh" "$release"
	check "$suite, $release, vmlinux of another kernel in the headers: the build succeeds" succeeded
	check "$suite, $release, vmlinux of another kernel in the headers: the BTF continues the image's" \
		has_btf "$release" "$vmlinuz"
}

# Everything is there (in the end)
suite_complete()
{
	local line release vmlinuz

	open_copy "$suite" complete
	for line; do
		kernel_vars "$line"
		if [ "$line" = 6.1 ]; then
			image_after_headers "$release" "$vmlinuz"
		elif [ -e "$root_dir/root/usr/src/buildidx-$version" ]; then
			inside dkms install -m buildidx -v "$version" -k "$release"
			check "$suite, $release: dkms install -k succeeds" succeeded
		else
			inside make -C /root/buildidx dkms-install KERNELS="$release"
			check "$suite, $release: make dkms-install succeeds" succeeded
		fi
		full_install "$release" "$vmlinuz"
		check "$suite, $release: nothing is said to be missing" not_said WARNING
		if [ "$line" = 6.12-rt ]; then
			foreign_headers "$release" "$vmlinuz"
		fi
	done
	unsupported_arrives 9.9.9-amd64 "installed for other kernels"

	make_others
	inside make -C /root/buildidx dkms-uninstall
	check "$suite: dkms-uninstall succeeds" succeeded
	check "$suite: dkms-uninstall leaves empty directories of others alone" others_stay
	check "$suite: dkms-uninstall leaves nothing behind" nothing_left
	root_close "$root_dir"
}

# Neither pahole nor openssl. 6.1 headers do not depend on pahole; in trixie it is taken by force
suite_lacking()
{
	local release vmlinuz deb

	kernel_vars "$1"
	open_copy "$suite" lacking
	deb=$(fetch_deb "$suite" pahole) || die "no package pahole"
	inside dpkg --purge --force-depends pahole openssl
	succeeded || die "cannot remove pahole and openssl from the root: $(cat "$work/said")"
	rm -f "$root_dir/root/var/lib/dkms/"mok.*

	inside make -C /root/buildidx dkms-install KERNELS="$release"
	check "$suite, $release, no pahole: dkms-install succeeds" succeeded
	check "$suite, $release, no pahole: says what to install" said "install the package pahole"
	check "$suite, $release, no pahole: dkms status says installed" status_installed "$release"
	check "$suite, $release, no pahole: the module is without BTF" lacks_btf "$release"
	check "$suite, $release, no openssl: the module is not signed" is_unsigned "$release"
	check "$suite, $release, no openssl: says so" said "is not signed"
	keep "$release" ko-nobtf || true

	cp "$deb" "$root_dir/root/tmp/pahole.deb"
	inside dpkg --install /tmp/pahole.deb
	succeeded || die "cannot install pahole again: $(cat "$work/said")"
	inside "/usr/src/buildidx-$version/module/dkms/rebuild.sh" "$release"
	check "$suite, $release, pahole arrives: the advised command succeeds" succeeded
	if [ "$1" = 6.1 ]; then
		check "$suite, $release, pahole arrives: says that the image is missing still" \
			said "install the package linux-image-$release"
	else
		check "$suite, $release, pahole arrives: the module has BTF" has_btf "$release" "$vmlinuz"
	fi

	inside dkms unbuild -m buildidx -v "$version" -k "$release"
	unsupported_arrives 5.10.0-amd64 "added and not built"
	inside dkms install -m buildidx -v "$version" -k 5.10.0-amd64
	check "$suite: dkms install -k of an unsupported kernel is refused" eval '! succeeded'
	root_close "$root_dir"
}

if [ $# -eq 0 ]; then
	set -- 6.1 6.12 6.12-rt 6.12-trixie 7.3
fi
for suite in bookworm trixie; do
	lines=()
	for line; do
		if [[ " $(root_lines "$suite") " == *" $line "* ]]; then
			lines+=("$line")
		fi
	done
	if [ ${#lines[@]} -gt 0 ]; then
		suite_complete "${lines[@]}"
		suite_lacking "${lines[0]}"
	fi
done
echo "1..$count"
[ "$failures" = 0 ]
