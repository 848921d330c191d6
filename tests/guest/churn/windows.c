// SPDX-License-Identifier: GPL-2.0
/*
 * The table of windows and files.
 */
#include "windows.h"

const struct churn_file_info churn_files[CHURN_FILES] = {
	[CHURN_F_SPLIT]		= { "split", CHURN_STATIC, false, 72, 20 },
	[CHURN_F_SPLIT_RUN]	= { "split-run", CHURN_STATIC, true, 40, 16 },
	[CHURN_F_TWO_A]		= { "two-a", CHURN_STATIC, false, 40, 20 },
	[CHURN_F_TWO_B]		= { "two-b", CHURN_STATIC, false, 40, 20 },
	[CHURN_F_OFFSETS]	= { "offsets", CHURN_STATIC, false, 48, 32 },
	[CHURN_F_ANON]		= { "anon", CHURN_STATIC, true, 40, 20 },
	[CHURN_F_MOVE]		= { "move", CHURN_STATIC, false, 40, 16 },
	[CHURN_F_REWRITE_DISK]	= { "rewrite-disk", CHURN_REWRITTEN, false, 12, 20 },
	[CHURN_F_REWRITE_TMPFS]	= { "rewrite-tmpfs", CHURN_REWRITTEN, true, 12, 20 },
	[CHURN_F_TRUNCATE]	= { "truncate", CHURN_TRUNCATED, false, 12, 32 },
	[CHURN_F_REPLACE_DISK]	= { "replace-disk", CHURN_REPLACED, false, 12, 20 },
	[CHURN_F_REPLACE_TMPFS]	= { "replace-tmpfs", CHURN_REPLACED, true, 12, 20 },
	[CHURN_F_DL_0]		= { "dl-0.so", CHURN_STATIC, false, 12, 20 },
	[CHURN_F_DL_1]		= { "dl-1.so", CHURN_STATIC, true, 12, 32 },
	[CHURN_F_DL_2]		= { "dl-2.so", CHURN_REPLACED, false, 12, 20 },
	[CHURN_F_DL_3]		= { "dl-3.so", CHURN_REPLACED, true, 12, 16 },
	[CHURN_F_EXEC_0]	= { "bxc-x0", CHURN_STATIC, false, 12, 20 },
	[CHURN_F_EXEC_1]	= { "bxc-x1", CHURN_REPLACED, false, 12, 20 },
};

/* A file of 12 pages is mapped without its first and last page. */
const struct churn_window_info churn_windows[CHURN_WINDOWS] = {
	[CHURN_W_SPLIT] = {
		"split", 1, { CHURN_F_SPLIT }, { 1 }, CHURN_WINDOW_PAGES, false, false },
	[CHURN_W_SPLIT_RUN] = {
		"split-run", 1, { CHURN_F_SPLIT_RUN }, { 1 }, CHURN_WINDOW_PAGES, false, false },
	[CHURN_W_PUNCH] = {
		"punch", 1, { CHURN_F_SPLIT }, { 37 }, CHURN_WINDOW_PAGES, true, false },
	[CHURN_W_TWO_FILES] = {
		"two-files", 2, { CHURN_F_TWO_A, CHURN_F_TWO_B }, { 1, 6 },
		CHURN_WINDOW_PAGES, true, false },
	[CHURN_W_TWO_OFFSETS] = {
		"two-offsets", 2, { CHURN_F_OFFSETS, CHURN_F_OFFSETS }, { 1, 9 },
		CHURN_WINDOW_PAGES, true, false },
	[CHURN_W_ANON] = {
		"anon", 1, { CHURN_F_ANON }, { 1 }, CHURN_WINDOW_PAGES, true, true },
	[CHURN_W_MOVE_A] = {
		"move-a", 1, { CHURN_F_MOVE }, { 1 }, CHURN_WINDOW_PAGES, true, false },
	[CHURN_W_MOVE_B] = {
		"move-b", 1, { CHURN_F_MOVE }, { 1 }, CHURN_WINDOW_PAGES, true, false },
	[CHURN_W_REWRITE_DISK] = {
		"rewrite-disk", 1, { CHURN_F_REWRITE_DISK }, { 1 }, 10, true, false },
	[CHURN_W_REWRITE_TMPFS] = {
		"rewrite-tmpfs", 1, { CHURN_F_REWRITE_TMPFS }, { 1 }, 10, true, false },
	[CHURN_W_TRUNCATE] = {
		"truncate", 1, { CHURN_F_TRUNCATE }, { 1 }, 10, true, false },
	[CHURN_W_REPLACE_DISK] = {
		"replace-disk", 1, { CHURN_F_REPLACE_DISK }, { 1 }, 10, true, false },
	[CHURN_W_REPLACE_TMPFS] = {
		"replace-tmpfs", 1, { CHURN_F_REPLACE_TMPFS }, { 1 }, 10, true, false },
	[CHURN_W_HOLE] = { "hole", 0, { 0 }, { 0 }, 0, true, false },
};

int churn_window_of(__u64 ip)
{
	__u64 w;

	if (ip < CHURN_WINDOW_BASE)
		return -1;
	w = (ip - CHURN_WINDOW_BASE) / CHURN_WINDOW_STRIDE;
	return w < CHURN_WINDOWS ? (int)w : -1;
}
