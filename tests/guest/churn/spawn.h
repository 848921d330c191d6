/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Starts and ends the processes that make the churn.
 */
#ifndef CHURN_SPAWN_H
#define CHURN_SPAWN_H

#include "judge.h"
#include "work.h"

#define SPAWN_WORKERS 2

/**
 * spawn_all() - create the files and start all processes
 * @w: disk, tmpfs, dl_program and state are set; the rest is filled in
 * @known: gets the mappings of this program and of the one that dlopens
 *
 * Return: 0 when all of them are ready, or -1 with a text printed.
 */
int spawn_all(struct work *w, struct churn_known *known);

/* Stop all of them, or let them go on. */
void spawn_pause(bool pause);

/* Kill all of them and their children, and wait until none is left. Returns how many ended early. */
unsigned int spawn_end(void);

#endif /* CHURN_SPAWN_H */
