// SPDX-License-Identifier: GPL-2.0
/*
 * t_stuck: tasks that a silent file server keeps inside of a system call for as long
 * as it likes. Any user can have them; nobody else may suffer. Loads the module itself.
 *
 * A defect here shows as a hang, so what could hang is done by a child that is given
 * a long time.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dev.h"
#include "fuseserver.h"
#include "maps.h"
#include "minielf.h"
#include "modctl.h"
#include "tap.h"
#include "testfs.h"
#include "watch.h"

#define ID_LEN	20
#define DIR	TESTFS_ROOT "/tmpfs"
#define FUSE	TESTFS_ROOT "/fuse"
#define SILENT	FUSE "/" FUSE_FILE
#define NOBODY	65534
#define OTHER	1000
#define FOREVER_MS	60000
#define OVER		3	/* the server goes: no more pages are to be dirtied */
/* More than the module has work items. */
#define MAPPERS	2100

static int dev;
static struct fuse_control *control;
static uint8_t silent_bytes[1 << 14];
static size_t silent_len;

static void serve(void)
{
	uint8_t id[ID_LEN];

	unique_id(id);
	minielf_bytes(silent_bytes, sizeof(silent_bytes), id);
	silent_len = sizeof(silent_bytes);
	control = fuse_start(FUSE, silent_bytes, silent_len);
}

static bool await(volatile int *what, int least)
{
	int ms;

	for (ms = 0; ms < FOREVER_MS && *what < least; ms += 10)
		sleep_ms(10);
	return *what >= least;
}

static pid_t fork_as(uid_t user)
{
	pid_t pid = fork();

	if (pid < 0)
		bail("fork: %s", strerror(errno));
	if (!pid && (setgid(user) || setuid(user)))
		_exit(127);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Exit status of a child that ended by itself, -1 when it did not within a long time. */
static int ended(pid_t pid)
{
	int ms, status;

	for (ms = 0; ms < FOREVER_MS; ms += 10) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
		sleep_ms(10);
	}
	return -1;
}

/* Stays in mmap() until the server answers. */
static pid_t start_populate(uid_t user)
{
	pid_t pid = fork_as(user);
	int fd;

	if (pid)
		return pid;
	fd = open(SILENT, O_RDONLY);
	mmap(NULL, silent_len, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_POPULATE, fd, 0);
	pause();
	_exit(0);
}

static void switch_off_and_unload(void)
{
	pid_t stuck, child;

	serve();
	dev = mod_load_and_open("");
	control->hang = 1;
	stuck = start_populate(NOBODY);
	ok(await(&control->reads, 1), "stuck mapper: it waits for its server");

	child = fork();
	if (!child)
		_exit(mod_enable("0"));
	if (!ok(!ended(child), "stuck mapper: enable=0 does not wait for it"))
		kill(child, SIGKILL);
	else
		ok(!mod_enable("1"), "stuck mapper: enable=1 is accepted");
	close(dev);
	ok(syscall(SYS_delete_module, "buildidx", O_NONBLOCK) < 0 && errno == EAGAIN,
	   "stuck mapper: unloading says \"in use\"");
	fuse_kill();		/* no signal ends the wait for an answer */
	end_child(stuck);
	ok(mod_unload(), "stuck mapper: once it is gone the module can be unloaded");
	fuse_stop(FUSE);
}

/*
 * FUSE may have hardly a dirty page where others write a lot: who dirties one is made to
 * wait for it, and not in mmap().
 */
static void allow_dirty_pages(void)
{
	char path[100];
	struct stat st;

	if (stat(FUSE, &st))
		bail("%s: %s", FUSE, strerror(errno));
	snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/max_ratio", major(st.st_dev),
		 minor(st.st_dev));
	if (write_switch(path, "100"))
		bail("%s: cannot be raised", path);
	snprintf(path, sizeof(path), "/sys/class/bdi/%u:%u/min_ratio", major(st.st_dev),
		 minor(st.st_dev));
	if (write_switch(path, "50"))
		bail("%s: cannot be raised", path);
}

/*
 * Holds its mmap_lock for writing until the server goes: mmap() waits for a dirty page to be
 * written. Where the flusher was faster the page is clean and mmap() returns at once: then the
 * next page is tried.
 */
static pid_t start_lock_holder(const char *mapped, volatile int *ready)
{
	pid_t pid = fork_as(NOBODY);
	volatile char *pages;
	int fd, direct;
	size_t at;

	if (pid)
		return pid;
	map_exec_path(mapped);
	fd = open(SILENT, O_RDWR);
	control->direct = 1;
	direct = open(SILENT, O_RDONLY);
	pages = mmap(NULL, silent_len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || direct < 0 || pages == MAP_FAILED)
		_exit(1);
	for (at = 0; at < silent_len; at += 4096)
		(void)pages[at];
	control->hang = 1;
	for (at = 0; at < silent_len; at += 4096) {
		*ready = 1;
		pages[at] = 1;
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, direct, 0);
		if (*ready == OVER)
			break;
		*ready = 2;
	}
	pause();
	_exit(0);
}

static bool file_indexed(const char *path, const uint8_t *id)
{
	struct buildidx_object *all = NULL;
	long n = dev_dump(dev, &all), i;
	bool found = false;
	struct stat st;

	if (stat(path, &st))
		bail("%s: %s", path, strerror(errno));
	for (i = 0; i < n; i++)
		found |= all[i].ino == st.st_ino && all[i].status == BUILDIDX_STATUS_OK &&
			 !memcmp(all[i].id, id, ID_LEN);
	free(all);
	return found;
}

static void load_and_scan(void)
{
	const char *held = DIR "/held", *mine = DIR "/mine";
	uint8_t held_id[ID_LEN], mine_id[ID_LEN];
	volatile int *ready = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t holder, child;
	int ms;
	void *at;

	unique_id(held_id);
	unique_id(mine_id);
	minielf_simple(held, held_id);
	minielf_simple(mine, mine_id);
	at = map_exec_path(mine);
	serve();
	allow_dirty_pages();
	if (!mod_unload() || ready == MAP_FAILED)
		bail("set-up");
	holder = start_lock_holder(held, ready);
	ok(await(&control->writes, 1), "held mmap_lock: a dirty page is to be written");
	sleep_ms(200);
	if (!ok(*ready == 1, "held mmap_lock: its holder waits for the server"))
		diag("ready %d, %d writes, %d reads", *ready, control->writes, control->reads);

	log_mark();
	child = fork();
	if (!child)
		_exit(mod_load(""));
	if (!ok(!ended(child), "held mmap_lock: the module loads")) {
		fuse_kill();
		bail("it hung");
	}
	dev = dev_open();
	ok(file_indexed(mine, mine_id), "held mmap_lock: what other processes have mapped is known");
	ok(log_has("buildidx", "could not be scanned"),
	   "held mmap_lock: the kernel log says that a process is missing");
	ok(dev_counter(dev, BUILDIDX_CNT_SCAN_SKIPPED), "held mmap_lock: and a counter: %llu",
	   (unsigned long long)dev_counter(dev, BUILDIDX_CNT_SCAN_SKIPPED));
	child = fork();
	if (!child)
		_exit(mod_enable("0") ?: mod_enable("1"));
	if (!ok(!ended(child), "held mmap_lock: enable=0 and enable=1 do not wait for it"))
		kill(child, SIGKILL);
	ok(*ready == 1 && !file_indexed(held, held_id),
	   "held mmap_lock: what its holder has mapped is not known yet");
	*ready = OVER;
	fuse_kill();
	for (ms = 0; ms < FOREVER_MS && !file_indexed(held, held_id); ms += 100)
		sleep_ms(100);
	ok(file_indexed(held, held_id), "held mmap_lock: once it is free, a later scan finds that too");
	end_child(holder);
	fuse_stop(FUSE);
	close(dev);
	unmap_page(at);
	unlink(held);
	unlink(mine);
	munmap((void *)ready, 4096);
}

/*
 * Read before the mapper's next instruction, as always: it is gone before any scan
 * could find the mapping.
 */
static void mapped_by(uid_t user, const char *what)
{
	char path[100];
	uint8_t id[ID_LEN];
	pid_t pid;

	unique_id(id);
	snprintf(path, sizeof(path), DIR "/by-%u", user);
	minielf_simple(path, id);
	pid = fork_as(user);
	if (!pid) {
		map_exec_path(path);
		_exit(0);
	}
	ok(!ended(pid) && file_indexed(path, id),
	   "many stuck mappers of one user: a new file that %s maps is known at once", what);
	unlink(path);
}

static void many_mappers(void)
{
	static pid_t mapper[MAPPERS];
	uint64_t empty;
	int i;

	serve();
	dev = mod_load_and_open("");
	empty = dev_counter(dev, BUILDIDX_CNT_POOL_EMPTY);
	control->hang = 1;
	for (i = 0; i < MAPPERS; i++)
		mapper[i] = start_populate(NOBODY);
	for (i = 0; i < FOREVER_MS && dev_counter(dev, BUILDIDX_CNT_POOL_EMPTY) == empty; i += 10)
		sleep_ms(10);
	sleep_ms(1000);
	empty = dev_counter(dev, BUILDIDX_CNT_POOL_EMPTY) - empty;
	ok(empty, "many stuck mappers of one user: its share of work items is used up: %llu calls",
	   (unsigned long long)empty);
	mapped_by(0, "root");
	mapped_by(OTHER, "another user");
	fuse_kill();
	for (i = 0; i < MAPPERS; i++)
		kill(mapper[i], SIGKILL);
	for (i = 0; i < MAPPERS; i++)
		waitpid(mapper[i], NULL, 0);
	mapped_by(NOBODY, "the same one, once they are gone,");
	close(dev);
	fuse_stop(FUSE);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	testfs_mount(testfs_named("tmpfs"));
	switch_off_and_unload();
	load_and_scan();
	many_mappers();
	ok(mod_unload(), "the module can be unloaded");
	testfs_umount(testfs_named("tmpfs"));
	return tap_end();
}
