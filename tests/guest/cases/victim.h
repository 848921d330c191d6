/* SPDX-License-Identifier: GPL-2.0 */
/* What the tests and the victim program must agree on. */
#ifndef CASES_VICTIM_H
#define CASES_VICTIM_H

/* The Makefile gives this to the linker as --build-id of the victim. */
#define VICTIM_ID	"\x76\x69\x63\x74\x69\x6d\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x00\x00\x00"
#define VICTIM_ID_LEN	20

#endif /* CASES_VICTIM_H */
