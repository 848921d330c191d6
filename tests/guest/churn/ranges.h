/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file mappings of the calling process, with build IDs read here and not by
 * anything under test.
 */
#ifndef CHURN_RANGES_H
#define CHURN_RANGES_H

#include "judge.h"

/* Fill @r from /proc/self/maps; test files are left out. Exits when it cannot. */
void churn_ranges_of_self(struct churn_ranges *r);

#endif /* CHURN_RANGES_H */
