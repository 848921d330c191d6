// SPDX-License-Identifier: GPL-2.0
/*
 * t_krec [lockdown]: the rules of the commands that give records, and of read(2) and
 * poll(2); who may see what; case M7. With "lockdown", which cannot be taken back: what
 * root may see of a locked kernel.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>
#include <bpf/bpf.h>

#include "../cases/dev.h"
#include "../cases/minielf.h"
#include "../cases/modctl.h"
#include "../cases/tap.h"
#include "../cases/testfs.h"
#include "../cases/watch.h"
#include "gen.h"
#include "rec.h"
#include "truth.h"
#include "who.h"

#define ID_LEN		20
#define CAP(x)		(1ULL << (x))
#define PAGE		4096
#define CANARY		0xa5

static int dev;
static int prog;	/* a program with a record */
static struct truth truth;

static int call(unsigned long cmd, void *arg)
{
	return ioctl(dev, cmd, arg) ? errno : 0;
}

static void is_errno(int got, int want, const char *what)
{
	if (!ok(got == want, "%s: %s", what, want ? strerror(want) : "works"))
		diag("got errno %d (%s)", got, strerror(got));
}

static struct buildidx_query_record query(unsigned int by)
{
	return (struct buildidx_query_record) {
		.size = sizeof(struct buildidx_query_record), .by = by,
	};
}

static int load_one(const char *name)
{
	struct gen g = { .file = "/src/krec.bpf.c", .line = 80, .funcs = 3, .loops = 5 };
	int fd;

	snprintf(g.name, sizeof(g.name), "%s", name);
	fd = gen_load(&g, NULL);
	if (fd < 0)
		bail("loading %s: %s", name, strerror(-fd));
	return fd;
}

/* --- BUILDIDX_IOC_RECORD --- */

static void record_arguments(void)
{
	static const unsigned int wrong[] = { 0, 5, 0x80000000 };
	struct buildidx_query_record q;
	unsigned char *two;
	uint32_t size;
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		q = query(wrong[i]);
		is_errno(call(BUILDIDX_IOC_RECORD, &q), EINVAL, "RECORD: by something unknown");
	}
	q = query(BUILDIDX_BY_OBJECT);
	is_errno(call(BUILDIDX_IOC_RECORD, &q), ENOENT, "RECORD: object 0");
	q.object = ~0ULL;
	is_errno(call(BUILDIDX_IOC_RECORD, &q), ENOENT, "RECORD: object 2^64 - 1");
	q = query(BUILDIDX_BY_PROG_ID);
	q.id = 0xffffffff;
	is_errno(call(BUILDIDX_IOC_RECORD, &q), ENOENT, "RECORD: program 2^32 - 1");
	q = query(BUILDIDX_BY_ADDRESS);
	q.address = (uintptr_t)record_arguments;
	is_errno(call(BUILDIDX_IOC_RECORD, &q), ENOENT, "RECORD: a user address");
	q = query(BUILDIDX_BY_BUILD_ID);
	q.id_len = BUILDIDX_ID_MAX + 1;
	is_errno(call(BUILDIDX_IOC_RECORD, &q), EINVAL, "RECORD: build ID of 33 bytes");
	q.id_len = BUILDIDX_ID_MAX;
	is_errno(call(BUILDIDX_IOC_RECORD, &q), ENOENT, "RECORD: build ID that nothing has");

	q = query(BUILDIDX_BY_PROG_ID);
	q.id = truth.info.id;
	is_errno(call(BUILDIDX_IOC_RECORD, &q), 0, "RECORD: size asked for first");
	size = q.rec_size;
	ok(size > sizeof(struct buildidx_rec_bpf) && q.object, "RECORD: tells the size, %u, and object",
	   size);
	q.buf_size = BUILDIDX_REC_MAX + 1;
	is_errno(call(BUILDIDX_IOC_RECORD, &q), EINVAL, "RECORD: more room than any record needs");

	/* The second page is not accessible. */
	two = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (two == MAP_FAILED || mprotect(two + PAGE, PAGE, PROT_NONE))
		bail("mmap: %s", strerror(errno));
	memset(two, CANARY, PAGE);
	q = query(BUILDIDX_BY_PROG_ID);
	q.id = truth.info.id;
	q.buf = (uintptr_t)two;
	q.buf_size = size - 1;
	is_errno(call(BUILDIDX_IOC_RECORD, &q), 0, "RECORD: one byte too little room");
	for (i = 0; i < PAGE && two[i] == CANARY; i++)
		;
	ok(i == PAGE && q.rec_size == size, "RECORD: nothing is written where there is no room");
	q.buf = (uintptr_t)two + PAGE - 64;
	q.buf_size = size;
	is_errno(call(BUILDIDX_IOC_RECORD, &q), EFAULT, "RECORD: buffer cut by the end of memory");
	q.buf = 0xffff888000000000ULL;
	is_errno(call(BUILDIDX_IOC_RECORD, &q), EFAULT, "RECORD: buffer in the kernel");
	q.buf = (uintptr_t)two + PAGE - size;
	is_errno(call(BUILDIDX_IOC_RECORD, &q), 0, "RECORD: buffer that ends with its page");
	munmap(two, 2 * PAGE);
}

/* --- BUILDIDX_IOC_RECORDS --- */

static void nothing(const struct buildidx_rec *r, void *arg)
{
	(void)r;
	(void)arg;
}

static void count_types(const struct buildidx_rec *r, void *arg)
{
	((unsigned int *)arg)[r->type]++;
}

static void dump_arguments(void)
{
	struct buildidx_dump_records base = { .size = sizeof(base) }, d;
	unsigned int types[BUILDIDX_REC_TYPES] = { 0 }, some[BUILDIDX_REC_TYPES] = { 0 };
	static char buf[4096];
	long all, live, gone, bpf;

	d = base;
	is_errno(call(BUILDIDX_IOC_RECORDS, &d), 0, "RECORDS: no room");
	ok(!d.count && !d.used && d.next_size, "RECORDS: no room: tells the next one's size, %u",
	   d.next_size);
	d = base;
	d.cursor = ~0ULL;
	d.buf = (uintptr_t)buf;
	d.buf_size = sizeof(buf);
	is_errno(call(BUILDIDX_IOC_RECORDS, &d), 0, "RECORDS: cursor past the end");
	ok(!d.count && !d.next_size, "RECORDS: cursor past the end: nothing");
	d = base;
	d.buf_size = BUILDIDX_REC_MAX + 1;
	is_errno(call(BUILDIDX_IOC_RECORDS, &d), EINVAL, "RECORDS: more room than may be");
	d = base;
	d.buf = 0xffff888000000000ULL;
	d.buf_size = 1 << 20;
	is_errno(call(BUILDIDX_IOC_RECORDS, &d), EFAULT, "RECORDS: buffer in the kernel");
	d = base;
	d.buf_size = 1 << 20;
	is_errno(call(BUILDIDX_IOC_RECORDS, &d), EFAULT, "RECORDS: buffer at 0");

	all = rec_dump(dev, 0, 0, count_types, types);
	live = rec_dump(dev, BUILDIDX_RECORDS_LIVE, 0, nothing, NULL);
	gone = rec_dump(dev, BUILDIDX_RECORDS_GONE, 0, nothing, NULL);
	bpf = rec_dump(dev, 0, TYPE(BPF_LOAD), count_types, some);
	if (!ok(all > 0 && live > 0 && live <= all && types[BUILDIDX_REC_MODULE] >= 2 &&
		types[BUILDIDX_REC_BPF_LOAD], "RECORDS: vmlinux, modules, programs are there"))
		diag("all %ld live %ld gone %ld modules %u programs %u symbols %u", all, live, gone,
		     types[BUILDIDX_REC_MODULE], types[BUILDIDX_REC_BPF_LOAD], types[BUILDIDX_REC_KSYM]);
	ok(live + gone == all && bpf == (long)types[BUILDIDX_REC_BPF_LOAD] &&
	   bpf == (long)some[BUILDIDX_REC_BPF_LOAD],
	   "RECORDS: %ld live + %ld gone = %ld; %ld are programs", live, gone, all, bpf);
}

/* --- BUILDIDX_IOC_ADOPT --- */

static void adopt_one(int fd, int want, const char *what)
{
	struct buildidx_adopt a = { .size = sizeof(a), .fd = fd };
	char text[96];

	snprintf(text, sizeof(text), "ADOPT: %s", what);
	is_errno(call(BUILDIDX_IOC_ADOPT, &a), want, text);
}

static void adopt_arguments(void)
{
	struct buildidx_adopt a = { .size = sizeof(a), .fd = prog };
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int map = bpf_map_create(BPF_MAP_TYPE_ARRAY, "krec", 4, 8, 1, NULL);
	struct buildidx_rec *r;

	adopt_one(-1, EBADF, "descriptor -1");
	adopt_one(0x7fffffff, EBADF, "descriptor 2^31 - 1");
	adopt_one(null, EINVAL, "another file");
	adopt_one(map, EINVAL, "a BPF map");
	adopt_one(dev, EINVAL, "the device itself");
	is_errno(call(BUILDIDX_IOC_ADOPT, &a), 0, "ADOPT: a program that has a record");
	if (rec_by_prog(dev, truth.info.id, &r))
		bail("no record of a program that is there");
	ok(a.object == ((struct buildidx_rec_bpf *)r)->object &&
	   !(((struct buildidx_rec_bpf *)r)->flags & BUILDIDX_REC_ADOPTED), "ADOPT: it keeps its record");
	free(r);
	close(null);
	close(map);
}

/* --- the stream --- */

static void *load_later(void *arg)
{
	sleep_ms(300);
	close(load_one(arg));
	return NULL;
}

static void a_signal(int number)
{
	(void)number;
}

static void *signal_later(void *arg)
{
	sleep_ms(300);
	pthread_kill(*(pthread_t *)arg, SIGUSR1);
	return NULL;
}

static void stream_arguments(void)
{
	struct pollfd p = { .events = POLLIN };
	struct stream first, second;
	struct buildidx_stream a;
	const struct buildidx_rec *r;
	struct sigaction act = { .sa_handler = a_signal };
	pthread_t thread, self = pthread_self();
	static char buf[1 << 16];
	uint64_t seq;
	ssize_t n;
	int fd;

	is_errno(-stream_ask(dev, BUILDIDX_STREAM_OLDEST | BUILDIDX_STREAM_NEXT, 0, NULL), EINVAL,
		 "STREAM: oldest and next at once");
	is_errno(-stream_ask(dev, 0, 1U << BUILDIDX_REC_TYPES, NULL), EINVAL, "STREAM: an unknown type");
	is_errno(-stream_ask(dev, 0, 1, NULL), EINVAL, "STREAM: type 0");

	stream_open(&first, TYPE(BPF_LOAD), false);
	n = read(first.fd, buf, sizeof(buf));
	ok(n < 0 && errno == EAGAIN, "read: nothing there: EAGAIN");
	p.fd = first.fd;
	ok(!poll(&p, 1, 0), "poll: nothing there");
	fd = load_one("krec_first");
	ok(poll(&p, 1, 2000) == 1 && p.revents & POLLIN, "poll: a record is there");
	is_errno(-stream_ask(first.fd, 0, 0, &a), 0, "STREAM: what is next");
	n = read(first.fd, buf, sizeof(struct buildidx_rec_bpf));
	ok(n < 0 && errno == EMSGSIZE && a.next_size > sizeof(struct buildidx_rec_bpf),
	   "read: too little room: EMSGSIZE");
	n = read(first.fd, buf, a.next_size - 1);
	ok(n < 0 && errno == EMSGSIZE, "read: one byte too little: EMSGSIZE");
	n = read(first.fd, buf, a.next_size);
	ok(n == (ssize_t)a.next_size && !rec_check((void *)buf) &&
	   ((struct buildidx_rec *)buf)->type == BUILDIDX_REC_BPF_LOAD &&
	   ((struct buildidx_rec *)buf)->seq == a.seq, "read: the record, with the number that was told");
	n = read(first.fd, NULL, 0);
	ok(n <= 0, "read: of no bytes");

	/* Readers do not disturb each other, and one may start at the oldest. */
	seq = a.seq;
	stream_open(&second, TYPE(BPF_LOAD), true);
	while ((r = stream_next(&second, 0)) && r->seq < seq)
		;
	ok(r && r->seq == seq && r->type == BUILDIDX_REC_BPF_LOAD,
	   "another reader, from the oldest, comes to the same record");
	close(fd);
	close(load_one("krec_second"));
	ok((r = stream_next(&second, 1000)) && (r = stream_next(&first, 1000)),
	   "both get the next one");
	is_errno(-stream_ask(first.fd, BUILDIDX_STREAM_OLDEST, 0, NULL), 0, "STREAM: back to the oldest");
	n = 0;
	while ((r = stream_next(&first, 0)))
		n += r->seq == seq;
	ok(n == 1, "the same record comes again");
	first.next = 0;
	close(load_one("krec_third"));
	is_errno(-stream_ask(second.fd, BUILDIDX_STREAM_NEXT, 0, NULL), 0, "STREAM: on to the end");
	ok(!stream_next(&second, 0), "nothing is left then");
	stream_close(&second);

	/* A read that waits. */
	while (stream_next(&first, 0))
		;
	if (fcntl(first.fd, F_SETFL, 0))
		bail("fcntl: %s", strerror(errno));
	if (pthread_create(&thread, NULL, load_later, "krec_later"))
		bail("cannot start a thread");
	n = read(first.fd, buf, sizeof(buf));
	ok(n > 0 && !rec_check((void *)buf), "read: waits for a record");
	pthread_join(thread, NULL);
	sigaction(SIGUSR1, &act, NULL);
	if (pthread_create(&thread, NULL, signal_later, &self))
		bail("cannot start a thread");
	n = read(first.fd, buf, sizeof(buf));
	ok(n < 0 && errno == EINTR, "read: a signal ends the wait");
	pthread_join(thread, NULL);
	n = pread(first.fd, buf, sizeof(buf), 4096);
	ok(n < 0 && errno == ESPIPE, "pread: there is no place to read at: ESPIPE");
	n = write(dev, buf, 16);
	ok(n < 0, "write: nothing can be written");
	stream_close(&first);
}

/* --- who may see what --- */

/* Bits of what a process may do; the exit status of a child that tries. */
#define MAY_RECORD	1
#define MAY_DUMP	2
#define MAY_STREAM	4
#define MAY_READ	8
#define MAY_ADOPT	16
#define SEES_ADDRESS	32
#define SEES_IMAGE	64
#define MAY_ASK_ADDRESS	128
#define MAY_ALL		(MAY_RECORD | MAY_DUMP | MAY_STREAM | MAY_READ | MAY_ADOPT)
#define SEES_ALL	(SEES_ADDRESS | SEES_IMAGE | MAY_ASK_ADDRESS)

static unsigned int sees(const struct buildidx_rec_bpf *b)
{
	unsigned int seen = 0, i;

	if (b->flags & BUILDIDX_REC_NO_ADDRESS) {
		for (i = 0; i < rec_funcs(b); i++)
			if (rec_func(b, i)->addr)
				return ~0U; /* said not to be there, but is */
	} else {
		seen |= rec_func(b, 0)->addr ? SEES_ADDRESS : ~0U;
	}
	if (b->image.len)
		seen |= b->flags & BUILDIDX_BPF_NO_IMAGE ? ~0U : SEES_IMAGE;
	else
		seen |= b->flags & BUILDIDX_BPF_NO_IMAGE ? 0 : ~0U;
	return seen;
}

static int try_all(int reader)
{
	struct buildidx_adopt a = { .size = sizeof(a), .fd = prog };
	struct buildidx_rec *r;
	static char buf[1 << 16];
	unsigned int may = 0;
	ssize_t n;

	if (!rec_by_prog(dev, truth.info.id, &r)) {
		may |= MAY_RECORD | sees((void *)r);
		free(r);
	}
	if (rec_dump(dev, 0, 0, nothing, NULL) >= 0)
		may |= MAY_DUMP;
	if (!stream_ask(reader, BUILDIDX_STREAM_OLDEST, TYPE(BPF_LOAD), NULL))
		may |= MAY_STREAM;
	n = read(reader, buf, sizeof(buf));
	if (n > 0) {
		may |= MAY_READ;
		if (may & MAY_RECORD && sees((void *)buf) != (may & (SEES_ADDRESS | SEES_IMAGE)))
			return 255; /* the stream and the lookup do not agree */
	} else if (errno != EPERM) {
		return 254;
	}
	if (!ioctl(dev, BUILDIDX_IOC_ADOPT, &a))
		may |= MAY_ADOPT;
	else if (errno != EPERM)
		return 253;
	if (!rec_by_address(dev, truth.addr[0], 0, &r))
		may |= MAY_ASK_ADDRESS;
	/* what it is told of a kernel address */
	{
		struct buildidx_frame f;
		int err = dev_addr64(dev, 0, truth.addr[0], &f);

		if (err || (f.status == BUILDIDX_STATUS_OK) != !!(may & MAY_ASK_ADDRESS) ||
		    (f.status != BUILDIDX_STATUS_OK && f.status != BUILDIDX_STATUS_KERNEL))
			return 252;
	}
	return may;
}

static void who_may(uid_t uid, uint64_t caps, unsigned int want, const char *what)
{
	struct stream reader;
	int status;
	pid_t pid;

	stream_open(&reader, TYPE(BPF_LOAD), true);
	pid = fork();
	if (pid < 0)
		bail("fork: %s", strerror(errno));
	if (!pid) {
		if (caps != ~0ULL && become(uid, caps))
			_exit(251);
		_exit(try_all(reader.fd));
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		bail("a child that asks ended with status %#x", status);
	if (!ok(WEXITSTATUS(status) == (int)want, "who may: %s", what))
		diag("may do %#x, wanted %#x", WEXITSTATUS(status), want);
	stream_close(&reader);
}

static void set_sysctl(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		bail("%s: %s", path, strerror(errno));
	close(fd);
	/* what the module knows of bpf_jit_harden may be a tenth of a second old */
	sleep_ms(200);
}

#define KPTR	"/proc/sys/kernel/kptr_restrict"
#define HARDEN	"/proc/sys/net/core/bpf_jit_harden"

static void permissions(void)
{
	const uint64_t perfmon = CAP(CAP_PERFMON), bpf = CAP(CAP_BPF), syslog = CAP(CAP_SYSLOG);

	set_sysctl(KPTR, "0");
	set_sysctl(HARDEN, "0");
	who_may(0, ~0ULL, MAY_ALL | SEES_ALL, "root");
	who_may(0, 0, 0, "root without capabilities: nothing");
	who_may(1234, 0, 0, "a user: nothing");
	who_may(1234, bpf, 0, "a user with CAP_BPF: nothing");
	who_may(1234, perfmon, MAY_ALL, "a user with CAP_PERFMON: all but code and addresses");
	who_may(1234, perfmon | bpf, MAY_ALL | SEES_ALL, "a user with CAP_PERFMON and CAP_BPF: all");
	who_may(1234, CAP(CAP_SYS_ADMIN) | syslog, MAY_ALL | SEES_ALL,
		"a user with CAP_SYS_ADMIN and CAP_SYSLOG: all");
	set_sysctl(KPTR, "1");
	who_may(0, ~0ULL, MAY_ALL | SEES_ALL, "root, kptr_restrict 1");
	who_may(1234, perfmon | bpf, MAY_ALL, "CAP_PERFMON and CAP_BPF, kptr_restrict 1: no addresses");
	who_may(1234, perfmon | bpf | syslog, MAY_ALL | SEES_ALL,
		"CAP_PERFMON, CAP_BPF and CAP_SYSLOG, kptr_restrict 1: all");
	set_sysctl(KPTR, "2");
	who_may(0, ~0ULL, MAY_ALL, "root, kptr_restrict 2: no addresses");
	set_sysctl(KPTR, "0");
	set_sysctl(HARDEN, "2");
	who_may(0, ~0ULL, MAY_ALL, "root, bpf_jit_harden 2: neither code nor addresses");
	set_sysctl(HARDEN, "0");
	who_may(0, ~0ULL, MAY_ALL | SEES_ALL, "root, as before");
}

/* --- M7 --- */

static bool first_page_resident(const char *path)
{
	unsigned char resident = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED || mincore(at, PAGE, &resident))
		bail("mincore of %s: %s", path, strerror(errno));
	munmap(at, PAGE);
	close(fd);
	return resident & 1;
}

static bool make_cold(const char *path)
{
	int tries;

	for (tries = 0; tries < 20; tries++) {
		drop_caches(3);
		if (!first_page_resident(path))
			return true;
		sleep_ms(50);
	}
	return false;
}

/* The next MAP record of a file whose path ends so; valid until the next one is read. */
static const struct buildidx_rec_map *await_map(struct stream *s, const char *name)
{
	const struct buildidx_rec *r;

	while ((r = stream_next(s, 5000))) {
		const struct buildidx_rec_map *m = (const void *)r;
		const char *path;

		if (r->type != BUILDIDX_REC_MAP)
			continue;
		path = (const char *)r + m->strings.off + m->path;
		if (strlen(path) >= strlen(name) && !strcmp(path + strlen(path) - strlen(name), name))
			return m;
	}
	return NULL;
}

static void cold_map(void)
{
	const size_t far = 2 << 20;
	const char *path = "/scratch/m7.elf";
	struct minielf m = { .gnu_len = ID_LEN, .text_off = far };
	const struct buildidx_rec_map *r;
	struct stream s;
	uint8_t id[ID_LEN];
	bool cold;
	char *at;
	int fd;

	unique_id(id);
	m.gnu = id;
	minielf_create(path, &m);
	sync();
	sleep_ms(20);
	cold = make_cold(path);
	stream_open(&s, TYPE(MAP) | TYPE(OBJECT), false);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	at = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, far);
	if (at == MAP_FAILED)
		bail("mmap of %s: %s", path, strerror(errno));
	r = await_map(&s, "/m7.elf");
	if (!ok(cold && r && r->obj.status == BUILDIDX_STATUS_OK && r->obj.id_len == ID_LEN &&
		!memcmp(r->obj.id, id, ID_LEN), "M7: the note was cold, the MAP record has the ID"))
		diag("cold %d, %s", cold, r ? show_object(0, &r->obj) : "no record");
	if (!ok(r && r->addr == (uintptr_t)at && r->len == PAGE && r->offset == far &&
		r->pid == (uint32_t)getpid() && r->tid == r->pid && !r->uid &&
		!strcmp((const char *)r->comm, "t_krec") &&
		!strcmp((const char *)r + r->strings.off + r->path, path),
		"M7: where, who, and the path"))
		diag("addr %#llx len %#llx offset %#llx pid %u comm %.15s path %s",
		     r ? (unsigned long long)r->addr : 0, r ? (unsigned long long)r->len : 0,
		     r ? (unsigned long long)r->offset : 0, r ? r->pid : 0,
		     r ? (const char *)r->comm : "",
		     r ? (const char *)r + r->strings.off + r->path : "");
	munmap(at, PAGE);
	close(fd);
	stream_close(&s);
	unlink(path);
}

/* By the dynamic linker of another process. */
static void cold_dlopen(void)
{
	const char *path = "/scratch/m7.so";
	const struct buildidx_rec_map *r;
	struct buildidx_object o;
	struct stream s;
	int fd, err;
	pid_t pid;

	copy_file(program_file("m7.so"), path);
	sync();
	if (!ok(make_cold(path), "M7: the library is cold"))
		return;
	stream_open(&s, TYPE(MAP), false);
	pid = fork();
	if (!pid) {
		execl(program_file("m7"), "m7", path, NULL);
		_exit(127);
	}
	reap(pid, "the program that calls dlopen");
	r = await_map(&s, "/m7.so");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	err = dev_fd(dev, fd, &o);
	close(fd);
	if (!ok(r && !err && r->obj.status == BUILDIDX_STATUS_OK && r->pid == (uint32_t)pid &&
		r->obj.id_len && r->obj.id_len == o.id_len && !memcmp(r->obj.id, o.id, o.id_len) &&
		!strcmp((const char *)r->comm, "m7"),
		"M7: dlopen after drop_caches: the MAP record has the ID"))
		diag("record: %s; file: %s", r ? show_object(0, &r->obj) : "none", show_object(err, &o));
	if (!ok(!s.bad && !s.lost, "M7: the stream is whole"))
		diag("%s", s.first_bad);
	stream_close(&s);
	unlink(path);
}

/* --- a locked kernel: for good --- */

static int lockdown(void)
{
	static const char level[] = "/sys/kernel/security/lockdown";

	mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	set_sysctl(KPTR, "0");
	who_may(0, ~0ULL, MAY_ALL | SEES_ALL, "root, kernel not locked");
	if (access(level, W_OK)) {
		skip("a locked kernel", "this kernel has no lockdown");
		return tap_end();
	}
	set_sysctl(level, "confidentiality");
	/* addresses are no secret of lockdown's, the text is */
	who_may(0, ~0ULL, MAY_ALL | SEES_ADDRESS | MAY_ASK_ADDRESS, "root, kernel locked: no code");
	return tap_end();
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	log_mark();
	gen_init();
	dev = dev_open();
	prog = load_one("krec_known");
	if (truth_ask(&truth, prog, -1))
		bail("asking about the program: %s", strerror(errno));
	if (argc > 1 && !strcmp(argv[1], "lockdown"))
		return lockdown();
	record_arguments();
	dump_arguments();
	adopt_arguments();
	stream_arguments();
	permissions();
	cold_map();
	cold_dlopen();
	close(prog);
	ok(!log_complains(), "the kernel log is clean");
	return tap_end();
}
