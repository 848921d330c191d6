/* SPDX-License-Identifier: GPL-2.0 */
/* Seeded pseudo-random numbers: a run can be repeated. */
#ifndef DEVFUZZ_RNG_H
#define DEVFUZZ_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* 0 to @n - 1 */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return rng_next(r) % n;
}

static inline int rng_one_in(struct rng *r, unsigned int n)
{
	return !rng_below(r, n);
}

static inline void rng_fill(struct rng *r, void *to, size_t len)
{
	unsigned char *p = to;

	while (len--)
		*p++ = rng_next(r);
}

/* A number as programs get them wrong: small, near a power of two, negative, any. */
static inline uint64_t rng_odd_number(struct rng *r)
{
	switch (rng_below(r, 5)) {
	case 0:
		return rng_below(r, 16);
	case 1:
		return (1ULL << rng_below(r, 64)) + rng_below(r, 3) - 1;
	case 2:
		return -rng_below(r, 16);
	case 3:
		return rng_next(r) >> 32;
	}
	return rng_next(r);
}

#endif /* DEVFUZZ_RNG_H */
