#compdef buildidx
# SPDX-License-Identifier: GPL-2.0
# zsh completion for buildidx(1)

_buildidx()
{
	local curcontext=$curcontext state line
	local -a commands help json list

	commands=(
		'status:whether the module is there and all of it works'
		'file:identity of files'
		'maps:executable mappings of a process'
		'addr:identity and file offset of addresses'
		'exe:identity of a main executable'
		'dump:the whole index'
		'stats:answers by status, and counters'
		'bpf:BPF programs, loaded and gone'
		'watch:what the kernel loads, as it happens'
		'resolve:what is, or was, at kernel addresses'
		'profile:where processes spend their time, as stacks of build IDs'
		'symbolize:names of functions in the output of profile'
		'doctor:what is wrong on this machine, and what to do about it'
	)
	help='(- *)'{-h,--help}'[print help]'
	json='(-j --json)'{-j,--json}'[print JSON]'
	list='(-H --no-header)'{-H,--no-header}'[print no header line]'

	_arguments -C \
		'(- *)'{-h,--help}'[print help]' \
		'(- *)'{-V,--version}'[print the version]' \
		'1: :->command' \
		'*:: :->rest'
	case $state in
	command)
		_describe -t commands command commands
		;;
	rest)
		case $words[1] in
		status|doctor)
			_arguments $help $json
			;;
		file)
			_arguments $help $json $list '*:file:_files'
			;;
		maps|exe)
			_arguments $help $json $list '1:process:_pids'
			;;
		addr)
			_arguments $help $json $list '1:process:_pids' '*:address in hex: '
			;;
		dump)
			_arguments $help $json $list
			;;
		stats)
			_arguments $help $json $list '(-c --cpu)'{-c,--cpu=}'[of one CPU]:CPU number: '
			;;
		bpf)
			_arguments $help $json $list \
				'(--gone)--live[only what is loaded]' \
				'(--live)--gone[only what is gone]' \
				'(-f --file)'{-f,--file=}'[read a file of records]:file:_files' \
				'(-o --output)'{-o,--output=}'[export\: the ELF file]:file:_files' \
				'--debuginfod=[export\: where debuginfod looks]:directory:_files -/' \
				'(-a --all)'{-a,--all}'[export\: all programs]' \
				'--sources=[export\: source lines as files]:directory:_files -/' \
				'1:action:(list show dump lines export)' \
				'*:program: '
			;;
		watch)
			_arguments $help $json \
				'(-o --output)'{-o,--output=}'[write the records there]:file:_files' \
				'(-f --file)'{-f,--file=}'[read a file of records]:file:_files' \
				'--oldest[begin at the oldest record that is kept]' \
				'(-t --types)'{-t,--types=}'[only these]:types:_values -s , type object map bpf ksym module all' \
				'(-p --pid)'{-p,--pid=}'[only what this process caused]:process:_pids' \
				'(-n --count)'{-n,--count=}'[end after so many]:number: '
			;;
		resolve)
			_arguments $help $json \
				'--time=[at this time]:time: ' \
				'(-f --file)'{-f,--file=}'[ask a file of records]:file:_files' \
				'*:kernel address in hex: '
			;;
		profile)
			_arguments $help \
				'(-p --pid)'{-p,--pid=}'[only this process, and what it starts]:process:_pids' \
				'(-a --all)'{-a,--all}'[all processes]' \
				'(-F --frequency)'{-F,--frequency=}'[samples a second on each CPU]:Hz: ' \
				'(-d --duration)'{-d,--duration=}'[end after so long]:seconds: ' \
				'(-o --output)'{-o,--output=}'[write the stacks there; FILE.pb.gz: for pprof]:file:_files' \
				'--svg=[draw a flame graph]:file:_files' \
				'(-K --kernel-only -U --user-only)'{-U,--user-only}'[no kernel frames]' \
				'(-U --user-only -K --kernel-only)'{-K,--kernel-only}'[no user frames]' \
				'--stock[resolve by the stock helper]' \
				'--compare[resolve by both, and say how many frames each answered]' \
				'--symbols[print names of functions]' \
				'*--dir=[look for files below it]:directory:_files' \
				'*--debuginfod=[ask this server too]:URL:_urls' \
				'(-)1:command: _command_names -e' \
				'*::arguments: _normal'
			;;
		symbolize)
			_arguments $help \
				'*'{-d,--dir=}'[look for files below it]:directory:_files' \
				'*'{-u,--debuginfod=}'[ask this server too]:URL:_urls' \
				'*'{-r,--records=}'[use the BPF programs in it]:file:_files' \
				'--svg=[draw a flame graph]:file:_files' \
				'*:folded stacks:_files'
			;;
		esac
		;;
	esac
}

_buildidx "$@"
