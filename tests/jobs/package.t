#!/bin/sh
# SPDX-License-Identifier: MIT
# make deb and make dist: a package that runs the demo, an archive that has all.
# Not under thread: packages are made of a plain build
# Not under address: packages are made of a plain build
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/hub.sh"

if command -v dpkg-shlibdeps >/dev/null && [ "$(basename "$BUILD")" = gcc ]; then
	works 'make deb' make -C "$TEST_TOP" deb
	deb=$(tail -n 1 "$TEST_TOP/build/deb/path")
	works 'dpkg reads it' sh -c "dpkg-deb -x '$deb' root && dpkg-deb -f '$deb' >control"
	is "$(sed -n 's/^Version: //p' control)" \
		"$(sed -n 's/^#define BT_VERSION "\(.*\)"/\1/p' "$TEST_TOP/lib/base/opt.h")" 'the version'
	like "$(sed -n 's/^Depends: //p' control)" '*libc6 (*libjansson4*libyaml-0-2*' 'what it depends on'
	! grep -q 'libdnnl\.so' root/usr/bin/bert-train || like "$(cat control)" '*Recommends: libdnnl*' 'what it loads'
	is "$(cd root/usr/bin && echo *)" "$(cd "$BUILD/bin" && echo *)" 'all tools'
	works 'runs the demo' env PATH="$PWD/root/usr/bin:$PATH" DEMO_DIR="$PWD/demo" \
		root/usr/share/bertutils/pipelines/demo.sh

	# from nothing to a page: a hub of our own has the demo's model
	hub_start
	www=hub/www/library/resolve/$COMMIT
	mkdir -p "$www"
	cp demo/intent/config.json demo/intent/tokenizer* demo/intent/vocab.txt \
		demo/intent/model.safetensors "$www"
	hub_listing library main
	labelled=$DATA/parquet-hub/library-train.parquet
	LABEL=intent works 'a model of a hub, tables as Parquet' env PATH="$PWD/root/usr/bin:$PATH" \
		root/usr/share/bertutils/pipelines/from-the-hub.sh library "$labelled" "$labelled" \
		shown --epochs 1
	is "$(grep -c '^\$ ' out)" 9 '... nine commands'
	is "$(grep -c '^  [0-9.]* s$' out)" 9 '... each with its time'
	is "$(grep -c '</svg>' shown/report.html) $(grep -c '</svg>' shown/curves.svg)" '3 1' '... page and curves'
	like "$(cat shown/report.html)" '*<p class="dim">Data: * records, CRC-32C *' '... of known data'
	is "$(wc -l <shown/submission.csv | tr -d ' ')" \
		"$(($(csv2tfrecord -q "$labelled" | tfrecord-cat -q --count) + 1))" '... a prediction for each row'
else
	skip 'make deb' 'no dpkg-shlibdeps, or another build'
fi

if git -C "$TEST_TOP" rev-parse HEAD >/dev/null 2>&1; then
	works 'make dist' make -C "$TEST_TOP" dist
	works 'tar reads it' tar xzf "$(ls "$TEST_TOP"/build/bertutils-*.tar.gz)"
	is "$(cd bertutils-*/ && find . -type f -o -type l | cut -c3- | sort)" \
		"$(git -C "$TEST_TOP" ls-tree -r --name-only HEAD | sort)" 'every file'
	works 'make works there' make -s -n -C bertutils-*/ all
	mkdir nogit
	printf '#!/bin/sh\nexit 127\n' >nogit/git
	chmod +x nogit/git
	PATH=$PWD/nogit:$PATH exits 2 'make dist without git' make -s -C bertutils-*/ dist
	is "$(find bertutils-*/ -name '*.gz' -path '*/build/*')" '' '... makes no archive'
else
	skip 'make dist' 'not a git repository'
fi
finish
