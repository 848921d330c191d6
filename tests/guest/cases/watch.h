/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that is mapped executable in this process, and the questions that the
 * tests ask about it again and again.
 */
#ifndef CASES_WATCH_H
#define CASES_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How the questions are asked: dev_addr() as @pid 0, or ask_frame() of ask_user.h.
 * By default the device; with the kfunc nothing but its own queued re-reads helps.
 */
struct buildidx_frame;
extern int (*watch_ask)(int dev, const void *at, struct buildidx_frame *f);

/* What await_id() returns */
enum awaited {
	AWAITED_ID,	/* the wanted ID, and never a forbidden one on the way */
	AWAITED_OLD,	/* the forbidden ID was seen */
	AWAITED_OTHER,	/* an ID or status that fits nothing */
	AWAITED_LATE,	/* only transient answers for the whole time */
};

/*
 * Map the first page of an open file private, readable and executable; the page
 * at the address is not touched. The program ends on failure.
 */
void *map_exec(int fd);
void *map_exec_path(const char *path);
void unmap_page(void *at);

/*
 * Ask until the answer is @want (20 bytes), for at most some seconds. Answers
 * that say "not now" are accepted meanwhile, @forbidden (may be NULL) never is.
 * What was seen last is described in await_seen().
 */
enum awaited await_id(int dev, const void *at, const uint8_t *want, const uint8_t *forbidden);
const char *await_seen(void);
const char *awaited_name(enum awaited a);

/* One question; true unless the answer is @forbidden. await_seen() describes it. */
bool is_not(int dev, const void *at, const uint8_t *forbidden);

/* One question; true when the answer is OK with @want. await_seen() describes it. */
bool is_now(int dev, const void *at, const uint8_t *want);

#endif /* CASES_WATCH_H */
