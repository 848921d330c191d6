// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the kernel log all along.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kmsg.h"

static int fd = -1;
static bool stop;
static pthread_t thread;
static struct kmsg_result result;

static const char *const signs[] = {
	"WARNING: ", "BUG: ", "kernel BUG at", "Oops", "general protection fault",
	"Unable to handle kernel", "soft lockup", "hard LOCKUP", "possible circular locking",
	"inconsistent lock state", "possible recursive locking", "suspicious RCU usage",
	"self-detected stall", "detected stalls on CPUs", "detected expedited stalls",
	"blocked for more than", "list_add corruption", "list_del corruption", "refcount_t:",
	"Bad page state", "Bad rss-counter", "bad pmd", "double fault", "stack guard page",
	"scheduling while atomic", "sleeping function called", "UBSAN:", "KASAN:",
	"EXT4-fs error", "Kernel panic", "segfault at", "traps:",
};

bool kmsg_is_splat(const char *text)
{
	size_t i;

	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strstr(text, signs[i]))
			return true;
	return false;
}

/* One record: "priority,number,time,flags;text\n key=value\n" */
static void note_record(const char *record)
{
	const char *text = strchr(record, ';');

	result.lines++;
	if (!text || !kmsg_is_splat(text + 1))
		return;
	if (!result.splats++)
		snprintf(result.first, sizeof(result.first), "%.*s",
			 (int)strcspn(text + 1, "\n"), text + 1);
}

/* Returns false when nothing is left. */
static bool read_one(void)
{
	static char record[8192];
	ssize_t n = read(fd, record, sizeof(record) - 1);

	if (n < 0 && errno == EPIPE) {
		result.overruns++;
		return true;
	}
	if (n <= 0)
		return false;
	record[n] = '\0';
	note_record(record);
	return true;
}

static void *reader(void *arg)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		poll(&p, 1, 200);
		while (read_one())
			;
	}
	return NULL;
}

int kmsg_start(void)
{
	memset(&result, 0, sizeof(result));
	stop = false;
	fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || lseek(fd, 0, SEEK_END) < 0 || pthread_create(&thread, NULL, reader, NULL)) {
		perror("churn: /dev/kmsg");
		return -1;
	}
	return 0;
}

struct kmsg_result kmsg_stop(void)
{
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	close(fd);
	return result;
}
