// SPDX-License-Identifier: GPL-2.0
/* Stand-in until the branch mod-bpf, which owns this file, is merged. */
#include "internal.h"

#include <linux/capability.h>

#include "krec.h"

bool bidx_may_see_all(void)
{
	return perfmon_capable() || capable(CAP_SYS_ADMIN);
}

unsigned int bidx_may_see(void)
{
	return capable(CAP_SYS_ADMIN) ? BIDX_SEE_ADDRESS | BIDX_SEE_IMAGE : 0;
}
