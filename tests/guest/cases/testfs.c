// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dev.h"
#include "sparse.h"
#include "tap.h"
#include "testfs.h"

const struct testfs testfs_all[] = {
	{ .name = "tmpfs", .dir = TESTFS_ROOT "/tmpfs", .memory = true, .unstamped = true },
	{ .name = "ext4", .dir = TESTFS_ROOT "/ext4" },
	{ .name = "xfs", .dir = TESTFS_ROOT "/xfs" },
	{ .name = "btrfs", .dir = TESTFS_ROOT "/btrfs" },
	/* upper and lower are directories on the ext4 above */
	{ .name = "overlayfs", .dir = TESTFS_ROOT "/overlayfs" },
};
const size_t testfs_count = sizeof(testfs_all) / sizeof(testfs_all[0]);

#define OVERLAY_UPPER	TESTFS_ROOT "/ext4/.upper"
#define OVERLAY_WORK	TESTFS_ROOT "/ext4/.work"
#define IMAGES		TESTFS_ROOT "/images"

const struct testfs *testfs_named(const char *name)
{
	size_t i;

	for (i = 0; i < testfs_count; i++)
		if (!strcmp(testfs_all[i].name, name))
			return &testfs_all[i];
	bail("no test file system is called %s", name);
}

const char *program_dir(void)
{
	static char dir[PATH_MAX];
	ssize_t n;

	if (dir[0])
		return dir;
	n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);
	if (n <= 0)
		bail("/proc/self/exe: %s", strerror(errno));
	dir[n] = '\0';
	dirname(dir);
	return dir;
}

const char *program_file(const char *name)
{
	static char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", program_dir(), name) >= (int)sizeof(path))
		bail("%s: path is too long", name);
	return path;
}

void make_dirs(const char *dir)
{
	char path[PATH_MAX];
	char *p;

	if (snprintf(path, sizeof(path), "%s", dir) >= (int)sizeof(path))
		bail("%s: path is too long", dir);
	for (p = path + 1; ; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			bail("mkdir %s: %s", path, strerror(errno));
		*p = c;
		if (!c)
			return;
	}
}

void drop_caches(int what)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	sync();
	if (fd < 0 || dprintf(fd, "%d", what) < 0)
		bail("/proc/sys/vm/drop_caches: %s", strerror(errno));
	close(fd);
}

static int open_or_bail(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0755);

	if (fd < 0)
		bail("%s: %s", path, strerror(errno));
	return fd;
}

void copy_file(const char *from, const char *to)
{
	static char buf[1 << 16];
	int in = open_or_bail(from, O_RDONLY);
	int out = open_or_bail(to, O_RDWR | O_CREAT | O_TRUNC);
	off_t data = 0, hole;
	struct stat st;

	if (fstat(in, &st) || fchmod(out, st.st_mode & 07777) || ftruncate(out, st.st_size))
		bail("copy %s to %s: %s", from, to, strerror(errno));
	while (data < st.st_size) {
		data = lseek(in, data, SEEK_DATA);
		if (data < 0)
			break; /* ENXIO: only a hole is left */
		hole = lseek(in, data, SEEK_HOLE);
		while (data < hole) {
			size_t want = hole - data;

			if (want > sizeof(buf))
				want = sizeof(buf);
			if (pread(in, buf, want, data) != (ssize_t)want ||
			    pwrite(out, buf, want, data) != (ssize_t)want)
				bail("copy %s to %s: %s", from, to, strerror(errno));
			data += want;
		}
	}
	close(in);
	close(out);
}

static void unpack(const char *packed, const char *image)
{
	struct sparse_header h;
	char block[SPARSE_BLOCK];
	uint64_t off;
	FILE *in = fopen(packed, "rb");
	int out = open_or_bail(image, O_RDWR | O_CREAT | O_TRUNC);

	if (!in || fread(&h, sizeof(h), 1, in) != 1 || h.magic != SPARSE_MAGIC)
		bail("%s: not a packed image", packed);
	if (ftruncate(out, h.size))
		bail("%s: %s", image, strerror(errno));
	while (fread(&off, sizeof(off), 1, in) == 1)
		if (fread(block, sizeof(block), 1, in) != 1 ||
		    pwrite(out, block, sizeof(block), off) != sizeof(block))
			bail("%s: cannot unpack to %s", packed, image);
	fclose(in);
	close(out);
}

/* A free loop device bound to @image; its fd, or a negative errno. */
static int loop_attach(const char *image, bool read_only, char *name, size_t size)
{
	int ctl = open_or_bail("/dev/loop-control", O_RDWR);
	int file = open_or_bail(image, read_only ? O_RDONLY : O_RDWR);
	int tries, err = 0, loop = -1;

	for (tries = 0; tries < 10 && loop < 0; tries++) {
		struct loop_config c = {
			.fd = file,
			.info.lo_flags = LO_FLAGS_AUTOCLEAR | (read_only ? LO_FLAGS_READ_ONLY : 0),
		};
		int nr = ioctl(ctl, LOOP_CTL_GET_FREE);

		snprintf(name, size, "/dev/loop%d", nr);
		loop = open(name, (read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC);
		if (loop >= 0 && ioctl(loop, LOOP_CONFIGURE, &c)) {
			err = -errno;
			close(loop);
			loop = -1;
		} else if (loop < 0) {
			err = -errno;
		}
	}
	close(file);
	close(ctl);
	return loop < 0 ? err : loop;
}

int loop_mount(const char *image, const char *dir, const char *type, bool read_only)
{
	char name[32];
	int loop, err = 0;

	make_dirs(dir);
	loop = loop_attach(image, read_only, name, sizeof(name));
	if (loop < 0)
		return loop;
	if (mount(name, dir, type, read_only ? MS_RDONLY : 0, NULL))
		err = -errno;
	close(loop);
	return err;
}

static int mount_image(const struct testfs *fs)
{
	char packed[64], image[64];

	snprintf(packed, sizeof(packed), "img/%s.packed", fs->name);
	snprintf(image, sizeof(image), IMAGES "/%s", fs->name);
	make_dirs(IMAGES);
	unpack(program_file(packed), image);
	return loop_mount(image, fs->dir, fs->name, false);
}

static int mount_overlay(const struct testfs *fs)
{
	make_dirs(fs->dir);
	make_dirs(TESTFS_LOWER);
	make_dirs(OVERLAY_UPPER);
	make_dirs(OVERLAY_WORK);
	return mount("overlay", fs->dir, "overlay", 0, "lowerdir=" TESTFS_LOWER
		     ",upperdir=" OVERLAY_UPPER ",workdir=" OVERLAY_WORK) ? -errno : 0;
}

bool testfs_mount(const struct testfs *fs)
{
	int err;

	if (!strcmp(fs->name, "tmpfs")) {
		make_dirs(fs->dir);
		err = mount("tmpfs", fs->dir, "tmpfs", 0, "mode=0777") ? -errno : 0;
	} else if (!strcmp(fs->name, "overlayfs")) {
		err = mount_overlay(fs);
	} else {
		err = mount_image(fs);
	}
	return ok(!err, "%s is mounted: %s", fs->name, err ? strerror(-err) : "yes");
}

void testfs_mount_all(void)
{
	size_t i;

	for (i = 0; i < testfs_count; i++)
		if (!testfs_mount(&testfs_all[i]))
			bail("%s is needed", testfs_all[i].name);
}

void testfs_umount(const struct testfs *fs)
{
	int tries, err = 0;

	/* A process of this test that was just killed may still be exiting. */
	for (tries = 0; tries < 50; tries++) {
		err = umount(fs->dir) ? errno : 0;
		if (err != EBUSY)
			break;
		sleep_ms(20);
	}
	ok(!err, "%s can be unmounted: %s", fs->name, err ? strerror(err) : "yes");
}

void testfs_umount_all(void)
{
	size_t i;

	for (i = testfs_count; i-- > 0; )
		testfs_umount(&testfs_all[i]);
}
