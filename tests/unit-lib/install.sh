#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh BUILD - what the library exports, and a program that is built from
# nothing but the installed files. Prints TAP.
set -euo pipefail

build=${1:?the build directory}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
n=0
failed=0

# result NAME: reports the exit status of the command before it
result() {
	local status=$? name=$1
	n=$((n + 1))
	if [ "$status" -eq 0 ]; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		sed 's/^/# /' "$work/log"
		failed=1
	fi
}

us() {
	make --no-print-directory -C "$here/../../userspace" BUILD="$build/tool" STATIC= \
		CFLAGS="-O2 -g" DESTDIR="$root" PREFIX=/usr "$@" >"$work/log" 2>&1
}

# From here on a condition that fails is reported, not fatal.
set +e

# Exported, declared and listed must be the same names.
nm -D --defined-only "$build/tool/libbuildidx.so.0" | awk '$2 == "T" { print $3 }' |
	sed 's/@.*//' | sort >"$work/exported"
grep -oE '^[[:space:]]+buildidx_[a-z_]+' "$here/../../userspace/lib/libbuildidx.map" |
	tr -d '[:blank:]' | sort >"$work/listed"
sed -n '/visibility push/,/visibility pop/p' "$here/../../include/libbuildidx.h" |
	grep -oE '^[a-z].*buildidx_[a-z_]+\(' | grep -oE 'buildidx_[a-z_]+\(' | tr -d '(' |
	sort -u >"$work/declared"
[ -s "$work/exported" ] && diff "$work/listed" "$work/exported" >"$work/log" 2>&1
result "the version map lists what is exported"
diff "$work/declared" "$work/exported" >"$work/log" 2>&1
result "the header declares what is exported"
readelf -d "$build/tool/libbuildidx.so.0" >"$work/log"
grep -q 'SONAME.*\[libbuildidx.so.0\]' "$work/log"
result "the soname is libbuildidx.so.0"

us install
result "install"
cat >"$work/user.c" <<'END'
#include <libbuildidx.h>
#include <stdio.h>

int main(void)
{
	struct buildidx_object obj;
	char text[BUILDIDX_FORMAT_MAX];

	if (buildidx_parse_path("/proc/self/exe", &obj, NULL))
		return 1;
	buildidx_format_id(obj.kind, obj.id, obj.id_len, text, sizeof(text));
	puts(text);
	return 0;
}
END
pc() {
	PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
		pkg-config "$@" libbuildidx
}
id=0123456789abcdef
build_user() {
	local lang=$1 compiler=$2
	shift 2
	# shellcheck disable=SC2046
	"$compiler" -x "$lang" -Wall -Wextra -Werror $(pc --cflags) "$work/user.c" -x none \
		"-Wl,--build-id=0x$id" -o "$work/user" "$@" >"$work/log" 2>&1
}
# shellcheck disable=SC2046
build_user c gcc $(pc --libs) && [ "$(LD_LIBRARY_PATH=$root/usr/lib "$work/user")" = $id ]
result "a C program with the shared library"
build_user c gcc "$root/usr/lib/libbuildidx.a" -lnettle && [ "$("$work/user")" = $id ]
result "a C program with the static library"
# shellcheck disable=SC2046
build_user c++ g++ $(pc --libs) && [ "$(LD_LIBRARY_PATH=$root/usr/lib "$work/user")" = $id ]
result "a C++ program"
"$root/usr/bin/buildidx" --version >"$work/log"
result "the installed tool runs"

us uninstall
[ -z "$(find "$root" ! -type d -print | tee "$work/log")" ] && [ ! -e "$root/usr/include/buildidx" ]
result "uninstall leaves nothing"

echo "1..$n"
exit $failed
