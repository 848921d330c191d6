// SPDX-License-Identifier: GPL-2.0
/*
 * A storm of NMIs without a PMU: sysrq-l makes the kernel send one to every
 * other CPU and wait until all have been taken.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sampler.h"

#define PRINTK		"/proc/sys/kernel/printk"
#define SYSRQ_TRIGGER	"/proc/sysrq-trigger"

/* Alerts still come through: an oops must be seen. */
#define QUIET_LEVEL	"2"

struct storm {
	pthread_t thread;
	int cpu;
	int trigger;
	atomic_bool stop;
	atomic_ulong rounds;
	char level[64];
};

static void *sender(void *arg)
{
	struct storm *storm = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(storm->cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	while (!atomic_load(&storm->stop)) {
		if (write(storm->trigger, "l", 1) != 1) {
			fprintf(stderr, "storm: %s: %s\n", SYSRQ_TRIGGER, strerror(errno));
			break;
		}
		atomic_fetch_add(&storm->rounds, 1);
	}
	return NULL;
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int get_level(char *level, size_t size)
{
	int fd = open(PRINTK, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, level, size - 1);
	close(fd);
	if (n <= 0)
		return -EIO;
	level[n] = '\0';
	return 0;
}

struct storm *storm_start(int cpu)
{
	struct storm *storm = calloc(1, sizeof(*storm));
	int err = ENOMEM;

	if (!storm)
		goto fail;
	storm->cpu = cpu;
	storm->trigger = open(SYSRQ_TRIGGER, O_WRONLY | O_CLOEXEC);
	if (storm->trigger < 0) {
		err = errno;
		goto fail;
	}
	err = -get_level(storm->level, sizeof(storm->level));
	if (err)
		goto fail;
	err = -put(PRINTK, QUIET_LEVEL);
	if (err)
		goto fail;
	err = pthread_create(&storm->thread, NULL, sender, storm);
	if (err) {
		put(PRINTK, storm->level);
		goto fail;
	}
	return storm;
fail:
	fprintf(stderr, "storm: cannot start: %s\n", strerror(err));
	if (storm && storm->trigger > 0)
		close(storm->trigger);
	free(storm);
	errno = err;
	return NULL;
}

unsigned long storm_rounds(const struct storm *storm)
{
	return atomic_load(&storm->rounds);
}

void storm_stop(struct storm *storm)
{
	if (!storm)
		return;
	atomic_store(&storm->stop, true);
	pthread_join(storm->thread, NULL);
	put(PRINTK, storm->level);
	close(storm->trigger);
	free(storm);
}
