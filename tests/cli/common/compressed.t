#!/bin/sh
# SPDX-License-Identifier: MIT
# Inputs compressed by gzip and zstd, as the programs of these names make them,
# and outputs compressed by --zstd.
. "$TEST_TOP/tests/lib/lib.sh"
M=$DATA/tok/uncased

awk 'BEGIN { print "text,label"; for (i = 0; i < 8000; i++)
	print "hello world " i "," i % 7 }' >a.csv
csv2tfrecord -q -l label -o a.rec a.csv
bert-tokenize -q -m "$M" -o a.tok a.rec
printf 'text\tlabel\none\ttwo\n' >b.tsv

# compress FILE...: writes FILE.z in the format
compress() {
	for f; do
		$format -c <"$f" >"$f.z" || exit 1
	done
}

for format in gzip zstd; do
	if ! command -v $format >/dev/null; then
		skip "compressed with $format" "there is no $format"
		continue
	fi
	compress a.csv a.rec b.tsv
	csv2tfrecord -q -l label a.csv.z >got
	cmp got a.rec >why 2>&1
	result $? "$format: a table"
	csv2tfrecord -q -l label <a.csv.z >got
	cmp got a.rec >why 2>&1
	result $? "$format: from standard input"
	rm -f fifo
	mkfifo fifo
	cat a.csv.z >fifo &
	csv2tfrecord -q -l label fifo >got
	cmp got a.rec >why 2>&1
	result $? "$format: from a named pipe"
	cp b.tsv.z b.tsv.gz
	works "$format: a TSV file by its name" csv2tfrecord -l label b.tsv.gz
	bert-tokenize -q -m "$M" a.rec.z >got
	cmp got a.tok >why 2>&1
	result $? "$format: records"
	{
		head -n 4000 a.csv | $format -c
		: | $format -c
		tail -n +4001 a.csv | $format -c
	} >two.z
	csv2tfrecord -q -l label two.z >got
	cmp got a.rec >why 2>&1
	result $? "$format: members one behind the other, an empty one too"
	tail -n +2 a.csv >lines
	compress lines
	bert-tokenize -q -m "$M" --lines --format ids lines >wanted
	bert-tokenize -q -m "$M" --lines --format ids lines.z >got
	cmp got wanted >why 2>&1
	result $? "$format: lines"

	size=$(($(wc -c <a.csv.z)))
	for cut in 20 $((size / 2)) $((size - 1)); do
		head -c $cut a.csv.z >cut
		refuses "*cannot read 'cut': the $format data is cut short at byte $cut of*" \
			"$format: cut at byte $cut" \
			csv2tfrecord -l label --skip-bad -o never cut
	done
	[ ! -e never ]
	result $? "$format: and no output appears"
	{
		cat a.rec.z
		echo
	} >more
	refuses "*'more': $format data: byte $(($(wc -c <a.rec.z))) of*something else follows*" \
		"$format: something behind it" \
		bert-tokenize -m "$M" -o never more
done

if command -v zstd >/dev/null; then
	# a level that a user may choose, and a window that nobody should
	zstd -q -19 -c <a.rec >high.z
	bert-tokenize -q -m "$M" high.z >got
	cmp got a.tok >why 2>&1
	result $? 'zstd -19'
	zstd -q --long=30 -c <a.rec >long.z
	refuses "*'long.z': zstd data: byte *a window of more than 128 MiB*" \
		'zstd --long=30' bert-tokenize -m "$M" -o never long.z
fi

# --zstd: read back by all that come behind, the same for any number of threads
csv2tfrecord -q -l label --zstd -j1 -o z.rec a.csv
csv2tfrecord -q -l label --zstd=19 -j2 a.csv >z19.rec
[ "$(wc -c <z.rec)" -lt $(($(wc -c <a.rec) / 2)) ] &&
	[ "$(wc -c <z19.rec)" -lt "$(wc -c <z.rec)" ]
result $? '--zstd makes it smaller, --zstd=19 smaller yet'
for z in z.rec z19.rec; do
	bert-tokenize -q -m "$M" $z >got
	cmp got a.tok >why 2>&1
	result $? "$z is read back"
done
bert-tokenize -q -m "$M" --zstd -j1 z.rec >z1.tok
bert-tokenize -q -m "$M" --zstd=3 -j3 -o z3.tok z.rec
cmp z1.tok z3.tok >why 2>&1
result $? 'the same bytes with any number of threads'
if command -v zstd >/dev/null; then
	zstd -q -d -c z3.tok >got
	cmp got a.tok >why 2>&1
	result $? 'zstd reads it too'
	like "$(zstd -lv z3.tok 2>&1)" '*Check: XXH64*' 'and finds the checksum'
fi
works 'training reads it' bert-train -q --init-config tiny --tokenizer "$M" \
	--steps 1 -o model z3.tok
bert-predict -q -m model a.tok >wanted
bert-predict -q -m model z3.tok >got
cmp got wanted >why 2>&1
result $? 'so does prediction'
works 'and evaluation' bert-eval -q -m model z3.tok
printf 'text,label\na,b\nc\n' >bad.csv
for o in '' '-o never'; do
	# shellcheck disable=SC2086
	csv2tfrecord -q -l label --zstd $o bad.csv >part 2>/dev/null
	is "$?" 1 "a bad row with --zstd $o"
done
[ ! -e never ] && ! bert-tokenize -q -m "$M" part >/dev/null 2>&1
result $? 'leaves no file, or a stream that no one takes for whole'
# tfrecord-cat: one output, several, JSON Lines
tfrecord-cat -q --zstd -j1 a.rec >z1.rec
tfrecord-cat -q --zstd=3 -j3 -o z3.rec a.rec
cmp z1.rec z3.rec >why 2>&1
result $? 'tfrecord-cat --zstd: the same bytes with any number of threads'
tfrecord-cat -q z1.rec | cmp - a.rec >why 2>&1
result $? '... read back'
tfrecord-cat -q --zstd --json -o z.json a.rec
tfrecord-cat -q --from-json z.json | cmp - a.rec >why 2>&1
result $? '... of JSON Lines'
for o in '--split x=.5,y=.5' '--kfold 2' '--shard 2'; do
	# shellcheck disable=SC2086
	tfrecord-cat -q $o -o plain a.rec && tfrecord-cat -q $o --zstd -o packed a.rec
	for f in plain-*; do
		tfrecord-cat -q "packed${f#plain}" | cmp - "$f" &&
			[ "$(wc -c <"packed${f#plain}")" -lt "$(wc -c <"$f")" ] || echo "$f"
	done >why 2>&1
	[ ! -s why ]
	result $? "... of $o"
	rm -f plain-* packed-*
done
exits 2 '... of a report' tfrecord-cat --zstd --count a.rec
exits 2 'a level that there is not' csv2tfrecord --zstd=20 a.csv
exits 2 '... or is none' csv2tfrecord --zstd=best a.csv
finish
