/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BPF programs made on the spot: instructions by hand, names and lines through BTF. What
 * they are called and where their source lines are is known beforehand, to the character.
 */
#ifndef BPFREC_GEN_H
#define BPFREC_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/bpf.h>

#define GEN_FUNCS_MAX	8
#define GEN_NAME_MAX	64
/* Lines of each function: where it starts, what it works, the loop, the return. */
#define GEN_LINES	4
/* More lines, with an instruction each, that a function may have. */
#define GEN_PADDING_MAX	2048

/**
 * struct gen - a program to be made
 * @name: of its main function; the kernel keeps 15 bytes of it as the program's name.
 *	Subprograms are NAME_1, NAME_2, ...
 * @file: name of its source file
 * @line: number of its first line; those of function n start at @line + 100 * n
 * @funcs: functions, the main one included
 * @no_btf: without names and lines
 * @loops: turns of the loop in each function
 * @padding: more instructions in the main function, each with its line
 * @map_fd: a map that it uses, or 0 for none
 * @type: 0 means socket filter
 * @expected: attach type that it is loaded for
 * @attach_btf_id: kernel function that it is loaded for, or 0
 */
struct gen {
	char name[GEN_NAME_MAX];
	const char *file;
	unsigned int line;
	unsigned int funcs;
	bool no_btf;
	unsigned int loops;
	unsigned int padding;
	int map_fd;
	enum bpf_prog_type type;
	enum bpf_attach_type expected;
	uint32_t attach_btf_id;
};

/**
 * gen_load() - make and load it
 * @g: what
 * @btf_fd: where to put a descriptor of its BTF, -1 when it has none; NULL: not wanted
 *
 * Return: descriptor of the program, or a negative errno; a reason is printed.
 */
int gen_load(const struct gen *g, int *btf_fd);

/*
 * The same in two steps, for who wants to load it often or to measure that. gen_make() loads the
 * BTF only; NULL on failure.
 */
struct gen_code;
struct gen_code *gen_make(const struct gen *g);
int gen_load_made(const struct gen_code *c, const struct gen *g);
void gen_free(struct gen_code *c);

/* Name of function @i, and text of its source line @k (0 to GEN_LINES - 1). */
void gen_func_name(const struct gen *g, unsigned int i, char name[GEN_NAME_MAX]);
void gen_line_text(const struct gen *g, unsigned int i, unsigned int k, char text[128]);

/* Run it that often in the kernel (BPF_PROG_TEST_RUN). Return: 0 or a negative errno. */
int gen_run(int prog_fd, unsigned int times);

/* Each process may lock as much memory as it wants; old kernels count maps so. */
void gen_init(void);

#endif /* BPFREC_GEN_H */
