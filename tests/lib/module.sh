# SPDX-License-Identifier: GPL-2.0
# Sourced: the module as a user gets it. Needs common.sh, and KREL and KSUITE of vm/kernel.sh.

# dkms_module NAME LOG: install it with dkms in a throw-away copy of the suite's clean root,
# and print where the installed module was copied to (build/NAME/KREL)
dkms_module()
{
	local dir=build/$1

	note "installing the module for $KREL with dkms in a clean $KSUITE root"
	rm -rf "${TOP_DIR:?}/$dir/$KREL"
	# shellcheck disable=SC2016 # for the inner shell
	"$TESTS_DIR/roots.sh" run "$KSUITE" sh -c '
		make dkms-install KERNELS="$1" &&
		mkdir -p "$2/$1" &&
		cp "/lib/modules/$1/updates/dkms/"buildidx.ko* "$2/$1/"' sh "$KREL" "$dir" \
		> "$2" 2>&1 ||
		{ cat "$2" >&2; die "the module cannot be installed for $KREL (messages above)"; }
	compgen -G "$TOP_DIR/$dir/$KREL/buildidx.ko*" || die "dkms installed no buildidx.ko for $KREL"
}
