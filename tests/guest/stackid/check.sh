#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# check.sh present|absent: does the example program load and work with the module there,
# and with it not there? Runs in the guest (busybox). Prints TAP.
dir=$(dirname "$0")
out=/tmp/stackid.out
shown="$out $out.err"
. "$dir/point.sh"

case $1 in
present)	helper=buildidx ;;
absent)		helper='the stock helper' ;;
*)		echo 'usage: check.sh present|absent' >&2; exit 2 ;;
esac

(while :; do sleep 0.05; done) &
sleeper=$!
"$dir/stackid" $sleeper 5 > $out 2> $out.err
status=$?
kill $sleeper
wait $sleeper 2>/dev/null

all_frames_known()
{
	! grep -q '^  0x' $out
}

five_stacks()
{
	[ "$(grep -c '^thread' $out)" = 5 ] &&
		grep -qE '^  ([0-9a-f]{40}[+])?0x[0-9a-f]+$' $out &&
		! grep -qvE '^(thread [0-9]+|  ([0-9a-f]{40}[+])?0x[0-9a-f]+)$' $out
}

# usage STATUS ARGUMENT...: it ends at once, with that status, and says how it is called
usage()
{
	expected=$1
	shift
	timeout 20 "$dir/stackid" "$@" > $out.usage 2>&1
	[ $? = "$expected" ] && grep -q '^usage: stackid PID' $out.usage
}

point 'stackid --help' usage 0 --help
for argument in -1 0 x '' 1x 99999999999; do
	point "stackid '$argument': not a process" usage 2 "$argument"
done
point "module $1: stackid loads and ends with 0" [ $status = 0 ]
point "module $1: it uses $helper" grep -qx "stackid: using $helper" $out.err
point "module $1: five stacks of well-formed frames" five_stacks
if [ "$1" = present ]; then
	point "module $1: each frame has a build ID" all_frames_known
fi
echo "1..$n"
exit $failed
