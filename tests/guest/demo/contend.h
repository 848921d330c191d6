/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DEMO_CONTEND_H
#define DEMO_CONTEND_H

#include "layer.h"

/* Start threads that keep mmap_lock busy until the chain is done; 0 or negative errno. */
int contend_start(struct chain *chain);

#endif /* DEMO_CONTEND_H */
