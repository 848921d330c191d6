# SPDX-License-Identifier: GPL-2.0
# Sourced: private apt directories, so that packages of a suite other than the
# host's can be found and downloaded without touching the host's own apt state.
# Needs common.sh.

# host_archive RELEASE: where the host gets that suite of Debian from, "URI KEYRING";
# nothing when it has no such source. A source may name it by codename or as "stable".
host_archive()
{
	local release=$1

	apt-get indextargets 'Created-By: Packages' | awk -v want="$release" '
		function field(line) { sub(/^[^:]*: */, "", line); return line }
		/^Repo-URI:/	{ uri = field($0) }
		/^Release:/	{ release = field($0) }
		/^Codename:/	{ codename = field($0) }
		/^Signed-By:/	{ key = field($0) }
		function match_and_reset() {
			if (!found && (release == want || codename == want))
				found = uri " " key
			uri = release = codename = key = ""
		}
		/^$/		{ match_and_reset() }
		END		{ match_and_reset(); if (found) print found }'
}

host_codename()
{
	local codename

	codename=$(. /etc/os-release && [ "$ID" = debian ] && echo "${VERSION_CODENAME:-}")
	[ -n "$codename" ] ||
		lacking "this host is not a Debian release; the tests take kernels and compilers from Debian's bookworm and trixie"
	echo "$codename"
}

# The kernels that the tests know: root_lines and tests/vm/kernel.sh say which packages these are
KERNEL_LINES='6.1 6.12 6.12-rt 6.12-trixie 7.3'

# kernel_line KERNEL: the same name, with "default" made into the host suite's newest
kernel_line()
{
	if [ "$1" != default ]; then
		[[ " $KERNEL_LINES " = *" $1 "* ]] ||
			lacking "no such kernel: $1; known: $KERNEL_LINES default"
		echo "$1"
	elif [ "$(host_codename)" = trixie ]; then
		echo 6.12-trixie
	else
		echo 6.12
	fi
}

# write_sources CODENAME FILE: a sources.list for CODENAME from the host's mirrors
write_sources()
{
	local codename=$1 file=$2 host main main_key sec sec_key

	host=$(host_codename)
	read -r main main_key < <(host_archive "$host") ||
		lacking "no apt source for $host on this host; add one (man 5 sources.list)"
	main_key=${main_key:-/usr/share/keyrings/debian-archive-keyring.gpg}
	read -r sec sec_key < <(host_archive "$host-security") || true
	{
		echo "deb [signed-by=$main_key] $main $codename main"
		echo "deb [signed-by=$main_key] $main $codename-updates main"
		if [ -n "${sec:-}" ]; then
			echo "deb [signed-by=${sec_key:-$main_key}] $sec $codename-security main"
		else
			note "no apt source for $host-security on this host: kernels come from $codename alone"
		fi
		if [ "$codename" = trixie ]; then
			echo "deb [signed-by=$main_key] $main trixie-backports main"
		fi
	} > "$file"
}

# apt_options CODENAME: fills the array APT_OPTIONS, for apt-get and apt-cache
apt_options()
{
	local dir=$BUILDIDX_CACHE/apt/$1

	mkdir -p "$dir"/{etc,state/lists/partial,cache/archives/partial}
	: >> "$dir/state/status"
	APT_OPTIONS=(
		-qq
		-o "Dir::State=$dir/state"
		-o "Dir::State::status=$dir/state/status"
		-o "Dir::Cache=$dir/cache"
		-o "Dir::Etc::sourcelist=$dir/etc/sources.list"
		-o "Dir::Etc::sourceparts=/dev/null"
		-o "Dir::Etc::preferencesparts=/dev/null"
		-o "APT::Architecture=amd64"
		-o "APT::Architectures=amd64"
		-o "APT::Sandbox::User=root"
		-o "Acquire::Languages=none"
		-o "Acquire::Retries=1"
	)
}

# apt_update CODENAME: refresh the package lists of that suite, unless that was done within
# the hour: its kernels are asked for one after the other
apt_update()
{
	local dir=$BUILDIDX_CACHE/apt/$1

	apt_options "$1"
	if [ -n "$(find "$dir/updated" -mmin -60 2>/dev/null)" ]; then
		return 0
	fi
	write_sources "$1" "$dir/etc/sources.list"
	apt-get "${APT_OPTIONS[@]}" -o APT::Update::Error-Mode=any update >&2 || return 1
	touch "$dir/updated"
}
