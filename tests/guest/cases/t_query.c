// SPDX-License-Identifier: GPL-2.0
/*
 * t_query: cases W3 to W8, M9 and M10 on running processes, special mappings, and
 * who may ask what (design D11).
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include <unistd.h>

#include "dev.h"
#include "maps.h"
#include "minielf.h"
#include "sha256.h"
#include "tap.h"
#include "testfs.h"
#include "watch.h"

#define ID_LEN		20
#define NOBODY		65534

static int dev;

/* --- running processes with odd notes: W3 to W6, M10 --- */

/* Execute a small ELF and wait until it is the process's program. */
static pid_t run(const char *path)
{
	struct maps m;
	int tries;
	pid_t pid = fork();

	if (pid < 0)
		bail("fork: %s", strerror(errno));
	if (!pid) {
		execl(path, path, NULL);
		_exit(127);
	}
	for (tries = 0; tries < 500; tries++) {
		maps_read(pid, &m);
		if (maps_named(&m, path))
			return pid;
		sleep_ms(10);
	}
	bail("%s was not executed", path);
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* What is wanted of a running small ELF, by QUERY_EXE and by an address in its text. */
static void check_running(const char *what, const struct minielf *m, unsigned int status,
			  unsigned int kind, unsigned int source, const void *id, size_t len)
{
	const char *path = TESTFS_ROOT "/tmpfs/running";
	const uint64_t ip = MINIELF_VADDR + MINIELF_TEXT + 2;
	struct buildidx_object o;
	struct buildidx_frame f;
	size_t shown = len < sizeof(f.id) ? len : sizeof(f.id);
	int exe_err, addr_err;
	bool exe_ok, addr_ok;
	pid_t pid;

	minielf_create(path, m);
	pid = run(path);
	exe_err = dev_exe(dev, pid, &o);
	addr_err = dev_addr64(dev, pid, ip, &f);
	end(pid);
	unlink(path);
	exe_ok = !exe_err && o.status == status && o.kind == kind && o.source == source &&
		 o.id_len == len && !memcmp(o.id, id, len);
	addr_ok = !addr_err && f.status == status && f.kind == kind && f.source == source &&
		  f.id_len == len && !memcmp(f.id, id, shown) && f.offset == MINIELF_TEXT + 2 &&
		  !(f.flags & BUILDIDX_FRAME_TRUNCATED) == (shown == len);
	if (ok(exe_ok && addr_ok, "%s", what))
		return;
	diag("wanted %s kind %u source %u id %s", status_name(status), kind, source, hex(id, len));
	diag("QUERY_EXE: %s", show_object(exe_err, &o));
	diag("QUERY_ADDR: %s", show_frame(addr_err, &f));
}

static void exact_lengths(void)
{
	static const size_t lengths[] = { 1, 2, 8, 16, 19, 20, 31, 32 };
	uint8_t id[BUILDIDX_ID_MAX], zero_end[BUILDIDX_ID_MAX];
	struct minielf m = { 0 };
	char what[80];
	size_t i;

	for (i = 0; i < sizeof(id); i++)
		id[i] = 0x11 * (i + 1) | 1;
	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		m.gnu = id;
		m.gnu_len = lengths[i];
		snprintf(what, sizeof(what), "W3: an ID of %zu bytes", lengths[i]);
		check_running(what, &m, BUILDIDX_STATUS_OK, BUILDIDX_KIND_GNU,
			      BUILDIDX_SOURCE_PHDR, id, lengths[i]);

		memcpy(zero_end, id, sizeof(id));
		memset(zero_end + lengths[i] / 2, 0, sizeof(id) - lengths[i] / 2);
		m.gnu = zero_end;
		snprintf(what, sizeof(what), "W3: an ID of %zu bytes that ends in zeros", lengths[i]);
		check_running(what, &m, BUILDIDX_STATUS_OK, BUILDIDX_KIND_GNU,
			      BUILDIDX_SOURCE_PHDR, zero_end, lengths[i]);
	}
}

/* The fallback identity of what minielf_create() would write. */
static void fallback_of(const struct minielf *m, uint8_t hash[16])
{
	const char *path = TESTFS_ROOT "/tmpfs/hashed";
	int fd;

	minielf_create(path, m);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		bail("%s: %s", path, strerror(errno));
	fallback_identity(fd, hash);
	close(fd);
	unlink(path);
}

static void no_or_too_long(void)
{
	uint8_t id[64], hash[16];
	struct minielf m = { 0 };

	fallback_of(&m, hash);
	check_running("W4: no note: its own status and the fallback identity", &m,
		      BUILDIDX_STATUS_NO_NOTE, BUILDIDX_KIND_HASH, BUILDIDX_SOURCE_CONTENT, hash, 16);
	m.other_note = true;
	fallback_of(&m, hash);
	check_running("W4: only another note: its own status and the fallback identity", &m,
		      BUILDIDX_STATUS_NO_NOTE, BUILDIDX_KIND_HASH, BUILDIDX_SOURCE_CONTENT, hash, 16);
	memset(id, 0x77, sizeof(id));
	m = (struct minielf) { .gnu = id, .gnu_len = 33 };
	fallback_of(&m, hash);
	check_running("W3: an ID of 33 bytes: TOO_LONG and the fallback identity", &m,
		      BUILDIDX_STATUS_TOO_LONG, BUILDIDX_KIND_HASH, BUILDIDX_SOURCE_CONTENT, hash, 16);
	m = (struct minielf) { .fill = 0x5a };
	fallback_of(&m, hash);
	check_running("W4: the fallback identity of a longer file", &m, BUILDIDX_STATUS_NO_NOTE,
		      BUILDIDX_KIND_HASH, BUILDIDX_SOURCE_CONTENT, hash, 16);
}

static void sections_and_go(void)
{
	static const char go[] =
		"Zq7Yk2Wm4Xn6Vb8Uc0Td/1Se3Rf5Qg7Ph9Oi1Nj3M/l5Lk7Kj9Ji1Ih3Hg5G/f7Fe9Ed1Dc3Cb5Ba7A-9zY";
	struct minielf m = { .shdr_only = true };
	uint8_t id[ID_LEN];

	unique_id(id);
	m.gnu = id;
	m.gnu_len = ID_LEN;
	check_running("W5: the note is reached through section headers only", &m,
		      BUILDIDX_STATUS_OK, BUILDIDX_KIND_GNU, BUILDIDX_SOURCE_SHDR, id, ID_LEN);
	m.other_note = true;
	check_running("W5: PT_NOTE covers only another note", &m,
		      BUILDIDX_STATUS_OK, BUILDIDX_KIND_GNU, BUILDIDX_SOURCE_SHDR, id, ID_LEN);
	m.shdr_only = false;
	check_running("W5: another note comes first in PT_NOTE", &m,
		      BUILDIDX_STATUS_OK, BUILDIDX_KIND_GNU, BUILDIDX_SOURCE_PHDR, id, ID_LEN);
	m = (struct minielf) { .go = go };
	check_running("W6: only a Go build ID: kind Go, its full text", &m,
		      BUILDIDX_STATUS_OK, BUILDIDX_KIND_GO, BUILDIDX_SOURCE_PHDR, go, strlen(go));
	m.gnu = id;
	m.gnu_len = ID_LEN;
	check_running("W6: both: the GNU build ID wins", &m,
		      BUILDIDX_STATUS_OK, BUILDIDX_KIND_GNU, BUILDIDX_SOURCE_PHDR, id, ID_LEN);
}

static void executables(void)
{
	const char *path = TESTFS_ROOT "/tmpfs/main";
	struct buildidx_object o;
	struct buildidx_frame f;
	uint8_t id[ID_LEN];
	pid_t pid;
	int err;

	unique_id(id);
	minielf_simple(path, id);
	pid = run(path);
	err = dev_exe(dev, pid, &o);
	if (!ok(object_is(err, &o, id, ID_LEN), "M10: QUERY_EXE of a running process"))
		diag("wanted %s, got %s", hex(id, ID_LEN), show_object(err, &o));
	kill(pid, SIGSTOP);
	unlink(path);
	err = dev_exe(dev, pid, &o);
	if (!ok(object_is(err, &o, id, ID_LEN), "M10: QUERY_EXE of a stopped process, file deleted"))
		diag("wanted %s, got %s", hex(id, ID_LEN), show_object(err, &o));
	kill(pid, SIGKILL);
	/* Not reaped: a zombie has no address space. */
	sleep_ms(200);
	err = dev_exe(dev, pid, &o);
	ok(err == -ESRCH, "M10: QUERY_EXE of a zombie: ESRCH, got %d", -err);
	err = dev_addr64(dev, pid, MINIELF_VADDR + MINIELF_TEXT, &f);
	if (!ok(!err && f.status == BUILDIDX_STATUS_NO_MM, "QUERY_ADDR of a zombie: NO_MM"))
		diag("%s", show_frame(err, &f));
	waitpid(pid, NULL, 0);
	err = dev_exe(dev, pid, &o);
	ok(err == -ESRCH, "M10: QUERY_EXE of a process that is gone: ESRCH, got %d", -err);
	err = dev_exe(dev, 2, &o);
	ok(err == -ESRCH, "M10: QUERY_EXE of a kernel thread: ESRCH, got %d", -err);
	err = dev_addr64(dev, 2, 0x400000, &f);
	if (!ok(!err && f.status == BUILDIDX_STATUS_NO_MM, "QUERY_ADDR of a kernel thread: NO_MM"))
		diag("%s", show_frame(err, &f));
}

/* --- addresses: W7, W8, special mappings --- */

static void address(const char *what, uint64_t addr, unsigned int status, const uint8_t *id,
		    uint64_t offset)
{
	struct buildidx_frame f;
	int err = dev_addr64(dev, 0, addr, &f);
	bool good = !err && f.ip == addr && f.status == status;

	if (id)
		good = good && frame_is(err, &f, id, ID_LEN) && f.offset == offset && f.object;
	else
		good = good && !f.id_len && !f.kind && !f.source && !f.object;
	if (!ok(good, "%s: %s", what, status_name(status)))
		diag("%#llx: %s", (unsigned long long)addr, show_frame(err, &f));
}

static char *area_of(size_t len)
{
	char *at = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		bail("mmap: %s", strerror(errno));
	return at;
}

static void holes_and_copies(void)
{
	const char *path = TESTFS_ROOT "/tmpfs/hole", *other = TESTFS_ROOT "/tmpfs/neighbour";
	uint8_t id[ID_LEN], other_id[ID_LEN];
	char *area, *text, *anon;
	int fd, other_fd;

	unique_id(id);
	unique_id(other_id);
	minielf_simple(path, id);
	minielf_simple(other, other_id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	other_fd = open(other, O_RDONLY | O_CLOEXEC);
	/* other file, hole, file at its second page, PROT_NONE part of the file, hole */
	area = area_of(8 * 4096);
	munmap(area, 8 * 4096);
	text = area + 3 * 4096;
	if (mmap(area, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, other_fd, 0) != area ||
	    mmap(text, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 4096) != text)
		bail("mmap: %s", strerror(errno));
	address("W7: first byte of a mapping", (uintptr_t)text, BUILDIDX_STATUS_OK, id, 4096);
	address("W7: last byte of a mapping", (uintptr_t)text + 4095, BUILDIDX_STATUS_OK, id, 8191);
	address("W7: byte just below a mapping", (uintptr_t)text - 1, BUILDIDX_STATUS_NO_MAPPING,
		NULL, 0);
	address("W7: middle of a hole between two files", (uintptr_t)text - 4096 - 7,
		BUILDIDX_STATUS_NO_MAPPING, NULL, 0);
	address("W7: byte just above a mapping", (uintptr_t)text + 4096, BUILDIDX_STATUS_NO_MAPPING,
		NULL, 0);
	address("W7: last byte of the neighbour", (uintptr_t)area + 4095, BUILDIDX_STATUS_OK,
		other_id, 4095);

	/* What ClickHouse and BOLT's hugify do: copy, then move over the text. */
	anon = area_of(4096);
	mprotect(anon, 4096, PROT_READ | PROT_WRITE);
	memcpy(anon, text, 4096);
	mprotect(anon, 4096, PROT_READ | PROT_EXEC);
	if (mremap(anon, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, text) != text)
		bail("mremap: %s", strerror(errno));
	address("W8: text moved to anonymous memory at its address", (uintptr_t)text + 0x40,
		BUILDIDX_STATUS_ANON, NULL, 0);

	/* A private page that was written is still at its place in the file. */
	if (mmap(text, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 4096) != text)
		bail("mmap: %s", strerror(errno));
	memset(text, 0x90, 64);
	mprotect(text, 4096, PROT_READ | PROT_EXEC);
	address("mprotect to executable of a written private page", (uintptr_t)text + 0x40,
		BUILDIDX_STATUS_OK, id, 4096 + 0x40);

	/* Moved: mremap does not announce a mapping, the file is known all the same. */
	anon = area_of(4096);
	munmap(anon, 4096);
	if (mremap(area, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, anon) != anon)
		bail("mremap: %s", strerror(errno));
	address("a file's mapping moved by mremap", (uintptr_t)anon + 5, BUILDIDX_STATUS_OK,
		other_id, 5);
	address("where it was before", (uintptr_t)area + 5, BUILDIDX_STATUS_NO_MAPPING, NULL, 0);
	munmap(anon, 4096);
	munmap(text, 4096);
	close(fd);
	close(other_fd);
	unlink(path);
	unlink(other);
}

/* Many mappings: the lookup goes through several levels of the kernel's tree. */
static void many_mappings(void)
{
	const char *path = TESTFS_ROOT "/tmpfs/many";
	const unsigned int count = 2000;
	struct buildidx_frame f;
	unsigned int i, bad = 0, holes_bad = 0;
	uint8_t id[ID_LEN];
	char seen[700] = "";
	char *area;
	int fd, err;

	unique_id(id);
	minielf_simple(path, id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	area = area_of(count * 2 * 4096UL);
	munmap(area, count * 2 * 4096UL);
	for (i = 0; i < count; i++)
		if (mmap(area + i * 8192UL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
			 i % 2 * 4096) == MAP_FAILED)
			bail("mmap %u: %s", i, strerror(errno));
	for (i = 0; i < count; i++) {
		err = dev_addr(dev, 0, area + i * 8192UL + 9, &f);
		if (!frame_is(err, &f, id, ID_LEN) || f.offset != i % 2 * 4096 + 9) {
			bad++;
			snprintf(seen, sizeof(seen), "%s", show_frame(err, &f));
		}
		if (i == count - 1)
			break;
		err = dev_addr(dev, 0, area + i * 8192UL + 4096, &f);
		if (err || f.status != BUILDIDX_STATUS_NO_MAPPING) {
			holes_bad++;
			snprintf(seen, sizeof(seen), "%s", show_frame(err, &f));
		}
	}
	if (!ok(!bad && !holes_bad, "W7: %u mappings and the holes between them", count))
		diag("%u mappings and %u holes wrong, last: %s", bad, holes_bad, seen);
	munmap(area, count * 2 * 4096UL);
	close(fd);
	unlink(path);
}

static void special_mappings(void)
{
	const struct map *vvar, *vsyscall;
	struct maps m;

	maps_read(0, &m);
	vvar = maps_named(&m, "[vvar]");
	if (ok(vvar, "vvar is mapped"))
		address("vvar", vvar->start + 8, BUILDIDX_STATUS_SPECIAL, NULL, 0);
	vsyscall = maps_named(&m, "[vsyscall]");
	if (vsyscall)
		address("vsyscall", vsyscall->start, BUILDIDX_STATUS_SPECIAL, NULL, 0);
	address("stack", (uintptr_t)&m, BUILDIDX_STATUS_ANON, NULL, 0);
	address("kernel text", 0xffffffff81000000ULL, BUILDIDX_STATUS_KERNEL, NULL, 0);
	address("direct map", 0xffff888000000000ULL, BUILDIDX_STATUS_KERNEL, NULL, 0);
	address("address 0", 0, BUILDIDX_STATUS_NO_MAPPING, NULL, 0);
}

/* Memory that nothing may read, not even the kernel: never indexed. */
static void secret_memory(void)
{
	struct buildidx_object o;
	struct buildidx_frame f;
	int fd = syscall(SYS_memfd_secret, 0), err;
	void *at;

	if (fd < 0 && errno == ENOSYS) {
		skip("secretmem is never read", "secretmem is off on this kernel");
		return;
	}
	if (fd < 0 || ftruncate(fd, 4096))
		bail("memfd_secret: %s", strerror(errno));
	/* It cannot be mapped executable; asked for all the same. */
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		bail("mmap of secretmem: %s", strerror(errno));
	err = dev_addr(dev, 0, at, &f);
	if (!ok(!err && f.status == BUILDIDX_STATUS_NOT_INDEXED && !f.id_len,
		"secretmem by address: NOT_INDEXED"))
		diag("%s", show_frame(err, &f));
	err = dev_fd(dev, fd, &o);
	ok(err == -EOPNOTSUPP || err == -EINVAL, "secretmem by descriptor: refused, got %d", -err);
	munmap(at, 4096);
	close(fd);
}

/* --- who may ask: M9, D11 --- */

/*
 * Run @fn in a child as another user, without any capability but @cap (-1: none).
 * Its exit status is the bit mask of the questions that were answered wrongly.
 */
static int as_nobody(int cap, int (*fn)(void *), void *arg)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		bail("fork: %s", strerror(errno));
	if (!pid) {
		struct __user_cap_header_struct h = { .version = _LINUX_CAPABILITY_VERSION_3 };
		struct __user_cap_data_struct d[2] = { { 0 }, { 0 } };

		if (cap >= 0) {
			d[cap / 32].permitted = d[cap / 32].effective = 1U << cap % 32;
			prctl(PR_SET_KEEPCAPS, 1);
		}
		if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
		    setresuid(NOBODY, NOBODY, NOBODY) || syscall(SYS_capset, &h, d))
			_exit(255);
		_exit(fn(arg));
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return 255;
	return WEXITSTATUS(status);
}

struct asking {
	pid_t other;		/* a process of root */
	const uint8_t *id;	/* of a file that is mapped at @at in every child */
	void *at;
	int fd;			/* of that file, read-only */
	int addr_err;		/* wanted for the other process */
	int list_err;		/* wanted of dump, stats and object */
	uint64_t object;
};

/* Bit 0 own address, 1 own exe, 2 fd, 3 other's address, 4 other's exe, 5 lists, 6 info */
static int ask_everything(void *arg)
{
	const struct asking *a = arg;
	struct buildidx_frame f;
	struct buildidx_object o;
	struct buildidx_object *all = NULL;
	struct buildidx_stats s;
	struct buildidx_info info;
	int wrong = 0;

	wrong |= !frame_is(dev_addr(dev, 0, a->at, &f), &f, a->id, ID_LEN);
	wrong |= !frame_is(dev_addr(dev, getpid(), a->at, &f), &f, a->id, ID_LEN);
	wrong |= (dev_exe(dev, 0, &o) != 0) << 1;
	wrong |= !object_is(dev_fd(dev, a->fd, &o), &o, a->id, ID_LEN) << 2;
	wrong |= (dev_addr(dev, a->other, a->at, &f) != a->addr_err) << 3;
	wrong |= (dev_exe(dev, a->other, &o) != a->addr_err) << 4;
	wrong |= (dev_stats(dev, -1, &s) != a->list_err) << 5;
	wrong |= (dev_object(dev, a->object, &o) != a->list_err) << 5;
	wrong |= ((a->list_err ? dev_dump(dev, &all) != a->list_err : dev_dump(dev, &all) < 1)) << 5;
	wrong |= (dev_info(dev, &info) != 0) << 6;
	return wrong;
}

static int open_device(void *unused)
{
	(void)unused;
	return open(BUILDIDX_DEVICE, O_RDWR) >= 0 || open(BUILDIDX_DEVICE, O_RDONLY) >= 0;
}

/* A process of the same user is not the own process. */
static int ask_own_child(void *unused)
{
	struct buildidx_frame f;
	int err, status;
	pid_t pid = fork();

	(void)unused;
	if (!pid) {
		pause();
		_exit(0);
	}
	err = dev_addr(dev, pid, ask_own_child, &f);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return err != -EPERM;
}

static void report_asking(int wrong, const char *who)
{
	static const char * const questions[] = {
		"its own address", "its own executable", "a descriptor of its own",
		"another's address", "another's executable", "dump, stats and object", "INFO",
	};
	unsigned int i;

	if (ok(!wrong, "M9: %s: each question has the documented answer", who))
		return;
	diag("wrong: mask %#x", wrong);
	for (i = 0; i < 7; i++)
		if (wrong >> i & 1)
			diag("not as documented: %s", questions[i]);
}

static void permissions(void)
{
	const char *path = TESTFS_ROOT "/tmpfs/asked";
	struct asking a = { .other = getpid() };
	struct buildidx_object o;
	uint8_t id[ID_LEN];
	struct stat st;
	int err;

	unique_id(id);
	minielf_simple(path, id);
	a.id = id;
	a.fd = open(path, O_RDONLY | O_CLOEXEC);
	a.at = map_exec(a.fd);
	err = dev_fd(dev, a.fd, &o);
	if (err)
		bail("QUERY_FD: %s", strerror(-err));
	a.object = o.object;

	if (stat(BUILDIDX_DEVICE, &st))
		bail("%s: %s", BUILDIDX_DEVICE, strerror(errno));
	ok((st.st_mode & 0777) == 0660 && !st.st_uid && S_ISCHR(st.st_mode),
	   "D11: %s is 0660 root, it is %o of %u", BUILDIDX_DEVICE, st.st_mode & 07777, st.st_uid);
	ok(!as_nobody(-1, open_device, NULL), "D11: another user cannot open the device");
	chmod(BUILDIDX_DEVICE, 0666);
	ok(as_nobody(-1, open_device, NULL) == 1, "D11: after chmod 666 another user can");
	chmod(BUILDIDX_DEVICE, 0660);

	a.addr_err = -EPERM;
	a.list_err = -EPERM;
	report_asking(as_nobody(-1, ask_everything, &a), "nobody, no capability, descriptor passed");
	a.addr_err = 0;
	report_asking(as_nobody(CAP_SYS_PTRACE, ask_everything, &a), "nobody with CAP_SYS_PTRACE");
	a.list_err = 0;
	report_asking(as_nobody(CAP_PERFMON, ask_everything, &a), "nobody with CAP_PERFMON");
	/* The kernel lets CAP_SYS_ADMIN stand for CAP_PERFMON everywhere. */
	report_asking(as_nobody(CAP_SYS_ADMIN, ask_everything, &a), "nobody with CAP_SYS_ADMIN");
	report_asking(ask_everything(&a), "root");

	ok(!as_nobody(-1, ask_own_child, NULL),
	   "M9: nobody without a capability may not ask for another process of nobody: EPERM");
	unmap_page(a.at);
	close(a.fd);
	unlink(path);
}

/* --- pids are those of the caller's namespace --- */

static int in_pid_namespace(void *arg)
{
	const uint8_t *id = ((struct asking *)arg)->id;
	struct buildidx_frame f;
	int wrong = getpid() != 1;

	wrong |= !frame_is(dev_addr(dev, 1, ((struct asking *)arg)->at, &f), &f, id, ID_LEN) << 1;
	/* The parent has no number here. */
	wrong |= (dev_addr(dev, ((struct asking *)arg)->other, in_pid_namespace, &f) != -ESRCH) << 2;
	return wrong;
}

static void pid_namespace(void)
{
	static char stack[1 << 16] __attribute__((aligned(16)));
	const char *path = TESTFS_ROOT "/tmpfs/pidns";
	struct asking a = { .other = getpid() };
	uint8_t id[ID_LEN];
	int status = -1;
	pid_t pid;

	unique_id(id);
	minielf_simple(path, id);
	a.id = id;
	a.at = map_exec_path(path);
	pid = clone(in_pid_namespace, stack + sizeof(stack), CLONE_NEWPID | SIGCHLD, &a);
	if (pid < 0)
		bail("clone with a new pid namespace: %s", strerror(errno));
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status),
	   "pids are those of the caller's namespace (status %#x)", status);
	unmap_page(a.at);
	unlink(path);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	dev = dev_open();
	testfs_mount(testfs_named("tmpfs"));
	exact_lengths();
	no_or_too_long();
	sections_and_go();
	executables();
	holes_and_copies();
	many_mappings();
	special_mappings();
	secret_memory();
	permissions();
	pid_namespace();
	testfs_umount(testfs_named("tmpfs"));
	return tap_end();
}
