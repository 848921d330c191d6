/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calling the kfuncs in task context, for the calling process, with chosen
 * arguments: user space fills the globals of ask.bpf.c and lets the kernel's test
 * function run, which the program is attached to.
 */
#ifndef CASES_ASK_H
#define CASES_ASK_H

#define ASK_MAX		32 /* elements of each array */

#endif /* CASES_ASK_H */
