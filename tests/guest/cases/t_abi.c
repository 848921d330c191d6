// SPDX-License-Identifier: GPL-2.0
/*
 * t_abi: the rules of the ioctl ABI (design D10), command by command. Compiled a
 * second time as a 32-bit program (t_abi32), whose calls take the compat path,
 * and which also has the 32-bit vDSO.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/bpf.h>

#include "dev.h"
#include "tap.h"

#ifdef __LP64__
#define BITS	"64-bit"
typedef Elf64_Ehdr Ehdr;
typedef Elf64_Phdr Phdr;
#else
#define BITS	"32-bit"
typedef Elf32_Ehdr Ehdr;
typedef Elf32_Phdr Phdr;
#endif

#define PAGE		4096
#define CANARY		0xa5
#define NO_MEMBER	0xffff

static int dev;
static int file; /* a regular file, for QUERY_FD */
static int prog; /* a BPF program, for ADOPT */
static struct buildidx_object *dump_buf;

/* A command, its argument's size and where the members that must be zero are. */
struct command {
	const char *name;
	unsigned long cmd;
	size_t size;
	size_t pad; /* a __u32, or NO_MEMBER */
	__u32 flags; /* those that it knows */
	size_t first; /* size of the first version, 0: that is the only one */
};

static const struct command commands[] = {
	{ "INFO", BUILDIDX_IOC_INFO, sizeof(struct buildidx_info), offsetof(struct buildidx_info, pad), 0,
	  offsetof(struct buildidx_info, kernel_state) },
	{ "QUERY_FD", BUILDIDX_IOC_QUERY_FD, sizeof(struct buildidx_query_fd),
	  offsetof(struct buildidx_query_fd, pad), 0, 0 },
	{ "QUERY_ADDR", BUILDIDX_IOC_QUERY_ADDR, sizeof(struct buildidx_query_addr),
	  offsetof(struct buildidx_query_addr, pad), 0, 0 },
	{ "QUERY_EXE", BUILDIDX_IOC_QUERY_EXE, sizeof(struct buildidx_query_exe),
	  offsetof(struct buildidx_query_exe, pad), 0, 0 },
	{ "OBJECT", BUILDIDX_IOC_OBJECT, sizeof(struct buildidx_query_object), NO_MEMBER, 0, 0 },
	{ "DUMP", BUILDIDX_IOC_DUMP, sizeof(struct buildidx_dump), NO_MEMBER, 0, 0 },
	{ "STATS", BUILDIDX_IOC_STATS, sizeof(struct buildidx_stats),
	  offsetof(struct buildidx_stats, pad), 0, 0 },
	{ "RECORD", BUILDIDX_IOC_RECORD, sizeof(struct buildidx_query_record),
	  offsetof(struct buildidx_query_record, pad), BUILDIDX_RECORDS_LIVE | BUILDIDX_RECORDS_GONE, 0 },
	{ "RECORDS", BUILDIDX_IOC_RECORDS, sizeof(struct buildidx_dump_records),
	  offsetof(struct buildidx_dump_records, pad), BUILDIDX_RECORDS_LIVE | BUILDIDX_RECORDS_GONE, 0 },
	{ "ADOPT", BUILDIDX_IOC_ADOPT, sizeof(struct buildidx_adopt),
	  offsetof(struct buildidx_adopt, pad), 0, 0 },
	{ "STREAM", BUILDIDX_IOC_STREAM, sizeof(struct buildidx_stream), NO_MEMBER,
	  BUILDIDX_STREAM_OLDEST | BUILDIDX_STREAM_NEXT, 0 },
};
#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

/* Any union member starts with size and flags. */
union argument {
	struct {
		__u32 size;
		__u32 flags;
	};
	struct buildidx_info info;
	struct buildidx_query_fd fd;
	struct buildidx_query_addr addr;
	struct buildidx_query_exe exe;
	struct buildidx_query_object object;
	struct buildidx_dump dump;
	struct buildidx_stats stats;
	struct buildidx_query_record record;
	struct buildidx_dump_records records;
	struct buildidx_adopt adopt;
	struct buildidx_stream stream;
	unsigned char bytes[2 * PAGE];
};

static uint64_t known_object, known_record;

/* A call that must succeed. */
static void fill(const struct command *c, union argument *a)
{
	memset(a, 0, sizeof(*a));
	a->size = c->size;
	switch (c->cmd) {
	case BUILDIDX_IOC_QUERY_FD:
		a->fd.fd = file;
		break;
	case BUILDIDX_IOC_QUERY_ADDR:
		a->addr.address = (uintptr_t)fill;
		break;
	case BUILDIDX_IOC_OBJECT:
		a->object.object = known_object;
		break;
	case BUILDIDX_IOC_DUMP:
		a->dump.buf = (uintptr_t)dump_buf;
		a->dump.count = 64;
		a->dump.obj_size = sizeof(*dump_buf);
		break;
	case BUILDIDX_IOC_STATS:
		a->stats.cpu = -1;
		break;
	case BUILDIDX_IOC_RECORD:
		a->record.by = BUILDIDX_BY_OBJECT;
		a->record.object = known_record;
		break;
	case BUILDIDX_IOC_ADOPT:
		a->adopt.fd = prog;
		break;
	}
}

static int call(unsigned long cmd, void *arg)
{
	return ioctl(dev, cmd, arg) ? errno : 0;
}

static void expect(int got, int want, const struct command *c, const char *what)
{
	if (!ok(got == want, BITS " %s: %s: %s", c->name, what, want ? strerror(want) : "works"))
		diag("got errno %d (%s), wanted %d", got, strerror(got), want);
}

/* The same command as a caller with a longer struct would encode it. */
static unsigned long resized(unsigned long cmd, size_t size)
{
	return _IOC(_IOC_DIR(cmd), _IOC_TYPE(cmd), _IOC_NR(cmd), size);
}

static void sizes(const struct command *c)
{
	union argument a;

	fill(c, &a);
	expect(call(c->cmd, &a), 0, c, "as documented");
	fill(c, &a);
	a.size = 0;
	expect(call(c->cmd, &a), EINVAL, c, "size 0");
	fill(c, &a);
	a.size = 4;
	expect(call(c->cmd, &a), EINVAL, c, "size 4");
	fill(c, &a);
	a.size = (c->first ? c->first : c->size) - 1;
	expect(call(c->cmd, &a), EINVAL, c, "size one too small");
	if (c->first) {
		fill(c, &a);
		a.size = c->first;
		memset(a.bytes + c->first, CANARY, c->size - c->first);
		expect(call(c->cmd, &a), 0, c, "as it was in the first version");
		ok(a.bytes[c->first] == CANARY && a.bytes[c->size - 1] == CANARY,
		   BITS " %s: nothing is written past the first version", c->name);
	}
	fill(c, &a);
	a.size = c->size + 64;
	expect(call(c->cmd, &a), 0, c, "64 bytes larger, tail zero");
	fill(c, &a);
	a.size = c->size + 64;
	expect(call(resized(c->cmd, a.size), &a), 0, c,
	       "64 bytes larger in the command number too, tail zero");
	fill(c, &a);
	a.size = c->size + 64;
	a.bytes[c->size] = 1;
	expect(call(c->cmd, &a), E2BIG, c, "64 bytes larger, first byte of the tail set");
	fill(c, &a);
	a.size = c->size + 64;
	a.bytes[c->size + 63] = 1;
	expect(call(c->cmd, &a), E2BIG, c, "64 bytes larger, last byte of the tail set");
	fill(c, &a);
	a.size = PAGE + 1;
	expect(call(c->cmd, &a), E2BIG, c, "larger than a page");
	fill(c, &a);
	a.size = 0xffffffff;
	expect(call(c->cmd, &a), E2BIG, c, "size 4 GiB - 1");
}

static void zeros(const struct command *c)
{
	union argument a;
	__u32 one = 1;

	fill(c, &a);
	a.flags = c->flags + 1;
	expect(call(c->cmd, &a), EINVAL, c, "first unknown flag");
	fill(c, &a);
	a.flags = 0x80000000;
	expect(call(c->cmd, &a), EINVAL, c, "flag 1 << 31");
	if (c->pad == NO_MEMBER)
		return;
	fill(c, &a);
	memcpy(a.bytes + c->pad, &one, sizeof(one));
	expect(call(c->cmd, &a), EINVAL, c, "pad set");
}

static void pointers(const struct command *c, unsigned char *two_pages)
{
	static const unsigned long wild[] = {
		0, 1, 0xfff,
#ifdef __LP64__
		0xffffffff81000000UL, 0xffff888000000000UL, 0x800000000000UL, ~0UL - 7,
#else
		0xffffe000UL, 0xfffffff8UL,
#endif
	};
	union argument a;
	size_t i;

	for (i = 0; i < sizeof(wild) / sizeof(wild[0]); i++) {
		char what[64];

		snprintf(what, sizeof(what), "argument at %#lx", wild[i]);
		expect(call(c->cmd, (void *)wild[i]), EFAULT, c, what);
	}
	/* The second page is not accessible. */
	fill(c, &a);
	memcpy(two_pages + PAGE - c->size, &a, c->size);
	expect(call(c->cmd, two_pages + PAGE - c->size), 0, c, "argument that ends with its page");
	fill(c, &a);
	memcpy(two_pages + PAGE - 8, &a, 8);
	expect(call(c->cmd, two_pages + PAGE - 8), EFAULT, c, "argument cut by the end of memory");
	expect(call(c->cmd, two_pages + PAGE - 2), EFAULT, c, "size cut by the end of memory");

	fill(c, &a);
	memcpy(two_pages, &a, c->size);
	mprotect(two_pages, PAGE, PROT_READ);
	expect(call(c->cmd, two_pages), EFAULT, c, "argument in read-only memory");
	mprotect(two_pages, PAGE, PROT_READ | PROT_WRITE);
}

/* Nothing past @size may be written, and nothing at all on failure. */
static void output(const struct command *c)
{
	union argument a, before;
	size_t i, touched = 0;
	int err;

	fill(c, &a);
	memset(a.bytes + c->size, CANARY, sizeof(a) - c->size);
	err = call(c->cmd, &a);
	for (i = c->size; i < sizeof(a); i++)
		touched += a.bytes[i] != CANARY;
	if (!ok(!err && !touched, BITS " %s: writes nothing past size", c->name))
		diag("errno %d, %zu bytes past size changed", err, touched);

	fill(c, &a);
	a.flags = c->flags + 1;
	memcpy(&before, &a, sizeof(a));
	err = call(c->cmd, &a);
	if (!ok(err == EINVAL && !memcmp(&before, &a, sizeof(a)),
		BITS " %s: a refused call writes nothing", c->name))
		diag("errno %d, argument %s", err,
		     memcmp(&before, &a, sizeof(a)) ? "changed" : "unchanged");
}

static void unknown_commands(void)
{
	static const struct {
		const char *what;
		unsigned long cmd;
	} unknown[] = {
		{ "number 11", _IOWR(BUILDIDX_IOC_MAGIC, 11, struct buildidx_info) },
		{ "number 255", _IOWR(BUILDIDX_IOC_MAGIC, 255, struct buildidx_info) },
		{ "another magic", _IOWR(0xb2, 0, struct buildidx_info) },
		{ "another magic, number of QUERY_ADDR", _IOWR('f', 2, struct buildidx_query_addr) },
		{ "0", 0 },
		{ "all bits", 0xffffffff },
		{ "TCGETS", 0x5401 },
	};
	union argument a;
	size_t i;
	int err;

	for (i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		fill(&commands[0], &a);
		err = call(unknown[i].cmd, &a);
		if (!ok(err == ENOTTY, BITS " unknown command (%s): ENOTTY", unknown[i].what))
			diag("got errno %d (%s)", err, strerror(err));
	}
}

static void info_content(void)
{
	struct buildidx_info info;
	unsigned int i, named = 0;
	int err = dev_info(dev, &info);

	ok(!err && info.size == sizeof(info) && info.abi_version == BUILDIDX_ABI_VERSION,
	   BITS " INFO: ABI version %u, size %u", info.abi_version, info.size);
	ok(!err && info.version[0] && memchr(info.version, 0, sizeof(info.version)),
	   BITS " INFO: version is a text: %.31s", info.version);
	for (i = 0; i < info.nr_hooks && i < BUILDIDX_HOOK_MAX; i++)
		named += info.hooks[i].name[0] && info.hooks[i].symbol[0] &&
			 info.hooks[i].state != BUILDIDX_HOOK_OFF;
	if (!ok(!err && info.nr_hooks >= 3 && info.nr_hooks <= BUILDIDX_HOOK_MAX &&
		named == info.nr_hooks, BITS " INFO: every hook is named and placed"))
		for (i = 0; i < info.nr_hooks && i < BUILDIDX_HOOK_MAX; i++)
			diag("hook %.31s on %.31s state %u error %u", info.hooks[i].name,
			     info.hooks[i].symbol, info.hooks[i].state, info.hooks[i].error);
	ok(!err && info.max_entries >= 60000 && info.entries && info.heads &&
	   info.entries <= info.max_entries, BITS " INFO: %llu of %llu entries, %llu heads",
	   (unsigned long long)info.entries, (unsigned long long)info.max_entries,
	   (unsigned long long)info.heads);
}

/* The smallest BPF program: "return 0". */
static int load_program(void)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr a = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)insns, .insn_cnt = 2,
		.license = (uintptr_t)"GPL", .prog_name = "t_abi",
	};

	return syscall(__NR_bpf, BPF_PROG_LOAD, &a, sizeof(a));
}

/* Its record, by the number that ADOPT tells. */
static uint64_t record_of(int fd)
{
	struct buildidx_adopt a = { .size = sizeof(a), .fd = fd };

	return call(BUILDIDX_IOC_ADOPT, &a) ? 0 : a.object;
}

static void fd_arguments(void)
{
	static const struct {
		const char *what;
		const char *path;
		int flags;
		int want;
	} fds[] = {
		{ "opened O_PATH", "/proc/self/exe", O_PATH, EBADF },
		{ "opened O_WRONLY", "/run/t_abi.wronly", O_WRONLY | O_CREAT, EBADF },
		{ "of a directory", "/proc", O_RDONLY, EINVAL },
		{ "of a character device", "/dev/null", O_RDONLY, EINVAL },
		{ "of a file in proc", "/proc/self/maps", O_RDONLY, EOPNOTSUPP },
		{ "of a file in sysfs", "/sys/kernel/notes", O_RDONLY, EOPNOTSUPP },
	};
	struct buildidx_object o;
	int pipes[2], err;
	size_t i;

	for (i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		int fd = open(fds[i].path, fds[i].flags | O_CLOEXEC, 0600);

		if (fd < 0)
			bail("%s: %s", fds[i].path, strerror(errno));
		err = -dev_fd(dev, fd, &o);
		if (!ok(err == fds[i].want, BITS " QUERY_FD: descriptor %s: %s", fds[i].what,
			strerror(fds[i].want)))
			diag("got errno %d (%s): %s", err, strerror(err), show_object(-err, &o));
		close(fd);
	}
	unlink("/run/t_abi.wronly");
	if (pipe(pipes))
		bail("pipe: %s", strerror(errno));
	err = -dev_fd(dev, pipes[0], &o);
	ok(err == EINVAL, BITS " QUERY_FD: descriptor of a pipe: EINVAL, got %d", err);
	close(pipes[0]);
	close(pipes[1]);
	err = -dev_fd(dev, pipes[0], &o);
	ok(err == EBADF, BITS " QUERY_FD: closed descriptor: EBADF, got %d", err);
	err = -dev_fd(dev, -1, &o);
	ok(err == EBADF, BITS " QUERY_FD: descriptor -1: EBADF, got %d", err);
	err = -dev_fd(dev, 0x7fffffff, &o);
	ok(err == EBADF, BITS " QUERY_FD: descriptor 2^31 - 1: EBADF, got %d", err);
}

static void pid_arguments(void)
{
	struct buildidx_frame f;
	struct buildidx_object o;
	int err;

	err = -dev_addr(dev, 0x7ffffff0, fill, &f);
	ok(err == ESRCH, BITS " QUERY_ADDR: no such process: ESRCH, got %d", err);
	err = -dev_addr(dev, -1, fill, &f);
	ok(err == ESRCH || err == EINVAL, BITS " QUERY_ADDR: pid -1: ESRCH or EINVAL, got %d", err);
	err = -dev_exe(dev, 0x7ffffff0, &o);
	ok(err == ESRCH, BITS " QUERY_EXE: no such process: ESRCH, got %d", err);
	err = -dev_object(dev, 0, &o);
	ok(err == ENOENT, BITS " OBJECT: number 0: ENOENT, got %d", err);
	err = -dev_object(dev, ~0ULL, &o);
	ok(err == ENOENT, BITS " OBJECT: number 2^64 - 1: ENOENT, got %d", err);
}

static void cpu_arguments(void)
{
	long cpu, n = sysconf(_SC_NPROCESSORS_CONF);
	struct buildidx_stats s, one;
	uint64_t sum = 0;
	int err;

	for (cpu = 0; cpu < n; cpu++) {
		err = dev_stats(dev, cpu, &one);
		if (err)
			break;
		sum += one.counter[BUILDIDX_CNT_CAPTURED];
	}
	err = err ? err : dev_stats(dev, -1, &s);
	if (!ok(!err && sum && s.counter[BUILDIDX_CNT_CAPTURED] >= sum,
		BITS " STATS: the CPUs add up to the sum"))
		diag("errno %d, CPUs %llu, sum %llu", -err, (unsigned long long)sum,
		     (unsigned long long)s.counter[BUILDIDX_CNT_CAPTURED]);
	ok(!err && s.nr_status == BUILDIDX_STATUS_COUNT && s.nr_counter == BUILDIDX_CNT_COUNT,
	   BITS " STATS: %u statuses, %u counters", s.nr_status, s.nr_counter);
	err = -dev_stats(dev, -2, &s);
	ok(err == EINVAL, BITS " STATS: CPU -2: EINVAL, got %d", err);
	err = -dev_stats(dev, 0x7fffffff, &s);
	ok(err == EINVAL, BITS " STATS: CPU 2^31 - 1: EINVAL, got %d", err);
	err = -dev_stats(dev, 65536, &s);
	ok(err == EINVAL, BITS " STATS: CPU 65536: EINVAL, got %d", err);
}

static int dump_once(struct buildidx_dump *d)
{
	return call(BUILDIDX_IOC_DUMP, d);
}

static void dump_arguments(unsigned char *two_pages)
{
	const size_t big = sizeof(struct buildidx_object) + 40;
	struct buildidx_dump base = {
		.size = sizeof(base), .buf = (uintptr_t)dump_buf, .count = 64,
		.obj_size = sizeof(*dump_buf),
	}, d;
	size_t i, dirty = 0;
	int err;

	d = base;
	d.obj_size = sizeof(*dump_buf) - 1;
	err = dump_once(&d);
	ok(err == EINVAL, BITS " DUMP: obj_size one too small: EINVAL, got %d", err);
	d = base;
	d.obj_size = 0;
	err = dump_once(&d);
	ok(err == EINVAL, BITS " DUMP: obj_size 0: EINVAL, got %d", err);
	d = base;
	d.obj_size = 0xffffffff;
	err = dump_once(&d);
	ok(err == EINVAL || err == E2BIG, BITS " DUMP: obj_size 4 GiB - 1: refused, got %d", err);
	d = base;
	d.count = 65537;
	err = dump_once(&d);
	ok(err == EINVAL, BITS " DUMP: count 65537: EINVAL, got %d", err);
	d = base;
	d.buf = 0;
	err = dump_once(&d);
	ok(err == EFAULT, BITS " DUMP: buffer at 0: EFAULT, got %d", err);
	d = base;
	d.buf = 0xffff888000000000ULL;
	err = dump_once(&d);
	ok(err == EFAULT, BITS " DUMP: buffer in the kernel: EFAULT, got %d", err);
	d = base;
	d.buf = (uintptr_t)(two_pages + PAGE - 8);
	err = dump_once(&d);
	ok(err == EFAULT, BITS " DUMP: buffer cut by the end of memory: EFAULT, got %d", err);
	d = base;
	d.count = 0;
	err = dump_once(&d);
	ok(err == ENOSPC || err == EINVAL, BITS " DUMP: no room: refused, got %d", err);
	d = base;
	d.cursor = ~0ULL;
	err = dump_once(&d);
	ok(err == EINVAL || (!err && !d.count), BITS " DUMP: cursor past the end: nothing, got %d", err);

	memset(dump_buf, CANARY, 65 * big);
	d = base;
	d.obj_size = big;
	err = dump_once(&d);
	for (i = 0; !err && i < d.count * big; i++)
		if (i % big >= sizeof(*dump_buf))
			dirty += ((unsigned char *)dump_buf)[i] != 0;
	if (!ok(!err && d.count && !dirty, BITS " DUMP: a longer object's tail is zero"))
		diag("errno %d, %u objects, %zu bytes not zero", err, d.count, dirty);
}

/* Each entry once: no number comes twice, and what is mapped here is among them. */
static void dump_content(void)
{
	struct buildidx_object *all = NULL, exe;
	long n = dev_dump(dev, &all), i, j, twice = 0, found = 0;
	int err = dev_exe(dev, 0, &exe);

	for (i = 0; i < n; i++) {
		found += all[i].object == exe.object;
		for (j = 0; j < i; j++)
			twice += all[i].object == all[j].object;
	}
	if (!ok(!err && n > 0 && found == 1 && !twice,
		BITS " DUMP: every entry once, the own executable among them"))
		diag("%ld entries, own executable seen %ld times, %ld repeated; %s", n, found, twice,
		     show_object(err, &exe));
	free(all);
}

/* The GNU note of the vDSO as it lies in memory. */
static const unsigned char *vdso_note(const unsigned char *base, size_t *len)
{
	const Ehdr *e = (const void *)base;
	const Phdr *p = (const void *)(base + e->e_phoff);
	int i;

	for (i = 0; i < e->e_phnum; i++) {
		const unsigned char *at = base + p[i].p_offset, *end = at + p[i].p_filesz;

		if (p[i].p_type != PT_NOTE)
			continue;
		while (at + sizeof(Elf32_Nhdr) <= end) {
			const Elf32_Nhdr *n = (const void *)at;
			const unsigned char *name = at + sizeof(*n);
			const unsigned char *desc = name + ((n->n_namesz + 3) & ~3u);

			if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 &&
			    !memcmp(name, "GNU", 4)) {
				*len = n->n_descsz;
				return desc;
			}
			at = desc + ((n->n_descsz + 3) & ~3u);
		}
	}
	return NULL;
}

static void vdso(void)
{
	const unsigned char *base = (void *)getauxval(AT_SYSINFO_EHDR);
	const unsigned char *id;
	struct buildidx_frame f;
	size_t len = 0;
	int err;

	id = base ? vdso_note(base, &len) : NULL;
	if (!ok(id && len, BITS " vDSO: it is mapped and has a build ID of %zu bytes", len))
		return;
	err = dev_addr(dev, 0, base + 0x123, &f);
	if (!ok(frame_is(err, &f, id, len) && f.offset == 0x123 && f.flags & BUILDIDX_FRAME_VDSO,
		BITS " vDSO: its build ID, the offset in its image and the vDSO flag"))
		diag("wanted %s offset 0x123; got %s", hex(id, len), show_frame(err, &f));
}

int main(void)
{
	unsigned char *two_pages;
	struct buildidx_object o;
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	dev = dev_open();
	file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	dump_buf = calloc(128, sizeof(*dump_buf));
	two_pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (file < 0 || !dump_buf || two_pages == MAP_FAILED)
		bail("set-up: %s", strerror(errno));
	mprotect(two_pages + PAGE, PAGE, PROT_NONE);
	if (dev_fd(dev, file, &o) || !o.object)
		bail("QUERY_FD of the own executable does not work");
	known_object = o.object;
	prog = load_program();
	known_record = prog < 0 ? 0 : record_of(prog);
	if (!known_record)
		bail("a BPF program and its record: %s", strerror(errno));

	for (i = 0; i < NR_COMMANDS; i++) {
		sizes(&commands[i]);
		zeros(&commands[i]);
		pointers(&commands[i], two_pages);
		output(&commands[i]);
	}
	unknown_commands();
	info_content();
	fd_arguments();
	pid_arguments();
	cpu_arguments();
	dump_arguments(two_pages);
	dump_content();
	vdso();
	return tap_end();
}
