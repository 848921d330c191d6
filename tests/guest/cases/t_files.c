// SPDX-License-Identifier: GPL-2.0
/*
 * t_files: every odd and hostile file of tests/hostile on every file system, asked
 * for by descriptor and by address; what is on the build host's disk against
 * readelf (case W1); files that change while they are parsed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dev.h"
#include "minielf.h"
#include "tap.h"
#include "testfs.h"
#include "watch.h"

#define LOWER_FILES	TESTFS_LOWER "/hostile"
#define SQUASHFS_DIR	TESTFS_ROOT "/squashfs"
#define ID_LEN		20

static int dev;

/* A line of a manifest. */
struct expected {
	char file[64];
	unsigned int status;
	unsigned int kind;
	unsigned int source;
	unsigned int id_len;
	uint8_t id[BUILDIDX_TEXT_MAX];
};

static unsigned int word(const char *text, const char * const *words, const char *where)
{
	unsigned int i;

	for (i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	bail("%s: \"%s\" is not known", where, text);
}

static unsigned int parse_status(const char *text, const char *where)
{
	if (!strcmp(text, "ok"))
		return BUILDIDX_STATUS_OK;
	if (!strcmp(text, "no-note"))
		return BUILDIDX_STATUS_NO_NOTE;
	if (!strcmp(text, "too-long"))
		return BUILDIDX_STATUS_TOO_LONG;
	bail("%s: status \"%s\" is not known", where, text);
}

static unsigned int parse_hex(const char *text, uint8_t *id, size_t max)
{
	unsigned int n = 0, byte;

	for (; *text && n < max && sscanf(text, "%2x", &byte) == 1; text += 2)
		id[n++] = byte;
	return n;
}

/* FILE STATUS KIND ID SOURCE; false at the end of the manifest. */
static bool next_expected(FILE *manifest, const char *where, struct expected *e)
{
	static const char * const kinds[] = { "none", "gnu", "go", "hash", NULL };
	static const char * const sources[] = { "none", "phdr", "shdr", "content", NULL };
	char line[512], status[16], kind[16], id[300], source[16];

	if (!fgets(line, sizeof(line), manifest))
		return false;
	memset(e, 0, sizeof(*e));
	if (sscanf(line, "%63s %15s %15s %299s %15s", e->file, status, kind, id, source) != 5)
		bail("%s: cannot read the line %s", where, line);
	e->status = parse_status(status, where);
	e->kind = word(kind, kinds, where);
	e->source = word(source, sources, where);
	if (e->kind == BUILDIDX_KIND_GO) {
		e->id_len = strlen(id);
		memcpy(e->id, id, e->id_len);
	} else {
		e->id_len = parse_hex(id, e->id, sizeof(e->id));
	}
	return true;
}

static bool object_matches(int err, const struct buildidx_object *o, const struct expected *e,
			   const struct stat *st)
{
	return !err && o->status == e->status && o->kind == e->kind && o->source == e->source &&
	       o->id_len == e->id_len && !memcmp(o->id, e->id, sizeof(o->id)) &&
	       o->file_size == (uint64_t)st->st_size;
}

static bool frame_matches(int err, const struct buildidx_frame *f, const struct expected *e,
			  uint64_t offset)
{
	bool cut = e->id_len > sizeof(f->id);

	return !err && f->status == e->status && f->kind == e->kind && f->source == e->source &&
	       f->id_len == e->id_len && !memcmp(f->id, e->id, sizeof(f->id)) &&
	       f->offset == offset && !(f->flags & BUILDIDX_FRAME_TRUNCATED) == !cut;
}

/* Map @fd executable and ask; answers that a re-read cures may come first. */
static int ask_mapped(int fd, struct buildidx_frame *f, uint64_t offset)
{
	char *at = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	int err = 0, i;

	if (at == MAP_FAILED)
		bail("mmap of a hostile file: %s", strerror(errno));
	for (i = 0; i < 300; i++) {
		err = dev_addr(dev, 0, at + offset, f);
		if (err || !status_is_transient(f->status))
			break;
		sleep_ms(10);
	}
	munmap(at, 8192);
	return err;
}

/* By address first, so that the mmap hook and not the query reads the file. */
static void check(const char *fs, const char *path, const struct expected *e)
{
	const uint64_t offset = 0x123;
	struct buildidx_object o;
	struct buildidx_frame f;
	int fd, addr_err, fd_err;
	bool addr_ok, fd_ok;
	struct stat st;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		bail("%s: %s", path, strerror(errno));
	addr_err = ask_mapped(fd, &f, offset);
	addr_ok = frame_matches(addr_err, &f, e, offset);
	fd_err = dev_fd(dev, fd, &o);
	fd_ok = object_matches(fd_err, &o, e, &st);
	close(fd);
	if (ok(addr_ok && fd_ok, "hostile %s: %s", fs, e->file))
		return;
	diag("wanted status %s kind %u source %u id %s", status_name(e->status), e->kind,
	     e->source, hex(e->id, e->id_len));
	diag("by address%s: %s", addr_ok ? "" : " (wrong)", show_frame(addr_err, &f));
	diag("by descriptor%s: %s", fd_ok ? "" : " (wrong)", show_object(fd_err, &o));
}

static void check_all(const char *fs, const char *dir)
{
	struct expected e;
	char path[256], file[400];
	FILE *manifest;
	unsigned int n = 0;

	snprintf(path, sizeof(path), "%s/manifest", dir);
	manifest = fopen(path, "r");
	if (!manifest)
		bail("%s: %s", path, strerror(errno));
	for (; next_expected(manifest, path, &e); n++) {
		snprintf(file, sizeof(file), "%s/%s", dir, e.file);
		check(fs, file, &e);
	}
	fclose(manifest);
	ok(n >= 50, "hostile %s: the manifest has %u files", fs, n);
}

/* Let tests/hostile write its files. */
static void make_files(const char *dir)
{
	const char *mkfiles = program_file("mkfiles");
	int status = -1;
	pid_t pid;

	make_dirs(dir);
	pid = fork();
	if (!pid) {
		execl(mkfiles, mkfiles, dir, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		bail("%s %s failed: status %#x", mkfiles, dir, status);
}

static void hostile_on(const struct testfs *fs)
{
	char dir[128];

	snprintf(dir, sizeof(dir), "%s/hostile", fs->dir);
	make_files(dir);
	drop_caches(3);
	check_all(fs->name, dir);
}

/* The same files in memfds. */
static void hostile_in_memfd(const char *dir)
{
	struct expected e;
	char path[256];
	FILE *manifest;

	snprintf(path, sizeof(path), "%s/manifest", dir);
	manifest = fopen(path, "r");
	if (!manifest)
		bail("%s: %s", path, strerror(errno));
	while (next_expected(manifest, path, &e)) {
		char from[400], to[64];
		int fd = memfd_create(e.file, MFD_CLOEXEC);

		if (fd < 0)
			bail("memfd_create: %s", strerror(errno));
		snprintf(from, sizeof(from), "%s/%s", dir, e.file);
		snprintf(to, sizeof(to), "/proc/self/fd/%d", fd);
		copy_file(from, to);
		check("memfd", to, &e);
		close(fd);
	}
	fclose(manifest);
}

/* Of 10 GiB only what the parser may read, and what the kernel reads ahead of it. */
static void bounded_reading(const struct testfs *fs, const char *name)
{
	const size_t most = 64UL << 20;
	char path[256], *at;
	unsigned char *resident;
	struct buildidx_object o;
	size_t pages, i, n = 0;
	struct stat st;
	int fd, err;

	snprintf(path, sizeof(path), "%s/hostile/%s", fs->dir, name);
	drop_caches(3);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		bail("%s: %s", path, strerror(errno));
	err = dev_fd(dev, fd, &o);
	at = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	pages = st.st_size / 4096;
	resident = malloc(pages + 1);
	if (at == MAP_FAILED || !resident || mincore(at, st.st_size, resident))
		bail("mincore of %s: %s", path, strerror(errno));
	for (i = 0; i < pages; i++)
		n += resident[i] & 1;
	if (!ok(!err && n * 4096 <= most, "hostile %s: bounded work on %s (%lld MiB)", fs->name,
		name, (long long)st.st_size >> 20))
		diag("%s; %zu pages of it are in memory", show_object(err, &o), n);
	free(resident);
	munmap(at, st.st_size);
	close(fd);
}

/* --- case W1 --- */

static void against_readelf(void)
{
	const char *dir = program_file("elfs");
	char path[256];
	struct expected e;
	FILE *manifest;
	unsigned int n = 0;

	snprintf(path, sizeof(path), "%s/manifest", dir);
	manifest = fopen(path, "r");
	if (!manifest)
		bail("%s: %s", path, strerror(errno));
	while (fscanf(manifest, "%63s ", e.file) == 1) {
		struct buildidx_object o;
		uint8_t id[BUILDIDX_TEXT_MAX];
		char want[2 * BUILDIDX_TEXT_MAX + 1], file[400];
		unsigned int len;
		int fd, err;

		if (fscanf(manifest, "%256s", want) != 1)
			bail("%s: no ID for %s", path, e.file);
		len = parse_hex(want, id, sizeof(id));
		snprintf(file, sizeof(file), "%s/%s", dir, e.file);
		fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			bail("%s: %s", file, strerror(errno));
		err = dev_fd(dev, fd, &o);
		close(fd);
		if (!ok(len && object_is(err, &o, id, len), "W1 %s: as readelf -n", e.file))
			diag("readelf says %s, the module %s", want, show_object(err, &o));
		n++;
	}
	fclose(manifest);
	ok(n >= 20, "W1: %u files were compared with readelf", n);
}

/* --- a file that changes while it is parsed --- */

static void scramble(int fd, unsigned int round)
{
	static const uint8_t ff[64] = { [0 ... 63] = 0xff };

	switch (round % 4) {
	case 0: /* tables far outside */
		pwrite(fd, ff, 32, 0x18);
		break;
	case 1: /* note sizes */
		pwrite(fd, ff, 12, 0x200);
		break;
	case 2: /* segment table */
		pwrite(fd, ff, 64, 0x40);
		break;
	case 3:
		ftruncate(fd, round % 700);
		break;
	}
}

/* Never returns: writes A, then damage, then B, then damage, until killed. */
static void __attribute__((noreturn)) keep_changing(const char *path, const uint8_t *a,
						     const uint8_t *b)
{
	struct minielf m = { .gnu_len = ID_LEN };
	unsigned int round;
	int fd = -1;

	for (round = 0; ; round++) {
		/* Sometimes a new writer, sometimes one that stays open. */
		if (round % 8 == 0)
			fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			_exit(1);
		m.gnu = round % 2 ? a : b;
		minielf_write(fd, &m);
		scramble(fd, round / 2);
		if (round % 8 == 7)
			close(fd);
	}
}

/* A read may fall into a write: then each byte is of one of the two, or still zero. */
static bool made_of(const uint8_t *id, size_t len, const uint8_t *a, const uint8_t *b)
{
	size_t i;

	if (len != ID_LEN)
		return false;
	for (i = 0; i < len; i++)
		if (id[i] && id[i] != a[i] && id[i] != b[i])
			return false;
	return true;
}

static bool explained(unsigned int status, unsigned int kind, unsigned int source)
{
	switch (status) {
	case BUILDIDX_STATUS_NO_NOTE:
	case BUILDIDX_STATUS_TOO_LONG:
		return kind == BUILDIDX_KIND_HASH && source == BUILDIDX_SOURCE_CONTENT;
	case BUILDIDX_STATUS_PENDING:
	case BUILDIDX_STATUS_NOT_RESIDENT:
	case BUILDIDX_STATUS_MODIFIED:
	case BUILDIDX_STATUS_READ_ERROR:
	case BUILDIDX_STATUS_NOT_INDEXED:
		return kind == BUILDIDX_KIND_NONE;
	}
	return false;
}

static void changing_on(const struct testfs *fs)
{
	unsigned int i, bad = 0, answered = 0, other = 0;
	uint8_t a[ID_LEN], b[ID_LEN], end[ID_LEN];
	char path[256], seen[700] = "";
	int fd, status;
	pid_t pid;
	void *at;

	unique_id(a);
	unique_id(b);
	unique_id(end);
	snprintf(path, sizeof(path), "%s/changing", fs->dir);
	minielf_simple(path, a);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		bail("%s: %s", path, strerror(errno));
	pid = fork();
	if (!pid)
		keep_changing(path, a, b);
	for (i = 0; i < 1000; i++) {
		struct buildidx_object o;
		struct buildidx_frame f;
		int err;

		err = dev_fd(dev, fd, &o);
		if (!err && o.status == BUILDIDX_STATUS_OK && made_of(o.id, o.id_len, a, b)) {
			answered++;
		} else if ((!err && explained(o.status, o.kind, o.source)) || err == -EAGAIN ||
			   err == -EBUSY || err == -ESTALE) {
			other++;
		} else {
			bad++;
			snprintf(seen, sizeof(seen), "descriptor: %s", show_object(err, &o));
		}
		at = map_exec(fd);
		err = dev_addr(dev, 0, at, &f);
		if (!err && f.status == BUILDIDX_STATUS_OK && made_of(f.id, f.id_len, a, b)) {
			answered++;
		} else if (!err && explained(f.status, f.kind, f.source)) {
			other++;
		} else {
			bad++;
			snprintf(seen, sizeof(seen), "address: %s", show_frame(err, &f));
		}
		unmap_page(at);
	}
	if (!ok(waitpid(pid, &status, WNOHANG) == 0, "changing %s: the writer wrote all the time",
		fs->name))
		diag("it ended with status %#x", status);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	diag("%s: %u answered, %u explained", fs->name, answered, other);
	if (!ok(!bad, "changing %s: each answer is an ID that was written or is explained", fs->name))
		diag("%u were not; last: %s", bad, seen);
	minielf_simple(path, end);
	at = map_exec(fd);
	if (!ok(await_id(dev, at, end, NULL) == AWAITED_ID,
		"changing %s: once it is quiet, the ID that was written last", fs->name))
		diag("wanted %s, got %s", hex(end, ID_LEN), await_seen());
	unmap_page(at);
	close(fd);
}

int main(void)
{
	struct buildidx_stats s;
	size_t i;
	int err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	dev = dev_open();
	against_readelf();

	for (i = 0; i < testfs_count; i++) {
		/* What is in the lower layer must be there before the mount. */
		if (!strcmp(testfs_all[i].name, "overlayfs"))
			make_files(LOWER_FILES);
		if (!testfs_mount(&testfs_all[i]))
			bail("%s is needed", testfs_all[i].name);
	}
	/* The lower files first: hostile_on() would write over them. */
	drop_caches(3);
	check_all("overlayfs-lower", TESTFS_ROOT "/overlayfs/hostile");
	for (i = 0; i < testfs_count; i++)
		hostile_on(&testfs_all[i]);
	hostile_in_memfd(TESTFS_ROOT "/tmpfs/hostile");
	err = loop_mount(program_file("img/hostile.squashfs"), SQUASHFS_DIR, "squashfs", true);
	if (ok(!err, "squashfs is mounted: %s", err ? strerror(-err) : "yes")) {
		check_all("squashfs", SQUASHFS_DIR);
		ok(!umount(SQUASHFS_DIR), "squashfs can be unmounted: %s", strerror(errno));
	}
	bounded_reading(testfs_named("ext4"), "sparse-10g-zeros");
	bounded_reading(testfs_named("ext4"), "sparse-10g-elf");
	bounded_reading(testfs_named("xfs"), "sparse-shdrs-at-end");
	bounded_reading(testfs_named("btrfs"), "notes-100000");
	for (i = 0; i < testfs_count; i++)
		changing_on(&testfs_all[i]);
	if (!ok(dev_settled(dev, &s), "captured = indexed + refused + failed + dropped"))
		diag("%llu, %llu + %llu + %llu + %llu", (unsigned long long)s.counter[0],
		     (unsigned long long)s.counter[1], (unsigned long long)s.counter[2],
		     (unsigned long long)s.counter[3], (unsigned long long)s.counter[4]);
	testfs_umount_all();
	return tap_end();
}
