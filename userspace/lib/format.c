// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * format - identities and names as text
 */
#include <string.h>

#include "internal.h"
#include "utf8.h"

/*
 * Text that grows in a buffer of fixed size; @len counts what a large enough
 * buffer would hold. Pieces go in whole or not at all, and nothing follows the
 * first piece that did not fit.
 */
struct text {
	char *buf;
	size_t size;
	size_t len;
	bool full;
};

static void text_start(struct text *t, char *buf, size_t size)
{
	t->buf = buf;
	t->size = size;
	t->len = 0;
	t->full = false;
	if (size)
		buf[0] = '\0';
}

static void text_add(struct text *t, const char *piece, size_t len)
{
	if (!t->full && t->size > len && t->len < t->size - len) {
		memcpy(t->buf + t->len, piece, len);
		t->buf[t->len + len] = '\0';
	} else {
		t->full = true;
	}
	t->len += len;
}

static void add_hex(struct text *t, const unsigned char *s, size_t len)
{
	static const char digit[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < len; i++) {
		char pair[2] = { digit[s[i] >> 4], digit[s[i] & 15] };

		text_add(t, pair, sizeof(pair));
	}
}

/* Characters that hide, or that reorder what stands around them. */
static bool is_deceptive(uint32_t cp)
{
	return (cp >= 0x80 && cp <= 0xa0) || cp == 0xad || cp == 0x61c ||
	       (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202f) ||
	       (cp >= 0x2060 && cp <= 0x206f) || cp == 0x3000 || cp == 0xfeff;
}

static bool is_plain(uint32_t cp)
{
	return cp > ' ' && cp != '\\' && cp != 0x7f && !is_deceptive(cp);
}

static void add_escaped(struct text *t, const unsigned char *s, size_t len)
{
	while (len) {
		uint32_t cp;
		size_t i, n = bidx_utf8_next(s, len, &cp);

		if (n && is_plain(cp)) {
			text_add(t, (const char *)s, n);
		} else {
			n = n ? n : 1;
			for (i = 0; i < n; i++) {
				char octal[4] = {
					'\\',
					(char)('0' + (s[i] >> 6)),
					(char)('0' + (s[i] >> 3 & 7)),
					(char)('0' + (s[i] & 7)),
				};

				text_add(t, octal, sizeof(octal));
			}
		}
		s += n;
		len -= n;
	}
}

size_t buildidx_hex(const void *src, size_t len, char *buf, size_t size)
{
	struct text t;

	text_start(&t, buf, size);
	add_hex(&t, src, len);
	return t.len;
}

size_t buildidx_escape(const void *src, size_t len, char *buf, size_t size)
{
	struct text t;

	text_start(&t, buf, size);
	add_escaped(&t, src, len);
	return t.len;
}

size_t buildidx_format_id(unsigned int kind, const void *id, size_t id_len,
			  char *buf, size_t size)
{
	struct text t;

	text_start(&t, buf, size);
	switch (kind) {
	case BUILDIDX_KIND_GNU:
		add_hex(&t, id, id_len);
		break;
	case BUILDIDX_KIND_GO:
		text_add(&t, "go:", 3);
		add_escaped(&t, id, id_len);
		break;
	case BUILDIDX_KIND_HASH:
		text_add(&t, "hash:", 5);
		add_hex(&t, id, id_len);
		break;
	case BUILDIDX_KIND_BPF:
		text_add(&t, "bpf:", 4);
		add_hex(&t, id, id_len);
		break;
	default:
		text_add(&t, "-", 1);
		break;
	}
	return t.len;
}
