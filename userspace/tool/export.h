/* SPDX-License-Identifier: GPL-2.0 */
/*
 * export - a BPF program's record as an ELF file with debug information
 */
#ifndef BUILDIDX_EXPORT_H
#define BUILDIDX_EXPORT_H

#include "records.h"

/**
 * struct export_machine - what an ELF file says of a machine
 * @e_machine: EM_*
 * @big: big endian
 */
struct export_machine {
	uint16_t e_machine;
	bool big;
};

/** export_machine() - by its name (uname -m); false when it is not known */
bool export_machine(const char *name, struct export_machine *m);

/**
 * export_elf() - write the program as an ELF file
 * @fd: empty file, open for reading and writing
 * @r: record
 * @m: machine
 * @err: text of the error
 *
 * The file has the program's build ID, its text from address 0 (NOBITS when the record
 * has no image), a symbol for each function and a line table.
 *
 * Return: 0 or a negative errno.
 */
int export_elf(int fd, const struct buildidx_rec_bpf *r, const struct export_machine *m,
	       struct buildidx_error *err);

/**
 * export_to_file() - the same, into a file of this name, which it replaces
 * @path: name; the file appears when it is whole
 */
int export_to_file(const char *path, const struct buildidx_rec_bpf *r,
		   const struct export_machine *m, struct buildidx_error *err);

/**
 * export_debuginfod() - the same, where a debuginfod client or server looks for it
 * @dir: directory, made when it is not there
 *
 * "buildid/<ID>/debuginfo" below it, and "executable" when there is an image.
 */
int export_debuginfod(const char *dir, const struct buildidx_rec_bpf *r,
		      const struct export_machine *m, struct buildidx_error *err);

/**
 * export_sources() - write the source lines that the record has as files
 * @dir: directory, made when it is not there
 * @r: record
 * @err: text of the error
 *
 * Each line has its number in its file; lines that the record does not have are empty.
 * Files lie below @dir by their names in the record, without "..". What is there already is
 * never written over.
 *
 * Return: 0 or a negative errno.
 */
int export_sources(const char *dir, const struct buildidx_rec_bpf *r,
		   struct buildidx_error *err);

#endif /* BUILDIDX_EXPORT_H */
