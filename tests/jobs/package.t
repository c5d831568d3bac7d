#!/bin/sh
# SPDX-License-Identifier: MIT
# make deb and make dist: a package that runs the demo, an archive that has all.
# Not under thread: packages are made of a plain build
# Not under address: packages are made of a plain build
. "$TEST_TOP/tests/lib/lib.sh"

if command -v dpkg-shlibdeps >/dev/null && [ "$(basename "$BUILD")" = gcc ]; then
	works 'make deb' make -C "$TEST_TOP" deb
	deb=$(tail -n 1 "$TEST_TOP/build/deb/path")
	works 'dpkg reads it' sh -c "dpkg-deb -x '$deb' root && dpkg-deb -f '$deb' >control"
	is "$(sed -n 's/^Version: //p' control)" \
		"$(sed -n 's/^#define BT_VERSION "\(.*\)"/\1/p' "$TEST_TOP/lib/base/opt.h")" 'the version'
	like "$(sed -n 's/^Depends: //p' control)" '*libc6 (*libjansson4*libyaml-0-2*' 'what it depends on'
	is "$(cd root/usr/bin && echo *)" "$(cd "$BUILD/bin" && echo *)" 'all tools'
	works 'runs the demo' env PATH="$PWD/root/usr/bin:$PATH" DEMO_DIR="$PWD/demo" \
		root/usr/share/bertutils/pipelines/demo.sh
else
	skip 'make deb' 'no dpkg-shlibdeps, or another build'
fi

if git -C "$TEST_TOP" rev-parse HEAD >/dev/null 2>&1; then
	works 'make dist' make -C "$TEST_TOP" dist
	works 'tar reads it' tar xzf "$(ls "$TEST_TOP"/build/bertutils-*.tar.gz)"
	is "$(cd bertutils-*/ && find . -type f -o -type l | cut -c3- | sort)" \
		"$(git -C "$TEST_TOP" ls-tree -r --name-only HEAD | sort)" 'every file'
	works 'make works there' make -s -n -C bertutils-*/ all
else
	skip 'make dist' 'not a git repository'
fi
finish
