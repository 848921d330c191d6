#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# style.sh: what can be said about the sources without running them. Prints TAP.
#
# checkpatch is not in any Debian package of its own: it is used where
# CHECKPATCH=/path/to/checkpatch.pl says, or from /usr/src/linux-*.
set -euo pipefail
. "$(dirname "$0")/lib/common.sh"
cd "$TOP_DIR"

work=$(mktemp -d "${TMPDIR:-/tmp}/buildidx-style.XXXXXX")
trap 'rm -rf "$work"' EXIT

# sources PATTERN...: files of the checkout, generated ones left out
sources()
{
	local args=() pattern

	for pattern in "$@"; do
		args+=(-o -name "$pattern")
	done
	find . \( -path ./.git -o -path ./build -o -path '*/build' \) -prune -o -type f \
		\( "${args[@]:1}" \) ! -name '*.skel.h' ! -name '*.mod.c' -print
}

n=0
# point WHAT: good when $work/out is empty
point()
{
	n=$((n + 1))
	if [ -s "$work/out" ]; then
		echo "not ok $n - $1"
		head -n 100 "$work/out" | sed 's/^/# /'
	else
		echo "ok $n - $1"
	fi
}

sources '*.c' '*.h' '*.S' '*.sh' '*.awk' '*.mk' Makefile Kbuild '*.conf' | while read -r file; do
	head -n 2 "$file" | grep -q 'SPDX-License-Identifier: ' || echo "$file: no SPDX line at its start"
done > "$work/out"
point 'each source file names its licence'

# The text of each, and no other
{
	sources '*.c' '*.h' '*.S' '*.sh' '*.awk' '*.mk' Makefile Kbuild '*.conf' | xargs head -qn 2 |
		sed -n 's|^.*SPDX-License-Identifier: ||p' | sed 's|\*/.*||; s/ OR \| WITH /\n/g' | tr -d ' ' | sort -u
} > "$work/licences"
(cd LICENSES && ls) | sed 's/\.txt$//' | sort | diff "$work/licences" - > "$work/out" || true
point 'LICENSES has the text of each'

{
	sources '*.sh'
	echo ./.ci/run
} | while read -r file; do
	# what is sourced is bash too, without a #! line
	shellcheck -S warning -s bash -x -P SCRIPTDIR -e SC1090,SC1091,SC2034,SC2154 "$file" || true
done > "$work/out" 2>&1
point 'shellcheck finds nothing in the scripts'

checkpatch=${CHECKPATCH:-}
for file in /usr/src/linux-*/scripts/checkpatch.pl; do
	[ -n "$checkpatch" ] || [ ! -f "$file" ] || checkpatch=$file
done
if [ -n "$checkpatch" ]; then
	# compat/ wraps the kernel's own macros, by kernel version. What runs outside the
	# kernel too (elfid, btf/, userspace, tests) has none of its macros: only errors count.
	sources '*.c' '*.h' | sort | while read -r file; do
		ignore=NONE level='ERROR|WARNING'
		case $file in
		./module/compat/*)
			ignore=LINUX_VERSION_CODE,CONSTANT_COMPARISON,NEW_TYPEDEFS
			ignore+=,TRAILING_SEMICOLON,COMPLEX_MACRO,MULTISTATEMENT_MACRO_USE_DO_WHILE
			;;
		*.bpf.c)
			ignore=GLOBAL_INITIALISERS level=ERROR ;;
		./module/elfid*|./module/btf/*)
			level=ERROR ;;
		./module/*)
			;;
		*)
			level=ERROR ;;
		esac
		perl "$checkpatch" --no-tree --terse --no-summary --max-line-length=100 \
			--ignore "$ignore" -f "$file" 2>&1 | grep -aE ": ($level): " || true
	done > "$work/out"
	point 'checkpatch finds nothing'
else
	n=$((n + 1))
	echo "ok $n - checkpatch # SKIP not in a Debian package; set CHECKPATCH=FILE, or install linux-source-6.12 and unpack it in /usr/src"
fi

# sparse, in the root that has the headers. The kernel's own headers make it complain too.
suite=bookworm
release=$("$TESTS_DIR/roots.sh" kernels "$suite" | grep -- '-amd64$' | grep -v -- '-rt-' | sort -V | tail -n 1)
# shellcheck disable=SC2016 # for the shell in the root
if "$TESTS_DIR/roots.sh" run "$suite" sh -c '
		apt-get -q update && apt-get -q install -y --no-install-recommends sparse &&
		make module KVER="$1" BUILD="build/sparse" C=2' sh "$release" \
		> "$work/sparse" 2>&1; then
	# kfuncs are called by BPF programs alone: no header declares them
	grep -aE '(^|/)module/[^ ]*: (warning|error):' "$work/sparse" |
		grep -avE "symbol 'bpf_buildidx_[a-z_]+' was not declared" > "$work/out" || true
else
	tail -n 30 "$work/sparse" > "$work/out"
fi
rm -rf "$TOP_DIR/build/sparse"
point "sparse finds nothing in the module ($release)"
echo "1..$n"
