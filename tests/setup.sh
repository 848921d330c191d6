#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# setup.sh: install the Debian packages that `make demo` and `make check` need on this
# host, those that are missing only. setup.sh --check: only say whether all are there.
#
# Exit status 2, with the list, when it cannot install them (not root, no network).
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
. "$(dirname "$0")/lib/debian.sh"

packages=(
	# programs, library and tool
	gcc g++ gcc-multilib make binutils pkg-config libc6-dev libelf-dev zlib1g-dev
	libjson-c-dev nettle-dev libcmocka-dev jq libdw-dev libdebuginfod-dev
	libprotobuf-c-dev protobuf-c-compiler
	# readers of what the profiler writes, and of exported programs
	golang-go libxml2-utils elfutils gdb debuginfod iproute2
	# fuzzer, BPF programs
	clang libclang-rt-dev libbpf-dev bpftool
	# kernels, and roots that build the module
	mmdebstrap debian-archive-keyring util-linux kmod xz-utils zstd
	# guests
	qemu-system-x86 busybox-static cpio e2fsprogs xfsprogs btrfs-progs squashfs-tools
	# style
	perl shellcheck mandoc zsh
)

[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] ||
	lacking 'buildidx is tested on amd64 Debian (bookworm or trixie) only'
host_codename >/dev/null

missing=()
for package in "${packages[@]}"; do
	if ! dpkg-query -W -f '${db:Status-Abbrev}\n' "$package" 2>/dev/null |
		grep -q '^ii'; then
		missing+=("$package")
	fi
done
if [ ${#missing[@]} -eq 0 ]; then
	exit 0
fi
need="these Debian packages: ${missing[*]}"
[ "${1:-}" != --check ] || lacking "needs $need; run tests/setup.sh as root"
[ "$(id -u)" = 0 ] || lacking "needs root to install $need"
note "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get -q -o APT::Update::Error-Mode=any update >&2 ||
	lacking "needs the network (the Debian mirror in /etc/apt) to install $need"
apt-get -q install -y --no-install-recommends "${missing[@]}" >&2 ||
	lacking "apt-get could not install $need"
