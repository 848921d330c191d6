// SPDX-License-Identifier: GPL-2.0
/*
 * storm [COUNT]: load and close that many BPF programs as fast as it goes, from four
 * threads, with a reader of the stream (case B1). Each record is compared, field by
 * field, with what the kernel said of the same program while it was loaded.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "../cases/dev.h"
#include "../cases/modctl.h"
#include "../cases/tap.h"
#include "gen.h"
#include "rec.h"
#include "truth.h"

#define DEFAULT_COUNT	10000
#define THREADS		4
/* One in so many is one of the same few programs, again and again. */
#define REPEAT_EACH	50
#define REPEATED	5

/**
 * struct shot - one program of the storm
 * @truth: what the kernel said
 * @load: its record from the stream, NULL when that did not come
 * @unloads: unload records
 * @unload_pid: process of the last of them
 * @unload_tid: its thread
 */
struct shot {
	struct truth truth;
	struct buildidx_rec_bpf *load;
	unsigned int unloads;
	uint32_t unload_pid;
	uint32_t unload_tid;
};

static struct shot *shots;
static unsigned int count = DEFAULT_COUNT;
static atomic_uint next_shot;
static atomic_uint failed;
static atomic_bool done;
static int map_fd;
static struct stream reader;
static unsigned int stopped_at; /* copies that there was no memory for */

/* Which of the few programs this one is; 0: it is like no other. */
static unsigned int repeated(unsigned int i)
{
	return i % REPEAT_EACH ? 0 : 1 + i / REPEAT_EACH % REPEATED;
}

/* The odd ones differ in a line only, the even ones in their names. */
static void describe(unsigned int i, struct gen *g)
{
	unsigned int again = repeated(i), n = again ? again : i;

	*g = (struct gen) { .file = "/src/storm.bpf.c", .line = 10, .funcs = 1 + n % 8 };
	g->no_btf = n % 5 == 4;
	g->map_fd = n % 3 ? 0 : map_fd;
	g->loops = n % 7;
	if (again) {
		snprintf(g->name, sizeof(g->name), "again_%u", again);
	} else if (i % 2 && !g->no_btf) {
		snprintf(g->name, sizeof(g->name), "storm_of_the_same_name");
		g->line = 10 + i * 50;
	} else {
		snprintf(g->name, sizeof(g->name), "storm_%u", i);
	}
}

static void *loader(void *unused)
{
	unsigned int i;

	while ((i = atomic_fetch_add(&next_shot, 1)) < count) {
		int fd, btf_fd, err;
		struct gen g;

		describe(i, &g);
		fd = gen_load(&g, &btf_fd);
		err = fd < 0 ? fd : truth_ask(&shots[i].truth, fd, btf_fd);
		if (err && !atomic_fetch_add(&failed, 1))
			diag("program %u: %s", i, strerror(-err));
		if (btf_fd >= 0)
			close(btf_fd);
		if (fd >= 0)
			close(fd);
	}
	return unused;
}

/* --- the reader: keeps what comes, nothing else --- */

static struct buildidx_rec **kept;
static size_t nr_kept, kept_room;

static void keep(const struct buildidx_rec *r)
{
	struct buildidx_rec *copy;

	if (r->type != BUILDIDX_REC_BPF_LOAD && r->type != BUILDIDX_REC_BPF_UNLOAD)
		return;
	if (nr_kept == kept_room) {
		kept_room = 2 * kept_room + 4096;
		kept = realloc(kept, kept_room * sizeof(*kept));
	}
	copy = malloc(r->size);
	if (!kept || !copy) {
		stopped_at++;
		free(copy);
		return;
	}
	memcpy(copy, r, r->size);
	kept[nr_kept++] = copy;
}

static void *read_all(void *unused)
{
	const struct buildidx_rec *r;
	bool last;

	do {
		/* before looking: what came before is then read to its end */
		last = atomic_load(&done);
		while ((r = stream_next(&reader, last ? 0 : 50)))
			keep(r);
	} while (!last);
	return unused;
}

/* --- judging --- */

/* Programs by their number; those of one storm are near each other. */
static struct shot **by_id;
static uint32_t first_id = UINT32_MAX, last_id;

static void index_shots(void)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		uint32_t id = shots[i].truth.info.id;

		if (!id)
			continue;
		first_id = id < first_id ? id : first_id;
		last_id = id > last_id ? id : last_id;
	}
	by_id = calloc((size_t)last_id - first_id + 1, sizeof(*by_id));
	if (!by_id)
		bail("no memory");
	for (i = 0; i < count; i++)
		if (shots[i].truth.info.id)
			by_id[shots[i].truth.info.id - first_id] = &shots[i];
}

static struct shot *shot_of(uint32_t id, uint64_t load_time)
{
	struct shot *s = id >= first_id && id <= last_id ? by_id[id - first_id] : NULL;

	return s && s->truth.info.load_time == load_time ? s : NULL;
}

static void assign(void)
{
	unsigned int twice = 0;
	size_t i;

	for (i = 0; i < nr_kept; i++) {
		if (kept[i]->type == BUILDIDX_REC_BPF_LOAD) {
			struct buildidx_rec_bpf *b = (void *)kept[i];
			struct shot *s = shot_of(b->id, b->load_time);

			if (s && s->load)
				twice++;
			else if (s)
				s->load = b;
		} else {
			struct buildidx_rec_bpf_unload *u = (void *)kept[i];
			struct shot *s = shot_of(u->id, u->load_time);

			if (!s)
				continue;
			s->unloads++;
			s->unload_pid = u->unload_pid;
			s->unload_tid = u->unload_tid;
		}
	}
	ok(!twice, "no program was recorded twice: %u were", twice);
}

static void differs(const struct shot *s, const char *what, const char *where, unsigned int *bad)
{
	if ((*bad)++ < 3)
		diag("%s, program %u (%s), %u functions: %s differs", where, s->truth.info.id,
		     s->truth.info.name, s->truth.nr_funcs, what);
}

static void judge_loads(int dev)
{
	unsigned int i, seen = 0, bad = 0, missing = 0, found = 0, bad_found = 0;
	struct buildidx_rec *r;
	const char *what;

	for (i = 0; i < count; i++) {
		struct shot *s = &shots[i];

		if (!s->truth.info.id)
			continue;
		if (s->load) {
			seen++;
			what = truth_differs(&s->truth, s->load, true);
			if (what)
				differs(s, what, "stream", &bad);
			continue;
		}
		missing++;
		if (rec_by_prog(dev, s->truth.info.id, &r))
			continue;
		found++;
		what = truth_differs(&s->truth, (void *)r, true);
		if (what)
			differs(s, what, "history", &bad_found);
		free(r);
	}
	ok(seen && !bad, "%u of %u programs have a record that says what the kernel said: %u differ",
	   seen, count, bad);
	if (!ok(missing <= reader.lost && seen + missing == count,
		"the others were told of as lost: %u are missing, LOST counts %llu", missing,
		(unsigned long long)reader.lost))
		diag("programs with a record in the stream: %u", seen);
	ok(!bad_found, "what the stream lost is in the history: %u of %u, %u of them differ", found,
	   missing, bad_found);
}

static void judge_unloads(void)
{
	unsigned int i, gone = 0, known = 0, wrong = 0, many = 0, unseen = 0;

	for (i = 0; i < count; i++) {
		struct shot *s = &shots[i];

		gone += s->unloads == 1;
		many += s->unloads > 1;
		unseen += s->truth.info.id && !s->unloads;
		if (!s->unloads || !s->unload_pid)
			continue;
		known++;
		wrong += s->unload_pid != (uint32_t)s->truth.who ||
			 s->unload_tid != (uint32_t)s->truth.tid;
	}
	ok(!many && unseen <= reader.lost, "%u unloads, %u not seen, LOST counts %llu", gone, unseen,
	   (unsigned long long)reader.lost);
	ok(!wrong && known > gone / 2, "who closed it is known of %u programs, wrong of %u", known,
	   wrong);
}

static int compare_ids(const void *a, const void *b)
{
	const struct shot *x = *(const struct shot **)a, *y = *(const struct shot **)b;

	return memcmp(x->load->build_id, y->load->build_id, BUILDIDX_BPF_ID_LEN);
}

/* The same programs have the same ID, different ones do not. */
static void judge_ids(void)
{
	struct shot **sorted = calloc(count, sizeof(*sorted));
	unsigned int i, n = 0, repeats = 0, torn = 0, shared = 0;

	if (!sorted)
		bail("no memory");
	for (i = 0; i < count; i++)
		if (shots[i].load)
			sorted[n++] = &shots[i];
	qsort(sorted, n, sizeof(*sorted), compare_ids);
	for (i = 1; i < n; i++) {
		unsigned int a = repeated(sorted[i - 1] - shots), b = repeated(sorted[i] - shots);

		if (compare_ids(&sorted[i - 1], &sorted[i])) {
			/* equal programs with different IDs need not be neighbours */
			continue;
		}
		if (a && a == b)
			repeats++;
		else
			shared++;
	}
	for (i = 0; i < count; i += REPEAT_EACH) {
		const struct shot *first = &shots[(repeated(i) - 1) * REPEAT_EACH];

		if (shots[i].load && first->load)
			torn += memcmp(shots[i].load->build_id, first->load->build_id,
				       BUILDIDX_BPF_ID_LEN) != 0;
	}
	ok(repeats && !torn, "the same program has the same build ID: %u pairs, %u differ", repeats,
	   torn);
	ok(!shared, "programs that differ in a line or a name have different IDs: %u do not", shared);
	free(sorted);
}

static uint64_t stream_end(int dev)
{
	struct buildidx_info info;

	if (dev_info(dev, &info))
		bail("INFO: %s", strerror(errno));
	return info.stream_next;
}

int main(int argc, char **argv)
{
	uint64_t loaded, lost, unloaded, took, end;
	pthread_t threads[THREADS], reading;
	unsigned int i;
	int dev;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1)
		count = strtoul(argv[1], NULL, 0);
	log_mark();
	gen_init();
	dev = dev_open();
	shots = calloc(count, sizeof(*shots));
	map_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "storm", 4, 8, 1, NULL);
	if (!shots || map_fd < 0)
		bail("set-up: %s", strerror(errno));
	loaded = dev_counter(dev, BUILDIDX_CNT_BPF_LOADED);
	unloaded = dev_counter(dev, BUILDIDX_CNT_BPF_UNLOADED);
	lost = dev_counter(dev, BUILDIDX_CNT_BPF_LOST);
	stream_open(&reader, ALL_TYPES, false);
	took = boottime();
	if (pthread_create(&reading, NULL, read_all, NULL))
		bail("cannot start a thread");
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, loader, NULL))
			bail("cannot start a thread");
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	took = boottime() - took;
	end = stream_end(dev);
	atomic_store(&done, true);
	pthread_join(reading, NULL);
	diag("%u programs in %llu ms, %llu records, %llu lost, %llu bytes kept", count,
	     (unsigned long long)took / 1000000, (unsigned long long)reader.records,
	     (unsigned long long)reader.lost, (unsigned long long)reader.room);
	ok(!failed && !stopped_at, "%u programs were loaded and closed, %u failed, %u not kept", count,
	   failed, stopped_at);
	if (!ok(!reader.bad, "each record is as the format says: %llu are not",
		(unsigned long long)reader.bad))
		diag("%s", reader.first_bad);
	index_shots();
	assign();
	ok(stream_exact(&reader) && reader.next >= end && !reader.unmade,
	   "nothing is lost unreported: %llu records + %llu lost = %llu made, %llu missing",
	   (unsigned long long)reader.records, (unsigned long long)reader.lost,
	   (unsigned long long)(reader.next - reader.first), (unsigned long long)reader.gaps);
	judge_loads(dev);
	judge_unloads();
	judge_ids();
	lost = dev_counter(dev, BUILDIDX_CNT_BPF_LOST) - lost;
	loaded = dev_counter(dev, BUILDIDX_CNT_BPF_LOADED) - loaded;
	unloaded = dev_counter(dev, BUILDIDX_CNT_BPF_UNLOADED) - unloaded;
	ok(loaded + lost == count && !lost, "counters: %llu recorded, %llu not, %llu unloaded",
	   (unsigned long long)loaded, (unsigned long long)lost, (unsigned long long)unloaded);
	ok(!log_complains(), "the kernel log is clean");
	stream_close(&reader);
	return tap_end();
}
