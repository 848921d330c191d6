/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /dev/buildidx by raw ioctl, so that these tests share no code with the
 * library, and the words for what it answers.
 */
#ifndef CASES_DEV_H
#define CASES_DEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../../../include/uapi/buildidx.h"

/* The opened device; the program ends ("Bail out!") when it cannot be opened. */
int dev_open(void);

/* Each returns 0 or a negative errno. @pid 0 is the caller. */
int dev_info(int dev, struct buildidx_info *info);
int dev_addr(int dev, pid_t pid, const void *addr, struct buildidx_frame *f);
int dev_addr64(int dev, pid_t pid, uint64_t addr, struct buildidx_frame *f);
int dev_fd(int dev, int fd, struct buildidx_object *o);
int dev_exe(int dev, pid_t pid, struct buildidx_object *o);
int dev_object(int dev, uint64_t object, struct buildidx_object *o);
int dev_stats(int dev, int cpu, struct buildidx_stats *s);

/* One counter, over all CPUs; the program ends when it cannot be read. */
uint64_t dev_counter(int dev, enum buildidx_counter c);

/*
 * True once captured = indexed + refused + failed + dropped. Captures may be
 * under way, so it waits for some; @s holds the last numbers read.
 */
bool dev_settled(int dev, struct buildidx_stats *s);

/*
 * dev_dump() - the whole index
 * Return: entries, in an array that the caller frees; negative errno on error.
 */
long dev_dump(int dev, struct buildidx_object **all);

const char *status_name(unsigned int status);

/* Hex text of @len bytes in one of a few static buffers. */
const char *hex(const void *bytes, size_t len);

/* What was seen, in one line, in one of a few static buffers. */
const char *show_frame(int err, const struct buildidx_frame *f);
const char *show_object(int err, const struct buildidx_object *o);

/* True when the answer is OK with exactly this GNU build ID. */
bool frame_is(int err, const struct buildidx_frame *f, const void *id, size_t len);
bool object_is(int err, const struct buildidx_object *o, const void *id, size_t len);

/* True when the answer carries exactly this identity, whatever its status. */
bool frame_has(int err, const struct buildidx_frame *f, const void *id, size_t len);

/* True for a status that says "not now" and that a later query can cure. */
bool status_is_transient(unsigned int status);

void sleep_ms(unsigned int ms);

#endif /* CASES_DEV_H */
