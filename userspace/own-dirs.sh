#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# own-dirs.sh record LIST DIR...: before an installation into DESTDIR (empty: /): note in LIST which
#	of these directories, and of those that lead to them, it is going to make.
# own-dirs.sh remove LIST: after everything else is gone: remove those that are empty, and LIST.
#
# An empty directory that was there before is another's.
set -eu

command=$1
list=$2
dest=${DESTDIR:-}
shift 2

# missing DIR: it and what leads to it, as far as they do not exist
missing()
{
	dir=$1
	while [ -n "$dir" ] && [ ! -e "$dest$dir" ]; do
		printf '%s\n' "$dir"
		dir=${dir%/*}
	done
}

case $command in
record)
	made=$(
		if [ -e "$dest$list" ]; then
			cat "$dest$list"
		fi
		for dir in "${list%/*}" "$@"; do
			missing "$dir"
		done
	)
	mkdir -p "$dest${list%/*}"
	printf '%s\n' "$made" | sort -u > "$dest$list"
	;;
remove)
	if [ ! -e "$dest$list" ]; then
		exit 0
	fi
	made=$(sort -r "$dest$list")
	rm "$dest$list"
	# the inner ones come first
	printf '%s\n' "$made" | while IFS= read -r dir; do
		if [ -d "$dest$dir" ]; then
			rmdir --ignore-fail-on-non-empty "$dest$dir"
		fi
	done
	;;
*)
	echo 'usage: own-dirs.sh record LIST DIR... | remove LIST' >&2
	exit 2
	;;
esac
