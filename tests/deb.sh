#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# deb.sh [SUITE...]: build the Debian packages in a clean root of the suite (bookworm, trixie; both by
# default) and judge them; then, in a clean root with kernel headers, install from source and take
# that away again, and install, upgrade, remove and purge the packages, with kernels arriving between.
#
# Prints TAP. Leaves what the packages installed in BUILDIDX_CACHE/ko-deb/RELEASE. Needs root.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/debian.sh"
. "$(dirname "$0")/lib/root.sh"
. "$(dirname "$0")/lib/module-in-root.sh"

own_mounts "$0" "$@"
need_tools mmdebstrap apt-get readelf xz bpftool

this_version=$(cat "$TOP_DIR/VERSION")
version=$this_version
next_version=$this_version+next
packages="buildidx-dkms buildidx-tools libbuildidx0 libbuildidx-dev"
count=0
failures=0
work=$(mktemp -d "$BUILDIDX_CACHE/deb.XXXXXX")
trap 'root_close "$work"' EXIT

# open_with_sources BASE NAME: a fresh copy of a root with the sources in /root/buildidx
open_with_sources()
{
	root_dir=$work/$2
	root_open "$1" "$root_dir"
	mkdir -p "$root_dir/root/root/buildidx"
	(cd "$TOP_DIR" && tar -c --exclude='userspace/build*' --exclude='*/build' \
		Kbuild LICENSES Makefile README.md VERSION dkms.conf debian include module userspace) |
		tar -x -C "$root_dir/root/root/buildidx"
}

# make_debs VERSION: build them in the open root, into $work/debs/VERSION
make_debs()
{
	local sources=$root_dir/root/root/buildidx

	inside env DEB_BUILD_OPTIONS="noautodbgsym parallel=2" make -C /root/buildidx deb
	check "$suite: make deb builds version $1" succeeded
	mkdir -p "$work/debs"
	mv "$sources/build/deb" "$work/debs/$1"
}

# The version that an upgrade brings
raise_version()
{
	local sources=$root_dir/root/root/buildidx

	echo "$next_version" > "$sources/VERSION"
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$next_version\"/" "$sources/dkms.conf"
	sed -i "1s/(.*)/($next_version)/" "$sources/debian/changelog"
}

lintian_in_root()
{
	inside sh -c 'cd /tmp/lint && lintian --fail-on error,warning,info,pedantic --display-info --pedantic ./*.changes ./*.deb'
}

# A clean bill from a lintian that finds nothing anywhere would be worth nothing.
check_lintian()
{
	local debs=$work/debs/$version lint=$root_dir/root/tmp/lint

	mkdir "$lint"
	cp "$debs"/* "$lint/"
	lintian_in_root
	check "$suite: lintian finds nothing" succeeded
	rm "$lint"/*
	dpkg-deb -R "$debs"/buildidx-tools_*.deb "$lint/bad"
	rm -r "$lint/bad/usr/share/man" "$lint/bad/usr/share/doc/buildidx-tools/copyright"
	dpkg-deb --root-owner-group -b "$lint/bad" "$lint/bad.deb" > /dev/null
	inside lintian --fail-on error,warning /tmp/lint/bad.deb
	check "$suite: lintian finds a missing manual page and copyright" \
		eval '[ "$status" = 2 ] && said no-manual-page && said no-copyright-file'
	rm -r "$lint"
}

# hardened FILE: nothing can be written where the program has been linked
hardened()
{
	readelf -dW "$1" > "$work/dynamic" && readelf -lW "$1" > "$work/segments" || return
	cat "$work/dynamic" "$work/segments"
	grep -q 'BIND_NOW' "$work/dynamic" && grep -q GNU_RELRO "$work/segments" &&
		grep -q '^Elf file type is DYN' "$work/segments" && ! grep -q TEXTREL "$work/dynamic"
}

judge_debs()
{
	local debs=$work/debs/$version deb

	for deb in $packages; do
		check "$suite: package $deb is there" compgen -G "$debs/${deb}_${version}_*.deb"
	done
	check_lintian
	for deb in buildidx-tools libbuildidx0; do
		dpkg-deb -x "$debs/${deb}_${version}"_*.deb "$work/extracted"
	done
	check "$suite: the program is hardened" hardened "$work/extracted/usr/bin/buildidx"
	check "$suite: the program uses the shared library" \
		grep -q 'NEEDED.*libbuildidx.so.0' "$work/dynamic"
	check "$suite: the library is hardened" \
		hardened "$work/extracted/usr/lib/x86_64-linux-gnu/libbuildidx.so.$version"
	rm -r "$work/extracted"
}

build_packages()
{
	open_with_sources "$(root_make_build "$suite")" build
	make_debs "$version"
	judge_debs
	raise_version
	make_debs "$next_version"
	root_close "$root_dir"
}

# file_list FILE: what the open root holds. Not ours: dkms's own key, what depmod and ldconfig write,
# what apt and dpkg keep.
file_list()
{
	(cd "$root_dir/root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./root \
		-o -path ./var/lib/dpkg -o -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log \) \
		-prune -o -print) | grep -vE '^\./(var/lib/dkms/mok\.(key|pub)|lib/modules/[^/]*/modules\.|usr/lib/modules/[^/]*/modules\.|etc/ld\.so\.cache)' |
		sort > "$1"
}

# readme_packages: what README says to install before a build from source, but for the headers
readme_packages()
{
	awk '/^or from \*\*source\*\*/ { on = 1 }
		on && /^make install/ { exit }
		on && (more || sub(/^apt-get install /, "")) {
			more = sub(/\\$/, ""); sub(/#.*/, ""); sub(/linux-headers-.*/, ""); print
		}' \
		"$TOP_DIR/README.md" | xargs
}

# bare: take from the root what README or our packages must bring themselves, and what was installed
# to build with. Not what the headers need: with them any machine has it.
bare()
{
	local package

	for package in dkms libc6-dev openssl pahole; do
		inside apt-get -s purge "$package"
		if ! said 'Purg linux-headers-'; then
			inside apt-get purge -y --autoremove "$package"
			succeeded || die "cannot take $package from the root: $(cat "$work/said")"
		fi
	done
}

# From source, and gone again; without headers, so no module is built: tests/dkms.sh does that
source_install()
{
	local build=$root_dir/root/lib/modules/$1/build

	mv "$build" "$build.away"
	file_list "$work/before"
	inside make -C /root/buildidx install
	check "$suite, no headers: make install succeeds with what README names" succeeded
	check "$suite, no headers: and says what to install" said "install the linux-headers package"
	inside dkms status buildidx
	check "$suite: dkms will build the module when headers arrive" said "buildidx/$version: added"
	inside /usr/local/bin/buildidx --version
	check "$suite: the installed program runs" said "buildidx $version"
	inside /usr/local/bin/buildidx profile --help
	check "$suite: and has the command profile" succeeded
	inside sh -c 'ldconfig -p'
	check "$suite: the loader knows the library" said /usr/local/lib/libbuildidx.so.0
	inside make -C /root/buildidx uninstall
	check "$suite: make uninstall succeeds" succeeded
	file_list "$work/after"
	check "$suite: make uninstall leaves nothing" diff "$work/before" "$work/after"
	mv "$build.away" "$build"
}

# no_trace: nothing has our name, and dkms's directories are gone
no_trace()
{
	local left

	left=$(cd "$root_dir/root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./root \
		-o -path ./var/log -o -path ./var/cache -o -path ./tmp \) -prune -o -name '*buildidx*' -print)
	left+=$(cd "$root_dir/root" && find lib/modules/*/updates 2>/dev/null || true)
	echo "$left"
	[ -z "$left" ]
}

module_gone()
{
	! installed "$1"
}

old_sources_gone()
{
	[ -e "$root_dir/root/usr/src/buildidx-$next_version" ] &&
		[ ! -e "$root_dir/root/usr/src/buildidx-$this_version" ]
}

# install_debs VERSION: as a user would, with apt
install_debs()
{
	cp -r "$work/debs/$1" "$root_dir/root/root/debs"
	inside sh -c 'apt-get install -y --no-install-recommends /root/debs/*.deb'
	rm -r "$root_dir/root/root/debs"
	check "$suite: apt installs version $1" succeeded
	check "$suite: no package is left half configured" nothing_half_configured
}

# is_complete RELEASE VMLINUZ: all that a module must have
is_complete()
{
	check "$suite, $1: dkms status says installed" status_installed "$1"
	check "$suite, $1: the module is version $version for this kernel" is_for_kernel "$1"
	check "$suite, $1: the kfuncs are in its BTF, which continues the kernel's" has_btf "$1" "$2"
	check "$suite, $1: it is signed" is_signed "$1"
}

install_packages()
{
	local first=$1 second=$2 first_release first_vmlinuz packages_named

	kernel_vars "$first"
	first_release=$release first_vmlinuz=$vmlinuz
	kernel_vars "$second"

	# the second kernel arrives later; others are not needed
	inside sh -c 'dpkg -l "linux-headers-*-amd64" | sed -n "s/^ii  \([^ ]*\) .*/\1/p" | grep -vx "$1" | xargs dpkg --purge --force-depends' \
		sh "linux-headers-$first_release"
	succeeded || die "cannot remove headers from the root: $(cat "$work/said")"
	make_bidx_btf /root/buildidx/module/btf
	bare
	packages_named=$(readme_packages)
	# shellcheck disable=SC2016 # for the inner shell
	inside sh -c 'apt-get -q update && apt-get -q install -y --no-install-recommends $1' sh "$packages_named"
	check "$suite: README names packages that exist: $packages_named" \
		eval 'succeeded && [[ " $packages_named" == *" gcc "* ]]'
	source_install "$first_release"
	bare

	install_debs "$version"
	if [ "$first" = 6.1 ]; then
		check "$suite, $first_release, no image: says that there is no BTF and which package brings it" \
			said "install the package linux-image-$first_release"
		check "$suite, $first_release, no image: the module is without BTF" lacks_btf "$first_release"
		image_arrives "$first_release"
	fi
	is_complete "$first_release" "$first_vmlinuz"
	keep "$first_release" ko-deb || true
	inside make -C /root/buildidx dkms-install
	check "$suite: make dkms-install leaves the package's files alone" \
		eval '! succeeded && said "apt-get purge buildidx-dkms"'
	inside make -C /root/buildidx install
	check "$suite: make install refuses too, before it has put anything there" \
		eval '! succeeded && said "apt-get purge buildidx-dkms" && [ ! -e "$root_dir/root/usr/local/bin/buildidx" ]'
	inside make -C /root/buildidx dkms-uninstall
	check "$suite: make dkms-uninstall leaves the package's files alone" \
		eval '! succeeded && said "apt-get purge buildidx-dkms"'
	inside buildidx file /usr/bin/buildidx
	check "$suite: the program answers" succeeded

	package_arrives "linux-headers-$release"
	check "$suite, $release, a new kernel: apt exits with 0" succeeded
	is_complete "$release" "$vmlinuz"
	keep "$release" ko-deb || true
	unsupported_arrives 9.9.9-amd64 "a new kernel"

	# the first kernel is given up; its module must go with the old version
	inside dpkg --purge --force-depends "linux-headers-$first_release"
	version=$next_version
	install_debs "$version"
	check "$suite, $first_release: the old version's module is gone" module_gone "$first_release"
	is_complete "$release" "$vmlinuz"
	inside sh -c 'dkms status buildidx; buildidx --version'
	check "$suite: the old module's builds are gone" not_said "buildidx/$this_version,"
	check "$suite: the old module's sources are gone" old_sources_gone
	check "$suite: the tool is the new one" said "buildidx $version"
	version=$this_version

	make_others
	# shellcheck disable=SC2086
	inside apt-get remove -y $packages
	check "$suite: apt removes the packages" succeeded
	check "$suite, $release: the module is gone" module_gone "$release"
	unsupported_package 9.9.8-amd64
	check "$suite, removed and not purged: a kernel can be installed" succeeded
	inside apt-get purge -y buildidx-dkms buildidx-tools
	check "$suite: apt purges what is left" succeeded
	check "$suite: empty directories of others are left alone" others_stay
	inside rm -rf /lib/modules/9.9.9-amd64 /lib/modules/9.9.8-amd64
	check "$suite: purging leaves nothing" no_trace
}

if [ $# -eq 0 ]; then
	set -- bookworm trixie
fi
for suite; do
	# shellcheck disable=SC2046
	set -- $(root_lines "$suite")
	build_packages
	open_with_sources "$(root_make "$suite")" install
	install_packages "$1" "$2"
	root_close "$root_dir"
	rm -r "$work/debs"
done
echo "1..$count"
[ "$failures" = 0 ]
