// SPDX-License-Identifier: GPL-2.0
/*
 * Does filemap_get_folio() answer ERR_PTR(-ENOENT) for "not cached"? Before 6.4 it answered NULL.
 * The two have one prototype; 6.4 made it an inline function over __filemap_get_folio() without
 * the flag FGP_ENTRY in the same series, which is what the compiler can see.
 */
#include <linux/pagemap.h>

int probe;

#if !defined(PROBE_CONTROL) && defined(FGP_ENTRY)
#error "filemap_get_folio() answers NULL"
#endif
