#!/bin/sh
# SPDX-License-Identifier: MIT
# make install puts everything where it belongs, and uninstall leaves nothing.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"

works 'make install' make -C "$TEST_TOP" install DESTDIR="$PWD/root" prefix=/usr
for tool in "$BUILD"/bin/*; do
	t=${tool##*/}
	is "$(root/usr/bin/"$t" --version 2>&1)" "$("$tool" --version)" "$t runs"
	[ -s "root/usr/share/man/man1/$t.1" ]
	result $? '... and has a man page'
	if command -v bash >/dev/null; then
		# shellcheck disable=SC2016
		like "$(bash -c '. root/usr/share/bash-completion/completions/"$1"
			COMP_WORDS=("root/usr/bin/$1" --he) COMP_CWORD=1
			_bertutils "$1" --he "$1"; echo "${COMPREPLY[@]}"' - "$t")" \
			'*--help*' '... and completions'
	fi
done
for page in bertutils-config.5 bertutils-json.5 bertutils-stream.5 bertutils-recipes.7 bertutils.7; do
	[ -s "root/usr/share/man/man${page##*.}/$page" ]
	result $? "the page $page"
done
works 'make uninstall' make -C "$TEST_TOP" uninstall DESTDIR="$PWD/root" prefix=/usr
is "$(find root ! -type d)" '' 'nothing is left'
finish
