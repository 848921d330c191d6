/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile_svg - folded lines as a flame graph: one SVG file that needs nothing else
 */
#ifndef BUILDIDX_PROFILE_SVG_H
#define BUILDIDX_PROFILE_SVG_H

#include <stdio.h>

#include "profile_fold.h"

/**
 * svg_write() - draw all lines
 * @fold: lines
 * @title: text above
 * @out: where to
 *
 * A box is as wide as the share of samples that have it at this place; those below a
 * tenth of a pixel are left out, which is told. A click on a box zooms in, one on the
 * lowest box out again; a search marks boxes by a regular expression.
 */
void svg_write(const struct fold *fold, const char *title, FILE *out);

#endif /* BUILDIDX_PROFILE_SVG_H */
