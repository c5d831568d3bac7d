#!/bin/sh
# SPDX-License-Identifier: MIT
# A published run of BERT-tiny on MRPC (Google's run_classifier: 128 tokens,
# batches of 32, 2e-4, 3 epochs), with its own records, from random weights.
# Not under thread: the threads are those of cli/bert-train/train
# Not under address: cli/bert-train/train does the same on fewer records
. "$TEST_TOP/tests/lib/lib.sh"
real=$SHARED/tf/bert_tiny_mrpc
vocab=$SHARED/vocab/bert-base-uncased/vocab.txt
if [ ! -e "$real/mrpc_output/train.tf_record" ] || [ ! -e "$vocab" ]; then
	skip 'BERT-tiny on MRPC' 'the data are absent'
	finish
fi
train() {
	out=$1
	shift
	bert-train --init-config "$real/bert_config.json" --tokenizer "$vocab" -o "$out" \
		--batch-size 32 --learning-rate 2e-4 --warmup 0.1 "$@" "$real/mrpc_output/train.tf_record"
}
losses() { sed 's/.*"loss": *\([0-9.]*\).*/\1/' "$1/history.jsonl" | tr '\n' ' '; }

works 'the first update' train first -q --steps 1
# the event file says .68940 after one update; weights and head differ
awk -v a="$(losses first)" 'BEGIN { exit !(a > .68940 - .03 && a < .68940 + .03) }'
result $? "its loss is the published one, about: $(losses first)"
works 'three epochs' train whole --epochs 3 --eval "$real/mrpc_output/eval.tf_record"
like "$(cat err)" '*3668 training examples, 408 for evaluation, 2 labels*' 'of the published records'
losses whole | awk '{ exit !(NF == 3 && $1 > $2 && $2 > $3 && $3 < .6) }'
result $? "the loss falls: $(losses whole)"
bert-predict -q -m whole -o answers.csv "$real/mrpc_output/eval.tf_record"
is "$(wc -l <answers.csv)" 409 'an answer to each pair'
finish
