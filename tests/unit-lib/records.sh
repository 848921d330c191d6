#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# records.sh BUILD - the commands bpf, watch and resolve, with files and with a device that
# a preloaded library plays; exported programs as others read them. Prints TAP.
set -euo pipefail

build=${1:?the build directory}
here=$(dirname "$(realpath "$0")")
little=$here/golden/little.bidx
big=$here/golden/big.bidx
export LC_ALL=C.UTF-8 TZ=UTC0
# no server but our own
export DEBUGINFOD_URLS=
work=$(mktemp -d)
pids=()

# shellcheck disable=SC2317 # called by the trap
cleanup() {
	local p
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	rm -rf "$work"
}
trap cleanup EXIT

. "$here/result.sh"
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

# other COMMAND...: another program's answer, into $work/out
other() {
	code=0
	"$@" >"$work/out" 2>"$work/err" || code=$?
}

says() { grep -qF -- "$1" "$work/err"; }
prints() { grep -qF -- "$1" "$work/out"; }
silent() { [ ! -s "$work/err" ]; }
json() { jq -e "$1" "$work/out" >/dev/null; }
lines() { [ "$(wc -l <"$work/out")" = "$1" ]; }

id=84c66f952bf9e768946a1ad38179ebcc6ed87a48
second=917e2b5ae857658fc984dc594edfc6c581122b71
vmlinux=101112131415161718191a1b1c1d1e1f20212223

set +e

for tool in "$build/tool/buildidx" "$build/tool-asan/buildidx"; do
	echo "# $tool"
	mock=

	for c in bpf watch resolve; do
		run $c --help
		[ "$code" = 0 ] && silent && prints "Usage: buildidx $c" && prints "  4  not permitted"
		result "$c --help"
		run $c --no-such-option
		[ "$code" = 2 ] && says "Try 'buildidx $c --help'"
		result "$c refuses an unknown option"
	done
	for args in bpf "bpf nonsense" "bpf show" "bpf list 1" "bpf lines" "bpf lines 1 2" \
		    "bpf show x" "bpf show 0" "bpf show object:" "bpf show 99999999999" \
		    "bpf show ${id}00" "bpf export 1" "bpf export" "bpf export --all" \
		    "bpf export --all 1 --debuginfod=x" "bpf list -o $work/never" \
		    "bpf export object:4 -o -" "watch x" "watch --types=nonsense" \
		    "watch --types=" "watch -p x" "watch -n 0" "watch -n 1x" "watch --oldest" \
		    "watch --json -o $work/never" "resolve" "resolve zz" \
		    "resolve --time=x 1" "resolve --time=0 1" "resolve --time=1.1234567891 1" \
		    "resolve --time=2020-01-01 1"; do
		# shellcheck disable=SC2086
		run $args ${args:+-f "$little"}
		[ "$code" = 2 ] && ! silent && [ ! -s "$work/out" ]
		result "usage error: $args"
	done
	[ ! -e "$work/never" ]
	result "watch: nothing written"

	# Files
	run bpf list -f "$little"
	[ "$code" = 0 ] && silent && lines 3 && prints " golden_main" && prints "$id" &&
		prints "2023-11-14 22:13:40.000" && prints tracing
	result "bpf list"
	run bpf list -H --gone -f "$little"
	[ "$code" = 0 ] && lines 1 && prints "$id"
	result "bpf list --gone"
	run bpf list -H --live -f "$little"
	[ "$code" = 0 ] && lines 1 && prints "$second"
	result "bpf list --live"
	run bpf dump --json -f "$little"
	cp "$work/out" "$work/little"
	[ "$code" = 0 ] && silent && json 'length == 2 and .[0].object == 4 and .[0].id == 12 and
		.[0].state == "gone" and .[0].unloaded == "20.000000000" and
		.[0].unloaded_by.comm == "closer" and .[0].unloaded_by.pid == 77 and
		.[0].loaded_utc == "2023-11-14T22:13:30.000000001Z" and .[0].loaded_by.uid == 1000 and
		.[0].prog_type == "tracing" and .[0].attach_type == "trace_fentry" and
		.[0].attach_to == "vfs_read" and .[0].maps == [{"id":21},{"id":22}] and
		.[0].build_id_matches and .[0].functions[1].address == "0xffffffffc0001020" and
		.[0].functions[1].offset == 16 and (.[0].lines | length) == 5 and
		.[0].lines[1].text == "\treturn helper() + 1;" and .[0].lines[1].column == 9 and
		(.[0].image_hex | startswith("554889e5")) and .[1].image_hex == null and
		.[1].state == "live" and .[1].loaded_by == null and .[1].btf == false and
		.[1].adopted and .[1].name == "-"'
	result "bpf dump --json"
	run bpf dump --json -f "$big"
	[ "$code" = 0 ] && cmp -s "$work/out" "$work/little"
	result "bpf dump: the same from the other byte order"
	run bpf dump --json -f - <"$little"
	[ "$code" = 0 ] && cmp -s "$work/out" "$work/little"
	result "bpf dump: from the standard input"
	sed 's|closer|c\xc2\x9b\x7fer|' "$little" >"$work/csi"
	run bpf show --json -f "$work/csi" object:4
	[ "$code" = 0 ] && prints 'c\u009b\u007fer' && json '.[0].unloaded_by.comm == "c\u009b\u007fer"'
	result "bpf --json: nothing that a terminal obeys"
	for which in object:4 $id "${id^^}"; do
		run bpf show -f "$little" "$which"
		[ "$code" = 0 ] && silent && prints "program      12, object 4" &&
			prints "by pid 77, closer" && prints "+0x10, 6 bytes, 2 lines: helper"
		result "bpf show $which"
	done
	run bpf show --json -f "$little" 12 object:4
	[ "$code" = 0 ] && json '.[0].object == 6 and .[1].object == 4'
	result "bpf show: of two with one number, the one that is loaded"
	run bpf show -f "$little" 13 object:4
	[ "$code" = 1 ] && says "no BPF program 13" && prints "object 4"
	result "bpf show: goes on after what is not there"
	run bpf show -f "$little" object:3
	[ "$code" = 1 ] && says "of type module, not a BPF program"
	result "bpf show: a module is no program"
	run bpf lines -f "$little" object:4
	[ "$code" = 0 ] && silent && lines 7 &&
		prints "  0x4      /build/golden/prog.bpf.c:9:9  return helper() + 1;"
	result "bpf lines"
	run bpf list -f "$work/missing"
	[ "$code" = 1 ] && says "$work/missing: cannot open: No such file"
	result "bpf: no such file"
	run bpf list -f "$build/mapfile"
	[ "$code" = 1 ] && says "not a file of buildidx records"
	result "bpf: another file"

	run watch -f "$little"
	[ "$code" = 1 ] && lines 13 && prints "bpf-load   + $id golden_main" && says "5 records lost" &&
		prints "5 records lost" && says "20 bytes are left aside" && prints "type 99, 40 bytes"
	result "watch --file: all, and what is missing is said"
	run watch -f "$little" --json
	[ "$code" = 1 ] && jq -es 'length == 13 and .[10].lost == 5 and .[8].path == "/usr/bin/golden" and
		.[9].path == null and .[0].build_id == "'$vmlinux'" and .[12].state == "gone" and
		.[3].seq == 11' "$work/out" >/dev/null
	result "watch --file --json: one object a line"
	run watch -f "$little" -t bpf
	[ "$code" = 1 ] && lines 4 && prints "bpf-unload - $id" && prints "lost"
	result "watch --types: with what is lost"
	run watch -f "$little" -p 500 --json
	[ "$code" = 1 ] && [ "$(jq -r .type "$work/out" | tr '\n' ' ')" = "object map lost " ]
	result "watch --pid"
	run watch -f "$little" -n 2
	[ "$code" = 0 ] && lines 2
	result "watch --count"
	run watch -f "$big" -o "$work/copy"
	[ "$code" = 1 ] && says "11 records, 5 lost" && says "1 records of types" && run bpf dump --json -f "$work/copy" &&
		cmp -s "$work/out" "$work/little"
	result "watch -o: a copy in this machine's byte order"
	run watch -f "$little" -t module -o "$work/copy" && run watch -f "$work/copy"
	lines 4 && ! prints bpf-load
	result "watch -o: a part of a file"
	run watch -f "$work/copy" -o "$work/copy"
	[ "$code" = 2 ] && says "read and written at once" && [ -s "$work/copy" ] &&
		run watch -f "$work/copy" && lines 4
	result "watch -o: not into the file that is read"
	run watch -f "$little" -o /dev/full
	[ "$code" = 1 ] && says "No space left"
	result "watch -o: a full disk is noticed"
	head -c 1300 "$little" >"$work/cut"
	run bpf list -H -f "$work/cut"
	[ "$code" = 0 ] && lines 1
	result "a file whose writer was killed"
	{ head -c 134 "$little"; printf '\xff'; tail -c +136 "$little"; } >"$work/bad"
	run bpf list -f "$work/bad"
	[ "$code" = 1 ] && says "the record at offset 128 is damaged"
	result "a damaged file is told"

	a=ffffffffc0001004
	run resolve -f "$little" --time 15000000000 $a
	[ "$code" = 0 ] && silent && prints "bpf       $id+0x4 golden_main+0x4 /build/golden/prog.bpf.c:9:9  return helper() + 1;" &&
		prints "(gone since 2023-11-14 22:13:40.000)"
	result "resolve: by time, the program that is gone"
	for when in 22.5 "2023-11-14 22:13:42" "2023-11-14 22:13:42.25" 22500000000; do
		run resolve -f "$little" --time "$when" $a
		[ "$code" = 0 ] && prints "$second+0x4"
		result "resolve: the next one at this address, at $when"
	done
	run resolve -f "$little" --time 20.5 $a
	[ "$code" = 1 ] && says "address 0x$a: no record"
	result "resolve: between them, nothing"
	run resolve -f "$big" --json $a ffffffff81000123 0xffffffffc0201010 ffffffffc0300010 ffffffffc0300900 10
	[ "$code" = 1 ] && json 'length == 6 and .[0].build_id == "'$second'" and .[0].state == "live" and
		.[1].kind == "vmlinux" and .[1].offset == "0xffffffff81000123" and .[1].build_id == "'$vmlinux'" and
		.[2].kind == "module" and .[2].name == "golden_mod" and .[2].offset == "0x10" and
		.[2].state == "gone" and .[3].kind == "generated" and .[3].build_id == null and
		.[3].name == "bpf_trampoline_6442462665" and .[4].name == "bpf_trampoline_6442462665" and
		.[5].errno == 2'
	result "resolve: vmlinux, module, generated text, nothing"
	run resolve -f "$little" --time 12.0 ffffffffc0300900
	[ "$code" = 0 ] && prints "ftrace_trampoline+0x100"
	result "resolve: a text that is told too long ends at the next"

	# Exported programs, as other programs read them
	rm -rf "$work/src"
	run bpf export -f "$little" object:4 -o "$work/a.elf" --sources "$work/src"
	[ "$code" = 0 ] && silent && [ -s "$work/a.elf" ]
	result "bpf export"
	run bpf export -f "$big" object:4 -o "$work/big.elf"
	[ "$code" = 0 ] && silent
	result "bpf export: of a big endian machine"
	run bpf export -f "$little" $second -o "$work/b.elf"
	[ "$code" = 0 ] && silent
	result "bpf export: without text and lines"
	run bpf export -f "$little" object:4 -o /dev/null
	[ "$code" = 1 ] && says "/dev/null: not a regular file" && [ -c /dev/null ]
	result "bpf export: never in the place of a device"
	run bpf export -f "$little" object:4 -o "$work/no/where"
	[ "$code" = 1 ] && says "$work/no/where"
	result "bpf export: a directory that is not there"
	printf 'S=%s\n' "$(cat -n "$work/src/build/golden/prog.bpf.c")" >"$work/out"
	[ "$(sed -n 9p "$work/src/build/golden/prog.bpf.c")" = $'\treturn helper() + 1;' ] &&
		[ "$(wc -l <"$work/src/build/golden/prog.bpf.c")" = 9 ] &&
		[ "$(sed -n 5p "$work/src/include/helper.h")" = $'\treturn 42;' ]
	result "bpf export --sources: each line has its number"
	run bpf export -f "$little" object:4 --sources "$work/src"
	[ "$code" = 0 ] && silent
	result "bpf export --sources: once more"
	echo mine >>"$work/src/include/helper.h"
	run bpf export -f "$little" object:4 --sources "$work/src"
	[ "$code" = 1 ] && says "include/helper.h: another file is there" &&
		[ "$(tail -n 1 "$work/src/include/helper.h")" = mine ]
	result "bpf export --sources: writes over no other file"
	sed -i '$d' "$work/src/include/helper.h"
	rm -rf "$work/dbg"
	run bpf export -f "$little" --all --debuginfod "$work/dbg" --sources "$work/allsrc"
	[ "$code" = 0 ] && says "2 programs written" && [ -s "$work/dbg/buildid/$id/debuginfo" ] &&
		[ -s "$work/dbg/buildid/$id/executable" ] && [ -s "$work/dbg/buildid/$second/debuginfo" ] &&
		[ ! -e "$work/dbg/buildid/$second/executable" ] &&
		[ -s "$work/allsrc/$id/build/golden/prog.bpf.c" ]
	result "bpf export --all --debuginfod"

	# A record from anywhere names no file outside of the directory.
	sed 's|/build/golden/prog.bpf.c|/../../../../evil.bpf.c/|' "$little" >"$work/evil"
	mkdir -p "$work/deep/down/here"
	run bpf export -f "$work/evil" object:4 --sources "$work/deep/down/here/src"
	[ "$(find "$work" -name 'evil.bpf.c' | tr '\n' ' ')" = "$work/deep/down/here/src/evil.bpf.c " ] &&
		[ "$(find "$work/deep" -type f | wc -l)" = 2 ]
	result "bpf export --sources: stays in its directory"
	run bpf show -f "$work/evil" object:4
	prints "not that of this content"
	result "bpf show: a build ID that is not that of the content"
	run bpf export -f "$work/evil" object:4 -o "$work/evil.elf" --debuginfod "$work/evildbg"
	[ "$code" = 1 ] && says "not that of its content" && [ ! -e "$work/evil.elf" ] && [ ! -e "$work/evildbg" ]
	result "bpf export: nothing under a build ID that is not its own"
	run bpf export -f "$work/evil" --all --debuginfod "$work/evildbg"
	[ "$code" = 1 ] && says "not that of its content" && says "1 programs written" &&
		[ ! -e "$work/evildbg/buildid/$id" ] && [ -e "$work/evildbg/buildid/$second/debuginfo" ]
	result "bpf export --all: the others"
	rm -rf "$work/evildbg"
	echo "a;bpf:$id+0x4_[b] 1" >"$work/stack"
	run symbolize -r "$little" "$work/stack"
	[ "$code" = 0 ] && prints "a;golden_main_[b] 1"
	result "symbolize --records"
	run symbolize -r "$work/evil" "$work/stack"
	[ "$code" = 1 ] && says "not that of its content" && prints "a;bpf:$id+0x4_[b] 1"
	result "symbolize --records: no names from a record with another's build ID"
done

echo "# other programs' view of what was exported"
other readelf -nWs "$work/a.elf"
[ "$code" = 0 ] && silent && prints "Build ID: $id" &&
	grep -qE '0{16} +13 FUNC +GLOBAL +DEFAULT +2 golden_main$' "$work/out" &&
	grep -qE '0{14}10 +6 FUNC +GLOBAL +DEFAULT +2 helper$' "$work/out"
result "readelf -n -s"
other readelf -wlair "$work/a.elf"
[ "$code" = 0 ] && silent
result "readelf finds no fault with the debug information"
for f in a big; do
	other eu-elflint --quiet "$work/$f.elf"
	[ "$code" = 0 ] && silent && [ ! -s "$work/out" ]
	result "eu-elflint: $f.elf"
	other eu-addr2line -f -e "$work/$f.elf" 0x5 0x12
	[ "$code" = 0 ] && [ "$(sed -n 1,3p "$work/out" | tr '\n' ' ')" = \
		"golden_main /build/golden/prog.bpf.c:9:9 helper " ] && grep -q 'helper\.h:5:2$' "$work/out"
	result "eu-addr2line -f: $f.elf"
done
other eu-elflint --quiet -d "$work/b.elf"
[ "$code" = 0 ] && silent && [ ! -s "$work/out" ]
result "eu-elflint: b.elf, as debug information"
other addr2line -f -e "$work/a.elf" 0x5 0x12
[ "$code" = 0 ] && silent && [ "$(tr '\n' ' ' <"$work/out")" = \
	"golden_main /build/golden/prog.bpf.c:9 helper ././include/helper.h:5 " ]
result "addr2line -f"
other addr2line -f -e "$work/b.elf" 0x5
[ "$code" = 0 ] && prints bpf_prog_0102030405060708
result "addr2line -f: a program without names and lines"
other gdb -nx -batch -ex 'info line *0x5' -ex 'info symbol 0x12' "$work/a.elf"
[ "$code" = 0 ] && prints 'Line 9 of "/build/golden/prog.bpf.c" starts at address 0x4 <golden_main+4> and ends at 0x6' &&
	prints 'helper + 2 in section .text'
result "gdb: info line"
other objdump -dl "$work/a.elf"
[ "$code" = 0 ] && silent && grep -A1 '^/build/golden/prog.bpf.c:9$' "$work/out" | grep -q 'xor *%eax,%eax' &&
	grep -A1 'helper\.h:5$' "$work/out" | grep -q 'mov .*0x2a,%eax'
result "objdump -dl: code and lines"
cp -r "$work/src/." "$work/root"
other objdump -dS --prefix="$work/root" --prefix-strip=0 "$work/a.elf"
[ "$code" = 0 ] && prints 'return helper() + 1;'
result "objdump -dS with the exported sources"

# debuginfod of 0.188 listens on all addresses: only where there is but loopback
cat >"$work/serve" <<'END'
set -eu
ip link set lo up
cd "$1"
mkdir -p cache
echo 0 >cache/cache_miss_s
debuginfod -p 8002 -d :memory: -F dbg >server.log 2>&1 &
server=$!
trap 'kill $server' EXIT
export DEBUGINFOD_URLS=http://127.0.0.1:8002 DEBUGINFOD_CACHE_PATH=$1/cache
# it has to look at the files first
tries=0
until file=$(debuginfod-find debuginfo "$2" 2>find.err); do
	tries=$((tries + 1))
	[ $tries -lt 300 ] || { cat find.err server.log; exit 1; }
	sleep 0.1
done
eu-addr2line -f -e "$file" 0x5
addr2line -f -e "$(debuginfod-find debuginfo "$3")" 0x5
objdump -d "$(debuginfod-find executable "$2")"
END
if unshare -n true 2>/dev/null; then
	other unshare -n sh "$work/serve" "$work" $id $second
	[ "$code" = 0 ] && prints "golden_main" && prints "/build/golden/prog.bpf.c:9:9" &&
		prints bpf_prog_0102030405060708 && grep -q 'mov .*0x2a,%eax' "$work/out"
	result "debuginfod: an ordinary client finds programs that are gone"
else
	n=$((n + 1))
	echo "ok $n - debuginfod # SKIP needs root, for a network of its own"
fi

# A device that the test plays. The preloaded library does not go together with ASan.
tool=$build/tool/buildidx
echo "# a device that the test plays"
mock="records=$little programs=3"
run bpf list -H
[ "$code" = 0 ] && silent && lines 2 && prints "$id" && prints "$second"
result "bpf list: from the module"
run bpf list -H --gone
[ "$code" = 0 ] && lines 1 && prints "$id"
result "bpf list --gone: from the module"
run bpf show --json 12 object:4 $id
[ "$code" = 0 ] && silent && json '[.[].object] == [6,4,4]'
result "bpf show: from the module, by number, record and build ID"
run bpf show 99
[ "$code" = 1 ] && says "BPF program 99: no record of it"
result "bpf show: no such program"
run bpf lines object:4
[ "$code" = 0 ] && prints "return 42;"
result "bpf lines: from the module"
run bpf export object:4 -o "$work/m.elf"
[ "$code" = 0 ] && silent && cmp -s "$work/m.elf" "$work/a.elf"
result "bpf export: from the module, the same"
run resolve --time 15.0 ffffffffc0001004 && prints "$id+0x4"
result "resolve: from the module"
run resolve --json ffffffffc0001004 ffffffff81000123
[ "$code" = 0 ] && json '.[0].build_id == "'$second'" and .[1].kind == "vmlinux"'
result "resolve: from the module, now"
mock="records=$little bpf=1"
run bpf list -H
[ "$code" = 4 ] && lines 2 && says "older than the module" && says CAP_SYS_ADMIN
result "bpf list: older programs cannot be enumerated"

mock="records=$little"
run watch --oldest -n 9
[ "$code" = 1 ] && lines 10 && prints "golden_main" && ! prints " map " && prints "5 records lost" && says "5 records lost"
result "watch: from the module, without what was not asked for"
run watch --oldest -t map --json -n 1
[ "$code" = 0 ] && json '.type == "map"'
result "watch: asked for"
run watch --oldest -t bpf -o "$work/cap" -n 4
[ "$code" = 0 ] && says "4 records, 0 lost" && run bpf dump --json -f "$work/cap" &&
	json 'length == 2 and .[0].state == "gone" and .[1].object == 6'
result "watch -o: starts with what is there"

run watch --oldest -t bpf -o "$work/cap" -n 1
[ "$code" = 0 ] && says "1 records, 0 lost"
result "watch -o --count: what is there already counts"

# Ctrl-C: cleanly, with what came so far.
LD_PRELOAD=$build/preload.so MOCKDEV=$mock "$tool" watch --oldest -o "$work/cap" \
	>"$work/out" 2>"$work/err" &
pids+=($!)
until { "$tool" watch -f "$work/cap" 2>/dev/null || true; } | grep -q ' ksym  *- '; do
	kill -0 "${pids[-1]}" 2>/dev/null || break
	sleep 0.05
done
code=0
kill -INT "${pids[-1]}" && wait "${pids[-1]}" || code=$?
[ "$code" = 1 ] && says "$work/cap: 15 records, 5 lost"
result "watch: an interrupt ends it cleanly"
LD_PRELOAD=$build/preload.so MOCKDEV="$mock endless" "$tool" watch --oldest -o "$work/many" \
	>"$work/out" 2>"$work/err" &
pids+=($!)
until [ "$(stat -c %s "$work/many" 2>/dev/null || echo 0)" -gt 100000 ]; do
	kill -0 "${pids[-1]}" 2>/dev/null || break
	sleep 0.05
done
code=0
kill -INT "${pids[-1]}"
timeout 60 tail --pid "${pids[-1]}" -f /dev/null || kill -KILL "${pids[-1]}"
wait "${pids[-1]}" || code=$?
[ "$code" = 1 ] && says "$work/many: "
result "watch: an interrupt ends it while records keep coming"
rm -f "$work/many"
{ LD_PRELOAD=$build/preload.so MOCKDEV=$mock "$tool" watch --oldest 2>"$work/err" || true; } |
	head -n 2 >"$work/out"
lines 2
result "watch: ends when nobody reads it any more"

mock=
if [ ! -e /dev/buildidx ]; then
	for args in "bpf list" watch "resolve 1"; do
		# shellcheck disable=SC2086
		run $args
		[ "$code" = 3 ] && [ ! -s "$work/out" ] && says "modprobe buildidx" && says "buildidx doctor"
		result "no module: $args"
	done
fi
for args in "bpf show 1:7" "bpf list:8" "watch:10" "resolve 1:7"; do
	mock="fail=${args##*:}:1"
	# shellcheck disable=SC2086
	run ${args%:*}
	[ "$code" = 4 ] && says "CAP_PERFMON" && says "not permitted"
	result "not permitted: ${args%:*}"
	mock="fail=${args##*:}:95"
	# shellcheck disable=SC2086
	run ${args%:*}
	[ "$code" = 1 ] && says "buildidx doctor"
	result "not on this kernel: ${args%:*}"
	mock=old
	# shellcheck disable=SC2086
	run ${args%:*}
	[ "$code" = 3 ] && says "the module is older than this"
	result "an older module: ${args%:*}"
done

echo "1..$n"
exit $failed
