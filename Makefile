# SPDX-License-Identifier: GPL-2.0
#
# `make help` lists the targets.

VERSION := $(shell cat VERSION)

# The kernel to build for, and its headers.
KVER ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KVER)/build

# Each kernel gets its own object directory, a tree of links to the sources: kbuild before 6.13
# can only build where the sources are, and kernels must not overwrite each other's objects.
BUILD ?= build/$(KVER)
OBJ := $(abspath $(BUILD))
KO := $(OBJ)/buildidx.ko

# kbuild fails where it wants to make BTF and pahole is missing; a module without BTF is better.
KBUILD_BTF := $(if $(shell command -v pahole),,CONFIG_DEBUG_INFO_BTF_MODULES=)
KBUILD = $(MAKE) -C '$(KDIR)' M='$(OBJ)'

.PHONY: all
all: module

.PHONY: check-headers
check-headers:
	@. ./module/dkms/supported.sh; bidx_supported '$(KVER)' || { \
		echo "buildidx: kernel $(KVER) is not supported: $$BIDX_KERNEL_MIN to $$BIDX_KERNEL_MAX are" >&2; \
		exit 1; }
	@test -e '$(KDIR)/Makefile' || { \
		echo 'buildidx: no headers of kernel $(KVER) in $(KDIR):' \
		     'install the package linux-headers-$(KVER), or name another kernel with KVER=' >&2; \
		exit 1; }

# Links to the sources; none when the objects go beside them, as under dkms.
.PHONY: object-tree
object-tree: check-headers
ifneq ($(OBJ),$(CURDIR))
	@mkdir -p '$(OBJ)'
	@find '$(OBJ)' -xtype l -delete
	@cp -rsf '$(CURDIR)/Kbuild' '$(CURDIR)/VERSION' '$(CURDIR)/module' '$(CURDIR)/include' '$(OBJ)/'
endif

# A compiler error leaves no buildidx.mod.o; if that is there, only the BTF step can have failed.
.PHONY: kbuild
kbuild: object-tree
	+@rm -f '$(OBJ)/buildidx.mod.o'; \
	$(KBUILD) $(KBUILD_BTF) modules || { \
		test -e '$(OBJ)/buildidx.mod.o' && \
		echo 'buildidx: the BTF step of kbuild failed (messages above), linking without it' >&2 && \
		$(KBUILD) CONFIG_DEBUG_INFO_BTF_MODULES= modules; }

.PHONY: btf-tool
btf-tool:
	-@$(MAKE) --no-print-directory -f module/btf/Makefile OUT='$(OBJ)/btf' KDIR='$(KDIR)' '$(OBJ)/btf/bidx-btf'

.PHONY: btf
btf: kbuild btf-tool
	+@module/btf/add-btf.sh '$(KO)' '$(KVER)' '$(KDIR)' '$(OBJ)/btf/bidx-btf' \
		$(KBUILD) CONFIG_DEBUG_INFO_BTF_MODULES= modules

.PHONY: module
module: btf

# What dkms runs, in its own copy of the sources. The program there is built with the compiler that dkms
# chose for the kernel.
.PHONY: dkms-build
dkms-build:
	$(MAKE) module BUILD=.

.PHONY: dkms-install
dkms-install:
	module/dkms/install.sh $(KERNELS)

.PHONY: dkms-uninstall
dkms-uninstall:
	module/dkms/uninstall.sh

.PHONY: userspace
userspace:
	$(MAKE) -C userspace

# All that a machine needs, into $(DESTDIR)$(PREFIX) (default /usr/local); the module's sources go to
# /usr/src, where dkms wants them. DKMS=no: library and tool only. With DESTDIR nothing is run.
.PHONY: install
install:
ifneq ($(DKMS),no)
	DESTDIR='$(DESTDIR)' module/dkms/install.sh --check
endif
	$(MAKE) -C userspace own-dirs
	$(MAKE) -C userspace install
ifneq ($(DKMS),no)
	$(MAKE) -C userspace install-system
	DESTDIR='$(DESTDIR)' module/dkms/install.sh $(KERNELS)
endif
ifeq ($(DESTDIR),)
	ldconfig
	if command -v udevadm >/dev/null; then udevadm control --reload || true; fi
endif

.PHONY: uninstall
uninstall:
ifneq ($(DKMS),no)
	DESTDIR='$(DESTDIR)' module/dkms/uninstall.sh
endif
	$(MAKE) -C userspace uninstall
ifeq ($(DESTDIR),)
	ldconfig
	if command -v udevadm >/dev/null; then udevadm control --reload || true; fi
endif

.PHONY: deb
deb:
	debian/build.sh

.PHONY: demo
demo:
	tests/demo.sh $(KERNEL)

.PHONY: demo-bpf
demo-bpf:
	tests/demo-bpf.sh $(KERNEL)

.PHONY: check
check:
	tests/check.sh $(KERNEL)

.PHONY: bench
bench:
	tests/bench.sh $(KERNEL)

.PHONY: fuzz
fuzz:
	$(MAKE) -C tests/fuzz long

.PHONY: clean
clean:
	rm -rf build
	if [ -e userspace/Makefile ]; then $(MAKE) -C userspace clean; fi

.PHONY: help
help:
	@echo 'make module [KVER=RELEASE]   build buildidx.ko with BTF in build/RELEASE (default: the running kernel)'
	@echo 'make userspace               build the library and the tool'
	@echo 'make install [PREFIX=/usr/local] [GROUP=root] [DKMS=no]   install everything, as root'
	@echo 'make uninstall               remove it again, with the same PREFIX'
	@echo 'make deb                     build Debian packages in build/deb'
	@echo 'make dkms-install            install the module through dkms [KERNELS="RELEASE..."], as root'
	@echo 'make dkms-uninstall          remove it again'
	@echo 'make demo [KERNEL=6.12]      show it in a virtual machine, as root'
	@echo 'make demo-bpf [KERNEL=6.12]  the same for BPF programs that are gone, next to perf'
	@echo 'make bench [KERNEL=6.12]     measure what it costs, as root; build/bench.json'
	@echo 'make check [KERNEL=6.12]     run all tests, as root'
	@echo 'make fuzz [FUZZ_SECONDS=600] fuzz the ELF parser'
	@echo 'make clean                   delete what was built here'
	@echo 'Kernels for demo, demo-bpf, bench and check: 6.1 6.12 6.12-rt 6.12-trixie 7.3'
