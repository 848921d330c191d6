/* SPDX-License-Identifier: GPL-2.0 */
/* The ioctl commands of /dev/buildidx, by file */
#ifndef BIDX_DEVICE_H
#define BIDX_DEVICE_H

#include "../include/uapi/buildidx.h"

/* The argument of a command, copied in; size, the first member of each, is the caller's. */
union bidx_arg {
	struct buildidx_info info;
	struct buildidx_query_fd fd;
	struct buildidx_query_addr addr;
	struct buildidx_query_exe exe;
	struct buildidx_query_object object;
	struct buildidx_dump dump;
	struct buildidx_stats stats;
	struct buildidx_query_record record;
	struct buildidx_dump_records records;
	struct buildidx_adopt adopt;
	struct buildidx_stream stream;
};

/* device_records.c: what the kernel ran */
long bidx_ioc_record(union bidx_arg *arg);
long bidx_ioc_records(union bidx_arg *arg);
long bidx_ioc_adopt(union bidx_arg *arg);
void bidx_records_info(struct buildidx_info *info);
bool bidx_object_address_seen(u64 object, unsigned int see);

#endif /* BIDX_DEVICE_H */
