# SPDX-License-Identifier: GPL-2.0
# Judge one test program's TAP. Input: its output. Output: each point as "ok - NAME: text"
# or "not ok - NAME: text", the program's other lines as "# NAME: text", and a further
# "not ok" for each way in which the stream as a whole is bad. Exit status 1 when
# anything was not ok.
#
# -v name=NAME   told with each line
# -v kind=KIND   tap, or exit (no TAP expected: the exit status alone is the one point)
# -v status=N    the program's exit status
#
# More than one plan is fine (cmocka prints one for each group): they are summed.
# A skipped point stays "ok - NAME: text # SKIP reason", so that whoever sums can tell.

function bad(text) { print "not ok - " name ": " text; failures++ }

{ sub(/\r$/, "") }

kind == "tap" && /^1\.\.[0-9]+([ \t]|$)/ {
	planned += substr($1, 4)
	plans++
	next
}

kind == "tap" && /^(not )?ok([ \t]|$)/ {
	text = $0
	sub(/^(not )?ok[ \t]*[0-9]*[ \t]*(- )?/, "", text)
	ran++
	if (/^not ok/)
		bad(text)
	else if (toupper(text) ~ /# *SKIP[ \t]*$/)
		bad(text " (skipped without a reason)")
	else if (toupper(text) ~ /# *TODO/)
		bad(text " (TODO is not a result)")
	else
		print "ok - " name ": " text
	next
}

kind == "tap" && /^Bail out!/ { bad($0); next }
/^TAP version/ { next }
$0 != "" { sub(/^# ?/, ""); print "# " name ": " $0 }

END {
	if (kind == "tap") {
		if (!plans)
			bad("printed no plan")
		else if (planned != ran)
			bad("planned " planned ", ran " ran + 0)
		else if (!planned)
			bad("planned nothing")
		if (status != 0 && !failures)
			bad("exit status " status " though no point failed")
	} else if (status != 0) {
		bad("exit status " status)
	} else {
		print "ok - " name
	}
	exit failures > 0
}
