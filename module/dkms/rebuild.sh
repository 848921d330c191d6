#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# rebuild.sh KERNEL: build and install buildidx again for one kernel, after something that the last
# build lacked has been installed.
set -eu

if [ $# -ne 1 ]; then
	echo "usage: rebuild.sh KERNEL" >&2
	exit 2
fi
version=$(cat "$(dirname "$0")/../../VERSION")

dkms unbuild -m buildidx -v "$version" -k "$1"
dkms install -m buildidx -v "$version" -k "$1"
