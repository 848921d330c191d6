#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernels-test.sh: is a kernel that does not exist refused at once, by all that take one? Prints TAP.
set -euo pipefail
. "$(dirname "$0")/common.sh"

n=0
# refused SCRIPT: the first and only thing that it says is which kernels there are
refused()
{
	local said status=0

	said=$(timeout 20 "$TESTS_DIR/$1" 5.0 2>&1) || status=$?
	n=$((n + 1))
	if [ "$status" = 2 ] && [[ $said = *"no such kernel: 5.0; known: 6.1 6.12 6.12-rt 6.12-trixie 7.3 default" ]] &&
		[[ $said != *$'\n'* ]]; then
		echo "ok $n - $1 5.0"
	else
		echo "not ok $n - $1 5.0: status $status"
		sed 's/^/# /' <<< "$said"
	fi
}

for script in demo.sh check.sh bench.sh vm/kernel.sh vm/suite.sh; do
	refused "$script"
done
echo "1..$n"
