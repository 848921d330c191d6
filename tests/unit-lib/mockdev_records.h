/* SPDX-License-Identifier: GPL-2.0 */
/* mockdev_records - the part of mockdev that keeps records */
#ifndef MOCKDEV_RECORDS_H
#define MOCKDEV_RECORDS_H

#include "mockdev.h"

/** mockdev_record_ioctl() - RECORD, RECORDS, ADOPT and STREAM */
int mockdev_record_ioctl(struct mockdev *dev, int fd, unsigned long cmd, void *arg);

#endif /* MOCKDEV_RECORDS_H */
