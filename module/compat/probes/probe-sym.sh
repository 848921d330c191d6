#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# probe-sym.sh SOURCE RESULT MODULE_SYMVERS
# Writes 1 to RESULT if MODULE_SYMVERS lists the symbol named in SOURCE, else 0.
set -eu

src=$1
result=$2
symvers=$3

if [ ! -s "$symvers" ]; then
	echo "buildidx: $symvers is missing or empty: the kernel headers are incomplete," \
		"reinstall the linux-headers package of this kernel" >&2
	exit 1
fi
symbol=$(grep -v '^#' "$src")
awk -v symbol="$symbol" '$2 == symbol { found = 1 } END { print found + 0 }' "$symvers" >"$result"
