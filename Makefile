# SPDX-License-Identifier: GPL-2.0-only
# Build, demo, check, lint, install. `make` alone builds build/cputoll; V=1 shows the commands.

B       := build
CLANG   ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /sbin/bpftool) bpftool)
PREFIX  ?= /usr/local
PKGS    := libbpf json-c libRmath libseccomp
# make's own default is cc, which may be anything
ifeq ($(origin CC),default)
  CC := gcc
endif

# uname -m as the kernel's and libbpf's headers name it: a further architecture is a word here,
# a header in include/arch/ and one in vmlinux/.
ARCH    := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(patsubst s390x,s390,$(patsubst ppc64le,powerpc,$(shell uname -m)))))

CFLAGS  ?= -O2 -g
WARN    := -Wall -Wextra -Werror
ALL_CPPFLAGS := -D_GNU_SOURCE -Iinclude -Isrc -I$(B)/gen $(CPPFLAGS)
# = and not :=, so that nobody is asked before $(B)/.tools has seen that they are there
ALL_CFLAGS    = -std=gnu11 $(WARN) $(CFLAGS) $(shell pkg-config --cflags $(PKGS))
LIBS          = $(shell pkg-config --libs $(PKGS)) -lelf -lz -lm
STATIC_LIBS   = $(shell pkg-config --static --libs $(PKGS)) -lelf -lz -lm
BPF_CFLAGS    = -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) -Iinclude -Ivmlinux \
	-I/usr/include/$(shell $(CC) -print-multiarch) $(WARN)

SRCS  := $(wildcard src/*.c)
OBJS  := $(SRCS:src/%.c=$(B)/obj/%.o)
LIB   := $(filter-out $(B)/obj/main.o,$(OBJS))
BPFS  := $(patsubst bpf/%.bpf.c,%,$(wildcard bpf/*.bpf.c))
SKELS := $(BPFS:%=$(B)/gen/%.skel.h)
MAN1  := $(wildcard docs/*.1)
DOCS  := README.md LICENSE $(wildcard docs/*.md)

# What guest tests run, there or here.
GUEST_NEEDS := $(B)/cputoll-static $(B)/floor $(B)/check_profile

# The tests: a file with the right name in the right folder is one.
UNITS   := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/*_test.c))
GUESTS  := $(wildcard tests/guest/*_test.sh)
LABS    := $(wildcard tests/lab/*_test.sh)
SHELLS  := $(filter-out $(GUESTS) $(LABS),$(wildcard tests/*/*_test.sh))
# The one test of LABS that fits into `make check`.
SMOKE   := tests/lab/smoke_test.sh
KERNELS ?= debian-12 debian-13
MATRIX  := debian-11 debian-12 debian-13 debian-sid

ifeq ($(V),1)
  Q :=
  say = @:
else
  Q := @
  say = @printf '  %-8s %s\n'
endif
# A make of its own for what comes after tools/deps: this one looked for files and tools before. It
# has as many jobs as there are CPUs, unless a number was given.
SUBMAKE = +@$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all static units deps deps-test deps-lab deps-peers deps-lint demo check check-unit check-guest check-matrix check-lab check-truth bench-overhead lint \
	format install uninstall clean help

all: $(B)/cputoll

static: $(B)/cputoll-static

units: $(UNITS)

help:
	@echo 'make            build $(B)/cputoll'
	@echo 'make static     build $(B)/cputoll-static, one file that needs no shared library'
	@echo 'make deps       install what is missing to build and test (tools/deps)'
	@echo 'make demo       set up, profile a workload, print the report'
	@echo 'make check      set up, run every test (guests: $(KERNELS))'
	@echo 'make check-unit    only the unit tests'
	@echo 'make check-guest   only the guest tests, on KERNELS="$(KERNELS)"'
	@echo 'make check-matrix  only the guest tests, on $(MATRIX)'
	@echo 'make check-lab     build every kernel of patches/, judge them all; hours, see docs/lab.md'
	@echo 'make check-truth   the corrected latencies beside the cycles that the kernel itself counts'
	@echo 'make bench-overhead  what the probes cost, beside the floor and other tools, in guests'
	@echo 'make lint       clang-format, cppcheck, shellcheck, sizes, licences, a build with clang'
	@echo 'make format     clang-format all C'
	@echo 'make install    to PREFIX ($(PREFIX)), under DESTDIR; make uninstall takes it away'
	@echo 'make clean      remove $(B)'

deps:
	@tools/deps

deps-test:
	@tools/deps build lab test

deps-peers:
	@tools/deps build lab kernel test peers

deps-lab:
	@tools/deps build lab kernel test

deps-lint:
	@tools/deps build lint

demo:
	@tools/demo

check: deps-lab
	$(SUBMAKE) all units $(GUEST_NEEDS)
	@tests/run $(KERNELS:%=--kernel %) $(UNITS) $(SHELLS) $(SMOKE) $(GUESTS)

check-unit: deps-test
	$(SUBMAKE) units
	@tests/run $(UNITS)

check-guest: deps-test
	$(SUBMAKE) $(GUEST_NEEDS)
	@tests/run $(KERNELS:%=--kernel %) $(GUESTS)

check-matrix: deps-test
	$(SUBMAKE) $(GUEST_NEEDS)
	@tests/run $(MATRIX:%=--kernel %) $(GUESTS)

# One at a time: each takes all CPUs for its builds and guests.
check-lab: deps-lab
	$(SUBMAKE) static $(B)/check_profile
	@tests/run --jobs 1 --limit 7200 $(SMOKE) $(filter-out $(SMOKE),$(LABS))

check-truth: deps-lab
	$(SUBMAKE) static
	@tests/lab/truth_test.sh

bench-overhead: deps-peers
	$(SUBMAKE) static $(B)/floor
	@for kernel in $(if $(KERNEL),$(KERNEL),stock debian-12); do \
		tests/overhead/run.sh --peers --kernel $$kernel || exit; echo; done

lint: deps-lint
	@MAKE='$(MAKE)' tools/lint

format:
	clang-format -i $(wildcard $(foreach dir,src bpf include tests/*,$(dir)/*.[ch]))

$(B)/cputoll: $(OBJS)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/cputoll-static: $(OBJS)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -static -s -o $@ $^ $(STATIC_LIBS)

$(B)/obj/%.o: src/%.c Makefile | $(SKELS) $(B)/obj $(B)/.tools
	$(say) CC $@
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/unit/%: tests/unit/%.c $(LIB) Makefile | $(B)/unit
	$(say) TEST $@
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -o $@ $< $(LIB) -lcmocka $(LIBS)

# `gen object` drops what only the compiler wanted to know, the DWARF above all.
define bpf_object
	$(say) BPF $@
	$(Q)$(CLANG) $(BPF_CFLAGS) -MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@.tmp $<
	$(Q)$(BPFTOOL) gen object $@ $@.tmp
	$(Q)rm $@.tmp
endef

$(B)/gen/%.bpf.o: bpf/%.bpf.c Makefile | $(B)/gen $(B)/.tools
	$(bpf_object)

$(B)/gen/%.bpf.o: tests/overhead/%.bpf.c Makefile | $(B)/gen $(B)/.tools
	$(bpf_object)

$(B)/gen/%.skel.h: $(B)/gen/%.bpf.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

# The yardstick of `make bench-overhead`, static so that a guest needs nothing else.
$(B)/floor: tests/overhead/floor.c $(B)/gen/floor.skel.h Makefile
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -static -o $@ $< $(STATIC_LIBS)

# Compares a profile with what the workloads say they did: for the guest tests, runs on this host.
$(B)/check_profile: tests/guest/check_profile.c $(LIB) Makefile
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -MF $(B)/gen/check_profile.d -o $@ $< $(LIB) $(LIBS)

# One line that says what is missing, instead of a compiler's many.
$(B)/.tools: | $(B)
	$(Q)missing=; \
	for tool in $(firstword $(CC)) $(CLANG) $(BPFTOOL) pkg-config; do \
		command -v $$tool >/dev/null || missing="$$missing $$tool"; \
	done; \
	for lib in $(PKGS) libelf zlib; do \
		pkg-config --exists $$lib 2>/dev/null || missing="$$missing $$lib"; \
	done; \
	if [ -n "$$missing" ]; then \
		echo "cannot build: not found:$$missing; 'make deps' as root installs what is missing" >&2; \
		exit 1; \
	fi; \
	touch $@

$(B) $(B)/obj $(B)/gen $(B)/unit:
	$(Q)mkdir -p $@

install: all
	install -D -m 755 $(B)/cputoll $(DESTDIR)$(PREFIX)/bin/cputoll
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/doc/cputoll
	install -m 644 $(MAN1) $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(DOCS) $(DESTDIR)$(PREFIX)/share/doc/cputoll

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/cputoll
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/man/man1/,$(notdir $(MAN1)))
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/cputoll

clean:
	$(say) CLEAN $(B)
	$(Q)rm -rf $(B)

-include $(wildcard $(B)/obj/*.d $(B)/gen/*.d $(B)/unit/*.d)
