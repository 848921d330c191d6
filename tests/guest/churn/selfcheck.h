/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shows that the checkers can fail.
 */
#ifndef CHURN_SELFCHECK_H
#define CHURN_SELFCHECK_H

/*
 * Judge made-up records, right and wrong ones, and made-up kernel log lines.
 * Prints what is judged otherwise than it should be. Returns how many that are;
 * @cases is set to how many were tried.
 */
unsigned int churn_selfcheck(unsigned int *cases);

#endif /* CHURN_SELFCHECK_H */
