#!/bin/sh
# SPDX-License-Identifier: MIT
# Every example of every man page is run and prints what the page says.
# Not under thread: the threads are those of the tools' own tests
# Not under address: the tools' own tests run there
. "$TEST_TOP/tests/lib/lib.sh"

for page in "$TEST_TOP"/man/*.[157]; do
	mkdir "$(basename "$page")"
	cd "$(basename "$page")" || exit 1
	cp "$TEST_TOP"/pipelines/data/*.csv "$TEST_TOP/pipelines/data/vocab.txt" .
	cp "$DATA/parquet/classes.parquet" reviews.parquet
	perl "$TEST_TOP/tests/lib/man-examples" "$page" >../examples.sh
	before=$n
	. ../examples.sh
	# a page without examples, or one that is not understood
	[ "$n" -gt "$before" ] && [ "$(grep -c '^\$ ' "$page")" = $((n - before)) ]
	result $? "all examples of $(basename "$page") were run"
	cd ..
done
finish
