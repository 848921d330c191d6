#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# build.sh UNITS: build something in the current directory: for every seventh unit a
# compiler and an assembler run, for each one short-lived programs: one that is there,
# one that is deleted while it runs, one in a mount namespace that is gone with it.
units=$1
export LD_LIBRARY_PATH=$PWD/lib

# compile PREFIX
compile()
{
	echo "int f(int n) { int i, s = n; for (i = 0; i < 64; i++) s += (i * 7) % 64 >> 3; return s; }" > "$1.i"
	./cc1 -quiet -fpreprocessed -O1 "$1.i" -o "$1.s" && ./as -o "$1.o" "$1.s" && rm "$1.i" "$1.s"
}

# one PREFIX NUMBER
one()
{
	if [ $(($2 % 7)) = 0 ]; then
		compile "$1" || return 1
	fi
	./work 10 || return 1

	cp work "$1-gone"
	"./$1-gone" 10 delete || return 1

	mkdir -p "$1-dir"
	unshare -m sh -c "mount -t tmpfs tmpfs $1-dir && cp work $1-dir/$1-inside && exec $1-dir/$1-inside 10" ||
		return 1
}

# worker PREFIX: half of the units
worker()
{
	n=0
	while [ $n -lt $((units / 2)) ]; do
		one "$1" $n || { echo "$1: unit $n failed" >&2; return 1; }
		n=$((n + 1))
	done
}

worker x &
first=$!
worker y || exit 1
wait $first || exit 1
