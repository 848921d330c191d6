# SPDX-License-Identifier: GPL-2.0
# Sourced by the check.sh of the guest's tests (busybox): test points. $shown names the files whose
# first lines are shown when one fails; at the end: echo "1..$n"; exit $failed
n=0 failed=0

# point TEXT COMMAND...
point()
{
	text=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n - $text"
		return
	fi
	failed=1
	echo "not ok $n - $text"
	for file in $shown; do
		[ ! -e "$file" ] || head -n 40 "$file" | cut -c1-300 | sed 's/^/# /'
	done
}
