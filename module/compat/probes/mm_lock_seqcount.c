// SPDX-License-Identifier: GPL-2.0
/* Is mm->mm_lock_seq a seqcount (odd while the mmap lock is write-held)? Before it was an int. */
#include <linux/mm_types.h>
#include <linux/seqlock.h>

unsigned int probe(struct mm_struct *mm);

unsigned int probe(struct mm_struct *mm)
{
#ifdef PROBE_CONTROL
	return 0;
#else
	seqcount_t *seq = &mm->mm_lock_seq;

	return raw_read_seqcount(seq);
#endif
}
