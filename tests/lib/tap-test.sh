#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tap-test.sh: does tap.awk see what is wrong with a stream? Prints TAP.
set -euo pipefail
. "$(dirname "$0")/common.sh"

n=0
# expect WHAT KIND STATUS INPUT WANTED-OUTPUT: \n in both
expect()
{
	local got

	got=$(printf '%b' "$4" | awk -v name=t -v kind="$2" -v status="$3" -f "$TESTS_DIR/lib/tap.awk") || true
	n=$((n + 1))
	if [ "$got" = "$(printf '%b' "$5")" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		printf 'got:\n%s\nwanted:\n%b\n' "$got" "$5" | sed 's/^/# /'
	fi
}

expect 'all pass' tap 0 '1..2\nok 1 - a\nok 2 - b\n' 'ok - t: a\nok - t: b'
expect 'plan at the end' tap 0 'ok 1 a\n1..1\n' 'ok - t: a'
expect 'a failed point' tap 1 '1..2\nok 1 - a\nnot ok 2 - b\n' 'ok - t: a\nnot ok - t: b'
expect 'two plans are summed' tap 0 '1..1\nok 1 - a\n1..1\nok 1 - b\n' 'ok - t: a\nok - t: b'
expect 'too few points' tap 0 '1..2\nok 1 - a\n' 'ok - t: a\nnot ok - t: planned 2, ran 1'
expect 'too many points' tap 0 '1..1\nok 1 - a\nok 2 - b\n' \
	'ok - t: a\nok - t: b\nnot ok - t: planned 1, ran 2'
expect 'no plan' tap 0 'ok 1 - a\n' 'ok - t: a\nnot ok - t: printed no plan'
expect 'no output' tap 0 '' 'not ok - t: printed no plan'
expect 'empty plan' tap 0 '1..0\n' 'not ok - t: planned nothing'
expect 'bail out' tap 0 '1..1\nok 1 - a\nBail out! x\n' 'ok - t: a\nnot ok - t: Bail out! x'
expect 'exit status against the points' tap 3 '1..1\nok 1 - a\n' \
	'ok - t: a\nnot ok - t: exit status 3 though no point failed'
expect 'skip with a reason' tap 0 '1..1\nok 1 - a # SKIP no x\n' 'ok - t: a # SKIP no x'
expect 'skip without a reason' tap 0 '1..1\nok 1 - a # skip\n' \
	'not ok - t: a # skip (skipped without a reason)'
expect 'todo' tap 0 '1..1\nok 1 - a # TODO later\n' \
	'not ok - t: a # TODO later (TODO is not a result)'
expect 'carriage returns and comments' tap 0 '1..1\r\n# hm\r\nok 1 - a\r\n' '# t: hm\nok - t: a'
expect 'exit status 0' exit 0 'not ok as such\n' '# t: not ok as such\nok - t'
expect 'exit status 1' exit 1 '' 'not ok - t: exit status 1'
expect 'killed for hanging' exit timeout '' 'not ok - t: exit status timeout'
echo "1..$n"
