/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * utf8 - strict decoding of one character; shared by library and tool
 */
#ifndef BUILDIDX_UTF8_H
#define BUILDIDX_UTF8_H

#include <stddef.h>
#include <stdint.h>

/**
 * bidx_utf8_next() - decode the first character
 * @s: bytes
 * @len: their number, at least 1
 * @cp: receives the code point
 *
 * Overlong forms, surrogates and values past U+10FFFF are refused.
 *
 * Return: bytes used (1 to 4), or 0 when @s does not start with a character.
 */
static inline size_t bidx_utf8_next(const unsigned char *s, size_t len, uint32_t *cp)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c = s[0];
	size_t i, n;

	if (c < 0x80) {
		*cp = c;
		return 1;
	}
	if ((c & 0xe0) == 0xc0)
		n = 2;
	else if ((c & 0xf0) == 0xe0)
		n = 3;
	else if ((c & 0xf8) == 0xf0)
		n = 4;
	else
		return 0;
	if (n > len)
		return 0;
	c &= 0xffu >> (n + 1);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*cp = c;
	return n;
}

#endif /* BUILDIDX_UTF8_H */
