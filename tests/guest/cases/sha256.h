/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SHA-256 and the fallback identity, written a second time so that the module's
 * answer is compared with something that is not the module's own code.
 */
#ifndef CASES_SHA256_H
#define CASES_SHA256_H

#include <stddef.h>
#include <stdint.h>

void sha256(const void *data, size_t len, uint8_t digest[32]);

/* 16 bytes: first half of SHA-256(first 4096 + last 4096 + length big-endian). */
void fallback_identity(int fd, uint8_t id[16]);

#endif /* CASES_SHA256_H */
