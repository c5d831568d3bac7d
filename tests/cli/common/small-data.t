#!/bin/sh
# SPDX-License-Identifier: MIT
# The training set that a run of tests shares is whole or is not there.
# Not under address: the set is made in each build
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"

mkdir bin log
printf '#!/bin/sh\nfor last; do :; done\n[ "$last" != train.csv ]\n' >bin/csv2tfrecord
printf '#!/bin/sh\n: >"$7"\n' >bin/bert-tokenize
chmod +x bin/*
(
	PATH=$PWD/bin:$PATH TEST_LOG=$PWD/log
	small_data
)
is "$? $(ls log)" '1 ' 'a tool that fails while it is made'
(
	TEST_LOG=$PWD/log
	small_data
)
is "$? $(ls log) $(tfrecord-cat -q --count dev.rec)" "0 small $(tfrecord-cat -q --count log/small/dev.rec)" \
	'it is made by the next test'
finish
