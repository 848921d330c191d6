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

own_mounts "$0" "$@"
need_tools mmdebstrap apt-get readelf xz bpftool

version=$(cat "$TOP_DIR/VERSION")
count=0
failures=0
work=$(mktemp -d "$BUILDIDX_CACHE/dkms.XXXXXX")
trap 'root_close "$work"' EXIT

# check TEXT COMMAND...: one test point; what the last command in the root said is shown on failure
check()
{
	local text=$1
	shift

	count=$((count + 1))
	if "$@" > "$work/check.log" 2>&1; then
		echo "ok $count - $text"
		return
	fi
	failures=$((failures + 1))
	echo "not ok $count - $text"
	echo "# failed: $*"
	sed 's/^/#   /' "$work/check.log"
	if [ -s "$work/said" ]; then
		echo "# the last command in the root said:"
		tail -n 40 "$work/said" | sed 's/^/#   /'
	fi
}

# inside COMMAND...: run in the open root; output goes to $work/said and, as $status, its exit status
inside()
{
	status=0
	in_root "$root_dir" "$@" > "$work/said" 2>&1 < /dev/null || status=$?
}

succeeded()
{
	[ "$status" = 0 ]
}

said()
{
	grep -qF -- "$1" "$work/said"
}

not_said()
{
	! grep -qF -- "$1" "$work/said"
}

# The installed module of a kernel, as a path on the host; dkms may have compressed it
installed()
{
	compgen -G "$root_dir/root/lib/modules/$1/updates/dkms/buildidx.ko*"
}

# A copy of the installed module that is not compressed: $work/RELEASE.ko
plain_ko()
{
	local file

	file=$(installed "$1") || return
	case $file in
	*.xz)	xz -dc "$file" > "$work/$1.ko" ;;
	*)	cp "$file" "$work/$1.ko" ;;
	esac
}

status_installed()
{
	in_root "$root_dir" dkms status buildidx > "$work/status" || return
	cat "$work/status"
	grep "^buildidx/$version, $1, .*: installed" "$work/status"
}

is_for_kernel()
{
	plain_ko "$1" && [[ "$(modinfo -F vermagic "$work/$1.ko")" == "$1 "* ]] &&
		[ "$(modinfo -F version "$work/$1.ko")" = "$version" ]
}

is_signed()
{
	plain_ko "$1" && [ -n "$(modinfo -F signer "$work/$1.ko")" ]
}

is_unsigned()
{
	plain_ko "$1" && [ -z "$(modinfo -F signer "$work/$1.ko")" ]
}

lacks_btf()
{
	plain_ko "$1" && readelf -SW "$work/$1.ko" > "$work/sections" && ! grep -F ' .BTF ' "$work/sections"
}

# section NAME FILE OUT: the content of a section
section()
{
	objcopy -O binary --only-section="$1" --set-section-flags "$1=alloc" "$2" "$3"
}

# The kfuncs are in the module's BTF, on top of the BTF of that very kernel, and .BTF_ids has their ids
has_btf()
{
	local release=$1 vmlinuz=$2 ids id func

	plain_ko "$release" || return
	"$work/bidx-btf" base "$release" "$vmlinuz" "$work/base" || return
	readelf -SW "$work/$release.ko" > "$work/sections" || return
	if grep -qF ' .BTF.base ' "$work/sections"; then
		# it carries what it needs of the kernel's BTF and is fitted to the kernel at load
		section .BTF.base "$work/$release.ko" "$work/base" || return
	fi
	bpftool -B "$work/base" btf dump file "$work/$release.ko" > "$work/dump" || return
	section .BTF_ids "$work/$release.ko" "$work/ids" || return
	ids=" $(od -A n -v -t u4 "$work/ids" | tr -s '\n ' '  ') "
	grep -E "^\[[0-9]+\] FUNC 'bpf_buildidx_" "$work/dump" > "$work/kfuncs" || {
		echo "no kfunc in the BTF"
		return 1
	}
	while read -r id _ func _; do
		id=${id//[][]/}
		[[ $ids == *" $id "* ]] || { echo "$func has id $id, .BTF_ids has:$ids"; return 1; }
	done < "$work/kfuncs"
}

# keep RELEASE DIR: leave the installed file for the guests
keep()
{
	local release=$1 dir=$BUILDIDX_CACHE/$2/$1

	rm -rf "$dir"
	mkdir -p "$dir"
	cp "$(installed "$release")" "$dir/"
}

# fetch_deb SUITE PACKAGE: prints the path of the package in the cache
fetch_deb()
{
	local suite=$1 package=$2 dir=$BUILDIDX_CACHE/roots/debs/$1 file

	mkdir -p "$dir"
	apt_options "$suite"
	file=$(apt-get "${APT_OPTIONS[@]}" --print-uris download "$package" | awk '{ print $2 }') || return
	if [ ! -e "$dir/$file" ]; then
		rm -f "$dir/${package}"_*
		(cd "$dir" && apt-get "${APT_OPTIONS[@]}" download "$package" >&2) || return
	fi
	echo "$dir/$file"
}

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
	inside make -s -C /root/buildidx/module/btf OUT=/tmp/tool \
		KDIR="$(cd "$root_dir/root" && printf '/%s\n' lib/modules/*/build | tail -n 1)" /tmp/tool/bidx-btf
	succeeded || { cat "$work/said" >&2; die "bidx-btf does not compile in a clean $1 root"; }
	cp "$root_dir/root/tmp/tool/bidx-btf" "$work/bidx-btf"
}

# A kernel out of range arrives as a package whose postinst runs the kernel hooks, as Debian's do
unsupported_arrives()
{
	local release=$1 dir=$root_dir/root/tmp/unsupported

	mkdir -p "$dir/DEBIAN" "$dir/lib/modules/$release/build/include"
	cat > "$dir/DEBIAN/control" <<-END
	Package: linux-image-$release
	Version: 1
	Architecture: amd64
	Maintainer: none <none@localhost>
	Description: stands for a kernel that buildidx does not know
	END
	cat > "$dir/DEBIAN/postinst" <<-END
	#!/bin/sh
	set -e
	run-parts --report --exit-on-error --arg=$release --arg=/boot/vmlinuz-$release /etc/kernel/postinst.d
	END
	chmod 755 "$dir/DEBIAN/postinst"
	in_root "$root_dir" dpkg-deb -b /tmp/unsupported /tmp/unsupported.deb > /dev/null
	rm -rf "$dir"
	inside apt-get install -y /tmp/unsupported.deb
	check "$suite, $2: apt installs unsupported kernel $release with exit status 0" succeeded
	check "$suite, $2: the reason is given" \
		said "buildidx $version is not built for kernel $release: it supports"
	check "$suite, $2: no package is left half configured" nothing_half_configured
}

nothing_half_configured()
{
	local left

	left=$(in_root "$root_dir" dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' | grep -v '^[ir][ic] ' || true)
	echo "$left"
	[ -z "$left" ]
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
	local release=$1 vmlinuz=$2 deb

	inside make -C /root/buildidx dkms-install KERNELS="$release"
	check "$suite, $release, no image: dkms-install succeeds" succeeded
	check "$suite, $release, no image: says that there is no BTF and which package brings it" \
		said "install the package linux-image-$release"
	check "$suite, $release, no image: dkms status says installed" status_installed "$release"
	check "$suite, $release, no image: the module is without BTF" lacks_btf "$release"
	keep "$release" ko-nobtf || true

	deb=$(fetch_deb "$suite" "linux-image-$release") || die "no package linux-image-$release"
	cp "$deb" "$root_dir/root/tmp/image.deb"
	inside apt-get install -y --no-install-recommends /tmp/image.deb
	rm "$root_dir/root/tmp/image.deb"
	check "$suite, $release, image after headers: apt exits with 0" succeeded
	check "$suite, $release, image after headers: the module is rebuilt" \
		said "buildidx: rebuilding for kernel $release"
	check "$suite, $release, image after headers: no package is left half configured" nothing_half_configured
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

# kernel_vars LINE: sets release and vmlinuz
kernel_vars()
{
	local env

	env=$("$TESTS_DIR/vm/kernel.sh" "$1") || die "kernel $1 cannot be had (message above)"
	release=$(eval "$env" && echo "$KREL")
	vmlinuz=$(eval "$env" && echo "$KVMLINUZ")
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

	inside make -C /root/buildidx dkms-uninstall
	check "$suite: dkms-uninstall succeeds" succeeded
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
