// SPDX-License-Identifier: GPL-2.0
/* /dev/buildidx: records of kernel text (the ABI is in include/uapi/buildidx.h) */
#include "internal.h"
#include "bpfprog.h"
#include "device.h"
#include "krec.h"

#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#define BIDX_RECORDS_BOTH	(BUILDIDX_RECORDS_LIVE | BUILDIDX_RECORDS_GONE)

/**
 * struct bidx_query - which record is wanted
 * @q: by what
 * @flags: BUILDIDX_RECORDS_*, at least one
 * @see: what the caller may see
 */
struct bidx_query {
	const struct buildidx_query_record *q;
	u32 flags;
	unsigned int see;
};

static bool bidx_krec_covers(const struct bidx_krec *k, u64 address)
{
	unsigned int i;

	for (i = 0; i < k->nr_ranges; i++)
		if (address - k->ranges[i].start < READ_ONCE(k->ranges[i].len))
			return true;
	return false;
}

static bool bidx_krec_was_there(const struct bidx_krec *k, u64 time)
{
	return !time || (bidx_krec_load_time(k) <= time && (k->live || time <= k->gone.time));
}

static bool bidx_krec_matches(const struct bidx_query *query, const struct bidx_krec *k)
{
	const struct buildidx_query_record *q = query->q;

	switch (q->by) {
	case BUILDIDX_BY_OBJECT:
		return k->object == q->object;
	case BUILDIDX_BY_PROG_ID:
		return k->rec->type == BUILDIDX_REC_BPF_LOAD &&
		       ((struct buildidx_rec_bpf *)k->rec)->id == q->id;
	case BUILDIDX_BY_ADDRESS:
		return bidx_krec_address_seen(k, query->see) &&
		       bidx_krec_covers(k, q->address) && bidx_krec_was_there(k, q->time);
	default:
		return k->id_len == q->id_len && !memcmp(k->id, q->build_id, k->id_len);
	}
}

/* @best, if there is one: under the lock of records, so that live and gone do not change. */
static bool bidx_krec_preferred(const void *ctx, const struct bidx_krec *k,
				const struct bidx_krec *best)
{
	const struct bidx_query *query = ctx;

	if (!(query->flags & (k->live ? BUILDIDX_RECORDS_LIVE : BUILDIDX_RECORDS_GONE)) ||
	    !bidx_krec_matches(query, k))
		return false;
	if (!best || k->live != best->live)
		return !best || k->live;
	return k->live || k->gone.time >= best->gone.time;
}

static bool bidx_query_is_good(const struct buildidx_query_record *q)
{
	return !(q->flags & ~BIDX_RECORDS_BOTH) && !q->pad && q->by >= BUILDIDX_BY_OBJECT &&
	       q->by <= BUILDIDX_BY_BUILD_ID && q->buf_size <= BUILDIDX_REC_MAX &&
	       (q->by != BUILDIDX_BY_BUILD_ID || (q->id_len && q->id_len <= sizeof(q->build_id)));
}

static struct bidx_krec *bidx_query_find(const struct bidx_query *query)
{
	struct bidx_krec *k;

	if (query->q->by != BUILDIDX_BY_OBJECT)
		return bidx_krec_find(bidx_krec_preferred, query);
	k = bidx_krec_next(query->q->object);
	if (k && bidx_krec_preferred(query, k, NULL))
		return k;
	if (k)
		bidx_krec_put(k);
	return NULL;
}

long bidx_ioc_record(union bidx_arg *arg)
{
	struct buildidx_query_record *q = &arg->record;
	struct bidx_query query = { .q = q, .flags = q->flags ?: BIDX_RECORDS_BOTH };
	struct buildidx_rec *rec;
	struct bidx_krec *k;
	long err = 0;

	if (!bidx_may_see_all())
		return -EPERM;
	if (!bidx_query_is_good(q))
		return -EINVAL;
	query.see = bidx_may_see();
	if (q->by == BUILDIDX_BY_ADDRESS && !(query.see & BIDX_SEE_ADDRESS))
		return -EPERM;
	k = bidx_query_find(&query);
	if (!k)
		return -ENOENT;
	rec = bidx_krec_copy(k, 0, query.see | BIDX_SEE_GONE);
	if (rec) {
		q->object = k->object;
		q->rec_size = rec->size;
		if (rec->size <= q->buf_size &&
		    copy_to_user(u64_to_user_ptr(q->buf), rec, rec->size))
			err = -EFAULT;
		kvfree(rec);
	} else {
		err = -ENOMEM;
	}
	bidx_krec_put(k);
	return err;
}

/* Return: 1 when it was written, 0 when it does not fit, or an errno. */
static int bidx_dump_record(struct buildidx_dump_records *d, const struct bidx_krec *k,
			    unsigned int see)
{
	struct buildidx_rec *rec = bidx_krec_copy(k, 0, see | BIDX_SEE_GONE);
	int done = 0;

	if (!rec)
		return -ENOMEM;
	if (rec->size > d->buf_size - d->used) {
		d->next_size = rec->size;
	} else if (copy_to_user(u64_to_user_ptr(d->buf) + d->used, rec, rec->size)) {
		done = -EFAULT;
	} else {
		d->used += rec->size;
		d->count++;
		done = 1;
	}
	kvfree(rec);
	return done;
}

static bool bidx_dump_wants(const struct buildidx_dump_records *d, const struct bidx_krec *k)
{
	u32 flags = d->flags ?: BIDX_RECORDS_BOTH;

	return (flags & (READ_ONCE(k->live) ? BUILDIDX_RECORDS_LIVE : BUILDIDX_RECORDS_GONE)) &&
	       (!d->types || (d->types & (1U << k->rec->type)));
}

/* The cursor is the lowest number that comes next. */
long bidx_ioc_records(union bidx_arg *arg)
{
	struct buildidx_dump_records *d = &arg->records;
	struct bidx_krec *k;
	unsigned int see;
	int done = 1;

	if (!bidx_may_see_all())
		return -EPERM;
	if ((d->flags & ~BIDX_RECORDS_BOTH) || d->pad || d->buf_size > BUILDIDX_REC_MAX)
		return -EINVAL;
	see = bidx_may_see();
	d->count = 0;
	d->used = 0;
	d->next_size = 0;
	while (done > 0 && (k = bidx_krec_next(d->cursor))) {
		if (bidx_dump_wants(d, k))
			done = bidx_dump_record(d, k, see);
		if (done > 0)
			d->cursor = k->object + 1;
		bidx_krec_put(k);
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	/* What was written is good; the next call meets the error again. */
	return done < 0 && !d->count ? done : 0;
}

long bidx_ioc_adopt(union bidx_arg *arg)
{
	struct buildidx_adopt *a = &arg->adopt;

	if (!bidx_may_see_all())
		return -EPERM;
	if (a->flags || a->pad)
		return -EINVAL;
	return bidx_bpf_adopt(a->fd, &a->object);
}

/* What INFO tells of records. */
void bidx_records_info(struct buildidx_info *info)
{
	struct bidx_krec_counts count;

	bidx_krec_count(&count);
	info->records_live = count.live;
	info->records_gone = count.gone;
	info->history_bytes = count.history_bytes;
	info->history_max = count.history_max;
	if (!READ_ONCE(bidx_active))
		return;
	if (bidx_hook_placed(BIDX_HOOK_BPF))
		info->kernel_state |= BUILDIDX_KERNEL_BPF;
	if (bidx_hook_placed(BIDX_HOOK_KSYM))
		info->kernel_state |= BUILDIDX_KERNEL_KSYM;
}

/* May somebody who may see @see know where the text of a record is? Gone meanwhile: no. */
bool bidx_object_address_seen(u64 object, unsigned int see)
{
	struct bidx_krec *k = bidx_krec_next(object);
	bool seen;

	if (!k)
		return false;
	seen = k->object == object && bidx_krec_address_seen(k, see);
	bidx_krec_put(k);
	return seen;
}
