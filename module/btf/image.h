/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BIDX_BTF_IMAGE_H
#define BIDX_BTF_IMAGE_H

#include "blob.h"

/**
 * image_load() - the uncompressed kernel out of an image file
 * @path: bzImage (x86), Image or Image.gz (arm64), EFI zboot image, or vmlinux
 * @out: filled in; the caller frees @out->data
 *
 * Return: 0, or -1 after complain().
 */
int image_load(const char *path, struct blob *out);

/**
 * image_is_release() - is this the kernel that we mean?
 * @image: what image_load() gave
 * @release: `uname -r` of the kernel
 *
 * Return: 1 if the image holds that kernel's version banner, else 0.
 */
int image_is_release(const struct blob *image, const char *release);

#endif
