/* SPDX-License-Identifier: GPL-2.0 */
/* The stream of records: what its log, its readers and who makes records know of each other */
#ifndef BIDX_STREAM_H
#define BIDX_STREAM_H

#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "../include/uapi/buildidx_record.h"

struct bidx_krec;

/**
 * struct bidx_event - a record that is only in the stream (OBJECT, MAP)
 * @free: once the last reference went
 * @refs: the log holds one, each reader one while it copies
 * @data: the record; its seq is put in when it is added
 */
struct bidx_event {
	struct llist_node free;
	refcount_t refs;
	u64 data[];
};

static inline struct buildidx_rec *bidx_event_rec(struct bidx_event *e)
{
	return (struct buildidx_rec *)e->data;
}

/**
 * struct bidx_place - where in the stream a reader is
 * @seq: number of the next record that it will look at
 * @passed: records of each type whose number is less, those included that could not be
 *	made; so that what it missed can be counted by type
 */
struct bidx_place {
	u64 seq;
	u64 passed[BUILDIDX_REC_TYPES];
};

enum bidx_slot_what {
	BIDX_SLOT_CAME,		/* a krec, as it came */
	BIDX_SLOT_WENT,		/* a krec, that it went */
	BIDX_SLOT_EVENT,	/* a record of its own */
	BIDX_SLOT_LOST,		/* records that could not be made */
};

/**
 * struct bidx_found - what comes next for a reader
 * @after: where the reader is once it has this
 * @what: enum bidx_slot_what; LOST too when the reader was too slow
 * @seq: its number
 * @time: CLOCK_BOOTTIME
 * @lost: LOST: how many
 * @k: CAME, WENT: with a reference
 * @e: EVENT: with a reference
 */
struct bidx_found {
	struct bidx_place after;
	u8 what;
	u64 seq;
	u64 time;
	u64 lost;
	union {
		struct bidx_krec *k;
		struct bidx_event *e;
	};
};

/* stream.c: the log */
extern wait_queue_head_t bidx_stream_wait;
void bidx_stream_oldest(struct bidx_place *p);
void bidx_stream_end(struct bidx_place *p);
bool bidx_stream_has(const struct bidx_place *p, u32 types);
bool bidx_stream_find(struct bidx_place *p, u32 types, struct bidx_found *f);
void bidx_found_put(struct bidx_found *f);
struct bidx_event *bidx_event_alloc(u32 size);
void bidx_stream_add(struct bidx_event *e);

#endif /* BIDX_STREAM_H */
