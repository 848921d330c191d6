// SPDX-License-Identifier: GPL-2.0
/* The shortest program: what is left of fork, exec and exit is the kernel's. */
int main(void)
{
	return 0;
}
