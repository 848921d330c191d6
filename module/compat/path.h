/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The path that a user sees of a mapped file
 *
 * What overlayfs maps is a file of the layer below. Its f_path is the user's until 6.7
 * (def3ae83da02, "fs: store real path instead of fake path in backing file f_path"),
 * which has file_user_path() for it.
 */
#ifndef BIDX_COMPAT_PATH_H
#define BIDX_COMPAT_PATH_H

#include <linux/fs.h>

#include "compat_config.h"

static inline const struct path *bidx_file_user_path(const struct file *file)
{
#ifdef HAVE_BACKING_FILE_USER_PATH
	return file_user_path(file);
#else
	return &file->f_path;
#endif
}

#endif /* BIDX_COMPAT_PATH_H */
