// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dev.h"
#include "tap.h"
#include "watch.h"

#define ID_LEN		20
#define TRIES		400
#define STEP_MS		10

static char seen[700];

void *map_exec(int fd)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (at == MAP_FAILED)
		bail("mmap of a test file: %s", strerror(errno));
	return at;
}

void *map_exec_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at;

	if (fd < 0)
		bail("%s: %s", path, strerror(errno));
	at = map_exec(fd);
	close(fd);
	return at;
}

void unmap_page(void *at)
{
	munmap(at, 4096);
}

static int ask_device(int dev, const void *at, struct buildidx_frame *f)
{
	return dev_addr(dev, 0, at, f);
}

int (*watch_ask)(int dev, const void *at, struct buildidx_frame *f) = ask_device;

static int ask(int dev, const void *at, struct buildidx_frame *f)
{
	int err = watch_ask(dev, at, f);

	snprintf(seen, sizeof(seen), "%s", show_frame(err, f));
	return err;
}

enum awaited await_id(int dev, const void *at, const uint8_t *want, const uint8_t *forbidden)
{
	struct buildidx_frame f;
	int i, err;

	for (i = 0; i < TRIES; i++) {
		err = ask(dev, at, &f);
		if (frame_is(err, &f, want, ID_LEN))
			return AWAITED_ID;
		if (forbidden && frame_has(err, &f, forbidden, ID_LEN))
			return AWAITED_OLD;
		if (err || !status_is_transient(f.status) || f.id_len)
			return AWAITED_OTHER;
		sleep_ms(STEP_MS);
	}
	return AWAITED_LATE;
}

const char *await_seen(void)
{
	return seen;
}

const char *awaited_name(enum awaited a)
{
	static const char * const names[] = {
		"the wanted ID", "the OLD ID was seen", "an answer that fits nothing",
		"no ID in all this time",
	};

	return names[a];
}

bool is_not(int dev, const void *at, const uint8_t *forbidden)
{
	struct buildidx_frame f;
	int err = ask(dev, at, &f);

	return !err && !frame_has(err, &f, forbidden, ID_LEN);
}

bool is_now(int dev, const void *at, const uint8_t *want)
{
	struct buildidx_frame f;
	int err = ask(dev, at, &f);

	return frame_is(err, &f, want, ID_LEN);
}
