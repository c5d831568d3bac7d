#!/bin/sh
# SPDX-License-Identifier: MIT
# Rerankers of sentence-transformers and ours: the same numbers of pairs.
# Not under thread: compares numbers, with the threads of cli/bert-train/ranking
# Not under address: compares numbers with those of PyTorch; cli/bert-train/ranking runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
peer=$TEST_TOP/tests/fixtures/cross-encoder-peer.py

peer_or_end 'sentence-transformers ranks alike' sentence_transformers
minilm_or_end 'sentence-transformers ranks alike'
tr -d '\r' <"$TEST_TOP/pipelines/data/library-test.csv" | awk -F, '!/"/ && NR > 1 && NR < 99 {
	if (last) print last "\t" $2
	last = $2
}' >pairs
{
	printf 'a\tb\tfits\n'
	awk '{ print $0 "\t" NR % 2 }' pairs
} >pairs.tsv
csv2tfrecord -q -t a --pair b -l fits -o pairs.text.rec pairs.tsv

# alike DIR OUR_OPTION ...
alike() {
	dir=$1
	shift
	"$PEER_PYTHON" "$peer" predict pairs "$dir" >theirs 2>err
	bert-tokenize -q -m "$dir" -o pairs.rec pairs.text.rec
	bert-predict -q -m "$dir" --dtype f32 "$@" -o ours pairs.rec
	sed 1d ours | cut -d , -f 2- | tr , ' ' | paste -d ' ' - theirs | awk '
		{ for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d * d > 1e-10) bad = 1
			if (!n++ || $i < least) least = $i; if (n == 1 || $i > most) most = $i } }
		END { exit !(!bad && n >= 50 && most - least > .01) }'
	result $? "$dir: the same numbers"
}
works 'sentence-transformers saves models' "$PEER_PYTHON" "$peer" make "$MINILM"
alike sigmoid
works 'ours, of theirs' bert-train -q -m sigmoid --task ranking -o ours.m --steps 3 --batch-size 8 \
	--learning-rate 1e-3 pairs.rec
alike ours.m
works 'ours, of an encoder' bert-train -q -m "$MINILM" --task ranking -o new --steps 3 --batch-size 8 \
	--learning-rate 1e-3 pairs.rec
alike new
finish
