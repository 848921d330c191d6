#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# suite.sh KERNEL [--ko FILE] [BOOT...]: run the guest tests of tests/guest/suite.conf.
# suite.sh KERNEL --boots: print the names of the boots that have tests for that kernel.
#
# Prints "ok - ..." and "not ok - ..." lines; exit status 1 when anything was not ok.
# Logs go to BUILDIDX_CACHE/logs/KERNEL/BOOT. Expects the guest programs built
# (build/guest). Without --ko: what tests/dkms.sh left for this kernel.
set -euo pipefail
. "$(dirname "$0")/../lib/common.sh"
. "$(dirname "$0")/../lib/debian.sh"

conf=${BUILDIDX_SUITE:-$TESTS_DIR/guest/suite.conf}
[ $# -ge 1 ] || lacking 'usage: suite.sh KERNEL --boots | [--ko FILE] [BOOT...]'
kernel=$(kernel_line "$1")
shift

# read_conf KERNEL: the tests for it, one a line, as
# BOOT<tab>NAME<tab>MODULE<tab>TIMEOUT<tab>KIND<tab>COMMAND; "-" for NAME gives the boot's
# settings in the place of the command.
read_conf()
{
	awk -v kernel="$1" -v file="$conf" '
		function fail(text) {
			print file ":" NR ": " text > "/dev/stderr"
			exit 2
		}
		function meant(list,    n, i, name, yes) {
			n = split(list, name, ",")
			for (i = 1; i <= n; i++) {
				if (name[i] !~ /^(all|-?(6\.1|6\.12|6\.12-rt|6\.12-trixie|7\.3))$/)
					fail("no such kernel: " name[i])
				if (name[i] == "all" || name[i] == kernel)
					yes = 1
				else if (name[i] == "-" kernel)
					return 0
			}
			return yes
		}
		/^[ \t]*(#|$)/ { next }
		$1 == "boot" {
			boot = $2
			if (boot == "" || seen[boot]++)
				fail("a boot needs a name of its own")
			settings = ""
			for (i = 3; i <= NF; i++) {
				if ($i !~ /^(smp|mem|thread|params|unload|append|ko|dir)=/)
					fail("unknown setting: " $i)
				settings = settings " " $i
			}
			print boot "\t-\t-\t0\t-\t" settings
			next
		}
		$1 == "test" {
			if (boot == "" || NF < 6 || tests[$2]++)
				fail("needs a boot before it, all fields, and a name of its own")
			if ($3 !~ /^(loaded|absent|own|any)$/)
				fail("module state: " $3)
			if ($4 !~ /^[1-9][0-9]*$/)
				fail("timeout: " $4)
			if (!meant($5))
				next
			command = $0
			sub(/^[ \t]*test[ \t]+[^ \t]+[ \t]+[^ \t]+[ \t]+[^ \t]+[ \t]+[^ \t]+[ \t]+/, "", command)
			kind = sub(/^exit:[ \t]*/, "", command) ? "exit" : "tap"
			gsub(/\t/, " ", command)
			print boot "\t" $2 "\t" $3 "\t" $4 "\t" kind "\t" command
			next
		}
		{ fail("neither boot nor test") }' "$conf"
}

table=$(read_conf "$kernel") || lacking "$conf cannot be used (message above)"
mapfile -t boots < <(awk -F '\t' '$2 != "-" && !seen[$1]++ { print $1 }' <<< "$table")
if [ "${1:-}" = --boots ]; then
	printf '%s\n' "${boots[@]}"
	exit 0
fi
ko=''
if [ "${1:-}" = --ko ]; then
	ko=$2
	shift 2
fi
[ $# -eq 0 ] || boots=("$@")
env=$("$TESTS_DIR/vm/kernel.sh" "$kernel")
eval "$env"
work=$(mktemp -d "${TMPDIR:-/tmp}/buildidx-suite.XXXXXX")
trap 'rm -rf "$work"' EXIT

# left_by_dkms DIRECTORY: the module for this kernel there (ko-deb: left by the packages)
left_by_dkms()
{
	compgen -G "$BUILDIDX_CACHE/$1/$KREL/buildidx.ko*" ||
		die "tests/dkms.sh and tests/deb.sh left no module for $KREL in $BUILDIDX_CACHE/$1"
}

# unpack: the module as $work/buildidx.ko
unpack()
{
	local whole

	whole=${ko:-$(left_by_dkms ko)}
	case $whole in
	*.xz)	xz -dc "$whole" > "$work/buildidx.ko" ;;
	*.zst)	zstd -qdc "$whole" > "$work/buildidx.ko" ;;
	*)	cp "$whole" "$work/buildidx.ko" ;;
	esac
}

# The module with BTF that no kernel takes: the name of its first type is outside of the names
damaged_btf()
{
	unpack || return
	objcopy --dump-section ".BTF=$work/btf" "$work/buildidx.ko" ||
		die "the module for $KREL has no BTF to damage"
	# the type data starts after the header of 24 bytes; a type is name, info, type
	printf '\xff\xff\xff\x0f' | dd of="$work/btf" bs=1 seek=24 conv=notrunc status=none
	objcopy --update-section ".BTF=$work/btf" "$work/buildidx.ko"
	echo "$work/buildidx.ko"
}

# The module, signed by a key that nobody knows
untrusted()
{
	local size

	unpack && objcopy "$work/buildidx.ko" || return
	openssl req -new -x509 -newkey rsa:2048 -noenc -sha256 -days 2 -subj '/CN=nobody knows me' \
		-keyout "$work/key.pem" -out "$work/cert.pem" 2> /dev/null || return
	# what objcopy wrote has no signature any more
	openssl cms -sign -binary -noattr -nocerts -md sha256 -outform DER -in "$work/buildidx.ko" \
		-signer "$work/cert.pem" -inkey "$work/key.pem" -out "$work/signature" || return
	size=$(stat -c %s "$work/signature")
	# struct module_signature: PKCS#7, and the length, big endian
	{
		cat "$work/signature"
		printf '\0\0\2\0\0\0\0\0'
		printf '%b' "$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((size >> 24)) $((size >> 16 & 255)) \
			$((size >> 8 & 255)) $((size & 255)))"
		printf '~Module signature appended~\n'
	} >> "$work/buildidx.ko"
	echo "$work/buildidx.ko"
}

# module_of SETTING: the file that a boot with ko=SETTING loads
module_of()
{
	case $1 in
	'')	echo "${ko:-$(left_by_dkms ko)}" ;;
	nobtf)	left_by_dkms ko-nobtf ;;
	deb)	left_by_dkms ko-deb ;;
	badbtf)	damaged_btf ;;
	untrusted) untrusted ;;
	*)	lacking "$conf: ko=$1: nobtf, badbtf, deb or untrusted" ;;
	esac
}

# run_boot NAME
run_boot()
{
	local logs=$BUILDIDX_CACHE/logs/$kernel/$1 options=() seconds setting which='' file status=0

	mkdir -p "$logs"
	# one at a time: the logs of a run are evidence
	exec 7> "$logs/.lock"
	flock 7
	awk -F '\t' -v OFS='\t' -v boot="$1" \
		'$1 == boot && $2 != "-" { print $2, $4, $3, $5, $6 }' <<< "$table" > "$logs/tests"
	[ -s "$logs/tests" ] || lacking "$conf has no boot $1 with tests for $kernel"
	# what the tests may take, and the boot itself
	seconds=$(awk -F '\t' '{ sum += $2 } END { print sum + 240 }' "$logs/tests")
	for setting in $(awk -F '\t' -v boot="$1" '$1 == boot && $2 == "-" { print $6 }' <<< "$table"); do
		case $setting in
		unload=no)	options+=(--no-unload) ;;
		unload=*)	;;
		dir=*)		options+=(--dir "$TOP_DIR/${setting#dir=}") ;;
		ko=*)		which=${setting#ko=} ;;
		params=*|append=*)
			options+=("--${setting%%=*}" "$(tr ',' ' ' <<< "${setting#*=}")") ;;
		*)		options+=("--${setting%%=*}" "${setting#*=}") ;;
		esac
	done
	if [ -d "$TOP_DIR/build/guest" ]; then
		options+=(--dir "$TOP_DIR/build/guest:/test")
	fi
	file=$(module_of "$which") || return 1
	"$TESTS_DIR/vm/run.sh" -k "$kernel" --ko "$file" --list "$logs/tests" --keep "$logs" \
		--timeout "$seconds" ${options[@]+"${options[@]}"} || status=$?
	# what the guest wrote to its port "files" may be judged here
	if [ -x "$TESTS_DIR/guest/$1/host.sh" ]; then
		"$TESTS_DIR/guest/$1/host.sh" "$logs" || status=1
	fi
	exec 7>&-
	return "$status"
}

failed=0
for boot in "${boots[@]}"; do
	status=0
	run_boot "$boot" > "$work/out" || status=$?
	if [ ${#boots[@]} -gt 1 ]; then
		sed -E "s/^(ok|not ok|#)( -)? /\1\2 $boot: /" "$work/out"
	else
		cat "$work/out"
	fi
	if [ "$status" != 0 ]; then
		failed=1
		if ! grep -q '^not ok' "$work/out"; then
			echo "not ok - $boot: could not run (run.sh ended with status $status)"
		fi
	fi
done
exit "$failed"
