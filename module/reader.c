// SPDX-License-Identifier: GPL-2.0
/*
 * Readers of the stream: read(), poll() and BUILDIDX_IOC_STREAM on an open device
 *
 * Each open file has its own place. A record is copied outside of the log's lock, as
 * whoever reads may see it.
 */
#include "internal.h"

#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "device.h"
#include "krec.h"
#include "reader.h"
#include "stream.h"

#define BIDX_ALL_TYPES		(GENMASK(BUILDIDX_REC_TYPES - 1, 1))
#define BIDX_DEFAULT_TYPES	(BIDX_ALL_TYPES & ~BIT(BUILDIDX_REC_MAP))

/**
 * struct bidx_follower - an open file of the device
 * @lock: one read() or ioctl at a time; not held while waiting
 * @place: where it is
 * @types: bit for each enum buildidx_rec_type that it wants
 */
struct bidx_follower {
	struct mutex lock;
	struct bidx_place place;
	u32 types;
};

/**
 * struct bidx_told - a record as it goes to user space
 * @rec: the record
 * @copy: to be freed, NULL when it is elsewhere
 * @lost: where a LOST record is made
 * @unload: where a BPF_UNLOAD record is made
 */
struct bidx_told {
	const struct buildidx_rec *rec;
	struct buildidx_rec *copy;
	union {
		struct buildidx_rec_lost lost;
		struct buildidx_rec_bpf_unload unload;
	};
};

static atomic_t bidx_map_readers = ATOMIC_INIT(0);

/* Are MAP records wanted? Context: any. */
bool bidx_stream_wants_map(void)
{
	return atomic_read(&bidx_map_readers);
}

static bool bidx_types_have_map(u32 types)
{
	return types & BIT(BUILDIDX_REC_MAP);
}

static void bidx_tell_lost(struct bidx_told *t, const struct bidx_found *f)
{
	memset(&t->lost, 0, sizeof(t->lost));
	t->lost.rec.size = sizeof(t->lost);
	t->lost.rec.type = BUILDIDX_REC_LOST;
	t->lost.rec.fixed = sizeof(t->lost);
	t->lost.rec.seq = f->seq;
	t->lost.rec.time = f->time;
	t->lost.lost = f->lost;
	t->rec = &t->lost.rec;
}

static void bidx_tell_unload(struct bidx_told *t, const struct bidx_found *f)
{
	const struct buildidx_rec_bpf *load = (const void *)f->k->rec;
	const struct bidx_gone *gone = &f->k->gone;
	struct buildidx_rec_bpf_unload *u = &t->unload;

	memset(u, 0, sizeof(*u));
	u->rec.size = sizeof(*u);
	u->rec.type = BUILDIDX_REC_BPF_UNLOAD;
	u->rec.fixed = sizeof(*u);
	u->rec.seq = f->seq;
	u->rec.time = f->time;
	u->object = load->object;
	u->flags = BUILDIDX_REC_GONE | (load->flags & BUILDIDX_REC_ADOPTED);
	u->id = load->id;
	u->unload_pid = gone->pid;
	u->unload_tid = gone->tid;
	u->load_time = load->load_time;
	memcpy(u->tag, load->tag, sizeof(u->tag));
	memcpy(u->build_id, load->build_id, sizeof(u->build_id));
	memcpy(u->unload_comm, gone->comm, sizeof(u->unload_comm));
	t->rec = &u->rec;
}

/* Return: 0 or -ENOMEM. */
static int bidx_tell(struct bidx_told *t, const struct bidx_found *f, unsigned int see)
{
	t->copy = NULL;
	switch (f->what) {
	case BIDX_SLOT_LOST:
		bidx_tell_lost(t, f);
		return 0;
	case BIDX_SLOT_EVENT:
		t->rec = bidx_event_rec(f->e);
		return 0;
	case BIDX_SLOT_WENT:
		if (f->k->rec->type == BUILDIDX_REC_BPF_LOAD) {
			bidx_tell_unload(t, f);
			return 0;
		}
		see |= BIDX_SEE_GONE;
		break;
	}
	t->copy = bidx_krec_copy(f->k, f->seq, see);
	t->rec = t->copy;
	return t->copy ? 0 : -ENOMEM;
}

/*
 * Give the next record. Under the reader's lock. Return: its bytes; 0 when there is
 * none; -EMSGSIZE when there is no room for it; -EFAULT, -ENOMEM.
 */
static ssize_t bidx_reader_next(struct bidx_follower *r, char __user *to, size_t room,
				unsigned int see)
{
	struct bidx_found f;
	struct bidx_told t;
	ssize_t n;

	if (!bidx_stream_find(&r->place, r->types, &f))
		return 0;
	n = bidx_tell(&t, &f, see);
	if (!n) {
		if (t.rec->size > room)
			n = -EMSGSIZE;
		else if (copy_to_user(to, t.rec, t.rec->size))
			n = -EFAULT;
		else
			n = t.rec->size;
	}
	if (n > 0)
		r->place = f.after;
	kvfree(t.copy);
	bidx_found_put(&f);
	return n;
}

/* Return: bytes, 0 when there is nothing now, or an errno when nothing was read. */
static ssize_t bidx_reader_fill(struct bidx_follower *r, char __user *to, size_t room)
{
	unsigned int see = bidx_may_see();
	size_t done = 0;
	ssize_t n;

	do {
		n = bidx_reader_next(r, to + done, room - done, see);
		if (n <= 0)
			break;
		done += n;
	} while (!signal_pending(current));
	return done ? (ssize_t)done : n;
}

/* See struct buildidx_stream. */
ssize_t bidx_reader_read(struct file *file, char __user *to, size_t room, loff_t *pos)
{
	struct bidx_follower *r = file->private_data;
	ssize_t n;

	if (!bidx_may_see_all())
		return -EPERM;
	for (;;) {
		if (mutex_lock_interruptible(&r->lock))
			return -ERESTARTSYS;
		n = bidx_reader_fill(r, to, room);
		mutex_unlock(&r->lock);
		if (n)
			return n;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		/* Another thread may get it first. */
		if (wait_event_interruptible(bidx_stream_wait,
					     bidx_stream_has(&r->place, r->types)))
			return -ERESTARTSYS;
	}
}

__poll_t bidx_reader_poll(struct file *file, poll_table *wait)
{
	struct bidx_follower *r = file->private_data;

	poll_wait(file, &bidx_stream_wait, wait);
	/* Pairs with bidx_stream_wake(). poll_wait() itself has it since 6.13 (cacd9ae4bf80). */
	smp_mb();
	return bidx_stream_has(&r->place, r->types) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* Under the reader's lock, or while nobody else has it. */
static void bidx_reader_want(struct bidx_follower *r, u32 types)
{
	if (bidx_types_have_map(types) && !bidx_types_have_map(r->types))
		atomic_inc(&bidx_map_readers);
	if (!bidx_types_have_map(types) && bidx_types_have_map(r->types))
		atomic_dec(&bidx_map_readers);
	WRITE_ONCE(r->types, types);
}

/* Bytes of the next record, 0 when there is none. Under the reader's lock. */
static long bidx_reader_next_size(struct bidx_follower *r, u32 *size)
{
	struct bidx_found f;
	struct bidx_told t;
	int err;

	*size = 0;
	if (!bidx_stream_find(&r->place, r->types, &f))
		return 0;
	err = bidx_tell(&t, &f, bidx_may_see());
	if (!err)
		*size = t.rec->size;
	kvfree(t.copy);
	bidx_found_put(&f);
	return err;
}

/* BUILDIDX_IOC_STREAM */
long bidx_ioc_stream(struct file *file, union bidx_arg *arg)
{
	struct buildidx_stream *s = &arg->stream;
	const u32 places = BUILDIDX_STREAM_OLDEST | BUILDIDX_STREAM_NEXT;
	struct bidx_follower *r = file->private_data;
	long err;

	if (!bidx_may_see_all())
		return -EPERM;
	if ((s->flags & ~places) || s->flags == places || (s->types & ~BIDX_ALL_TYPES))
		return -EINVAL;
	if (mutex_lock_interruptible(&r->lock))
		return -ERESTARTSYS;
	if (s->types)
		bidx_reader_want(r, s->types);
	if (s->flags & BUILDIDX_STREAM_OLDEST)
		bidx_stream_oldest(&r->place);
	else if (s->flags & BUILDIDX_STREAM_NEXT)
		bidx_stream_end(&r->place);
	err = bidx_reader_next_size(r, &s->next_size);
	s->seq = r->place.seq;
	mutex_unlock(&r->lock);
	return err;
}

int bidx_reader_open(struct inode *inode, struct file *file)
{
	struct bidx_follower *r = kzalloc(sizeof(*r), GFP_KERNEL_ACCOUNT);

	if (!r)
		return -ENOMEM;
	mutex_init(&r->lock);
	r->types = BIDX_DEFAULT_TYPES;
	bidx_stream_end(&r->place);
	file->private_data = r;
	/* There is no place in it to read at: pread() is ESPIPE, and does not wait. */
	return stream_open(inode, file);
}

int bidx_reader_release(struct inode *inode, struct file *file)
{
	struct bidx_follower *r = file->private_data;

	bidx_reader_want(r, 0);
	kfree(r);
	return 0;
}
