// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../../../include/buildidx_bpf_present.h"
#include "fetch.skel.h"
#include "fetch.h"

struct watcher {
	struct fetch_bpf *skel;
	struct ring_buffer *ring;
	int (*one)(void *ctx, const struct fetch *f);
	void *ctx;
};

static int one_fetch(void *ctx, void *data, size_t size)
{
	struct watcher *w = ctx;

	return size < sizeof(struct fetch) ? -EINVAL : w->one(w->ctx, data);
}

struct watcher *watcher_open(void)
{
	struct watcher *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->skel = fetch_bpf__open();
	if (!w->skel)
		goto fail;
	w->skel->rodata->have_buildidx = buildidx_bpf_present("bpf_buildidx_stack_build_id") &&
					 buildidx_bpf_present("bpf_buildidx_frames");
	if (!w->skel->rodata->have_buildidx)
		fprintf(stderr, "# the kfuncs are not there\n");
	if (fetch_bpf__load(w->skel) || fetch_bpf__attach(w->skel))
		goto fail;
	w->ring = ring_buffer__new(bpf_map__fd(w->skel->maps.fetches), one_fetch, w, NULL);
	if (!w->ring)
		goto fail;
	return w;
fail:
	fprintf(stderr, "cannot load or attach fetch.bpf.o: %s\n", strerror(errno));
	watcher_close(w);
	return NULL;
}

void watcher_close(struct watcher *w)
{
	if (!w)
		return;
	ring_buffer__free(w->ring);
	fetch_bpf__destroy(w->skel);
	free(w);
}

int watcher_add(struct watcher *w, pid_t tgid)
{
	__u32 key = tgid;
	__u8 one = 1;

	return bpf_map_update_elem(bpf_map__fd(w->skel->maps.watched), &key, &one, BPF_ANY);
}

void watcher_del(struct watcher *w, pid_t tgid)
{
	__u32 key = tgid;

	bpf_map_delete_elem(bpf_map__fd(w->skel->maps.watched), &key);
}

int watcher_drain(struct watcher *w, int (*one)(void *ctx, const struct fetch *f), void *ctx)
{
	w->one = one;
	w->ctx = ctx;
	return ring_buffer__consume(w->ring);
}

unsigned long watcher_lost(const struct watcher *w)
{
	return w->skel->bss->lost;
}
