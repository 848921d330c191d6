# SPDX-License-Identifier: GPL-2.0
#
# Writes $(obj)/module/compat/compat_config.h, one HAVE_<NAME> line for each probe in this
# directory, as part of the module's own kbuild run and with the module's own compiler flags.
# A distribution may backport an interface, so the kernel's version number does not tell.
#
#   <name>.c     compiles when the interface exists. With -DPROBE_CONTROL the same file leaves out
#                only what is asked for and must always compile: so a broken compiler or a broken
#                header tree stops the build and is not taken for "interface absent".
#   <name>.sym   one symbol; the interface exists when Module.symvers exports it to modules.
#
# sanity.c and sanity.sym must always succeed. To add a probe, add its file; nothing else.

probe-dir := module/compat/probes
compat-config := $(obj)/module/compat/compat_config.h

probe-c := $(sort $(patsubst $(src)/%.c,$(obj)/%.probe,$(wildcard $(src)/$(probe-dir)/*.c)))
probe-sym := $(sort $(patsubst $(src)/%.sym,$(obj)/%.symprobe,$(wildcard $(src)/$(probe-dir)/*.sym)))

$(probe-c): part-of-module := y
$(probe-c): modname := buildidx_probe

quiet_cmd_probe_c = PROBE   $(*F)
      cmd_probe_c = $(CONFIG_SHELL) $(src)/$(probe-dir)/probe-c.sh $< $@ \
		$(CC) $(filter-out -Wp$(comma)-M%,$(c_flags)) \
		-Werror=incompatible-pointer-types -Werror=int-conversion

$(obj)/$(probe-dir)/%.probe: $(src)/$(probe-dir)/%.c $(src)/$(probe-dir)/probe-c.sh FORCE
	@mkdir -p $(@D)
	$(call cmd,probe_c)

quiet_cmd_probe_sym = PROBE   $(*F)
      cmd_probe_sym = $(CONFIG_SHELL) $(src)/$(probe-dir)/probe-sym.sh $< $@ $(objtree)/Module.symvers

$(obj)/$(probe-dir)/%.symprobe: $(src)/$(probe-dir)/%.sym $(src)/$(probe-dir)/probe-sym.sh FORCE
	@mkdir -p $(@D)
	$(call cmd,probe_sym)

filechk_compat_config = $(CONFIG_SHELL) $(src)/$(probe-dir)/write-config.sh $(probe-c) $(probe-sym)

$(compat-config): $(probe-c) $(probe-sym) FORCE
	$(call filechk,compat_config)

clean-files += module/compat/compat_config.h \
	$(patsubst $(obj)/%,%,$(probe-c) $(probe-sym) $(probe-c:=.log))
