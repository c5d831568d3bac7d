#!/bin/sh
# SPDX-License-Identifier: MIT
# conll2tfrecord --sentence: tables with a word in a row.
# Not under thread: the threads are those of cli/bert-train/tagging
. "$TEST_TOP/tests/lib/lib.sh"
words() { conll2tfrecord -q --sentence s -w w -t t "$@"; }
json() { words "$@" | tfrecord-cat -q --json; }

printf '%s\n' 's,w,pos,t' '1,Ann,N,B-PER' ',"a, ""b""",V,O' '2,Ben,N,B-PER' >a.csv
is "$(json a.csv)" '{"id": "1", "tags": ["B-PER", "O"], "words": ["Ann", "a, \"b\""]}
{"id": "2", "tags": "B-PER", "words": "Ben"}' 'a name where a sentence begins'
printf 's;w;t\n1;Ann;O\n1;Ben;O\n3;c;O\n1;d;O\n' >b.csv
is "$(json --delimiter semicolon b.csv)" '{"id": "1", "tags": ["O", "O"], "words": ["Ann", "Ben"]}
{"id": "3", "tags": "O", "words": "c"}
{"id": "1", "tags": "O", "words": "d"}' 'a name in each row'
printf 's\tw\tt\n1\t"\tO\n\tb\tO\n' >c.tsv
is "$(json --no-quote c.tsv)" '{"id": "1", "tags": ["O", "O"], "words": ["\"", "b"]}' 'tabs, and quotes that are words'
printf 's,w,t\n1,Ir\351n,O\n' >latin1.csv
is "$(json --encoding latin1 latin1.csv)" '{"id": "1", "tags": "O", "words": "Irén"}' 'another encoding'
printf '{"s": 7, "w": "a", "t": "O"}\n{"s": 7, "w": 5, "t": "B-X"}\n' >d.jsonl
is "$(json d.jsonl)" '{"id": "7", "tags": ["O", "B-X"], "words": ["a", "5"]}' 'JSON Lines'
is "$(conll2tfrecord -q --sentence 1 -w 2 --no-tags a.csv | tfrecord-cat -q --json --head 1)" \
	'{"id": "1", "words": ["Ann", "a, \"b\""]}' 'columns by number, without tags'
is "$(json --context 1 a.csv a.csv)" '{"after": "Ben", "id": "1", "tags": ["B-PER", "O"], "words": ["Ann", "a, \"b\""]}
{"before": ["Ann", "a, \"b\""], "id": "2", "tags": "B-PER", "words": "Ben"}
{"after": "Ben", "id": "1", "tags": ["B-PER", "O"], "words": ["Ann", "a, \"b\""]}
{"before": ["Ann", "a, \"b\""], "id": "2", "tags": "B-PER", "words": "Ben"}' 'a file is a document'
is "$(json --scheme iob2:iobes - <a.csv | head -n 1)" \
	'{"id": "1", "tags": ["S-PER", "O"], "words": ["Ann", "a, \"b\""]}' 'another scheme, from standard input'
conll2tfrecord --sentence s -w w -t t a.csv 2>err >/dev/null
is "$(cat err)" 'conll2tfrecord: 2 sentences, 3 words' 'says how much it was'

printf '{"s": "x", "w": "a", "t": "O"}\n{"s": null, "w": "b", "t": "O"}\n' >null.jsonl
is "$(json null.jsonl)" '{"id": "x", "tags": ["O", "O"], "words": ["a", "b"]}' 'null is as empty'
for f in a.csv null.jsonl; do
	refuses "*'row'*" "the number of a row names no column, $f" conll2tfrecord -q --sentence row -w w -t t $f
done

bad() { # PATTERN TEXT [OPTION ...]
	printf "$2" >bad.csv
	pattern=$1 text=$(printf '%s' "$2" | tr '\n' ' ')
	shift 2
	refuses "conll2tfrecord: $pattern" "refuses $text $*" conll2tfrecord --sentence s -w w -t t -o bad.rec "$@" bad.csv
}
bad "'bad.csv': record 2: has an empty word" 's,w,t\n1,a,O\n,,O\n'
bad "cannot read 'bad.csv': record 1 (line 2): the label is empty" 's,w,t\n1,a,\n'
bad "cannot read 'bad.csv': record 1 (line 2): 2 fields, expected 3*" 's,w,t\n1,a\n'
bad "cannot read 'bad.csv': record 1 (line 2): *--encoding*" 's,w,t\n1,\351,O\n'
bad "cannot find column 't' in 'bad.csv'*" 's,w,tag\n1,a,O\n'
bad "cannot find column 'w' in 'bad.csv'; its only column is 's;w;t' (use --delimiter semicolon)" 's;w;t\n1;a;O\n'
bad "'bad.csv': record 2: the tag 'I-X' does not follow the scheme iob2*" 's,w,t\n1,a,O\n2,a,I-X\n' --scheme iob2
bad "'bad.csv' has a header but no rows*" 's,w,t\n'
[ ! -e bad.rec ]
result $? 'nothing is written then'
refuses "*'b.csv': line 5: has 2 semicolons, as each line so far: *(--sentence COL reads a table with a word in a row)" \
	'a table that is not said to be one' conll2tfrecord -o bad.rec b.csv
misuses '*--sentence needs --word and --tag or --no-tags*' 'without a column of words' conll2tfrecord --sentence s -t t a.csv
misuses '*--delimiter, --encoding and --no-quote need --sentence*' 'no table' conll2tfrecord --encoding latin1 a.csv
misuses '*--comment makes no sense with --sentence, *' 'comments' conll2tfrecord --sentence s -w w -t t --comment '#' a.csv
misuses "*bad value 'xy' for --delimiter: *" 'a delimiter' conll2tfrecord --sentence s -w w -t t --delimiter xy a.csv
misuses "*bad value 'xy' for --encoding: *" 'an encoding' conll2tfrecord --sentence s -w w -t t --encoding xy a.csv

# from a table to tags
cp "$TEST_TOP"/pipelines/data/vocab.txt .
words a.csv | bert-tokenize -q -m vocab.txt -o a.rec
works 'learns' bert-train -q --task tagging --init-config tiny --tokenizer vocab.txt --steps 2 -o m a.rec
is "$(conll2tfrecord -q --sentence s -w w --no-tags a.csv | bert-tokenize -q -m m |
	bert-predict -q -m m --format jsonl | grep -c '"id": *"[12]"')" 2 'and tags sentences by their names'
finish
