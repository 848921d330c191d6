#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# write-config.sh RESULT...
# Prints compat_config.h from the results of the probes.
set -eu

echo "/* SPDX-License-Identifier: GPL-2.0 */"
echo "/* Written by module/compat/probes/write-config.sh, do not edit. */"
echo "#ifndef BIDX_COMPAT_CONFIG_H"
echo "#define BIDX_COMPAT_CONFIG_H"
echo
for result; do
	name=${result##*/}
	name=$(echo "${name%.*}" | tr 'a-z-' 'A-Z_')
	value=$(cat "$result")
	case $name:$value in
	SANITY:1) ;;
	SANITY:*)
		echo "buildidx: the probe $result must succeed on every kernel and did not:" \
			"the compiler or the kernel headers are broken, see $result.log" >&2
		exit 1
		;;
	*:1) echo "#define HAVE_$name 1" ;;
	*:0) echo "/* #undef HAVE_$name */" ;;
	*)
		echo "buildidx: $result holds '$value', not 0 or 1" >&2
		exit 1
		;;
	esac
done
echo
echo "#endif /* BIDX_COMPAT_CONFIG_H */"
