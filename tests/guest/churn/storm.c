// SPDX-License-Identifier: GPL-2.0
/*
 * Fires NMIs: asking sysrq for backtraces interrupts all other CPUs with one.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "collect.h"

static pthread_t thread;
static bool stop;
static int fd = -1;
static __u32 cpus, period_us;
static unsigned long asked;

static void *fire(void *arg)
{
	const struct timespec period = { .tv_nsec = period_us * 1000L };
	cpu_set_t set;

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		/* the CPU that asks is not interrupted itself */
		CPU_ZERO(&set);
		CPU_SET(asked / 8 % cpus, &set);
		sched_setaffinity(0, sizeof(set), &set);
		if (write(fd, "l", 1) != 1) {
			perror("churn: /proc/sysrq-trigger");
			break;
		}
		asked++;
		nanosleep(&period, NULL);
	}
	return NULL;
}

int storm_start(__u32 nr_cpus, __u32 us)
{
	cpus = nr_cpus;
	period_us = us;
	asked = 0;
	stop = false;
	fd = open("/proc/sysrq-trigger", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || pthread_create(&thread, NULL, fire, NULL)) {
		perror("churn: NMI storm");
		return -1;
	}
	return 0;
}

unsigned long storm_stop(void)
{
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	close(fd);
	return asked;
}
