#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# judge.sh LOGS STATUS RELEASE: what did this boot show? LOGS is a directory that run.sh
# filled, STATUS QEMU's exit status. Prints "ok - ..." and "not ok - ..." lines with "#"
# lines in between; exit status 1 when anything was not ok.
#
# A run is good only when every test listed ended with good TAP, the kernel log is whole
# and clean, the end marker came and the kernel powered down by itself.
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"

logs=$1 status=$2 release=$3
failures=0
bad()
{
	echo "not ok - $*"
	failures=$((failures + 1))
}

touch "$logs"/{console,results,dmesg}
tr -d '\r' < "$logs/results" > "$logs/results.txt"

# text NAME: what that test printed
text()
{
	awk -v name="$1" '
		$1 == "#:" && $3 == name	{ inside = $2 == "begin"; next }
		inside' "$logs/results.txt"
}

# verdict NAME: "KIND STATUS SECONDS"; STATUS is empty when it has no end
verdict()
{
	awk -v name="$1" '
		$1 == "#:" && $3 == name && $2 == "begin"	{ kind = $4 }
		$1 == "#:" && $3 == name && $2 == "end"		{ end = $4 " " $5 }
		END						{ if (kind) print kind, end }' "$logs/results.txt"
}

grep -q "^#: guest $release\$" "$logs/results.txt" ||
	bad "boot: $release did not get as far as its init; see console"
while read -r _ _ what; do
	bad "$what"
done < <(grep '^#: fail ' "$logs/results.txt")

mapfile -t names < <(cut -f1 "$logs/list")
grep -q '^UNLOAD=no' "$logs/settings" || names+=(unload)
for name in ${names[@]+"${names[@]}"}; do
	read -r kind end seconds < <(verdict "$name") || true
	case ${kind:-}:${end:-} in
	:*)
		bad "$name: was not run"
		;;
	*:)
		bad "$name: did not end"
		text "$name" | tail -n 40 | sed "s/^/# $name: /"
		;;
	*:no-module)
		bad "$name: buildidx did not load"
		text "$name" | sed "s/^/# $name: /"
		;;
	*:no-unload)
		bad "$name: buildidx did not unload before it"
		text "$name" | sed "s/^/# $name: /"
		;;
	*:timeout)
		text "$name" | awk -v name="$name" -v kind="$kind" -v status=0 -f "$TESTS_DIR/lib/tap.awk" || true
		bad "$name: hung (killed; what it waited for is in the kernel log)"
		;;
	*)
		text "$name" | awk -v name="$name" -v kind="$kind" -v status="$end" \
			-f "$TESTS_DIR/lib/tap.awk" || failures=$((failures + 1))
		echo "# $name: took $seconds s"
		;;
	esac
	kind='' end='' seconds=''
done

# The log is judged even when it is not whole: the console has what killed the guest.
found=0
awk -v allow="$TESTS_DIR/vm/splat.allow" -f "$TESTS_DIR/vm/splat.awk" \
	"$logs/dmesg" "$logs/console" > "$logs/splats" || found=$?
case $found in
0)	clean=yes ;;
1)	clean=no ;;
*)	clean=no; bad 'kernel log: the splat detector could not run' ;;
esac
while IFS=$'\t' read -r name line; do
	bad "kernel log: $name: $line"
done < "$logs/splats"
if [ "$found" = 1 ]; then
	# what surrounds the first one, from the log that has it
	line=$(head -n 1 "$logs/splats" | cut -f2)
	cat "$logs/dmesg" "$logs/console" | tr -d '\r' |
		grep -a -m 1 -B 5 -A 45 -F -- "$line" | sed 's/^/# kernel: /' || true
fi
if ! head -n 5 "$logs/dmesg" | grep -aq 'Linux version' ||
	! tail -n 5 "$logs/dmesg" | grep -aq 'buildidx-vm: end of run'; then
	bad 'kernel log: is not whole (start or end missing), so it proves nothing'
	clean=no
fi
[ "$clean" = no ] || echo 'ok - kernel log: whole and clean'

end=good
if ! grep -q '^#: done$' "$logs/results.txt"; then
	bad 'boot: no end marker: the guest did not reach the end of its list'
	end=bad
fi
case $status in
0)	;;
124|137)
	bad "boot: did not end in time and was killed"
	end=bad
	;;
*)
	bad "boot: QEMU ended with status $status: $(tail -n 3 "$logs/qemu" | tr '\n' ' ')"
	end=bad
	;;
esac
if ! grep -aq 'reboot: Power down' "$logs/console"; then
	bad 'boot: no clean power-down'
	end=bad
fi
if [ "$end" = good ]; then
	echo 'ok - boot: ran to its end and powered down'
else
	tail -n 25 "$logs/console" | tr -d '\r' | sed 's/^/# console: /'
fi
if [ "$failures" -ne 0 ]; then
	echo '# what the module said:'
	cat "$logs/dmesg" "$logs/console" | tr -d '\r' | sed -E 's/^<[0-9]+>//' |
		grep -aE '^\[[^]]*\](\[[^]]*\])? buildidx: ' | awk '!seen[$0]++' | tail -n 40 | sed 's/^/#   /' || true
	exit 1
fi
