#!/bin/sh
# SPDX-License-Identifier: MIT
# SentencePiece's tokenizers against the packages `tokenizers` and `sentencepiece` of
# the Python in PEER_PYTHON, with models trained here.
# PEER_COUNT: random texts for each [2000, under sanitizers 200]
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
count=${PEER_COUNT:-$([ -n "${TEST_KIND-}" ] && echo 200 || echo 2000)}
peer=$TEST_TOP/tests/fixtures/spm-peer.py

# What the small models of tests/data give is checked by unit/tokenizer/unigram.
works 'a directory with a model' bert-tokenize -qm "$DATA/spm/xlm-roberta" \
	--lines --format ids <<-'.'
	the library card ☃☃ <mask>
.
is "$(cat out)" '0 4 19 20 137 3 138 2' 'its ids'

peer_or_end 'trained models' sentencepiece tokenizers
if [ ! -d "$SHARED/xquad" ]; then
	skip 'trained models' "no $SHARED/xquad"
	finish
fi

# A paragraph or question a line, in English, Chinese and Arabic; other texts.
"$PEER_PYTHON" - "$SHARED"/xquad/*.json >texts.txt <<'.'
import json, sys
for name in sys.argv[1:]:
    for article in json.load(open(name, encoding="utf-8"))["data"]:
        for p in article["paragraphs"]:
            for text in [p["context"]] + [q["question"] for q in p["qas"]]:
                print(" ".join(text.split("\n")))
.
tail -n +2 "$SHARED/banking77/test.csv" | tr -d '\r' >>texts.txt
tail -n +2 "$SHARED/glue/SST-2/dev.tsv" >>texts.txt
[ "$(wc -l <texts.txt)" -gt 5000 ]
result $? 'texts to compare'

compare() { # FAMILY SIZE
	"$PEER_PYTHON" "$peer" "$1" "$2" "$count" 1 texts.txt \
		>why 2>&1
	result $? "$1: equal to the package"
}
compare xlm-roberta 12000
compare llama:bpe 3000
compare camembert:bpe 3000
compare deberta-v2:bpe 3000
compare camembert 4000
compare albert 8000
compare deberta-v2 6000
finish
