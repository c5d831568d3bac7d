#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord: texts that have different labels in different rows.
# shellcheck shell=sh
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"

# warns "WARNING" NAME ARGUMENT...: what csv2tfrecord warns of, "" if nothing
warns() {
	wanted=$1 name=$2
	shift 2
	csv2tfrecord -o got "$@" 2>err
	is "$? $(sed -n 's/^csv2tfrecord: warning: //p' err)" "0 $wanted" "$name"
}
advice='(--rejects lists all such rows)'
of='different labels in different rows, as in'

printf 'text,y,z\nhello,a,0\nbye,b,1\nhello,b,0\n"he\nllo",b,0\nhello,a,0\nhello,b,0\nbye,c,1\n,a,0\n,b,1\n' >a.csv
printf 'text,y\nbye,c\nnew,a\nnew,a\nnew,b\n' >b.csv
printf 'text,y\nx,1\nbye,d\n' >c.csv
printf 'text,y\na,1\na,2\n' >n.csv
printf 'text,y\na,1\na,2\nb,.5\na,3\n' >f.csv
printf 'text,other,y\na,b,1\na,c,2\na,b,2\na,,2\n' >p.csv
printf 'text,y\na,1;2\nb,1\na,2;1\na,1\nb,1\n' >m.csv
printf '{"text":"a","y":1}\n{"text":"b","y":1}\n{"text":"a","y":2}\n' >j.jsonl
warns "2 texts have $of row 1 and row 3 of 'a.csv' $advice" \
	'texts are counted, with an example; empty ones are not' -l y a.csv
warns "1 text has $of row 2 and row 4 of 'b.csv' $advice" 'one text' -l y b.csv
warns "3 texts have $of row 1 and row 3 of 'a.csv' $advice" 'all files' -l y a.csv b.csv
warns "1 text has $of row 1 of 'b.csv' and row 2 of standard input $advice" \
	'two files' -l y --where text=bye b.csv - <c.csv
warns '' 'other texts' -l z a.csv
warns '' 'numbers to predict' -l y --label-type float n.csv
warns '' 'numbers that are not whole' -l y f.csv
warns "1 text has $of row 1 and row 3 of 'p.csv' $advice" 'pairs' --pair other -l y p.csv
warns "1 text has $of row 1 and row 4 of 'm.csv' $advice" \
	'sets of labels, in any order' -l y --label-separator ';' m.csv
warns "1 text has $of row 1 and row 3 of 'j.jsonl' $advice" 'JSON Lines' -l y j.jsonl

# the file of rejects
warns "3 texts have $of row 1 and row 3 of 'a.csv'; 'bad.csv' lists 5 rows, kept" \
	'with --rejects' -l y --rejects bad.csv a.csv b.csv
is "$(tail -n 1 err)" 'csv2tfrecord: 13 records from 2 files, 3 labels; 2 texts are empty' \
	'records have all rows'
is "$(cat bad.csv)" 'file,line,reason,row
a.csv,4,kept: row 1 has this text with another label,"hello,b,0"
a.csv,8,kept: row 1 has this text with another label,"hello,b,0"
a.csv,9,kept: row 2 has this text with another label,"bye,c,1"
b.csv,2,kept: row 2 of '"'a.csv'"' has this text with another label,"bye,c"
b.csv,5,kept: row 2 has this text with another label,"new,b"' 'rows that contradict earlier ones'
warns "2 texts have $of row 1 and row 3 of 'a.csv'; 'bad.csv' lists 3 rows, dropped" \
	'with --drop-duplicates' -l y --drop-duplicates --rejects bad.csv a.csv
is "$(sed -n 2p bad.csv) $("$TEST_TOP/tests/lib/records" got | grep -c hello)" \
	'a.csv,4,dropped: row 1 has this text with another label,"hello,b,0" 1' '... says so'
csv2tfrecord -q -l y --rejects bad.csv -o got a.csv 2>err
is "$? $(cat err) $(wc -l <bad.csv)" '0  4' 'quiet'

# many rows: the first ones, or all
awk 'BEGIN { print "text,y"; for (i = 1; i < 50000; i++) print "text " i "," i % 2
	print "text 49999,0"; for (i = 1; i <= 40000; i++) print "text " i ",2" }' >long.csv
warns "in the first 50000 rows, 1 text has $of row 49999 and row 50000 of 'long.csv' $advice" \
	'the first rows' -l y long.csv
warns "40001 texts have $of row 49999 and row 50000 of 'long.csv'; 'bad.csv' lists 40001 rows, kept" \
	'all rows' -l y --rejects bad.csv long.csv
is "$(tail -n 1 bad.csv)" 'long.csv,90001,kept: row 40000 has this text with another label,"text 40000,2"' \
	'... to the last'

finish
