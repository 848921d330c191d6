/* SPDX-License-Identifier: GPL-2.0 */
/* Loading and unloading buildidx, and what the kernel log says meanwhile. */
#ifndef CASES_MODCTL_H
#define CASES_MODCTL_H

#include <stdbool.h>

/*
 * modprobe buildidx with parameters, separated by blanks.
 * Return: 0, or the exit status of modprobe.
 */
int mod_load(const char *params);

/* rmmod, tried again while BPF users are going away. Return: true when it is out. */
bool mod_unload(void);

bool mod_loaded(void);

/* Write to a switch of the kernel's, which must exist. Return: 0 or the errno. */
int write_switch(const char *path, const char *text);

/* Write to the parameter enable. Return: 0 or the errno. */
int mod_enable(const char *text);

/* Load for a test; the program ends when it does not load. Return: the opened device. */
int mod_load_and_open(const char *params);

/* From now on; @log_has() looks only at what came later. */
void log_mark(void);

/* True when one line since log_mark() contains both texts (@also may be NULL). */
bool log_has(const char *text, const char *also);

/*
 * True when a line since log_mark() is a kernel's complaint (WARNING, BUG, Oops and
 * the like); it is printed.
 */
bool log_complains(void);

#endif /* CASES_MODCTL_H */
