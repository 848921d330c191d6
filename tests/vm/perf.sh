#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perf.sh SUITE: Debian's perf for guests that run a kernel of that suite (bookworm, trixie),
# with all that it links to, its own loader included: guests have the host's libraries.
#
# Prints the path of a directory to be copied into the guest, where DIR/perf starts it. Made
# once a week, in a throw-away copy of the suite's clean root (tests/roots.sh).
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"
. "$(dirname "$0")/../lib/debian.sh"

MAX_AGE_DAYS=7

[ $# -eq 1 ] || lacking 'usage: perf.sh bookworm|trixie'
suite=$1
dir=$BUILDIDX_CACHE/perf/$suite
new=$TOP_DIR/build/perf-$suite
mkdir -p "${dir%/*}"

# Two guests may ask for it at the same time.
exec 9> "$dir.lock"
flock 9
if [ -n "$(find "$dir/perf.bin" -mtime "-$MAX_AGE_DAYS" 2>/dev/null)" ]; then
	echo "$dir"
	exit 0
fi

note "fetching perf for guests of $suite"
rm -rf "$new"
mkdir -p "$new/lib"
# shellcheck disable=SC2016 # for the inner shell
if ! "$TESTS_DIR/roots.sh" run "$suite" sh -ec '
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q -o APT::Update::Error-Mode=any update
	apt-get -q install -y --no-install-recommends linux-perf
	cp /usr/bin/perf "$1/perf.bin"
	for lib in $(ldd /usr/bin/perf | grep -o "/[^ ]*"); do
		case $lib in
		*/ld-linux*)	cp -L "$lib" "$1/ld.so" ;;
		*)		cp -L "$lib" "$1/lib/" ;;
		esac
	done' sh "$new" > "$new/log" 2>&1; then
	cat "$new/log" >&2
	# an old one is better than none: its version is told where it is used
	[ -e "$dir/perf.bin" ] || die "no perf for $suite (messages above)"
	note "the perf that is there is kept (messages above)"
	rm -rf "$new"
	echo "$dir"
	exit 0
fi
cat > "$new/perf" <<-'END'
	#!/bin/sh
	dir=${0%/*}
	exec "$dir/ld.so" --library-path "$dir/lib" "$dir/perf.bin" "$@"
END
# not executable: nothing of the host's is to be brought along for them
chmod -x "$new/perf.bin" "$new"/lib/*
chmod +x "$new/perf" "$new/ld.so"
touch "$new/perf.bin"
rm -rf "$dir"
mv "$new" "$dir"
echo "$dir"
