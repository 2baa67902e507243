# SPDX-License-Identifier: GPL-2.0-only
# Build, demo, check, lint, install. `make` alone builds build/cputoll; V=1 shows the commands.

VERSION := $(shell sed -n 's/.*CPUTOLL_VERSION "\(.*\)"/\1/p' src/cmd.h)
B       := build
CC      ?= gcc
CLANG   ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /sbin/bpftool) bpftool)
PREFIX  ?= /usr/local
PKGS    := libbpf json-c libseccomp

# uname -m as the kernel's and libbpf's headers name it: a further architecture is a word here,
# a header in include/arch/ and one in vmlinux/.
ARCH    := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(patsubst s390x,s390,$(patsubst ppc64le,powerpc,$(shell uname -m)))))

CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Werror
ALL_CPPFLAGS := -D_GNU_SOURCE -Iinclude -Isrc -I$(B)/gen $(CPPFLAGS)
# = and not :=, so that pkg-config is asked after `make deps`
ALL_CFLAGS    = -std=gnu11 $(WARN) $(CFLAGS) $(shell pkg-config --cflags $(PKGS))
LIBS          = $(shell pkg-config --libs $(PKGS)) -lelf -lz -lm
STATIC_LIBS   = $(shell pkg-config --static --libs $(PKGS)) -lelf -lz -lm
BPF_CFLAGS := -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) -Iinclude -Ivmlinux \
	-I/usr/include/$(shell $(CC) -print-multiarch 2>/dev/null) $(WARN)

SRCS  := $(wildcard src/*.c)
OBJS  := $(SRCS:src/%.c=$(B)/obj/%.o)
LIB   := $(filter-out $(B)/obj/main.o,$(OBJS))
BPFS  := $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c))
SKELS := $(BPFS:%=$(B)/gen/%.skel.h)
UNITS := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*_test.c))

ifeq ($(V),1)
  Q :=
  say = @:
else
  Q := @
  say = @printf '  %-8s %s\n'
endif

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all static deps unit check check-matrix lint format demo install clean help bench-overhead

all: $(B)/cputoll

static: $(B)/cputoll-static

help:
	@echo 'make            build $(B)/cputoll'
	@echo 'make static     build $(B)/cputoll-static, one file that needs no shared library'
	@echo 'make demo       set up, profile a workload, print the report'
	@echo 'make check      set up, run every test (guests: debian-12 and debian-13)'
	@echo 'make check-matrix  the guest tests on debian-11, debian-12, debian-13 and debian-sid'
	@echo 'make bench-overhead  what the probes cost, beside the floor, in a guest'
	@echo 'make lint       clang-format, cppcheck, shellcheck'
	@echo 'make install    to PREFIX ($(PREFIX)), under DESTDIR'

deps:
	@tools/deps

$(B)/cputoll: $(OBJS)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/cputoll-static: $(OBJS)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -static -o $@ $^ $(STATIC_LIBS)

$(B)/obj/%.o: src/%.c | $(SKELS) $(B)/obj
	$(say) CC $@
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/gen/%.bpf.o: bpf/%.bpf.c | $(B)/gen
	$(say) BPF $@
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c -o $@.tmp.o $< -MF $(B)/gen/$*.bpf.d -MT $@
	$(Q)$(BPFTOOL) gen object $@ $@.tmp.o

$(B)/gen/%.skel.h: $(B)/gen/%.bpf.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(B)/unit/%: tests/unit/%.c $(LIB) | $(B)/unit
	$(say) TEST $@
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(LIB) -lcmocka $(LIBS)

# The yardstick of `make bench-overhead`, static so that a guest needs nothing else.
$(B)/gen/floor.bpf.o: tests/overhead/floor.bpf.c | $(B)/gen
	$(say) BPF $@
	$(Q)$(CLANG) $(BPF_CFLAGS) -c -o $@.tmp.o $<
	$(Q)$(BPFTOOL) gen object $@ $@.tmp.o

$(B)/floor: tests/overhead/floor.c $(B)/gen/floor.skel.h
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -static -o $@ $< $(STATIC_LIBS)

# Compares a profile with what the workloads say they did: for the guest tests, runs on this host.
$(B)/check_profile: tests/guest/check_profile.c $(LIB)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -o $@ $< $(LIB) $(LIBS)

bench-overhead: static $(B)/floor
	$(Q)tests/overhead/run.sh $(if $(KERNEL),--kernel $(KERNEL))

$(B)/obj $(B)/gen $(B)/unit:
	$(Q)mkdir -p $@

clean:
	$(say) CLEAN $(B)
	$(Q)rm -rf $(B)

-include $(wildcard $(B)/obj/*.d $(B)/gen/*.d $(B)/unit/*.d)
