/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel settings that the test needs.
 */
#ifndef CHURN_SETTINGS_H
#define CHURN_SETTINGS_H

/* Returns 0, or -1 with a text printed. */
int settings_apply(void);

#endif /* CHURN_SETTINGS_H */
