#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-predict --with: fields of the records beside their predictions.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q
n=0
cat >in.csv <<'.'
id,text,lang,score,intent
a,where is my card,en,1,parking
b,"the ""wifi"", again",de,2,wifi_access
c,"two
lines",,3,parking
.
csv2tfrecord -q -i id -t text -l intent --keep lang,score in.csv |
	bert-tokenize -q -m m --keep-text -o in.rec
bert-predict -q -m m in.rec >plain.csv

works 'text and kept columns' bert-predict -q -m m --with text_a,lang --header id,predicted in.rec
label() { sed -n "$1s/.*,//p" plain.csv; }
cat >want <<.
id,text_a,lang,predicted
a,where is my card,en,$(label 2)
b,"the ""wifi"", again",de,$(label 3)
c,"two
lines",,$(label 4)
.
same out want 'CSV, in quotes where it must be'
csv2tfrecord -q -i id -t text_a -l predicted --keep lang out | tfrecord-cat -q --json >back
csv2tfrecord -q -i id -t text -l intent --keep lang in.csv | tfrecord-cat -q --json |
	sed 's/"label": "[a-z_]*"/"label": "-"/' >want
sed 's/"label": "[a-z_]*"/"label": "-"/' back >got
same got want '... which reads back as the same'
works 'the true label' bert-predict -q -m m --with label --header id,predicted in.rec
is "$(sed 1d out | cut -d, -f2 | tr '\n' ' ')" 'parking wifi_access parking ' 'beside the predicted one'
works 'JSON Lines' bert-predict -q -m m --with text_a,score,input_ids --format jsonl in.rec
like "$(sed -n 3p out)" '{"id": "c", "text_a": "two\\nlines", "score": "3", "input_ids": [[][0-9]*, [0-9, ]*], "label": "*", "probability": 0.*}' \
	'with the same names'
is "$(bert-predict -q -m m --with lang --delimiter tab --proba in.rec | head -n 1)" \
	"$(printf 'id\tlang\tlabel\tget_card\tparking\tpay_fine\twifi_access')" 'other options go together'
bert-predict -q -m m --with lang --top 2 in.rec >got
is "$(head -n 1 got)" 'id,lang,label,probability,label_2,probability_2' 'the likeliest'

# a record that lacks a field, and records that have other values
printf '%s\n' '{"id": "x", "text": "where", "lang": null, "n": 1}' '{"id": "y", "text": "is", "lang": "fr", "n": 2}' |
	csv2tfrecord -q --format jsonl -i id -t text --keep lang,n | bert-tokenize -q -m m -o null.rec
is "$(bert-predict -q -m m --with lang null.rec | cut -d, -f1,2 | tr '\n' ' ')" 'id,lang x, y,fr ' 'a field that one lacks is empty'
like "$(bert-predict -q -m m --with lang --format jsonl null.rec | head -n 1)" '{"id": "x", "lang": null, *' '... or null'
tfrecord-cat -q --json in.rec | sed 's/^{/{"age": 7, "part": [0.5, 2.0], /' | tfrecord-cat -q --from-json -o typed.rec
is "$(bert-predict -q -m m --with age,part typed.rec | sed -n 2p | sed 's/,[a-z_]*$//')" 'a,7,"0.5, 2"' 'numbers'
like "$(bert-predict -q -m m --with age,part --format jsonl typed.rec | head -n 1)" \
	'{"id": "a", "age": 7, "part": [[]0.5, 2.0], "label": *' '... in JSON'
# more records than are predicted at once
for i in $(seq 2000); do cat in.rec; done >many.rec
bert-predict -q -m m --with score -j 3 many.rec | sed 1d | cut -d, -f1,2 | sort | uniq -c | awk '{ print $1, $2 }' >got
is "$(tr '\n' ' ' <got)" '2000 a,1 2000 b,2 2000 c,3 ' 'each has its own, block by block'
# numbers
sed 's/intent/target/; s/parking/1.5/; s/wifi_access/2.5/' in.csv >number.csv
csv2tfrecord -q -i id -t text -l target,score --label-type float --keep lang number.csv |
	bert-tokenize -q -m vocab.txt -o number.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --steps 1 -o number number.rec
is "$(bert-predict -q -m number --with lang number.rec | head -n 1)" 'id,lang,target,score' 'several numbers'
is "$(bert-predict -q -m number --with lang --header ID,a,b number.rec | head -n 1)" 'ID,lang,a,b' '... with names'

# what is refused
refuses "*none of the first 3 records has the feature 'text_b': the first one has id, *text_a*lang, score* (csv2tfrecord --keep keeps columns, bert-tokenize --keep-text texts)" \
	'a field that is not there' bert-predict -m m --with lang,text_b -o none.csv in.rec
[ ! -e none.csv ]
result $? '... leaves no file'
refuses "*'in80.rec': record 1: feature 'input_ids' is a list of 80 values, too long to be shown" 'a long list' \
	sh -c 'csv2tfrecord -q -t text in.csv | bert-tokenize -q -m m --pad 80 -o in80.rec &&
		bert-predict -m m --with input_ids in80.rec'
for f in id label; do
	misuses "*the output would have '$f' twice (--header gives CSV other column names)" "a column twice: $f" \
		bert-predict -m m --with $f in.rec
	misuses "*the output would have '$f' twice*" '... or a member' bert-predict -m m --with $f --format jsonl in.rec
done
misuses "*would have 'parking' twice*" 'a class' bert-predict -m m --with parking --proba in.rec
misuses "*the field 'lang' is given twice" 'a field twice' bert-predict -m m --with lang,score,lang in.rec
misuses "*the field '' has no name" 'no name' bert-predict -m m --with lang, in.rec
misuses '*--with supports the formats csv and jsonl*' 'records' bert-predict -m m --with lang --format tfrecord in.rec
misuses '*options for labels and CSV, such as --proba and --with, do not apply to --embed*' 'embeddings' \
	bert-predict -m m --with lang --embed mean in.rec
misuses '*do not combine --sample*--with*' 'a sample' bert-predict -m m --with lang --sample plain.csv in.rec
finish
