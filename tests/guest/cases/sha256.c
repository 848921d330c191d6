// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sha256.h"
#include "tap.h"

#define EDGE	4096

static uint32_t rotr(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/* Round constants: fractional parts of cube roots of the first 64 primes. */
static uint32_t round_constant(int i)
{
	static uint32_t table[64];
	int n, k, d;

	if (!table[0]) {
		for (n = 2, k = 0; k < 64; n++) {
			unsigned __int128 lo = 0, hi = (unsigned __int128)8 << 32, mid;

			for (d = 2; d * d <= n && n % d; d++)
				;
			if (d * d <= n)
				continue;
			/* largest x with x^3 <= n * 2^96 */
			while (lo < hi) {
				mid = (lo + hi + 1) / 2;
				if (mid * mid * mid <= (unsigned __int128)n << 96)
					lo = mid;
				else
					hi = mid - 1;
			}
			table[k++] = (uint32_t)lo;
		}
	}
	return table[i];
}

static void block(uint32_t h[8], const uint8_t *p)
{
	uint32_t w[64], v[8], t1, t2;
	int i;

	for (i = 0; i < 16; i++)
		w[i] = (uint32_t)p[i * 4] << 24 | p[i * 4 + 1] << 16 | p[i * 4 + 2] << 8 |
		       p[i * 4 + 3];
	for (; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, h, sizeof(v));
	for (i = 0; i < 64; i++) {
		t1 = v[7] + (rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)) +
		     ((v[4] & v[5]) ^ (~v[4] & v[6])) + round_constant(i) + w[i];
		t2 = (rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)) +
		     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += t1;
		v[0] = t1 + t2;
	}
	for (i = 0; i < 8; i++)
		h[i] += v[i];
}

void sha256(const void *data, size_t len, uint8_t digest[32])
{
	uint32_t h[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
	};
	const uint8_t *p = data;
	uint8_t tail[128] = { 0 };
	size_t left = len, tail_len, i;

	for (; left >= 64; left -= 64, p += 64)
		block(h, p);
	memcpy(tail, p, left);
	tail[left] = 0x80;
	tail_len = left < 56 ? 64 : 128;
	for (i = 0; i < 8; i++)
		tail[tail_len - 1 - i] = (uint64_t)len * 8 >> (8 * i);
	for (i = 0; i < tail_len; i += 64)
		block(h, tail + i);
	for (i = 0; i < 32; i++)
		digest[i] = h[i / 4] >> (24 - 8 * (i % 4));
}

static size_t edge(int fd, uint8_t *buf, uint64_t off, uint64_t size)
{
	size_t want = size < EDGE ? size : EDGE;

	if (want && pread(fd, buf, want, off) != (ssize_t)want)
		bail("reading a test file for its hash: %s", strerror(errno));
	return want;
}

void fallback_identity(int fd, uint8_t id[16])
{
	uint8_t buf[2 * EDGE + 8], digest[32];
	struct stat st;
	uint64_t size;
	size_t n;
	int i;

	if (fstat(fd, &st))
		bail("fstat of a test file: %s", strerror(errno));
	size = st.st_size;
	n = edge(fd, buf, 0, size);
	n += edge(fd, buf + n, size < EDGE ? 0 : size - EDGE, size);
	for (i = 7; i >= 0; i--)
		buf[n++] = size >> (8 * i);
	sha256(buf, n, digest);
	memcpy(id, digest, 16);
}
