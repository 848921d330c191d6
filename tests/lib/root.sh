# SPDX-License-Identifier: GPL-2.0
# Sourced: clean Debian roots with dkms and kernel headers, and throw-away copies of them.
# Needs common.sh and debian.sh. Functions that mount expect the caller's own mount namespace
# (own_mounts), so nothing stays mounted whatever happens.

# own_mounts SCRIPT ARGUMENT...: start the script again in a mount namespace of its own
own_mounts()
{
	if [ -z "${BIDX_OWN_MOUNTS:-}" ]; then
		[ "$(id -u)" = 0 ] || lacking "must be root: it mounts and enters a root directory"
		export BIDX_OWN_MOUNTS=1
		exec unshare --mount --propagation private -- "$@"
	fi
}

# root_lines SUITE: the kernels of a suite, in the words of tests/vm/kernel.sh
root_lines()
{
	case $1 in
	bookworm)	echo 6.1 6.12 6.12-rt ;;
	trixie)		echo 6.12-trixie 7.3 ;;
	*)		lacking "no such suite: $1; known: bookworm trixie" ;;
	esac
}

# root_release LINE: its `uname -r`
root_release()
{
	local env

	env=$("$TESTS_DIR/vm/kernel.sh" "$1")
	(eval "$env" && echo "$KREL")
}

# root_make SUITE: prints the path of the clean root, making it first where there is none or
# where the suite has newer kernels. 6.1 headers do not pull in their kernel image: it is left
# out, so that the root is what such a machine is.
root_make()
{
	local suite=$1 lines line packages=dkms,kmod,libc6-dev,pahole,openssl

	lines=$(root_lines "$suite")
	for line in $lines; do
		packages+=,linux-headers-$(root_release "$line")
	done
	root_cached "$suite" "$suite" "$packages"
}

# root_make_build SUITE: the same for a root that builds the Debian packages: what debian/control
# wants, and lintian
root_make_build()
{
	local wanted

	wanted=$(awk '
		/^[A-Z][^ ]*:/	{ in_list = 0 }
		/^Build-Depends:/ { in_list = 1; sub(/^[^:]*:/, "") }
		in_list		{ gsub(/\([^)]*\)|[ \t]/, ""); printf "%s", $0 }' "$TOP_DIR/debian/control")
	root_cached "$1" "build-$1" "build-essential,lintian,man-db,${wanted%,}"
}

# root_cached SUITE NAME PACKAGES: the path of a root of that name with those packages
root_cached()
{
	local suite=$1 name=$2 packages=$3 key root work

	need_tools mmdebstrap flock
	key=$(printf '%s\n' "$packages" | sha256sum | cut -c1-12)
	root=$BUILDIDX_CACHE/roots/$name-$key
	mkdir -p "$BUILDIDX_CACHE/roots"

	exec 8> "$BUILDIDX_CACHE/roots/.$name.lock"
	flock 8
	if [ ! -e "$root/.complete" ]; then
		note "making a clean $suite root ($packages): two to five minutes"
		rm -rf "$BUILDIDX_CACHE/roots/$name"-*
		work=$(mktemp -d)
		write_sources "$suite" "$work/sources.list"
		# INITRD=No: an initramfs has no part in this and takes a minute to make
		if ! INITRD=No mmdebstrap --quiet --mode=root --variant=apt --include="$packages" \
			"$suite" "$root" "$work/sources.list" > "$work/log" 2>&1; then
			cat "$work/log" >&2
			rm -rf "$work" "$root"
			die "mmdebstrap could not make the $suite root (messages above)"
		fi
		rm -rf "$work"
		touch "$root/.complete"
	fi
	flock -u 8
	exec 8>&-
	echo "$root"
}

# root_open ROOT DIR: mount a throw-away copy of ROOT on DIR/root, with /proc, /dev and name
# resolution; what changes in it lands under DIR.
root_open()
{
	local root=$1 dir=$2

	mkdir -p "$dir/upper" "$dir/work" "$dir/root"
	if ! mount -t overlay overlay -o "lowerdir=$root,upperdir=$dir/upper,workdir=$dir/work" \
		"$dir/root" 2>/dev/null; then
		note "no overlayfs here: copying $root"
		cp -a --reflink=auto "$root/." "$dir/root/"
	fi
	mount -t proc proc "$dir/root/proc"
	mount --rbind /dev "$dir/root/dev"
	cp -L /etc/resolv.conf "$dir/root/etc/resolv.conf" 2>/dev/null || true
}

# root_close DIR: unmount all that is mounted below DIR, then delete DIR. Parts of the host are bind
# mounted there: unless all are gone, nothing is deleted.
root_close()
{
	local dir=$1 point

	while read -r point; do
		umount "$point" 2>/dev/null || umount --lazy "$point" || true
	done < <(mounts_below "$dir" | tac)
	[ -z "$(mounts_below "$dir")" ] || die "cannot unmount what is below $dir"
	rm -rf --one-file-system "$dir"
}

mounts_below()
{
	awk -v dir="$1/" 'index($5, dir) == 1 { print $5 }' /proc/self/mountinfo
}

# in_root DIR COMMAND...: run it inside, with the environment of a plain root shell
in_root()
{
	local dir=$1
	shift
	env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=dumb \
		DEBIAN_FRONTEND=noninteractive INITRD=No chroot "$dir/root" "$@"
}
