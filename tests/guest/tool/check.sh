#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# check.sh present|absent: the tool buildidx on the real device, and without the module.
# Runs in the guest, as root. Prints TAP.
dir=$(dirname "$0")
tool=$dir/buildidx
out=/tmp/tool.out
n=0 failed=0

# point TEXT COMMAND...
point()
{
	text=$1
	shift
	n=$((n + 1))
	if "$@"; then
		echo "ok $n - $text"
	else
		failed=1
		echo "not ok $n - $text"
		sed 's/^/# /' $out
	fi
}

run()
{
	"$tool" "$@" > $out 2>&1
}

# An ID as the tool prints it, found by the parser alone and by the module
same_id()
{
	id=$("$tool" file "$1" | grep -oE '[0-9a-f]{40}' | head -n 1)
	[ -n "$id" ] && run exe "$2" && grep -q "$id" $out
}

fails()
{
	! run "$@"
}

# runs from a file of its own, so that the answer is not the shell's
cp "$(command -v dash)" /tmp/sleeper
/tmp/sleeper -c 'while :; do sleep 1; done' &
pid=$!
sleep 0.2

case $1 in
present)
	point 'status: the module is there and well' run status
	point 'status --json' run status --json
	point 'exe: the build ID that the file has' same_id /tmp/sleeper $pid
	rm /tmp/sleeper
	point 'exe: still answered when the file is deleted' run exe $pid
	point 'maps' run maps $pid
	point 'dump' run dump
	point 'dump: lists something' [ -s $out ]
	point 'stats' run stats
	point 'exe of no process: fails' fails exe 4000000
	;;
absent)
	point 'file: works without the module' run file /tmp/sleeper
	point 'status: fails without the module' fails status
	point 'status: says that the module is not loaded' grep -qi 'not loaded\|modprobe' $out
	point 'dump: fails without the module' fails dump
	;;
*)
	echo 'usage: check.sh present|absent' >&2
	exit 2
	;;
esac
kill $pid
echo "1..$n"
exit $failed
