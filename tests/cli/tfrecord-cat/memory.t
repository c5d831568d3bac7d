#!/bin/sh
# SPDX-License-Identifier: MIT
# tfrecord-cat: memory does not grow with the input, nor with what a small
# compressed file becomes.
# shellcheck shell=sh
# Not under thread: the threads are those of cli/bert-tokenize/records
# Not under address: sanitizers take memory of their own
. "$TEST_TOP/tests/lib/lib.sh"

# little COMMAND...: in 32 MB of address space
little() { (ulimit -v 32000 && "$@"); }

# 300,000 records, 38 MB, of which 10,000 are different
perl -e 'printf qq({"id": "%07d", "text_a": "%s"}\n), $_, "some words " x 4
	for 1 .. 10000' | tfrecord-cat -q --from-json -o one.rec
for i in 1 2 3 4 5 6 7 8 9 10; do
	cat one.rec one.rec one.rec
done >a.rec
bytes=$(wc -c <a.rec)
little perl -e 'my $s = "x" x 40e6' 2>err
[ $? != 0 ]
result $? 'the limit holds'

is "$(little tfrecord-cat --verify a.rec 2>&1)" "300000 records, $bytes bytes" \
	'--verify'
is "$(little tfrecord-cat --count --where id=0000007 a.rec 2>&1)" 30 '--where'
is "$(little tfrecord-cat --recover --count a.rec 2>&1)" 300000 '--recover'
is "$(little tfrecord-cat --stats a.rec 2>&1 | head -n 1)" \
	"records: 300000, bytes: $bytes" '--stats'
is "$(little tfrecord-cat -q --json a.rec 2>&1 | wc -l)" 300000 '--json'
is "$(little tfrecord-cat -q --json --slice 0:100000 a.rec |
	little tfrecord-cat -q --from-json | wc -c)" $((bytes / 3)) '--from-json'
is "$(little tfrecord-cat -q --tail 3 a.rec 2>&1 | wc -c)" $((bytes / 100000)) '--tail'
for o in '--shuffle -o s.rec' '--split a=.5,b=.5 -o s' '--kfold 2 -o s'; do
	# shellcheck disable=SC2086
	(ulimit -v 64000 && TMPDIR=. tfrecord-cat -q --memory 1M $o a.rec) 2>err
	is "$? $(cat err)" '0 ' "$o"
done
rm -f s*
is "$(little tfrecord-cat -q --count --dedupe text_a --memory 0 a.rec 2>&1)" 1 '--dedupe'
TMPDIR=. little tfrecord-cat -q --dedupe id --memory 1000 a.rec | cmp - one.rec
result $? 'with values in a file'
seq 1500000 | csv2tfrecord -q --no-header -t 1 -o many.rec
{ cat many.rec && tfrecord-cat -q --head 100000 many.rec; } >more.rec
TMPDIR=. little tfrecord-cat -q --dedupe text_a --memory 4M more.rec |
	cmp - many.rec
result $? 'and what is known of each'
is "$(TMPDIR=. little tfrecord-cat -q --memory 4M --leak many.rec more.rec 2>&1 |
	wc -l)" 1600000 '--leak'
rm -f many.rec more.rec
is "$(seq 2000000 | (ulimit -v 100000 && TMPDIR=. csv2tfrecord --no-header -t 1 \
	--drop-duplicates -o /dev/null 2>&1))" \
	'csv2tfrecord: 2000000 records from 1 file' 'csv2tfrecord --drop-duplicates'
is "$(little tfrecord-cat -q --count --dedupe text_a --near a.rec 2>&1)" 1 '--near'

# what was small becomes large
for format in gzip zstd; do
	command -v $format >/dev/null || {
		skip "$format: a bomb" "there is no $format"
		continue
	}
	$format -qc a.rec >bomb
	is "$(little tfrecord-cat --verify bomb 2>&1)" \
		"300000 records, $bytes bytes" "$format: flat"
	is "$(little tfrecord-cat --verify --max-bytes "$bytes" bomb 2>&1)" \
		"300000 records, $bytes bytes" "$format: just as much as is allowed"
	refuses "*cannot read 'bomb': there is more than the 1048576 bytes allowed, decompressed" \
		"$format: more" little tfrecord-cat --verify --max-bytes 1M bomb
	# a record of 1 GiB, of zeros, in members or frames
	head -c 67108864 /dev/zero | $format -qc >zeros
	{
		printf '\0\0\0\100\0\0\0\0\313\141\314\122' | $format -qc
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
			cat zeros
		done
	} >bomb
	like "$(little tfrecord-cat --verify bomb 2>&1)" '*: out of memory while reading*' \
		"$format: a record too large for the memory"
	refuses "*there is more than the 2097152 bytes allowed, decompressed" \
		"$format: a record too large for the limit" \
		little tfrecord-cat --verify --max-bytes 2M bomb
	refuses "*there is more than the 2097152 bytes allowed, decompressed" \
		"$format: with --recover" \
		little tfrecord-cat --recover --verify --max-bytes 2M bomb
	{
		printf '{"a": "'
		head -c 100000000 /dev/zero | tr '\0' x
	} | $format -qc >bomb
	refuses "*there is more than the 2097152 bytes allowed, decompressed" \
		"$format: an endless line" \
		little tfrecord-cat --from-json --count --max-bytes 2M bomb
done
half=$((bytes / 2))
refuses "*'a.rec': there is more than the $bytes bytes allowed" 'all files together' \
	tfrecord-cat --count --max-bytes "$bytes" one.rec a.rec
is "$(tfrecord-cat --count --max-bytes "$half" --head 100000 a.rec)" 100000 \
	'what is not read does not count'
exits 2 'the other file of --leak, too' tfrecord-cat --leak a.rec --max-bytes "$half" one.rec
like "$(cat err)" "*'a.rec': there is more than the $half bytes allowed" '... says which'
exits 2 'no size' tfrecord-cat --count --max-bytes x a.rec

# the others that read what comes from elsewhere
printf 'text\none two\nthree four\n' | gzip -c >two.csv.gz
cp "$TEST_TOP/pipelines/data/vocab.txt" .
is "$(csv2tfrecord --max-bytes 24 -t text two.csv.gz | tfrecord-cat -q --count)" 2 \
	'csv2tfrecord: just as much as is allowed'
refuses "*'two.csv.gz'*there is more than the 23 bytes allowed, decompressed" \
	'csv2tfrecord: more' csv2tfrecord --max-bytes 23 -t text two.csv.gz
csv2tfrecord -q -t text -o two.rec two.csv.gz
refuses "*'two.rec'*there is more than the 60 bytes allowed" \
	'bert-tokenize: more' bert-tokenize --max-bytes 60 -m vocab.txt two.rec
refuses "*there is more than the 23 bytes allowed, decompressed" \
	'bert-tokenize --lines: more' \
	bert-tokenize --max-bytes 23 -m vocab.txt --lines two.csv.gz
bert-tokenize -q -m vocab.txt -o tokens.rec two.rec
refuses "*there is more than the 30 bytes allowed" \
	'bert-tokenize --detokenize: more' \
	bert-tokenize --max-bytes 30 -m vocab.txt --detokenize tokens.rec
finish
