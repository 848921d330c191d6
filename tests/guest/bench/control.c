// SPDX-License-Identifier: GPL-2.0
/* The module: loaded, switched off, unloaded; and which kernel this is. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../cases/dev.h"
#include "../cases/modctl.h"
#include "../cases/tap.h"
#include "bench.h"

#define ENABLE "/sys/module/buildidx/parameters/enable"

void bench_enable(bool on)
{
	int fd = open(ENABLE, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, on ? "1" : "0", 1) != 1)
		bail("%s: %s", ENABLE, strerror(errno));
	close(fd);
}

void bench_unload(void)
{
	if (!mod_unload())
		bail("buildidx cannot be unloaded");
}

void bench_load(const char *params)
{
	int status;

	bench_unload();
	status = mod_load(params);
	if (status)
		bail("modprobe buildidx %s: exit status %d", params, status);
}

void bench_settle(void)
{
	sync();
	sleep_ms(50);
}

bool bench_kernel_at_least(unsigned int major, unsigned int minor)
{
	unsigned int a = 0, b = 0;
	struct utsname u;

	uname(&u);
	if (sscanf(u.release, "%u.%u", &a, &b) != 2)
		bail("cannot read the kernel release %s", u.release);
	return a > major || (a == major && b >= minor);
}
