#!/bin/sh
# SPDX-License-Identifier: MIT
# conll2tfrecord: columns and JSON Lines, and what is wrong in them.
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"
json() { conll2tfrecord -q "$@" | tfrecord-cat -q --json; }

printf '%s\n' '-DOCSTART- -X- O' '' 'EU NNP B-ORG' 'rejects VBZ O' '' '' \
	'-DOCSTART- -X- O' '' 'Peter  NNP B-PER' >a.txt
works 'columns' conll2tfrecord -o a.rec a.txt
is "$(cat err)" 'conll2tfrecord: 2 sentences, 3 words' 'says how much it was'
is "$(tfrecord-cat -q --json a.rec)" '{"doc": "-DOCSTART- -X- O", "id": "0", "lines": ["EU NNP B-ORG", "rejects VBZ O"], "tags": ["B-ORG", "O"], "words": ["EU", "rejects"]}
{"doc": "-DOCSTART- -X- O", "id": "1", "lines": "Peter  NNP B-PER", "tags": "B-PER", "words": "Peter"}' \
	'words, tags, lines and documents'
is "$(json --tag 2 a.txt | grep -o '"tags": [^w]*' | tr '\n' ' ')" \
	'"tags": ["NNP", "VBZ"], " "tags": "NNP", " ' 'another column of tags'
is "$(json --word 2 --no-tags a.txt | tail -n 1)" \
	'{"id": "3", "lines": "Peter  NNP B-PER", "words": "NNP"}' 'no tags'
is "$(printf 'a\nb\r\n\nc' | json | grep -o '"words": .*' | tr '\n' ' ')" \
	'"words": ["a", "b"]} "words": "c"} ' 'words alone, other line ends, no last one'
is "$(printf '\357\273\277-DOCSTART-\n\nb O\n' | json | grep -o '"words": .*')" '"words": "b"}' \
	'a byte order mark'
is "$(printf 'a b\tO\nc\tB-X\n' | json | grep -o '"words": [^]]*]')" '"words": ["a b", "c"]' \
	'tabs divide where there are any'
like "$(conll2tfrecord a.txt a.txt 2>&1 >/dev/null)" '*a.txt*4 sentences, 6 words' 'several files'
gzip -k a.txt
is "$(json a.txt.gz)" "$(json a.txt)" 'compressed'

printf '\377\376a\0\t\0O\0\r\0\n\0' >utf16.txt
is "$(json utf16.txt | grep -o '"words".*')" '"words": "a"}' 'UTF-16 with its mark'

# headers
for head in 'token pos chunk ner' 'Word	X	Y	Label' 'words 1 2 ner_tags' 'FORM LEMMA _ UPOS'; do
	printf '%s\n' "$head" '' "$(echo 'a b c O' | tr ' ' "$(echo "$head" | tr -cd ' \t' | cut -c 1)")" >head.txt
	works "a header, $head" conll2tfrecord -o head.rec head.txt
	is "$(cat err)" 'conll2tfrecord: 1 sentence, 1 word
conll2tfrecord: 1 first line was left out: a header, which names columns' 'is left out'
	is "$(conll2tfrecord -q --no-tags head.txt | tfrecord-cat -q --json | grep -o '"words".*')" '"words": "a"}' '... without tags, too'
done
printf '%s\n' 'word O' 'word label' >head.txt
is "$(json head.txt | grep -o '"words".*')" '"words": ["word", "word"]}' 'but words are read'

# comments
printf '%s\n' '# newdoc' '' '# sent_id = 0' '#' '1	#	NOUN' '# a b' '2	ten	NUM' '' '#text = d' '1	d e	VERB' >u.conllu
works 'comments of CoNLL-U' conll2tfrecord -w 2 -o u.rec u.conllu
is "$(cat err)" 'conll2tfrecord: 2 sentences, 3 words
conll2tfrecord: 5 comment lines were left out' '... are counted'
is "$(tfrecord-cat -q --json u.rec)" '{"id": "0", "lines": ["1\t#\tNOUN", "2\tten\tNUM"], "tags": ["NOUN", "NUM"], "words": ["#", "ten"]}
{"id": "1", "lines": "1\td e\tVERB", "tags": "VERB", "words": "d e"}' '... and not read as words'
conll2tfrecord -q -w 2 --summary u.json -o u.rec u.conllu
like "$(cat u.json)" '*"comments":5,*' '... also in the summary'
rest='_	_	_	_	_	_	_	_'
printf '%s\n' "1-2	du	$rest" "1	de	$rest" "2	le	$rest" "2.1	x	$rest" >ud.conllu
works 'tokens of several words and empty nodes' conll2tfrecord -w 2 --no-tags -o u.rec ud.conllu
is "$(cat err)" 'conll2tfrecord: 1 sentence, 2 words, without tags
conll2tfrecord: 2 lines of several words or of none, such as 1-2 and 1.1, were left out' '... are counted'
is "$(tfrecord-cat -q --json u.rec | grep -o '"words".*')" '"words": ["de", "le"]}' '... and not read as words'
is "$(json --no-tags ud.conllu | grep -o '"words".*')" '"words": ["1-2", "1", "2", "2.1"]}' '... unless these are the words'
# ten FIRST...: the words of lines of ten columns, without the first
ten() {
	printf "%s	w	$rest\n" "$@" | sed 's/^	.*//; s/^\([^	]*\)	w/\1	w\1/' >ten.txt
	json -w 2 --no-tags ten.txt | sed 's/.*"words": //' | tr -d '\n'
}
is "$(ten 0.1 1-2 1 2 2.1 2.2 3-5 3 '' 1-2 1)" '["w1", "w2", "w3"]}"w1"}' 'such lines at every place'
is "$(ten 1-1 1-2 1-3)" '["w1-1", "w1-2", "w1-3"]}' 'numbers of WebAnno are words'
is "$(ten 1 2-2 3-2 3 4.1 5-6 12.5 12)" '["w1", "w2-2", "w3-2", "w3", "w4.1", "w5-6", "w12.5", "w12"]}' \
	'... and others that do not follow'
is "$(ten 1 1.2 '' 2-3 2)" '["w1", "w1.2"]}["w2-3", "w2"]}' '... nor begin'
is "$(printf '# a b\n#\tX\n# O\n' | json | grep -o '"words".*')" '"words": "#"}' 'a word # between tabs'
is "$(printf '# O\n# O\n\n# X\na O\n' | json | grep -o '"words".*' | tr '\n' ' ')" \
	'"words": ["#", "#"]} "words": ["#", "a"]} ' '... and between blanks'
is "$(printf '# NN = O\na NN b O\n' | json | grep -o '"words".*')" '"words": ["#", "a"]}' '... whatever its columns are'
is "$(printf '#x a\n \n\r\n# b\n1 # x\tO\n' | json | grep -o '"words".*')" '"words": "1 # x"}' 'blank lines between comments'
{
	yes '' | head -n 500000
	yes '# a' | head -n 100000
	echo 'a O'
} >long.txt
is "$(json --comment '#' long.txt | grep -o '"words".*')" '"words": "a"}' 'many lines in front of the first word'
is "$(printf '# O\n#begin x\nb O\n' | json --comment '#be' | grep -o '"words".*')" '"words": ["#", "b"]}' \
	'--comment'
printf 'a\tO\n# c\nb\tI-\n' >scheme.txt
refuses "*'scheme.txt': line 3: *" 'a comment between words' conll2tfrecord --scheme iob2 scheme.txt
misuses '*--comment needs a text*' '--comment of nothing' conll2tfrecord --comment '' a.txt

printf '{"id": 7, "tokens": ["a", "b"], "ner_tags": [0, 12]}\n\n{"tokens": ["c"], "tags": ["B-X"]}\n' >a.jsonl
is "$(json a.jsonl)" '{"id": "7", "tags": ["0", "12"], "words": ["a", "b"]}
{"id": "1", "tags": "B-X", "words": "c"}' 'JSON Lines'
is "$(printf '{"w": ["a"], "t": ["N"]}' | json -w w -t t)" '{"id": "0", "tags": "N", "words": "a"}' \
	'... with other keys'

is "$(json "$DATA/parquet/classes.parquet")" '{"id": "0", "tags": ["B-X", "I-X", "O"], "words": ["Ann", "Lee", "came"]}
{"id": "1", "tags": "O", "words": "No"}
{"id": "2", "tags": "B-X", "words": "X"}' 'Parquet, with names of tags'
# shellcheck disable=SC2002 # a pipe is the point
is "$(cat "$DATA/parquet/classes.parquet" | json --no-tags | head -n 1)" \
	'{"id": "0", "words": ["Ann", "Lee", "came"]}' '... from a pipe, without tags'
is "$(conll2tfrecord -q -t label -w tokens "$DATA/parquet/classes.parquet" 2>&1 >/dev/null)" \
	"conll2tfrecord: '$DATA/parquet/classes.parquet': record 1 (row group 1): 'label' is not a list" '... that are no list'
is "$(json --scheme iob2:iobes "$DATA/parquet/classes.parquet" | grep -o '"tags": [^w]*' | tr '\n' ' ')" \
	'"tags": ["B-X", "E-X", "O"], " "tags": "O", " "tags": "S-X", " ' '... by a scheme'
is "$(conll2tfrecord -q "$DATA/parquet/lists.parquet" 2>&1 >/dev/null)" \
	"conll2tfrecord: '$DATA/parquet/lists.parquet': record 2 (row group 1): has no words" '... where there are no words'

printf 'a O\n\nb O\n\nc O\n\nd O\n\n-DOCSTART- O\n\ne O\n' >doc.txt
is "$(json --context 1 doc.txt | sed 's/"lines".*"words": //')" '{"after": "b", "id": "0", "a"}
{"after": "c", "before": "a", "id": "1", "b"}
{"after": "d", "before": "b", "id": "2", "c"}
{"before": "c", "id": "3", "d"}
{"doc": "-DOCSTART- O", "id": "4", "e"}' 'context, of the same document'
printf '%s\n' '# newdoc id = 1' '# newdocument' '1	a	O' '' '# newdoc' '1	b	O' '# newdoc' '2	c	O' '' '1	d	O' >doc.conllu
is "$(json -w 2 --context 1 doc.conllu | sed 's/"lines".*"words": //')" '{"id": "0", "a"}
{"after": "d", "id": "1", ["b", "c"]}
{"before": ["b", "c"], "id": "2", "d"}' 'of CoNLL-U as well'
like "$(json --context 2 doc.txt)" '{"after": ?"b", "c"?, *
{"after": ?"c", "d"?, "before": "a", *
{"after": "d", "before": ?"a", "b"?, *
{"before": ?"b", "c"?, *' 'context of several sentences'
is "$(json --context 9 a.jsonl doc.txt | grep -c before)" 4 'files are no context of each other'

bad() { # PATTERN TEXT [OPTION ...]
	printf "$2" >bad.txt
	pattern=$1 text=$(printf '%s' "$2" | tr '\n' ' ') status=1
	shift 2
	[ $# = 0 ] || [ "$2" = 3 ] || status=2
	declines $status "conll2tfrecord: 'bad.txt': line $pattern" "refuses $text $*" \
		conll2tfrecord -o bad.rec "$@" bad.txt
}
bad '2: has 2 columns, the lines before have 3' 'a b c\nd e\n'
bad '1: has 2 columns, but the tags are expected in column 3' 'a b\n' --tag 3
bad '1: words and tags are both in column 1' 'a b\n' --tag 1
bad "1: column 'x' of the words is not a number from 1 on" 'a b\n' --word x
bad '4: has 2 commas, as each line so far: columns are divided by blanks or tabs*' \
	'id,word,tag\n1,Anna,B-PER\n1,lives,O\n\n'
bad '3: has 3 commas, as each line so far: *' 'Sentence #,Word,POS,Tag\nSentence: 1,of,IN,O\n,a,DT,O\n'
printf '1,000\n,\nbooks\n' >words.txt
works 'words with commas' conll2tfrecord -o words.rec words.txt
printf 'a,b\nc,d\n' >words.txt
works 'words that all have one, if they are to be words' conll2tfrecord --no-tags -o words.rec words.txt
is "$(tail -n 1 err)" 'conll2tfrecord: 1 sentence, 2 words, without tags' '... is said'
bad '2: has 1 column, the lines before have 2: blanks do not divide columns in a file with tabs' 'a\tO\nb c\n'
bad '2: has 3 columns, the lines before have 2' 'a\tO\nb\tc\td\n'
bad "1: has 2 columns, but the tags are expected in column 3 (--comment '#' *)" '#\tb\n1\tb\tO\n' --tag 3
bad "2: has 3 columns, the lines before have 2 (--comment '#' *)" '#\tb\n1\tb\tO\n'
bad "2: has 3 columns, the lines before have 2 (--comment '#' *)" 'a O\n#begin a document\n'
bad "1: looks like a comment of CoNLL-U, *(--comment '#' *)" '# sent_id = 0\n1 a b O\n'
bad "1: looks like a comment of CoNLL-U, *(--comment '#' *)" '# newdoc id = 0\n1 a b c O\n'
bad '1: has a CR in it: lines end in LF or in CR and LF' 'a O\rb O\r\rc O\r'
bad '1: has an empty tag' 'a\tb\t\n'
bad '1: has an empty word' '\tb\tc\n'
bad '2: is not valid UTF-8 (iconv *)' 'a O\n\377 O\n'
bad "1: has no key 'tokens'; its keys are 'words', 'n'" '{"words": ["a"], "n": 1}'
bad "1: has no key 'tokens'; its keys are 'text', 'label' (--text COL reads texts, --spans COL the spans in them that have labels, too)" \
	'{"text": "a", "label": []}'
printf '[ {"tokens": ["a"]},\n  {\n    "tokens": ["b"]}]' >array.json
conll2tfrecord -q array.json | tfrecord-cat -q --json >x
is "$(cat x)" '{"id": "0", "words": "a"}
{"id": "1", "words": "b"}' 'a list of sentences'
bad "2: has no key 'tokens'; its keys are 'a'" '[{"tokens": ["a"]},\n{"a": 1}]'
bad "3: the array ends without a ']'" '[{"tokens": ["a"]}\n\n'
printf '[ O\n{ O\n"x" O\n' >brackets.txt
works 'words that are brackets' conll2tfrecord -q -o brackets.rec brackets.txt
bad '1: has 2 words, but 1 tags' '{"tokens": ["a", "b"], "tags": ["O"]}'
bad "1: 'tokens': value 2 is not a text" '{"tokens": ["a", null]}'
bad "1: 'tags' is not a list" '{"tokens": ["a"], "tags": "O"}'
bad '1: has no words' '{"tokens": []}'
bad '1: *' '{"tokens": ["a"]'
[ ! -e bad.rec ]
result $? 'nothing is written then'
printf '\n\n' >empty.txt
declines 1 '*empty.txt* no sentence*' 'no sentence' conll2tfrecord empty.txt
declines 2 '*give either --tag or --no-tags' 'tags and none' conll2tfrecord --tag 2 --no-tags a.txt
finish
