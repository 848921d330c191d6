// SPDX-License-Identifier: GPL-2.0
/*
 * A lookup in a full index against one in a nearly empty one. The files that are
 * looked up come first, so in a chain they are behind all that came later.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cases/dev.h"
#include "../cases/tap.h"
#include "bench.h"
#include "probe.h"

#define STORE		"/tmp/many"
#define FEW		1000
#define PER_DIRECTORY	10000

/* An empty file has an entry as any other, and needs no page. */
static void index_files(int dev, unsigned int from, unsigned int to)
{
	struct buildidx_object o;
	unsigned int i;
	char name[32];
	int fd, err;

	for (i = from; i < to; i++) {
		if (i == from || !(i % PER_DIRECTORY)) {
			snprintf(name, sizeof(name), STORE "/%u", i / PER_DIRECTORY);
			if (mkdir(name, 0755) && errno != EEXIST)
				bail("%s: %s", name, strerror(errno));
			if (chdir(name))
				bail("%s: %s", name, strerror(errno));
		}
		snprintf(name, sizeof(name), "%u", i % PER_DIRECTORY);
		/* not for writing: closing it would have it read again */
		fd = open(name, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd < 0)
			bail("file %u: %s", i, strerror(errno));
		err = dev_fd(dev, fd, &o);
		if (err)
			bail("indexing file %u: %s", i, strerror(-err));
		close(fd);
	}
}

/* A tmpfs without its usual bound, which is half of the memory's pages. */
static void open_store(void)
{
	if (mkdir(STORE, 0755) && errno != EEXIST)
		bail("%s: %s", STORE, strerror(errno));
	if (mount("tmpfs", STORE, "tmpfs", 0, "nr_inodes=0"))
		bail("mounting a tmpfs: %s", strerror(errno));
}

static void close_store(void)
{
	if (chdir("/") || umount(STORE))
		bail("unmounting the tmpfs: %s", strerror(errno));
}

static double lookups(const struct bench *b, double *noise)
{
	double v[PROBE_FILES], medians[BENCH_ROUNDS_MAX];
	unsigned int i;

	probe_once(v);
	for (i = 0; i < b->rounds; i++) {
		probe_once(v);
		medians[i] = bench_median(v, PROBE_FILES);
	}
	diag("slowest of %u files: %.0f", PROBE_FILES, bench_quantile(v, PROBE_FILES, 1000));
	*noise = bench_noise(medians, b->rounds);
	return bench_median(medians, b->rounds);
}

static unsigned long indexed(int dev)
{
	struct buildidx_info info;
	int err = dev_info(dev, &info);

	if (err)
		bail("BUILDIDX_IOC_INFO: error %d", -err);
	return info.entries;
}

void bench_lookup(const struct bench *b)
{
	double few, many, noise, noise2;
	unsigned int first = FEW < b->files ? FEW : b->files / 2;
	char params[64];
	int dev;

	snprintf(params, sizeof(params), "max_entries=%u", b->files + b->files / 100 + 100);
	bench_load(params);
	dev = dev_open();
	open_store();
	probe_start();
	index_files(dev, 0, first - PROBE_FILES);
	few = lookups(b, &noise);
	diag("with %lu files in the index", indexed(dev));
	index_files(dev, first - PROBE_FILES, b->files);
	if (indexed(dev) < b->files)
		bail("%lu files in the index, not %u", indexed(dev), b->files);
	many = lookups(b, &noise2);
	diag("with %lu files in the index", indexed(dev));
	close_store();
	probe_stop();
	close(dev);
	bench_result("lookup_1m", few, many, BENCH_NONE, noise > noise2 ? noise : noise2);
}
