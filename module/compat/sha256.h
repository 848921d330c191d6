/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/sha256 - the context type of the kernel's SHA-256 library
 *
 * The type was struct sha256_state until "lib/crypto: sha256: Make library API
 * use strongly-typed contexts" (6.17) made it struct sha256_ctx and gave the
 * old name to something else. The functions kept their names, are exported,
 * and are built into every Debian kernel that we support
 * (CONFIG_CRYPTO_LIB_SHA256=y).
 */
#ifndef BIDX_COMPAT_SHA256_H
#define BIDX_COMPAT_SHA256_H

#include <crypto/sha2.h>

#include "compat_config.h"

#ifndef HAVE_SHA256_CTX
#define sha256_ctx sha256_state
#endif

#endif /* BIDX_COMPAT_SHA256_H */
