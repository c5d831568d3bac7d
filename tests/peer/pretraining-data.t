#!/bin/sh
# SPDX-License-Identifier: MIT
# Records for pre-training beside Python's random numbers and `tokenizers`.
# Not under thread: starts no threads
# Not under address: cli/bert-create-pretraining-data/records runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
peer_or_end 'records of Python'
cp "$TEST_TOP/pipelines/data/vocab.txt" .
cut -d, -f2 "$TEST_TOP/pipelines/data/library-train.csv" | sed -n '2,$p' | awk '{ print } NR % 7 == 0 { print "" }' >texts.txt
while read -r flags; do
	# shellcheck disable=SC2086 # several words
	"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/pretraining-data.py" vocab.txt theirs.jsonl $flags texts.txt
	tfrecord-cat -q --from-json -o theirs.rec theirs.jsonl
	# shellcheck disable=SC2086
	bert-create-pretraining-data --input_file=texts.txt --output_file=ours.rec --vocab_file=vocab.txt $flags 2>err
	[ "$(tfrecord-cat --count ours.rec)" -gt 1000 ] && cmp ours.rec theirs.rec >why 2>&1
	result $? "$flags"
done <<'X'
--max_seq_length=32
--max_seq_length=48 --do_whole_word_mask=true --random_seed=7
--max_seq_length=5 --dupe_factor=3
--max_seq_length=64 --max_ngram_size=3 --do_whole_word_mask=true --masked_lm_prob=0.3
--random_seed=99999999999 --short_seq_prob=0.9 --use_v2_feature_names=true
--max_seq_length=40 --max_predictions_per_seq=3 --random_seed=-3
X
finish
