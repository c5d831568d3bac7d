#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize --save: the tokenizer as a directory for other programs.
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
rec=$TEST_TOP/tests/fixtures/tok-records.pl
printf '%s\n' "It's the Éa book, 日本 [MASK] <mask> x" '' \
	'two  books lost and found !' >texts

# saves NAME MODEL
saves() {
	works "$1 is saved" bert-tokenize -qm "$DATA/$2" --save "$1"
	bert-tokenize -qm "$DATA/$2" --lines texts | $rec -d >wanted
	bert-tokenize -qm "$1" --lines texts | $rec -d >got
	same got wanted '... with the same ids and fingerprint'
	mkdir "$1.alone"
	cp "$1/tokenizer.json" "$1.alone/"
	bert-tokenize -qm "$1.alone" --lines texts | $rec -d >got
	same got wanted '... in its tokenizer.json alone'
}
saves wordpiece tok/uncased
saves vocab tok/cased/vocab.txt
saves bytes bpe/roberta
saves json bpe/llama.json
saves unigram spm/xlmr.json
for f in spm/xlm-roberta spm/camembert spm/albert spm/deberta-v2 \
	spm-bpe/llama spm-bpe/xlm-roberta; do
	saves "$(echo $f | tr / -)" $f
done
is "$(bert-tokenize -qm wordpiece.alone --lines texts |
	bert-tokenize -qm wordpiece.alone --detokenize | sed -n 3p)" \
	'[CLS] two books lost and found! [SEP]' 'its decoder is there'
exits 2 '--save reads no files' \
	bert-tokenize -m "$DATA/tok/uncased" --save x texts
for o in '-o x' --lines --detokenize '--format json'; do
	# shellcheck disable=SC2086
	misuses '*--save writes the tokenizer alone, and reads no files*' "$o" bert-tokenize -m "$DATA/tok/uncased" --save x $o
done
misuses "*a tokenizer.json cannot express the dialect 'google'" \
	'no dialect of Google' \
	bert-tokenize -m "$DATA/tok/uncased" --dialect google --save x
refuses "*cannot create directory 'no/such'*" 'a directory that cannot be made' \
	bert-tokenize -m "$DATA/tok/uncased" --save no/such

if [ -n "${PEER_PYTHON-}" ]; then
	"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/tok-saved-peer.py" \
		wordpiece vocab bytes unigram spm-* >why 2>/dev/null
	result $? 'AutoTokenizer and tokenizers open them'
else
	skip 'AutoTokenizer and tokenizers' 'PEER_PYTHON is not set'
fi
finish
