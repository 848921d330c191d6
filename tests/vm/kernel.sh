#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel.sh KERNEL: fetch Debian's newest stock kernel of a line and tell where it is.
#
# KERNEL: 6.1, 6.12, 6.12-rt (bookworm), 6.12-trixie (trixie), 7.3 (the newest in
# trixie-backports, whatever its number is by now), default (the host suite's newest).
#
# Prints shell variables: KREL (uname -r), KVMLINUZ, KROOT (holds lib/modules/$KREL,
# with modules.dep), KSUITE (codename of the suite it was built in), KVERSION.
# Needs the network once; looks for a newer one at most once a day.
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"
. "$(dirname "$0")/../lib/debian.sh"

MAX_AGE=$((24 * 3600))

[ $# -eq 1 ] || lacking "usage: kernel.sh 6.1|6.12|6.12-rt|6.12-trixie|7.3|default"

kernel=$(kernel_line "$1")

# name: packages of this line; version: what their Debian version must match;
# reject: ABI names that must not be used
version='' reject='-(cloud|rt|dbg|unsigned)-|-(dbg|unsigned)$'
case $kernel in
6.1)
	suite=bookworm name='^linux-image-6\.1\.[0-9]+-[0-9]+-amd64$'
	# 6.1.0-55 (6.1.192-1) panics by itself in ext4_mb_load_buddy_gfp after
	# drop_caches; 6.1.0-57 is the repaired one.
	reject+='|^linux-image-6\.1\.0-55-amd64$'
	;;
6.12)
	suite=bookworm name='^linux-image-6\.12\.[0-9]+[+]deb12-amd64$'
	;;
6.12-rt)
	suite=bookworm name='^linux-image-6\.12\.[0-9]+[+]deb12-rt-amd64$'
	reject='-(dbg|unsigned)$'
	;;
6.12-trixie)
	suite=trixie name='^linux-image-6\.12\.[0-9]+[+]deb13-amd64$'
	;;
7.3)
	suite=trixie name='^linux-image-[0-9.]+[+]deb13-amd64$' version='~bpo13'
	;;
esac

need_tools apt-get apt-cache dpkg dpkg-deb depmod flock
dir=$BUILDIDX_CACHE/kernels
state=$dir/$kernel.env
mkdir -p "$dir" 2>/dev/null && [ -w "$dir" ] ||
	lacking "cannot write $dir; run as root, or set BUILDIDX_CACHE to a directory of yours"

# Two guests may ask for the same suite at the same time.
exec 9> "$dir/.lock"
flock 9

usable()
{
	[ -s "$state" ] && (. "$state" && [ -s "$KVMLINUZ" ] && [ -s "$KROOT/lib/modules/$KREL/modules.dep" ])
}

# Prints "VERSION PACKAGE" of the newest image package of the line. One call of apt-cache
# for all: it reads the whole index each time.
newest()
{
	local package ver best='' best_package='' names

	mapfile -t names < <(apt-cache "${APT_OPTIONS[@]}" pkgnames linux-image- |
		grep -E "$name" | grep -Ev -e "$reject")
	[ ${#names[@]} -gt 0 ] || die "$suite has no package that matches $name"
	while read -r ver package; do
		if [ -n "$version" ] && [[ ! $ver =~ $version ]]; then
			continue
		fi
		if [ -z "$best" ] || dpkg --compare-versions "$ver" gt "$best"; then
			best=$ver best_package=$package
		fi
	done < <(apt-cache "${APT_OPTIONS[@]}" show --no-all-versions "${names[@]}" | awk '
		/^Package: /	{ package = $2 }
		/^Version: /	{ print $2, package }')
	[ -n "$best" ] || die "$suite has no package $name of a version like $version"
	echo "$best $best_package"
}

# The image package itself, and those of the same build that it depends on: since
# 7.x linux-image-* is empty: linux-binary-* has the kernel, linux-modules-* the modules,
# linux-base-* modules.builtin.
parts_of()
{
	local package=$1 release=$2

	echo "$package"
	apt-cache "${APT_OPTIONS[@]}" show --no-all-versions "$package" |
		sed -n 's/^Depends: //p' | tr ',|' '\n\n' | awk '{ print $1 }' |
		grep -xE "linux-(base|binary|modules)-${release//[.+]/.}" || true
}

# complete ROOT RELEASE: are the modules there, and what depmod needs
complete()
{
	[ -d "$1/lib/modules/$2/kernel" ] && [ -s "$1/lib/modules/$2/modules.builtin" ]
}

fetch()
{
	local package=$1 release=$2 root=$3 part work

	work=$(mktemp -d "$dir/.new.XXXXXX")
	mapfile -t parts < <(parts_of "$package" "$release")
	note "downloading ${parts[*]}"
	(cd "$work" && apt-get "${APT_OPTIONS[@]}" download "${parts[@]}" >&2)
	mkdir "$work/root"
	for part in "$work"/*.deb; do
		dpkg-deb -x "$part" "$work/root"
	done
	# merged /usr: trixie's packages have usr/lib/modules only
	if [ ! -e "$work/root/lib" ]; then
		ln -s usr/lib "$work/root/lib"
	fi
	complete "$work/root" "$release" ||
		die "${parts[*]}: no modules for $release in them, or no modules.builtin"
	depmod -b "$work/root" "$release"
	rm -rf "$root"
	mv "$work/root" "$root"
	rm -rf "$work"
}

# drop_older ROOT: what the line had before, unless it is the same
drop_older()
{
	local older=''

	if [ -s "$state" ]; then
		older=$(. "$state" && echo "$KROOT")
	fi
	if [ -n "$older" ] && [ "$older" != "$1" ]; then
		rm -rf "$older"
	fi
}

resolve()
{
	local best ver package release root vmlinuz

	best=$(newest)
	read -r ver package <<< "$best"
	release=${package#linux-image-}
	root=$dir/${release}_$ver
	if ! complete "$root" "$release"; then
		fetch "$package" "$release" "$root"
	fi
	for vmlinuz in "$root/boot/vmlinuz-$release" "$root/lib/modules/$release/vmlinuz"; do
		[ ! -s "$vmlinuz" ] || break
	done
	[ -s "$vmlinuz" ] || die "$package: no vmlinuz in it nor in what it depends on"
	drop_older "$root"
	printf '%s=%q\n' KREL "$release" KVMLINUZ "$vmlinuz" KROOT "$root" \
		KSUITE "$suite" KVERSION "$ver" > "$state.new"
	mv "$state.new" "$state"
}

age=$MAX_AGE
if usable; then
	age=$(($(date +%s) - $(stat -c %Y "$state")))
fi
if [ "$age" -ge "$MAX_AGE" ] || ! usable; then
	if apt_update "$suite"; then
		resolve
	elif usable; then
		note "cannot reach the Debian mirror; using the kernel fetched before"
		# ask again in an hour, not each time
		touch -d "@$(($(date +%s) - MAX_AGE + 3600))" "$state"
	else
		lacking "cannot reach the Debian mirror for $suite, and no kernel is in $dir; needs the network once"
	fi
fi
cat "$state"
