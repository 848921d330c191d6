# SPDX-License-Identifier: GPL-2.0
# Sourced (sh or bash): directories below /lib/modules that dkms may leave empty.

# bidx_kernels: those that dkms has built some version of buildidx for
bidx_kernels()
{
	for bidx_dir in /var/lib/dkms/buildidx/*/*/*/; do
		bidx_dir=${bidx_dir%/*/}
		bidx_dir=${bidx_dir##*/}
		if [ -d "/lib/modules/$bidx_dir" ]; then
			echo "$bidx_dir"
		fi
	done
}

# bidx_tidy KERNEL...: after the module is gone from there. Where dkms's own directory is not empty, or
# is gone already, the one around it is not our business.
bidx_tidy()
{
	for bidx_kernel; do
		if rmdir "/lib/modules/$bidx_kernel/updates/dkms" 2>/dev/null; then
			rmdir --ignore-fail-on-non-empty "/lib/modules/$bidx_kernel/updates"
		fi
	done
}
