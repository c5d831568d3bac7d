#!/bin/sh
# SPDX-License-Identifier: MIT
# --apart: each text of a pair gets a record of its own.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
cp "$TEST_TOP"/pipelines/data/vocab.txt .
printf '%s\n' id,a,b,score x,'the book','a very long book with pages',.5 y,'"opens, when",',,0 \
	z,card,'the card' >pairs.csv
sed -i 's/^y,.*/y,when,"opens, today",0/; s/^z,.*/z,card,the card,1/' pairs.csv
csv2tfrecord -q -i id -t a --pair b -l score -o pairs.txt.rec pairs.csv
works 'both texts' bert-tokenize -m vocab.txt --apart --keep-text -o apart.rec pairs.txt.rec
like "$(cat err)" '*3 texts, * tokens*' '... of three pairs'
tfrecord-cat -q --json apart.rec >got
is "$(wc -l <got | tr -d ' ')" 6 'are records of their own'
is "$(sed 's/.*"id": "\([a-z]*\)".*"text_number": \([01]\).*/\1\2/' got | tr '\n' ' ')" 'x0 x1 y0 y1 z0 z1 ' \
	'numbered, in their order'
is "$(sed 's/.*"text_a": "\([^"]*\)".*/\1/' got | tr '\n' ,)" \
	'the book,a very long book with pages,when,opens, today,card,the card,' 'with their text'
is "$(grep -c '"label": ".5"' got)" 2 'and the label of the pair'
cut -d, -f1,3 pairs.csv | sed 's/"//g' >alone.csv
csv2tfrecord -q -i id -t a -o one.txt.rec pairs.csv
bert-tokenize -q -m vocab.txt --format ids one.txt.rec >wanted
bert-tokenize -q -m vocab.txt --apart --format ids pairs.txt.rec | awk 'NR % 2' >got
is "$(cat got)" "$(cat wanted)" 'with the tokens of single texts'
bert-tokenize -q -m vocab.txt --apart -j 3 --keep-text -o threads.rec pairs.txt.rec
cmp -s threads.rec apart.rec
result $? 'threads do not matter'
bert-tokenize -q -m vocab.txt --apart --max-length 4 --format ids pairs.txt.rec >got
is "$(awk '{ if (NF > m) m = NF } END { print m }' got)" 4 'each is cut by itself'
bert-tokenize -q -m vocab.txt --apart --prompt-text 'book ' --format ids pairs.txt.rec >got
is "$(awk -v b="$(echo book | bert-tokenize -q -m vocab.txt --lines --no-special --format ids)" '$2 == b' got | wc -l | tr -d ' ')" 6 \
	'a prompt goes before each'
csv2tfrecord -q -i id -t a --pair b --keep score,b -o kept.rec pairs.csv
works 'fields, too' bert-tokenize -q -m vocab.txt --apart --negative score --negative b --keep-text -o apart.rec kept.rec
is "$(tfrecord-cat -q --json apart.rec | sed 's/.*"text_a": "\([^"]*\)".*"text_number": \([0-9]\).*/\2 \1/' | head -n 4 | tr '\n' ,)" \
	'0 the book,1 a very long book with pages,2 .5,3 a very long book with pages,' '... are texts'
refuses "*record 1*has no field 'c'*" 'a field that is not there' \
	bert-tokenize -q -m vocab.txt --apart --negative c -o x kept.rec
printf '{"text_a": "a", "text_b": "b", "neg": {"base64": "eP8="}}\n' | tfrecord-cat -q --from-json -o bad.text
bert-tokenize -m vocab.txt --apart --negative neg --replace-invalid -o x bad.text 2>err
like "$?$(cat err)" '0*1 text with invalid UTF-8 (1 U+FFFD put in)*' 'invalid bytes of a field'
exits 2 '--negative alone' bert-tokenize -q -m vocab.txt --negative score -o x kept.rec
refuses "*record 1*is not a pair of texts*csv2tfrecord --pair*" 'a single text' \
	bert-tokenize -q -m vocab.txt --apart -o x one.txt.rec
for o in '--stride 1' '--layout bert --pad 8' '--lines' '--detokenize'; do
	# shellcheck disable=SC2086 # two words
	exits 2 "not with $o" bert-tokenize -q -m vocab.txt --apart $o -o x pairs.txt.rec
done
finish
