// SPDX-License-Identifier: GPL-2.0
/*
 * The chain of frame pointers is made by hand: a compiler's would hold frames of
 * the C library, which keeps none. Each file is mapped as the loader does it, in
 * segments, so that the address space has a usual number of mappings.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cases/minielf.h"
#include "../cases/tap.h"
#include "bench.h"
#include "stack.h"

#define PAGE		4096UL
#define DEPTH_MAX	128
#define FRAME_BYTES	16	/* of text that each frame's function has */

/* What a function that keeps a frame pointer leaves on the stack. */
struct frame {
	const struct frame *next;
	const char *ret;
};

static const char *file_name(unsigned int i)
{
	static char name[32];

	snprintf(name, sizeof(name), "/scratch/stack%u", i);
	return name;
}

/* Without the pause of minielf's own: that one costs an emulated CPU a microsecond. */
static void write_loop(const char *name)
{
	static const uint8_t code[] = { 0xeb, 0xfe };	/* 1: jmp 1b */
	int fd = open(name, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || pwrite(fd, code, sizeof(code), MINIELF_TEXT) != sizeof(code))
		bail("%s: %s", name, strerror(errno));
	close(fd);
}

void stack_files(void)
{
	uint8_t id[20];
	unsigned int i;

	for (i = 0; i < STACK_FILES; i++) {
		struct minielf m = { .gnu = id, .gnu_len = sizeof(id), .fill = 1 };

		unique_id(id);
		minielf_create(file_name(i), &m);
		write_loop(file_name(i));
	}
	bench_settle();
}

/* Return: the text, which starts with a loop that never ends. */
static char *map_file(unsigned int i)
{
	int fd = open(file_name(i), O_RDONLY | O_CLOEXEC);
	char *base;

	if (fd < 0)
		return NULL;
	base = mmap(NULL, 3 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	if (base == MAP_FAILED ||
	    mmap(base + PAGE, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
		 MINIELF_TEXT) == MAP_FAILED ||
	    mmap(base + 2 * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd,
		 MINIELF_TEXT + PAGE) == MAP_FAILED)
		return NULL;
	close(fd);
	return base + PAGE;
}

static void victim(enum stack_shape shape, unsigned int depth, int ready)
{
	static struct frame frames[DEPTH_MAX];
	const char *text[STACK_FILES];
	unsigned int i;

	for (i = 0; i < STACK_FILES; i++) {
		text[i] = map_file(i);
		if (!text[i])
			_exit(1);
	}
	/* Frame 0 is the instruction pointer itself, in file 0. */
	for (i = 1; i < depth; i++) {
		unsigned int file = shape == STACK_RUNS ? i * STACK_FILES / depth :
							  i % STACK_FILES;

		frames[i].next = i + 1 < depth ? &frames[i + 1] : NULL;
		frames[i].ret = text[file] + i * FRAME_BYTES;
	}
	if (write(ready, "", 1) != 1)
		_exit(1);
	__asm__ volatile("mov %0, %%rbp\n\t"
			 "jmp *%1" : : "r" (&frames[1]), "r" (text[0]) : "memory");
	__builtin_unreachable();
}

pid_t stack_start(enum stack_shape shape, unsigned int depth)
{
	int ready[2];
	pid_t pid;
	char c;

	if (depth < 2 || depth > DEPTH_MAX)
		bail("a stack of %u frames", depth);
	if (pipe(ready))
		bail("pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		bail("fork: %s", strerror(errno));
	if (!pid)
		victim(shape, depth, ready[1]);
	close(ready[1]);
	if (read(ready[0], &c, 1) != 1)
		bail("the process with the stack did not start");
	close(ready[0]);
	return pid;
}

void stack_stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
