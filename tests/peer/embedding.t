#!/bin/sh
# SPDX-License-Identifier: MIT
# Training of embeddings beside sentence-transformers: the same losses and gradients.
# Not under thread: compares numbers, with the threads of cli/bert-train/embedding
# Not under address: compares numbers with those of PyTorch; cli/bert-train/embedding runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
peer=$TEST_TOP/tests/fixtures/embedding-peer.py
peer_or_end 'sentence-transformers trains alike' sentence_transformers
minilm_or_end 'sentence-transformers trains alike'
data=$TEST_TOP/pipelines/data
awk -F, -v OFS=, 'BEGIN { print "a", "b", "c", "score" }
	!/^L[0-9]+,[^",]*,[a-z_]+$/ { next }
	NR == FNR { other[n++] = $2; next }
	{
		if ($3 in last && !done[$3]++) print last[$3], $2, other[k], k++ % 5 / 4
		last[$3] = $2
	}' "$data/library-dev.csv" "$data/library-train.csv" | head -n 17 >pairs.csv
# one loss with MiniLM; the others are no different in a small model
small_data
small_train m -q --epochs 2
works 'sentence-transformers saves a model' "$PEER_PYTHON" "$TEST_TOP/tests/fixtures/sentence-peer.py" make m
# trains MODEL LOSS ...: here and there
trains() {
	model=$1
	shift
	for loss; do
		label= texts= cut= batches='--batch-size 16'
		case $loss in
		cos*) label='-l score' ;;
		triplets) label='--keep c' texts='--negative c' ;;
		cached*) batches='--batch-size 4 --accumulate 4' ;;
		esac
		case $loss in
		cos*) name=${loss%-cut} ;;
		*) name=ranking ;;
		esac
		case $loss in
		*-cut) cut='--matryoshka-dims 8,24' ;;
		esac
		# shellcheck disable=SC2086 # words of options
		csv2tfrecord -q -t a --pair b $label pairs.csv | bert-tokenize -q -m "$model" --apart $texts -o pairs.rec
		works "$loss" bert-train -q --force -m "$model" --task embedding --embedding-loss $name $batches $cut \
			--steps 10 --dropout 0 --learning-rate 1e-4 --warmup 0 --schedule constant --log-steps 1 --dtype f32 \
			-o $loss pairs.rec
	done
	"$PEER_PYTHON" "$peer" "$model" pairs.csv "$@" >said 2>why
	result $? 'sentence-transformers trains'
	for loss; do
		grep "^$loss:" said >why
		grep -q "^$loss: 10 updates, .* alike" said
		result $? "... alike: $loss"
	done
}
trains "$MINILM" ranking
trains mean cached triplets cosent cosine ranking-cut cached-cut cosent-cut cosine-cut
cut -d, -f1 pairs.csv | tail -n +2 >texts
bert-tokenize -q -m cosent --lines -o texts.rec texts
bert-predict -q -m cosent --embed auto --dtype f32 -o cosent.npy texts.rec
"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/sentence-peer.py" compare texts 1e-5 cosent >said 2>why
result $? 'sentence-transformers opens the model, and embeds alike'
finish
