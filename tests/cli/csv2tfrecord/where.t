#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord --where: rows by what a column holds.
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

# gives RECORDS NAME OPTION...
gives() {
	wanted=$1 name=$2
	shift 2
	csv2tfrecord "$@" >got 2>err
	is "$? $("$TEST_TOP/tests/lib/records" got | sed 's/text_a=//' |
		tr '\n' ' ')" "0 $wanted" "$name"
}

printf 'text,lang,n\na,fr,1\nb,de,1\nc,fr,2\n"d, e",fr,1\n' >a.csv
gives 'a c d, e ' 'one condition' --where lang=fr a.csv
like "$(cat err)" '*3 records from 1 file, with neither label nor id; 1 row passed over (*' 'is counted'
gives 'a d, e ' 'two' --where lang=fr --where n=1 a.csv
gives 'b ' 'by number' --where 2=de a.csv
printf 'a,fr\nb,\nc,x=y\n' >b.csv
gives 'b ' 'nothing in it' --no-header -t 1 --where 2= b.csv
gives 'c ' 'a value with =' --no-header -t 1 --where 2=x=y b.csv
printf '{"text": "a", "k": true}\n{"text": "b", "k": null}\n{"text": "c", "k": 2}\n' >c.jsonl
gives 'a ' 'JSON Lines' --where k=true c.jsonl
printf 'text,l\na,\351\nb,e\n' >d.csv
gives 'a ' 'in the character set of the input' --encoding latin1 \
	--where "l=$(printf '\303\251')" d.csv
gives 'b ' 'rows of others may be bad' --where l=e --skip-bad d.csv
printf 'text,label,keep\na,,no\nb,x,yes\n' >e.csv
gives 'label=x|b ' 'labels are those of the rows wanted' -l label --where keep=yes e.csv
printf 'language\tgold_label\tsentence1\tsentence2\tpairID\nfr\tneutral\ta\tb\t1\nde\tneutral\tc\td\t2\n' >x.tsv
gives 'id=2|label=neutral|label_ids=2|c|text_b=d ' 'of a published data set' \
	--task xnli --where language=de x.tsv

refuses "csv2tfrecord: no row has 'it' in the column 'lang'" 'none is left' \
	csv2tfrecord --where lang=it a.csv
refuses "*no row has 'de' in the column 'lang', and what else is asked for" \
	'or none of both' csv2tfrecord --where lang=de --where n=2 a.csv
refuses "*cannot find column 'lnag' in 'a.csv' (did you mean 'lang'?)*" \
	'a column that is not there' csv2tfrecord --where lnag=it a.csv
refuses "*record 1 (line 2): the value asked for is not valid utf-8*" \
	'a value that is no text' csv2tfrecord --where l=e d.csv
refuses "*record 2 (line 2): has no key 'k'*" 'a key that is not there' \
	sh -c 'printf "{\"text\":\"a\",\"k\":1}\n{\"text\":\"b\"}\n" |
		csv2tfrecord -o got --where k=2'
exits 2 'no value' csv2tfrecord --where lang a.csv
exits 2 'no column' csv2tfrecord --where =fr a.csv
finish
