// SPDX-License-Identifier: GPL-2.0
/*
 * profile_svg - folded lines as a flame graph
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/utf8.h"
#include "profile_svg.h"
#include "tool.h"

/* All in pixels. */
#define WIDTH		1200
#define MARGIN		10
#define TOP		64
#define BOTTOM		32
#define ROW		17
#define LETTER		7.3
#define SMALLEST	0.1

#define SHADES		3
/* No stack is deeper, but a file may say so. */
#define DEEPEST		1000

/**
 * struct box - one frame, and what lies on it
 * @name: text; points into the line that was seen first
 * @len: its length
 * @origin: whose code
 * @count: samples
 * @above: boxes on it
 * @nr_above: how many
 */
struct box {
	const char *name;
	size_t len;
	enum fold_origin origin;
	uint64_t count;
	struct box **above;
	size_t nr_above;
};

struct drawing {
	FILE *out;
	uint64_t total;
	unsigned int deepest;
	uint64_t boxes;
	uint64_t left_out;
};

static void free_box(struct box *b)
{
	size_t i;

	for (i = 0; i < b->nr_above; i++)
		free_box(b->above[i]);
	free(b->above);
	free(b);
}

static bool is_named(const struct box *b, const char *name, size_t len)
{
	return b->len == len && !memcmp(b->name, name, len);
}

/* Lines come sorted, so it is the last one most often. */
static struct box *box_on(struct box *b, const char *name, size_t len)
{
	struct box *new;
	size_t i;

	for (i = b->nr_above; i--;)
		if (is_named(b->above[i], name, len))
			return b->above[i];
	new = must(calloc(1, sizeof(*new)));
	new->name = name;
	new->len = len;
	new->origin = fold_origin_of(name, len);
	if (new->origin == FOLD_IS_INLINED)
		new->origin = b->origin;
	if (!(b->nr_above & (b->nr_above - 1)))
		b->above = must(reallocarray(b->above, b->nr_above ? 2 * b->nr_above : 1,
					     sizeof(*b->above)));
	b->above[b->nr_above++] = new;
	return new;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void add_line(void *ctx, const char *line, uint64_t count)
{
	unsigned int depth;
	struct box *b = ctx;
	size_t len;

	b->count = sum_of(b->count, count);
	for (depth = 0; depth < DEEPEST; depth++) {
		len = strcspn(line, ";");
		b = box_on(b, line, len);
		b->count = sum_of(b->count, count);
		if (!line[len])
			return;
		line += len + 1;
	}
}

/* XML has no way to write what is no character. */
static bool in_xml(uint32_t cp)
{
	return cp >= ' ' && cp != 0x7f && cp != 0xfffe && cp != 0xffff;
}

static void put_character(FILE *out, const unsigned char *p, size_t n)
{
	switch (*p) {
	case '&':
		fputs("&amp;", out);
		break;
	case '<':
		fputs("&lt;", out);
		break;
	case '>':
		fputs("&gt;", out);
		break;
	case '"':
		fputs("&quot;", out);
		break;
	default:
		fwrite(p, 1, n, out);
		break;
	}
}

/* The first @max characters. */
static void put_text(FILE *out, const char *text, size_t len, size_t max)
{
	const unsigned char *p = (const unsigned char *)text;
	uint32_t cp;
	size_t n;

	for (; len && max; max--) {
		n = bidx_utf8_next(p, len, &cp);
		if (n && in_xml(cp))
			put_character(out, p, n);
		else
			putc('?', out);
		n = n ? n : 1;
		p += n;
		len -= n;
	}
}

static size_t characters(const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t n, all = 0;
	uint32_t cp;

	for (; len; all++) {
		n = bidx_utf8_next(p, len, &cp);
		n = n ? n : 1;
		p += n;
		len -= n;
	}
	return all;
}

static unsigned int shade_of(const struct box *b)
{
	uint32_t hash = 2166136261U;
	size_t i;

	for (i = 0; i < b->len; i++)
		hash = (hash ^ (unsigned char)b->name[i]) * 16777619U;
	return (hash >> 8) % SHADES;
}

static char class_of(const struct box *b, unsigned int depth)
{
	if (!depth)
		return 'a';
	if (b->origin == FOLD_IN_BPF)
		return 'b';
	if (b->origin == FOLD_IN_KERNEL)
		return 'k';
	return *b->name == '[' ? 'n' : 'u';
}

static void measure(struct drawing *d, const struct box *b, unsigned int depth)
{
	size_t i;

	if ((double)b->count / (double)d->total * (WIDTH - 2 * MARGIN) < SMALLEST)
		return;
	if (depth > d->deepest)
		d->deepest = depth;
	for (i = 0; i < b->nr_above; i++)
		measure(d, b->above[i], depth + 1);
}

/* As much of a name as there is room for. */
static void draw_name(const struct drawing *d, const struct box *b, double width)
{
	size_t room = width < 3 * LETTER + 4 ? 0 : (size_t)((width - 4) / LETTER);

	if (!room)
		return;
	if (characters(b->name, b->len) <= room) {
		put_text(d->out, b->name, b->len, room);
		return;
	}
	put_text(d->out, b->name, b->len, room - 2);
	fputs("..", d->out);
}

static void draw(struct drawing *d, const struct box *b, double x, unsigned int depth)
{
	double width = (double)b->count / (double)d->total * (WIDTH - 2 * MARGIN);
	unsigned int y = TOP + (d->deepest - depth) * ROW;
	size_t i;

	if (width < SMALLEST) {
		d->left_out++;
		return;
	}
	d->boxes++;
	fprintf(d->out, "<g class=\"%c%u\"><title>", class_of(b, depth), shade_of(b));
	put_text(d->out, b->name, b->len, SIZE_MAX);
	fprintf(d->out, " (%" PRIu64 " samples, %.2f%%)</title>"
		"<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\"/>"
		"<text x=\"%.2f\" y=\"%u\">", b->count, 100.0 * (double)b->count / (double)d->total,
		x, y, width, ROW - 1, x + 2, y + ROW - 5);
	draw_name(d, b, width);
	fputs("</text></g>\n", d->out);
	for (i = 0; i < b->nr_above; i++) {
		draw(d, b->above[i], x, depth + 1);
		x += (double)b->above[i]->count / (double)d->total * (WIDTH - 2 * MARGIN);
	}
}

static const char style[] =
	"text{font:12px monospace;fill:#111}\n"
	"#frames text{pointer-events:none}\n"
	"#frames g{cursor:pointer}\n"
	"#frames g:hover rect{stroke:#000}\n"
	"#frames g.dim{opacity:.5}\n"
	"#frames g.hit rect{fill:#e639e6}\n"
	"#title{font-size:16px;text-anchor:middle}\n"
	".act{cursor:pointer;text-decoration:underline}\n"
	".a0 rect,.a1 rect,.a2 rect{fill:#d8d8d8}\n"
	".u0 rect{fill:#f6b26b}.u1 rect{fill:#f4a460}.u2 rect{fill:#f9c784}\n"
	".k0 rect{fill:#8fbce6}.k1 rect{fill:#7fb0df}.k2 rect{fill:#a3c9ec}\n"
	".b0 rect{fill:#8fd19e}.b1 rect{fill:#7cc68d}.b2 rect{fill:#a4dcb1}\n"
	".n0 rect,.n1 rect,.n2 rect{fill:#c8c2ba}\n";

/*
 * A box is shown where it is in the one that was clicked: what holds that one is as wide
 * as all, what is beside it vanishes.
 */
static const char script[] =
	"(function () {\n"
	"'use strict';\n"
	"var svg = document.documentElement, all = [], edge = 10, full = 1180, letter = 7.3;\n"
	"var state = document.getElementById('state'), clear = document.getElementById('clear');\n"
	"document.querySelectorAll('#frames g').forEach(function (g) {\n"
	"	var r = g.querySelector('rect'), t = g.querySelector('title').textContent;\n"
	"	var m = /^(.*) \\((\\d+) samples, [^)]*\\)$/.exec(t);\n"
	"	all.push({ g: g, r: r, t: g.querySelector('text'), name: m[1], n: Number(m[2]),\n"
	"		x: Number(r.getAttribute('x')), w: Number(r.getAttribute('width')),\n"
	"		y: Number(r.getAttribute('y')) });\n"
	"});\n"
	"function put(f, x, w) {\n"
	"	var room = Math.floor((w - 4) / letter);\n"
	"	f.g.style.display = w < 0.1 ? 'none' : '';\n"
	"	f.r.setAttribute('x', x);\n"
	"	f.r.setAttribute('width', w);\n"
	"	f.t.setAttribute('x', x + 2);\n"
	"	f.t.textContent = room < 3 ? '' : f.name.length <= room ? f.name :\n"
	"		f.name.substring(0, room - 2) + '..';\n"
	"}\n"
	"function zoom(to) {\n"
	"	var eps = 0.02;\n"
	"	all.forEach(function (f) {\n"
	"		var holds = f.y >= to.y && f.x <= to.x + eps && f.x + f.w >= to.x + to.w - eps;\n"
	"		var within = f.y <= to.y && f.x >= to.x - eps && f.x + f.w <= to.x + to.w + eps;\n"
	"		f.g.classList.toggle('dim', holds && f !== to && to !== all[0]);\n"
	"		if (holds)\n"
	"			put(f, edge, full);\n"
	"		else if (within)\n"
	"			put(f, edge + (f.x - to.x) * full / to.w, f.w * full / to.w);\n"
	"		else\n"
	"			put(f, edge, 0);\n"
	"	});\n"
	"}\n"
	"function mark(pattern) {\n"
	"	var end = -1, n = 0, re;\n"
	"	try {\n"
	"		re = pattern ? new RegExp(pattern) : null;\n"
	"	} catch (e) {\n"
	"		state.textContent = 'not a regular expression';\n"
	"		return;\n"
	"	}\n"
	"	clear.style.display = re ? '' : 'none';\n"
	"	all.forEach(function (f) {\n"
	"		var hit = re !== null && f !== all[0] && re.test(f.name);\n"
	"		f.g.classList.toggle('hit', hit);\n"
	"		/* boxes come from left to right, the lower ones first */\n"
	"		if (hit && f.x >= end - 0.02) {\n"
	"			n += f.n;\n"
	"			end = f.x + f.w;\n"
	"		}\n"
	"	});\n"
	"	state.textContent = re ? 'found in ' + (100 * n / all[0].n).toFixed(2) + '%' : '';\n"
	"}\n"
	"svg.addEventListener('click', function (e) {\n"
	"	var g = e.target.closest('#frames g');\n"
	"	if (e.target.id === 'search')\n"
	"		mark(window.prompt('Regular expression:', ''));\n"
	"	else if (e.target.id === 'clear')\n"
	"		mark('');\n"
	"	else if (g)\n"
	"		zoom(all.find(function (f) { return f.g === g; }));\n"
	"});\n"
	"}());\n";

static void draw_legend(FILE *out)
{
	static const struct {
		const char *class;
		const char *text;
	} kinds[] = {
		{ "u0", "user" }, { "k0", "kernel" }, { "b0", "BPF" }, { "n0", "no frame" },
	};
	unsigned int i, x = MARGIN;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		fprintf(out, "<g class=\"%s\"><rect x=\"%u\" y=\"38\" width=\"12\" height=\"12\"/>"
			"<text x=\"%u\" y=\"48\">%s</text></g>\n", kinds[i].class, x, x + 16,
			kinds[i].text);
		x += 40 + (unsigned int)(8 * strlen(kinds[i].text));
	}
	fprintf(out, "<text id=\"state\" x=\"%d\" y=\"48\"/>\n"
		"<text id=\"search\" class=\"act\" x=\"%d\" y=\"48\">search</text>\n"
		"<text id=\"clear\" class=\"act\" style=\"display:none\" x=\"%d\" y=\"48\">clear</text>\n",
		WIDTH / 2 + 180, WIDTH - MARGIN - 120, WIDTH - MARGIN - 50);
}

static void draw_all(struct drawing *d, const struct box *all, const char *title)
{
	unsigned int height;

	measure(d, all, 0);
	height = TOP + (d->deepest + 1) * ROW + BOTTOM;
	fprintf(d->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\">\n", WIDTH, height, WIDTH, height);
	fprintf(d->out, "<style>\n%s</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
		"<text id=\"title\" x=\"%d\" y=\"24\">", style, WIDTH / 2);
	put_text(d->out, title, strlen(title), SIZE_MAX);
	fputs("</text>\n", d->out);
	draw_legend(d->out);
	fputs("<g id=\"frames\">\n", d->out);
	draw(d, all, MARGIN, 0);
	fputs("</g>\n", d->out);
	fprintf(d->out, "<text x=\"%d\" y=\"%u\">%" PRIu64 " samples", MARGIN, height - 12, d->total);
	if (d->left_out)
		fprintf(d->out, "; %" PRIu64 " boxes that are too narrow are left out, with what is on them",
			d->left_out);
	fprintf(d->out, "</text>\n<script><![CDATA[\n%s]]></script>\n</svg>\n", script);
}

void svg_write(const struct fold *fold, const char *title, FILE *out)
{
	struct box *all = must(calloc(1, sizeof(*all)));
	struct drawing d = { .out = out };

	all->name = "all";
	all->len = 3;
	fold_each(fold, add_line, all);
	d.total = all->count ? all->count : 1;
	draw_all(&d, all, title);
	free_box(all);
}
