#!/bin/sh
# SPDX-License-Identifier: MIT
# conll2tfrecord: texts with spans in them that have labels, as doccano, Label
# Studio and spaCy's jsonl have them.
# shellcheck shell=sh
. "$TEST_TOP/tests/lib/lib.sh"

# gives "WANTED" NAME ARGUMENT...: the records, as JSON, of the line in in.jsonl
gives() {
	wanted=$1 name=$2
	shift 2
	is "$(conll2tfrecord "$@" in.jsonl 2>err | tfrecord-cat -q --json)" "$wanted" "$name"
}

echo '{"id": 7, "text": "Dr. José Muñoz-Li met  Ben, 王!", "label": [[23, 26, "PER"], [4, 17, "PER"]]}' >in.jsonl
words='"text": "Dr. José Muñoz-Li met  Ben, 王!", "words": ["Dr", ".", "José", "Muñoz", "-", "Li", "met", "Ben", ",", "王", "!"]'
tags='"tags": ["O", "O", "B-PER", "I-PER", "I-PER", "I-PER", "O", "B-PER", "O", "O", "O"]'
gives "{\"id\": \"7\", $tags, $words}" 'words end at blanks and punctuation; spans count characters' --spans label
is "$(cat err)" 'conll2tfrecord: 1 sentence, 11 words' '... and are counted'
gives "{\"id\": \"7\", $words}" 'without tags' --spans label --no-tags
gives "{\"id\": \"7\", $(echo "$tags" | sed 's/B-PER", "I-PER", "I-PER", "I-PER/B-PER", "I-PER", "I-PER", "E-PER/; s/"O", "B-PER", "O"/"O", "S-PER", "O"/'), $words}" \
	'in another scheme' --spans label --scheme iob2:iobes

echo '{"data": "unfair, Ben", "spans": [{"start": 2, "end": 6, "label": "X"}, {"start_offset": 6, "end_offset": 7, "labels": ["Y"]}, {"start": 7, "end": 11, "label": "X"}]}' >in.jsonl
gives '{"id": "0", "tags": ["O", "B-X", "B-Y", "B-X"], "text": "unfair, Ben", "words": ["un", "fair", ",", "Ben"]}' \
	'objects; a word ends where a span does' --text data --spans spans
echo '{"text": "no names", "label": []}' >in.jsonl
gives '{"id": "0", "tags": ["O", "O"], "text": "no names", "words": ["no", "names"]}' 'a text without spans' --spans label

# bad MESSAGE LINE
bad() {
	echo "$2" >bad.jsonl
	refuses "conll2tfrecord: 'bad.jsonl': line 1: $1" "$1" conll2tfrecord --spans label bad.jsonl
}
bad "has no key 'text'; its keys are 'body' (--text names the key of the text)" '{"body": "a"}'
bad "has no key 'label'; its keys are 'text'" '{"text": "a"}'
bad "'text' is not a text" '{"text": ["a"], "label": []}'
bad "'label' is not a list" '{"text": "a", "label": {}}'
bad 'span 1: is neither ?START, END, LABEL? nor an object with start, end and label' '{"text": "a", "label": [[0, 1]]}'
bad 'span 1: 0 to 2 is not a part of the text, which ends at 1' '{"text": "ä", "label": [[0, 2, "X"]]}'
bad 'span 1: 1 to 1 is not a part of the text, which ends at 2' '{"text": "ab", "label": [[1, 1, "X"]]}'
bad 'spans 2 and 1 overlap, and a word has one tag' '{"text": "ab", "label": [[1, 2, "X"], [0, 2, "Y"]]}'
bad 'span 1 holds no word' '{"text": "a b", "label": [[1, 2, "X"]]}'
bad 'has no words' '{"text": " ", "label": []}'
echo 'Ben B-PER' >bad.txt
refuses "conll2tfrecord: cannot find column 'text' in 'bad.txt'; its only column is 'Ben B-PER'" 'columns' \
	conll2tfrecord --spans label bad.txt

# CSV, with spans as JSON or Python writes them
one='{"id": "a", "tags": ["O", "B-PER", "I-PER", "O"], "text": "Ask  Ann Lée!", "words": ["Ask", "Ann", "Lée", "!"]}'
for spans in "[[5, 12, 'PER']]" '[[5,12,"PER"]]' "[(5, 12, 'PER'),]" "[{'start': 5, 'end': 12, 'label': 'PER'}]" \
	'[{"end": 12, "labels": ["PER"], "start": 5, "more": null, "p": -1.5, "sure": true}]' \
	"[array([5, 12, 'PER'], dtype=object)]" "array([[5, 12, 'P\\x45R']])" "{'x': 1}" '[5, 12' "[[5 12 'PER']]"; do
	printf '%s\n' 'id,text,label' "a,Ask  Ann Lée!,\"$(printf %s "$spans" | sed 's/"/""/g')\"" >in.csv
	conll2tfrecord -q --spans label in.csv 2>err | tfrecord-cat -q --json >got 2>more
	case $spans in
	"{'x'"* | '[5, 12' | array*)
		is "$(cat err)" "conll2tfrecord: cannot read 'in.csv': record 1 (line 2): 'label' is not a list" "not a list: $spans"
		;;
	*) is "$(cat got)" "$one" "$spans" ;;
	esac
done
printf '%s\n' 'text,label' 'a b,' 'c,[]' >in.csv
same_words='{"tags": ["O", "O"], "text": "a b", "words": ["a", "b"]}
{"tags": "O", "text": "c", "words": "c"}'
is "$(conll2tfrecord -q --spans label in.csv | tfrecord-cat -q --json | sed 's/"id": "[01]", //')" "$same_words" 'no spans'
printf '%s\n' '{"text": "a b", "label": null}' '{"text": "c", "label": ""}' >in.jsonl
is "$(conll2tfrecord -q --spans label in.jsonl | tfrecord-cat -q --json | sed 's/"id": "[01]", //')" "$same_words" 'null'
printf '%s\n' 'nr;body' '7;"two
lines"' '8;Ann' >in.csv
is "$(conll2tfrecord -q --text body --id nr --delimiter semicolon in.csv | tfrecord-cat -q --json)" \
	'{"id": "7", "text": "two\nlines", "words": ["two", "lines"]}
{"id": "8", "text": "Ann", "words": "Ann"}' 'texts to be tagged, and their ids'
tr ';' '\t' <in.csv >in.tsv
conll2tfrecord -q --text body -o csv.rec --delimiter ';' in.csv
conll2tfrecord -q --text body -o tsv.rec in.tsv
same tsv.rec csv.rec 'TSV by its name; numbered without ids'
sed 's/two/tw\o344/' in.csv >latin1.csv
is "$(conll2tfrecord -q --text body --delimiter ';' --encoding latin1 latin1.csv | tfrecord-cat -q --json | grep -c 'twä')" 1 'Latin-1'
refuses "*cannot read 'latin1.csv': record 1 (line 2): 'body' is not valid utf-8 (byte E4 at position 3) (use --encoding *" \
	'... which is not UTF-8' conll2tfrecord --text body --delimiter ';' latin1.csv
refuses "*cannot find column 'bdy' in 'in.tsv' (did you mean 'body'?)*" 'a column that is not there' conll2tfrecord --text bdy in.tsv
refuses "*cannot find column 'id' in 'in.tsv'; its columns are 'nr', 'body'" '... of ids' conll2tfrecord --text body --id id in.tsv
printf 'body\n"a" b\n' >bad.csv
refuses "*cannot read 'bad.csv': record 1 (line 2): * (use --no-quote *" 'quotes' conll2tfrecord --text body bad.csv
printf 'body\n"a\n' >open.csv
refuses "*cannot read 'open.csv': record 1 (line 2): the quote opened on line 2 is never closed (use --no-quote *" \
	'one quote' conll2tfrecord --text body open.csv
printf 'text,label\na b,"[[0, 9, ""X""]]"\n' >bad.csv
refuses "*cannot read 'bad.csv': record 1 (line 2): span 1: 0 to 9 is not a part *" 'a span beyond the text' \
	conll2tfrecord --spans label bad.csv
echo '{"body": "Ann", "nr": 3}' >in.jsonl
gives '{"id": "3", "text": "Ann", "words": "Ann"}' 'JSON Lines' --text body --id nr
refuses "*has no key 'id'; its keys are 'body', 'nr'" 'a key that is not there' conll2tfrecord --text body --id id in.jsonl
is "$(conll2tfrecord -q --text text --id label "$DATA/parquet/classes.parquet" 2>&1 | tfrecord-cat -q --json --head 1 | grep -c '"text"')" 1 'Parquet'

for o in '-t tags' '-w w' '--sentence s'; do
	# shellcheck disable=SC2086
	misuses '*--text and --spans make no sense with --word, --tag and --sentence*' "$o" conll2tfrecord --spans label $o in.jsonl
done
misuses '*--id needs --text or --spans*' '--id' conll2tfrecord --id nr in.jsonl
misuses '*--scheme needs --spans, where texts are read*' '--scheme' conll2tfrecord --text body --scheme iob2 in.jsonl
misuses '*--documents makes no sense with *--text*' '--documents' conll2tfrecord --text body --documents in.jsonl
misuses '*--comment makes no sense with *--text*' '--comment' conll2tfrecord --text body --comment '#' in.jsonl

printf 'Ask Ann!\r\n\n \t\n{"text": "a"}\n# b' >in.txt
is "$(conll2tfrecord --lines in.txt 2>err | tfrecord-cat -q --json)" '{"id": "0", "text": "Ask Ann!", "words": ["Ask", "Ann", "!"]}
{"id": "1", "text": "{\"text\": \"a\"}", "words": ["{", "\"", "text", "\"", ":", "\"", "a", "\"", "}"]}
{"id": "2", "text": "# b", "words": ["#", "b"]}' 'lines are texts, also of JSON'
is "$(cat err)" 'conll2tfrecord: 3 sentences, 14 words, without tags
conll2tfrecord: 2 lines were left out: without a word' '... and empty ones are counted'
is "$(conll2tfrecord -q --lines --context 1 in.txt | tfrecord-cat -q --json --head 1 | grep -c '"after"')" 1 '... beside others'
printf 'a\n\377\n' >in.txt
refuses "*'in.txt': line 2: is not valid UTF-8*" 'a line of another encoding' conll2tfrecord --lines in.txt
misuses '*--lines makes no sense with --text, *' '--lines' conll2tfrecord --lines --text body in.txt
finish
