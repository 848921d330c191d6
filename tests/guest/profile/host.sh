#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# host.sh LOGS: what the guest's profile says here, on another machine: functions found
# from the build IDs alone. Prints "ok - " and "not ok - " lines.
set -euo pipefail
. "$(dirname "$0")/../../lib/common.sh"

folded=$1/files
named=$1/named
payload=$TOP_DIR/build/guest-profile
failed=0

# point TEXT COMMAND...
point()
{
	local text=$1
	shift
	if "$@"; then
		echo "ok - host: $text"
	else
		echo "not ok - host: $text"
		failed=1
	fi
}

status=0
DEBUGINFOD_URLS='' "$TOP_DIR/build/guest/profile/buildidx" symbolize --dir "$payload" --dir "$(command -v dash)" \
	--dir "$(command -v busybox)" "$folded" > "$named" 2> "$named.err" || status=$?
read -r _ some _ all _ < "$named.err"
point 'symbolize ends with 0 if all frames have a name, else with 1' [ "$status" = "$((some < all))" ]
point 'the same number of samples' \
	[ "$(awk '{ n += $NF } END { print n + 0 }' "$folded")" = "$(awk '{ n += $NF } END { print n + 0 }' "$named")" ]
for comm in work '[xy]-gone' '[xy]-inside'; do
	point "functions of $comm" grep -qE "^$comm;.*;main;work_outer;work_middle;work_inlined_\[i\] [0-9]+\$" "$named"
done
point 'the work of cc1, as and others has names' grep -qE '^cc1;.*;[a-z_]+[a-z0-9_]* [0-9]+$' "$named"
head -n 20 "$named.err" | sed 's/^/# host: /'
exit "$failed"
