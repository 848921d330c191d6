// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * query - one question, one ioctl
 */
#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

#include "internal.h"

static int run(const struct buildidx *bx, unsigned long cmd, void *arg)
{
	return bx->ioctl(bx->ctx, bx->fd, cmd, arg);
}

/* Errors that any command can give; the rest is up to the caller. */
static int failed(int code, const char *what, struct buildidx_error *err)
{
	switch (code) {
	case -ENOTTY:
		return bidx_fail(err, code,
			"%s: %s: the device does not know this command: it is not buildidx, or an older version",
			BUILDIDX_DEVICE, what);
	case -E2BIG:
		return bidx_fail(err, code,
			"%s: %s: the module is older than this library: install the same version of both",
			BUILDIDX_DEVICE, what);
	default:
		return bidx_fail_errno(err, code, "%s: %s", BUILDIDX_DEVICE, what);
	}
}

static int admin_failed(int code, const char *what, struct buildidx_error *err)
{
	if (code == -EPERM)
		return bidx_fail(err, code,
			"%s: %s: not permitted: needs CAP_PERFMON or CAP_SYS_ADMIN",
			BUILDIDX_DEVICE, what);
	return failed(code, what, err);
}

static int pid_failed(int code, pid_t pid, const char *what, struct buildidx_error *err)
{
	pid_t shown = pid ? pid : getpid();

	switch (code) {
	case -EPERM:
		return bidx_fail(err, code,
			"pid %d: not permitted: another process needs CAP_SYS_PTRACE or CAP_PERFMON",
			shown);
	case -ESRCH:
		return bidx_fail(err, code, "pid %d: %s", shown, what);
	case -EOPNOTSUPP:
		return bidx_fail(err, code,
			"pid %d: its executable is on a file system that is never indexed",
			shown);
	default:
		return failed(code, "query", err);
	}
}

int buildidx_get_info(const struct buildidx *bx, struct buildidx_info *info,
		      struct buildidx_error *err)
{
	struct buildidx_info arg = { .size = sizeof(arg) };
	int ret = run(bx, BUILDIDX_IOC_INFO, &arg);
	unsigned int i;

	if (ret)
		return failed(ret, "info", err);
	if (arg.nr_hooks > BUILDIDX_HOOK_MAX)
		arg.nr_hooks = BUILDIDX_HOOK_MAX;
	arg.version[sizeof(arg.version) - 1] = '\0';
	for (i = 0; i < arg.nr_hooks; i++) {
		arg.hooks[i].name[sizeof(arg.hooks[i].name) - 1] = '\0';
		arg.hooks[i].symbol[sizeof(arg.hooks[i].symbol) - 1] = '\0';
	}
	*info = arg;
	return 0;
}

/* Lengths come from outside this process image: never let one exceed its array. */
static void store_object(struct buildidx_object *dst, const struct buildidx_object *src)
{
	*dst = *src;
	if (dst->id_len > sizeof(dst->id))
		dst->id_len = sizeof(dst->id);
}

int buildidx_get_fd(const struct buildidx *bx, int fd, struct buildidx_object *obj,
		    struct buildidx_error *err)
{
	struct buildidx_query_fd arg = { .size = sizeof(arg), .fd = fd };
	int ret = run(bx, BUILDIDX_IOC_QUERY_FD, &arg);

	switch (ret) {
	case 0:
		store_object(obj, &arg.obj);
		return 0;
	case -EBADF:
		return bidx_fail(err, ret, "not open for reading");
	case -EINVAL:
		return bidx_fail(err, ret, "not a regular file");
	case -EOPNOTSUPP:
		return bidx_fail(err, ret, "on a file system that is never indexed");
	default:
		return failed(ret, "file query", err);
	}
}

int buildidx_get_addr(const struct buildidx *bx, pid_t pid, uint64_t address,
		      struct buildidx_frame *frame, struct buildidx_error *err)
{
	struct buildidx_query_addr arg = {
		.size = sizeof(arg),
		.pid = pid,
		.address = address,
	};
	int ret = run(bx, BUILDIDX_IOC_QUERY_ADDR, &arg);

	if (ret)
		return pid_failed(ret, pid, "no such process", err);
	*frame = arg.frame;
	return 0;
}

int buildidx_get_exe(const struct buildidx *bx, pid_t pid, struct buildidx_object *obj,
		     struct buildidx_error *err)
{
	struct buildidx_query_exe arg = { .size = sizeof(arg), .pid = pid };
	int ret = run(bx, BUILDIDX_IOC_QUERY_EXE, &arg);

	if (ret)
		return pid_failed(ret, pid,
				  "no such process, or it has no executable (kernel thread, exiting)",
				  err);
	store_object(obj, &arg.obj);
	return 0;
}

int buildidx_get_object(const struct buildidx *bx, uint64_t object,
			struct buildidx_object *obj, struct buildidx_error *err)
{
	struct buildidx_query_object arg = { .size = sizeof(arg), .object = object };
	int ret = run(bx, BUILDIDX_IOC_OBJECT, &arg);

	if (ret == -ENOENT)
		return bidx_fail(err, ret, "object %" PRIu64 ": no longer in the index", object);
	if (ret)
		return admin_failed(ret, "object query", err);
	store_object(obj, &arg.obj);
	return 0;
}

int buildidx_get_stats(const struct buildidx *bx, int cpu, struct buildidx_stats *stats,
		       struct buildidx_error *err)
{
	struct buildidx_stats arg = { .size = sizeof(arg), .cpu = cpu };
	int ret = run(bx, BUILDIDX_IOC_STATS, &arg);

	if (ret == -EINVAL)
		return bidx_fail(err, ret, "cpu %d: no such CPU", cpu);
	if (ret)
		return admin_failed(ret, "stats", err);
	if (arg.nr_status > BUILDIDX_STATS_MAX)
		arg.nr_status = BUILDIDX_STATS_MAX;
	if (arg.nr_counter > BUILDIDX_STATS_MAX)
		arg.nr_counter = BUILDIDX_STATS_MAX;
	*stats = arg;
	return 0;
}
