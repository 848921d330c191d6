# SPDX-License-Identifier: GPL-2.0
# Find what a kernel must not say. Input: one or more kernel logs (dmesg -r or console).
# Output: each finding as "TEST<tab>LINE", TEST being the test that ran then ("boot"
# before the first). Exit status 1 when there was one, 2 when the check could not be made.
#
# -v allow=FILE  lines "TEST<tab>REGEX<tab>REASON"; TEST "*" means any. A matching line is
#                no finding. A line without a reason is refused.

function fail(text) { print "splat.awk: " text > "/dev/stderr"; broken = 1; exit 2 }

BEGIN {
	FS = "\t"
	while (allow != "" && (got = (getline line < allow)) > 0) {
		row++
		if (line ~ /^(#|[ \t]*$)/)
			continue
		if (split(line, field, "\t") != 3 || field[3] !~ /[^ ]/ || field[2] == "")
			fail(allow ":" row ": not TEST<tab>REGEX<tab>REASON")
		allowed++
		allowed_test[allowed] = field[1]
		allowed_text[allowed] = field[2]
	}
	if (got < 0)
		fail(allow ": cannot read")

	# headings, at the start of a message
	heading = "^(watchdog: )?(WARNING:|BUG:|BUG |Oops:|UBSAN:|KASAN:|KCSAN:|KFENCE:|ODEBUG:)" \
		"|^(int3|invalid opcode|stack segment|double fault|divide error|general protection fault)[:,]" \
		"|^-+\\[ ftrace bug \\]-+|^kernel BUG at|^Kernel panic" \
		"|^(refcount_t|list_add|list_del|slab|kmemleak|DEBUG_LOCKS_WARN_ON|kmem_cache_destroy)[ :(.]" \
		"|^VFS: Busy inodes|^Unable to handle|^(BTRFS|SQUASHFS|EXT4-fs|XFS)[^:]*: ?.*([Cc]orrupt|[Ii]nternal error)" \
		"|^(BTRFS|SQUASHFS|EXT4-fs) (error|critical)"
	# anywhere in it
	inside = "blocked for more than [0-9]+ seconds|detected (expedited )?stalls|self-detected stall" \
		"|rcu_[a-z_]* kthread (starved|timer wakeup)|(soft|hard) (lockup|LOCKUP)" \
		"|possible (recursive|circular) locking|inconsistent lock state|bad unlock balance" \
		"|held lock freed|lock held when returning|suspicious RCU usage|unsafe locking order" \
		"|sleeping function called|scheduling while atomic|Voluntary context switch within RCU" \
		"|list_(add|del) corruption|corrupted (list|preempt_count)|Bad (page|rss-counter)" \
		"|Objects remaining in|[Ss]till has objects|still has .* reference|NMI handler .* took too long" \
		"|page allocation failure|invoked oom-killer|Out of memory" \
		"|Failed to (dis)?arm (kprobe|ftrace)|ftrace failed|failed to validate module .* BTF|[Mm]odule BTF mismatch" \
		"|unregister_netdevice: waiting"
	test = "boot"
	since = 1000
}

# the same line comes over the console and in the log
{
	sub(/\r$/, "")
	sub(/^<[0-9]+>/, "")
	if (!/^\[/ || seen[$0]++)
		next
	message = $0
	sub(/^\[ *[0-9.]+\](\[ *[TC][0-9]+\])? ?/, "", message)
	since++
}

message ~ /^buildidx-vm: begin / { test = substr(message, 20); next }
message ~ /^buildidx-vm: end / { test = "after " substr(message, 18); next }

# A stack dump that was asked for (sysrq-l, -w, -t), or that follows a heading.
message ~ /^sysrq: |NMI backtrace for cpu|^task:/ { since = 0 }

message ~ heading || message ~ inside {
	since = 0
	report()
	next
}

message ~ /^Call Trace:/ && since > 80 { report() }

function report(    i) {
	for (i = 1; i <= allowed; i++)
		if ((allowed_test[i] == "*" || allowed_test[i] == test) && message ~ allowed_text[i])
			return
	print test "\t" $0
	found++
}

END {
	if (!broken)
		exit found > 0
}
