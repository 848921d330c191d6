#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# run.sh: boot a stock kernel in QEMU (TCG, no KVM needed), run tests in it, judge.
# See README in this directory.
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"
vm=$TESTS_DIR/vm

usage()
{
	cat <<-'END'
	usage: run.sh -k KERNEL [option...]
	  -k KERNEL        6.1, 6.12, 6.12-rt, 6.12-trixie, 7.3, default
	  --ko FILE        buildidx.ko[.xz|.zst]; loaded before each --cmd
	  --prog FILE      copy a program to /test/bin (repeatable)
	  --dir HOST:GUEST copy a tree (repeatable)
	  --cmd COMMAND    run it in the guest; exit status 0 is a pass (repeatable)
	  --list FILE      run the tests listed there instead (format: guest-init)
	  --module NAME    load one more stock module at boot (repeatable)
	  --params TEXT    module parameters for buildidx
	  --no-unload      leave buildidx loaded at the end
	  --smp N          virtual CPUs (default 2)
	  --mem MIB        guest memory (default 1024)
	  --thread single|multi   TCG threads (default single)
	  --icount         the guest's clocks count instructions: each is one nanosecond
	  --timeout S      give up on the whole run after S seconds (default 600)
	  --append TEXT    more kernel command line
	  --keep DIR       leave the logs there
	END
}

kernel='' ko='' list='' params='' unload=yes smp=2 mem=1024 thread=single
timeout=600 append='' keep='' machine=(-cpu max)
pass=() cmds=()
while [ $# -gt 0 ]; do
	case $1 in
	-h|--help)	usage; exit 0 ;;
	--no-unload)	unload=no; shift; continue ;;
	# A copied byte is no instruction: without erms and fsrm the kernel copies words.
	--icount)	machine=(-cpu "max,-erms,-fsrm" -icount shift=0); shift; continue ;;
	esac
	[ $# -ge 2 ] || lacking "unknown option or missing value: $1 (see --help)"
	case $1 in
	-k)		kernel=$2 ;;
	--ko)		ko=$2 ;;
	--prog|--dir|--module)	pass+=("$1" "$2") ;;
	--cmd)		cmds+=("$2") ;;
	--list)		list=$2 ;;
	--params)	params=$2 ;;
	--smp)		smp=$2 ;;
	--mem)		mem=$2 ;;
	--thread)	thread=$2 ;;
	--timeout)	timeout=$2 ;;
	--append)	append=$2 ;;
	--keep)		keep=$2 ;;
	*)		lacking "unknown option: $1 (see --help)" ;;
	esac
	shift 2
done
[ -n "$kernel" ] || { usage >&2; exit 2; }
need_tools qemu-system-x86_64 awk timeout

env=$("$vm/kernel.sh" "$kernel")
eval "$env"

work=$(mktemp -d "${TMPDIR:-/tmp}/buildidx-vm.XXXXXX")
qemu=''
cleanup()
{
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null || true
	rm -rf "$work"
}
trap cleanup EXIT
logs=${keep:-$work/logs}
mkdir -p "$logs"
rm -f "$logs"/{console,results,results.txt,dmesg,files,list,settings,splats,qemu}

module=any
if [ -n "$ko" ]; then
	module=loaded
	pass+=(--ko "$ko")
fi
if [ -n "$list" ]; then
	cp "$list" "$logs/list"
else
	# as files: a list has one test a line, a command may have several
	n=0
	mkdir "$work/cmd"
	for cmd in ${cmds[@]+"${cmds[@]}"}; do
		n=$((n + 1))
		printf '%s\n' "$cmd" > "$work/cmd/$n"
		printf 'cmd%d\t%d\t%s\texit\tsh /test/cmd/%d\n' "$n" "$timeout" "$module" "$n"
	done > "$logs/list"
	pass+=(--dir "$work/cmd:/test/cmd")
fi
printf 'UNLOAD=%q\nPARAMS=%q\n' "$unload" "$params" > "$logs/settings"
"$vm/initramfs.sh" --root "$KROOT" --release "$KREL" --list "$logs/list" \
	--settings "$logs/settings" --out "$work/initramfs" ${pass[@]+"${pass[@]}"}
"$vm/scratch.sh" "$work/scratch.img"

# loglevel=4: the serial console is slow, and a test may fill the log; the whole log
# comes through the virtio port. An oops and a panic raise the level by themselves.
# oops=panic, panic=-1: end at once, with the reason on the console.
# rcu stall timeout: an emulated CPU on a busy host can be late by seconds.
cmdline="console=ttyS0 loglevel=4 log_buf_len=64M oops=panic panic=-1 \
rcupdate.rcu_cpu_stall_timeout=60 $append"
timeout -k 10 "$timeout" qemu-system-x86_64 -nodefaults -no-user-config -display none \
	-no-reboot -machine q35 -accel "tcg,thread=$thread" "${machine[@]}" -smp "$smp" -m "$mem" \
	-kernel "$KVMLINUZ" -initrd "$work/initramfs" -append "$cmdline" \
	-drive "file=$work/scratch.img,format=raw,if=none,id=scratch,cache=unsafe" \
	-device virtio-blk-pci,drive=scratch \
	-chardev "file,id=console,path=$logs/console" -serial chardev:console \
	-chardev "file,id=results,path=$logs/results" -serial chardev:results \
	-device virtio-serial-pci -chardev "file,id=dmesg,path=$logs/dmesg" \
	-device virtserialport,chardev=dmesg,name=dmesg \
	-chardev "file,id=files,path=$logs/files" \
	-device virtserialport,chardev=files,name=files \
	</dev/null > "$logs/qemu" 2>&1 &
qemu=$!
status=0
wait "$qemu" || status=$?
qemu=''
"$vm/judge.sh" "$logs" "$status" "$KREL"
