# SPDX-License-Identifier: GPL-2.0
# Included by the Makefiles of the guest's test programs: where results go, and how
# programs are built. Set HERE to the directory's own name first.
#
# Programs that drive a test are static where that is possible: nothing but themselves is
# needed in the guest. With trixie's libelf.a (0.192 lacks two of its own functions) it is
# not; then tests/vm/initramfs.sh brings their libraries along.

TOP := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/../..)
OUT ?= $(TOP)/build/guest
BIN := $(OUT)/$(HERE)

CC ?= gcc
CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -MMD -MP \
	-D_GNU_SOURCE -pthread -I$(OUT)/bpf

BPF := $(OUT)/bpf
SAMPLER := $(OUT)/sampler/libsampler.a
LIBBPF_STATIC = $(shell pkg-config --static --libs libbpf)

# How to link with libbpf; LINK_STATIC is empty where only shared libraries will do.
LINK_STATIC := $(shell echo 'void *bpf_object__open(const char *); int main(void) { return !bpf_object__open(""); }' | \
	$(CC) -x c -static -o /dev/null - $(LIBBPF_STATIC) 2>/dev/null && echo -static)
LIBBPF := $(if $(LINK_STATIC),$(LINK_STATIC) $(LIBBPF_STATIC),$(shell pkg-config --libs libbpf))

$(OUT)/%/point.sh: $(TOP)/tests/guest/point.sh $(OUT)/%/.dir
	install -m 0644 $< $@

$(OUT)/%/.dir:
	@mkdir -p $(@D)
	@touch $@
.PRECIOUS: $(OUT)/%/.dir
