// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the note of a file that the index does not hold: from the page cache, and
 * from a disk (virtio-blk, whose speed is the host's).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../cases/dev.h"
#include "../cases/minielf.h"
#include "../cases/tap.h"
#include "../sampler/files.h"
#include "bench.h"
#include "calls.h"

#define FILES 50

static int fds[FILES];

static void make_files(void)
{
	char name[48];
	uint8_t id[20];
	int i;

	for (i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "/scratch/capture%d", i);
		unique_id(id);
		minielf_simple(name, id);
		fds[i] = open(name, O_RDONLY | O_CLOEXEC);
		if (fds[i] < 0)
			bail("%s: %s", name, strerror(errno));
	}
}

/* Median of the captures of all files; the index holds none of them. */
static double capture_all(int dev, bool cold)
{
	struct buildidx_object o;
	double v[FILES];
	int i, err;

	bench_enable(false);
	bench_enable(true);
	if (cold && files_drop_caches())
		bail("drop_caches failed");
	calls_reset();
	for (i = 0; i < FILES; i++) {
		err = dev_fd(dev, fds[i], &o);
		if (err || o.status != BUILDIDX_STATUS_OK)
			bail("query of a file: error %d, status %u", -err, o.status);
	}
	calls_took(v, FILES);
	return bench_median(v, FILES);
}

void bench_capture(const struct bench *b)
{
	double warm[BENCH_ROUNDS_MAX], cold[BENCH_ROUNDS_MAX];
	unsigned int i;
	int dev;

	bench_load("");
	make_files();
	dev = dev_open();
	calls_attach(CALLS_CAPTURE);
	for (i = 0; i < b->rounds; i++) {
		cold[i] = capture_all(dev, true);
		warm[i] = capture_all(dev, false);
	}
	calls_detach();
	close(dev);
	for (i = 0; i < FILES; i++)
		close(fds[i]);
	bench_result("capture_cold", BENCH_NONE, bench_median(cold, b->rounds) / 1000, BENCH_NONE,
		     bench_noise(cold, b->rounds));
	bench_result("capture_warm", BENCH_NONE, bench_median(warm, b->rounds) / 1000, BENCH_NONE,
		     bench_noise(warm, b->rounds));
}
