#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-predict: other delimiters, and the test_results.tsv of Model Garden.
# Not under thread: the threads are those of cli/bert-predict/output
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q --epochs 3 --learning-rate 2e-3
rows=$(($(wc -l <dev.csv) - 1))
bert-predict -q -m m --proba dev.rec >plain.csv

works '--delimiter' bert-predict -q -m m --proba --delimiter tab dev.rec
tr ',' '\t' <plain.csv >wanted
same out wanted 'divides all fields'
works 'a header' bert-predict -q -m m --header index,prediction \
	--delimiter tab --top 2 dev.rec
is "$(head -n 1 out | tr '\t' ' ')" \
	'index prediction probability prediction_2 probability_2' 'also its names'
exits 2 'two characters' bert-predict -q -m m --delimiter ab dev.rec
misuses '*--header and --delimiter are for --format csv*' 'JSON Lines have none' \
	bert-predict -m m --delimiter tab --format jsonl dev.rec

# Without ids, with no word about that.
csv2tfrecord -q -t text dev.csv | bert-tokenize -q -m m >noid.rec
works '--format tsv' bert-predict -m m --format tsv noid.rec
is "$(grep -c warning err)" 0 'asks for no ids'
is "$(awk -F'\t' 'NF == 4' out | wc -l | tr -d ' ')" "$rows" \
	'a line a record, a column a class, no header'
sed '1d; s/[^,]*,[^,]*,//; y/,/\t/' plain.csv >b
# the same floats, and all digits that they have as doubles
perl -e '
	open my $a, "<", "out"; open my $b, "<", "b";
	while (my $x = <$a>) {
		my @y = split /\t/, <$b>;
		for (split /\t/, $x) {
			my $y = shift @y;
			my $f = unpack "f", pack "f", $y;
			$_ == $f or print "$_ is not $y\n";
			/\.|e/ or print "$_: no float to Python\n";
		}
	}' >why
[ ! -s why ]
result $? 'its numbers are those of --proba'
if [ -n "${PEER_PYTHON:-}" ]; then
	tr '\t' '\n' <out >numbers
	"$PEER_PYTHON" -c 'import sys
for line in sys.stdin: print(repr(float(line)))' <numbers >wanted
	same numbers wanted 'printed as Python prints them'
else
	skip 'printed as Python prints them' 'PEER_PYTHON is not set'
fi
misuses '*do not combine --format tsv with --top*' 'no choice of classes' \
	bert-predict -m m --format tsv --top 2 dev.rec
misuses '*the sample decides format and columns*' 'no sample' \
	bert-predict -m m --format tsv --sample plain.csv dev.rec
cut -d, -f1,2 plain.csv >pair.csv
refuses '*records without an id were numbered from 0: *(csv2tfrecord -i COLUMN reads ids, or --sample-order *' \
	'records without ids and a sample' \
	bert-predict -m m --sample pair.csv noid.rec
{ echo id,label; seq "$(tfrecord-cat -q --count noid.rec)" | sed 's/$/,x/'; } >counted.csv
refuses "*records without an id were numbered from 0: *'0'*(csv2tfrecord -i COLUMN reads ids, *" \
	'... that counts from 1' bert-predict -m m --sample counted.csv noid.rec
finish
