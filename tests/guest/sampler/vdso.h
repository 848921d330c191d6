/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SAMPLER_VDSO_H
#define SAMPLER_VDSO_H

#include "truth.h"

/* The build ID in the caller's own vDSO; len 0 when it has none. */
void vdso_ident(struct ident *ident);

#endif /* SAMPLER_VDSO_H */
