// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>

#include "../cases/tap.h"
#include "who.h"

int become(uid_t uid, uint64_t caps)
{
	struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct d[2] = { 0 };
	int i;

	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || syscall(SYS_setresuid, uid, uid, uid))
		return -errno;
	for (i = 0; i < 2; i++)
		d[i].effective = d[i].permitted = d[i].inheritable = caps >> 32 * i;
	return syscall(SYS_capset, &h, d) ? -errno : 0;
}

void reap(pid_t pid, const char *what)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		bail("%s: %s", what, strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		bail("%s: the process ended with status %#x", what, status);
}
