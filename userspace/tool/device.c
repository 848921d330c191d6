// SPDX-License-Identifier: GPL-2.0
/*
 * device - opening the module's device
 */
#include <errno.h>

#include "tool.h"

int device_exit_code(int error)
{
	switch (error) {
	case -EPERM:
	case -EACCES:
		return EXIT_DENIED;
	default:
		return EXIT_NO_MODULE;
	}
}

int device_open(struct buildidx **bx)
{
	struct buildidx_error err;
	int ret = buildidx_open(bx, 0, &err);

	if (!ret)
		return EXIT_OK;
	complain("%s", err.text);
	return device_exit_code(ret);
}

struct buildidx *device_open_optional(void)
{
	struct buildidx_error err;
	struct buildidx *bx;

	switch (buildidx_open(&bx, 0, &err)) {
	case 0:
		return bx;
	case -ENODEV:
	case -EACCES:
	case -EPERM:
		return NULL;
	default:
		complain("%s; reading the files instead", err.text);
		return NULL;
	}
}
