# SPDX-License-Identifier: GPL-2.0
# bash completion for buildidx(1)
# shellcheck shell=bash

_buildidx_pids()
{
	local dir

	for dir in /proc/[0-9]*; do
		printf '%s\n' "${dir#/proc/}"
	done
}

_buildidx()
{
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options='-h --help' cpus

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W \
			'status file maps addr exe dump stats doctor -h --help -V --version' -- "$word")
		return
	fi
	case $command in
	status|doctor)		options+=' -j --json' ;;
	file|maps|addr|exe|dump)	options+=' -j --json -H --no-header' ;;
	stats)			options+=' -j --json -H --no-header -c --cpu' ;;
	*)			return ;;
	esac
	case ${COMP_WORDS[COMP_CWORD - 1]} in
	-c|--cpu)
		cpus=$(getconf _NPROCESSORS_CONF)
		mapfile -t COMPREPLY < <(compgen -W "$(seq 0 $((cpus - 1)))" -- "$word")
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
		return
	fi
	case $command in
	file)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		;;
	maps|addr|exe)
		mapfile -t COMPREPLY < <(compgen -W "$(_buildidx_pids)" -- "$word")
		;;
	esac
}

complete -F _buildidx buildidx
