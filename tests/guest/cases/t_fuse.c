// SPDX-License-Identifier: GPL-2.0
/*
 * t_fuse: a file system whose server may hang (design D2). The module reads only
 * what is in memory already, so that nobody waits for the server because of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dev.h"
#include "fuseserver.h"
#include "maps.h"
#include "minielf.h"
#include "tap.h"
#include "testfs.h"
#include "watch.h"

#define ID_LEN	20
#define DIR	TESTFS_ROOT "/fuse"
#define FILE_PATH	DIR "/" FUSE_FILE

static int dev;

static void hung_server(struct fuse_control *control, int fd)
{
	struct buildidx_object o;
	struct buildidx_frame f;
	void *at;
	int err;

	control->hang = 1;
	at = map_exec(fd);
	err = dev_addr(dev, 0, at, &f);
	if (!ok(!err && f.status == BUILDIDX_STATUS_NOT_RESIDENT && !f.id_len && f.offset == 0,
		"fuse: mapped, server hung: NOT_RESIDENT"))
		diag("%s", show_frame(err, &f));
	err = dev_fd(dev, fd, &o);
	if (!ok(!err && o.status == BUILDIDX_STATUS_NOT_RESIDENT && !o.id_len,
		"fuse: asked by descriptor, server hung: NOT_RESIDENT"))
		diag("%s", show_object(err, &o));
	ok(!control->reads, "fuse: the server was asked for nothing: %d reads", control->reads);
	control->hang = 0;
	unmap_page(at);
}

static void resident(struct fuse_control *control, int fd, const uint8_t *id)
{
	volatile uint8_t *at = map_exec(fd);
	int reads;

	(void)at[0];
	reads = control->reads;
	ok(reads > 0, "fuse: a touched page is read from the server: %d reads", reads);
	if (!ok(await_id(dev, (void *)at, id, NULL) == AWAITED_ID,
		"fuse: once the page is in memory, the ID is known"))
		diag("wanted %s, got %s", hex(id, ID_LEN), await_seen());
	ok(control->reads == reads, "fuse: the module read nothing from the server: %d reads",
	   control->reads - reads);
	unmap_page((void *)at);
}

/* exec has read the first page just before: known from the first instruction. */
static void executed(const uint8_t *id)
{
	struct buildidx_object o = { 0 };
	struct maps m;
	int tries, err = 0;
	pid_t pid;

	drop_caches(3);
	pid = fork();
	if (!pid) {
		execl(FILE_PATH, FILE_PATH, NULL);
		_exit(127);
	}
	for (tries = 0; tries < 500; tries++) {
		maps_read(pid, &m);
		if (maps_named(&m, FILE_PATH))
			break;
		sleep_ms(10);
	}
	err = dev_exe(dev, pid, &o);
	if (!ok(object_is(err, &o, id, ID_LEN), "fuse: an executed file is known"))
		diag("wanted %s, got %s", hex(id, ID_LEN), show_object(err, &o));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	static uint8_t bytes[1 << 14];
	struct fuse_control *control;
	uint8_t id[ID_LEN];
	int fd;

	setvbuf(stdout, NULL, _IOLBF, 0);
	dev = dev_open();
	unique_id(id);
	control = fuse_start(DIR, bytes, minielf_bytes(bytes, sizeof(bytes), id));
	fd = open(FILE_PATH, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		bail("%s: %s", FILE_PATH, strerror(errno));
	hung_server(control, fd);
	resident(control, fd, id);
	executed(id);
	close(fd);
	fuse_stop(DIR);
	return tap_end();
}
