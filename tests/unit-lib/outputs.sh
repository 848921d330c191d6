#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# outputs.sh BUILD - files for pprof and flame graphs, read by programs that are not ours:
# Go's pprof and xmllint. Prints TAP.
set -euo pipefail

build=${1:?the build directory}
export LC_ALL=C.UTF-8
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work PPROF_TMPDIR=$work PPROF_BINARY_PATH=$work
. "$(dirname "$0")/result.sh"
"$build/outputs" "$work"

# pprof OPTION... FILE
pprof() {
	code=0
	go tool pprof "$@" >"$work/out" 2>"$work/err" || code=$?
}

prints() { grep -qE -- "$1" "$work/out"; }

# count XPATH: in the flame graph, whose elements are told by their local names
count() { xmllint --xpath "count($1)" "$work/known.svg"; }

# Conditions that fail are reported, not fatal.
set +e

pprof -raw "$work/known.pb.gz"
[ "$code" = 0 ] && prints '^samples/count cpu/nanoseconds' && prints '^PeriodType: cpu nanoseconds$' &&
	prints '^Period: 10000000$' && prints '^Time: 2023-11-14 22:13:20 ' && prints '^Duration: 2\.5' &&
	prints 'a comment'
result "pprof: types of samples, period, time and duration"
# mapping NAME START LIMIT OFFSET BUILD-ID
mapping() { prints "^[0-9]+: $2/$3/$4 $1 $5 "; }
mapping '/usr/bin/prog' 0x10000000 0x10005000 0x0 aa11 &&
	mapping 'vmlinux' 0xffffffff81000000 0xffffffff82000000 0xffffffff81000000 cc33 &&
	mapping '\[ext4\]' 0x[0-9a-f]+ 0x[0-9a-f]+ 0x0 dd44 &&
	mapping '\[bpf_prog_0011_busy\]' 0x[0-9a-f]+ 0x[0-9a-f]+ 0x0 ee55 &&
	mapping 'odd\?é' 0x[0-9a-f]+ 0x[0-9a-f]+ 0x0 go:x/y
result "pprof: each mapping has its build ID, and vmlinux its own addresses"
[ "$(sed -n '/^Mappings/,$p' "$work/out" | grep -c '^[0-9]')" = 5 ]
result "pprof: one mapping for each build ID"
prints '^ *3 +30000000: ' && prints '^ *4 +40000000: ' && prints '^ *1 +10000000: '
result "pprof: values of samples, equal ones added up"
# location ADDRESS FUNCTION...: with its line, where there is one
prints ': 0x10001234 M=1 inner /src/prog.c:30' && prints '^ +outer /src/prog.c:20' &&
	prints ': 0x10001fff M=1 main /src/caf.351/prog.c:7' && prints ': 0xffffffff81000fff M=[0-9] do_syscall_64 ' &&
	prints ' busy /src/busy.bpf.c:17' && prints ' \[bpf_trampoline_9\] ' && prints ' \[anon\] ' &&
	prints ' \[unrecorded\] ' && prints ' \[truncated\] '
result "pprof: functions, lines and what is inlined; calls are in front of return addresses"
prints '^ +comm:\[a<&">b\]' && prints '^ +pid:\[11\]' && prints '^ +pid:\[12\]'
result "pprof: labels"
start=$(sed -n 's,^[0-9]*: \(0x[0-9a-f]*\)/.* \[ext4\] .*,\1,p' "$work/out")
[ -n "$start" ] && prints ": $(printf '0x%x' $((start + 0x7f00 - 1))) M=[0-9] *$"
result "pprof: address - start + offset is that of the frame"
pprof -traces "$work/known.pb.gz"
[ "$code" = 0 ] && grep -A1 -E '^ +30ms +busy' "$work/out" | grep -qF '[bpf_trampoline_9]'
result "pprof: the innermost frame comes first"
pprof -top -sample_index=samples "$work/known.pb.gz" "$work/known.pb.gz"
[ "$code" = 0 ] && prints '^ +8 .* inner \(inline\)$' && prints '^ +6 .* busy$'
result "pprof: two profiles are added up"
pprof -raw "$work/unnamed.pb.gz"
[ "$code" = 0 ] && prints ' aa11 $' && prints ': 0x10001234 M=1 *$' && ! prints inner
result "pprof: without names there are addresses, to be symbolized by build ID"

code=0
xmllint --noout --nonet "$work/known.svg" >"$work/out" 2>"$work/err" || code=$?
[ "$code" = 0 ] && [ ! -s "$work/err" ]
result "flame graph: well-formed XML"
box='//*[local-name()="g"][@id="frames"]/*[local-name()="g"]'
[ "$(count "${box}")" = 15 ] && [ "$(count "${box}[*[local-name()=\"title\"]][*[local-name()=\"rect\"]]")" = 15 ]
result "flame graph: a box for each frame"
[ "$(count "${box}[starts-with(@class, \"b\")]")" = 1 ] && [ "$(count "${box}[starts-with(@class, \"k\")]")" = 3 ] &&
	[ "$(count "${box}[starts-with(@class, \"n\")]")" = 3 ]
result "flame graph: kernel, BPF and what is no frame have colours of their own"
title() { xmllint --xpath "${box}/*[local-name()=\"title\"]/text()" "$work/known.svg" | grep -qxF -- "$1"; }
title 'all (8 samples, 100.00%)' && title 'bpf:ee55+0x10_[b] (3 samples, 37.50%)' && title 'prog (4 samples, 50.00%)'
result "flame graph: samples and share of each box"
title 'a&lt;&amp;"&gt;b (3 samples, 37.50%)' && xmllint --xpath '//*[@id="title"]/text()' "$work/known.svg" | grep -qF 'a &lt;title&gt; &amp; more'
result "flame graph: names are no markup"
[ "$(grep -vF 'xmlns="http://www.w3.org/2000/svg"' "$work/known.svg" | grep -cE 'https?:|href|src=|@import|url\(')" = 0 ]
result "flame graph: needs nothing else"
xmllint --noout "$work/odd.svg" 2>"$work/err" && grep -qF 'a???b_[k]' "$work/odd.svg"
result "flame graph: what XML cannot hold"
awk 'BEGIN { printf "x"; for (i = 0; i < 100000; i++) printf ";f"; print " 1" }' |
	"$build/tool/buildidx" symbolize --svg "$work/deep.svg" >"$work/out" 2>"$work/err"
[ ! -s "$work/out" ] && xmllint --noout "$work/deep.svg" 2>>"$work/err"
result "flame graph: a stack that is deeper than any"
: | "$build/tool/buildidx" symbolize --svg "$work/empty.svg" >"$work/out" 2>"$work/err"
xmllint --noout "$work/empty.svg" 2>>"$work/err"
result "flame graph: of nothing"

echo "1..$n"
exit "$failed"
