// SPDX-License-Identifier: GPL-2.0
/*
 * kfuzz [SEED [CALLS]]: both kfuncs with random sizes, flags and addresses. Each call
 * must return what its documentation says, and write nothing past that.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../cases/ask_user.h"
#include "../cases/dev.h"
#include "../cases/modctl.h"
#include "../cases/tap.h"
#include "rng.h"
#include "victims.h"

#define DEFAULT_CALLS	5000
#define CANARY		0x5a

static uint32_t random_size(struct rng *r, size_t element)
{
	switch (rng_below(r, 4)) {
	case 0: /* any */
		return rng_below(r, ASK_MAX * element + 1);
	case 1: /* off by a few */
		return (rng_below(r, ASK_MAX) * element + rng_below(r, 9)) % (ASK_MAX * element + 1);
	}
	return rng_below(r, ASK_MAX + 1) * element;
}

static int wanted(const struct ask *a, uint32_t out_size, size_t element, uint64_t flags)
{
	uint32_t in = a->ips_size / 8, out = out_size / element;

	if (a->flags & ~flags || a->ips_size % 8 || out_size % element)
		return -EINVAL;
	return in < out ? in : out;
}

static bool untouched(const void *at, size_t from, size_t to)
{
	const unsigned char *p = at;

	for (; from < to; from++)
		if (p[from] != CANARY)
			return false;
	return true;
}

static bool frames_good(const struct ask *a, int n)
{
	int i;

	for (i = 0; i < n; i++) {
		const struct buildidx_frame *f = &a->frames[i];

		if (f->ip != a->ips[i] || f->status >= BUILDIDX_STATUS_COUNT || f->pad ||
		    (f->status == BUILDIDX_STATUS_OK && !f->id_len) || f->kind > BUILDIDX_KIND_BPF)
			return false;
	}
	return untouched(a->frames, n * sizeof(a->frames[0]), sizeof(a->frames));
}

static bool ids_good(const struct ask *a, int n)
{
	bool ended = false;
	int i;

	for (i = 0; i < n; i++) {
		const struct bpf_stack_build_id *b = &a->ids[i];

		ended |= !a->ips[i];
		if (ended ? b->status != BPF_STACK_BUILD_ID_EMPTY :
		    b->status == BPF_STACK_BUILD_ID_IP ? b->ip != a->ips[i] :
		    b->status != BPF_STACK_BUILD_ID_VALID)
			return false;
	}
	return untouched(a->ids, n * sizeof(a->ids[0]), sizeof(a->ids));
}

/* An address of zero ends a stack, even where something is mapped there. */
static void map_at_zero(void)
{
	int fd = open("/run/devfuzz.elf", O_RDONLY | O_CLOEXEC);

	if (mmap(NULL, VICTIM_PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0))
		bail("mapping a file at address 0: %s", strerror(errno));
	close(fd);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned long calls = argc > 2 ? strtoul(argv[2], NULL, 0) : DEFAULT_CALLS, i;
	unsigned int bad_ret = 0, bad_content = 0, worked = 0, refused = 0, k;
	struct rng r = { .state = seed };
	static struct ask a;

	setvbuf(stdout, NULL, _IOLBF, 0);
	log_mark();
	victims_prepare(dev_open());
	map_at_zero();
	ask_start();
	for (i = 0; i < calls; i++) {
		int frames, ids;

		for (k = 0; k < ASK_MAX; k++)
			a.ips[k] = victim_address(&r);
		a.ips_size = random_size(&r, sizeof(a.ips[0]));
		a.frames_size = random_size(&r, sizeof(a.frames[0]));
		a.ids_size = random_size(&r, sizeof(a.ids[0]));
		a.flags = rng_one_in(&r, 8) ? rng_odd_number(&r) : 0;
		memset(a.frames, CANARY, sizeof(a.frames));
		memset(a.ids, CANARY, sizeof(a.ids));
		ask_kfuncs(&a);
		frames = wanted(&a, a.frames_size, sizeof(a.frames[0]), 0);
		ids = wanted(&a, a.ids_size, sizeof(a.ids[0]), BUILDIDX_F_KERNEL);
		worked += frames > 0 && ids > 0;
		refused += frames < 0 || ids < 0;
		if (a.frames_ret != frames || a.ids_ret != ids) {
			if (!bad_ret++)
				diag("sizes %u %u %u flags %#llx: returned %d and %d, wanted %d and %d",
				     a.ips_size, a.frames_size, a.ids_size,
				     (unsigned long long)a.flags, a.frames_ret, a.ids_ret, frames, ids);
		} else if (!frames_good(&a, frames < 0 ? 0 : frames) ||
			   !ids_good(&a, ids < 0 ? 0 : ids)) {
			if (!bad_content++)
				diag("sizes %u %u %u: an element is not as documented, first frame %s",
				     a.ips_size, a.frames_size, a.ids_size, show_frame(0, &a.frames[0]));
		}
	}
	ask_stop();
	ok(worked > calls / 10 && refused > calls / 10,
	   "kfunc calls of both kinds were made: %u answered, %u refused", worked, refused);
	ok(!bad_ret, "each kfunc returned what its documentation says: %u of %lu did not", bad_ret,
	   calls);
	ok(!bad_content, "each kfunc wrote what it returned and no more: %u of %lu did not",
	   bad_content, calls);
	ok(!log_complains(), "the kernel log is clean");
	return tap_end();
}
