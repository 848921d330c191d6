#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# build.sh: build the Debian packages from a copy of this checkout, for the Debian that this runs on;
# they are left in build/deb.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v dpkg-buildpackage >/dev/null || ! command -v dh >/dev/null; then
	echo "buildidx: make deb needs Debian's build tools: apt-get install build-essential, then apt-get build-dep ." >&2
	exit 1
fi
out=$PWD/build/deb
tree=$out/buildidx-$(cat VERSION)
rm -rf "$out"
mkdir -p "$tree"
tar -c --exclude='userspace/build*' --exclude='*/build' \
	Kbuild LICENSES Makefile README.md VERSION dkms.conf debian include module userspace | tar -x -C "$tree"
if ! (cd "$tree" && dpkg-buildpackage --build=binary --no-sign); then
	echo "buildidx: make deb failed (messages above); for unmet build dependencies: apt-get build-dep ." >&2
	exit 1
fi
rm -rf "$tree"
echo "buildidx: packages in build/deb:"
(cd "$out" && ls -- *.deb)
