#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# profile.sh BUILD - the commands profile and symbolize from outside, without the module:
# command lines, and names for stacks of files made here. Prints TAP.
set -euo pipefail

build=${1:?the build directory}
export LC_ALL=C.UTF-8 DEBUGINFOD_URLS=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DEBUGINFOD_CACHE_PATH=$work/cache TMPDIR=$work/tmp
mkdir "$TMPDIR"
# a proxy would answer for a server that is not there
unset http_proxy HTTP_PROXY ALL_PROXY all_proxy

. "$(dirname "$0")/result.sh"

run() {
	code=0
	"$tool" "$@" >"$work/out" 2>"$work/err" || code=$?
}

# symbolize LINE OPTION...: one folded line
symbolize() {
	local line=$1
	shift
	code=0
	printf '%s\n' "$line" | "$tool" symbolize "$@" >"$work/out" 2>"$work/err" || code=$?
}

says() { grep -qF -- "$1" "$work/err"; }
prints() { [ "$(cat "$work/out")" = "$1" ]; }

# offset FILE ADDRESS: where the code at that address is in the file
offset() {
	local type off vaddr filesz rest
	while read -r type off vaddr _ filesz rest; do
		[ "$type" = LOAD ] && [[ $rest = *' E '* || $rest = *' E'* ]] || continue
		if (($2 >= vaddr && $2 < vaddr + filesz)); then
			printf '0x%x\n' $(($2 - vaddr + off))
			return
		fi
	done < <(readelf -lW "$1" 2>/dev/null)
	return 1
}

# address FILE SYMBOL, size FILE SYMBOL
address() { printf '0x%s\n' "$(nm -S "$1" | awk -v s="$2" '$4 == s { print $1 }')"; }
size() { printf '0x%s\n' "$(nm -S "$1" | awk -v s="$2" '$4 == s { print $2 }')"; }

id_of() { "$build/tool/buildidx" file -H "$1" | awk '{ print $1 }'; }

# Two functions without a gap between them, and no debug information.
mkdir "$work/dir"
cat >"$work/flat.s" <<'END'
	.text
	.globl main, first, second
	.type first, @function
first:	nop
	nop
	.size first, .-first
	.type second, @function
second:	nop
	nop
	.size second, .-second
	.type main, @function
main:	xorl %eax, %eax
	ret
	.size main, .-main
	.section .note.GNU-stack,"",@progbits
END
gcc -o "$work/dir/flat" "$work/flat.s" -Wl,--build-id=sha1
flat=$(id_of "$work/dir/flat")
first=$(offset "$work/dir/flat" "$(address "$work/dir/flat" first)")
second=$(offset "$work/dir/flat" "$(address "$work/dir/flat" second)")

# C++, with a function that is inlined; with a table of address ranges (gcc) and without
# one, and all in the namespace (clang); one part of each file the program, the other its debug information.
cat >"$work/cxx.cc" <<'END'
namespace space {
struct thing { int value; };
static inline __attribute__((always_inline)) int inner(const thing &t)
{
	volatile int sum = 0;
	for (int i = 0; i < t.value; i++)
		sum = sum + i;
	return sum;
}
__attribute__((noinline)) int outer(const thing &t, char) { return inner(t) + 1; }
}
int main(int argc, char **) { return space::outer(space::thing{argc}, 'c'); }
END
g++ -O2 -g -o "$work/gcc-whole" "$work/cxx.cc" -Wl,--build-id=sha1
clang++ -O2 -g -o "$work/clang-whole" "$work/cxx.cc" -Wl,--build-id=sha1
outer=_ZN5space5outerERKNS_5thingEc

# The same, with the mark of lld, whose offsets cannot be guessed.
cp "$work/gcc-whole" "$work/marked"
printf 'Linker: LLD 14.0.6\0' >"$work/mark"
objcopy --update-section .comment="$work/mark" "$work/marked"
mkdir "$work/lld"
objcopy --only-keep-debug "$work/marked" "$work/lld/marked.debug"

# lines FILE: one stack for each byte of its function outer
lines() {
	local id start len i
	id=$(id_of "$1")
	start=$(offset "$1" "$(address "$1" $outer)")
	len=$(size "$1" $outer)
	for ((i = 0; i < len; i++)); do
		printf 'prog;%s+0x%x 1\n' "$id" $((start + i))
	done
}

# The same without what .comment holds.
cp "$work/marked" "$work/hollow"
objcopy --only-keep-debug "$work/hollow" "$work/hollow.debug"
read -r comment < <(readelf -SW "$work/hollow.debug" 2>/dev/null | sed -n 's/^ *\[ *\([0-9]*\)\] \.comment .*/\1/p')
read -r table < <(readelf -hW "$work/hollow.debug" 2>/dev/null | sed -n 's/.*Start of section headers: *\([0-9]*\) .*/\1/p')
printf '\010\0\0\0' | dd of="$work/hollow.debug" bs=1 seek=$((table + comment * 64 + 4)) conv=notrunc status=none
readelf -SW "$work/hollow.debug" 2>/dev/null | grep -q '\.comment *NOBITS'
mkdir "$work/nobits"
mv "$work/hollow.debug" "$work/nobits/"

# A program whose link to its debug information leads to what never answers, and the name
# of a function that a terminal would obey.
mkdir "$work/linked"
objcopy --redefine-sym "second=$(printf 'sec\302\233nd')" "$work/dir/flat" "$work/odd"
mkfifo "$work/linked/none.debug"
cp "$work/gcc-whole" "$work/trap"
objcopy --only-keep-debug "$work/trap" "$work/none.debug"
strip "$work/trap"
objcopy --add-gnu-debuglink="$work/none.debug" "$work/trap"
mv "$work/trap" "$work/linked/"

# A server, as libdebuginfod sees one: serve URL-DIRECTORY ID FILE KIND
serve() {
	mkdir -p "$1/buildid/$2"
	cp "$3" "$1/buildid/$2/$4"
}

gcc -o "$work/dir/none" "$work/flat.s" -Wl,--build-id=none
none=$(id_of "$work/dir/none")

# What a kernel consists of: vmlinux at its own addresses; an object file whose sections of
# text the kernel puts one after another, but for those that it frees after the start.
mkdir "$work/kernel"
gcc -nostdlib -static -no-pie -o "$work/kernel/vmlinux" "$work/flat.s" -Wl,--build-id=sha1 \
	-Wl,-e,main -Wl,-Ttext=0xffffffff81000000 -Wl,-z,max-page-size=0x1000
cat >"$work/module.c" <<'END'
#define IN(name) __attribute__((noinline, section(name)))
volatile int sink;
IN(".init.text") int at_start(int n) { return sink + n; }
static inline __attribute__((always_inline)) int folded_in(int n) { return sink * n; }
int in_text(int n) { return folded_in(n) + 1; }
IN(".text.unlikely") int in_unlikely(int n) { return sink - n; }
IN(".init.more") int at_start_too(int n) { return sink + 2 * n; }
IN(".noinstr.text") __attribute__((aligned(64))) int in_noinstr(int n) { return sink / (n | 1); }
END
gcc -O2 -g -c -o "$work/module.o" "$work/module.c"
ld -r --build-id=sha1 -o "$work/whole.ko" "$work/module.o"
mkdir "$work/ko" "$work/ko-debug"
strip -g -o "$work/ko/module.ko" "$work/whole.ko"
objcopy --only-keep-debug "$work/whole.ko" "$work/ko-debug/module.debug"
vmlinux=$(id_of "$work/kernel/vmlinux")
ko=$(id_of "$work/whole.ko")
golden=$(dirname "$0")/golden/little.bidx
bpf=bpf:84c66f952bf9e768946a1ad38179ebcc6ed87a48

# in_module FUNCTION: where it is once the module is loaded, by the sizes of its sections
in_module() {
	local end=0 nr name size flags align want value
	read -r value want < <(readelf -sW "$work/whole.ko" | awk -v s="$1" '$8 == s { print $2, $7 }')
	while read -r nr name size flags align; do
		[[ $flags == AX && $name != .init* ]] || continue
		end=$(((end + align - 1) / align * align))
		if [ "$nr" = "$want" ]; then
			printf '0x%x\n' $((end + 0x$value))
			return
		fi
		end=$((end + 0x$size))
	done < <(readelf -SW "$work/whole.ko" | sed -n 's/^ *\[ *\([0-9]*\)\] */\1 /p' |
		awk '{ print $1, $2, $6, $8, $NF }')
	return 1
}

# From here on a condition that fails is reported, not fatal.
set +e

for tool in "$build/tool/buildidx" "$build/tool-asan/buildidx"; do
	echo "# $tool"
	rm -rf "$work/cache" "$work/server"

	for c in profile symbolize; do
		run $c --help
		[ "$code" = 0 ] && [ ! -s "$work/err" ] && grep -q "^Usage: buildidx $c" "$work/out" &&
			grep -q '  4  not permitted' "$work/out"
		result "$c --help"
		run $c --no-such-option
		[ "$code" = 2 ] && [ ! -s "$work/out" ] && says no-such-option &&
			says "Try 'buildidx $c --help'"
		result "$c refuses an unknown option"
	done
	for args in "-F 0" "-F x" "-F -1" "-F 1000000" "-F" "-d 0" "-d 1.5" "-d" "-p 0" "-p x" "-p" \
		    "-p 1 -a" "-p 1 -- true" "--stock --compare" "-U -K" "--svg"; do
		# shellcheck disable=SC2086
		run profile $args
		[ "$code" = 2 ] && [ ! -s "$work/out" ] && [ -s "$work/err" ]
		result "usage error: profile $args"
	done
	run profile -o "$work/no-such-dir/x" --stock -d 1
	[ "$code" = 1 ] && says "$work/no-such-dir/x: No such file"
	result "profile: the output cannot be written"
	run profile --svg "$work/no-such-dir/x" --stock -d 1
	[ "$code" = 1 ] && says "$work/no-such-dir/x: No such file"
	result "profile: the flame graph cannot be written"
	if [ ! -e /dev/buildidx ]; then
		run profile -- touch "$work/ran"
		[ "$code" = 3 ] && [ ! -e "$work/ran" ] && [ ! -s "$work/out" ] &&
			says "modprobe buildidx" && says --stock
		result "profile: no module; the command did not run"
		run profile --help -- touch "$work/ran"
		[ "$code" = 0 ]
		result "profile: what follows -- is the command's"
	fi

	# Which function.
	symbolize "prog;$flat+$first 3" --dir "$work/dir"
	[ "$code" = 0 ] && prints 'prog;first 3' && says '1 of 1 frames have a name'
	result "symbolize: the innermost frame is where the program was"
	symbolize "prog;$flat+$second;$flat+$second 3" --dir "$work/dir"
	[ "$code" = 0 ] && prints 'prog;first;second 3'
	result "symbolize: the others are return addresses: the call is in front of them"
	symbolize "prog;$flat+$second;$flat+$second;[kernel] 3" --dir "$work/dir"
	[ "$code" = 0 ] && prints 'prog;first;second;[kernel] 3'
	result "symbolize: also when the kernel is the innermost"
	symbolize "prog;$flat+$second;$vmlinux+0xffffffff81000002_[k];$vmlinux+0xffffffff81000001_[k] 3" \
		--dir "$work/dir" --dir "$work/kernel"
	[ "$code" = 0 ] && prints 'prog;second;first_[k];first_[k] 3'
	result "symbolize: vmlinux, by its addresses; the user frame before it is no return address"
	for dir in ko ko-debug whole.ko; do
		symbolize "prog;$ko+$(in_module in_unlikely)_[k];$ko+$(in_module in_noinstr)_[k] 1" --dir "$work/$dir"
		[ "$code" = 1 ] || [ "$code" = 0 ] && grep -qE '^prog;.*;in_noinstr_\[k\] 1$' "$work/out"
		result "symbolize: a kernel module, from $dir"
		for f in in_text in_unlikely in_noinstr; do
			symbolize "prog;$ko+$(in_module $f)_[k] 1" --dir "$work/$dir"
			[ "$code" = 0 ] && grep -qE "^prog;${f}_\[k\](;folded_in_\[i\])? 1\$" "$work/out"
			result "symbolize: $f, in a section of its own, from $dir"
		done
	done
	symbolize "prog;$ko+0x10000_[k];$vmlinux+0xffffffff80000000_[k];[bpf_trampoline_1]_[k];[raced]_[k] 1" \
		--dir "$work/ko" --dir "$work/kernel"
	[ "$code" = 1 ] && prints "prog;$ko+0x10000_[k];$vmlinux+0xffffffff80000000_[k];[bpf_trampoline_1]_[k];[raced]_[k] 1" &&
		says '0 of 2 frames have a name'
	result "symbolize: kernel frames without a name stay"
	symbolize "prog;$bpf+0x5_[b];$bpf+0x10_[b] 1" --records "$golden"
	[ "$code" = 0 ] && grep -qE '^prog;golden_main_\[b\];[a-z_]+_\[b\] 1$' "$work/out" && ! grep -q "$bpf" "$work/out"
	result "symbolize: BPF programs, from a file of records"
	symbolize "prog;$bpf+0x0_[b];$vmlinux+0xffffffff81000001_[k] 1" --records "$golden" --dir "$work/kernel"
	[ "$code" = 0 ] && prints 'prog;golden_main_[b];first_[k] 1'
	result "symbolize: a program that was interrupted at its start"
	symbolize "prog;${bpf%??}00+0x5_[b] 1" --records "$golden"
	[ "$code" = 1 ] && prints "prog;${bpf%??}00+0x5_[b] 1"
	result "symbolize: a BPF program that the file does not have"
	rm -rf "$work/export" "$work/cache"
	run bpf export --file "$golden" --all --debuginfod "$work/export"
	symbolize "prog;$bpf+0x5_[b];$bpf+0x10_[b] 1" --dir "$work/export"
	[ "$code" = 0 ] && grep -qE '^prog;golden_main_\[b\];[a-z_]+_\[b\] 1$' "$work/out"
	result "symbolize: BPF programs, from exported files"
	symbolize "prog;$bpf+0x5_[b];$bpf+0x10_[b] 1" --debuginfod "file://$work/export"
	[ "$code" = 0 ] && grep -qE '^prog;golden_main_\[b\];[a-z_]+_\[b\] 1$' "$work/out"
	result "symbolize: BPF programs, from a debuginfod server that is given them"
	symbolize "a 1" --records "$work/flat.s"
	[ "$code" = 1 ] && prints "a 1" && says "$work/flat.s: "
	result "symbolize: --records of another file"
	symbolize "a 1" --records "$work/missing"
	[ "$code" = 1 ] && says "$work/missing: No such file"
	result "symbolize: --records of no file"
	symbolize "prog;$none+$first 1" --dir "$work/dir/none"
	[ "$code" = 0 ] && [[ $none = hash:* ]] && prints 'prog;first 1'
	result "symbolize: a file without a build ID, by its hash"
	symbolize "$flat+$first;[anon];main;[raced];[no-mapping];$flat+$second 2" --dir "$work/dir"
	[ "$code" = 0 ] && prints "$flat+$first;[anon];main;[raced];[no-mapping];second 2"
	result "symbolize: what is no ID stays, the name of the thread too"
	symbolize "prog;$flat+0xffffffffffffffff;$flat+0x1;go:x+$first;aabb+$first 2" --dir "$work/dir"
	[ "$code" = 1 ] && prints "prog;$flat+0xffffffffffffffff;$flat+0x1;go:x+$first;aabb+$first 2" &&
		says '0 of 4 frames have a name' && says "$flat: 2 of 2 frames without a name: no function" &&
		says 'aabb: 1 of 1 frames without a name: no file with this ID was found'
	result "symbolize: a frame without a name stays, and it says why"
	printf 'a;%s+%s 1\nb;x 1\na;%s+0x%x 2\n' "$flat" "$first" "$flat" $((first + 1)) >"$work/folded"
	run symbolize --dir "$work/dir" "$work/folded" "$work/folded"
	[ "$code" = 0 ] && prints "$(printf 'a;first 6\nb;x 2')"
	result "symbolize: lines that became equal are one"
	cp "$work/out" "$work/again"
	run symbolize "$work/again"
	[ "$code" = 0 ] && cmp -s "$work/out" "$work/again"
	result "symbolize: twice changes nothing"
	symbolize "$(printf 'a\033[31m;go:\033c\302\233+0x12;b c;\342\200\256;\303\244\377 1')" --dir "$work/dir"
	[ "$code" = 1 ] && prints 'a\033[31m;go:\033c\302\233+0x12;b c;\342\200\256;ä\377 1' &&
		says 'go:\033c\302\233: 1 of 1'
	result "symbolize: what a terminal would obey comes out in octal, on standard error too"
	{ printf 'a;x 1\n'; head -c 3000000 /dev/zero | tr '\0' b; printf ' 1\nc\0;y 1\nd 3'; } >"$work/folded"
	run symbolize "$work/folded"
	[ "$code" = 1 ] && prints "$(printf 'a;x 1\nd 3')" && says 'line 2 is too long' && says 'line 3 is not'
	result "symbolize: an endless line, and one with a NUL"
	"$tool" symbolize "$work/again" >/dev/full 2>"$work/err"
	[ $? = 1 ] && says 'cannot write the output: No space left'
	result "symbolize: a full disk is told"
	symbolize "$(printf 'a;x 1\nnonsense\nb 2')"
	[ "$code" = 1 ] && prints "$(printf 'a;x 1\nb 2')" && says 'standard input: line 2 is not'
	result "symbolize: a line that is none is told"
	run symbolize "$work/missing"
	[ "$code" = 1 ] && says "$work/missing: No such file"
	result "symbolize: no such file"
	symbolize "a 1" --dir "$work/missing"
	[ "$code" = 1 ] && prints "a 1" && says "$work/missing: No such file"
	result "symbolize: no such directory"

	# C++ and inlined functions, from each place.
	for cc in gcc clang; do
		whole=$work/$cc-whole
		id=$(id_of "$whole")
		lines "$whole" >"$work/folded"
		rm -rf "$work/split" "$work/server-$cc"
		mkdir "$work/split"
		strip -o "$work/split/prog" "$whole"
		objcopy --only-keep-debug "$whole" "$work/split/prog.debug"
		serve "$work/server-$cc" "$id" "$work/split/prog" executable
		serve "$work/server-$cc" "$id" "$work/split/prog.debug" debuginfo

		run symbolize --dir "$whole" "$work/folded"
		cp "$work/out" "$work/expected"
		[ "$code" = 0 ] && ! grep -q "$id" "$work/out" &&
			grep -qE '^prog;space::outer\(space::thing const&, char\);(inner|space::inner\(space::thing const&\))_\[i\] [0-9]+$' "$work/out" &&
			! grep -qvE '^prog;space::outer\(space::thing const&, char\)(;(inner|space::inner\(space::thing const&\))_\[i\])? [0-9]+$' "$work/out"
		result "$cc: C++ names, and the inlined function in the one that has it"
		run symbolize --dir "$work/split" "$work/folded"
		[ "$code" = 0 ] && cmp -s "$work/out" "$work/expected"
		result "$cc: program and debug information in two files"
		mkdir -p "$work/debug-$cc"
		cp "$work/split/prog.debug" "$work/debug-$cc/"
		run symbolize --dir "$work/debug-$cc" "$work/folded"
		[ "$code" = 0 ] && cmp -s "$work/out" "$work/expected" && says "offsets as GNU ld"
		result "$cc: the debug information alone, of what GNU ld linked"
		run symbolize --debuginfod "file://$work/server-$cc" "$work/folded"
		[ "$code" = 0 ] && cmp -s "$work/out" "$work/expected"
		result "$cc: both from a debuginfod server"
		rm -rf "$work/cache"
		DEBUGINFOD_URLS="file://$work/server-$cc" run symbolize "$work/folded"
		[ "$code" = 0 ] && cmp -s "$work/out" "$work/expected"
		result "$cc: a server from the environment"
		# libdwfl looks for NAME.debug beside NAME
		mkdir -p "$work/alone"
		mv "$work/split/prog" "$work/alone/prog"
		run symbolize --dir "$work/alone" "$work/folded"
		[ "$code" = 1 ] && cmp -s <(sort "$work/out") <(sort "$work/folded")
		result "$cc: a stripped program alone names nothing"
	done
	lines "$work/gcc-whole" >"$work/folded"
	run symbolize --dir "$work/lld" "$work/folded"
	[ "$code" = 1 ] && cmp -s <(sort "$work/out") <(sort "$work/folded") &&
		says 'does not tell offsets; the program is needed'
	result "debug information alone, of another linker: nothing is guessed"
	run symbolize --dir "$work/nobits" "$work/folded"
	[ "$code" = 1 ] && says 'does not tell offsets; the program is needed'
	result "debug information alone, whose mark has no content"
	code=0
	timeout 30 "$tool" symbolize --dir "$work/linked" "$work/folded" >"$work/out" 2>"$work/err" || code=$?
	[ "$code" = 1 ] && cmp -s <(sort "$work/out") <(sort "$work/folded")
	result "a file's own word for where its debug information is is not followed"
	rm -rf "$work/cache" "$work/server-debug"
	serve "$work/server-debug" "$(id_of "$work/gcc-whole")" "$work/clang-whole" debuginfo
	run symbolize --dir "$work/linked" --debuginfod "file://$work/server-debug" "$work/folded"
	[ "$code" = 1 ] && [ -n "$(find "$work/cache" -name debuginfo -size +0)" ] &&
		cmp -s <(sort "$work/out") <(sort "$work/folded")
	result "debug information of another file is not believed"
	symbolize "prog;$flat+$second 3" --dir "$work/odd"
	[ "$code" = 0 ] && prints 'prog;sec\302\233nd 3'
	result "a name that a terminal would obey"
	rm -rf "$work/cache" "$work/server-wrong"
	serve "$work/server-wrong" "$flat" "$work/gcc-whole" executable
	symbolize "prog;$flat+$first 3" --debuginfod "file://$work/server-wrong"
	[ "$code" = 1 ] && prints "prog;$flat+$first 3" && says '0 of 1 frames have a name'
	result "symbolize: a server that gives another file is not believed"

	# Where was it looked for? Nobody listens on that port, and nothing waits for it twice.
	rm -rf "$work/cache"
	symbolize "prog;$flat+$first;aabb+0x1;ccdd+0x1 3" --dir "$work/dir" \
		--debuginfod "http://127.0.0.1:9/" --debuginfod "file://$work/server-gcc"
	[ "$code" = 1 ] && says 'files not found: 2 of 3' && says "directory $work/dir: was searched" &&
		says 'server http://127.0.0.1:9/: gave no answer: Connection refused' &&
		says "server file://$work/server-gcc: was asked"
	result "symbolize: what was not found was looked for where, and which server did not answer"
	[ -z "$(find "$TMPDIR" -name 'buildidx.*')" ]
	result "symbolize: what was needed to find that out is gone"
	TMPDIR=/nowhere symbolize "prog;aabb+0x1 3" --debuginfod "http://127.0.0.1:9/"
	[ "$code" = 1 ] && says 'server http://127.0.0.1:9/: whether it answers is not known: no temporary directory'
	result "symbolize: or that it could not be found out"
	lines "$work/gcc-whole" >"$work/folded"
	run symbolize --debuginfod "http://127.0.0.1:9/" --debuginfod "file://$work/server-gcc" "$work/folded"
	[ "$code" = 0 ] && ! grep -q 'files not found' "$work/err" && ! grep -q "$(id_of "$work/gcc-whole")" "$work/out"
	result "symbolize: the servers that answer are enough"
done

echo "1..$n"
exit $failed
