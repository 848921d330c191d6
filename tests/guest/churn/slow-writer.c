// SPDX-License-Identifier: GPL-2.0
/*
 * slow-writer: a write moves the times of the file first and its content later;
 * how much later is up to the writer's memory. Here the source of the write is
 * a page that is not there until the test says so (userfaultfd). A file that is
 * read in between has new times and old content, and nothing but its being open
 * for writing tells. Prints TAP.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cases/tap.h"
#include "testfile.h"
#include "work.h"

#define FILE_NUMBER	CHURN_F_REWRITE_DISK
#define SETTLE_US	200000	/* many ticks of the clock that stamps files */

/**
 * struct writer - the thread that writes
 * @path: file
 * @source: memory that is missing at first
 * @size: of both
 * @written: posted when the write has returned
 * @close: waited for before the file is closed
 * @result: what the write returned
 */
struct writer {
	const char *path;
	void *source;
	size_t size;
	sem_t written;
	sem_t close;
	ssize_t result;
};

static int device;

static void settle(void)
{
	work_pause_us(SETTLE_US);
}

static void *writer(void *arg)
{
	struct writer *w = arg;
	int fd = open(w->path, O_WRONLY | O_CLOEXEC);

	w->result = pwrite(fd, w->source, w->size, 0);
	sem_post(&w->written);
	sem_wait(&w->close);
	close(fd);
	return NULL;
}

/* Memory whose first access waits for userfaultfd. Returns the descriptor. */
static int missing_memory(void **memory, size_t size)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	*memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range.start = (unsigned long)*memory;
	reg.range.len = size;
	if (fd < 0 || *memory == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg))
		bail("userfaultfd: %s", strerror(errno));
	return fd;
}

static void fill_memory(int fd, void *memory, const void *content, size_t size)
{
	struct uffdio_copy copy = {
		.dst = (unsigned long)memory,
		.src = (unsigned long)content,
		.len = size,
	};

	if (ioctl(fd, UFFDIO_COPY, &copy))
		bail("UFFDIO_COPY: %s", strerror(errno));
}

static void *map_file(const char *path, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *p = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (fd < 0 || p == MAP_FAILED)
		bail("%s: %s", path, strerror(errno));
	close(fd);
	return p;
}

/* Generation in the answer, 0 when it has no ID; @status is set. */
static __u32 answered(const void *address, unsigned int *status)
{
	struct buildidx_query_addr q = {
		.size = sizeof(q),
		.address = (unsigned long)address,
	};
	enum churn_file file;
	__u32 gen;

	if (ioctl(device, BUILDIDX_IOC_QUERY_ADDR, &q))
		bail("QUERY_ADDR: %s", strerror(errno));
	*status = q.frame.status;
	if (q.frame.status != BUILDIDX_STATUS_OK)
		return 0;
	return churn_read_id(q.frame.id, q.frame.id_len, &file, &gen) ? gen : ~0U;
}

static __u32 mapped_generation(const char *mapping)
{
	struct churn_header h;

	memcpy(&h, mapping + CHURN_PAGE + CHURN_HEADER, sizeof(h));
	return h.magic == CHURN_MAGIC ? h.gen : 0;
}

static void test(const char *directory)
{
	struct writer w;
	struct uffd_msg msg;
	struct stat before, during;
	pthread_t thread;
	unsigned int status;
	char path[256];
	void *content;
	char *mapping;
	__u32 gen;
	int uffd;

	snprintf(path, sizeof(path), "%s/slow-writer", directory);
	if (work_write_file(path, O_CREAT | O_TRUNC, FILE_NUMBER, 1) || stat(path, &before))
		bail("%s: %s", path, strerror(errno));
	settle();

	content = churn_image(FILE_NUMBER, 2, &w.size);
	uffd = missing_memory(&w.source, w.size);
	w.path = path;
	sem_init(&w.written, 0, 0);
	sem_init(&w.close, 0, 0);
	if (pthread_create(&thread, NULL, writer, &w))
		bail("pthread_create failed");
	/* the writer waits for its source */
	if (read(uffd, &msg, sizeof(msg)) != sizeof(msg) || msg.event != UFFD_EVENT_PAGEFAULT)
		bail("no page fault of the writer");
	settle();

	if (stat(path, &during))
		bail("%s: %s", path, strerror(errno));
	ok(before.st_mtim.tv_sec != during.st_mtim.tv_sec ||
	   before.st_mtim.tv_nsec != during.st_mtim.tv_nsec,
	   "%s: the file has its new times before its new content", directory);
	mapping = map_file(path, w.size);
	gen = answered(mapping + CHURN_PAGE, &status);
	ok(gen < 2 && mapped_generation(mapping) == 1,
	   "%s: write under way, old content: generation %u, status %u", directory, gen, status);

	fill_memory(uffd, w.source, content, w.size);
	sem_wait(&w.written);
	if (w.result != (ssize_t)w.size)
		bail("write: %zd of %zu bytes", w.result, w.size);
	gen = answered(mapping + CHURN_PAGE, &status);
	ok(gen != 1 && mapped_generation(mapping) == 2,
	   "%s: written, still open, not the old ID: generation %u, status %u", directory, gen,
	   status);

	sem_post(&w.close);
	pthread_join(thread, NULL);
	gen = answered(mapping + CHURN_PAGE, &status);
	ok(gen != 1, "%s: closed, not the old ID: generation %u, status %u", directory, gen, status);
	munmap(mapping, w.size);
	mapping = map_file(path, w.size);
	gen = answered(mapping + CHURN_PAGE, &status);
	ok(gen == 2, "%s: mapped again, the new ID: generation %u, status %u", directory, gen,
	   status);

	munmap(mapping, w.size);
	munmap(w.source, w.size);
	close(uffd);
	free(content);
	unlink(path);
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 2) {
		fprintf(stderr, "usage: slow-writer DIRECTORY...\n"
			"Needs root and the module, loaded. Each directory on ext4 or tmpfs.\n");
		return 2;
	}
	device = open(BUILDIDX_DEVICE, O_RDWR | O_CLOEXEC);
	if (device < 0)
		bail("%s: %s", BUILDIDX_DEVICE, strerror(errno));
	for (i = 1; i < argc; i++)
		test(argv[i]);
	return tap_end();
}
