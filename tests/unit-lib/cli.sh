#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# cli.sh BUILD - the tool from outside, without the module and with a device
# that a preloaded library plays. Prints TAP.
set -euo pipefail

build=${1:?the build directory}
export LC_ALL=C.UTF-8
work=$(mktemp -d)
chmod 755 "$work"
pids=()

# shellcheck disable=SC2317 # called by the trap
cleanup() {
	local p
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	rm -rf "$work"
}
trap cleanup EXIT

. "$(dirname "$0")/result.sh"
tool=$build/tool/buildidx
mock=

# run ARG...: runs the tool; leaves $work/out, $work/err and $code
run() {
	code=0
	if [ -n "$mock" ]; then
		LD_PRELOAD=$build/preload.so MOCKDEV=$mock "$tool" "$@" \
			>"$work/out" 2>"$work/err" || code=$?
	else
		"$tool" "$@" >"$work/out" 2>"$work/err" || code=$?
	fi
}

# column N [LINE]: a column of a line of the output, header first
column() { sed -n "${2:-2}p" "$work/out" | awk "{ print \$$1 }"; }
says() { grep -qF -- "$1" "$work/err"; }
silent() { [ ! -s "$work/err" ]; }
json() { jq -e "$1" "$work/out" >/dev/null; }

# map PATH: starts a process that maps PATH executable; leaves $pid
map() {
	mkfifo "$work/stdin" "$work/ready"
	"$build/mapfile" "$1" <"$work/stdin" >"$work/ready" &
	pid=$!
	pids+=("$pid")
	exec {hold}>"$work/stdin"
	read -r _ <"$work/ready"
	rm "$work/stdin" "$work/ready"
}

unmap() {
	exec {hold}>&-
	wait "$pid"
}

# What the tests map and ask about.
echo 'int main(void) { return 0; }' >"$work/a.c"
id=00112233445566778899aabbccddeeff01234500
gcc -o "$work/gnu" "$work/a.c" "-Wl,--build-id=0x$id"
gcc -o "$work/short" "$work/a.c" -Wl,--build-id=0xab
gcc -o "$work/none" "$work/a.c" -Wl,--build-id=none
gcc -o "$work/long" "$work/a.c" "-Wl,--build-id=0x$id$id"
cp "$work/gnu" "$work/other"
gcc -o "$work/other" "$work/a.c" -Wl,--build-id=0xbeef

# From here on a condition that fails is reported, not fatal.
set +e

# Without a capability, a mapped file can only be read by its name. /proc says
# what we may; the tool must then say so, and never take the file that has the
# name now.
can_follow=1
head -c 1 "$(find /proc/$$/map_files -type l 2>/dev/null | head -n 1)" \
	>/dev/null 2>"$work/err" || can_follow=0
# gone FILE: maps says that FILE is deleted, and its ID or that it may not read it
gone() {
	local entry=".[] | select(.path == \"$1\" and .state == \"deleted\")"
	if [ $can_follow = 1 ]; then
		[ "$code" = 0 ] && json "$entry | .build_id == \"$id\""
	else
		[ "$code" = 4 ] && says CAP_CHECKPOINT_RESTORE &&
			json "$entry | .build_id == null and .status == \"error\""
	fi
}

device_present=0
[ ! -e /dev/buildidx ] || device_present=1

for tool in "$build/tool/buildidx" "$build/tool-asan/buildidx"; do
	echo "# $tool"
	mock=

	# Command line.
	run --help
	[ "$code" = 0 ] && silent && grep -q '^Exit codes' "$work/out"
	result "--help"
	run --version
	[ "$code" = 0 ] && grep -q '^buildidx [0-9.]* (ABI [0-9]*)$' "$work/out"
	result "--version"
	for c in status file maps addr exe dump stats doctor; do
		run $c --help
		[ "$code" = 0 ] && silent && grep -q "^Usage: buildidx $c" "$work/out" &&
			grep -q '  4  not permitted' "$work/out"
		result "$c --help"
		run $c --no-such-option
		[ "$code" = 2 ] && [ ! -s "$work/out" ] && says no-such-option &&
			says "Try 'buildidx $c --help'"
		result "$c refuses an unknown option"
	done
	run
	[ "$code" = 2 ] && says "needs a command"
	result "no command"
	run nonsense
	[ "$code" = 2 ] && says "unknown command 'nonsense'"
	result "unknown command"
	run --nonsense
	[ "$code" = 2 ] && says "unknown option '--nonsense'"
	result "unknown option"
	for args in "file" "maps" "maps 1 2" "maps x" "addr 1" "addr x 1" "addr 1 zz" \
		    "exe" "exe 0" "exe -1" "dump x" "stats x" "status x" "doctor x" "stats --cpu=x" \
		    "stats --cpu=-1" "stats --cpu=" "status --cpu=1" "file --cpu=1 /bin/ls"; do
		# shellcheck disable=SC2086
		run $args
		[ "$code" = 2 ] && [ ! -s "$work/out" ] && ! silent
		result "usage error: $args"
	done

	# Without the module.
	if [ $device_present = 0 ]; then
		for args in status dump stats "addr 1 0"; do
			# shellcheck disable=SC2086
			run $args
			[ "$code" = 3 ] && [ ! -s "$work/out" ] && says "modprobe buildidx" &&
				says "buildidx doctor"
			result "no module: $args"
		done
		run status --json
		[ "$code" = 3 ] && json '.loaded == false and .errno == 19'
		result "no module: status --json"
		run doctor
		[ "$code" = 3 ] && silent && grep -q '^fail *module *not loaded' "$work/out" &&
			grep -q '^ *-> ' "$work/out"
		result "no module: doctor"
		run doctor --json
		[ "$code" = 3 ] && json '.exit_code == 3 and (.findings | length) > 3 and
			(.findings[] | select(.check == "module") | .level == "fail" and .remedy != null)'
		result "no module: doctor --json"
	fi

	run file "$work/gnu"
	[ "$code" = 0 ] && silent && [ "$(column 1)" = $id ] && [ "$(column 2)" = gnu ] &&
		[ "$(column 3)" = phdr ] && [ "$(column 4)" = ok ]
	result "file: GNU"
	run file -H "$work/short"
	[ "$code" = 0 ] && [ "$(column 1 1)" = ab ]
	result "file: a short ID is not padded; no header"
	run file "$work/none"
	[ "$code" = 0 ] && [[ $(column 1) =~ ^hash:[0-9a-f]{32}$ ]] &&
		[ "$(column 2)" = hash ] && [ "$(column 4)" = no-note ]
	result "file: no note gives a hash that is named so"
	run file --json "$work/none"
	[ "$code" = 0 ] && json '.[0] | .build_id == null and (.hash | length) == 32'
	result "file --json: no note is no build ID"
	run file "$work/long"
	[ "$code" = 0 ] && [[ $(column 1) =~ ^hash: ]] && [ "$(column 4)" = too-long ]
	result "file: too long"
	run file "$work/gnu" "$work/missing" "$work/short"
	[ "$code" = 1 ] && says "$work/missing: cannot stat: No such file" &&
		[ "$(column 4 3)" = error ] && [ "$(column 1 4)" = ab ]
	result "file: goes on after an error"
	run file --json "$work/gnu" "$work/missing" /dev/null "$work"
	[ "$code" = 1 ] && json '(length == 4) and .[0].status == "ok" and
		(.[1:] | all(.status == "error" and .build_id == null and .error != ""))'
	result "file --json: errors are elements"
	run file -- -x
	[ "$code" = 1 ] && says "-x: cannot stat"
	result "file: a name that looks like an option"
	odd=$work/$'a b\n\\\x1b[31m\xff\xe2\x80\xae\xc3\xa4 (deleted)'
	cp "$work/gnu" "$odd"
	shown=$work/'a\040b\012\134\033[31m\377\342\200\256ä\040(deleted)'
	run file "$odd"
	[ "$code" = 0 ] && [ "$(wc -l <"$work/out")" = 2 ] && [ "$(column 6)" = "$shown" ]
	result "file: an odd name is one word"
	# shellcheck disable=SC2059
	[ "$(printf "$shown")" = "$odd" ]
	result "file: printf turns it back"
	run file --json "$odd"
	json '.[0].path | contains("a b\n\\")' &&
		[ "$(jq -r '.[0].path_hex' "$work/out")" = \
		  "$(printf %s "$odd" | od -An -tx1 | tr -d ' \n')" ]
	result "file --json: an odd name is valid JSON, and exact in hex"
	code=0
	"$tool" file "$work/gnu" >/dev/full 2>"$work/err" || code=$?
	[ "$code" = 1 ] && says "cannot write"
	result "a full disk is noticed"

	# Processes.
	map "$work/gnu"
	run exe "$pid"
	want=$(readelf -n "$build/mapfile" | awk '/Build ID/ { print $3 }')
	[ "$code" = 0 ] && [ "$(column 1)" = "$want" ] && [ "$(column 6)" = file ] &&
		[ "$(column 7)" = "$(realpath "$build/mapfile")" ]
	result "exe"
	run exe --json "$pid"
	[ "$code" = 0 ] && json ".pid == $pid and .build_id == \"$want\" and .state == \"file\""
	result "exe --json"
	run maps --json "$pid"
	[ "$code" = 0 ] && silent &&
		json ".[] | select(.path == \"$work/gnu\" and .build_id == \"$id\" and
			.state == \"file\" and .offset == 0 and .status == \"ok\")" &&
		json '.[] | select(.state == "anon" and .build_id == null and .path == null)' &&
		json '.[] | select(.state == "special" and .path == "[vdso]")'
	result "maps --json: file, anonymous, special"
	# Renamed over, then gone: still the file that was mapped.
	cp "$work/other" "$work/new" && mv "$work/new" "$work/gnu"
	run maps --json "$pid"
	gone "$work/gnu"
	result "maps: replaced file"
	cp "$work/other" "$work/gnu (deleted)"
	run maps --json "$pid"
	gone "$work/gnu"
	result "maps: a file called so is another one"
	rm "$work/gnu (deleted)" "$work/gnu"
	unmap
	gcc -o "$work/gnu" "$work/a.c" "-Wl,--build-id=0x$id"

	map "$odd"
	run maps "$pid"
	grep -qF "file    $shown" "$work/out"
	result "maps: an odd name that ends in (deleted)"
	rm "$odd"
	run maps "$pid"
	grep -qF "deleted $shown" "$work/out" &&
		! grep -qF "$shown\\040(deleted)" "$work/out"
	result "maps: the same, deleted"
	unmap
	literal=$work/'a\012b'
	cp "$work/gnu" "$literal"
	map "$literal"
	run maps --json "$pid"
	jq -r '.[].path' "$work/out" >"$work/paths"
	grep -qxF "$literal" "$work/paths"
	result "maps: a backslash in a name is no newline"
	unmap

	cp "$build/mapfile" "$work/exe"
	mkfifo "$work/stdin"
	"$work/exe" "$work/gnu" <"$work/stdin" >"$work/ready" &
	pid=$!
	exec {hold}>"$work/stdin"
	until grep -q ready "$work/ready"; do sleep 0.05; done
	rm "$work/stdin" "$work/ready" "$work/exe"
	run exe --json "$pid"
	[ "$code" = 0 ] && json ".build_id == \"$want\" and .state == \"deleted\" and .path == \"$work/exe\""
	result "exe: deleted"
	unmap
	run maps "$pid"
	[ "$code" = 1 ] && says "pid $pid: no such process"
	result "maps: no such process"
	run exe "$pid"
	[ "$code" = 1 ] && says "pid $pid: no such process"
	result "exe: no such process"
	if [ "$(id -u)" = 0 ] && [ "${tool#*asan}" = "$tool" ]; then
		for c in maps exe; do
			code=0
			unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh "$tool" $c 1 \
				>"$work/out" 2>"$work/err" || code=$?
			[ "$code" = 1 ] && says 'pid 1: not known: /proc is not mounted here'
			result "$c: without /proc it does not say that the process does not exist"
		done
	fi
done

# With a device. The preloaded library does not go together with ASan.
tool=$build/tool/buildidx
mock="abi=1"
echo "# a device that the test plays"
run status
[ "$code" = 0 ] && silent && grep -q '^hook mmap .*ftrace perf_event_mmap: 100 hits, 0 missed' "$work/out" &&
	grep -q '^kfunc *yes perf_event' "$work/out" && grep -q '^kfunc *no *raw' "$work/out" &&
	grep -q '^index *1000 of 262144' "$work/out"
result "status"
run status --json
[ "$code" = 0 ] && json '.loaded and .module_abi == 1 and .hooks[2].symbol == "__fput" and
	.hooks[2].missed == 2 and .kfuncs.tracing and (.kfuncs.raw_tp | not) and
	.index.entries == 1000 and .capture == "task-work"'
result "status --json"
mock="abi=1"
run status
grep -q '^kernel *yes BPF programs$' "$work/out" && grep -q '^records *50 of what is there, 7 of what is gone' "$work/out" &&
	grep -q '^stream *from 3 to 25' "$work/out"
result "status: what of the kernel is recorded"
run status --json
json '.kernel.bpf and .kernel.ksym and .kernel.history_max == 67108864 and .kernel.stream_next == 25'
result "status --json: what of the kernel is recorded"
mock="reduced"
run status
[ "$code" = 1 ] && says "BPF programs: not recorded" && says "generated text: not recorded" && says "buildidx doctor" &&
	grep -q '^kernel *no  BPF programs$' "$work/out"
result "status: a part of the kernel is not recorded"
mock="old"
run status
[ "$code" = 0 ] && silent && ! grep -q '^kernel' "$work/out"
result "status: a module without records"
mock="hook-off"
run status
[ "$code" = 1 ] && says "hook inode is not placed: No such file" && grep -q '^hook inode *off *-' "$work/out"
result "status: a hook is not placed"
mock="hooks-off"
run status
[ "$code" = 1 ] && says "switched off" && ! says "not placed"
result "status: switched off"
mock="silenced"
run status
[ "$code" = 1 ] && says "kprobes were disarmed" && ! says "switched off"
result "status: silenced"
mock="no-btf"
run status
[ "$code" = 1 ] && says "no BTF" && says pahole
result "status: no BTF"
mock="abi=2"
run status
[ "$code" = 3 ] && says "module ABI 2, tool ABI 1"
result "status: another ABI"
run dump
[ "$code" = 3 ] && says "ABI 2"
result "dump: another ABI"
run file "$work/short"
[ "$code" = 0 ] && says "ABI 2" && [ "$(column 1)" = ab ] && [ "$(column 5)" = file ]
result "file: another ABI, the file is read"

mock="open=13"
for args in status dump stats "addr 1 0"; do
	# shellcheck disable=SC2086
	run $args
	[ "$code" = 4 ] && says "permission denied" && says udev
	result "may not open the device: $args"
done
run file "$work/short"
[ "$code" = 0 ] && silent && [ "$(column 5)" = file ]
result "may not open the device: file reads the file"
mock="open=6"
run dump
[ "$code" = 3 ]
result "device node without a module"

mock="abi=1"
run file "$work/short" "$work/none" "$work/missing"
[ "$code" = 1 ] && [ "$(column 5)" = index ] && [ "$(column 1)" = ab ] && [ "$(column 4 3)" = no-note ]
result "file: from the index"
mock="fail=1:95"
run file "$work/short"
[ "$code" = 0 ] && silent && [ "$(column 5)" = file ]
result "file: never indexed there, the file is read"
mock="no-id"
run file "$work/short"
[ "$code" = 0 ] && silent && [ "$(column 5)" = file ] && [ "$(column 1)" = ab ]
result "file: not resident, the file is read"

mock="abi=1"
run addr 1 5 0x10005
[ "$code" = 0 ] && silent && [ "$(column 1)" = 0x0000000000000005 ] && [ "$(column 2)" = 0x5 ] &&
	[ "$(column 5)" = ok ] && [[ $(column 6 3) =~ ^go:abc.*$ ]] && [ "$(column 6 3 | wc -c)" = 87 ]
result "addr: GNU, and a Go ID in full"
run addr 1 3000 5001
[ "$code" = 1 ] && says "address 0x3000: anonymous memory" && [ "$(column 2)" = - ] &&
	[ "$(column 5 3)" = not-indexed ] && [ "$(column 2 3)" = 0x1 ] && [ "$(column 6)" = - ]
result "addr: reasons"
run addr --json 1 5 3000
[ "$code" = 1 ] && json '.[0].offset == 5 and .[0].address == "0x5" and
	.[1].status == "anon" and .[1].build_id == null and (.[1] | has("offset") | not)'
result "addr --json"
mock="fail=4:1"
run addr --json 1 10005
[ "$code" = 0 ] && json '.[0].truncated and (.[0].go_build_id | length) == 32'
result "addr: a long ID without the privilege is marked as cut"
mock="fail=2:1"
run addr 1 5
[ "$code" = 4 ] && says "pid 1: not permitted" && says "CAP_SYS_PTRACE or CAP_PERFMON"
result "addr: not permitted"
mock="fail=2:3"
run addr 1 5 6 7
[ "$code" = 1 ] && [ "$(wc -l <"$work/err")" = 1 ] && says "pid 1: no such process"
result "addr: no such process, said once"

mock="abi=1"
run dump
[ "$code" = 0 ] && silent && [ "$(wc -l <"$work/out")" = 1001 ] && [ "$(column 1 1001)" = 1000 ]
result "dump"
run dump --json
[ "$code" = 0 ] && json 'length == 1000 and ([.[].object] | unique | length) == 1000 and
	.[82].kind == "go" and .[0].mtime == "-1.999999999"'
result "dump --json"
mock="fail=5:1"
run dump --json
[ "$code" = 4 ] && says "CAP_PERFMON or CAP_SYS_ADMIN" && json 'length == 0'
result "dump: not permitted"

mock="abi=1"
run stats
[ "$code" = 0 ] && grep -q '^status *no-note *100$' "$work/out" &&
	grep -q '^counter retry *1300$' "$work/out" && grep -q '^counter unknown-26 *2600$' "$work/out"
result "stats"
run stats --json --cpu 2
[ "$code" = 0 ] && json '.cpu == 2 and .status["no-note"] == 100 and .counter.retry == 1300'
result "stats --json of one CPU"
run stats --cpu=9
[ "$code" = 1 ] && says "cpu 9: no such CPU"
result "stats: no such CPU"
mock="fail=6:1"
run stats
[ "$code" = 4 ] && says "CAP_PERFMON or CAP_SYS_ADMIN"
result "stats: not permitted"

map "$work/gnu"
mock="abi=1"
run exe "$pid"
[ "$code" = 0 ] && [ "$(column 5)" = index ] && [ "$(column 1)" = "$want" ]
result "exe: from the index"
run maps --json "$pid"
[ "$code" = 0 ] && json "all(.from == \"index\")" &&
	json ".[] | select(.path == \"$work/gnu\" and .build_id == \"$id\")"
result "maps: from the index"
mock="moved"
run maps --json "$pid"
[ "$code" = 1 ] && json '[.[] | select(.state == "file")] | length > 2 and
	all(.build_id == null and .status == "raced")'
result "maps: something else is mapped there by now"
mock="no-id"
run exe "$pid"
[ "$code" = 0 ] && silent && [ "$(column 5)" = file ] && [ "$(column 1)" = "$want" ]
result "exe: not resident, the file is read"
mock="fail=3:1"
run exe "$pid"
[ "$code" = 0 ] && silent && [ "$(column 5)" = file ] && [ "$(column 1)" = "$want" ]
result "exe: refused by the module, allowed by /proc"
mock="fail=2:1"
run maps --json "$pid"
[ "$code" = 0 ] && json "all(.from == \"file\")" &&
	json ".[] | select(.path == \"$work/gnu\" and .build_id == \"$id\")"
result "maps: refused by the module, allowed by /proc"
unmap

# Another user, where this one may become one.
mock=
if [ "$(id -u)" = 0 ]; then
	cp "$build/tool/buildidx" "$build/mapfile" "$work/"
	map "$work/gnu"
	tool=$work/as-nobody
	printf '#!/bin/sh\nexec setpriv --reuid 65534 --regid 65534 --clear-groups "%s" "$@"\n' \
		"$work/buildidx" >"$tool"
	chmod 755 "$tool"
	run maps "$pid"
	[ "$code" = 4 ] && [ ! -s "$work/out" ] && says "pid $pid: not permitted" &&
		says CAP_SYS_PTRACE
	result "maps: another user's process"
	run exe "$pid"
	[ "$code" = 4 ] && [ ! -s "$work/out" ] && says "pid $pid: not permitted" &&
		says CAP_SYS_PTRACE
	result "exe: another user's process"
	if [ $device_present = 0 ]; then
		run doctor
		[ "$code" = 3 ] && silent && grep -q '^fail *module *not loaded' "$work/out"
		result "doctor: not root"
	fi
	chmod 600 "$work/gnu"
	run file "$work/short" "$work/gnu"
	[ "$code" = 4 ] && says "$work/gnu: cannot open: Permission denied" && [ "$(column 1)" = ab ]
	result "file: another user's file"
	unmap
fi

echo "1..$n"
exit $failed
