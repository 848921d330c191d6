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

int device_refused(int error, const struct buildidx_error *err, const char *instead)
{
	int code = device_exit_code(error);

	complain("%s%s%s", err->text,
		 code == EXIT_NO_MODULE ? "; `buildidx doctor` says what is wrong" : "", instead);
	return code;
}

int device_open(struct buildidx **bx)
{
	struct buildidx_error err;
	int ret = buildidx_open(bx, 0, &err);

	return ret ? device_refused(ret, &err, "") : EXIT_OK;
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
