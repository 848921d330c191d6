// SPDX-License-Identifier: GPL-2.0
/*
 * devfuzz [SEED [CALLS]]: random calls against /dev/buildidx, a fixed number of them.
 * While they run, a second thread maps, changes and unmaps files. Afterwards the
 * device must answer as before, its counters must add up and the kernel log must be
 * clean.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../cases/dev.h"
#include "../cases/minielf.h"
#include "../cases/modctl.h"
#include "../cases/tap.h"
#include "../cases/watch.h"
#include "../bpfrec/gen.h"
#include "rng.h"
#include "victims.h"

#define DEFAULT_CALLS	30000
#define ID_LEN		20
#define KNOWN		"/run/devfuzz.known"

#define MAX_OBJECTS	256
#define ROOM		(64U << 10)

static int dev;
static volatile bool stop;
static struct buildidx_object objects[MAX_OBJECTS];
static unsigned char room[ROOM]; /* for records */
static int progs[2];

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
	unsigned char bytes[VICTIM_PAGE];
};

static const struct {
	unsigned long cmd;
	size_t size;
} commands[] = {
	{ BUILDIDX_IOC_INFO, sizeof(struct buildidx_info) },
	{ BUILDIDX_IOC_QUERY_FD, sizeof(struct buildidx_query_fd) },
	{ BUILDIDX_IOC_QUERY_ADDR, sizeof(struct buildidx_query_addr) },
	{ BUILDIDX_IOC_QUERY_EXE, sizeof(struct buildidx_query_exe) },
	{ BUILDIDX_IOC_OBJECT, sizeof(struct buildidx_query_object) },
	{ BUILDIDX_IOC_DUMP, sizeof(struct buildidx_dump) },
	{ BUILDIDX_IOC_STATS, sizeof(struct buildidx_stats) },
	{ BUILDIDX_IOC_RECORD, sizeof(struct buildidx_query_record) },
	{ BUILDIDX_IOC_RECORDS, sizeof(struct buildidx_dump_records) },
	{ BUILDIDX_IOC_ADOPT, sizeof(struct buildidx_adopt) },
	{ BUILDIDX_IOC_STREAM, sizeof(struct buildidx_stream) },
};
#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

/* What came back, for the person who reads the log. */
static struct {
	unsigned int success;
	unsigned int refused;
	unsigned int unexpected;
	int unexpected_errno;
	unsigned long unexpected_cmd;
} seen;

/* Where records are to go, mostly to where they may. */
static __u64 records_to(struct rng *r, __u32 *size)
{
	int usable;

	*size = rng_one_in(r, 3) ? rng_odd_number(r) : rng_below(r, ROOM + 1);
	return rng_one_in(r, 3) ? (uintptr_t)victim_buffer(r, 256, &usable) : (uintptr_t)room;
}

/* A call that makes sense but for one or two members. */
static void sensible(struct rng *r, unsigned int n, union argument *a)
{
	int usable;

	memset(a, 0, sizeof(*a));
	a->size = commands[n].size;
	switch (commands[n].cmd) {
	case BUILDIDX_IOC_QUERY_FD:
		a->fd.fd = victim_fd(r);
		break;
	case BUILDIDX_IOC_QUERY_ADDR:
		a->addr.pid = victim_pid(r);
		a->addr.address = victim_address(r);
		break;
	case BUILDIDX_IOC_QUERY_EXE:
		a->exe.pid = victim_pid(r);
		break;
	case BUILDIDX_IOC_OBJECT:
		a->object.object = rng_one_in(r, 2) ? rng_below(r, 4096) : rng_odd_number(r);
		break;
	case BUILDIDX_IOC_DUMP:
		a->dump.cursor = rng_one_in(r, 2) ? 0 : rng_odd_number(r);
		a->dump.buf = rng_one_in(r, 3) ? (uintptr_t)victim_buffer(r, 256, &usable) :
						 (uintptr_t)objects;
		a->dump.count = rng_one_in(r, 3) ? rng_odd_number(r) : rng_below(r, MAX_OBJECTS + 1);
		a->dump.obj_size = rng_one_in(r, 3) ? rng_odd_number(r) : sizeof(objects[0]);
		break;
	case BUILDIDX_IOC_STATS:
		a->stats.cpu = rng_below(r, 4) - 1;
		break;
	case BUILDIDX_IOC_RECORD:
		a->record.by = rng_below(r, 6);
		a->record.flags = rng_below(r, 4);
		a->record.id = rng_below(r, 256);
		a->record.object = rng_below(r, 4096);
		a->record.address = rng_one_in(r, 2) ? victim_address(r) :
				    0xffffffff80000000ULL + rng_below(r, 1U << 31);
		a->record.time = rng_one_in(r, 2) ? 0 : rng_odd_number(r);
		a->record.id_len = rng_below(r, BUILDIDX_ID_MAX + 2);
		rng_fill(r, a->record.build_id, a->record.id_len % (BUILDIDX_ID_MAX + 1));
		a->record.buf = records_to(r, &a->record.buf_size);
		break;
	case BUILDIDX_IOC_RECORDS:
		a->records.flags = rng_below(r, 4);
		a->records.types = rng_one_in(r, 2) ? 0 : rng_below(r, 512);
		a->records.cursor = rng_one_in(r, 2) ? rng_below(r, 4096) : rng_odd_number(r);
		a->records.buf = records_to(r, &a->records.buf_size);
		break;
	case BUILDIDX_IOC_ADOPT:
		a->adopt.fd = rng_one_in(r, 2) ? progs[rng_below(r, 2)] : victim_fd(r);
		break;
	case BUILDIDX_IOC_STREAM:
		a->stream.flags = rng_below(r, 3);
		a->stream.types = rng_one_in(r, 2) ? 0 : rng_below(r, 512);
		break;
	}
	if (rng_one_in(r, 4))
		a->size = rng_odd_number(r);
	if (rng_one_in(r, 8))
		a->flags = rng_odd_number(r);
	if (rng_one_in(r, 4))
		a->bytes[rng_below(r, commands[n].size)] ^= 1 << rng_below(r, 8);
}

static bool errno_is_documented(int err)
{
	switch (err) {
	case ENOTTY:
	case EINVAL:
	case E2BIG:
	case EFAULT:
	case EPERM:
	case EOPNOTSUPP:
	case EBADF:
	case ESRCH:
	case ENOENT:
	case ENOSPC:
	case EINTR:
		return true;
	}
	return false;
}

/* Some write where they are told to: that must not be the program's own memory. */
static bool harmless(const union argument *a, unsigned long cmd)
{
	switch (_IOC_NR(cmd)) {
	case _IOC_NR(BUILDIDX_IOC_DUMP):
		return victim_bears_writing(a->dump.buf) ||
		       (a->dump.buf == (uintptr_t)objects && a->dump.count <= MAX_OBJECTS &&
			a->dump.obj_size <= sizeof(objects[0]));
	case _IOC_NR(BUILDIDX_IOC_RECORD):
		return victim_bears_writing(a->record.buf) ||
		       (a->record.buf == (uintptr_t)room && a->record.buf_size <= ROOM);
	case _IOC_NR(BUILDIDX_IOC_RECORDS):
		return victim_bears_writing(a->records.buf) ||
		       (a->records.buf == (uintptr_t)room && a->records.buf_size <= ROOM);
	}
	return true;
}

static __u64 in_kernel(__u64 any)
{
	return 0xffff888000000000ULL + any % (1ULL << 40);
}

static void one_ioctl(struct rng *r)
{
	unsigned int n = rng_below(r, NR_COMMANDS);
	unsigned long cmd = commands[n].cmd;
	union argument a;
	int usable, err;
	void *at;

	if (rng_one_in(r, 3)) {
		rng_fill(r, &a, sizeof(a));
		if (rng_one_in(r, 2))
			a.size = commands[n].size;
		/* A random address to write to would hit the program itself. */
		if (cmd == BUILDIDX_IOC_DUMP)
			a.dump.buf = in_kernel(a.dump.buf);
		if (cmd == BUILDIDX_IOC_RECORD)
			a.record.buf = in_kernel(a.record.buf);
		if (cmd == BUILDIDX_IOC_RECORDS)
			a.records.buf = in_kernel(a.records.buf);
	} else {
		sensible(r, n, &a);
	}
	if (rng_one_in(r, 6))
		cmd = _IOC(rng_below(r, 4), _IOC_TYPE(cmd), _IOC_NR(cmd), rng_below(r, 1 << 14));
	if (rng_one_in(r, 12))
		cmd = rng_odd_number(r);
	if (!harmless(&a, cmd))
		return;
	at = victim_buffer(r, commands[n].size, &usable);
	if (usable)
		memcpy(at, &a, commands[n].size);
	else if (rng_one_in(r, 2))
		at = &a;
	err = ioctl(dev, cmd, at) < 0 ? errno : 0;
	if (!err) {
		seen.success++;
	} else if (errno_is_documented(err)) {
		seen.refused++;
	} else {
		seen.unexpected++;
		seen.unexpected_errno = err;
		seen.unexpected_cmd = cmd;
	}
}

/* Everything that is not an ioctl: refused or harmless. */
static void one_other(struct rng *r)
{
	static char buf[8192];
	struct iovec iov = { .iov_base = buf, .iov_len = sizeof(buf) };
	struct pollfd p = { .fd = dev, .events = POLLIN | POLLOUT };
	void *at;
	int fd;

	switch (rng_below(r, 8)) {
	case 0:
		/* the stream; the device is not to be waited for here */
		if (read(dev, buf, rng_below(r, sizeof(buf))) == 0)
			seen.unexpected++;
		break;
	case 1:
		if (write(dev, buf, sizeof(buf)) > 0)
			seen.unexpected++;
		break;
	case 2:
		lseek(dev, rng_odd_number(r), rng_below(r, 5));
		break;
	case 3:
		at = mmap(NULL, VICTIM_PAGE, PROT_READ, MAP_SHARED, dev, 0);
		if (at != MAP_FAILED) {
			seen.unexpected++;
			munmap(at, VICTIM_PAGE);
		}
		break;
	case 4:
		poll(&p, 1, 0);
		break;
	case 5:
		if (preadv(dev, &iov, 1, rng_odd_number(r)) > 0)
			seen.unexpected++;
		break;
	case 6:
		fd = open(BUILDIDX_DEVICE, (rng_below(r, 3)) | O_CLOEXEC);
		if (fd >= 0)
			close(fd);
		break;
	case 7:
		fallocate(dev, 0, 0, rng_below(r, 4096));
		break;
	}
}

/* Keeps the index busy meanwhile: new files, changed files, files that go away. */
static void *churn(void *unused)
{
	char path[64];
	uint8_t id[ID_LEN];
	unsigned int i;

	for (i = 0; !stop; i++) {
		void *at;
		int fd;

		snprintf(path, sizeof(path), "/run/devfuzz.churn%u", i % 16);
		unique_id(id);
		minielf_simple(path, id);
		at = map_exec_path(path);
		fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd >= 0 && pwrite(fd, id, ID_LEN, MINIELF_ID_OFF) != ID_LEN)
			bail("writing %s: %s", path, strerror(errno));
		close(fd);
		unmap_page(at);
		if (i % 3 == 0)
			unlink(path);
		if (i % 4 == 0) {
			struct gen g = { .name = "devfuzzed", .file = "devfuzz", .line = i % 1000,
					 .funcs = 1 + i % 3 };

			close(gen_load(&g, NULL));
		}
	}
	for (i = 0; i < 16; i++) {
		snprintf(path, sizeof(path), "/run/devfuzz.churn%u", i);
		unlink(path);
	}
	return unused;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned long calls = argc > 2 ? strtoul(argv[2], NULL, 0) : DEFAULT_CALLS, i;
	struct buildidx_object o, exe, exe_after;
	struct rng r = { .state = seed };
	struct buildidx_info info;
	struct buildidx_frame f;
	struct buildidx_stats s;
	uint8_t id[ID_LEN];
	pthread_t thread;
	int err, fd;
	void *at;

	setvbuf(stdout, NULL, _IOLBF, 0);
	log_mark();
	dev = dev_open();
	unique_id(id);
	minielf_simple(KNOWN, id);
	sleep_ms(20);
	if (fcntl(dev, F_SETFL, O_NONBLOCK))
		bail("fcntl: %s", strerror(errno));
	at = map_exec_path(KNOWN);
	fd = open(KNOWN, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || dev_exe(dev, 0, &exe))
		bail("before the calls: QUERY_EXE does not work");
	victims_prepare(dev);
	gen_init();
	for (i = 0; i < 2; i++) {
		struct gen g = { .name = "devfuzz", .file = "devfuzz", .funcs = 1 + i };

		progs[i] = gen_load(&g, NULL);
		if (progs[i] < 0)
			bail("loading a BPF program: %s", strerror(-progs[i]));
	}
	if (pthread_create(&thread, NULL, churn, NULL))
		bail("cannot start a thread");
	for (i = 0; i < calls; i++) {
		if (rng_one_in(&r, 12))
			one_other(&r);
		else
			one_ioctl(&r);
	}
	stop = true;
	pthread_join(thread, NULL);

	diag("seed %llu, %lu calls: %u worked, %u refused", (unsigned long long)seed, calls,
	     seen.success, seen.refused);
	/* Else the calls did not get past the first check. */
	ok(seen.success > calls / 50 && seen.refused > calls / 50,
	   "calls of both kinds were made: %u worked, %u were refused", seen.success, seen.refused);
	if (!ok(!seen.unexpected, "each call was refused with a documented errno or worked"))
		diag("%u were not, last: command %#lx errno %d (%s)", seen.unexpected,
		     seen.unexpected_cmd, seen.unexpected_errno, strerror(seen.unexpected_errno));
	err = dev_addr(dev, 0, at, &f);
	if (!ok(frame_is(err, &f, id, ID_LEN) && f.offset == 0, "a known address has its ID"))
		diag("wanted %s, got %s", hex(id, ID_LEN), show_frame(err, &f));
	err = dev_fd(dev, fd, &o);
	if (!ok(object_is(err, &o, id, ID_LEN), "a known descriptor has its ID"))
		diag("wanted %s, got %s", hex(id, ID_LEN), show_object(err, &o));
	err = dev_exe(dev, 0, &exe_after);
	if (!ok(!err && exe.object == exe_after.object && exe.id_len == exe_after.id_len &&
		!memcmp(exe.id, exe_after.id, sizeof(exe.id)), "the own executable is what it was"))
		diag("%s", show_object(err, &exe_after));
	err = dev_info(dev, &info);
	ok(!err && info.hooks_on && info.entries && info.entries < info.max_entries,
	   "INFO: hooks on, %llu entries", (unsigned long long)info.entries);
	if (!ok(dev_settled(dev, &s), "captured = indexed + refused + failed + dropped"))
		diag("%llu, %llu + %llu + %llu + %llu", (unsigned long long)s.counter[0],
		     (unsigned long long)s.counter[1], (unsigned long long)s.counter[2],
		     (unsigned long long)s.counter[3], (unsigned long long)s.counter[4]);
	ok(!log_complains(), "the kernel log is clean");
	return tap_end();
}
