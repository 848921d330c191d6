#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Clean Debian roots with dkms and the headers of the suite's newest kernels.
#
#   roots.sh SUITE                   make it (once) and print its path; do not change it
#   roots.sh kernels SUITE           print `uname -r` of each of its kernels
#   roots.sh run SUITE COMMAND...    run COMMAND in a throw-away copy, in this checkout, with the
#                                    kernel images in /boot; what it writes in the checkout stays
#
# SUITE is bookworm or trixie. For example, to build for one kernel with its suite's compiler:
#   tests/roots.sh run bookworm make module KVER=6.1.0-57-amd64
#
# Needs root, mmdebstrap, and the network once; packages come from the host's own mirror.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/debian.sh"
. "$(dirname "$0")/lib/root.sh"

usage="usage: roots.sh SUITE | kernels SUITE | run SUITE COMMAND..."

run()
{
	local suite=$1 root line env
	shift

	root=$(root_make "$suite")
	run_dir=$(mktemp -d "$BUILDIDX_CACHE/roots/.run.XXXXXX")
	trap 'root_close "$run_dir"' EXIT
	root_open "$root" "$run_dir"
	for line in $(root_lines "$suite"); do
		env=$("$TESTS_DIR/vm/kernel.sh" "$line")
		(eval "$env" && cp -n "$KVMLINUZ" "$run_dir/root/boot/vmlinuz-$KREL")
	done
	mkdir -p "$run_dir/root$TOP_DIR"
	mount --bind "$TOP_DIR" "$run_dir/root$TOP_DIR"
	# shellcheck disable=SC2016 # for the inner shell
	in_root "$run_dir" sh -c 'cd "$1" && shift && exec "$@"' sh "$TOP_DIR" "$@"
}

case ${1:-} in
kernels)
	[ $# -eq 2 ] || lacking "$usage"
	for line in $(root_lines "$2"); do
		root_release "$line"
	done
	;;
run)
	[ $# -ge 3 ] || lacking "$usage"
	own_mounts "$0" "$@"
	shift
	run "$@"
	;;
*)
	[ $# -eq 1 ] || lacking "$usage"
	[ "$(id -u)" = 0 ] || lacking "must be root to make a root directory"
	root_make "$1"
	;;
esac
