/* SPDX-License-Identifier: GPL-2.0 */
/* touch - follow everything in a record, for sanitizers to watch */
#ifndef TOUCH_H
#define TOUCH_H

#include "libbuildidx.h"

/**
 * touch_record() - follow everything in a record that the library has given
 *
 * Return: a number that depends on every byte that was looked at.
 */
uint64_t touch_record(const struct buildidx_rec *rec);

#endif /* TOUCH_H */
