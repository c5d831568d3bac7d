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
	'objects; a word ends where a span does' -w data --spans spans
echo '{"text": "no names", "label": []}' >in.jsonl
gives '{"id": "0", "tags": ["O", "O"], "text": "no names", "words": ["no", "names"]}' 'a text without spans' --spans label

# bad MESSAGE LINE
bad() {
	echo "$2" >bad.jsonl
	refuses "conll2tfrecord: 'bad.jsonl': line 1: $1" "$1" conll2tfrecord --spans label bad.jsonl
}
bad "has no key 'text'; its keys are 'body' (--word names the key of the text)" '{"body": "a"}'
bad "has no key 'label'; its keys are 'text'" '{"text": "a"}'
bad "'text' is not a text" '{"text": ["a"], "label": []}'
bad "'label' is not a list" '{"text": "a", "label": {}}'
bad 'span 1: is neither ?START, END, LABEL? nor an object with start, end and label' '{"text": "a", "label": [[0, 1]]}'
bad 'span 1: 0 to 2 is not a part of the text, which ends at 1' '{"text": "ä", "label": [[0, 2, "X"]]}'
bad 'span 1: 1 to 1 is not a part of the text, which ends at 2' '{"text": "ab", "label": [[1, 1, "X"]]}'
bad 'spans 2 and 1 overlap, and a word has one tag' '{"text": "ab", "label": [[1, 2, "X"], [0, 2, "Y"]]}'
bad 'span 1 holds no word' '{"text": "a b", "label": [[1, 2, "X"]]}'
bad 'has no words' '{"text": " ", "label": []}'
bad 'is not an object of JSON Lines' 'Ben B-PER'
for o in '-t tags' '--sentence s -w w'; do
	# shellcheck disable=SC2086
	misuses '*--spans makes no sense with --tag and --sentence*' "$o" conll2tfrecord --spans label $o in.jsonl
done
finish
