# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests here: test points. Needs $work, a directory; what the command under test wrote
# there (out, err, log) and its exit status, $code, are shown when a point fails.
# At the end: echo "1..$n"; exit $failed
n=0
failed=0
code=

# result NAME: reports the exit status of the command before it
result() {
	local status=$? name=$1 file
	n=$((n + 1))
	if [ "$status" -eq 0 ]; then
		echo "ok $n - $name"
		return
	fi
	failed=1
	echo "not ok $n - $name"
	for file in out err log; do
		[ ! -e "$work/$file" ] || sed "s/^/# $file: /" "$work/$file"
	done
	[ -z "$code" ] || echo "# exit code $code"
}
