#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# host.sh LOGS: what the guest's profiles say here, on another machine: functions found
# from the build IDs alone; pprof and flame graph read by others. Prints "ok - " and
# "not ok - " lines.
set -euo pipefail
. "$(dirname "$0")/../../lib/common.sh"

left=$1/left
folded=$left/folded
named=$1/named
tool=$TOP_DIR/build/guest/profile/buildidx
payload=$TOP_DIR/build/guest-profile
failed=0

# point TEXT COMMAND...
point()
{
	local text=$1
	shift
	if "$@"; then
		echo "ok - host: $text"
	else
		echo "not ok - host: $text"
		failed=1
	fi
}

mkdir -p "$left"
tar xf "$1/files" -C "$left"

status=0
DEBUGINFOD_URLS='' "$tool" symbolize --dir "$payload" --dir "$(command -v dash)" \
	--dir "$(command -v busybox)" "$folded" > "$named" 2> "$named.err" || status=$?
read -r _ some _ all _ < "$named.err"
point 'symbolize ends with 0 if all frames have a name, else with 1' [ "$status" = "$((some < all))" ]
point 'the same number of samples' \
	[ "$(awk '{ n += $NF } END { print n + 0 }' "$folded")" = "$(awk '{ n += $NF } END { print n + 0 }' "$named")" ]
for comm in work '[xy]-gone' '[xy]-inside'; do
	point "functions of $comm" grep -qE "^$comm;.*;main;work_outer;work_middle;work_inlined_\[i\] [0-9]+\$" "$named"
done
point 'the work of cc1, as and others has names' grep -qE '^cc1;.*;[a-z_]+[a-z0-9_]* [0-9]+$' "$named"
head -n 20 "$named.err" | sed 's/^/# host: /'

# BPF programs, from what was exported; their file is on neither machine.
DEBUGINFOD_URLS='' "$tool" symbolize --dir "$left/debuginfod" "$left/kernel" > "$named" 2> "$named.err" || true
for name in hog hog_fentry; do
	point "BPF program $name, which is gone" grep -qE "^hog;.*_\\[k\\];${name}_\\[b\\]" "$named"
done
DEBUGINFOD_URLS='' DEBUGINFOD_CACHE_PATH=$1/cache "$tool" symbolize --debuginfod "file://$left/debuginfod" \
	"$left/kernel" > "$named" 2> "$named.err" || true
point 'the same, from a debuginfod server' grep -qE '^hog;.*_\[k\];hog_\[b\]' "$named"

raw=$1/raw
PPROF_TMPDIR=$1 PPROF_BINARY_PATH=$1 go tool pprof -raw "$left/kernel.pb.gz" > "$raw" 2> "$raw.err" || true
sed -n '/^Mappings/,$p' "$raw" | sed 's/^/# host: /'
point 'pprof reads it' grep -q '^samples/count cpu/nanoseconds' "$raw"
point 'pprof: vmlinux has a build ID' grep -qE '^[0-9]+: 0xf[0-9a-f]{15}/0xf[0-9a-f]{15}/0xf[0-9a-f]{15} vmlinux [0-9a-f]{40} ' "$raw"
point 'pprof: a module has one' grep -qE '^[0-9]+: .* \[ext4\] [0-9a-f]{40} ' "$raw"
point 'pprof: a BPF program has one' grep -qE '^[0-9]+: .* \[bpf_prog_[0-9a-f]{16}_hog\] [0-9a-f]{40} ' "$raw"
# hog runs all the while; who names the file of one that is gone at once may come too late
point 'pprof: a program has one, and its name' grep -qE '^[0-9]+: .* /test/profile/hog [0-9a-f]{40} ' "$raw"
without_id()
{
	sed -n '/^Mappings/,$p' "$raw" | grep -E '^[0-9]+: ' | grep -vE ' ([0-9a-f]{16,64}|go:[^ ]+|hash:[0-9a-f]+) (\[|$)'
}
point 'pprof: each mapping has one' [ -z "$(without_id)" ]
point 'pprof: lines of programs that are gone' grep -qE ' hog_fentry .*/hog\.bpf\.c:[0-9]+' "$raw"
point 'pprof: labels' grep -qE '^ +comm:\[hog\]' "$raw"
point 'flame graph: well-formed' xmllint --noout --nonet "$left/kernel.svg"
point 'flame graph: frames of all kinds' [ "$(grep -cE '<g class="[ukb][0-2]"><title>(main|do_syscall_64_\[k\]|hog_\[b\]) ' \
	"$left/kernel.svg")" -ge 3 ]
exit "$failed"
