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

# _buildidx_command: the command that `profile` is to start, completed as if it stood alone
_buildidx_command()
{
	local i

	for ((i = 2; i < COMP_CWORD; i++)); do
		if [ "${COMP_WORDS[i]}" = -- ]; then
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			else
				mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
			fi
			return 0
		fi
	done
	return 1
}

_buildidx()
{
	local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} options='-h --help' cpus

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W \
			'status file maps addr exe dump stats bpf watch resolve profile symbolize doctor -h --help -V --version' -- "$word")
		return
	fi
	case $command in
	status|doctor)		options+=' -j --json' ;;
	file|maps|addr|exe|dump)	options+=' -j --json -H --no-header' ;;
	stats)			options+=' -j --json -H --no-header -c --cpu' ;;
	bpf)
		options+=' -j --json -H --no-header --live --gone -f --file -o --output'
		options+=' -a --all --debuginfod --sources'
		if [ "$COMP_CWORD" -eq 2 ] && [[ $word != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W 'list show dump lines export' -- "$word")
			return
		fi
		;;
	watch)
		options+=' -j --json -o --output -f --file --oldest -t --types -p --pid -n --count'
		;;
	resolve)		options+=' -j --json --time -f --file' ;;
	profile)
		if _buildidx_command; then
			return
		fi
		options+=' -p --pid -a --all -F --frequency -d --duration -o --output'
		options+=' -U --user-only -K --kernel-only --svg'
		options+=' --stock --compare --symbols --dir --debuginfod'
		;;
	symbolize)		options+=' -d --dir -u --debuginfod -r --records --svg' ;;
	*)			return ;;
	esac
	case $command${COMP_WORDS[COMP_CWORD - 1]} in
	profile-p|profile--pid|watch-p|watch--pid)
		mapfile -t COMPREPLY < <(compgen -W "$(_buildidx_pids)" -- "$word")
		return
		;;
	watch-t|watch--types)
		mapfile -t COMPREPLY < <(compgen -W 'object map bpf ksym module all' -- "$word")
		return
		;;
	bpf-f|bpf--file|bpf-o|bpf--output|bpf--debuginfod|bpf--sources|watch-f|watch--file|\
	watch-o|watch--output|resolve-f|resolve--file|\
	profile-o|profile--output|profile--dir|symbolize-d|symbolize--dir|*--svg|symbolize-r|symbolize--records)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	watch-n|watch--count|resolve--time|profile-F|profile--frequency|profile-d|profile--duration|*--debuginfod|symbolize-u)
		return
		;;
	stats-c|stats--cpu)
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
	file|symbolize)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		;;
	maps|addr|exe)
		mapfile -t COMPREPLY < <(compgen -W "$(_buildidx_pids)" -- "$word")
		;;
	esac
}

complete -F _buildidx buildidx
