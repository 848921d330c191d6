// SPDX-License-Identifier: GPL-2.0
/*
 * Files lie on tmpfs, where an operation is cheapest: on a disk's file system the
 * same hook is a smaller part of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../cases/minielf.h"
#include "../cases/tap.h"
#include "ops.h"

#define PROGRAM	"/test/bench/nothing"
#define ELF	"/tmp/op-elf"
#define TEXT	"/tmp/op-text"
#define FRESH	"/tmp/op-fresh"
#define PAGE	4096

static int elf = -1;

void ops_prepare(void)
{
	uint8_t id[20];
	int fd;

	unique_id(id);
	minielf_simple(ELF, id);
	elf = open(ELF, O_RDONLY | O_CLOEXEC);
	fd = open(TEXT, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (elf < 0 || fd < 0 || write(fd, "text\n", 5) != 5)
		bail("making files in /tmp: %s", strerror(errno));
	close(fd);
}

static void check(int result, const char *what)
{
	if (result < 0)
		bail("%s: %s", what, strerror(errno));
}

static void map_exec(void)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, elf, MINIELF_TEXT);

	if (p == MAP_FAILED)
		bail("mmap: %s", strerror(errno));
	munmap(p, PAGE);
}

static void map_anon(void)
{
	void *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		bail("mmap: %s", strerror(errno));
	munmap(p, PAGE);
}

static void fork_exec(void)
{
	char *argv[] = { PROGRAM, NULL };
	char *envp[] = { NULL };
	int status = -1;
	pid_t pid = fork();

	check(pid, "fork");
	if (!pid) {
		execve(PROGRAM, argv, envp);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		bail("%s: status %#x", PROGRAM, status);
}

static void open_read(void)
{
	int fd = open(TEXT, O_RDONLY);

	check(fd, TEXT);
	close(fd);
}

static void open_write(void)
{
	int fd = open(TEXT, O_WRONLY);

	check(fd, TEXT);
	close(fd);
}

static void make_pipe(void)
{
	int fds[2];

	check(pipe(fds), "pipe");
	close(fds[0]);
	close(fds[1]);
}

static void make_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	check(fd, "socket");
	close(fd);
}

static void create_unlink(void)
{
	int fd = open(FRESH, O_WRONLY | O_CREAT | O_EXCL, 0644);

	check(fd, FRESH);
	close(fd);
	check(unlink(FRESH), FRESH);
}

const struct op ops[] = {
	{ "mmap_munmap_exec", map_exec, 1 },
	{ "fork_exec_exit", fork_exec, 5 },
	{ "open_close_read", open_read, 1 },
	{ "pipe_close", make_pipe, 1 },
	{ "socket_close", make_socket, 1 },
	{ "open_close_write", open_write, 1 },
	{ "create_unlink", create_unlink, 1 },
	{ "mmap_munmap_anon", map_anon, 1 },
};
const size_t nr_ops = sizeof(ops) / sizeof(ops[0]);
