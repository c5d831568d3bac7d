#!/bin/sh
# SPDX-License-Identifier: MIT
# Names in texts: from spans in texts to spans in texts.
# shellcheck shell=sh
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt

awk 'BEGIN {
	srand(1)
	split("card open,library,book,room", name, ",")
	split("have the my a", other, " ")
	for (i = 1; i <= 300; i++) {
		text = "I"
		spans = ""
		for (k = rand() * 9; k > 0; k--) {
			text = text " " other[1 + int(rand() * 4)] (rand() < .2 ? "," : "")
			if (rand() < .5) continue
			n = 1 + int(rand() * 4)
			spans = spans sprintf("%s[%d, %d, \"%s\"]", spans == "" ? "" : ", ",
				length(text) + 1, length(text) + 1 + length(name[n]), n < 3 ? "X" : "Y")
			text = text " " name[n]
		}
		printf "{\"text\": \"%s.\", \"label\": [%s]}\n", text, spans
	}
}' >train.jsonl
conll2tfrecord -q --spans label train.jsonl | bert-tokenize -q -m "$vocab" -o train.rec
works 'learns' bert-train -q --init-config tiny --tokenizer "$vocab" --task tagging --learning-rate 2e-3 \
	--batch-size 16 --dropout 0 --epochs 8 -o m train.rec

# predict [OPTION ...]: of the texts in in.jsonl, with what follows the tags
predict() {
	conll2tfrecord -q --spans label --no-tags in.jsonl | bert-tokenize -q -m m "$@" |
		bert-predict -q -m m --format jsonl | sed 's/{"id.*, "entities"/{"entities"/'
}
# says "TEXT" "ENTITIES" "SPANS" NAME
says() {
	printf '{"text": "%s"}\n' "$1" >in.jsonl
	is "$(predict)" "{\"entities\": [$2], \"text\": \"$1\", \"label\": [$3]}" "$4"
}
says 'I have  the  card\t open.' \
	'{"type": "X", "text": "card\t open", "words": [3, 5], "start": 13, "end": 23}' '[13, 23, "X"]' \
	'blanks are counted, and a part of the text'
says '\n\nI have my\nbook.\n' \
	'{"type": "Y", "text": "book", "words": [3, 4], "start": 12, "end": 16}' '[12, 16, "Y"]' 'line ends'
says '王 I have😀 the card open, my 🙂 my room.' \
	'{"type": "X", "text": "card open", "words": [4, 6], "start": 14, "end": 23}, {"type": "Y", "text": "room", "words": [10, 11], "start": 33, "end": 37}' \
	'[14, 23, "X"], [33, 37, "Y"]' 'code points, not bytes'
says 'Café have my rö́om.' \
	'{"type": "Y", "text": "rö́om", "words": [3, 4], "start": 14, "end": 20}' '[14, 20, "Y"]' 'combining marks'
says 'hm' '' '' 'no names'
{ # a text of many windows
	printf '{"text": "'
	for i in 1 2 3 4 5 6 7 8 9; do printf 'the  card open,\\ta '; done
	echo '"}'
} >in.jsonl
predict --max-length 16 --stride 4 >got
for i in 0 1 2 3 4 5 6 7 8; do echo "[$((18 * i + 5)), $((18 * i + 14)), \"X\"]"; done >want
grep -o '\[[0-9]*, [0-9]*, "X"\]' got >spans
same spans want 'a text in windows'
is "$(grep -o '"card open"' got | wc -l)" 9 '... all of them'

# what is predicted can be read again
head -n 20 train.jsonl >in.jsonl
predict | grep -o '"text": "[^"]*", "label.*' | sed 's/^/{/' >again.jsonl
same again.jsonl in.jsonl 'the spans are those that were learned'
conll2tfrecord -q --spans label --context 2 in.jsonl | bert-tokenize -q -m m |
	bert-predict -q -m m --scheme iob2 --format jsonl >context.jsonl
grep -o '"text": "[^"]*", "label' context.jsonl >got
grep -o '"text": "[^"]*", "label' in.jsonl >want
same got want 'with context, a text is without it'
conll2tfrecord -q --spans label context.jsonl | tfrecord-cat -q --json | sed 's/, "text.*//' >got
sed 's/"tokens.*"tags": \(.*\), "entities.*/"tags": \1/' context.jsonl >want
same got want 'lines that were predicted are read'

tfrecord-cat -q --json --head 1 train.rec | sed 's/"text": "I /"text": "we /' >in.jsonl
like "$(tfrecord-cat -q --from-json in.jsonl 2>&1 >bad.rec)" '' 'a record'
declines 1 '*the text of record 1 does not hold word 1 behind the words before it*' 'words of another text' \
	bert-predict -q -m m -o bad.jsonl bad.rec
finish
