#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-tokenize against the package `tokenizers` of the Python in PEER_PYTHON.
# PEER_COUNT: random texts for each vocabulary [2000, under sanitizers 200]
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
count=${PEER_COUNT:-$([ -n "${TEST_KIND-}" ] && echo 200 || echo 2000)}
peer=$TEST_TOP/tests/fixtures/tok-peer.py
V=$SHARED/vocab

peer_or_end 'the package tokenizers'

compare() { # NAME VOCAB lower|cased
	if [ ! -f "$2" ]; then
		skip "$1" "no $2"
		return
	fi
	"$PEER_PYTHON" "$peer" "$2" "$3" "$count" 1 >why 2>&1
	result $? "$1: equal to the package"
}
compare 'a small vocabulary' "$DATA/tok/uncased/vocab.txt" lower
compare 'a small cased one' "$DATA/tok/cased/vocab.txt" cased
compare bert-base-uncased "$V/bert-base-uncased/vocab.txt" lower
compare bert-base-cased "$V/bert-base-cased/vocab.txt" cased
compare bert-base-multilingual-cased \
	"$V/bert-base-multilingual-cased/vocab.txt" cased
compare bert-base-chinese "$V/bert-base-chinese/vocab.txt" lower

"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/regex-peer.py" \
	$((count / 20)) 1 >why 2>&1
result $? 'regular expressions: equal to the package'

"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/encoder-tokenizers.py" \
	"$count" 1 >why 2>&1
result $? 'tokenizers of the form of EuroBERT, ModernBERT, mmBERT, and of its size: equal to the package'

# compare_bpe NAME COUNT PART [FILE ...]
bpe_peer=$TEST_TOP/tests/fixtures/bpe-peer.py
R=$V/roberta-base
compare_bpe() {
	name=$1 count=$2 part=$3
	shift 3
	if [ ! -f "$R/merges.txt" ]; then
		skip "$name" "no $R"
		return
	fi
	"$PEER_PYTHON" "$bpe_peer" "$R/vocab.json" "$R/merges.txt" "$count" 1 \
		"$part" "$@" >why 2>&1
	result $? "$name: equal to the package"
}
compare_bpe 'BPE, random texts' $((count / 10)) random
if [ -f "$SHARED/glue/SST-2/dev.tsv" ]; then
	compare_bpe 'BPE, real texts' 0 files "$SHARED/glue/SST-2/dev.tsv"
else
	skip 'BPE, real texts' "no $SHARED/glue/SST-2/dev.tsv"
fi
finish
