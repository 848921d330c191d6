#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# scratch.sh FILE: write the guest's scratch disk, 2 GiB of ext4 (sparse). In it, img/ has
# an empty ext4.img, xfs.img and btrfs.img to loop-mount.
#
# Made once and copied from then on. Options are for what kernel 6.1 can mount, whatever
# this host's mkfs makes by default.
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

template=$BUILDIDX_CACHE/scratch-1.img

make_template()
{
	local work

	need_tools mkfs.ext4 mkfs.xfs mkfs.btrfs
	work=$(mktemp -d "$BUILDIDX_CACHE/.scratch.XXXXXX")
	mkdir "$work/img"
	truncate -s 256M "$work/img/ext4.img" "$work/img/btrfs.img"
	truncate -s 320M "$work/img/xfs.img"
	mkfs.ext4 -q -F -O ^orphan_file,^metadata_csum_seed "$work/img/ext4.img"
	mkfs.xfs -q -i nrext64=0 "$work/img/xfs.img"
	mkfs.btrfs -q -m single -d single "$work/img/btrfs.img"
	truncate -s 2G "$work/scratch.img"
	mkdir "$work/root"
	mv "$work/img" "$work/root/img"
	mkfs.ext4 -q -F -O ^orphan_file,^metadata_csum_seed -d "$work/root" "$work/scratch.img"
	mv "$work/scratch.img" "$template"
	rm -rf "$work"
}

PATH=$PATH:/usr/sbin:/sbin
exec 9> "$BUILDIDX_CACHE/.scratch.lock"
flock 9
[ -s "$template" ] || make_template >&2
cp --sparse=always "$template" "$1"
