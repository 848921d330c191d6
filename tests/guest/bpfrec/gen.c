// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>

#include "gen.h"

#define INSNS_MAX	(16 * GEN_FUNCS_MAX + 16 + GEN_PADDING_MAX)

/* Instructions, in the words of the kernel's own macros. */
#define MOV64_IMM(dst, i)	((struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, i })
#define MOV64_REG(dst, src)	((struct bpf_insn){ BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0 })
#define ALU64_IMM(op, dst, i)	((struct bpf_insn){ BPF_ALU64 | (op) | BPF_K, dst, 0, 0, i })
#define ALU64_REG(op, dst, src)	((struct bpf_insn){ BPF_ALU64 | (op) | BPF_X, dst, src, 0, 0 })
#define JMP_IMM(op, dst, i, o)	((struct bpf_insn){ BPF_JMP | (op) | BPF_K, dst, 0, o, i })
#define CALL_FUNC(rel)		((struct bpf_insn){ BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0, rel })
#define EXIT()			((struct bpf_insn){ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 })

/* struct bpf_line_info.line_col */
#define LINE_COL(line, col)	((line) << 10 | (col))

struct gen_code {
	struct bpf_insn insns[INSNS_MAX];
	unsigned int count;
	struct bpf_line_info lines[GEN_FUNCS_MAX * GEN_LINES + GEN_PADDING_MAX];
	unsigned int nr_lines;
	struct bpf_func_info funcs[GEN_FUNCS_MAX];
	struct btf *btf;
};

static void emit(struct gen_code *c, struct bpf_insn insn)
{
	c->insns[c->count++] = insn;
}

void gen_func_name(const struct gen *g, unsigned int i, char name[GEN_NAME_MAX])
{
	if (i)
		snprintf(name, GEN_NAME_MAX, "%.50s_%u", g->name, i);
	else
		snprintf(name, GEN_NAME_MAX, "%s", g->name);
}

void gen_line_text(const struct gen *g, unsigned int i, unsigned int k, char text[128])
{
	static const char * const what[GEN_LINES] = {
		"long", "\tsum = start", "\tfor (n = turns; n; n--) sum *= 3", "\treturn sum",
	};

	snprintf(text, 128, "%s; /* %s, function %u */", what[k], g->name, i);
}

static void line(struct gen_code *c, const struct gen *g, const char *text, unsigned int number,
		 unsigned int col)
{
	if (!c->btf)
		return;
	c->lines[c->nr_lines++] = (struct bpf_line_info) {
		.insn_off = c->count,
		.file_name_off = btf__add_str(c->btf, g->file),
		.line_off = btf__add_str(c->btf, text),
		.line_col = LINE_COL(number, col),
	};
}

static void own_line(struct gen_code *c, const struct gen *g, unsigned int i, unsigned int k)
{
	char text[128];

	gen_line_text(g, i, k, text);
	line(c, g, text, g->line + 100 * i + k, 5 + k);
}

/* What each function does but for calling others. */
static void work(struct gen_code *c, const struct gen *g, unsigned int i)
{
	unsigned int k;
	char text[64];

	own_line(c, g, i, 1);
	emit(c, MOV64_IMM(BPF_REG_8, 7 + i));
	for (k = 0; !i && k < g->padding; k++) {
		snprintf(text, sizeof(text), "\tsum += %u;", k);
		line(c, g, text, g->line + 1000 + k, 9);
		emit(c, ALU64_IMM(BPF_ADD, BPF_REG_8, k));
	}
	own_line(c, g, i, 2);
	emit(c, MOV64_IMM(BPF_REG_7, g->loops + 1));
	emit(c, ALU64_IMM(BPF_MUL, BPF_REG_8, 3));
	emit(c, ALU64_IMM(BPF_SUB, BPF_REG_7, 1));
	emit(c, JMP_IMM(BPF_JNE, BPF_REG_7, 0, -3));
}

static void leave(struct gen_code *c, const struct gen *g, unsigned int i)
{
	own_line(c, g, i, 3);
	emit(c, MOV64_IMM(BPF_REG_0, 0));
	emit(c, EXIT());
}

static void main_function(struct gen_code *c, const struct gen *g, unsigned int calls[])
{
	unsigned int i;

	own_line(c, g, 0, 0);
	emit(c, MOV64_REG(BPF_REG_6, BPF_REG_1));
	if (g->map_fd) {
		emit(c, (struct bpf_insn){ BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, BPF_PSEUDO_MAP_FD,
					   0, g->map_fd });
		emit(c, (struct bpf_insn){ 0 });
	}
	work(c, g, 0);
	for (i = 1; i < g->funcs; i++) {
		emit(c, MOV64_REG(BPF_REG_1, BPF_REG_8));
		calls[i] = c->count;
		emit(c, CALL_FUNC(0));
	}
	leave(c, g, 0);
}

/* "long NAME(unsigned long start)", and for the main one "long NAME(void *ctx)" */
static int describe(struct gen_code *c, const struct gen *g, unsigned int i, unsigned int at)
{
	static int number, pointer;
	char name[GEN_NAME_MAX];
	int proto, func;

	if (!i) {
		number = btf__add_int(c->btf, "long", 8, BTF_INT_SIGNED);
		pointer = btf__add_ptr(c->btf, 0);
	}
	gen_func_name(g, i, name);
	proto = btf__add_func_proto(c->btf, number);
	if (proto < 0 || btf__add_func_param(c->btf, i ? "start" : "ctx", i ? number : pointer))
		return -ENOMEM;
	func = btf__add_func(c->btf, name, i ? BTF_FUNC_STATIC : BTF_FUNC_GLOBAL, proto);
	c->funcs[i] = (struct bpf_func_info) { .insn_off = at, .type_id = func };
	return func < 0 ? func : 0;
}

static int generate(struct gen_code *c, const struct gen *g)
{
	unsigned int calls[GEN_FUNCS_MAX] = { 0 }, i;
	int err;

	if (!g->no_btf) {
		c->btf = btf__new_empty();
		if (!c->btf || describe(c, g, 0, 0))
			return -ENOMEM;
	}
	main_function(c, g, calls);
	for (i = 1; i < g->funcs; i++) {
		/* relative to the instruction after the call */
		c->insns[calls[i]].imm = c->count - calls[i] - 1;
		if (c->btf && describe(c, g, i, c->count))
			return -ENOMEM;
		own_line(c, g, i, 0);
		emit(c, MOV64_REG(BPF_REG_6, BPF_REG_1));
		work(c, g, i);
		leave(c, g, i);
	}
	err = c->btf ? btf__load_into_kernel(c->btf) : 0;
	if (err)
		fprintf(stderr, "# loading the BTF of %s: %s\n", g->name, strerror(-err));
	return err;
}

static int load(const struct gen_code *c, const struct gen *g, char *log, size_t log_size)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		.expected_attach_type = g->expected,
		.attach_btf_id = g->attach_btf_id,
		.log_buf = log,
		.log_size = log_size,
		.log_level = log ? 1 : 0,
	);
	char name[16];

	if (c->btf) {
		opts.prog_btf_fd = btf__fd(c->btf);
		opts.func_info = c->funcs;
		opts.func_info_cnt = g->funcs;
		opts.func_info_rec_size = sizeof(c->funcs[0]);
		opts.line_info = c->lines;
		opts.line_info_cnt = c->nr_lines;
		opts.line_info_rec_size = sizeof(c->lines[0]);
	}
	snprintf(name, sizeof(name), "%.15s", g->name);
	return bpf_prog_load(g->type ? g->type : BPF_PROG_TYPE_SOCKET_FILTER, name, "GPL", c->insns,
			     c->count, &opts);
}

struct gen_code *gen_make(const struct gen *g)
{
	struct gen_code *c = calloc(1, sizeof(*c));

	if (c && generate(c, g)) {
		gen_free(c);
		c = NULL;
	}
	return c;
}

int gen_load_made(const struct gen_code *c, const struct gen *g)
{
	return load(c, g, NULL, 0);
}

void gen_free(struct gen_code *c)
{
	if (c)
		btf__free(c->btf);
	free(c);
}

int gen_load(const struct gen *g, int *btf_fd)
{
	struct gen_code *c = gen_make(g);
	char log[8192] = "";
	int fd, err;

	if (!c)
		return -ENOMEM;
	fd = load(c, g, NULL, 0);
	err = fd;
	if (fd < 0 && fd != -EINTR) {
		/* again, for the verifier's words */
		fd = load(c, g, log, sizeof(log));
		if (fd < 0)
			fprintf(stderr, "# loading %s: %s\n%s\n", g->name, strerror(-err), log);
	}
	if (btf_fd)
		*btf_fd = fd >= 0 && c->btf ? dup(btf__fd(c->btf)) : -1;
	gen_free(c);
	return fd < 0 ? err : fd;
}

int gen_run(int prog_fd, unsigned int times)
{
	unsigned char packet[64] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		.data_in = packet,
		.data_size_in = sizeof(packet),
		.repeat = times,
	);

	return bpf_prog_test_run_opts(prog_fd, &opts) ? -errno : 0;
}

void gen_init(void)
{
	const struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &unlimited);
}
