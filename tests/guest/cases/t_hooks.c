// SPDX-License-Identifier: GPL-2.0
/*
 * t_hooks: module parameters, hooks of either kind, alternatives and refusals (case
 * I5, design D1). Loads the module itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dev.h"
#include "maps.h"
#include "minielf.h"
#include "modctl.h"
#include "tap.h"
#include "testfs.h"
#include "watch.h"

#define ID_LEN	20
#define DIR	TESTFS_ROOT "/tmpfs"

static int dev;

/* Is the file in the index? Asked by dump, which reads no file. */
static bool indexed(ino_t ino, const uint8_t *id)
{
	struct buildidx_object *all = NULL;
	long n = dev_dump(dev, &all), i;
	bool found = false;

	for (i = 0; i < n; i++)
		found |= all[i].ino == ino && all[i].status == BUILDIDX_STATUS_OK &&
			 !memcmp(all[i].id, id, ID_LEN);
	free(all);
	return found;
}

/* Why was it not re-read? */
static void diag_entry(ino_t ino)
{
	struct buildidx_object *all = NULL;
	long n = dev_dump(dev, &all), i;

	for (i = 0; i < n; i++)
		if (all[i].ino == ino)
			diag("object %llu, status %u, id %s", (unsigned long long)all[i].object,
			     all[i].status, hex(all[i].id, ID_LEN));
	free(all);
	diag("captured %llu, failed %llu, dropped %llu, re-read %llu, pool empty %llu",
	     (unsigned long long)dev_counter(dev, BUILDIDX_CNT_CAPTURED),
	     (unsigned long long)dev_counter(dev, BUILDIDX_CNT_FAILED),
	     (unsigned long long)dev_counter(dev, BUILDIDX_CNT_DROPPED),
	     (unsigned long long)dev_counter(dev, BUILDIDX_CNT_REREAD),
	     (unsigned long long)dev_counter(dev, BUILDIDX_CNT_POOL_EMPTY));
}

static bool await_indexed(ino_t ino, const uint8_t *id)
{
	int tries;

	for (tries = 0; tries < 300; tries++) {
		if (indexed(ino, id))
			return true;
		sleep_ms(10);
	}
	return false;
}

/* Each hook is seen to do its work: mmap, exec, mprotect, a writer's close, inode teardown. */
static void works(const char *what)
{
	const char *path = DIR "/works", *exe = DIR "/executed";
	uint8_t id[ID_LEN], new_id[ID_LEN], exe_id[ID_LEN];
	uint64_t dead, stale;
	struct stat st, exe_st;
	pid_t pid;
	void *at;
	int fd;

	unique_id(id);
	unique_id(new_id);
	unique_id(exe_id);
	minielf_simple(path, id);
	minielf_simple(exe, exe_id);
	if (stat(path, &st) || stat(exe, &exe_st))
		bail("stat: %s", strerror(errno));
	ok(!indexed(st.st_ino, id), "I5 %s: a file that was never mapped is not indexed", what);
	at = map_exec_path(path);
	ok(await_indexed(st.st_ino, id), "I5 %s: mmap indexes a file", what);

	stale = dev_counter(dev, BUILDIDX_CNT_STALE);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || pwrite(fd, new_id, ID_LEN, MINIELF_ID_OFF) != ID_LEN)
		bail("writing an ID: %s", strerror(errno));
	close(fd);
	if (!ok(await_indexed(st.st_ino, new_id), "I5 %s: a writer's close is seen", what))
		diag_entry(st.st_ino);
	stale = dev_counter(dev, BUILDIDX_CNT_STALE) - stale;
	ok(stale, "I5 %s: and counted: %llu", what, (unsigned long long)stale);

	pid = fork();
	if (!pid) {
		execl(exe, exe, NULL);
		_exit(127);
	}
	ok(await_indexed(exe_st.st_ino, exe_id), "I5 %s: exec indexes a file", what);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);

	dead = dev_counter(dev, BUILDIDX_CNT_DEAD);
	unmap_page(at);
	unlink(path);
	unlink(exe);
	dead = dev_counter(dev, BUILDIDX_CNT_DEAD) - dead;
	ok(dead >= 2 && !indexed(st.st_ino, new_id) && !indexed(exe_st.st_ino, exe_id),
	   "I5 %s: inode teardown is seen: %llu", what, (unsigned long long)dead);
}

static void mprotect_works(const char *what)
{
	const char *path = DIR "/protected";
	uint8_t id[ID_LEN];
	struct stat st;
	bool before;
	void *at;
	int fd;

	unique_id(id);
	minielf_simple(path, id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		bail("%s: %s", path, strerror(errno));
	at = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	before = indexed(st.st_ino, id);
	if (at == MAP_FAILED || mprotect(at, 4096, PROT_READ | PROT_EXEC))
		bail("mprotect: %s", strerror(errno));
	ok(!before && await_indexed(st.st_ino, id), "I5 %s: mprotect to executable indexes a file",
	   what);
	munmap(at, 4096);
	close(fd);
	unlink(path);
}

/* All hooks are of that kind, but @other (may be NULL) does not sit on its first symbol. */
static void placed(const char *what, unsigned int state, const char *other)
{
	static const char * const first[][2] = {
		{ "mmap", "perf_event_mmap" }, { "fput", "__fput" }, { "inode", "__destroy_inode" },
	};
	struct buildidx_info info;
	unsigned int i, k, bad = 0, seen = 0;
	int err = dev_info(dev, &info);

	if (err)
		bail("INFO: %s", strerror(-err));
	for (i = 0; i < info.nr_hooks && i < BUILDIDX_HOOK_MAX; i++) {
		const struct buildidx_hook *h = &info.hooks[i];

		for (k = 0; k < 3; k++) {
			if (strcmp(h->name, first[k][0]))
				continue;
			seen++;
			bad += h->state != state || h->error ||
			       !strcmp(h->symbol, first[k][1]) == (other && !strcmp(h->name, other));
		}
	}
	if (!ok(info.hooks_on && seen == 3 && !bad, "I5 %s: INFO tells where each hook sits", what))
		for (i = 0; i < info.nr_hooks && i < BUILDIDX_HOOK_MAX; i++)
			diag("%.31s on %.31s, state %u, error %u", info.hooks[i].name,
			     info.hooks[i].symbol, info.hooks[i].state, info.hooks[i].error);
}

static void either_kind(void)
{
	dev = mod_load_and_open("hook=ftrace");
	placed("hook=ftrace", BUILDIDX_HOOK_FTRACE, NULL);
	works("hook=ftrace");
	mprotect_works("hook=ftrace");
	close(dev);
	dev = mod_load_and_open("hook=kprobe");
	placed("hook=kprobe", BUILDIDX_HOOK_KPROBE, NULL);
	works("hook=kprobe");
	mprotect_works("hook=kprobe");
	close(dev);
}

static void alternatives(void)
{
	static const char * const names[] = { "mmap", "fput", "inode" };
	char params[64];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(params, sizeof(params), "debug_skip_hook=%s", names[i]);
		log_mark();
		dev = mod_load_and_open(params);
		ok(log_has("buildidx", names[i]), "I5 %s: the kernel log names the hook", params);
		placed(params, BUILDIDX_HOOK_FTRACE, names[i]);
		works(params);
		close(dev);
	}
	dev = mod_load_and_open("hook=kprobe debug_skip_hook=inode");
	placed("hook=kprobe debug_skip_hook=inode", BUILDIDX_HOOK_KPROBE, "inode");
	works("hook=kprobe debug_skip_hook=inode");
	close(dev);
}

static void refused(const char *params, const char *named)
{
	int status;

	if (!mod_unload())
		bail("buildidx cannot be unloaded");
	log_mark();
	status = mod_load(params);
	ok(status && !mod_loaded(), "I5 %s: the load is refused", params);
	ok(log_has("buildidx", named), "I5 %s: the kernel log names \"%s\"", params, named);
	ok(access(BUILDIDX_DEVICE, F_OK), "I5 %s: no device is left", params);
	ok(!mod_load("") && mod_loaded(), "I5 %s: a plain load works afterwards", params);
}

static void refusals(void)
{
	/* A name with * : none of that hook's functions exists. */
	refused("debug_skip_hook=mmap*", "hook mmap");
	refused("debug_skip_hook=fput*", "hook fput");
	refused("debug_skip_hook=inode*", "hook inode");
	refused("hook=nonsense", "hook=nonsense");
	refused("max_entries=1", "max_entries=1");
	refused("max_entries=99999999999", "max_entries=99999999999");
}

static void switched_off(void)
{
	const char *path = DIR "/switched";
	struct buildidx_info info;
	struct buildidx_frame f;
	uint8_t id[ID_LEN];
	int err, fd;
	void *at;

	unique_id(id);
	minielf_simple(path, id);
	sleep_ms(20);
	dev = mod_load_and_open("");
	at = map_exec_path(path);
	ok(is_now(dev, at, id), "enable: a mapped file is known");
	ok(!mod_enable("0"), "enable=0 is accepted");
	err = dev_info(dev, &info);
	ok(!err && !info.hooks_on && !info.entries, "enable=0: no hook, no entry: hooks_on %u, %llu",
	   info.hooks_on, (unsigned long long)info.entries);
	err = dev_addr(dev, 0, at, &f);
	if (!ok(!err && f.status == BUILDIDX_STATUS_OFF && !f.id_len, "enable=0: the answer is OFF"))
		diag("%s", show_frame(err, &f));
	/* Nobody watches while the file changes. */
	fd = open(path, O_WRONLY | O_CLOEXEC);
	unique_id(id);
	if (fd < 0 || pwrite(fd, id, ID_LEN, MINIELF_ID_OFF) != ID_LEN)
		bail("writing an ID: %s", strerror(errno));
	close(fd);
	ok(!mod_enable("1"), "enable=1 is accepted");
	err = dev_info(dev, &info);
	ok(!err && info.hooks_on && info.entries, "enable=1: hooks are back and processes scanned: %llu",
	   (unsigned long long)info.entries);
	if (!ok(await_id(dev, at, id, NULL) == AWAITED_ID, "enable=1: the scan found the new content"))
		diag("wanted %s, got %s", hex(id, ID_LEN), await_seen());
	ok(mod_enable("2") == EINVAL, "enable=2: EINVAL");
	unmap_page(at);
	unlink(path);
	works("enable=0 and 1 again");
	close(dev);

	dev = mod_load_and_open("enable=0");
	err = dev_info(dev, &info);
	ok(!err && !info.hooks_on && !info.entries, "loaded with enable=0: off");
	ok(!mod_enable("1"), "loaded with enable=0: can be switched on");
	works("switched on after enable=0");
	close(dev);
}

/* What runs when the module is loaded is found by its scan. */
static void scan_at_load(void)
{
	const char *path = DIR "/earlier", *mapped = DIR "/mapped-earlier";
	uint8_t id[ID_LEN], mapped_id[ID_LEN];
	struct stat st, mapped_st;
	struct maps m;
	int tries;
	pid_t pid;
	void *at;

	if (!mod_unload())
		bail("buildidx cannot be unloaded");
	unique_id(id);
	unique_id(mapped_id);
	minielf_simple(path, id);
	minielf_simple(mapped, mapped_id);
	if (stat(path, &st) || stat(mapped, &mapped_st))
		bail("stat: %s", strerror(errno));
	at = map_exec_path(mapped);
	pid = fork();
	if (!pid) {
		execl(path, path, NULL);
		_exit(127);
	}
	for (tries = 0; tries < 500; tries++) {
		maps_read(pid, &m);
		if (maps_named(&m, path))
			break;
		sleep_ms(10);
	}
	unlink(path);
	dev = mod_load_and_open("");
	ok(indexed(st.st_ino, id), "scan: a process that ran before the load, file deleted");
	ok(indexed(mapped_st.st_ino, mapped_id), "scan: a file that was mapped before the load");
	ok(dev_counter(dev, BUILDIDX_CNT_SCAN_TASKS) >= 2, "scan: processes are counted: %llu",
	   (unsigned long long)dev_counter(dev, BUILDIDX_CNT_SCAN_TASKS));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unmap_page(at);
	unlink(mapped);
	close(dev);
}

/* sysctl kernel.ftrace_enabled=0 must not lose mappings without a word. */
static void ftrace_disabled(const char *params)
{
	const char *path = "/proc/sys/kernel/ftrace_enabled";
	char what[100];
	int err;

	dev = mod_load_and_open(params);
	err = write_switch(path, "0");
	diag("%s, ftrace_enabled=0: %s", params, err ? strerror(err) : "accepted");
	snprintf(what, sizeof(what), "%s, kernel.ftrace_enabled=0", params);
	works(what);
	if (!err && write_switch(path, "1"))
		bail("%s cannot be switched back", path);
	close(dev);
}

static long count_files(const struct buildidx_object *all, long n)
{
	long i, files = 0;

	for (i = 0; i < n; i++)
		files += !(all[i].flags & BUILDIDX_FRAME_VDSO);
	return files;
}

/* Nor may the switch of all kprobes. */
static void kprobes_disarmed(void)
{
	const char *path = DIR "/disarmed", *enabled = "/sys/kernel/debug/kprobes/enabled";
	uint8_t id[ID_LEN], new_id[ID_LEN];
	struct buildidx_object *all = NULL;
	struct buildidx_info info;
	struct buildidx_frame f;
	int err, fd, i, k;
	char other[64];
	void *at;
	long n;

	unique_id(id);
	unique_id(new_id);
	minielf_simple(path, id);
	sleep_ms(20);
	dev = mod_load_and_open("hook=kprobe");
	for (k = 0; k < 200; k++) {
		uint8_t any[ID_LEN];

		unique_id(any);
		snprintf(other, sizeof(other), DIR "/%d", k);
		minielf_simple(other, any);
		unmap_page(map_exec_path(other));
	}
	at = map_exec_path(path);
	ok(is_now(dev, at, id), "kprobes disarmed: before, a mapped file is known");
	log_mark();
	if (write_switch(enabled, "0"))
		bail("%s: %s", enabled, strerror(errno));
	/* Nobody hears of it. */
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || pwrite(fd, new_id, ID_LEN, MINIELF_ID_OFF) != ID_LEN)
		bail("writing an ID: %s", strerror(errno));
	close(fd);
	err = dev_addr(dev, 0, at, &f);
	if (!ok(!err && f.status == BUILDIDX_STATUS_OFF && !f.id_len, "kprobes disarmed: the answer is OFF"))
		diag("%s", show_frame(err, &f));
	err = dev_info(dev, &info);
	ok(!err && !info.hooks_on, "kprobes disarmed: INFO says that the hooks are off");
	/* Inodes die unseen now: who would follow a pointer to one is found out. */
	for (i = 0; i < 3; i++) {
		for (k = 0; k < 200; k++) {
			snprintf(other, sizeof(other), DIR "/%d", k);
			unlink(other);
		}
		drop_caches(2);
	}
	n = dev_dump(dev, &all);
	ok(n >= 0 && !count_files(all, n), "kprobes disarmed: the dump has no file: %ld", n);
	free(all);
	ok(log_has("buildidx", "kprobes were switched"), "kprobes disarmed: the kernel log says so");
	ok(mod_enable("1") == EOPNOTSUPP, "kprobes disarmed: enable=1 is refused");
	ok(log_has("buildidx", "did not fire"), "kprobes disarmed: and the kernel log says why");
	if (write_switch(enabled, "1"))
		bail("%s: %s", enabled, strerror(errno));
	err = dev_addr(dev, 0, at, &f);
	ok(!err && f.status == BUILDIDX_STATUS_OFF, "kprobes armed again: still OFF until switched on");
	ok(!mod_enable("1"), "kprobes armed again: enable=1 is accepted");
	if (!ok(await_id(dev, at, new_id, id) == AWAITED_ID, "kprobes armed again: the new content is found"))
		diag("wanted %s, got %s", hex(new_id, ID_LEN), await_seen());
	unmap_page(at);
	unlink(path);
	works("kprobes armed again");
	if (write_switch(enabled, "0"))
		bail("%s: %s", enabled, strerror(errno));
	close(dev);
	ok(mod_unload(), "kprobes disarmed: the module can be unloaded");
	if (!ok(mod_load("hook=kprobe") && !mod_loaded(), "kprobes disarmed: the load is refused"))
		mod_unload();
	dev = mod_load_and_open("hook=ftrace");
	works("hook=ftrace, kprobes disarmed");
	close(dev);
	if (write_switch(enabled, "1"))
		bail("%s: %s", enabled, strerror(errno));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	testfs_mount(testfs_named("tmpfs"));
	either_kind();
	alternatives();
	ftrace_disabled("hook=ftrace");
	ftrace_disabled("hook=kprobe");
	kprobes_disarmed();
	switched_off();
	scan_at_load();
	refusals();
	ok(mod_unload(), "the module can be unloaded");
	testfs_umount(testfs_named("tmpfs"));
	return tap_end();
}
