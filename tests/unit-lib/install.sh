#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# install.sh BUILD - what the library exports, programs that are built from
# nothing but the installed files, manual pages, completion. Prints TAP.
set -euo pipefail

build=${1:?the build directory}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
. "$(dirname "$0")/result.sh"

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

[ "$(readlink "$root/usr/lib/libbuildidx.so.0")" = "libbuildidx.so.$(cat "$here/../../VERSION")" ]
result "the library's real name has its version"

# Manual pages and completion know what the program and the library have.
man=$root/usr/share/man
ls "$man/man1/buildidx.1" "$man/man3/libbuildidx.3" "$man/man4/buildidx.4" >"$work/log" 2>&1 &&
	mandoc -T lint -W warning "$man"/man*/* >"$work/log" 2>&1
result "mandoc warns of nothing in the manual pages"
sed -n 's/^\.Fn \(buildidx_[a-z_]*\) .*/\1/p' "$man/man3/libbuildidx.3" | sort -u >"$work/described"
[ -s "$work/declared" ] && diff "$work/declared" "$work/described" >"$work/log" 2>&1
result "libbuildidx(3) has every function"
sed -n '/^\.Bd -literal/,/^\.Ed/p' "$man/man3/libbuildidx.3" | grep -v '^\.' | sed 's/\\e/\\/g' >"$work/user.c"
# shellcheck disable=SC2046
build_user c gcc $(pc --libs) && [ "$(LD_LIBRARY_PATH=$root/usr/lib "$work/user")" = $id ]
result "the example in libbuildidx(3) runs"

"$root/usr/bin/buildidx" --help | sed -n 's/^  \([a-z]\{3,\}\) .*/\1/p' | sort >"$work/commands"
# described FILE: without the commands that a build with PROFILE=no has not
described() {
	if ! grep -qx profile "$work/commands"; then
		sed -i '/^profile$/d; /^symbolize$/d' "$1"
	fi
}
sed -n '/^The commands are/,/^\.El/s/^\.It Cm \([a-z]*\).*/\1/p' "$man/man1/buildidx.1" | sort >"$work/described"
described "$work/described"
[ -s "$work/commands" ] && diff "$work/commands" "$work/described" >"$work/log" 2>&1
result "buildidx(1) has every command"
sed -n '/commands=(/,/^\t)/s/^\t\t.\([a-z]*\):.*/\1/p' "$root/usr/share/zsh/site-functions/_buildidx" | sort >"$work/zsh"
described "$work/zsh"
diff "$work/commands" "$work/zsh" >"$work/log" 2>&1 && zsh -n "$root/usr/share/zsh/site-functions/_buildidx" 2>"$work/log"
result "zsh: every command, and zsh takes the file"

# complete WORD...: what bash offers for the last word
complete_bash() {
	# shellcheck disable=SC2016 # for the inner shell
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _buildidx
		printf "%s\n" "${COMPREPLY[@]}"' bash "$root/usr/share/bash-completion/completions/buildidx" "$@"
}
complete_bash buildidx '' | grep -v '^-' | sort >"$work/offered"
described "$work/offered"
diff "$work/commands" "$work/offered" >"$work/log" 2>&1
result "bash: every command"
while read -r command; do
	"$root/usr/bin/buildidx" "$command" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '-[^, ]+' |
		sort >"$work/options"
	complete_bash buildidx "$command" - | sort >"$work/offered"
	[ -s "$work/options" ] && diff "$work/options" "$work/offered" >"$work/log" 2>&1
	result "bash: every option of $command"
	sed -n "/^\t\t[a-z|]*\b$command\b[a-z|]*)/,/;;/p" "$root/usr/share/zsh/site-functions/_buildidx" |
		sed 's/$help/--help/; s/$json/--json/; s/$list/--no-header/' | grep -oE -- '--[a-z-]+' |
		sort -u >"$work/zsh"
	grep -e -- "$work/options" | diff - "$work/zsh" >"$work/log" 2>&1
	result "zsh: every option of $command"
done <"$work/commands"
complete_bash buildidx maps "$$" >"$work/offered"
grep -qx "$$" "$work/offered"
result "bash: a process number"
complete_bash buildidx stats --cpu '' >"$work/offered"
grep -qx 0 "$work/offered"
result "bash: a CPU number"

# The rest of an installation, and nothing of it afterwards.
[ -z "$(find "$root" -path '*udev*' -o -path '*modules-load*')" ]
result "without the module: no udev rule, and nothing to load at boot"
us install-system
grep -q 'KERNEL=="buildidx".*GROUP="root".*MODE="0660"' "$root/usr/lib/udev/rules.d/60-buildidx.rules" &&
	grep -qx buildidx "$root/usr/lib/modules-load.d/buildidx.conf"
result "the device is for root, and the module is loaded at boot"
us install-system GROUP=profilers
grep -q 'GROUP="profilers"' "$root/usr/lib/udev/rules.d/60-buildidx.rules"
result "or for a group by choice"
for group in 'x", RUN+="y' 'a b' '' '../z'; do
	us install-system GROUP="$group"
	[ $? = 2 ] && grep -q 'is not the name of a group' "$work/log" &&
		grep -q 'GROUP="profilers"' "$root/usr/lib/udev/rules.d/60-buildidx.rules"
	result "GROUP='$group' is refused"
done
us uninstall
[ -z "$(find "$root" ! -type d -print | tee "$work/log")" ] && [ ! -e "$root/usr/include/buildidx" ]
result "uninstall leaves nothing"

# All of it, as make install does; /usr has what it has on any machine.
rm -rf "$root"
mkdir -p "$root"/usr/local/{bin,lib,include,share/man} "$root"/usr/src "$root/etc"
(cd "$root" && find . | sort) >"$work/before"
touch "$root/usr/local/bin/other"
make --no-print-directory -C "$here/../.." install DESTDIR="$root" BUILD="$build/tool" CFLAGS="-O2 -g" >"$work/log" 2>&1 &&
	[ -e "$root/usr/src/buildidx-$(cat "$here/../../VERSION")/dkms.conf" ] &&
	[ -x "$root/etc/kernel/postinst.d/buildidx" ] && [ -x "$root/usr/local/bin/buildidx" ] &&
	[ -e "$root/usr/local/lib/modules-load.d/buildidx.conf" ]
result "make install DESTDIR= with the module's sources"
make --no-print-directory -C "$here/../.." uninstall DESTDIR="$root" BUILD="$build/tool" >"$work/log" 2>&1
rm "$root/usr/local/bin/other"
(cd "$root" && find . | sort) >"$work/after"
diff "$work/before" "$work/after" >"$work/log" 2>&1
result "make uninstall DESTDIR= leaves nothing"

# all_of TARGET ARGUMENT...: of make at the top
all_of() {
	make --no-print-directory -C "$here/../.." BUILD="$build/tool" CFLAGS="-O2 -g" "$@" >"$work/log" 2>&1
}
# What was there, empty, is another's; two installations, two removals, a DESTDIR with a space.
root="$work/with space"
mkdir -p "$root"/usr/local/{bin,lib/udev/rules.d,share/man/man1} "$root/usr/src" "$root/etc/kernel/postinst.d"
(cd "$root" && find . | sort) >"$work/before"
all_of install DESTDIR="$root" && all_of install DESTDIR="$root" && [ -x "$root/usr/local/bin/buildidx" ] &&
	[ -e "$root/etc/kernel/postinst.d/buildidx" ]
result "make install twice, DESTDIR with a space"
all_of uninstall DESTDIR="$root" && all_of uninstall DESTDIR="$root"
result "make uninstall twice"
(cd "$root" && find . | sort) >"$work/after"
diff "$work/before" "$work/after" >"$work/log" 2>&1
result "make uninstall leaves empty directories of others, and nothing of its own"
all_of install DKMS=no DESTDIR="$root" PREFIX=/opt/build/idx && [ -x "$root/opt/build/idx/bin/buildidx" ] &&
	all_of uninstall DKMS=no DESTDIR="$root" PREFIX=/opt/build/idx && [ ! -e "$root/opt" ]
result "a PREFIX that did not exist is gone afterwards"
mkdir -p "$root/opt/build/idx/share/buildidx"
echo mine >"$root/opt/build/idx/share/buildidx/notes"
all_of install DKMS=no DESTDIR="$root" PREFIX=/opt/build/idx &&
	all_of uninstall DKMS=no DESTDIR="$root" PREFIX=/opt/build/idx &&
	[ "$(cd "$root/opt" && find . ! -type d)" = ./build/idx/share/buildidx/notes ]
result "what is not ours stays, in a directory with our name too"
for prefix in "/opt/a b" opt/a; do
	all_of install DKMS=no DESTDIR="$root" PREFIX="$prefix"
	[ $? = 2 ] && grep -q 'must be absolute and without spaces' "$work/log" && [ ! -e "$root/opt/a" ]
	result "PREFIX='$prefix' is refused"
done
rm -rf "$root"
root=$work/root

make --no-print-directory -C "$here/../.." install DKMS=no DESTDIR="$root" BUILD="$build/tool" CFLAGS="-O2 -g" >"$work/log" 2>&1 &&
	[ -x "$root/usr/local/bin/buildidx" ] && [ -z "$(find "$root/usr/src" "$root/etc" -type f)" ] &&
	[ ! -e "$root/usr/local/lib/modules-load.d" ] && [ ! -e "$root/usr/local/lib/udev" ]
result "make install DKMS=no DESTDIR= without what the module needs"

echo "1..$n"
exit $failed
