#!/bin/sh
# SPDX-License-Identifier: MIT
# What tokenizing may cost: no memory for each text, and time in line with the
# length of a text, whatever it is of.
# Not under thread: the threads are those of cli/bert-tokenize/records
# Not under address: time and memory would be those of the sanitizer
. "$TEST_TOP/tests/lib/lib.sh"
so=$BUILD/preload/allocs.so

# allocs MODEL FORMAT TEXTS: how often memory is asked for
allocs() {
	rm -f log
	ALLOCS_LOG=$PWD/log LD_PRELOAD=$so bert-tokenize -qj 1 -m "$1" --lines \
		--format "$2" -o out "$3" 2>err || cat err >&2
	cat log
}

awk 'BEGIN { for (i = 0; i < 20000; i++)
	print "the texts, number " i % 500 ", are Words of all sorts \303\251" }' \
	>few
cat few few >many
if ! LD_PRELOAD=$so bert-tokenize --version >out 2>err; then
	skip 'memory for each text' \
		"a library cannot be preloaded: $(head -n 1 err)"
else
	for model in tok/uncased/vocab.txt bpe/roberta spm/xlmr.json; do
		for format in ids tfrecord json; do
			a=$(allocs "$DATA/$model" $format few)
			b=$(allocs "$DATA/$model" $format many)
			[ -n "$a" ] && [ -n "$b" ] && [ $((b - a)) -lt 200 ]
			result $? "$model, $format: 20,000 texts more, $a and $b allocations"
		done
	done
fi

# 300 KB without a space, of what is known, unknown, marks, in and out of order;
# where time is quadratic each takes a minute of processor time or more
perl -e 'print "a" x 300000, "\n", "\xe3\x8c\x80" x 100000, "\n",
	"\xcc\x81" x 150000, "\n", "e\xcc\x81\xcc\xa3" x 60000, "\n",
	"\xe1\x84\x80" x 100000, "\n", "0" x 300000, "\n",
	"\xf0\x9f\x91\xa9\xe2\x80\x8d" x 40000, "\n"' >long
for model in tok/uncased/vocab.txt bpe/roberta bpe/fallback.json \
	spm/xlmr.json spm/bytes.json; do
	for how in --no-truncation '--max-length 100 --stride 20'; do
		# its configuration has a limit
		[ "$model $how" != 'bpe/roberta --no-truncation' ] || continue
		# shellcheck disable=SC2086
		(ulimit -t 20 && exec bert-tokenize -qm "$DATA/$model" --lines \
			--format json $how -o out long) 2>err
		result $? "$model, $how: long texts in time"
	done
done
finish
