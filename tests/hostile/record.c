// SPDX-License-Identifier: GPL-2.0
/* A small, good record of a BPF program */
#include <stddef.h>
#include <string.h>

#include "record.h"

_Static_assert(sizeof(struct record) % 8 == 0, "the size of a record is a multiple of 8");
_Static_assert(offsetof(struct record, image) % 8 == 0, "so is where a section starts");

#define SECT(member) { offsetof(struct record, member), sizeof(((struct record *)0)->member) }

/* Offsets in the strings, which start with the empty text. */
enum {
	TEXT_MAIN = 1,
	TEXT_SUB = 6,
	TEXT_FILE = 10,
	TEXT_OTHER_FILE = 14,
	TEXT_INT_X = 18,
	TEXT_SAME_INT_X = 25,
	TEXT_RETURN = 32,
};

void record_init(struct record *r)
{
	static const char strings[] =
		"\0main\0sub\0a.c\0b.h\0int x;\0int x;\0return x;";

	_Static_assert(sizeof(strings) <= sizeof(r->strings), "room for the texts");
	*r = (struct record) {
		.bpf = {
			.rec = {
				.size = sizeof(*r),
				.type = BUILDIDX_REC_BPF_LOAD,
				.fixed = sizeof(r->bpf),
			},
			.name = TEXT_MAIN,
			.func_each = sizeof(r->func[0]),
			.line_each = sizeof(r->line[0]),
			.funcs = SECT(func),
			.lines = SECT(line),
			.maps = SECT(map),
			.strings = SECT(strings),
			.image = SECT(image),
		},
		.func = {
			{ .addr = 0xffffffffc0001000, .len = 0x1c, .name = TEXT_MAIN,
			  .image = 0, .line = 0, .lines = 3 },
			{ .addr = 0xffffffffc0002000, .len = 0x10, .name = TEXT_SUB,
			  .image = 32, .line = 3, .lines = 1 },
		},
		.line = {
			{ .off = 0, .file = TEXT_FILE, .text = TEXT_INT_X, .line = 7, .col = 2 },
			/* Another place, the same text. */
			{ .off = 4, .file = TEXT_FILE, .text = TEXT_SAME_INT_X, .line = 8 },
			{ .off = 9, .file = TEXT_OTHER_FILE, .text = TEXT_RETURN, .line = 258,
			  .col = 1 },
			/* As the line before, but in another function. */
			{ .off = 0, .file = TEXT_OTHER_FILE, .text = TEXT_RETURN, .line = 258,
			  .col = 1 },
		},
		.map = { 3, 4 },
	};
	memcpy(r->strings, strings, sizeof(strings));
}
