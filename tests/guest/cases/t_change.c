// SPDX-License-Identifier: GPL-2.0
/*
 * t_change kfunc|device: files that change while they are mapped (case W2, design
 * D4). On each file system: what leaves the content alone never costs the ID for
 * long, what changes it never leaves the old ID on the new code. Asked by kfunc, so
 * that nothing but the module's own re-reads helps, or by QUERY_ADDR.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask_user.h"
#include "dev.h"
#include "minielf.h"
#include "tap.h"
#include "testfs.h"
#include "watch.h"

#define ID_LEN		20
#define PATH_LEN	256

static int dev;
static const char *how; /* the questions are asked */

/* What a case runs on: a file that answers @a and is mapped at @at. */
struct subject {
	const struct testfs *fs;
	char path[PATH_LEN];
	uint8_t a[ID_LEN];
	uint8_t b[ID_LEN];
	void *at;
	int memfd; /* read-only, or -1 when the file has a name */
};

/* memfd has no directory; the rest is like tmpfs. */
static const struct testfs memfd_fs = { .name = "memfd", .memory = true, .unstamped = true };

/* Longer than the tick that file times are taken from. */
static void next_tick(void)
{
	sleep_ms(20);
}

static void create_content(struct subject *s)
{
	struct minielf m = { .gnu = s->a, .gnu_len = ID_LEN };
	int fd;

	if (s->fs->dir) {
		minielf_create(s->path, &m);
		return;
	}
	fd = memfd_create("subject", MFD_CLOEXEC);
	if (fd < 0)
		bail("memfd_create: %s", strerror(errno));
	minielf_write(fd, &m);
	snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", fd);
	s->memfd = open(s->path, O_RDONLY | O_CLOEXEC);
	if (s->memfd < 0)
		bail("reopening a memfd: %s", strerror(errno));
	snprintf(s->path, sizeof(s->path), "/proc/self/fd/%d", s->memfd);
	close(fd);
}

static void prepare(struct subject *s, const struct testfs *fs, const char *name)
{
	memset(s, 0, sizeof(*s));
	s->fs = fs;
	s->memfd = -1;
	unique_id(s->a);
	unique_id(s->b);
	if (fs->dir)
		snprintf(s->path, sizeof(s->path), "%s/%s", fs->dir, name);
	create_content(s);
}

static void dispose(struct subject *s)
{
	if (s->at)
		unmap_page(s->at);
	if (s->memfd >= 0)
		close(s->memfd);
	else
		unlink(s->path);
}

static int open_subject(const struct subject *s, int flags)
{
	int fd = open(s->path, flags | O_CLOEXEC);

	if (fd < 0)
		bail("%s: %s", s->path, strerror(errno));
	return fd;
}

static void put_id(int fd, const uint8_t *id)
{
	if (pwrite(fd, id, ID_LEN, MINIELF_ID_OFF) != ID_LEN)
		bail("writing an ID: %s", strerror(errno));
}

static uint8_t *map_shared(int fd)
{
	uint8_t *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (m == MAP_FAILED)
		bail("shared mmap: %s", strerror(errno));
	return m;
}

/* One line for "the answer becomes @want, and @forbidden is never given". */
static void becomes(const struct subject *s, const uint8_t *want, const uint8_t *forbidden,
		    const char *what)
{
	enum awaited a = await_id(dev, s->at, want, forbidden);

	if (!ok(a == AWAITED_ID, "W2 %s, %s: %s", s->fs->name, how, what)) {
		diag("%s; last answer: %s", awaited_name(a), await_seen());
		diag("old ID %s, new ID %s", hex(s->a, ID_LEN), hex(s->b, ID_LEN));
	}
}

static void becomes_new(const struct subject *s, const char *what)
{
	becomes(s, s->b, s->a, what);
}

static void keeps_id(const struct subject *s, const char *what)
{
	becomes(s, s->a, NULL, what);
}

/* Nothing but ctime moved: there is no reason to hesitate. */
static void keeps_id_at_once(const struct subject *s, const char *what)
{
	if (!ok(is_now(dev, s->at, s->a), "W2 %s, %s: %s", s->fs->name, how, what))
		diag("wanted %s at once; answer: %s", hex(s->a, ID_LEN), await_seen());
}

/*
 * The descriptor of memfd_create() counts nowhere as a writer, so there a moved
 * ctime may be all that is left of a write whose mtime was put back: it is read
 * again first.
 */
static void keeps_id_after_ctime(const struct subject *s, const char *what)
{
	if (s->memfd >= 0)
		keeps_id(s, what);
	else
		keeps_id_at_once(s, what);
}

static void not_old(const struct subject *s, const char *what)
{
	if (!ok(is_not(dev, s->at, s->a), "W2 %s, %s: %s", s->fs->name, how, what))
		diag("old ID for new content: %s", await_seen());
}

/* --- the content stays: names and modes --- */

static void case_unlink(struct subject *s)
{
	unlink(s->path);
	keeps_id_at_once(s, "unlink keeps the ID");
}

static void case_rename(struct subject *s)
{
	char to[PATH_LEN + 8];

	snprintf(to, sizeof(to), "%s.new", s->path);
	if (rename(s->path, to))
		bail("rename %s: %s", s->path, strerror(errno));
	keeps_id_at_once(s, "rename keeps the ID");
	unlink(to);
}

static void case_renamed_over(struct subject *s)
{
	char from[PATH_LEN + 8];
	void *old = s->at;

	snprintf(from, sizeof(from), "%s.new", s->path);
	minielf_simple(from, s->b);
	if (rename(from, s->path))
		bail("rename %s: %s", from, strerror(errno));
	keeps_id_at_once(s, "renamed over: the old file's mapping keeps its ID");
	s->at = map_exec_path(s->path);
	becomes_new(s, "renamed over: a new mapping has the new file's ID");
	unmap_page(old);
}

static void case_link(struct subject *s)
{
	char to[PATH_LEN + 8];

	snprintf(to, sizeof(to), "%s.link", s->path);
	if (link(s->path, to))
		bail("link %s: %s", s->path, strerror(errno));
	keeps_id_at_once(s, "link keeps the ID");
	unlink(to);
	keeps_id_at_once(s, "unlink of one of two names keeps the ID");
}

static void case_chmod(struct subject *s)
{
	int fd = open_subject(s, O_RDONLY);

	next_tick();
	if (fchmod(fd, 0700))
		bail("chmod: %s", strerror(errno));
	keeps_id_after_ctime(s, "chmod keeps the ID");
	if (fchown(fd, 1, 1))
		bail("chown: %s", strerror(errno));
	keeps_id_after_ctime(s, "chown keeps the ID");
	close(fd);
}

/* --- the content stays: writers who write nothing --- */

static void case_idle_writer(struct subject *s)
{
	int fd = open_subject(s, O_WRONLY);

	/* Where writes leave no stamp, no answer can be trusted until the writer lets go. */
	if (!s->fs->unstamped)
		keeps_id(s, "an open writer who wrote nothing does not cost the ID");
	close(fd);
	keeps_id(s, "a closed writer who wrote nothing does not cost the ID");
}

static void case_idle_writer_after_chmod(struct subject *s)
{
	int fd = open_subject(s, O_WRONLY);

	next_tick();
	fchmod(fd, 0700);
	close(fd);
	keeps_id(s, "chmod through a writer's descriptor does not cost the ID");
}

static void case_idle_shared_mapping(struct subject *s)
{
	int fd = open_subject(s, O_RDWR);
	volatile uint8_t *m = map_shared(fd);

	(void)m[0];
	munmap((void *)m, 4096);
	close(fd);
	keeps_id(s, "a shared writable mapping that was only read does not cost the ID");
}

static void case_same_bytes_written(struct subject *s)
{
	int fd = open_subject(s, O_WRONLY);

	next_tick();
	put_id(fd, s->a);
	close(fd);
	keeps_id(s, "the same bytes written again: the ID comes back");
}

/* --- the content stays: times --- */

static void case_touch(struct subject *s)
{
	int fd = open_subject(s, O_RDONLY);

	next_tick();
	if (futimens(fd, NULL))
		bail("touch: %s", strerror(errno));
	close(fd);
	keeps_id(s, "touch does not cost the ID");
}

static void case_restored_mtime(struct subject *s)
{
	int fd = open_subject(s, O_RDONLY);
	struct timespec past[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
	struct timespec was[2];
	struct stat st;

	fstat(fd, &st);
	was[0] = st.st_atim;
	was[1] = st.st_mtim;
	if (futimens(fd, past))
		bail("setting mtime: %s", strerror(errno));
	keeps_id(s, "mtime in the past does not cost the ID");
	if (futimens(fd, was))
		bail("setting mtime: %s", strerror(errno));
	close(fd);
	keeps_id(s, "restored mtime does not cost the ID");
}

/* --- the content changes: write(2) --- */

static void case_rewrite(struct subject *s)
{
	int fd = open_subject(s, O_WRONLY);

	next_tick();
	put_id(fd, s->b);
	not_old(s, "rewritten in place, writer still open: not the old ID");
	close(fd);
	becomes_new(s, "rewritten in place, same size: new ID after the writer closes");
}

static void case_rewrite_open_and_mapped_again(struct subject *s)
{
	int fd = open_subject(s, O_WRONLY);
	void *first = s->at;

	next_tick();
	put_id(fd, s->b);
	s->at = map_exec_path(s->path);
	not_old(s, "mapped again while the writer is open: not the old ID");
	close(fd);
	becomes_new(s, "mapped again while the writer is open: new ID after it closes");
	unmap_page(first);
}

static void case_rewrite_unmapped(struct subject *s)
{
	int fd;

	unmap_page(s->at);
	s->at = NULL;
	next_tick();
	fd = open_subject(s, O_WRONLY);
	put_id(fd, s->b);
	close(fd);
	s->at = map_exec_path(s->path);
	becomes_new(s, "rewritten while not mapped: new ID at the next mmap");
}

static void case_rewrite_bigger(struct subject *s)
{
	struct minielf m = { .gnu = s->b, .gnu_len = ID_LEN, .fill = 0x5a };
	int fd = open_subject(s, O_RDWR);

	next_tick();
	minielf_write(fd, &m);
	not_old(s, "rewritten bigger, writer still open: not the old ID");
	close(fd);
	becomes_new(s, "rewritten bigger: new ID after the writer closes");
}

static void case_truncate_and_write(struct subject *s)
{
	struct minielf m = { .gnu = s->b, .gnu_len = ID_LEN };
	int fd;

	next_tick();
	fd = open_subject(s, O_RDWR | O_TRUNC);
	not_old(s, "truncated by open: not the old ID");
	minielf_write(fd, &m);
	not_old(s, "truncated and written, writer still open: not the old ID");
	close(fd);
	becomes_new(s, "truncated and written: new ID after the writer closes");
}

/* Written, then the old mtime put back, as a linker or rsync -t may do. */
static void case_rewrite_restoring_mtime(struct subject *s)
{
	int fd = open_subject(s, O_WRONLY);
	struct timespec was[2];
	struct stat st;

	fstat(fd, &st);
	was[0] = st.st_atim;
	was[1] = st.st_mtim;
	next_tick();
	put_id(fd, s->b);
	if (futimens(fd, was))
		bail("restoring mtime: %s", strerror(errno));
	not_old(s, "rewritten with mtime put back, writer still open: not the old ID");
	close(fd);
	becomes_new(s, "rewritten with mtime put back: new ID after the writer closes");
}

static void case_killed_writer(struct subject *s)
{
	int status, ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		bail("pipe: %s", strerror(errno));
	next_tick();
	pid = fork();
	if (!pid) {
		int fd = open_subject(s, O_WRONLY);

		put_id(fd, s->b);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
		_exit(1);
	}
	close(ready[1]);
	if (pid < 0 || read(ready[0], &byte, 1) != 1)
		bail("the writing child did not start");
	close(ready[0]);
	not_old(s, "another process writes: not the old ID");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	becomes_new(s, "writer killed with the file open: new ID");
}

/*
 * Creation, capture and rewrite within one tick of the clock that file times come
 * from: size and mtime are then equal before and after.
 */
static void same_tick(const struct testfs *fs)
{
	unsigned int i, rounds = 30, open_old = 0, closed_old = 0, late = 0, hits = 0;
	char open_seen[700] = "", closed_seen[700] = "";
	struct buildidx_object o;
	struct subject s;
	struct stat st;

	for (i = 0; i < rounds; i++) {
		enum awaited a;
		int fd, got;

		prepare(&s, fs, "tick");
		s.at = map_exec_path(s.path);
		fd = open_subject(&s, O_RDWR);
		got = dev_fd(dev, fd, &o);
		put_id(fd, s.b);
		if (!is_not(dev, s.at, s.a)) {
			open_old++;
			snprintf(open_seen, sizeof(open_seen), "%s", await_seen());
		}
		fstat(fd, &st);
		if (!got && o.mtime_ns == st.st_mtim.tv_sec * 1000000000LL + st.st_mtim.tv_nsec)
			hits++;
		close(fd);
		a = await_id(dev, s.at, s.b, s.a);
		if (a != AWAITED_ID) {
			snprintf(closed_seen, sizeof(closed_seen), "%s", await_seen());
			if (a == AWAITED_OLD)
				closed_old++;
			else
				late++;
		}
		dispose(&s);
	}
	diag("%s: %u of %u rewrites left mtime as it was", fs->name, hits, rounds);
	if (!ok(!open_old, "W2 %s, %s: rewritten within the same clock tick, writer open: not the old ID",
		fs->name, how))
		diag("old ID in %u of %u; last: %s", open_old, rounds, open_seen);
	if (!ok(!closed_old && !late,
		"W2 %s, %s: rewritten within the same clock tick: new ID after the writer closes",
		fs->name, how))
		diag("old ID in %u, no new ID in %u of %u; last: %s", closed_old, late, rounds,
		     closed_seen);
}

/* --- the content changes: shared mappings --- */

static void case_shared_write(struct subject *s)
{
	int fd = open_subject(s, O_RDWR);
	uint8_t *m = map_shared(fd);

	next_tick();
	memcpy(m + MINIELF_ID_OFF, s->b, ID_LEN);
	/* The window before the release is documented where writes leave no stamp. */
	if (!s->fs->unstamped)
		not_old(s, "written through a shared mapping, still mapped: not the old ID");
	munmap(m, 4096);
	close(fd);
	becomes_new(s, "written through a shared mapping: new ID after the writer is gone");
}

/* The descriptor is closed first: the mapping alone holds the writer's file. */
static void case_shared_write_closed_first(struct subject *s)
{
	int fd = open_subject(s, O_RDWR);
	uint8_t *m = map_shared(fd);

	close(fd);
	next_tick();
	memcpy(m + MINIELF_ID_OFF, s->b, ID_LEN);
	munmap(m, 4096);
	becomes_new(s, "written through a shared mapping after close: new ID after munmap");
}

/* The page was writable and dirty when the file was captured: no fault, no stamp. */
static void case_shared_write_dirty_before(struct subject *s)
{
	int fd = open_subject(s, O_RDWR);
	uint8_t *m = map_shared(fd);
	void *first = s->at;

	m[MINIELF_ID_OFF] = s->a[0];
	next_tick();
	s->at = map_exec_path(s->path);
	is_now(dev, s->at, s->a);
	next_tick();
	memcpy(m + MINIELF_ID_OFF, s->b, ID_LEN);
	munmap(m, 4096);
	close(fd);
	becomes_new(s, "dirty before capture, written after it: new ID after the writer is gone");
	unmap_page(first);
}

/* --- the content changes: without write(2) --- */

static void case_truncate_path(struct subject *s)
{
	struct minielf m = { .gnu = s->a, .gnu_len = ID_LEN };

	next_tick();
	if (truncate(s->path, 0) || truncate(s->path, minielf_size(&m)))
		bail("truncate: %s", strerror(errno));
	not_old(s, "truncated to nothing and back without a writer: not the old ID");
}

static void case_punch_hole(struct subject *s)
{
	int fd = open_subject(s, O_RDWR);

	next_tick();
	if (fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096))
		bail("punching a hole on %s: %s", s->fs->name, strerror(errno));
	not_old(s, "hole punched into the headers, writer open: not the old ID");
	close(fd);
	not_old(s, "hole punched into the headers: not the old ID");
}

/* FICLONE shares the blocks of another file; only xfs and btrfs can. */
static void case_clone_range(struct subject *s)
{
	char from[PATH_LEN + 8];
	void *first = s->at;
	int fd, in, err;

	if (strcmp(s->fs->name, "xfs") && strcmp(s->fs->name, "btrfs"))
		return;
	snprintf(from, sizeof(from), "%s.source", s->path);
	minielf_simple(from, s->b);
	next_tick();
	fd = open_subject(s, O_RDWR);
	in = open(from, O_RDONLY | O_CLOEXEC);
	err = ioctl(fd, FICLONE, in) ? errno : 0;
	if (err)
		bail("FICLONE on %s: %s", s->fs->name, strerror(err));
	not_old(s, "cloned from another file, writer open: not the old ID");
	close(fd);
	/* The new blocks are in nobody's memory, and a re-read does no I/O: the next mmap does. */
	not_old(s, "cloned from another file, writer closed: not the old ID");
	s->at = map_exec_path(s->path);
	becomes_new(s, "cloned from another file: new ID at the next mmap");
	unmap_page(first);
	close(in);
	unlink(from);
}

/* --- inode numbers used again --- */

static void inode_reuse(const struct testfs *fs)
{
	unsigned int i, rounds = 60, wrong = 0, same = 0;
	char seen[700] = "";
	ino_t last = 0;

	for (i = 0; i < rounds; i++) {
		struct subject s;
		struct stat st;

		prepare(&s, fs, "reuse");
		if (stat(s.path, &st))
			bail("stat %s: %s", s.path, strerror(errno));
		same += i && st.st_ino == last;
		last = st.st_ino;
		s.at = map_exec_path(s.path);
		if (!is_now(dev, s.at, s.a)) {
			wrong++;
			snprintf(seen, sizeof(seen), "%s", await_seen());
		}
		dispose(&s);
	}
	diag("%s: the inode number was that of the file before in %u of %u", fs->name, same, rounds);
	if (!ok(!wrong, "W2 %s, %s: each of %u files made one after another has its own ID at once",
		fs->name, how, rounds))
		diag("%u wrong, last: %s", wrong, seen);
}

/* A write to a lower file makes a copy; what runs from the lower one stays. */
static void overlay_copy_up(const uint8_t *lower_id)
{
	const struct testfs *fs = testfs_named("overlayfs");
	struct subject s = { .fs = fs, .memfd = -1 };
	void *old;
	int fd;

	snprintf(s.path, sizeof(s.path), "%s/copyup", fs->dir);
	memcpy(s.a, lower_id, ID_LEN);
	unique_id(s.b);
	s.at = old = map_exec_path(s.path);
	keeps_id(&s, "a file of the lower layer has its ID");
	next_tick();
	fd = open_subject(&s, O_WRONLY);
	put_id(fd, s.b);
	close(fd);
	keeps_id(&s, "copied up: the mapping of the lower file keeps its ID");
	s.at = map_exec_path(s.path);
	becomes_new(&s, "copied up: a new mapping has the new ID");
	unmap_page(old);
	dispose(&s);
}

struct change_case {
	const char *name;
	void (*run)(struct subject *s);
	bool needs_name;
};

static const struct change_case cases[] = {
	{ "unlink", case_unlink, true },
	{ "rename", case_rename, true },
	{ "renamed-over", case_renamed_over, true },
	{ "link", case_link, true },
	{ "chmod", case_chmod, false },
	{ "idle-writer", case_idle_writer, false },
	{ "idle-writer-chmod", case_idle_writer_after_chmod, false },
	{ "idle-shared", case_idle_shared_mapping, false },
	{ "same-bytes", case_same_bytes_written, false },
	{ "touch", case_touch, false },
	{ "restored-mtime", case_restored_mtime, false },
	{ "rewrite", case_rewrite, false },
	{ "rewrite-mapped-again", case_rewrite_open_and_mapped_again, false },
	{ "rewrite-unmapped", case_rewrite_unmapped, false },
	{ "rewrite-bigger", case_rewrite_bigger, false },
	{ "truncate-write", case_truncate_and_write, false },
	{ "rewrite-mtime", case_rewrite_restoring_mtime, false },
	{ "killed-writer", case_killed_writer, false },
	{ "shared-write", case_shared_write, false },
	{ "shared-closed-first", case_shared_write_closed_first, false },
	{ "shared-dirty-before", case_shared_write_dirty_before, false },
	{ "truncate-path", case_truncate_path, false },
	{ "punch-hole", case_punch_hole, false },
	{ "clone", case_clone_range, true },
};

static void run_all(const struct testfs *fs)
{
	struct subject s;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].needs_name && !fs->dir)
			continue;
		prepare(&s, fs, cases[i].name);
		next_tick();
		s.at = map_exec_path(s.path);
		if (await_id(dev, s.at, s.a, NULL) != AWAITED_ID) {
			ok(false, "W2 %s, %s: %s: the file is known before the case", fs->name, how,
			   cases[i].name);
			diag("wanted %s; last answer: %s", hex(s.a, ID_LEN), await_seen());
		} else {
			cases[i].run(&s);
		}
		dispose(&s);
	}
	same_tick(fs);
	if (fs->dir)
		inode_reuse(fs);
}

int main(int argc, char **argv)
{
	uint8_t lower_id[ID_LEN];
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	how = argc == 2 ? argv[1] : "";
	if (strcmp(how, "kfunc") && strcmp(how, "device"))
		bail("usage: t_change kfunc|device");
	dev = dev_open();
	if (!strcmp(how, "kfunc")) {
		ask_start();
		watch_ask = ask_frame;
	}
	for (i = 0; i < testfs_count; i++) {
		const struct testfs *fs = &testfs_all[i];

		if (!strcmp(fs->name, "overlayfs")) {
			make_dirs(TESTFS_LOWER);
			unique_id(lower_id);
			minielf_simple(TESTFS_LOWER "/copyup", lower_id);
		}
		if (!testfs_mount(fs))
			bail("%s is needed", fs->name);
	}
	for (i = 0; i < testfs_count; i++)
		run_all(&testfs_all[i]);
	run_all(&memfd_fs);
	overlay_copy_up(lower_id);
	testfs_umount_all();
	if (!strcmp(how, "kfunc"))
		ask_stop();
	return tap_end();
}
