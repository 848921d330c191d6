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
 *   records=FILE     the device keeps the records of this capture
 *   endless          of these, the stream gives the last ones again and again
 *   programs=N       the kernel has N BPF programs that are older than the module
 *   bpf=ERRNO        they cannot be enumerated
 *   reduced          BPF programs and generated text are not recorded
 *   old              a module of the first release, without records
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mockdev.h"

static struct mockdev dev;
static bool configured;
static unsigned int programs;
static int bpf_error;

static unsigned long command(unsigned int nr)
{
	static const unsigned long commands[] = {
		BUILDIDX_IOC_INFO, BUILDIDX_IOC_QUERY_FD, BUILDIDX_IOC_QUERY_ADDR,
		BUILDIDX_IOC_QUERY_EXE, BUILDIDX_IOC_OBJECT, BUILDIDX_IOC_DUMP,
		BUILDIDX_IOC_STATS, BUILDIDX_IOC_RECORD, BUILDIDX_IOC_RECORDS,
		BUILDIDX_IOC_ADOPT, BUILDIDX_IOC_STREAM,
	};

	if (nr >= sizeof(commands) / sizeof(commands[0]))
		abort();
	return commands[nr];
}

static void be_old(void)
{
	struct buildidx_info *info = &dev.info;

	dev.old = true;
	memset(&info->kernel_state, 0, sizeof(*info) - offsetof(struct buildidx_info, kernel_state));
}

/* Returns the errno that opening fails with, or 0. */
static int configure(void)
{
	static int open_error;
	const char *env = getenv("MOCKDEV");
	char *copy, *word, *rest = NULL;
	unsigned int nr;
	int code;

	if (configured)
		return open_error;
	configured = true;
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
		} else if (!strncmp(word, "records=", 8)) {
			mockdev_records(&dev, word + 8);
		} else if (!strcmp(word, "endless")) {
			dev.endless = true;
		} else if (sscanf(word, "programs=%u", &nr) == 1) {
			programs = nr;
		} else if (sscanf(word, "bpf=%d", &code) == 1) {
			bpf_error = code;
		} else if (!strcmp(word, "reduced")) {
			dev.info.kernel_state &= ~(BUILDIDX_KERNEL_BPF | BUILDIDX_KERNEL_KSYM);
		} else if (!strcmp(word, "old")) {
			be_old();
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
	return errno ? -1 : mockdev_open(&dev);
}

ssize_t read(int fd, void *buf, size_t len)
{
	ssize_t (*next)(int, void *, size_t) =
		(ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	ssize_t ret;

	if (!mockdev_is(&dev, fd))
		return next(fd, buf, len);
	ret = mockdev_read(&dev, fd, buf, len);
	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}

static int fail(int error)
{
	errno = error;
	return -1;
}

/* The kernel's side of bpf(2), as far as the library uses it. */
static int bpf(int cmd, union bpf_attr *attr)
{
	if (bpf_error)
		return fail(bpf_error);
	switch (cmd) {
	case BPF_PROG_GET_NEXT_ID:
		if (attr->start_id >= programs)
			return fail(ENOENT);
		attr->next_id = attr->start_id + 1;
		return 0;
	case BPF_PROG_GET_FD_BY_ID:
		return eventfd(0, EFD_CLOEXEC);
	default:
		return fail(EINVAL);
	}
}

long syscall(long nr, ...)
{
	long (*next)(long, long, long, long, long, long, long) =
		(long (*)(long, long, long, long, long, long, long))dlsym(RTLD_NEXT, "syscall");
	long arg[6];
	va_list ap;
	int i;

	va_start(ap, nr);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	if (nr == __NR_bpf)
		return bpf((int)arg[0], (union bpf_attr *)arg[1]);
	return next(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
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
	if (!mockdev_is(&dev, fd))
		return next(fd, cmd, arg);
	ret = mockdev_ioctl(&dev, fd, cmd, arg);
	if (!ret)
		return 0;
	errno = -ret;
	return -1;
}
