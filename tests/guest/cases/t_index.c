// SPDX-License-Identifier: GPL-2.0
/*
 * t_index: the index's bound, eviction, shrinker and inode teardown (case M8, design
 * D3). Loads the module itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dev.h"
#include "minielf.h"
#include "modctl.h"
#include "tap.h"
#include "testfs.h"
#include "watch.h"

#define ID_LEN		20
#define SMALL		64 /* max_entries of the small index */
#define MOST		256

static int dev;

/* A file and what the index calls it. */
struct item {
	char path[128];
	uint8_t id[ID_LEN];
	uint64_t object;
	void *at;
};

static struct item items[MOST];

static void make(struct item *it, const char *dir, const char *name, unsigned int n)
{
	memset(it, 0, sizeof(*it));
	unique_id(it->id);
	snprintf(it->path, sizeof(it->path), "%s/%s%u", dir, name, n);
	minielf_simple(it->path, it->id);
}

static void map(struct item *it)
{
	it->at = map_exec_path(it->path);
}

static void unmap(struct item *it)
{
	unmap_page(it->at);
	it->at = NULL;
}

/* The object's number as the kfunc or device tells it; 0 when it is not known. */
static uint64_t object_of(const struct item *it)
{
	struct buildidx_frame f;

	if (!frame_is(dev_addr(dev, 0, it->at, &f), &f, it->id, ID_LEN))
		return 0;
	return f.object;
}

static bool in_index(const struct item *it)
{
	struct buildidx_object o;
	int err = dev_object(dev, it->object, &o);

	if (err && err != -ENOENT)
		bail("OBJECT: %s", strerror(-err));
	return !err && !memcmp(o.id, it->id, ID_LEN);
}

static uint64_t entries(void)
{
	struct buildidx_info info;
	int err = dev_info(dev, &info);

	if (err)
		bail("INFO: %s", strerror(-err));
	return info.entries;
}

static void counters_add_up(const char *when)
{
	struct buildidx_stats s;
	const __u64 *c = s.counter;

	if (!ok(dev_settled(dev, &s), "counters add up %s", when))
		diag("captured %llu, indexed %llu refused %llu failed %llu dropped %llu",
		     (unsigned long long)c[BUILDIDX_CNT_CAPTURED],
		     (unsigned long long)c[BUILDIDX_CNT_INDEXED],
		     (unsigned long long)c[BUILDIDX_CNT_REFUSED],
		     (unsigned long long)c[BUILDIDX_CNT_FAILED],
		     (unsigned long long)c[BUILDIDX_CNT_DROPPED]);
}

/* --- the bound --- */

static void more_mapped_than_fits(const char *dir)
{
	const unsigned int count = SMALL + 40;
	uint64_t refused = dev_counter(dev, BUILDIDX_CNT_REFUSED);
	unsigned int i, answered = 0, early = 0, lost = 0, silent = 0, wrong = 0;
	struct buildidx_frame f;
	int err;

	for (i = 0; i < count; i++) {
		make(&items[i], dir, "mapped", i);
		map(&items[i]);
		items[i].object = object_of(&items[i]);
		if (items[i].object && i == early)
			early++;
	}
	for (i = 0; i < count; i++) {
		err = dev_addr(dev, 0, items[i].at, &f);
		if (frame_is(err, &f, items[i].id, ID_LEN)) {
			answered++;
			lost += i < early && f.object != items[i].object;
		} else if (!err && f.status == BUILDIDX_STATUS_NOT_INDEXED && !f.id_len &&
			   f.offset == 0) {
			lost += i < early;
		} else if (!err && f.id_len) {
			wrong++;
		} else {
			silent++;
		}
	}
	refused = dev_counter(dev, BUILDIDX_CNT_REFUSED) - refused;
	diag("%u mapped: %u answered, %u before the first refusal, %llu refused", count, answered,
	     early, (unsigned long long)refused);
	ok(answered >= 16 && answered <= SMALL && early >= 16,
	   "M8: as many as fit are answered: %u of %u", answered, count);
	ok(!lost, "M8: what is mapped is never evicted: %u of %u lost", lost, early);
	ok(!silent && !wrong, "M8: all others are NOT_INDEXED: %u other answers, %u wrong IDs", silent,
	   wrong);
	ok(refused >= count - answered, "M8: what is refused is counted: %llu, at least %u",
	   (unsigned long long)refused, count - answered);
	ok(entries() <= SMALL, "M8: entries %llu of %u", (unsigned long long)entries(), SMALL);
	counters_add_up("after refusals");

	for (i = 0; i < count; i++)
		unmap(&items[i]);
	make(&items[count], dir, "after", 0);
	map(&items[count]);
	ok(object_of(&items[count]), "M8: once others are unmapped, a new file is indexed");
	unmap(&items[count]);
	for (i = 0; i <= count; i++)
		unlink(items[i].path);
}

static void oldest_go_first(const char *dir)
{
	const unsigned int old = 15, young = 10, most_new = 80;
	struct item *kept = &items[old + young];
	unsigned int i, lost = 0, young_lost = 0, holes = 0;

	for (i = 0; i < old + young; i++) {
		make(&items[i], dir, "aging", i);
		map(&items[i]);
		items[i].object = object_of(&items[i]);
		unmap(&items[i]);
		sleep_ms(20);
		if (!items[i].object)
			bail("file %u of %u was refused", i, old + young);
	}
	/* Mapped again: the first of the old ones is now the youngest of all. */
	map(&items[0]);
	unmap(&items[0]);
	make(kept, dir, "kept", 0);
	map(kept);
	kept->object = object_of(kept);
	for (i = 0; i < most_new && lost < 5; i++) {
		struct item it;
		unsigned int k;

		make(&it, dir, "new", i);
		map(&it);
		unmap(&it);
		for (k = 1, lost = 0; k < old; k++)
			lost += !in_index(&items[k]);
	}
	for (i = old; i < old + young; i++)
		young_lost += !in_index(&items[i]);
	/* In order: no evicted one after one that is still there. */
	for (i = 2; i < old; i++)
		holes += !in_index(&items[i]) && in_index(&items[i - 1]);
	if (!ok(lost >= 5 && !young_lost && !holes, "M8: not mapped ones are evicted, oldest first"))
		diag("old lost %u of %u, younger lost %u of %u, out of order %u", lost, old - 1,
		     young_lost, young, holes);
	ok(in_index(&items[0]), "M8: one that was mapped again is no longer old");
	ok(in_index(kept) && object_of(kept) == kept->object, "M8: a mapped one stays meanwhile");
	unmap(kept);
	counters_add_up("after evictions");
}

/* --- inodes that go away --- */

static void fill(const char *dir, const char *name, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		make(&items[i], dir, name, i);
		map(&items[i]);
		items[i].object = object_of(&items[i]);
		if (!items[i].object)
			bail("%s is not indexed", items[i].path);
	}
}

static unsigned int still_there(unsigned int from, unsigned int to)
{
	unsigned int n = 0;

	for (; from < to; from++)
		n += in_index(&items[from]);
	return n;
}

static void unlinked_files(const struct testfs *fs)
{
	const unsigned int count = 50;
	uint64_t dead = dev_counter(dev, BUILDIDX_CNT_DEAD), before, after;
	unsigned int i, left = count, tries;

	fill(fs->dir, "unlinked", count);
	before = entries();
	for (i = 0; i < count; i++)
		unlink(items[i].path);
	ok(still_there(0, count) == count, "D3 %s: unlinked files stay indexed while they are mapped",
	   fs->name);
	for (i = 0; i < count; i++)
		unmap(&items[i]);
	/* xfs and others give inodes back in the background. */
	for (tries = 0; tries < 100 && left; tries++) {
		left = still_there(0, count);
		if (left)
			sleep_ms(20);
	}
	after = entries();
	dead = dev_counter(dev, BUILDIDX_CNT_DEAD) - dead;
	if (!ok(!left && before - after >= count && dead >= count,
		"D3 %s: entries go with their inodes (unlink, close)", fs->name))
		diag("left %u of %u, entries %llu then %llu, dead %llu", left, count,
		     (unsigned long long)before, (unsigned long long)after, (unsigned long long)dead);
}

/* Not unlinked: the inode goes because the kernel drops it. */
static void dropped_inodes(const struct testfs *fs)
{
	const unsigned int count = 50;
	unsigned int i, left = count, tries;
	uint64_t gone = dev_counter(dev, BUILDIDX_CNT_DEAD) + dev_counter(dev, BUILDIDX_CNT_EVICTED);

	fill(fs->dir, "dropped", count);
	for (i = 0; i < count; i++)
		unmap(&items[i]);
	for (tries = 0; tries < 30 && left; tries++) {
		drop_caches(3);
		left = still_there(0, count);
	}
	gone = dev_counter(dev, BUILDIDX_CNT_DEAD) + dev_counter(dev, BUILDIDX_CNT_EVICTED) - gone;
	if (!ok(!left && gone >= count, "D3 %s: entries go with dropped caches", fs->name))
		diag("left %u of %u, %llu counted as gone", left, count, (unsigned long long)gone);
	for (i = 0; i < count; i++) {
		map(&items[i]);
		left += !object_of(&items[i]);
		unmap(&items[i]);
		unlink(items[i].path);
	}
	ok(!left, "D3 %s: mapped again, all are known again", fs->name);
}

/* tmpfs keeps its inodes: what goes was given back by the module's shrinker. */
static void shrinker(const struct testfs *fs)
{
	const unsigned int mapped = 20, count = 200;
	uint64_t evicted = dev_counter(dev, BUILDIDX_CNT_EVICTED);
	unsigned int i, left = count - mapped, tries;

	fill(fs->dir, "shrunk", count);
	for (i = mapped; i < count; i++)
		unmap(&items[i]);
	for (tries = 0; tries < 30 && left; tries++) {
		drop_caches(2);
		left = still_there(mapped, count);
	}
	evicted = dev_counter(dev, BUILDIDX_CNT_EVICTED) - evicted;
	if (!ok(!left && evicted >= count - mapped,
		"D3: the shrinker gives back entries that are not mapped (drop_caches)"))
		diag("left %u of %u, evicted %llu", left, count - mapped,
		     (unsigned long long)evicted);
	ok(still_there(0, mapped) == mapped, "D3: the shrinker leaves the mapped ones: %u of %u",
	   still_there(0, mapped), mapped);
	for (i = 0; i < count; i++) {
		if (items[i].at)
			unmap(&items[i]);
		unlink(items[i].path);
	}
	counters_add_up("after shrinking");
}

/* Nothing that the index holds keeps a file system from being unmounted. */
static void unmounted(const struct testfs *fs)
{
	const unsigned int count = 30;
	unsigned int i, left;

	testfs_mount(fs);
	fill(fs->dir, "unmounted", count);
	for (i = 0; i < count; i++)
		unmap(&items[i]);
	testfs_umount(fs);
	left = still_there(0, count);
	ok(!left, "D12 %s: no entry is left after umount: %u of %u", fs->name, left, count);
}

/* --- numbers --- */

static void object_numbers(const char *dir)
{
	struct buildidx_object o;
	struct item *it = &items[0];
	uint8_t other[ID_LEN];
	uint64_t touched, changed = 0;
	int fd, tries;

	make(it, dir, "numbered", 0);
	sleep_ms(20);
	map(it);
	it->object = object_of(it);
	fd = open(it->path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		bail("%s: %s", it->path, strerror(errno));
	unique_id(other);
	if (pwrite(fd, other, ID_LEN, MINIELF_ID_OFF) != ID_LEN)
		bail("writing an ID: %s", strerror(errno));
	close(fd);
	memcpy(it->id, other, ID_LEN);
	for (tries = 0; tries < 300 && !changed; tries++) {
		changed = object_of(it);
		sleep_ms(10);
	}
	ok(it->object && changed && changed != it->object,
	   "a file whose content changed has a new number: %llu, then %llu",
	   (unsigned long long)it->object, (unsigned long long)changed);
	ok(dev_object(dev, it->object, &o) == -ENOENT, "the old number is gone: ENOENT");
	ok(object_is(dev_object(dev, changed, &o), &o, other, ID_LEN) && o.object == changed,
	   "the new number gives the new ID");
	unmap(it);
	unlink(it->path);
	make(it, dir, "numbered", 0);
	map(it);
	touched = object_of(it);
	ok(touched > changed, "numbers only grow: %llu after %llu", (unsigned long long)touched,
	   (unsigned long long)changed);
	unmap(it);
	unlink(it->path);
}

static void dump_agrees(void)
{
	struct buildidx_object *all = NULL;
	uint64_t before = entries(), after;
	long n = dev_dump(dev, &all), i, vdso = 0;

	after = entries();
	for (i = 0; i < n; i++)
		vdso += !!(all[i].flags & BUILDIDX_FRAME_VDSO);
	free(all);
	if (!ok(n > 0 && vdso && before == after && (uint64_t)(n - vdso) == before,
		"DUMP has what INFO counts, and the vDSO images"))
		diag("dump %ld, of them vDSO %ld, entries %llu then %llu", n, vdso,
		     (unsigned long long)before, (unsigned long long)after);
}

int main(void)
{
	const struct testfs *tmpfs = testfs_named("tmpfs"), *ext4 = testfs_named("ext4");
	const struct testfs *xfs = testfs_named("xfs"), *btrfs = testfs_named("btrfs");
	struct buildidx_info info;
	char params[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	log_mark();
	testfs_mount(tmpfs);
	testfs_mount(ext4);

	snprintf(params, sizeof(params), "max_entries=%d", SMALL);
	dev = mod_load_and_open(params);
	ok(!dev_info(dev, &info) && info.max_entries == SMALL, "M8: max_entries=%d is the limit: %llu",
	   SMALL, (unsigned long long)info.max_entries);
	more_mapped_than_fits(tmpfs->dir);
	oldest_go_first(tmpfs->dir);
	close(dev);

	dev = mod_load_and_open("");
	ok(!dev_info(dev, &info) && info.max_entries >= 60000,
	   "the default limit holds 60,000 files: %llu", (unsigned long long)info.max_entries);
	unlinked_files(tmpfs);
	unlinked_files(ext4);
	dropped_inodes(ext4);
	shrinker(tmpfs);
	unmounted(xfs);
	unmounted(btrfs);
	object_numbers(tmpfs->dir);
	object_numbers(ext4->dir);
	counters_add_up("at the end");
	dump_agrees();
	close(dev);

	testfs_umount(ext4);
	testfs_umount(tmpfs);
	ok(mod_unload(), "the module can be unloaded");
	ok(!log_complains(), "the kernel log is clean");
	return tap_end();
}
