#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize: records and lines in; records, ids and JSON out.
. "$TEST_TOP/tests/lib/lib.sh"
M=$DATA/tok/uncased
rec=$TEST_TOP/tests/fixtures/tok-records.pl

printf 'Hello\nworld\n' >lines
bert-tokenize -q -m "$M" --lines --format ids lines >want
{ printf '\377\376' && printf 'H\0e\0l\0l\0o\0\n\0w\0o\0r\0l\0d\0\n\0'; } >lines16
works 'lines in UTF-16' bert-tokenize -q -m "$M" --lines --format ids lines16
same out want 'are known by their mark'
printf 'Hello\n' >plain
printf '\357\273\277Hello\n' >marked
bert-tokenize -q -m "$DATA/bpe/roberta.json" --lines --format ids plain >plain.ids
bert-tokenize -q -m "$DATA/bpe/roberta.json" --lines --format ids marked >marked.ids
same marked.ids plain.ids "a byte order mark of UTF-8 is not the first line's"
printf '%s\n' 'id=7	text_a=Hello world	label=x	weight=0.5' \
	'text_a=a	text_b=the book' 'text_a=' | $rec >in.tfr
works 'records become records' bert-tokenize -m "$M" in.tfr
is "$(cat err)" 'bert-tokenize: warning: 1 of 3 texts has no tokens but special ones, such as text 3 (1 is empty): the model cannot tell them apart
bert-tokenize: 3 texts, 12 tokens; no [UNK]' 'the summary says what was done'
cp out out.tfr
$rec -d <out.tfr >got
cat >wanted <<-E
	id=7	input_ids=2 332 333 3	input_mask=1 1 1 1	label=x	segment_ids=0 0 0 0	tokenizer=14af22b0	weight=0.5
	input_ids=2 61 3 323 339 3	input_mask=1 1 1 1 1 1	segment_ids=0 0 0 1 1 1	tokenizer=14af22b0
	input_ids=2 3	input_mask=1 1	segment_ids=0 0	tokenizer=14af22b0
E
same got wanted 'tokens, segments and what travels along'
bert-tokenize -q -m "$M" <in.tfr 2>err >out
is "$(cat err)" '' '-q says nothing'
same out out.tfr 'standard input gives the same'
works '-o writes a file' bert-tokenize -m "$M" -o file.tfr in.tfr
same file.tfr out.tfr '... the same one'
is "$(wc -c <out)" 0 '... and nothing on standard output'

bert-tokenize -qm "$M" --pad 6 in.tfr | $rec -d >got
is "$(sed -n '1s/.*input_ids=\([^	]*\).*mask=\([^	]*\).*/\1|\2/p' got)" \
	'2 332 333 3 0 0|1 1 1 1 0 0' '--pad fills with zeros'
is "$(bert-tokenize -qm "$M" --pad 5 in.tfr | $rec -d |
	sed -n '2s/.*input_ids=\([^	]*\).*/\1/p')" \
	'2 61 3 323 3' '--pad cuts what is longer'

printf 'Hello\tworld\nthe unaffable book\n\nlast' >lines
bert-tokenize -qm "$M" --lines --format json lines >got
cat >wanted <<-E
	{"tokens": ["[CLS]", "hello", "world", "[SEP]"], "ids": [2, 332, 333, 3], "segments": [0, 0, 0, 0], "special": [1, 0, 0, 1], "words": [null, 0, 1, null], "bytes": [[0, 0], [0, 5], [6, 11], [0, 0]], "chars": [[0, 0], [0, 5], [6, 11], [0, 0]]}
	{"tokens": ["[CLS]", "the", "un", "##aff", "##able", "book", "[SEP]"], "ids": [2, 323, 329, 354, 355, 339, 3], "segments": [0, 0, 0, 0, 0, 0, 0], "special": [1, 0, 0, 0, 0, 0, 1], "words": [null, 0, 1, 1, 1, 2, null], "bytes": [[0, 0], [0, 3], [4, 6], [6, 9], [9, 13], [14, 18], [0, 0]], "chars": [[0, 0], [0, 3], [4, 6], [6, 9], [9, 13], [14, 18], [0, 0]]}
	{"tokens": ["[CLS]", "[SEP]"], "ids": [2, 3], "segments": [0, 0], "special": [1, 1], "words": [null, null], "bytes": [[0, 0], [0, 0]], "chars": [[0, 0], [0, 0]]}
	{"tokens": ["[CLS]", "l", "##a", "##s", "##t", "[SEP]"], "ids": [2, 72, 97, 115, 116, 3], "segments": [0, 0, 0, 0, 0, 0], "special": [1, 0, 0, 0, 0, 1], "words": [null, 0, 0, 0, 0, null], "bytes": [[0, 0], [0, 1], [1, 2], [2, 3], [3, 4], [0, 0]], "chars": [[0, 0], [0, 1], [1, 2], [2, 3], [3, 4], [0, 0]]}
E
same got wanted '--lines takes a text a line, a TAB splits nothing'
is "$(wc -l <got)" 4 'a last line needs no newline'
is "$(printf 'Hello world' | bert-tokenize -qm "$M" --lines --format ids)" \
	'2 332 333 3' '--lines reads a pipe'
is "$(bert-tokenize -qm "$M" --lines --format ids --no-special lines |
	sed -n 3p)" '' '--no-special leaves an empty text empty'
is "$(printf Hello | bert-tokenize -qm "$M" --lines --no-special --format ids)" \
	332 '--no-special leaves out [CLS] and [SEP]'
is "$(bert-tokenize -qm "$M" --lines --format ids lines lines | wc -l)" 8 \
	'several files are read in order'
is "$(bert-tokenize -qm "$M" in.tfr in.tfr | $rec -d | wc -l)" 6 \
	'several files of records'

bert-tokenize -qm "$M" --format json in.tfr >got
cat >wanted <<-E
	{"id": "7", "label": "x", "tokens": ["[CLS]", "hello", "world", "[SEP]"], "ids": [2, 332, 333, 3], "segments": [0, 0, 0, 0], "special": [1, 0, 0, 1], "words": [null, 0, 1, null], "bytes": [[0, 0], [0, 5], [6, 11], [0, 0]], "chars": [[0, 0], [0, 5], [6, 11], [0, 0]]}
	{"tokens": ["[CLS]", "a", "[SEP]", "the", "book", "[SEP]"], "ids": [2, 61, 3, 323, 339, 3], "segments": [0, 0, 0, 1, 1, 1], "special": [1, 0, 1, 0, 0, 1], "words": [null, 0, null, 0, 1, null], "bytes": [[0, 0], [0, 1], [0, 0], [0, 3], [4, 8], [0, 0]], "chars": [[0, 0], [0, 1], [0, 0], [0, 3], [4, 8], [0, 0]]}
	{"tokens": ["[CLS]", "[SEP]"], "ids": [2, 3], "segments": [0, 0], "special": [1, 1], "words": [null, null], "bytes": [[0, 0], [0, 0]], "chars": [[0, 0], [0, 0]]}
E
same got wanted '--format json'
printf 'id=a"\\x5c\\x0a\ttext_a="\\x5c\n' | $rec >quotes.tfr
is "$(bert-tokenize -qm "$M" --format json quotes.tfr)" \
	'{"id": "a\"\\\u000a", "tokens": ["[CLS]", "\"", "\\", "[SEP]"], "ids": [2, 6, 28, 3], "segments": [0, 0, 0, 0], "special": [1, 0, 0, 1], "words": [null, 0, 1, null], "bytes": [[0, 0], [0, 1], [1, 2], [0, 0]], "chars": [[0, 0], [0, 1], [1, 2], [0, 0]]}' \
	'JSON strings are escaped'
is "$(printf a | bert-tokenize -qm "$M" --lines --format json --pad 4)" \
	'{"tokens": ["[CLS]", "a", "[SEP]", "[PAD]"], "ids": [2, 61, 3, 0], "segments": [0, 0, 0, 0], "special": [1, 0, 1, 1], "words": [null, 0, null, null], "bytes": [[0, 0], [0, 1], [0, 0], [0, 0]], "chars": [[0, 0], [0, 1], [0, 0], [0, 0]]}' \
	'--pad pads JSON'
is "$(printf a | bert-tokenize -qm "$M" --lines --format ids --pad 4)" \
	'2 61 3 0' '--pad pads ids'

works 'truncation' \
	bert-tokenize -m "$M" --lines --format ids --max-length 4 lines
like "$(cat err)" \
	'*bert-tokenize: 4 texts, 14 tokens; 2 texts truncated to 4 tokens (5 tokens lost); no ?UNK?' \
	'... is reported'
is "$(sed -n 2p out)" '2 323 329 3' '... from the end'
printf 'a b c d' >four
works 'one text' bert-tokenize -m "$M" --lines --format ids --max-length 5 four
like "$(cat err)" \
	'bert-tokenize: 1 text, 5 tokens; 1 text truncated to 5 tokens (1 token lost); *' \
	'... is no plural'
printf '\342\230\203 a\n' >snow
works 'unknown words' bert-tokenize -m "$M" --lines --format ids snow
like "$(cat err)" '*; 1 ?UNK? (25 %)' '... are reported'
like "$(sed -n 1p err)" \
	'bert-tokenize: warning: 1 of 4 tokens (25 %) are ?UNK?: do the texts and the vocabulary belong together[?]' \
	'... and more than 10 % are worth a warning'
is "$(bert-tokenize -qm "$M" --lines --format ids snow 2>&1)" '2 1 61 3' \
	'... which -q silences'
{ cat snow && yes 'a book' | head -n 5; } >few
works 'few unknown words' bert-tokenize -m "$M" --lines --format ids few
is "$(grep -c warning err)" 0 '... are not'
refuses '*: line 2: the text has 7 tokens, more than 6' \
	'--no-truncation names the text' \
	bert-tokenize -m "$M" --lines --format ids --no-truncation \
	--max-length 6 lines
refuses "*'in.tfr': record 2: the text has 6 tokens, more than 5" \
	'... of a record' \
	bert-tokenize -m "$M" --no-truncation --pad 5 --format ids in.tfr
works '... and passes what fits' \
	bert-tokenize -m "$M" --no-truncation --max-length 7 --lines lines

is "$(printf 'A[MASK]\316\243' | bert-tokenize -qm "$M" --lines --format ids)" \
	'2 61 4 139 3' 'the dialect is hf'
like "$(printf 'A[MASK]\316\221\316\243' |
	bert-tokenize -qm "$M" --lines --dialect google --format json)" \
	'*"a", "?", "m", "##a", "##s", "##k", "?", "?UNK?", "?SEP?"*' \
	'--dialect google splits [MASK] and makes a final sigma'

# threads: the same bytes, in order
seq 3000 >numbers
sed 's/.*/id=&	text_a=the & book is & unaffable lost &	label=x/' numbers |
	$rec >many.tfr
for j in 1 2 5; do
	bert-tokenize -qm "$M" -j $j many.tfr >many.$j
done
cmp many.1 many.2 >why 2>&1 && cmp many.1 many.5 >>why 2>&1
result $? 'any number of threads gives the same bytes'
$rec -d <many.1 | sed 's/^id=\([0-9]*\).*/\1/' >got
same got numbers 'records keep their order'

: >empty
refuses "*'empty' holds no records" 'no records: what came before has failed' \
	bert-tokenize -m "$DATA/tok/uncased" empty
works 'no lines, no output' bert-tokenize -m "$DATA/tok/uncased" --lines empty
is "$(wc -c <out | tr -d ' ')" 0 '... not a byte'
like "$(cat err)" 'bert-tokenize: 0 texts, 0 tokens*' '... said so'

exits 2 'no model is a mistake' bert-tokenize in.tfr
misuses "*bad value 'x' for --pad*" 'bad --pad' bert-tokenize -m "$M" --pad x in.tfr
exits 2 '--pad below --max-length' \
	bert-tokenize -m "$M" --pad 5 --max-length 6 in.tfr
exits 2 'no room for text' bert-tokenize -m "$M" --max-length 2 in.tfr
works 'room without special tokens' \
	bert-tokenize -m "$M" --max-length 2 --no-special in.tfr
exits 2 'bad --format' bert-tokenize -m "$M" --format csv in.tfr
exits 0 '--help' bert-tokenize --help
like "$(sed -n 1p out)" 'Usage: bert-tokenize -m DIR *' '... prints usage'

refuses "*'nosuch': No such file*" 'a missing model' \
	bert-tokenize -m nosuch in.tfr
refuses "*'nosuch.tfr'*" 'a missing file' bert-tokenize -m "$M" nosuch.tfr
refuses "*'out.tfr': record 1: holds tokens (input_ids), not text*" \
	'token records are no input' bert-tokenize -m "$M" out.tfr
refuses "*'lines'*" 'text is no records' bert-tokenize -m "$M" lines
printf 'text_a=ok\ntext_a=ab\\xff\n' | $rec >bad.tfr
refuses "*'bad.tfr': record 2: the text is not valid UTF-8 at byte 2 (iconv -f windows-1252 -t utf-8 converts *; --replace-invalid puts U+FFFD there)" \
	'bytes that are no UTF-8' bert-tokenize -m "$M" bad.tfr
printf 'text_a=ok\ttext_b=\\xc3\n' | $rec >bad.tfr
refuses "*record 1: the second of the pair: the text is not valid UTF-8 at* (iconv *)" \
	'... in the second text' bert-tokenize -m "$M" bad.tfr
printf 'ok\n\n\300\200\n' >bad
refuses "*'bad': line 3: the text is not valid UTF-8 at byte 0 (iconv * --replace-invalid *)" \
	'... in a line' bert-tokenize -m "$M" --lines --format ids bad
printf 'id=\\xff\ttext_a=x\n' | $rec >bad.tfr
refuses '*record 1: the id is not valid UTF-8' 'JSON needs a text as id' \
	bert-tokenize -m "$M" --format json bad.tfr

# texts that vanish: nothing at all, a control character, a blank
printf 'a\n\n\001\n' >vanish
printf ' \nb\n' >more
works 'texts that vanish are no error' \
	bert-tokenize -m "$M" --lines --format ids vanish more
is "$(cat err)" 'bert-tokenize: warning: 3 of 5 texts have no tokens but special ones, such as text 2 (1 is empty): the model cannot tell them apart
bert-tokenize: 5 texts, 12 tokens; no [UNK]' '... but counted in a warning'
works 'of texts without special tokens' \
	bert-tokenize -m "$M" --no-special --lines --format ids vanish
like "$(cat err)" '*warning: 2 of 3 texts have no tokens but*' '... as well'

# texts that are all unknown, among many that are not
{
	yes 'the book' | head -n 500
	printf '%s\n' '😀 😀' 'the book 😀' '😀'
} >emojis
works 'a few texts of unknown tokens alone' bert-tokenize -m "$M" --lines --format ids emojis
is "$(head -n 1 err)" 'bert-tokenize: warning: 2 of 503 texts have no token that the vocabulary knows, such as text 501: the model cannot tell what they say' \
	'... are counted in a warning'
works 'the same in windows' bert-tokenize -m "$M" --lines --max-length 3 --stride 0 --format ids emojis
like "$(cat err)" '*2 of 503 texts have no token*' '... of which the second has a known token'
works 'the same without special tokens' bert-tokenize -m "$M" --lines --no-special --format ids emojis
like "$(cat err)" '*2 of 503 texts have no token*' '... which do not count'
printf 'text_a=\xf0\x9f\x98\x80\ttext_b=\xf0\x9f\x98\x80\ntext_a=\xf0\x9f\x98\x80\ttext_b=book\n' | $rec >pairs.tfr
works 'pairs' bert-tokenize -m "$M" --format ids pairs.tfr
like "$(cat err)" '*1 of 2 texts has no token*such as text 1:*' '... are one text'
works 'their texts apart' bert-tokenize -m "$M" --apart -o apart.tfr pairs.tfr
like "$(cat err)" '*3 of 4 texts have no token*' '... are counted each'

mkdir -p other
cat >other/tokenizer.json <<-'E'
	{"version": "1.0", "truncation": null, "padding": null,
	 "added_tokens": [], "normalizer": null, "pre_tokenizer": null,
	 "post_processor": null, "decoder": null,
	 "model": {"type": "BPE", "dropout": null, "unk_token": null,
	  "continuing_subword_prefix": null, "end_of_word_suffix": null,
	  "fuse_unk": false, "byte_fallback": false, "vocab": {"[CLS]": 0, "[SEP]": 1, "q": 2},
	  "merges": []}}
	E
works 'a vocabulary that lacks every character' \
	bert-tokenize -m other --no-special --lines --format ids vanish
like "$(cat err)" '*warning: 3 of 3 texts have no tokens but*' '... is noticed'

echo old >kept
exits 1 'failure leaves an earlier file' bert-tokenize -m "$M" -o kept lines
is "$(cat kept)" old '... as it was'
exits 1 'a full disk' bert-tokenize -m "$M" -o /dev/full many.tfr
bert-tokenize -qm "$M" many.tfr 2>err | head -c 100 >/dev/null
is "$(cat err)" '' 'a closed pipe ends it quietly'

finish
