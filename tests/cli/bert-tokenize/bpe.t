#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize: directories with byte-level BPE.
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
T=$DATA/bpe
rec=$TEST_TOP/tests/fixtures/tok-records.pl

# ids MODEL TEXT [OPTION ...]: the text's ids
ids() {
	model=$1 text=$2
	shift 2
	printf '%s' "$text" |
		bert-tokenize -qm "$model" --lines --format ids "$@" 2>&1
}

# refused GLOB NAME MODEL
refused() {
	refuses "$1" "$2" bert-tokenize -m "$3" --lines --format ids /dev/null
}

fresh() {
	rm -rf d
	mkdir d
	cp "$@" d
}

fresh "$T/roberta/vocab.json" "$T/roberta/merges.txt"
the=$(ids d 'the text')
like "$the" '0 * 2' 'RoBERTa without a configuration'
printf 'the text\nthe text\n' | bert-tokenize -qm d --lines --keep-text >want
printf '\357\273\277the text\r\nthe text\r\n' | bert-tokenize -qm d --lines --keep-text >got
same got want '--lines: line ends and the byte order mark of Windows are no text'
is "$(ids "$T/roberta.json" 'the text')" "$the" 'as tokenizer.json has it'
conf() { echo "{$1}" >d/tokenizer_config.json; }
kept=$(ids d 'a <mask>')
joined=$(ids d 'a<mask>')
[ "$kept" != "$joined" ]
result $? 'the space before a mask is kept, as in transformers 5'
conf '"mask_token": {"content": "<mask>", "lstrip": true}'
is "$(ids d 'a <mask>')" "$joined" 'unless the mask has lstrip'
conf '"tokenizer_class": "RobertaTokenizer", "add_prefix_space": true'
is "$(ids d 'the text')" "$(ids "$T/prefix.json" 'the text')" \
	'add_prefix_space'
conf '"tokenizer_class": "BertTokenizer"'
refused "*tokenizer_class 'BertTokenizer' is not supported without a token*" \
	'a class of another kind' d
conf '"tokenizer_class": "RobertaTokenizer", "cls_token": "nosuch"'
refused "*lacks the token 'nosuch'" 'a special token that is not there' d
rm d/tokenizer_config.json
echo '{"model_type": "roberta", "max_position_embeddings": 8}' >d/config.json
is "$(ids d 'a b c d e f g' | wc -w)" 6 \
	'two positions before the first are none of its texts'

# tokenizer.json
fresh "$T/prefix.json"
mv d/prefix.json d/tokenizer.json
conf '"tokenizer_class": "PreTrainedTokenizerFast", "add_prefix_space": false'
is "$(ids d 'the text')" "$(ids "$T/prefix.json" 'the text')" \
	'the class that takes tokenizer.json as it is'
conf '"tokenizer_class": "RobertaTokenizerFast"'
is "$(ids d 'the text')" "$the" "RoBERTa's own class states the space"

# pairs, padding, explanations
printf 'text_a=a\ttext_b=b\n' | $rec >pair.tfr
bert-tokenize -qm "$T/roberta.json" --pad 9 pair.tfr | $rec -d >got
like "$(tr '\n\t' '  ' <got)" \
	'*input_ids=0 * 2 2 * 2 1 1 1 input_mask=1 1 1 1 1 1 0 0 0 *' \
	'a pair is parted by two and padded with the padding token'
like "$(tr '\n\t' '  ' <got)" '*segment_ids=0 0 0 0 0 0 0 0 0 *' \
	'all is of one segment'
printf 'a\\\303\251\001 b\n' | bert-tokenize -qm "$T/roberta.json" --lines \
	--format explain >got
like "$(sed -n 3p got | tr '\t' '|')" 'a|1|2|*|\\\\|\\\\|' \
	'an explanation says where a token stands'
like "$(tail -n 2 got | head -n 1 | tr '\t' '|')" '-|||2|</s>||special' \
	'... and what is special'
printf 'abc \377' >bad
refuses '*: line 1: the text is not valid UTF-8 at byte 4 (iconv *)' 'bytes are no text' \
	bert-tokenize -m "$T/roberta.json" --lines bad

# words found 64 bytes at a time are those that the pattern finds one by one
perl -pe 's/"type":"ByteLevel","add_prefix_space":false[^}]*/"type":"Sequence",
	"pretokenizers":[{"type":"Split","behavior":"Isolated","invert":false,
	"pattern":{"Regex":"\x27s|\x27t|\x27re|\x27ve|\x27m|\x27ll|\x27d| ?\\\\p{L}+| ?\\\\p{N}+| ?[^\\\\s\\\\p{L}\\\\p{N}]+|\\\\s+(?!\\\\S)|\\\\s+"}},
	{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,
	"use_regex":false}]/' "$T/roberta.json" >one.json
grep -q '"type":"Split"' one.json
result $? 'there is a tokenizer with the pattern alone'
perl -e 'srand 1; my @a = (" ", " ", "\x27", "\x27", qw(s t m d r e v l 1 9
	. a), "\t", "\xc3\xa9", "!", "S", "\xe4\xb8\xad", "\xc2\xa0");
	for (1 .. 8000) { my $n = int rand(rand() < .2 ? 220 : 30);
	my $k = 1 + int rand @a; print join("", map { $a[rand() < .5 ?
	rand $k : rand 15] } 0 .. $n), "\n" }' >texts
for model in one.json "$T/roberta.json"; do
	bert-tokenize -qm "$model" --lines --format json texts
done >got
half=$(($(wc -l <got) / 2))
head -n $half got >wanted
tail -n $half got >last
[ $half -eq 8000 ] && cmp wanted last >why 2>&1
result $? 'words found 64 bytes at a time are those of the pattern'

# two pre-tokenizers that each change the text
cat >two.json <<\EOF
{"version":"1.0","pre_tokenizer":{"type":"Sequence","pretokenizers":[
 {"type":"Metaspace","replacement":"▁","prepend_scheme":"never","split":false},
 {"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":true}]},
 "model":{"type":"BPE","merges":[],"vocab":{"<pad>":0,"<s>":1,"</s>":2,
 "<unk>":3,"Ġ":4,"a":5,"?":6,"â":7,"ĸ":8,"ģ":9,"b":10}}}
EOF
is "$(ids two.json 'a? b?')" '4 5 6 7 8 9 10 6' \
	'a space before what another pre-tokenizer has changed'

# a word that is unknown stands for itself, whatever its letters (MPNet's tokenizer): the
# letter that byte-level vocabularies write for a space is not cut off
cat >mpnet.json <<\EOF
{"version":"1.0","pre_tokenizer":{"type":"BertPreTokenizer"},
 "added_tokens":[{"id":2,"content":"<unk>","special":true,"single_word":false,"lstrip":false,"rstrip":false,"normalized":false},
 {"id":4,"content":"<mask>","special":true,"single_word":false,"lstrip":true,"rstrip":false,"normalized":false}],
 "post_processor":{"type":"RobertaProcessing","sep":["</s>",1],"cls":["<s>",0],
 "trim_offsets":true,"add_prefix_space":false},
 "model":{"type":"WordPiece","unk_token":"<unk>","continuing_subword_prefix":"##",
 "max_input_chars_per_word":100,"vocab":{"<s>":0,"</s>":1,"<unk>":2,"a":3,"<mask>":4,"[PAD]":5}}}
EOF
like "$(echo 'a Ġb <unk> <mask>' | bert-tokenize -qm mpnet.json --lines --format json)" \
	'*"chars": \[\[0, 0\], \[0, 1\], \[2, 4\], \[5, 10\], \[11, 17\], \[0, 0\]\]}' \
	'an unknown word has all its letters'

# merges cut anywhere are refused, or complete
fresh "$T/roberta/vocab.json"
i=0
: >why
while [ $i -lt 700 ]; do
	head -c $i "$T/roberta/merges.txt" >d/merges.txt
	bert-tokenize -qm d --lines --format ids /dev/null >out 2>err
	case $? in
	0) ;;
	1) [ -s err ] || echo "no word at $i" >>why ;;
	*) echo "status at $i: $(cat err)" >>why ;;
	esac
	i=$((i + 13))
done
[ ! -s why ]
result $? 'merges.txt cut anywhere does no harm'
printf '\377 a\n' >d/merges.txt
refused "*'d/merges.txt': line 1 is not valid UTF-8 (byte 0 of the line)" \
	'merges that are no text' d
finish
