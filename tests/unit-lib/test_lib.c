// SPDX-License-Identifier: GPL-2.0
/*
 * test_lib - libbuildidx against a device that the test plays
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "internal.h"
#include "mockdev.h"
#include "utf8.h"

struct fixture {
	struct mockdev dev;
	struct buildidx bx;
	struct buildidx_error err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	mockdev_init(&f->dev);
	f->bx.fd = -1;
	f->bx.ioctl = mockdev_ioctl;
	f->bx.ctx = &f->dev;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void fail_with(struct fixture *f, unsigned long cmd, int error)
{
	f->dev.fail_cmd = cmd;
	f->dev.fail_error = error;
	memset(&f->err, 0, sizeof(f->err));
}

static void assert_says(const struct fixture *f, const char *part)
{
	if (!strstr(f->err.text, part))
		fail_msg("'%s' not in '%s'", part, f->err.text);
	assert_null(strchr(f->err.text, '\n'));
}

static void assert_says_not(const struct fixture *f, const char *part)
{
	if (strstr(f->err.text, part))
		fail_msg("'%s' in '%s'", part, f->err.text);
}

/* The device */

static void test_info(void **state)
{
	struct fixture *f = *state;
	struct buildidx_info info;

	assert_int_equal(buildidx_get_info(&f->bx, &info, &f->err), 0);
	assert_int_equal(info.abi_version, BUILDIDX_ABI_VERSION);
	assert_int_equal(info.nr_hooks, 3);
	assert_string_equal(info.hooks[1].symbol, "__destroy_inode");
	assert_int_equal(bidx_check_abi(&f->bx, &f->err), 0);
}

static void test_info_is_bounded(void **state)
{
	struct fixture *f = *state;
	struct buildidx_info info;

	f->dev.info.nr_hooks = 4000000000u;
	memset(f->dev.info.version, 'x', sizeof(f->dev.info.version));
	memset(f->dev.info.hooks, 'x', sizeof(f->dev.info.hooks));
	assert_int_equal(buildidx_get_info(&f->bx, &info, NULL), 0);
	assert_int_equal(info.nr_hooks, BUILDIDX_HOOK_MAX);
	assert_int_equal(strlen(info.version), sizeof(info.version) - 1);
	assert_int_equal(strlen(info.hooks[7].name), sizeof(info.hooks[7].name) - 1);
	assert_int_equal(strlen(info.hooks[7].symbol), sizeof(info.hooks[7].symbol) - 1);
}

static void test_other_abi(void **state)
{
	struct fixture *f = *state;

	f->dev.info.abi_version = 2;
	assert_int_equal(bidx_check_abi(&f->bx, &f->err), -EPROTO);
	assert_says(f, "ABI 2");
	assert_says(f, "ABI 1");
}

static void test_not_our_device(void **state)
{
	struct fixture *f = *state;
	struct buildidx_info info;

	fail_with(f, BUILDIDX_IOC_INFO, -ENOTTY);
	assert_int_equal(buildidx_get_info(&f->bx, &info, &f->err), -ENOTTY);
	assert_says(f, "/dev/buildidx");
	fail_with(f, BUILDIDX_IOC_INFO, -E2BIG);
	assert_int_equal(buildidx_get_info(&f->bx, &info, &f->err), -E2BIG);
	assert_says(f, "older");
	/* Without a place for the text. */
	assert_int_equal(buildidx_get_info(&f->bx, &info, NULL), -E2BIG);
}

static void test_open_flags(void **state)
{
	struct fixture *f = *state;
	struct buildidx *bx = NULL;

	assert_int_equal(buildidx_open(&bx, 1U << 7, &f->err), -EINVAL);
	assert_null(bx);
	buildidx_close(NULL);
}

static void test_fd(void **state)
{
	struct fixture *f = *state;
	struct buildidx_object a, b;
	int fd = open("/proc/self/exe", O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(buildidx_get_fd(&f->bx, fd, &a, &f->err), 0);
	assert_int_equal(buildidx_parse_fd(fd, &b, &f->err), 0);
	assert_int_equal(a.object, 7);
	a.object = 0;
	assert_memory_equal(&a, &b, sizeof(a));
	close(fd);
}

static void test_fd_errors(void **state)
{
	static const struct {
		int error;
		const char *text;
	} cases[] = {
		{ -EBADF, "not open for reading" },
		{ -EINVAL, "not a regular file" },
		{ -EOPNOTSUPP, "never indexed" },
		{ -EINTR, "Interrupted" },
	};
	struct fixture *f = *state;
	struct buildidx_object obj, untouched;
	size_t i;

	memset(&obj, 0x5a, sizeof(obj));
	untouched = obj;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fail_with(f, BUILDIDX_IOC_QUERY_FD, cases[i].error);
		assert_int_equal(buildidx_get_fd(&f->bx, 0, &obj, &f->err), cases[i].error);
		assert_says(f, cases[i].text);
		assert_memory_equal(&obj, &untouched, sizeof(obj));
	}
}

static void test_addr(void **state)
{
	struct fixture *f = *state;
	struct buildidx_frame frame;
	unsigned int i;

	for (i = 0; i < BUILDIDX_STATUS_COUNT; i++) {
		assert_int_equal(buildidx_get_addr(&f->bx, 1, i << 12 | 5, &frame, NULL), 0);
		assert_int_equal(frame.status, i);
		assert_int_equal(frame.ip, i << 12 | 5);
	}
	assert_int_equal(buildidx_get_addr(&f->bx, 0, (uintptr_t)test_addr, &frame, NULL), 0);
	assert_int_equal(frame.status, BUILDIDX_STATUS_OK);
	assert_int_not_equal(frame.kind, BUILDIDX_KIND_NONE);
}

static void test_pid_errors(void **state)
{
	struct fixture *f = *state;
	struct buildidx_frame frame;
	struct buildidx_object obj;

	fail_with(f, BUILDIDX_IOC_QUERY_ADDR, -EPERM);
	assert_int_equal(buildidx_get_addr(&f->bx, 4711, 0, &frame, &f->err), -EPERM);
	assert_says(f, "pid 4711");
	assert_says(f, "CAP_SYS_PTRACE or CAP_PERFMON");
	fail_with(f, BUILDIDX_IOC_QUERY_EXE, -EPERM);
	assert_int_equal(buildidx_get_exe(&f->bx, 4711, &obj, &f->err), -EPERM);
	assert_says(f, "CAP_SYS_PTRACE or CAP_PERFMON");
	fail_with(f, BUILDIDX_IOC_QUERY_ADDR, -ESRCH);
	assert_int_equal(buildidx_get_addr(&f->bx, 4711, 0, &frame, &f->err), -ESRCH);
	assert_says(f, "pid 4711: no such process");
	assert_says_not(f, "executable");
	fail_with(f, BUILDIDX_IOC_QUERY_EXE, -ESRCH);
	assert_int_equal(buildidx_get_exe(&f->bx, 4711, &obj, &f->err), -ESRCH);
	assert_says(f, "executable");
	fail_with(f, BUILDIDX_IOC_QUERY_EXE, -EOPNOTSUPP);
	assert_int_equal(buildidx_get_exe(&f->bx, 4711, &obj, &f->err), -EOPNOTSUPP);
	assert_says(f, "pid 4711: its executable is on a file system that is never indexed");
}

static void test_object(void **state)
{
	struct fixture *f = *state;
	struct buildidx_object obj;

	assert_int_equal(buildidx_get_object(&f->bx, MOCKDEV_GO_OBJECT, &obj, &f->err), 0);
	assert_int_equal(obj.id_len, MOCKDEV_GO_LEN);
	assert_int_equal(buildidx_get_object(&f->bx, 5000, &obj, &f->err), -ENOENT);
	assert_says(f, "object 5000");
	fail_with(f, BUILDIDX_IOC_OBJECT, -EPERM);
	assert_int_equal(buildidx_get_object(&f->bx, 1, &obj, &f->err), -EPERM);
	assert_says(f, "CAP_PERFMON or CAP_SYS_ADMIN");
}

static void test_stats(void **state)
{
	struct fixture *f = *state;
	struct buildidx_stats stats;

	assert_int_equal(buildidx_get_stats(&f->bx, -1, &stats, &f->err), 0);
	assert_int_equal(stats.nr_status, BUILDIDX_STATUS_COUNT);
	assert_int_equal(stats.counter[BUILDIDX_CNT_RETRY], 100 * BUILDIDX_CNT_RETRY);
	assert_int_equal(buildidx_get_stats(&f->bx, 9, &stats, &f->err), -EINVAL);
	assert_says(f, "cpu 9");
	fail_with(f, BUILDIDX_IOC_STATS, -EPERM);
	assert_int_equal(buildidx_get_stats(&f->bx, -1, &stats, &f->err), -EPERM);
	assert_says(f, "CAP_PERFMON or CAP_SYS_ADMIN");
}

/* Walks the whole dump; returns the number of entries or the error. */
static int walk(struct fixture *f)
{
	struct buildidx_object obj, want;
	struct buildidx_iter *it;
	int ret, n = 0;

	assert_int_equal(buildidx_iter_new(&f->bx, &it, &f->err), 0);
	while ((ret = buildidx_iter_next(it, &obj, &f->err)) > 0) {
		mockdev_object(&want, (uint64_t)(++n));
		assert_memory_equal(&obj, &want, sizeof(obj));
	}
	/* It stays over. */
	assert_int_equal(buildidx_iter_next(it, &obj, &f->err), 0);
	buildidx_iter_free(it);
	return ret < 0 ? ret : n;
}

static void test_dump(void **state)
{
	struct fixture *f = *state;
	static const uint64_t sizes[] = { 0, 1, 511, 512, 513, 1000, 5000 };
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		f->dev.objects = sizes[i];
		assert_int_equal(walk(f), sizes[i]);
	}
	buildidx_iter_free(NULL);
}

static void test_dump_grows(void **state)
{
	struct fixture *f = *state;

	f->dev.least_room = 4096;
	assert_int_equal(walk(f), 1000);
	f->dev.least_room = 65537;
	assert_int_equal(walk(f), -ENOSPC);
}

static void test_dump_of_a_broken_device(void **state)
{
	struct fixture *f = *state;

	f->dev.stuck = true;
	assert_int_equal(walk(f), -EPROTO);
	f->dev.stuck = false;
	f->dev.overfull = true;
	assert_int_equal(walk(f), -EPROTO);
	fail_with(f, BUILDIDX_IOC_DUMP, -EPERM);
	assert_int_equal(walk(f), -EPERM);
	assert_says(f, "CAP_PERFMON or CAP_SYS_ADMIN");
}

/* The parser on files */

static char *temp_file(const void *data, size_t len)
{
	char *name = strdup("/tmp/buildidx-test-XXXXXX");
	int fd;

	assert_non_null(name);
	fd = mkstemp(name);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
	return name;
}

static void test_parse(void **state)
{
	struct buildidx_object obj;
	struct stat st;

	(void)state;
	assert_int_equal(buildidx_parse_path("/proc/self/exe", &obj, NULL), 0);
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_int_equal(obj.status, BUILDIDX_STATUS_OK);
	assert_int_equal(obj.kind, BUILDIDX_KIND_GNU);
	assert_int_equal(obj.source, BUILDIDX_SOURCE_PHDR);
	assert_int_equal(obj.id_len, 20);
	assert_int_equal(obj.ino, st.st_ino);
	assert_int_equal(obj.dev_major, major(st.st_dev));
	assert_int_equal(obj.dev_minor, minor(st.st_dev));
	assert_int_equal(obj.file_size, st.st_size);
	assert_int_equal(obj.mtime_ns / 1000000000, st.st_mtim.tv_sec);
	assert_int_equal(obj.object, 0);
}

static void test_parse_text_file(void **state)
{
	/* printf 'hello\nhello\n\0\0\0\0\0\0\0\6' | sha256sum */
	static const char want[] = "4d9cbfd062dc96c836340b284e743e15";
	char *name = temp_file("hello\n", 6);
	struct buildidx_object obj;
	char hex[40];

	(void)state;
	assert_int_equal(buildidx_parse_path(name, &obj, NULL), 0);
	assert_int_equal(obj.status, BUILDIDX_STATUS_NO_NOTE);
	assert_int_equal(obj.kind, BUILDIDX_KIND_HASH);
	assert_int_equal(obj.source, BUILDIDX_SOURCE_CONTENT);
	assert_int_equal(obj.id_len, 16);
	buildidx_hex(obj.id, obj.id_len, hex, sizeof(hex));
	assert_string_equal(hex, want);
	unlink(name);
	free(name);
}

static void test_parse_keeps_position(void **state)
{
	struct buildidx_object obj;
	int fd = open("/proc/self/exe", O_RDONLY);

	(void)state;
	assert_int_equal(lseek(fd, 17, SEEK_SET), 17);
	assert_int_equal(buildidx_parse_fd(fd, &obj, NULL), 0);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 17);
	close(fd);
}

static void test_parse_refuses(void **state)
{
	struct fixture *f = *state;
	struct buildidx_object obj;
	char fifo[] = "/tmp/buildidx-fifo-XXXXXX";
	char *name = temp_file("x", 1);
	int fd;

	fd = open(name, O_WRONLY);
	assert_int_equal(buildidx_parse_fd(fd, &obj, &f->err), -EBADF);
	close(fd);
	fd = open(name, O_PATH);
	assert_int_equal(buildidx_parse_fd(fd, &obj, &f->err), -EBADF);
	close(fd);
	assert_int_equal(buildidx_parse_fd(fd, &obj, &f->err), -EBADF);
	unlink(name);
	free(name);

	fd = open("/tmp", O_RDONLY | O_DIRECTORY);
	assert_int_equal(buildidx_parse_fd(fd, &obj, &f->err), -EINVAL);
	assert_says(f, "not a regular file");
	close(fd);

	assert_int_equal(buildidx_parse_path("/tmp", &obj, &f->err), -EINVAL);
	assert_int_equal(buildidx_parse_path("/dev/null", &obj, &f->err), -EINVAL);
	assert_int_equal(buildidx_parse_path("/proc/self/status", &obj, &f->err), -EOPNOTSUPP);
	assert_int_equal(buildidx_parse_path("/tmp/no/such", &obj, &f->err), -ENOENT);
	assert_says(f, "No such file");

	/* A FIFO without a writer must not hang. */
	assert_non_null(mkdtemp(fifo));
	rmdir(fifo);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(buildidx_parse_path(fifo, &obj, &f->err), -EINVAL);
	unlink(fifo);
}

/* What the next reads of the parser meet; see -Wl,--wrap in the Makefile. */
static struct {
	void (*before)(int fd);
	int eintr;
	int error;
	size_t most;
} reads;

ssize_t __real_pread(int fd, void *buf, size_t len, off_t off);
ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t off);

ssize_t __wrap_pread(int fd, void *buf, size_t len, off_t off)
{
	if (reads.before)
		reads.before(fd);
	if (reads.eintr) {
		reads.eintr--;
		errno = EINTR;
		return -1;
	}
	if (reads.error) {
		errno = reads.error;
		return -1;
	}
	if (reads.most && len > reads.most)
		len = reads.most;
	return __real_pread(fd, buf, len, off);
}

static void resize(int fd, off_t change)
{
	char link[32];
	struct stat st;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(truncate(link, st.st_size + change), 0);
}

static void grow_always(int fd)
{
	resize(fd, 1);
}

static void shrink_once(int fd)
{
	reads.before = NULL;
	resize(fd, -5);
}

static void test_parse_of_awkward_reads(void **state)
{
	struct buildidx_object want, obj;

	(void)state;
	assert_int_equal(buildidx_parse_path("/proc/self/exe", &want, NULL), 0);
	reads.most = 7;
	reads.eintr = 3;
	assert_int_equal(buildidx_parse_path("/proc/self/exe", &obj, NULL), 0);
	memset(&reads, 0, sizeof(reads));
	assert_memory_equal(&obj, &want, sizeof(obj));
}

static void test_parse_of_a_bad_disk(void **state)
{
	struct fixture *f = *state;
	struct buildidx_object obj;

	reads.error = EIO;
	assert_int_equal(buildidx_parse_path("/proc/self/exe", &obj, &f->err), -EIO);
	memset(&reads, 0, sizeof(reads));
	assert_says(f, "cannot read");
}

static void test_parse_of_a_changing_file(void **state)
{
	struct fixture *f = *state;
	char *name = temp_file("hello\nworld", 11);
	char *same = temp_file("hello\n", 6);
	struct buildidx_object obj, want;

	/* It becomes another file while it is read: the answer is that of the other. */
	reads.before = shrink_once;
	assert_int_equal(buildidx_parse_path(name, &obj, &f->err), 0);
	assert_null(reads.before);
	assert_int_equal(buildidx_parse_path(same, &want, NULL), 0);
	assert_int_equal(obj.file_size, 6);
	assert_memory_equal(obj.id, want.id, sizeof(obj.id));

	reads.before = grow_always;
	assert_int_equal(buildidx_parse_path(name, &obj, &f->err), -EBUSY);
	memset(&reads, 0, sizeof(reads));
	assert_says(f, "changed");
	unlink(name);
	unlink(same);
	free(name);
	free(same);
}

/* Text */

static void assert_escaped(const char *src, size_t len, const char *want)
{
	char buf[256];

	assert_int_equal(buildidx_escape(src, len, buf, sizeof(buf)), strlen(want));
	assert_string_equal(buf, want);
}

static void test_escape(void **state)
{
	(void)state;
	assert_escaped("", 0, "");
	assert_escaped("/bin/ls", 7, "/bin/ls");
	assert_escaped("a b\n\\\t\x7f", 7, "a\\040b\\012\\134\\011\\177");
	assert_escaped("a\0b", 3, "a\\000b");
	assert_escaped("\xc3\xa4", 2, "\xc3\xa4");
	assert_escaped("\xc3", 1, "\\303");
	assert_escaped("\xc3\xc3\xa4", 3, "\\303\xc3\xa4");
	assert_escaped("\xff", 1, "\\377");
	assert_escaped("\xc0\xaf", 2, "\\300\\257");		/* overlong '/' */
	assert_escaped("\xed\xa0\x80", 3, "\\355\\240\\200");	/* surrogate */
	assert_escaped("\xc2\x9b", 2, "\\302\\233");		/* C1: CSI */
	assert_escaped("\xe2\x80\xae", 3, "\\342\\200\\256");	/* right-to-left override */
	assert_escaped("\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80");
	assert_escaped("\xf4\x90\x80\x80", 4, "\\364\\220\\200\\200");
	assert_escaped("\xe2\x82", 2, "\\342\\202");		/* cut short */
}

static void test_escape_is_bounded(void **state)
{
	char buf[16];
	size_t size;

	(void)state;
	/* A piece goes in whole or not at all. */
	for (size = 0; size < sizeof(buf); size++) {
		size_t fits = size > 1 ? 1 : 0;

		memset(buf, '#', sizeof(buf));
		assert_int_equal(buildidx_escape("a\n\xc3\xa4z", 5, buf, size), 8);
		if (size > 5)
			fits = 5;
		if (size > 7)
			fits = 7;
		if (size > 8)
			fits = 8;
		if (size) {
			assert_memory_equal(buf, "a\\012\xc3\xa4z", fits);
			assert_int_equal(buf[fits], '\0');
		}
		assert_int_equal(buf[size], '#');
	}
	assert_int_equal(buildidx_escape("abc", 3, NULL, 0), 3);
}

static void test_hex(void **state)
{
	char buf[8];

	(void)state;
	assert_int_equal(buildidx_hex("\x00\xff\x1a", 3, buf, sizeof(buf)), 6);
	assert_string_equal(buf, "00ff1a");
	assert_int_equal(buildidx_hex("\x01\x02\x03\x04", 4, buf, sizeof(buf)), 8);
	assert_string_equal(buf, "010203");
}

static void test_format_id(void **state)
{
	unsigned char worst[BUILDIDX_TEXT_MAX];
	char buf[BUILDIDX_FORMAT_MAX];

	(void)state;
	assert_int_equal(buildidx_format_id(BUILDIDX_KIND_GNU, "\xab\0", 2, buf, sizeof(buf)), 4);
	assert_string_equal(buf, "ab00");
	buildidx_format_id(BUILDIDX_KIND_HASH, "\xab\x01", 2, buf, sizeof(buf));
	assert_string_equal(buf, "hash:ab01");
	buildidx_format_id(BUILDIDX_KIND_BPF, "\xab\x01", 2, buf, sizeof(buf));
	assert_string_equal(buf, "bpf:ab01");
	buildidx_format_id(BUILDIDX_KIND_GO, "a/b c", 5, buf, sizeof(buf));
	assert_string_equal(buf, "go:a/b\\040c");
	buildidx_format_id(BUILDIDX_KIND_NONE, NULL, 0, buf, sizeof(buf));
	assert_string_equal(buf, "-");
	buildidx_format_id(99, "x", 1, buf, sizeof(buf));
	assert_string_equal(buf, "-");
	memset(worst, '\n', sizeof(worst));
	assert_true(buildidx_format_id(BUILDIDX_KIND_GO, worst, sizeof(worst), buf,
				       sizeof(buf)) < sizeof(buf));
}

static void test_names(void **state)
{
	unsigned int i, j;

	(void)state;
	for (i = 0; i < BUILDIDX_STATUS_COUNT; i++) {
		assert_string_not_equal(buildidx_status_name(i), "unknown");
		for (j = 0; j < i; j++)
			assert_string_not_equal(buildidx_status_name(i), buildidx_status_name(j));
	}
	for (i = 0; i < BUILDIDX_CNT_COUNT; i++)
		assert_string_not_equal(buildidx_counter_name(i), "unknown");
	assert_string_equal(buildidx_status_name(BUILDIDX_STATUS_NO_NOTE), "no-note");
	assert_string_equal(buildidx_status_name(BUILDIDX_STATUS_COUNT), "unknown");
	assert_string_equal(buildidx_kind_name(BUILDIDX_KIND_HASH), "hash");
	assert_string_equal(buildidx_kind_name(BUILDIDX_KIND_BPF), "bpf");
	assert_string_equal(buildidx_kind_name(5), "unknown");
	assert_string_equal(buildidx_source_name(BUILDIDX_SOURCE_SHDR), "shdr");
	assert_string_equal(buildidx_source_name(BUILDIDX_SOURCE_KERNEL), "kernel");
	assert_string_equal(buildidx_source_name(5), "unknown");
	assert_string_equal(buildidx_record_name(BUILDIDX_REC_BPF_LOAD), "bpf-load");
	assert_string_equal(buildidx_record_name(0), "unknown");
	assert_string_equal(buildidx_record_name(BUILDIDX_REC_TYPES), "unknown");
	assert_string_equal(buildidx_counter_name(BUILDIDX_CNT_COUNT), "unknown");
	assert_string_equal(buildidx_hook_state_name(BUILDIDX_HOOK_KPROBE), "kprobe");
	assert_string_equal(buildidx_capture_name(0), "unknown");
	assert_string_equal(buildidx_capture_name(BUILDIDX_CAPTURE_WORKER), "worker");
}

static void test_errors_fit(void **state)
{
	struct fixture *f = *state;
	char long_text[600];

	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	assert_int_equal(bidx_fail(&f->err, -EIO, "%s", long_text), -EIO);
	assert_int_equal(strlen(f->err.text), sizeof(f->err.text) - 1);
	assert_int_equal(bidx_fail_errno(&f->err, -EIO, "%s", long_text), -EIO);
	assert_int_equal(strlen(f->err.text), sizeof(f->err.text) - 1);
	bidx_fail_errno(&f->err, -EIO, "short");
	assert_string_equal(f->err.text, "short: Input/output error");
}

#define TEST(name)	cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_info),
		TEST(test_info_is_bounded),
		TEST(test_other_abi),
		TEST(test_not_our_device),
		TEST(test_open_flags),
		TEST(test_fd),
		TEST(test_fd_errors),
		TEST(test_addr),
		TEST(test_pid_errors),
		TEST(test_object),
		TEST(test_stats),
		TEST(test_dump),
		TEST(test_dump_grows),
		TEST(test_dump_of_a_broken_device),
		TEST(test_parse),
		TEST(test_parse_text_file),
		TEST(test_parse_keeps_position),
		TEST(test_parse_refuses),
		TEST(test_parse_of_awkward_reads),
		TEST(test_parse_of_a_bad_disk),
		TEST(test_parse_of_a_changing_file),
		TEST(test_escape),
		TEST(test_escape_is_bounded),
		TEST(test_hex),
		TEST(test_format_id),
		TEST(test_names),
		TEST(test_errors_fit),
	};

	return cmocka_run_group_tests_name("libbuildidx", tests, NULL, NULL);
}
