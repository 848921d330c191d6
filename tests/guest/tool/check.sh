#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# check.sh present|absent|nobtf|silenced|refused BY: the tool buildidx on the real device, without the module,
# with a module that has no BTF, (it loads the module itself) with hooks that are silenced kprobes, and
# under a kernel that asks for signatures (BY: module.sig_enforce or lockdown).
# Runs in the guest, as root. Prints TAP.
dir=$(dirname "$0")
tool=$dir/buildidx
out=/tmp/tool.out
shown=$out
. "$dir/point.sh"

run()
{
	"$tool" "$@" > $out 2>&1
}

# An ID as the tool prints it, found by the parser alone and by the module
same_id()
{
	id=$("$tool" file "$1" | grep -oE '[0-9a-f]{40}' | head -n 1)
	[ -n "$id" ] && run exe "$2" && grep -q "$id" $out
}

fails()
{
	! run "$@"
}

# doctor CODE: it ends with that exit code, as text and as JSON
doctor()
{
	run doctor --json
	[ $? = "$1" ] && grep -q "\"exit_code\":$1," $out || return 1
	run doctor
	[ $? = "$1" ]
}

# finds LEVEL CHECK TEXT: doctor's last output has that finding
finds()
{
	grep -q "^$1  *$2  *.*$3" $out
}

# A user who is not root, and may not open the device
denied()
{
	busybox start-stop-daemon -S -c nobody -x "$tool" -- doctor > $out 2>&1
	[ $? = 4 ] && finds denied device 'permission denied'
}

# What is wrong while the hooks are switched off
off()
{
	echo 0 > /sys/module/buildidx/parameters/enable
	doctor 1 && finds warn enable 'switched off'
	result=$?
	echo 1 > /sys/module/buildidx/parameters/enable
	return $result
}

# Cut the signature off: what is in front of it, its length in the 4 bytes before the mark of 28 bytes
unsign()
{
	size=$(stat -c %s "$ko") || return 1
	# shellcheck disable=SC2046 # four numbers
	set -- $(tail -c 32 "$ko" | head -c 4 | od -A n -t u1)
	head -c $((size - 40 - (($1 * 256 + $2) * 256 + $3) * 256 - $4)) "$ko" > /tmp/unsigned.ko &&
		cat /tmp/unsigned.ko > "$ko"
}

# not_loaded HOW WHAT: the kernel does not take the module, and why is in its log
not_loaded()
{
	mark="check.sh: point $n"
	echo "$mark" > /dev/kmsg
	! modprobe buildidx > $out 2>&1 && [ ! -d /sys/module/buildidx ] && grep -q "$1" $out &&
		dmesg | sed "1,/$mark\$/d" | grep -q "$2"
}

# runs from a file of its own, so that the answer is not the shell's
cp "$(command -v dash)" /tmp/sleeper
/tmp/sleeper -c 'while :; do sleep 1; done' &
pid=$!
sleep 0.2

case $1 in
present)
	point 'status: the module is there and well' run status
	point 'status --json' run status --json
	point 'exe: the build ID that the file has' same_id /tmp/sleeper $pid
	rm /tmp/sleeper
	point 'exe: still answered when the file is deleted' run exe $pid
	point 'maps' run maps $pid
	point 'dump' run dump
	point 'dump: lists something' [ -s $out ]
	point 'stats' run stats
	point 'exe of no process: fails' fails exe 4000000
	point 'doctor: nothing to mend' doctor 0
	for check in kernel kernel-btf module-file module module-btf signature device enable hook \
		kfunc-tracing capture limits version; do
		point "doctor: $check is ok" finds ok $check ''
	done
	point 'doctor: secure boot' finds ok secure-boot ''
	mount -t securityfs securityfs /sys/kernel/security
	run doctor
	point 'doctor: lockdown is ok' finds ok lockdown none
	umount /sys/kernel/security
	point 'doctor: switched off' off
	point 'doctor: not root' denied
	;;
absent)
	point 'file: works without the module' run file /tmp/sleeper
	point 'status: fails without the module' fails status
	point 'status: says that the module is not loaded' grep -qi 'not loaded\|modprobe' $out
	point 'dump: fails without the module' fails dump
	point 'doctor: exit code 3' doctor 3
	point 'doctor: the module is not loaded' finds fail module 'not loaded'
	point 'doctor: the file is there' finds ok module-file '/updates/dkms/buildidx.ko'
	;;
nobtf)
	point 'doctor: exit code 1' doctor 1
	point 'doctor: no BTF' finds warn module-btf 'BPF programs cannot call it'
	point 'doctor: no kfunc' finds warn kfunc-tracing 'no BTF'
	point 'doctor: the hooks are well' finds ok hook 'ftrace on perf_event_mmap'
	;;
silenced)
	kprobes=/sys/kernel/debug/kprobes/enabled
	[ -e $kprobes ] || mount -t debugfs debugfs /sys/kernel/debug
	modprobe buildidx hook=kprobe
	point 'doctor: kprobes as hooks are no fault' doctor 0
	point 'doctor: but worth a note' finds note hook 'a kprobe on'
	echo 0 > $kprobes
	point 'doctor: exit code 1 when kprobes are disarmed' doctor 1
	point 'doctor: silenced' finds fail enable 'silenced: kprobes were disarmed'
	point 'status: silenced' fails status
	point 'status: says so' grep -q 'kprobes were disarmed' $out
	run doctor
	# what the line below that finding says, as it stands there
	sed -n '/^fail *enable /{n;s/^ *-> //;s/, then /\n/;p;}' $out > /tmp/advice
	point 'doctor: tells to arm kprobes, then to switch on' grep -q '^echo 1 > /sys/module/' /tmp/advice
	sh -e /tmp/advice > $out 2>&1
	point 'doctor: its advice helps' doctor 0
	modprobe -r buildidx
	;;
refused)
	ko=$(modinfo -n buildidx)
	mount -t securityfs securityfs /sys/kernel/security
	case $2 in
	lockdown)
		error='Operation not permitted' unsigned='unsigned module loading is restricted'
		untrusted=$unsigned
		;;
	*)
		error='Key was rejected by service' unsigned='Loading of unsigned module is rejected'
		untrusted='Loading of module with unavailable key is rejected'
		;;
	esac
	point 'a key that the kernel does not know: refused' not_loaded "$error" "$untrusted"
	point 'doctor: exit code 3' doctor 3
	point 'doctor: who signed it, and that the kernel does not know the key' \
		finds fail signature "signed by nobody knows me, a key that the kernel does not know: $2 refuses"
	if [ "$2" = lockdown ]; then
		point 'doctor: lockdown' finds note lockdown 'integrity: only signed modules'
	fi
	point 'the signature is cut off' unsign
	point 'no signature: refused' not_loaded "$error" "$unsigned"
	point 'doctor: exit code 3' doctor 3
	point 'doctor: it is not signed' finds fail signature "is not signed, and $2 refuses such a module"
	point 'status: names the doctor' fails status
	point 'status: says so' grep -q 'buildidx doctor' $out
	;;
*)
	echo 'usage: check.sh present|absent|nobtf|silenced|refused BY' >&2
	exit 2
	;;
esac
kill $pid
echo "1..$n"
exit $failed
