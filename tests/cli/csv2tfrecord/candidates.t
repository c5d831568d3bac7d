#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord --candidates: each text with the same candidates for its label.
. "$TEST_TOP/tests/lib/lib.sh"

printf 'id,text,kind\n1,where is it?,delivery\n2,I paid twice,billing\n' >a.csv
# holds TEXT NAME OPTION...: the records
holds() {
	wanted=$1 name=$2
	shift 2
	is "$(csv2tfrecord -q "$@" | tfrecord-cat -q --json)" "$wanted" "$name"
}
holds '{"choices": ["This example is billing.", "This example is delivery."], "label": "delivery", "label_names": ["billing", "delivery"], "text_a": "where is it?"}
{"choices": ["This example is billing.", "This example is delivery."], "label": "billing", "label_names": ["billing", "delivery"], "text_a": "I paid twice"}' \
	'a choice for each, as transformers asks' -l kind --candidates billing,delivery a.csv
holds '{"choices": ["b or b?", "a or a?"], "id": "1", "label_names": ["b", "a"], "text_a": "where is it?"}
{"choices": ["b or b?", "a or a?"], "id": "2", "label_names": ["b", "a"], "text_a": "I paid twice"}' \
	'in the order given, wherever the template has a gap' -i id --candidates b,a --template '{} or {}?' a.csv
printf 'delivery, post\r\nbilling\r\n' >names
printf 'text;l\n\351;0\n' >l.csv
holds '{"choices": ["delivery, post", "billing"], "label": "delivery, post", "label_names": ["delivery, post", "billing"], "text_a": "é"}' \
	'a file of names with commas, a number as label, another character set' \
	--encoding latin1 --delimiter ';' -l l --candidates names --template '{}' l.csv
printf '{"text": "x", "l": "b"}\n' >a.jsonl
holds '{"choices": ["a", "c"], "label": "c", "label_names": ["a", "c"], "text_a": "x"}' 'JSON Lines, a label renamed' \
	-l l --map-label b=c --candidates a,c --template '{}' a.jsonl
mkdir -p d/pos d/neg
echo good >d/pos/1.txt
echo bad >d/neg/2.txt
is "$(csv2tfrecord -q -l label --candidates neg,pos d | tfrecord-cat -q --json | sed 's/.*"label": \("..."\).*/\1/' | sort | tr -d '\n')" '"neg""pos"' \
	'a folder of texts'
printf 'sentence\tlabel\ngood\t1\nbad\t0\n' >sst.tsv
is "$(csv2tfrecord -q --task sst-2 --candidates 0,1 sst.tsv | tfrecord-cat -q --json | sed 's/.*"label": \("."\).*/\1/' | tr -d '\n')" '"1""0"' \
	'a published data set of single texts'
awk 'BEGIN { for (i = 0; i < 24; i++) print i % 4 + 1 ",news " i ",of a day" }' >news.csv
is "$(csv2tfrecord -q --task ag-news --map-label 1=W,2=S,3=B,4=T --candidates W,S,B,T news.csv | tfrecord-cat -q --head 1 --json)" \
	'{"choices": ["This example is W.", "This example is S.", "This example is B.", "This example is T."], "label": "W", "label_names": ["W", "S", "B", "T"], "text_a": "news 0 of a day"}' \
	'whose labels are renamed'
like "$(csv2tfrecord --task ag-news --candidates W,S,B,T,E -o x news.csv 2>&1)" '*warning: none of 24 labels is 0, the number of the first choice*' \
	'... or counted from 0, which is doubted'
printf 'text,kind\nx,a\ny,b\nx,b\n' >twice.csv
like "$(csv2tfrecord -l kind --candidates a,b -o x twice.csv 2>&1)" '*warning: 1 text has different labels in different rows*' 'contradictions are found'

refuses "*'a.csv': record 1 (line 2): the label 'delivery' is not one of the 2 choices, 'a' to 'b', or the number of one, from 0 (*" \
	'a label that is not among them' csv2tfrecord -q -l kind --candidates a,b -o x a.csv
misuses '*the candidates: cannot use the labels given *: label 2 is empty*' 'an empty one' \
	csv2tfrecord -q --candidates a,,b a.csv
misuses "*the candidates: cannot use the labels given *: label 'a' stands there twice*" 'one twice' \
	csv2tfrecord -q --candidates a,b,a a.csv
misuses "*the candidate ' b' begins or ends with a blank*" 'a blank behind the comma' csv2tfrecord -q --candidates 'a, b' a.csv
refuses "*the candidates: cannot use the labels: *'a'*" 'a file that does not exist' csv2tfrecord -q --candidates a a.csv
echo a >single
refuses "*the candidates: cannot use the labels: 'single' names 1 label, expected at least two*" 'one alone' \
	csv2tfrecord -q --candidates single a.csv
misuses "*the template 'It is.' has no {}, in whose place the candidates are put*" 'a template without a gap' \
	csv2tfrecord -q --candidates a,b --template 'It is.' a.csv
misuses '*the template is not valid UTF-8*' 'a template that is not UTF-8' \
	csv2tfrecord -q --candidates a,b --template "$(printf '{}\377')" a.csv
misuses '*--template needs --candidates*' 'a template alone' csv2tfrecord -q --template '{}' a.csv
misuses '*give either --choices or --candidates*' 'choices, too' csv2tfrecord -q --choices id,kind --candidates a,b a.csv
for o in '--pair id' '-l kind --label-separator ;' '-l kind --fold-case' '-l kind --label-type float'; do
	# shellcheck disable=SC2086 # options
	misuses '*--pair, --label-separator, --fold-case and --label-type float make no sense with --candidates*' "$o" \
		csv2tfrecord --candidates a,b $o a.csv
done
misuses '*a question with choices has one label column*' 'two labels' csv2tfrecord -q -l id,kind --candidates a,b -o x a.csv
printf '{"text": "x", "l": ["a"]}\n' >list.jsonl
refuses '*holds a list, expected a string*' 'a list of labels' csv2tfrecord -q -l l --candidates a,b -o x list.jsonl
printf 'index\tsentence1\tsentence2\tlabel\n0\ta\tb\tentailment\n' >rte.tsv
misuses '*candidates are for the label of one text, not of a pair*' 'a data set of pairs' \
	csv2tfrecord -q --task rte --candidates a,b -o x rte.tsv
finish
