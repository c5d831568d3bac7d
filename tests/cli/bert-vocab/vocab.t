#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-vocab: vocabularies that are trained.
. "$TEST_TOP/tests/lib/lib.sh"
rec=$TEST_TOP/tests/fixtures/tok-records.pl
library=$TEST_TOP/pipelines/data/library-train.csv

# tokens LINES [OPTION ...]: the vocabulary of some lines, without special ones
tokens() {
	text=$1
	shift
	# shellcheck disable=SC2059
	printf "$text" | bert-vocab -q --lines --special '' "$@" | tr '\n' ' '
}

is "$(tokens 'b a\n' --min-frequency 1)" 'a b ' 'single characters, in order'
is "$(tokens 'aaab\n' --min-frequency 1)" 'a b ##a ##b aa ##ab aaab ' \
	'all pairs once: the one with the smaller numbers first'
is "$(tokens 'hug hug pug pun bun\n')" \
	'b g h n p u ##g ##n ##u ##ug hug ##un ' \
	'the most frequent pair first, two times at least'
is "$(tokens 'hug hug pug pun bun\n' --min-frequency 3)" \
	'b g h n p u ##g ##n ##u ##ug ' 'three times at least'
is "$(tokens 'hug hug pug pun bun\n' --size 11)" \
	'b g h n p u ##g ##n ##u ##ug hug ' 'as many as asked for'
is "$(tokens 'ABÉ ab\n' --min-frequency 9)" 'a b e ##b ##e ' \
	'lower case without accents'
is "$(tokens 'AÉ\n' --min-frequency 9 --lower-case no)" 'A É ##É ' 'or not'
is "$(tokens 'aaa bb c xcy\n' --alphabet 2)" 'a b ##a ##b ' \
	'the most frequent characters, of b and c the first'
is "$(tokens 'axa axa\n' --alphabet 1)" 'a ##a ' \
	'what stands beside a character that is left out is not merged'
is "$(printf 'a\n' | bert-vocab -q --lines | head -n 5 | tr '\n' ' ')" \
	'[PAD] [UNK] [CLS] [SEP] [MASK] ' "BERT's special tokens"
is "$(printf 'x a\n' | bert-vocab -q --lines --special 'x,<y>' | tr '\n' ' ')" \
	'x <y> a ' 'special tokens of my own, one of them a character'

is "$(printf '\377\376a\000b\000\n\000' | bert-vocab -q --lines --special '' --min-frequency 9 | tr '\n' ' ')" \
	'a b ##b ' 'lines in UTF-16'
printf 'text_a=ab ab\n' | $rec >lines.tfr
refuses "*'lines.tfr' holds records, not lines (drop --lines)" 'records are not lines' \
	bert-vocab --lines lines.tfr

# records, and pairs
printf 'text_a=ab ab\ttext_b=cd cd\n' | $rec >pair.tfr
is "$(bert-vocab -q --special '' pair.tfr | tr '\n' ' ')" \
	'a b c d ##b ##d ab cd ' 'both texts of a pair are counted'

# BPE
printf 'low low lower\n' >in
works 'byte-level BPE' bert-vocab -q --lines --type bpe --size 270 -o bpe in
is "$(sed 1d bpe/merges.txt | tr '\n' ',')" 'l o,lo w,Ġ low,' \
	'merges; the space belongs to a word'
is "$(bert-tokenize -qm bpe --lines --format ids in)" '0 262 263 263 73 86 2' \
	'opens, with all bytes'
is "$(printf 'z\303\251' | bert-tokenize -qm bpe --lines --format ids | wc -w)" \
	5 'nothing is unknown'

# a real one, at any number of threads and in any order of the texts
csv2tfrecord -q -t text -l intent -o train.tfr "$library"
tfrecord-cat -q --shuffle -o mixed.tfr train.tfr
works 'a directory' bert-vocab -q -j 1 --size 1500 -o one train.tfr
bert-vocab -q -j 3 --size 1500 -o three train.tfr
bert-vocab -q -j 2 --size 1500 -o mixed.txt mixed.tfr
same three/vocab.txt one/vocab.txt 'the same on three threads'
same mixed.txt one/vocab.txt '... and in another order'
is "$(wc -l <one/vocab.txt)" 1500 '1500 tokens'
bert-vocab -q -j 1 --type bpe --size 1500 -o b1 train.tfr
bert-vocab -q -j 3 --type bpe --size 1500 -o b3 mixed.tfr
same b3/merges.txt b1/merges.txt 'so are merges'
same b3/vocab.json b1/vocab.json 'and their tokens'
bert-tokenize -m one --format ids -o /dev/null train.tfr 2>err
like "$(cat err)" '*no \[UNK\]' 'no text it was trained on is unknown'
echo '{"do_lower_case": false, "tokenizer_class": "BertTokenizer"}' >cased
bert-vocab -q --lower-case no --size 1500 -o two train.tfr
same two/tokenizer_config.json cased 'the directory says how it is used'
bert-vocab --lines --size 10000 in >/dev/null 2>err
like "$(cat err)" \
	'*: 1 text, 2 distinct words; * (no more frequent pairs)' \
	'a word where there are fewer'

# what does not work
refuses '*: special tokens and single characters alone are 14 tokens, more than 13' \
	'no room' bert-vocab --lines --size 13 in # e l o r w ##e ##o ##r ##w
refuses '*the input has no texts' 'nothing' bert-vocab --lines /dev/null
printf 'good\nbad \377\n' >bad
refuses "*'bad': line 2: the text is not valid UTF-8 at byte 4 (iconv -f windows-1252 -t utf-8 converts text that Windows or Latin-1 programs wrote)" 'no UTF-8' \
	bert-vocab --lines in bad
refuses "*cannot open 'none'*" 'no file' bert-vocab none
misuses '*standard input is given 2 times' 'standard input twice' bert-vocab --lines - -
works 'a file twice' bert-vocab --lines -o twice.txt in ./in
like "$(cat err)" "*warning: './in' is 'in' again: *" 'is warned of'
refuses "*'in' is not a TFRecord stream*" 'lines that are no records' bert-vocab in
works 'a device is no directory' bert-vocab --lines -o /dev/null in
exits 2 'BPE has two files' bert-vocab --lines --type bpe in
exits 2 'BPE keeps case' bert-vocab --type bpe --lower-case yes -o d in
exits 2 'BPE has all bytes' bert-vocab --type bpe --alphabet 9 -o d in
exits 2 'special tokens are different' bert-vocab --special 'a,b,a' in
exits 2 'special tokens are not empty' bert-vocab --special 'a,,b' in
echo old >old.txt
refuses '*' 'an input that fails' bert-vocab --lines -o old.txt in bad
is "$(cat old.txt)" old 'leaves the earlier output'
mkdir kept
echo old >kept/vocab.txt
refuses '*' 'one that fails, to a directory' bert-vocab --lines -o kept in bad
is "$(ls kept) $(cat kept/vocab.txt)" 'vocab.txt old' 'which stays as it was'
echo >kept/model.safetensors
misuses "*'kept' holds a model ('model.safetensors')*" 'the directory of a model' bert-vocab --lines -o kept in
rm kept/model.safetensors
echo >kept/tokenizer.json
misuses "*'kept' holds another tokenizer ('tokenizer.json')*" 'that of a tokenizer' \
	bert-vocab --lines -o kept in
is "$(cat kept/vocab.txt)" old '... and its vocabulary stays'
rm kept/tokenizer.json
misuses '*' 'one of another kind' bert-vocab --lines --type bpe -o kept in
works 'one of the same kind' bert-vocab -q --lines -o kept in
refuses '*' 'one that fails, to a new directory' bert-vocab --lines -o fresh in bad
is "$([ -e fresh ] || echo none)" none 'which is not left behind'
mkfifo pipe
bert-vocab -q --lines -o fresh pipe &
killed=$!
exec 3>pipe # when the output has been opened
kill -KILL "$killed"
wait "$killed" 2>/dev/null
exec 3>&-
is "$([ -e fresh ] || echo none)" none 'nor by one that is killed'

# the output comes first: that the input is missing is not yet known
early() {
	name=$1 glob=$2
	shift 2
	refuses "$glob" "$name" bert-vocab --lines "$@" none
}
early 'a path through a file' "*cannot create directory 'in/x'*" -o in/x
early 'a directory in none' "*cannot create directory 'no/x'*" -o no/x
early 'a file in no directory' "*cannot create 'no/v.txt'*" -o no/v.txt
mkdir -p taken/tokenizer_config.json
early 'a directory where a file is to be' \
	"*cannot create 'taken/tokenizer_config.json'*" -o taken
is "$(ls taken)" tokenizer_config.json 'and nothing is written beside it'
misuses '*is both input and output*' 'an input is not overwritten' bert-vocab --lines -o old.txt in old.txt
if [ -w /dev/full ]; then
	bert-vocab -q --lines in >/dev/full 2>err
	is $? 1 'a full disk'
else
	skip 'a full disk' 'no /dev/full'
fi

# compare TYPE DIR: as the package has it
compare() {
	if [ -z "${PEER_PYTHON-}" ] ||
		! "$PEER_PYTHON" -c 'import tokenizers' 2>/dev/null; then
		skip "$1 as the package" 'PEER_PYTHON has no tokenizers'
		return
	fi
	bert-vocab -q --lines --type "$1" --size 1500 -o "peer-$1" "$library"
	"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/vocab-peer.py" "$1" \
		"peer-$1" 1500 2 "$library" >why 2>&1
	result $? "$1 as the package"
}
compare bpe
compare wordpiece
printf 'ab ab\nab\n' | bert-vocab -q --lines --type bpe --size 300 --min-frequency 1 -o unix
printf '\357\273\277ab ab\r\nab\r\n' | bert-vocab -q --lines --type bpe --size 300 --min-frequency 1 -o windows
same windows/merges.txt unix/merges.txt '--lines: line ends and the byte order mark of Windows are no text'
finish
