/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mockdev - stands in for /dev/buildidx, as strict as uapi/buildidx.h asks
 */
#ifndef MOCKDEV_H
#define MOCKDEV_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "libbuildidx.h"

#define MOCKDEV_STREAMS	8

/**
 * struct mockdev_stream - one open file, as a reader of the stream
 * @fd: readable while there is a record
 * @at: number in the records of the next one
 * @types: wanted
 */
struct mockdev_stream {
	int fd;
	size_t at;
	uint32_t types;
};

/**
 * struct mockdev - what the device does
 * @info: answer to INFO; @info.size is not used
 * @fail_cmd: command that fails; 0 for none
 * @fail_error: negative errno of it
 * @objects: entries that a dump gives: numbers 1 to @objects
 * @least_room: a dump into less gives ENOSPC
 * @stuck: a dump never moves its cursor
 * @overfull: a dump claims more entries than fit
 * @no_id: QUERY_FD and QUERY_EXE have only a status, NOT_RESIDENT
 * @moved: QUERY_ADDR finds something else mapped than maps said
 * @records: what it keeps, in the order in which it came
 * @nr_records: how many
 * @endless: at the end of the records, the stream starts again with the first
 * @grows: a record that was asked for grows once, between asking for its size and it
 * @nonsense: a record that it gives leads out of itself
 * @old: a module of the first release: it knows nothing of records
 * @adopted: file descriptors given to ADOPT
 * @streams: open files
 * @nr_streams: how many
 */
struct mockdev {
	struct buildidx_info info;
	unsigned long fail_cmd;
	int fail_error;
	uint64_t objects;
	uint32_t least_room;
	bool stuck;
	bool overfull;
	bool no_id;
	bool moved;
	struct buildidx_rec **records;
	size_t nr_records;
	bool endless;
	bool grows;
	bool nonsense;
	bool old;
	unsigned int adopted;
	struct mockdev_stream streams[MOCKDEV_STREAMS];
	unsigned int nr_streams;
};

/** mockdev_init() - a healthy device with 1000 objects */
void mockdev_init(struct mockdev *dev);

/** mockdev_ioctl() - for struct buildidx; @ctx is the struct mockdev */
int mockdev_ioctl(void *ctx, int fd, unsigned long cmd, void *arg);

/**
 * mockdev_records() - give the device the records of a capture
 *
 * A program that the capture says was unloaded is gone; of one number, the last counts.
 * They are left to the end of the test.
 */
void mockdev_records(struct mockdev *dev, const char *path);

/** mockdev_open(), mockdev_read() - for struct buildidx; @ctx is the struct mockdev */
int mockdev_open(void *ctx);
ssize_t mockdev_read(void *ctx, int fd, void *buf, size_t len);

/** mockdev_is() - was this file descriptor opened by mockdev_open()? */
bool mockdev_is(const struct mockdev *dev, int fd);

/** mockdev_object() - what the device holds under a number */
void mockdev_object(struct buildidx_object *obj, uint64_t number);

/*
 * QUERY_ADDR: an address below 16 pages has its page number as status, from
 * 16 pages to 17 a truncated Go ID of object MOCKDEV_GO_OBJECT; one above is
 * looked up in /proc/PID/maps and the file read.
 */
#define MOCKDEV_GO_ADDRESS	0x10000
#define MOCKDEV_GO_OBJECT	83
#define MOCKDEV_GO_LEN		83

#endif /* MOCKDEV_H */
