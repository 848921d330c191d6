# SPDX-License-Identifier: GPL-2.0
# Sourced by the test scripts: where things are, and how to say what went wrong.

TESTS_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TOP_DIR=$(cd "$TESTS_DIR/.." && pwd)
BUILDIDX_CACHE=${BUILDIDX_CACHE:-/var/cache/buildidx}
export TESTS_DIR TOP_DIR BUILDIDX_CACHE

# note TEXT: progress for a person, never part of a script's result
note()
{
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# die TEXT: something failed
die()
{
	note "$*"
	exit 1
}

# lacking TEXT: cannot start; the text says what is needed (exit status 2)
lacking()
{
	note "$*"
	exit 2
}

# need_tools TOOL...: stop unless all are there
need_tools()
{
	local tool missing=()

	for tool in "$@"; do
		command -v "$tool" >/dev/null || missing+=("$tool")
	done
	[ ${#missing[@]} -eq 0 ] ||
		lacking "not found: ${missing[*]}; run tests/setup.sh as root"
}
