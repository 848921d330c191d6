// SPDX-License-Identifier: GPL-2.0
/*
 * export_dwarf - debug information of a BPF program: names and lines, DWARF 4
 *
 * No library in Debian writes DWARF but those of compilers. What is needed is little:
 * one compile unit, one subprogram for each function, one sequence of lines for each
 * function, written without special opcodes.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export_dwarf.h"

#define DWARF_VERSION	4
#define ADDRESS_SIZE	8
/* A record has 16 MiB at most, which makes less than this. */
#define BYTES_MAX	(256U << 20)

/* Abbreviations */
#define ABBREV_UNIT		1
#define ABBREV_FUNCTION		2

/* The directory that relative names of files are relative to: nothing tells it. */
#define COMP_DIR	"."

#define OPCODE_BASE	13
#define LINE_BASE	(-5)
#define LINE_RANGE	14

void bytes_add(struct bytes *b, const void *from, size_t len)
{
	unsigned char *bigger;
	size_t room = b->room ? b->room : 256;

	if (b->failed || len > BYTES_MAX - b->len) {
		b->failed = true;
		return;
	}
	while (room - b->len < len)
		room *= 2;
	if (room != b->room) {
		bigger = realloc(b->at, room);
		if (!bigger) {
			b->failed = true;
			return;
		}
		b->at = bigger;
		b->room = room;
	}
	memcpy(b->at + b->len, from, len);
	b->len += len;
}

size_t bytes_text(struct bytes *b, const char *text)
{
	size_t at = b->len;

	bytes_add(b, text, strlen(text) + 1);
	return at;
}

static void put(unsigned char *to, uint64_t value, unsigned int size, bool big)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		to[big ? size - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

static void number(struct bytes *b, uint64_t value, unsigned int size)
{
	unsigned char to[8];

	put(to, value, size, b->big);
	bytes_add(b, to, size);
}

static void uleb(struct bytes *b, uint64_t value)
{
	unsigned char byte;

	do {
		byte = value & 0x7f;
		value >>= 7;
		if (value)
			byte |= 0x80;
		bytes_add(b, &byte, 1);
	} while (value);
}

static void sleb(struct bytes *b, int64_t value)
{
	unsigned char byte;
	bool more;

	do {
		byte = value & 0x7f;
		value >>= 7;
		more = !(value == 0 && !(byte & 0x40)) && !(value == -1 && byte & 0x40);
		if (more)
			byte |= 0x80;
		bytes_add(b, &byte, 1);
	} while (more);
}

/* A length that is known at the end; returns where it stands. */
static size_t length_start(struct bytes *b)
{
	size_t at = b->len;

	number(b, 0, 4);
	return at;
}

static void length_end(struct bytes *b, size_t at)
{
	if (!b->failed)
		put(b->at + at, b->len - at - 4, 4, b->big);
}

/* The names of files come first, so that lines can name them by number. */
static void file_names(struct bytes *b, const struct buildidx_rec_bpf *r, uint32_t *number_of)
{
	const struct buildidx_bpf_func *f;
	const struct buildidx_bpf_line *l;
	uint32_t i, k, files = 0;
	const char *name;

	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		for (k = 0; (l = buildidx_bpf_line(r, f, k)); k++) {
			if (number_of[l->file])
				continue;
			name = buildidx_record_text(&r->rec, l->file);
			/* an empty name would end the list */
			bytes_text(b, *name ? name : "unknown");
			uleb(b, 0);
			uleb(b, 0);
			uleb(b, 0);
			number_of[l->file] = ++files;
		}
	}
	number(b, 0, 1);
}

/**
 * struct row - a line, and where it stood among the others
 */
struct row {
	const struct buildidx_bpf_line *line;
	uint32_t order;
};

static int by_offset(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->line->off != y->line->off)
		return x->line->off < y->line->off ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void set_address(struct bytes *b, uint64_t address)
{
	number(b, 0, 1);
	uleb(b, 1 + ADDRESS_SIZE);
	number(b, DW_LNE_set_address, 1);
	number(b, address, ADDRESS_SIZE);
}

static void end_sequence(struct bytes *b)
{
	number(b, 0, 1);
	uleb(b, 1);
	number(b, DW_LNE_end_sequence, 1);
}

/* One function is one sequence: its lines, in the order of its text. */
static void sequence(struct bytes *b, const struct buildidx_bpf_func *f, const struct row *rows,
		     const uint32_t *number_of)
{
	uint32_t i, offset = 0, file = 1, line = 1;

	set_address(b, f->image);
	for (i = 0; i < f->lines && rows[i].line->off < f->len; i++) {
		const struct buildidx_bpf_line *l = rows[i].line;

		/* of several at one instruction, the last counts */
		if (i + 1 < f->lines && rows[i + 1].line->off == l->off)
			continue;
		number(b, DW_LNS_advance_pc, 1);
		uleb(b, l->off - offset);
		offset = l->off;
		if (number_of[l->file] != file) {
			file = number_of[l->file];
			number(b, DW_LNS_set_file, 1);
			uleb(b, file);
		}
		number(b, DW_LNS_advance_line, 1);
		sleb(b, (int64_t)l->line - line);
		line = l->line;
		number(b, DW_LNS_set_column, 1);
		uleb(b, l->col);
		number(b, DW_LNS_copy, 1);
	}
	number(b, DW_LNS_advance_pc, 1);
	uleb(b, f->len - offset);
	end_sequence(b);
}

static int sequences(struct bytes *b, const struct buildidx_rec_bpf *r, const uint32_t *number_of)
{
	const struct buildidx_bpf_func *f;
	struct row *rows;
	uint32_t i, k;

	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		if (!f->lines || !f->len)
			continue;
		rows = calloc(f->lines, sizeof(*rows));
		if (!rows)
			return -ENOMEM;
		for (k = 0; k < f->lines; k++)
			rows[k] = (struct row){ buildidx_bpf_line(r, f, k), k };
		qsort(rows, f->lines, sizeof(*rows), by_offset);
		sequence(b, f, rows, number_of);
		free(rows);
	}
	return 0;
}

static int make_line(struct bytes *b, const struct buildidx_rec_bpf *r)
{
	static const unsigned char operands[OPCODE_BASE - 1] = {
		0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1,
	};
	uint32_t *number_of = calloc(r->strings.len + 1, sizeof(*number_of));
	size_t unit, header;
	int ret;

	if (!number_of)
		return -ENOMEM;
	unit = length_start(b);
	number(b, DWARF_VERSION, 2);
	header = length_start(b);
	number(b, 1, 1);	/* bytes of the shortest instruction */
	number(b, 1, 1);	/* operations in an instruction */
	number(b, 1, 1);	/* each row begins a statement */
	number(b, (unsigned char)LINE_BASE, 1);
	number(b, LINE_RANGE, 1);
	number(b, OPCODE_BASE, 1);
	bytes_add(b, operands, sizeof(operands));
	number(b, 0, 1);	/* no directories: names are whole */
	file_names(b, r, number_of);
	length_end(b, header);
	ret = sequences(b, r, number_of);
	length_end(b, unit);
	free(number_of);
	return ret;
}

static void attribute(struct bytes *b, unsigned int name, unsigned int form)
{
	uleb(b, name);
	uleb(b, form);
}

static void make_abbrev(struct bytes *b)
{
	uleb(b, ABBREV_UNIT);
	uleb(b, DW_TAG_compile_unit);
	number(b, DW_CHILDREN_yes, 1);
	attribute(b, DW_AT_producer, DW_FORM_string);
	attribute(b, DW_AT_language, DW_FORM_data2);
	attribute(b, DW_AT_name, DW_FORM_string);
	attribute(b, DW_AT_comp_dir, DW_FORM_string);
	attribute(b, DW_AT_stmt_list, DW_FORM_sec_offset);
	attribute(b, DW_AT_low_pc, DW_FORM_addr);
	attribute(b, DW_AT_high_pc, DW_FORM_data8);
	attribute(b, 0, 0);

	uleb(b, ABBREV_FUNCTION);
	uleb(b, DW_TAG_subprogram);
	number(b, DW_CHILDREN_no, 1);
	attribute(b, DW_AT_name, DW_FORM_string);
	attribute(b, DW_AT_external, DW_FORM_flag_present);
	attribute(b, DW_AT_low_pc, DW_FORM_addr);
	attribute(b, DW_AT_high_pc, DW_FORM_data8);
	attribute(b, 0, 0);
	uleb(b, 0);
}

static const char *first_file(const struct buildidx_rec_bpf *r, const char *otherwise)
{
	const struct buildidx_bpf_func *f;
	const struct buildidx_bpf_line *l;
	uint32_t i;

	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		l = buildidx_bpf_line(r, f, 0);
		if (l && *buildidx_record_text(&r->rec, l->file))
			return buildidx_record_text(&r->rec, l->file);
	}
	return otherwise;
}

static void make_info(struct bytes *b, const struct buildidx_rec_bpf *r, const char *name)
{
	const struct buildidx_bpf_func *f;
	size_t unit = length_start(b);
	uint32_t i;

	number(b, DWARF_VERSION, 2);
	number(b, 0, 4);	/* its abbreviations */
	number(b, ADDRESS_SIZE, 1);
	uleb(b, ABBREV_UNIT);
	bytes_text(b, "buildidx");
	number(b, DW_LANG_C99, 2);
	bytes_text(b, first_file(r, name));
	bytes_text(b, COMP_DIR);
	number(b, 0, 4);	/* its lines */
	number(b, 0, ADDRESS_SIZE);
	number(b, buildidx_bpf_size(r), 8);
	for (i = 0; (f = buildidx_bpf_func(r, i)); i++) {
		const char *function = buildidx_record_text(&r->rec, f->name);

		if (!f->len)
			continue;
		uleb(b, ABBREV_FUNCTION);
		bytes_text(b, *function ? function : name);
		number(b, f->image, ADDRESS_SIZE);
		number(b, f->len, 8);
	}
	uleb(b, 0);
	length_end(b, unit);
}

static void make_aranges(struct bytes *b, const struct buildidx_rec_bpf *r)
{
	size_t unit = length_start(b);

	number(b, 2, 2);	/* version */
	number(b, 0, 4);	/* its unit */
	number(b, ADDRESS_SIZE, 1);
	number(b, 0, 1);	/* no segments */
	number(b, 0, 4);	/* ranges start at a multiple of their size */
	number(b, 0, ADDRESS_SIZE);
	number(b, buildidx_bpf_size(r), ADDRESS_SIZE);
	number(b, 0, ADDRESS_SIZE);
	number(b, 0, ADDRESS_SIZE);
	length_end(b, unit);
}

int dwarf_make(struct dwarf *d, const struct buildidx_rec_bpf *r, const char *name, bool big)
{
	int ret;

	memset(d, 0, sizeof(*d));
	d->abbrev.big = d->info.big = d->line.big = d->aranges.big = big;
	make_abbrev(&d->abbrev);
	make_info(&d->info, r, name);
	make_aranges(&d->aranges, r);
	ret = make_line(&d->line, r);
	if (!ret && (d->abbrev.failed || d->info.failed || d->line.failed || d->aranges.failed))
		ret = -EFBIG;
	if (ret)
		dwarf_free(d);
	return ret;
}

void dwarf_free(struct dwarf *d)
{
	free(d->abbrev.at);
	free(d->info.at);
	free(d->line.at);
	free(d->aranges.at);
	memset(d, 0, sizeof(*d));
}
