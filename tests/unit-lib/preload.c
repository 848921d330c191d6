// SPDX-License-Identifier: GPL-2.0
/*
 * preload - LD_PRELOAD that gives a program a /dev/buildidx
 *
 * MOCKDEV in the environment, words separated by spaces:
 *   open=ERRNO       opening fails
 *   fail=NR:ERRNO    the command with this number fails
 *   abi=N            the module has ABI N
 *   hook-off         the inode hook is not placed
 *   hooks-off        hooks are switched off
 *   silenced         hooks are kprobes, and kprobes were disarmed
 *   no-btf           no kfuncs, for want of BTF
 *   no-id            files are not resident
 *   moved            mappings change between a look at maps and a query
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "mockdev.h"

static struct mockdev dev;
static int dev_fd = -1;

static unsigned long command(unsigned int nr)
{
	static const unsigned long commands[] = {
		BUILDIDX_IOC_INFO, BUILDIDX_IOC_QUERY_FD, BUILDIDX_IOC_QUERY_ADDR,
		BUILDIDX_IOC_QUERY_EXE, BUILDIDX_IOC_OBJECT, BUILDIDX_IOC_DUMP,
		BUILDIDX_IOC_STATS,
	};

	if (nr >= sizeof(commands) / sizeof(commands[0]))
		abort();
	return commands[nr];
}

/* Returns the errno that opening fails with, or 0. */
static int configure(void)
{
	const char *env = getenv("MOCKDEV");
	char *copy, *word, *rest = NULL;
	unsigned int nr;
	int code, open_error = 0;

	mockdev_init(&dev);
	copy = strdup(env ? env : "");
	if (!copy)
		abort();
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (sscanf(word, "open=%d", &code) == 1) {
			open_error = code;
		} else if (sscanf(word, "fail=%u:%d", &nr, &code) == 2) {
			dev.fail_cmd = command(nr);
			dev.fail_error = -code;
		} else if (sscanf(word, "abi=%u", &nr) == 1) {
			dev.info.abi_version = nr;
		} else if (!strcmp(word, "hook-off")) {
			dev.info.hooks[1].state = BUILDIDX_HOOK_OFF;
			dev.info.hooks[1].symbol[0] = '\0';
			dev.info.hooks[1].error = ENOENT;
		} else if (!strcmp(word, "hooks-off")) {
			dev.info.hooks_on = 0;
			for (nr = 0; nr < dev.info.nr_hooks; nr++)
				dev.info.hooks[nr].state = BUILDIDX_HOOK_OFF;
		} else if (!strcmp(word, "silenced")) {
			dev.info.hooks_on = 0;
			for (nr = 0; nr < dev.info.nr_hooks; nr++)
				dev.info.hooks[nr].state = BUILDIDX_HOOK_KPROBE;
		} else if (!strcmp(word, "no-btf")) {
			dev.info.kfunc_state = BUILDIDX_KFUNC_NO_BTF;
		} else if (!strcmp(word, "no-id")) {
			dev.no_id = true;
		} else if (!strcmp(word, "moved")) {
			dev.moved = true;
		} else {
			fprintf(stderr, "preload: unknown word in MOCKDEV: %s\n", word);
			abort();
		}
	}
	free(copy);
	return open_error;
}

int open(const char *path, int flags, ...)
{
	int (*next)(const char *, int, ...) =
		(int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	mode_t mode = 0;
	va_list ap;

	if (flags & (O_CREAT | __O_TMPFILE)) {
		va_start(ap, flags);
		mode = va_arg(ap, mode_t);
		va_end(ap);
	}
	if (strcmp(path, BUILDIDX_DEVICE))
		return next(path, flags, mode);
	errno = configure();
	if (errno)
		return -1;
	dev_fd = next("/dev/null", O_RDWR | O_CLOEXEC);
	return dev_fd;
}

int ioctl(int fd, unsigned long cmd, ...)
{
	int (*next)(int, unsigned long, void *) =
		(int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
	va_list ap;
	void *arg;
	int ret;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (fd < 0 || fd != dev_fd)
		return next(fd, cmd, arg);
	ret = mockdev_ioctl(&dev, fd, cmd, arg);
	if (!ret)
		return 0;
	errno = -ret;
	return -1;
}
