#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tell.sh KERNEL: dkms runs this after it installed the module. The build's own words are in a log
# that nobody reads, so what the module lacks is told here.
set -eu

kernel=$1
for log in /var/lib/dkms/buildidx/*/"$kernel"/*/log/make.log; do
	if [ -e "$log" ]; then
		sed -n 's/^buildidx: BTF: none: /buildidx: WARNING: no BTF for kernel '"$kernel"': /p' "$log"
	fi
done
for module in /lib/modules/"$kernel"/updates/dkms/buildidx.ko*; do
	if [ -e "$module" ] && [ -z "$(modinfo -F signer "$module")" ]; then
		echo "buildidx: WARNING: $module is not signed: a machine with Secure Boot will not load it;" \
			"install the package openssl, then run dkms install --force"
	fi
done
