// SPDX-License-Identifier: GPL-2.0
/*
 * What the build of a module with BTF needs and Debian's kernel headers do not always bring: the
 * BTF of the kernel that the module is for, out of its boot image, and the ids in .BTF_ids.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "ids.h"
#include "image.h"

static const char usage[] =
	"usage: bidx-btf base RELEASE IMAGE OUT    write the BTF of kernel RELEASE, found in IMAGE, to OUT\n"
	"       bidx-btf section VMLINUX OUT       write the BTF of VMLINUX, whatever its release, to OUT\n"
	"       bidx-btf ids MODULE BASE           fill .BTF_ids of MODULE; BASE is what `base` wrote\n";

/* @release: NULL when the file carries no version, as the vmlinux in Debian's headers */
static int do_base(const char *release, const char *path, const char *out)
{
	struct blob image;
	struct btf btf;
	int ret = -1;

	if (image_load(path, &image))
		return -1;
	if (release && !image_is_release(&image, release)) {
		complain("%s: not an image of kernel %s", path, release);
		goto free;
	}
	if (btf_find_largest(&image, &btf)) {
		complain("%s: has no BTF: the kernel was built without CONFIG_DEBUG_INFO_BTF", path);
		goto free;
	}
	ret = file_write(out, &btf.raw);
	if (!ret)
		printf("%s: %zu bytes of BTF, %u types\n", path, btf.raw.size, btf.nr_types);
free:
	free(image.data);
	return ret;
}

static int do_ids(const char *module_path, const char *base_path)
{
	struct blob module, data;
	unsigned int filled;
	struct btf base;
	int ret = -1;

	if (file_read(base_path, &data))
		return -1;
	if (btf_parse(&data, NULL, &base)) {
		complain("%s: not valid BTF", base_path);
		goto free_base;
	}
	if (file_read(module_path, &module))
		goto free_base;
	ret = ids_fill(module_path, &module, &base, &filled);
	if (!ret)
		ret = file_write(module_path, &module);
	if (!ret)
		printf("%s: %u BTF ids filled\n", module_path, filled);
	free(module.data);
free_base:
	free(data.data);
	return ret;
}

int main(int argc, char **argv)
{
	int ret;

	if (argc == 5 && !strcmp(argv[1], "base"))
		ret = do_base(argv[2], argv[3], argv[4]);
	else if (argc == 4 && !strcmp(argv[1], "section"))
		ret = do_base(NULL, argv[2], argv[3]);
	else if (argc == 4 && !strcmp(argv[1], "ids"))
		ret = do_ids(argv[2], argv[3]);
	else {
		fputs(usage, stderr);
		return 2;
	}
	return ret ? 1 : 0;
}
