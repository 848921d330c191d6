#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# splat-test.sh [KERNEL]: is the splat detector right? Prints TAP. With a KERNEL also makes
# real ones in a guest (a hung task, a panic), which must fail the run.
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"
vm=$TESTS_DIR/vm

n=0
work=$(mktemp -d "${TMPDIR:-/tmp}/buildidx-splat.XXXXXX")
trap 'rm -rf "$work"' EXIT

point()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$work/out"
	fi
}

# detect ALLOW-FILE: status of the detector for standard input
detect()
{
	local status=0

	awk -v allow="$1" -f "$vm/splat.awk" > "$work/out" 2>&1 || status=$?
	echo "$status"
}

clean='<5>[    0.000000] Linux version 6.1.0-57-amd64 (x) #1 SMP
<6>[    1.382182] PCI: Using host bridge windows from ACPI; if necessary, use "pci=nocrs" and report a bug
<6>[    3.572353] RAS: Correctable Errors collector initialized.
<4>[    4.000000] buildidx: loading out-of-tree module taints kernel.
<4>[    4.000001] buildidx: module verification failed: signature and/or required key missing - tainting kernel
<12>[    5.000000] buildidx-vm: begin storm
<6>[    5.100000] sysrq: Show backtrace of all active CPUs
<4>[    5.100001] NMI backtrace for cpu 1
<4>[    5.100002] CPU: 1 PID: 80 Comm: victim Tainted: G           OE
<4>[    5.100003] Call Trace:
<4>[    5.100004]  <TASK>
<6>[    5.200000] victim[81]: segfault at 0 ip 0000000000401000 sp 00007ffe error 4
<12>[    6.000000] buildidx-vm: end storm
<0>[    7.000000] reboot: Power down'

point "$(detect "$vm/splat.allow" <<< "$clean")" 'a clean log, with a sysrq-l in it, passes'

while IFS= read -r line; do
	status=$(detect "$vm/splat.allow" <<< "$clean
<4>[    8.000000] $line")
	found=0
	[ "$status" = 1 ] && [ "$(wc -l < "$work/out")" = 1 ] || found=1
	point "$found" "found: $line"
done <<'END'
WARNING: CPU: 0 PID: 77 at fs/inode.c:612 clear_inode+0x76/0x80
WARNING: possible circular locking dependency detected
WARNING: suspicious RCU usage
WARNING: inconsistent lock state
WARNING: bad unlock balance detected!
BUG: kernel NULL pointer dereference, address: 0000000000000008
BUG: unable to handle page fault for address: ffffa0c1c0b5e000
BUG: sleeping function called from invalid context at kernel/locking/spinlock_rt.c:48
BUG: scheduling while atomic: cat/91/0x00000002
BUG: KASAN: slab-use-after-free in bidx_index_find+0x41/0x90 [buildidx]
BUG: Bad page state in process cat  pfn:12345
BUG: Bad rss-counter state mm:00000000deadbeef type:MM_FILEPAGES val:1
BUG bidx_entry (Tainted: G           OE     ): Objects remaining in bidx_entry on __kmem_cache_shutdown()
kmem_cache_destroy bidx_entry: Slab cache still has objects when called from bidx_exit+0x1a/0x30 [buildidx]
Oops: 0000 [#1] PREEMPT SMP PTI
Oops: int3: 0000 [#1] PREEMPT SMP PTI
int3: 0000 [#1] PREEMPT SMP PTI
invalid opcode: 0000 [#1] PREEMPT SMP NOPTI
general protection fault, probably for non-canonical address 0xdead000000000122: 0000 [#1] PREEMPT SMP
general protection fault: 0000 [#1] SMP
kernel BUG at mm/slub.c:435!
Kernel panic - not syncing: sysrq triggered crash
UBSAN: array-index-out-of-bounds in /build/module/index.c:10:2
rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:
rcu: INFO: rcu_preempt self-detected stall on CPU
rcu: INFO: rcu_tasks detected stalls on tasks:
rcu: rcu_preempt kthread starved for 2502 jiffies! g1 f0x0 RCU_GP_WAIT_FQS(5) ->state=0x0 ->cpu=0
INFO: task rmmod:93 blocked for more than 120 seconds.
watchdog: BUG: soft lockup - CPU#1 stuck for 26s! [churn:99]
watchdog: Watchdog detected hard LOCKUP on cpu 0
refcount_t: underflow; use-after-free.
list_del corruption. prev->next should be ffff, but was dead
ODEBUG: free active (active state 0) object type: work_struct
VFS: Busy inodes after unmount of loop0 (ext4)
------------[ ftrace bug ]------------
INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.234 msecs
kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)
cat: page allocation failure: order:0, mode:0x40800(GFP_NOWAIT|__GFP_COMP)
Out of memory: Killed process 99 (churn) total-vm:1kB
BPF:	 failed to validate module [buildidx] BTF: -22
Kernel module BTF mismatch detected, BTF debug info may be unavailable for some modules
EXT4-fs error (device vda): ext4_lookup:1690: inode #2: comm ls: deleted inode referenced: 99
END

status=0
[ "$(detect "$vm/splat.allow" <<< '[    9.000000] Call Trace:')" = 1 ] || status=1
point "$status" 'a stack dump that nobody asked for is found'
status=0
[ "$(detect "$vm/splat.allow" <<< '[    9.000000][    T1] BUG: kernel NULL pointer dereference')" = 1 ] || status=1
point "$status" 'a console line with a caller field is understood'
status=0
log='<4>[    8.000000] WARNING: here
[    8.000000] WARNING: here'
[ "$(detect "$vm/splat.allow" <<< "$log")" = 1 ] && [ "$(wc -l < "$work/out")" = 1 ] || status=1
point "$status" 'the same line from console and log is one finding'
point "$(detect "$vm/splat.allow" <<< '<6>[    8.000000] INFO: NMI handler (nmi_cpu_backtrace_handler) took too long to run: 2.1 msecs')" \
	'the allow list holds for the NMI backtrace handler'

allow=$work/allow
printf 'mismatch\t^BPF:.*failed to validate module\tthis test damages it\n' > "$allow"
message='<4>[    8.000000] BPF: failed to validate module [buildidx] BTF: -22'
point "$(detect "$allow" <<< "<12>[    7.000000] buildidx-vm: begin mismatch
$message
<12>[    9.000000] buildidx-vm: end mismatch")" 'a line allowed in a test passes in that test'
status=0
[ "$(detect "$allow" <<< "<12>[    7.000000] buildidx-vm: begin other
$message")" = 1 ] || status=1
point "$status" '... and is found in another'
status=0
[ "$(detect "$allow" <<< "<12>[    7.000000] buildidx-vm: end mismatch
$message")" = 1 ] || status=1
point "$status" '... and after it'
printf '*\t^WARNING\t \n' > "$allow"
status=0
[ "$(detect "$allow" <<< '[    8.000000] WARNING: x')" = 2 ] || status=1
point "$status" 'an allowed line without a reason is refused'
status=0
[ "$(detect "$work/none" <<< '[    8.000000] x')" = 2 ] || status=1
point "$status" 'a missing allow list is an error'

# guest COMMAND PATTERN WHAT: the run must fail, and say PATTERN
guest()
{
	local status=0

	if "$vm/run.sh" -k "$kernel" --timeout 180 --cmd "$1" > "$work/out" 2>&1; then
		status=1
	fi
	grep -Eq "^not ok - .*$2" "$work/out" || status=1
	point "$status" "$3"
}

if [ $# -gt 0 ]; then
	kernel=$1
	if "$vm/run.sh" -k "$kernel" --cmd 'cat /proc/version' > "$work/out" 2>&1; then
		point 0 "$kernel: a clean guest passes"
	else
		point 1 "$kernel: a clean guest passes"
	fi
	guest 'echo 2 > /proc/sys/kernel/hung_task_timeout_secs; fsfreeze --freeze /scratch
		(echo x > /scratch/x) & sleep 8; fsfreeze --unfreeze /scratch; wait' \
		'kernel log: cmd1: .*blocked for more than 2 seconds' \
		"$kernel: a task that really hangs fails the run, though its test passes"
	guest 'echo c > /proc/sysrq-trigger' 'kernel log: .*Kernel panic' \
		"$kernel: a real panic fails the run"
	guest 'poweroff -f' 'no end marker' "$kernel: a guest that goes away in mid-test fails the run"
	guest 'rm /scratch/none' 'cmd1: exit status 1' "$kernel: a failing command fails the run"
fi
echo "1..$n"
