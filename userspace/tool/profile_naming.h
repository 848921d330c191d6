/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_naming - names for a profile, found by a process that may do nothing else
 *
 * The files are those of whoever runs on the machine. What they do to the process that
 * reads them must neither reach further nor cost the profile.
 */
#ifndef BUILDIDX_PROFILE_NAMING_H
#define BUILDIDX_PROFILE_NAMING_H

#include "profile_fold.h"
#include "profile_places.h"
#include "symbols.h"

/**
 * naming_run() - the same lines with names
 * @s: symbols
 * @unnamed: lines
 * @signals: signalfd of SIGINT and SIGTERM, which are blocked: the first one ends the
 *	search, what has been found until then is kept; the second one gives up
 * @places: receives the functions at each place in the lines
 * @report: receives allocated text of symbols_report()
 *
 * Return: lines with names, or NULL; that has been reported then.
 */
struct fold *naming_run(struct symbols *s, const struct fold *unnamed, int signals,
			struct places **places, char **report);

#endif /* BUILDIDX_PROFILE_NAMING_H */
