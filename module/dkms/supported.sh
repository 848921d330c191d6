# SPDX-License-Identifier: GPL-2.0
# Sourced (sh or bash): the range of kernels that buildidx supports, which is defined only here, and
# who installed it.

BIDX_KERNEL_MIN=6.1
BIDX_KERNEL_MAX=7.3
# Those in it that the tests run; of the others nothing is known
BIDX_KERNEL_TESTED="6.1 6.12 7.3"

# bidx_packaged: does a Debian package own the module's sources? Then it alone may change them.
bidx_packaged()
{
	command -v dpkg-query >/dev/null || return 1
	[ "$(dpkg-query -W -f '${db:Status-Status}' buildidx-dkms 2>/dev/null)" = installed ]
}

# bidx_series RELEASE: 6.12.117+deb12-amd64 -> 6012, so that series compare as numbers; fails if
# RELEASE does not start with two numbers
bidx_series()
{
	echo "$1" | sed -n 's/^\([0-9]\{1,4\}\)\.\([0-9]\{1,3\}\).*/\1 \2/p' | {
		read -r bidx_major bidx_minor || return 1
		echo $((bidx_major * 1000 + bidx_minor))
	}
}

# bidx_supported RELEASE: is that kernel within the range?
bidx_supported()
{
	bidx_this=$(bidx_series "$1") || return 1
	[ "$bidx_this" -ge "$(bidx_series "$BIDX_KERNEL_MIN")" ] &&
		[ "$bidx_this" -le "$(bidx_series "$BIDX_KERNEL_MAX")" ]
}
