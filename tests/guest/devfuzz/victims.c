// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "../cases/minielf.h"
#include "../cases/tap.h"
#include "victims.h"

#define MAX_FDS		64
#define MAX_ADDRESSES	16

static int fds[MAX_FDS];
static unsigned int nr_fds;
static uint64_t addresses[MAX_ADDRESSES];
static unsigned int nr_addresses;
static unsigned char *writable;		/* one page, then one without access */
static unsigned char *read_only;	/* one page, then a writable one */
static unsigned char *no_access;
static char data[2 * VICTIM_PAGE];	/* of no use to the program */

static void add_fd(int fd, const char *what)
{
	if (fd < 0)
		bail("opening a %s: %s", what, strerror(errno));
	fds[nr_fds++] = fd;
}

static void add_address(const void *at)
{
	addresses[nr_addresses++] = (uintptr_t)at;
}

static unsigned char *map(size_t len, int prot, int flags, int fd)
{
	unsigned char *at = mmap(NULL, len, prot, flags, fd, 0);

	if (at == MAP_FAILED)
		bail("mmap: %s", strerror(errno));
	return at;
}

static void open_files(void)
{
	static const struct {
		const char *path;
		int flags;
	} files[] = {
		{ "/proc/self/exe", O_RDONLY },
		{ "/proc/self/exe", O_PATH },
		{ "/proc/self/maps", O_RDONLY },
		{ "/proc/self/mem", O_RDWR },
		{ "/proc/self/ns/mnt", O_RDONLY },
		{ "/proc/kallsyms", O_RDONLY },
		{ "/sys/kernel/notes", O_RDONLY },
		{ "/sys/kernel/btf/vmlinux", O_RDONLY },
		{ "/dev/null", O_RDWR },
		{ "/dev/zero", O_RDONLY },
		{ "/", O_RDONLY | O_DIRECTORY },
		{ "/", O_PATH },
		{ "/run", O_TMPFILE | O_RDWR },
		{ "/run/devfuzz.elf", O_RDONLY },
		{ "/run/devfuzz.elf", O_WRONLY },
		{ "/run/devfuzz.elf", O_RDWR | O_APPEND },
		{ "/run/devfuzz.gone", O_RDONLY },
	};
	struct minielf m = { .gnu = "0123456789", .gnu_len = 10 };
	size_t i;

	minielf_create("/run/devfuzz.elf", &m);
	minielf_create("/run/devfuzz.gone", &m);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		add_fd(open(files[i].path, files[i].flags | O_CLOEXEC, 0600), files[i].path);
	unlink("/run/devfuzz.gone");
}

static void open_others(int dev)
{
	struct minielf m = { .gnu = "9876543210", .gnu_len = 10 };
	sigset_t signals;
	int pair[2], memfd;

	if (pipe2(pair, O_CLOEXEC))
		bail("pipe: %s", strerror(errno));
	add_fd(pair[0], "pipe");
	add_fd(pair[1], "pipe");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		bail("socketpair: %s", strerror(errno));
	add_fd(pair[0], "socket");
	add_fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "UDP socket");
	add_fd(epoll_create1(EPOLL_CLOEXEC), "epoll");
	add_fd(eventfd(0, EFD_CLOEXEC), "eventfd");
	add_fd(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC), "timerfd");
	add_fd(inotify_init1(IN_CLOEXEC), "inotify");
	sigemptyset(&signals);
	add_fd(signalfd(-1, &signals, SFD_CLOEXEC), "signalfd");
	add_fd(syscall(SYS_pidfd_open, getpid(), 0), "pidfd");
	memfd = memfd_create("devfuzz", MFD_CLOEXEC);
	add_fd(memfd, "memfd");
	minielf_write(memfd, &m);
	add_fd(memfd_create("empty", MFD_CLOEXEC), "memfd");
	add_fd(dup(dev), "device");
	/* What was open once. */
	pair[0] = dup(memfd);
	add_fd(pair[0], "descriptor to close");
	close(pair[0]);
}

void victims_prepare(int dev)
{
	int elf;

	open_files();
	open_others(dev);
	writable = map(2 * VICTIM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	mprotect(writable + VICTIM_PAGE, VICTIM_PAGE, PROT_NONE);
	read_only = map(2 * VICTIM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	mprotect(read_only, VICTIM_PAGE, PROT_READ);
	no_access = map(VICTIM_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	elf = open("/run/devfuzz.elf", O_RDONLY | O_CLOEXEC);
	add_address(map(2 * VICTIM_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, elf));
	close(elf);
	add_address(writable);
	add_address(no_access);
	add_address(victims_prepare);
	add_address(data);
	add_address(NULL);
	add_address((void *)0x7fffffffefff);
	add_address((void *)0x800000000000);
	add_address((void *)0xffff888000000000);
	add_address((void *)0xffffffff81000000);
	add_address((void *)0xffffffffff600000);
}

bool victim_bears_writing(uint64_t at)
{
	return at < VICTIM_PAGE || at >= 0x800000000000 ||
	       (at >= (uintptr_t)writable && at < (uintptr_t)writable + VICTIM_PAGE) ||
	       (at >= (uintptr_t)read_only && at < (uintptr_t)read_only + VICTIM_PAGE) ||
	       (at >= (uintptr_t)no_access && at < (uintptr_t)no_access + VICTIM_PAGE);
}

int victim_fd(struct rng *r)
{
	if (rng_one_in(r, 8))
		return rng_odd_number(r);
	return fds[rng_below(r, nr_fds)];
}

int32_t victim_pid(struct rng *r)
{
	switch (rng_below(r, 6)) {
	case 0:
		return 0;
	case 1:
		return getpid();
	case 2:
		return 1 + rng_below(r, 4); /* init and kernel threads */
	case 3:
		return getppid();
	case 4:
		return rng_below(r, 1000);
	}
	return rng_odd_number(r);
}

uint64_t victim_address(struct rng *r)
{
	if (rng_one_in(r, 6))
		return rng_odd_number(r);
	return addresses[rng_below(r, nr_addresses)] + rng_below(r, 3) * VICTIM_PAGE +
	       rng_below(r, 3) - 1;
}

void *victim_buffer(struct rng *r, size_t len, int *usable)
{
	*usable = 0;
	if (!rng_one_in(r, 4)) {
		*usable = 1;
		/* At the end of the page as often as not, so that one byte too many shows. */
		if (rng_one_in(r, 2))
			return writable + VICTIM_PAGE - len;
		return writable + rng_below(r, VICTIM_PAGE - len + 1);
	}
	switch (rng_below(r, 5)) {
	case 0: /* cut by the end of the mapping */
		return writable + VICTIM_PAGE - rng_below(r, len + 1);
	case 1:
		return read_only + rng_below(r, VICTIM_PAGE);
	case 2: /* begins read-only, ends writable */
		return read_only + VICTIM_PAGE - 1 - rng_below(r, len);
	case 3:
		return no_access + rng_below(r, VICTIM_PAGE);
	}
	return (void *)(uintptr_t)victim_address(r);
}
