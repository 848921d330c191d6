// SPDX-License-Identifier: GPL-2.0
/* Memory: of an index entry, and of what every file, inode and mapping has. */
#include <stdio.h>
#include <unistd.h>

#include "../cases/dev.h"
#include "../cases/tap.h"
#include "bench.h"

/* A number that the slab allocator tells of a cache. */
static double slab(const char *cache, const char *what)
{
	char path[128];
	double v;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/%s", cache, what);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%lf", &v) != 1)
		bail("%s cannot be read", path);
	fclose(f);
	return v;
}

/* Bytes of a slab for each object, what is lost at its end included, and the heads. */
static double entry_bytes(void)
{
	double slab_bytes = (double)(sysconf(_SC_PAGESIZE) << (int)slab("bidx_entry", "order"));
	struct buildidx_info info;
	int dev = dev_open(), err;

	err = dev_info(dev, &info);
	if (err)
		bail("BUILDIDX_IOC_INFO: error %d", -err);
	close(dev);
	return slab_bytes / slab("bidx_entry", "objs_per_slab") +
	       (double)info.heads * sizeof(void *) / info.max_entries;
}

void bench_sizes(const struct bench *b)
{
	static const struct {
		const char *cache;
		const char *metric;
	} kinds[] = {
		{ "filp", "file_bytes_added" },
		{ "inode_cache", "inode_bytes_added" },
		{ "vm_area_struct", "vma_bytes_added" },
	};
	double without[3];
	unsigned int i;

	(void)b;
	bench_unload();
	for (i = 0; i < 3; i++)
		without[i] = slab(kinds[i].cache, "object_size");
	bench_load("");
	for (i = 0; i < 3; i++)
		bench_result(kinds[i].metric, BENCH_NONE,
			     slab(kinds[i].cache, "object_size") - without[i], BENCH_NONE, 0);
	bench_result("entry_bytes", BENCH_NONE, entry_bytes(), BENCH_NONE, 0);
}
