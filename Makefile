# SPDX-License-Identifier: MIT
# Targets: all deps demo picture check lint bench fuzz install uninstall deb dist clean
# Knobs:   CC=gcc|clang  SAN=address,undefined|thread  CFLAGS  LDLIBS
#          prefix DESTDIR  WERROR=1  V=1  TESTS=...  BENCH=PATTERNS
#          FUZZ=ENTRIES  FUZZ_SECONDS=10
#          ISA=avx2: the tests use no better instruction set, libraries included
# All cores, where no -j says otherwise; goals that are several keep their order.
cores := -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
ifneq ($(filter deps deps-dev,$(MAKECMDGOALS)),)
# What is installed decides how we build, so other goals start afresh after it.
deps:
	@tests/deps run
deps-dev:
	@tests/deps dev
$(filter-out deps deps-dev,$(MAKECMDGOALS)): $(filter deps deps-dev,$(MAKECMDGOALS))
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,$(cores)) $@
.PHONY: $(MAKECMDGOALS)
else
ifeq ($(MAKELEVEL)$(word 2,$(MAKECMDGOALS)),0)
MAKEFLAGS += $(cores)
endif
CC = gcc
CFLAGS = -O2 -g
SAN =
prefix = /usr/local
bindir = $(DESTDIR)$(prefix)/bin
mandir = $(DESTDIR)$(prefix)/share/man
bashdir = $(DESTDIR)$(prefix)/share/bash-completion/completions
zshdir = $(DESTDIR)$(prefix)/share/zsh/site-functions
fishdir = $(DESTDIR)$(prefix)/share/fish/vendor_completions.d

# One build folder for each compiler and sanitizer, so that objects never mix.
B = build/$(notdir $(firstword $(CC)))$(if $(SAN),-$(subst $(comma),-,$(SAN)))
comma = ,
ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))

# Optional libraries: built in where their header is found. GNU make 4.3 passes
# the backslash of \# on to the shell, older ones do not.
hash := \#
comma := ,
has = $(shell printf '$(hash)include <$1>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo 1)
HAVE_DNNL := $(call has,oneapi/dnnl/dnnl.h)
HAVE_PCRE2 := $(shell printf '$(hash)define PCRE2_CODE_UNIT_WIDTH 8\n$(hash)include <pcre2.h>\n' | \
  $(CC) -E -x c - >/dev/null 2>&1 && echo 1)
# what bert-fetch needs, and no other tool is linked with
HAVE_CURL := $(and $(call has,curl/curl.h),$(call has,openssl/evp.h))

CPPFLAGS = -Ilib -D_POSIX_C_SOURCE=200809L $(if $(HAVE_DNNL),-DBT_HAVE_DNNL) \
  $(if $(HAVE_PCRE2),-DBT_HAVE_PCRE2) $(if $(HAVE_CURL),-DBT_HAVE_CURL)
WARN = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
  -Wwrite-strings -Wvla -Wformat=2 -Wundef $(if $(WERROR),-Werror)
ALL_CFLAGS = -std=c11 -pthread -ffp-contract=off $(WARN) $(CFLAGS) \
  $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
# oneDNN is loaded where it multiplies; LeakSanitizer dies now and then of the variables of
# threads (its and OpenMP's) of libraries that were not there from the start.
LDLIBS = $(if $(and $(SAN),$(HAVE_DNNL)),-Wl$(comma)--no-as-needed -ldnnl -Wl$(comma)--as-needed) \
  $(if $(HAVE_PCRE2),-lpcre2-8) \
  $(if $(HAVE_CURL),-lcurl -lcrypto) -lyaml -lcsv -ljansson -lutf8proc -lzstd -lz -lm -ldl
LINK = $(CC) $(ALL_CFLAGS) $(LDFLAGS) -Wl,--as-needed

TOOLS := $(basename $(notdir $(sort $(wildcard cmd/*.c))))
LIB_SRC := $(sort $(wildcard lib/*/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$B/%.o)
# those that do not run under ThreadSanitizer are not built for it
idle := $(if $(filter thread,$(subst $(comma), ,$(SAN))),$(shell grep -l 'Not under thread: ' tests/unit/*/*.c \
  tests/fuzz/*.c))
UNITS := $(patsubst tests/unit/%.c,%,$(filter-out $(idle),$(sort $(wildcard tests/unit/*/*.c))))
BINS := $(TOOLS:%=$B/bin/%)
UNIT_BINS := $(UNITS:%=$B/unit/%)
FUZZERS := $(filter-out main,$(basename $(notdir $(filter-out $(idle),$(sort $(wildcard tests/fuzz/*.c))))))
FUZZ_BINS := $(FUZZERS:%=$B/fuzz/%)

Q = $(if $(V),,@)
run = $(if $(V),,@echo '  $1 $@';)

all: $(BINS)
	$(Q)mkdir -p build && ln -sfn $(notdir $B)/bin build/bin

# Kernels: one file for each instruction set, built with its flags; the code
# that chooses between them is not.
ifeq ($(ARCH),x86_64)
$B/lib/cpu/avx2.o: FOR_ISA = -mavx2 -mfma -mf16c -O3
$B/lib/cpu/avx512.o: FOR_ISA = -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma \
  -mprefer-vector-width=512 -O3
$B/lib/cpu/avx512bf16.o: FOR_ISA = -mavx512f -mavx512bw -mavx512dq -mavx512vl \
  -mavx512bf16 -mfma -mprefer-vector-width=512 -O3
$B/lib/cpu/int8_avx2.o: FOR_ISA = -mavx2 -mfma -mf16c -O3
NEWEST_ISA = -mavxvnni
$B/lib/cpu/int8_avx2vnni.o: FOR_ISA = -mavx2 -mfma -mf16c $(NEWEST_ISA) -O3
$B/lib/cpu/int8_vnni.o: FOR_ISA = -mavx512f -mavx512bw -mavx512dq -mavx512vl \
  -mavx512vnni -mfma -mprefer-vector-width=512 -O3
$B/lib/cpu/int8_amx.o: FOR_ISA = -mavx512f -mavx512bw -mavx512dq -mavx512vl \
  -mavx512bf16 -mfma -mprefer-vector-width=512 -mamx-tile -mamx-int8 -O3
$B/lib/cpu/bf16_amx.o: FOR_ISA = -mavx512f -mavx512bw -mavx512dq -mavx512vl \
  -mavx512bf16 -mfma -mprefer-vector-width=512 -mamx-tile -mamx-bf16 -O3
else ifeq ($(ARCH),aarch64)
$B/lib/cpu/int8_neon.o: FOR_ISA = -O3
$B/lib/cpu/int8_dot.o: FOR_ISA = -march=armv8.2-a+dotprod -O3
endif

# libFuzzer is guided by the places that readers reach; counting those of other folders
# and of tests only makes tests slower.
ifneq ($(findstring fuzzer,$(SAN)),)
$(filter $(patsubst %,$B/lib/%/%,cpu device dist metrics onnx op optim pjrt stablehlo train tune vocab_train), \
  $(LIB_OBJ)) $(UNITS:%=$B/tests/unit/%.o): UNCOUNTED = -fno-sanitize=fuzzer-no-link
endif

$B/%.o: %.c $B/flags
	$(Q)mkdir -p $(@D)
	$(call run,CC)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(FOR_ISA) $(UNCOUNTED) -MMD -MP -c -o $@ $<

$B/libbertutils.a: $(LIB_OBJ) $B/objects
	$(Q)rm -f $@
	$(call run,AR)$(AR) rcs $@ $(LIB_OBJ)

$(BINS): $B/bin/%: $B/cmd/%.o $B/libbertutils.a
	$(Q)mkdir -p $(@D)
	$(call run,LD)$(LINK) -o $@ $^ $(LDLIBS)

# the headers of the unit tests
$B/tests/%.o: CPPFLAGS += -Itests/unit

$(UNIT_BINS): $B/unit/%: $B/tests/unit/%.o $B/tests/unit/main.o $B/libbertutils.a
	$(Q)mkdir -p $(@D)
	$(call run,LD)$(LINK) -o $@ $^ -lcmocka $(LDLIBS)

# Fuzz entries: tests over the committed inputs, or programs of libFuzzer.
FUZZ_SAN = fuzzer-no-link,address,undefined
FUZZ_MAIN = $(if $(findstring fuzzer,$(SAN)),,$B/tests/fuzz/main.o)
$(FUZZ_BINS): $B/fuzz/%: $B/tests/fuzz/%.o $(FUZZ_MAIN) $B/libbertutils.a
	$(Q)mkdir -p $(@D)
	$(call run,LD)$(LINK) $(if $(FUZZ_MAIN),,-fsanitize=fuzzer) -o $@ $^ $(LDLIBS)

# What tests preload to let system calls fail.
PRELOADS := $(patsubst tests/preload/%.c,$B/preload/%.so,$(wildcard tests/preload/*.c))
$(PRELOADS): $B/preload/%.so: tests/preload/%.c $B/flags
	$(Q)mkdir -p $(@D)
	$(call run,LD)$(CC) -std=c11 $(WARN) $(CFLAGS) -fPIC -shared -o $@ $< -ldl

# What tests load as the plugin of a device.
PLUGINS := $(patsubst tests/plugin/%.c,$B/plugin/%.so,$(wildcard tests/plugin/*.c))
$(PLUGINS): $B/plugin/%.so: tests/plugin/%.c lib/pjrt/pjrt_api_int.h $B/flags
	$(Q)mkdir -p $(@D)
	$(call run,LD)$(CC) $(CPPFLAGS) -std=c11 $(WARN) $(CFLAGS) -fPIC -shared -o $@ $<

# What tests connect to.
SERVERS := $(patsubst tests/serve/%.c,$B/serve/%,$(wildcard tests/serve/*.c))
$(SERVERS): $B/serve/%: tests/serve/%.c $B/flags
	$(Q)mkdir -p $(@D)
	$(call run,LD)$(CC) $(CPPFLAGS) -std=c11 $(WARN) $(CFLAGS) -o $@ $<

# A source that came or went makes another library.
$B/objects: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(LIB_OBJ)' | cmp -s - $@ || echo '$(LIB_OBJ)' >$@

# Changed flags rebuild everything.
$B/flags: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)$(if $(NEWEST_ISA),$(CC) $(NEWEST_ISA) -E -x c /dev/null >/dev/null 2>&1 || { \
	  echo '$(CC) does not know $(NEWEST_ISA): gcc 11 and clang 12 do' >&2; exit 1; })
	$(Q)echo '$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDLIBS)' | cmp -s - $@ || \
	  echo '$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(LDLIBS)' >$@

# A unit test whose source is gone is removed.
units: $(UNIT_BINS) $(FUZZ_BINS) $(PRELOADS) $(PLUGINS) $(SERVERS)
	$(Q)find $B/unit -type f $(UNIT_BINS:%=! -path %) -delete

fuzzers: $(FUZZ_BINS)

check: all units
	$(Q)BUILD=$B ISA='$(ISA)' tests/run $(TESTS)

lint: all
	$(Q)BUILD=$B tests/lint

fuzz:
	$(Q)$(MAKE) --no-print-directory CC=clang SAN=$(FUZZ_SAN) fuzzers
	$(Q)BUILD=build/clang-$(subst $(comma),-,$(FUZZ_SAN)) tests/fuzz/run $(FUZZ)

demo: all
	$(Q)PATH="$(CURDIR)/$B/bin:$$PATH" DEMO_DIR=$B/demo pipelines/demo.sh $(MODEL)

# The picture in the README: the demo with a pre-trained MODEL.
picture: demo
	$(Q)PATH="$(CURDIR)/$B/bin:$$PATH" man/picture $B/demo >$B/picture.svg
	$(Q)mv $B/picture.svg man/bertutils.svg

# What tests/bench measures of the library itself.
SPEEDS := $(patsubst tests/speed/%.c,$B/speed/%,$(wildcard tests/speed/*.c))
$(SPEEDS): $B/speed/%: $B/tests/speed/%.o $B/libbertutils.a
	$(Q)mkdir -p $(@D)
	$(call run,LD)$(LINK) -o $@ $^ $(LDLIBS)

bench: all $(SPEEDS) $(PRELOADS)
	$(Q)BUILD=$B tests/bench $(BENCH)

# Completions name the tools; bash looks for a file named as each of them.
install: all
	install -d $(bindir) $(mandir)/man1 $(mandir)/man5 $(mandir)/man7 \
	  $(bashdir) $(zshdir) $(fishdir)
	install $(BINS) $(bindir)
	install -m 644 man/*.1 $(mandir)/man1
	install -m 644 man/*.5 $(mandir)/man5
	install -m 644 man/*.7 $(mandir)/man7
	sed 's/TOOLS/$(TOOLS)/' cmd/completion/bertutils.bash >$(bashdir)/bertutils
	for t in $(TOOLS); do ln -sf bertutils $(bashdir)/$$t; done
	sed 's/TOOLS/$(TOOLS)/' cmd/completion/_bertutils >$(zshdir)/_bertutils
	sed 's/TOOLS/$(TOOLS)/' cmd/completion/bertutils.fish >$(fishdir)/bertutils.fish

uninstall:
	cd $(bindir) && rm -f $(TOOLS)
	cd $(mandir)/man1 && rm -f $(TOOLS:%=%.1)
	cd $(bashdir) && rm -f $(TOOLS) bertutils
	cd $(mandir)/man5 && rm -f $(notdir $(wildcard man/*.5))
	cd $(mandir)/man7 && rm -f $(notdir $(wildcard man/*.7))
	rm -f $(zshdir)/_bertutils $(fishdir)/bertutils.fish

# A Debian package, and an archive of the sources at this commit.
deb: all
	$(Q)CC='$(CC)' SAN='$(SAN)' tests/deb

VERSION = $(shell sed -n 's/^$(hash)define BT_VERSION "\(.*\)"/\1/p' lib/base/opt.h)
dist:
	$(Q)mkdir -p build
	$(Q)git archive --prefix=bertutils-$(VERSION)/ HEAD >build/dist.tar
	$(Q)gzip -9n <build/dist.tar >build/bertutils-$(VERSION).tar.gz
	$(Q)rm build/dist.tar
	@echo build/bertutils-$(VERSION).tar.gz

clean:
	rm -rf build

.PHONY: all units fuzzers fuzz check lint demo picture deb dist clean install uninstall bench FORCE
.SECONDARY:
-include $(shell find $B -name '*.d' 2>/dev/null)
endif
