# SPDX-License-Identifier: GPL-2.0
# Sourced: test points about what dkms does in an open root. Needs common.sh, debian.sh, root.sh,
# and the variables work (a directory), root_dir (of the open root), version, suite, count and
# failures (0 at first).

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

# make_bidx_btf SOURCES: compile the program in the open root, for has_btf
make_bidx_btf()
{
	inside make -s -C "$1" OUT=/tmp/tool \
		KDIR="$(cd "$root_dir/root" && printf '/%s\n' lib/modules/*/build | tail -n 1)" /tmp/tool/bidx-btf
	succeeded || { cat "$work/said" >&2; die "bidx-btf does not compile in a clean $suite root"; }
	cp "$root_dir/root/tmp/tool/bidx-btf" "$work/bidx-btf"
}

# keep RELEASE DIR: leave the installed file for the guests
keep()
{
	local release=$1 dir=$BUILDIDX_CACHE/$2/$1

	rm -rf "$dir"
	mkdir -p "$dir"
	cp "$(installed "$release")" "$dir/"
}

# fetch_deb SUITE PACKAGE: prints the path of the package in the cache, which other scripts that run
# now use too
fetch_deb()
{
	local suite=$1 package=$2 dir=$BUILDIDX_CACHE/roots/debs/$1 file

	mkdir -p "$dir"
	apt_options "$suite"
	file=$(apt-get "${APT_OPTIONS[@]}" --print-uris download "$package" | awk '{ print $2 }') || return
	(
		flock 7 || exit
		[ ! -e "$dir/$file" ] || exit 0
		rm -f "$dir/${package}"_*
		cd "$dir" && apt-get "${APT_OPTIONS[@]}" download "$package" >&2
	) 7> "$dir/.lock" || return
	echo "$dir/$file"
}

# unsupported_package RELEASE: a kernel out of range arrives as a package whose postinst runs the
# kernel hooks, as Debian's do
unsupported_package()
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
}

# unsupported_arrives RELEASE WHEN: the same, while the module is there
unsupported_arrives()
{
	local release=$1

	unsupported_package "$release"
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

# package_arrives PACKAGE: apt installs it, as from a mirror
package_arrives()
{
	local deb

	deb=$(fetch_deb "$suite" "$1") || die "no package $1"
	cp "$deb" "$root_dir/root/tmp/arriving.deb"
	inside apt-get install -y --no-install-recommends /tmp/arriving.deb
	rm "$root_dir/root/tmp/arriving.deb"
}

# image_arrives RELEASE: the image of a kernel whose headers were there first
image_arrives()
{
	local release=$1

	package_arrives "linux-image-$release"
	check "$suite, $release, image after headers: apt exits with 0" succeeded
	check "$suite, $release, image after headers: the module is rebuilt" \
		said "buildidx: rebuilding for kernel $release"
	check "$suite, $release, image after headers: no package is left half configured" nothing_half_configured
}

# A kernel that we have no module for, and the empty directories of somebody else's there
others=lib/modules/0.0-other/updates

make_others()
{
	mkdir -p "$root_dir/root/$others/dkms"
}

# others_stay: are they still there? Then they have served.
others_stay()
{
	[ -d "$root_dir/root/$others/dkms" ] && rm -r "$root_dir/root/${others%/updates}"
}

# kernel_vars LINE: sets release and vmlinuz
kernel_vars()
{
	local env

	env=$("$TESTS_DIR/vm/kernel.sh" "$1") || die "kernel $1 cannot be had (message above)"
	release=$(eval "$env" && echo "$KREL")
	vmlinuz=$(eval "$env" && echo "$KVMLINUZ")
}

