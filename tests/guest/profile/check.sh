#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# check.sh present|absent: `buildidx profile` on a real workload, and without the module.
# Runs in the guest, as root. Prints TAP. What is left in $left goes to the host, where host.sh
# finds the functions of files that the guest has and it need not.
dir=$(dirname "$0")
tool=$dir/buildidx
build=/scratch/profile
out=/tmp/profile.out
err=/tmp/profile.err
left=/tmp/left
shown="$err $out"
. "$dir/point.sh"

# profile OPTION...: leaves $out, $err; its exit status
profile()
{
	"$tool" profile -o $out "$@" > /tmp/command.out 2> $err
}

# number NAME: of a line of the report
number()
{
	sed -n "s/^ *$1  *\([0-9][0-9]*\) .*/\1/p" $err | head -n 1
}

# Of the frames in files, only those of a mapping that was just being changed may lack an ID.
all_have_ids()
{
	without=$(sed -n 's/^in files: .*without an ID: //p' $err)
	raced=$(number raced)
	[ -n "$without" ] && [ "$without" = "${raced:-0}" ]
}

only_known_tokens()
{
	! grep -qE '\[(not-indexed|pending|not-resident|modified|read-error|off|unrecorded|unresolved)\]' $out
}

# stacks COMM: of a thread so named, with a frame of that build ID
stacks_of()
{
	grep -E "^$1;" $out | grep -q "$id+0x"
}

# Everything is cold at first, and again and again.
drop_caches()
{
	while [ ! -e /tmp/stop-dropping ]; do
		echo 3 > /proc/sys/vm/drop_caches
		echo >> /tmp/sleeps
		sleep 1
	done
}

prepare()
{
	mkdir -p $build
	cp -r /payload/. $build/
	chmod +x $build/cc1 $build/as $build/work $build/build.sh
	id=$("$tool" file $build/work | grep -oE '[0-9a-f]{40}')
	sync
	cd $build || exit 1
}

# started: number of processes since boot
started()
{
	sed -n 's/^processes //p' /proc/stat
}

hand_out()
{
	for name in /sys/class/virtio-ports/*/name; do
		if [ "$(cat "$name")" = files ]; then
			port=${name%/name}
			tar cf "/dev/${port##*/}" -C $left .
			return
		fi
	done
	false
}

real_workload()
{
	rm -f /tmp/stop-dropping /tmp/sleeps
	before=$(started)
	drop_caches &
	dropper=$!
	profile --compare -F 199 -- ./build.sh 28
	status=$?
	: > /tmp/stop-dropping
	wait $dropper
	processes=$(($(started) - before - $(wc -l < /tmp/sleeps)))
	point 'a build: the profile ends with 0' [ $status = 0 ]
	point 'hundreds of processes ran' [ "$processes" -ge 200 ]
	point 'samples were kept' [ "$(number kept)" -ge 200 ]
	point 'no sample was lost' [ "$(number lost)" = 0 ]
	point 'each frame in a file has an ID, or was raced' all_have_ids
	point 'no frame says otherwise' only_known_tokens
	for comm in cc1 as work; do
		point "stacks of $comm" grep -q "^$comm;" $out
	done
	point 'the ID of work' stacks_of work
	point 'its ID where the file was deleted' stacks_of '[xy]-gone'
	point 'its ID where the mount namespace is gone' stacks_of '[xy]-inside'
	point 'the share of the stock helper is told' grep -qE '^  stock helper +[0-9]+ +[0-9.]+%$' $err
	point 'where both answer, they agree' grep -q ', differently: 0$' $err
	sed 's/^/# /' $err
	cp $out $left/folded
}

# A process that is there; ended by Ctrl-C.
one_process()
{
	cp work sleeper
	./sleeper 1000000 &
	pid=$!
	profile -p $pid &
	profiler=$!
	# until it waits in poll(2): before, it would end without a sample
	until grep -q '^7 ' "/proc/$(pidof buildidx)/syscall" 2>/dev/null; do
		kill -0 $profiler 2>/dev/null || break
		sleep 0.1
	done
	sleep 2
	kill -INT "$(pidof buildidx)"
	wait $profiler
	status=$?
	point '-p, Ctrl-C: ends with 0' [ $status = 0 ]
	point '-p: its stacks' stacks_of sleeper
	point '-p: no others' sh -c "! grep -qv '^sleeper;' $out"
	rm sleeper
	profile -p $pid -d 1 --symbols
	status=$?
	kill $pid
	point '--symbols: ends with 0' [ $status = 0 ]
	point '--symbols: a deleted file has names, what is inlined too' \
		grep -q '^sleeper;.*main;work_outer;work_middle;work_inlined_\[i\] ' $out
	wait $pid
	profile -p $pid -d 1
	status=$?
	point '-p of no process: fails' [ $status = 1 ]
	point '-p of no process: says so' grep -q "process $pid: No such process" $err
}

# samples_of COMM: in BPF programs, by the stacks of threads so named
samples_of()
{
	awk -v start="$1;" 'index($0, start) == 1 && /_\[b\] [0-9]+$/ { n += $NF } END { print n + 0 }' $out
}

# Samples that meet another BPF program: perf_event programs are not run for them, and later kernels
# than 6.1 do not count that.
other_programs()
{
	profile -F 199 -- $dir/hog 1000
	status=$?
	point 'in other BPF programs: ends with 0' [ $status = 0 ]
	point 'in other BPF programs: samples are taken there' [ "$(samples_of hog)" -ge 50 ]
	point 'in other BPF programs: none is lost' [ "$(number lost)" = 0 ]
	point 'in other BPF programs: and that is known' grep -qE '^  lost +0  none$' $err
	grep -E '^  (expected|late|kept|lost|caught)' $err | sed 's/^/# /'
}

# Code of the kernel, of a module, of BPF programs that are gone when the profile ends.
kernel_code()
{
	cat > busy.sh <<-END
		$dir/hog 400
		$dir/hog 400 fentry
		dd if=/dev/zero of=$build/filled bs=64k count=600 conv=fsync
		rm $build/filled
		exec ./work 30
	END
	profile --symbols -F 199 --svg $left/kernel.svg -- sh busy.sh
	status=$?
	point 'kernel frames: ends with 0' [ $status = 0 ]
	point 'kernel frames: of vmlinux' grep -qE ';do_syscall_64_\[k\];[a-z0-9_]+_\[k\]' $out
	point 'kernel frames: of a module' grep -qE ';ext4_[a-z0-9_]+_\[k\]' $out
	point 'kernel frames: of a BPF program' grep -qE '^hog;.*_\[k\];hog_\[b\]' $out
	point 'kernel frames: behind a trampoline' \
		grep -qE '^hog;.*;\[bpf_trampoline_[0-9_]+\]_\[k\];hog_fentry_\[b\]' $out
	for name in hog hog_fentry; do
		point "kernel frames: a line of $name, which is gone" \
			grep -qE "^ +[0-9]+  $name \(unloaded\)  hog\.bpf\.c:[0-9]+  .*bpf_loop" $err
	done
	point 'kernel frames: each is known' sh -c "! grep -qF '[kernel-address]_[k]' $out"
	sed 's/^/# /' $err
	profile -F 199 -- sh busy.sh
	point 'kernel frames: as IDs' grep -qE '^hog;.*;[0-9a-f]{40}\+0xf[0-9a-f]{15}_\[k\];bpf:[0-9a-f]{40}\+0x' $out
	cp $out $left/kernel
	"$tool" profile -o $left/kernel.pb.gz --symbols -F 199 -- sh busy.sh > /tmp/command.out 2> $err
	status=$?
	point 'for pprof: ends with 0' [ $status = 0 ]
	"$tool" bpf export --all --debuginfod $left/debuginfod > /tmp/command.out 2> $err
	status=$?
	point 'programs that are gone are exported' [ $status = 0 ]
	profile -U -F 199 -- $dir/hog 300
	point '-U: no kernel frames' sh -c "grep -q '^hog;.*;\[kernel\] ' $out && ! grep -qF '_[' $out"
	profile -K -F 199 -- $dir/hog 300
	point '-K: no user frames' sh -c "grep -qF '_[b]' $out && ! grep -vE '^[^;]+(;[^;]+_\[[kb]\])+ [0-9]+|^[^;]+;\[user\] ' $out"
}

case $1 in
present)
	mkdir -p $left
	prepare
	real_workload
	other_programs
	kernel_code
	point 'handed to the host' hand_out
	one_process
	./work 1000000 &
	pid=$!
	profile -a -d 1
	status=$?
	kill $pid
	point '-a -d: ends with 0' [ $status = 0 ]
	point '-a: the stacks of another process' stacks_of work
	profile --stock -- ./work 200
	status=$?
	point '--stock: ends with 0' [ $status = 0 ]
	point '--stock: says so' grep -q 'resolved by the stock helper' $err
	# the name of a thread, as its file's, and what it may not do to the lines
	cp work "$(printf 'w;x\ny\033[1m')"
	profile --stock -- "./$(printf 'w;x\ny\033[1m')" 200
	status=$?
	point 'an odd name: ends with 0' [ $status = 0 ]
	point 'an odd name: is in octal' grep -q '^w\\073x\\012y\\033\[1m;' $out
	point 'an odd name: separates no lines or frames' sh -c "! grep -qv ' [0-9][0-9]*$' $out"
	mkdir /tmp/small && mount -t tmpfs -o size=4k tmpfs /tmp/small && echo > /tmp/small/full
	"$tool" profile --stock -o /tmp/small/out -- ./work 200 > /tmp/command.out 2> $err
	status=$?
	point 'a full disk: fails' [ $status = 1 ]
	point 'a full disk: says so' grep -q '/tmp/small/out: No space left' $err
	umount /tmp/small
	profile -- ./no-such-command
	status=$?
	point 'a command that is not there: fails' [ $status = 1 ]
	point 'a command that is not there: says so' grep -q 'cannot run ./no-such-command: No such file' $err
	;;
absent)
	prepare
	profile -- ./work 1
	status=$?
	point 'without the module: exit code 3' [ $status = 3 ]
	point 'without the module: says so, and what to do' grep -q 'modprobe buildidx.*--stock' $err
	profile --compare -- ./work 1
	status=$?
	point 'without the module, --compare: exit code 3' [ $status = 3 ]
	profile --stock -F 199 -- ./work 50
	status=$?
	point '--stock: ends with 0' [ $status = 0 ]
	point '--stock: says so' grep -q 'resolved by the stock helper' $err
	point '--stock: samples were kept' [ "$(number kept)" -ge 1 ]
	point '--stock: stacks of work' grep -q '^work;' $out
	;;
*)
	echo 'usage: check.sh present|absent' >&2
	exit 2
	;;
esac
echo "1..$n"
exit $failed
