#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --log-steps: what a run says while it goes, without a terminal.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data

small_train m --epochs 2 --log-steps 10 2>err
like "$(cat err)" '*bert-train: epoch 1, step 10/*: loss [0-9].[0-9]*, learning rate *, gradient norm [0-9.]*, [0-9]* examples/s, [0-9]*:[0-9][0-9] left*' \
	'a line every ten updates'
lines=$(grep -c '"gradient_norm":[0-9.e-]*,"examples_per_second":[0-9.e]*,' m/history.jsonl)
last=$(tail -n 1 m/history.jsonl | sed 's/.*"step":\([0-9]*\),.*/\1/')
is "$lines" $((last / 10)) 'and in the history'

# The first line is the mean of updates 1 to 10: the losses of one-update lines.
small_train one --epochs 2 -q --log-steps 1
losses() { grep gradient_norm "$1" | sed 's/.*"loss":\([^,]*\),.*/\1/'; }
mean=$(losses one/history.jsonl | head -n 10 | awk '{ s += $1 } END { printf "%.5f", s / 10 }')
is "$(losses m/history.jsonl | head -n 1 | awk '{ printf "%.5f", $1 }')" "$mean" \
	'the loss is the mean since the line before'
cmp m/model.safetensors one/model.safetensors >why 2>&1
result $? 'the model is the same'

# The last line before the crash, and the first one after it, are of the same run.
bert-train --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --epochs 2 -q \
	--learning-rate 1e-3 --batch-size 16 --log-steps 10 --save-steps 4 --keep 9 \
	-o k train.rec
rm -f k/checkpoint.safetensors k/model.safetensors
bert-train --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --epochs 2 -q \
	--learning-rate 1e-3 --batch-size 16 --log-steps 10 -o k \
	--resume-from k/checkpoint-8.safetensors train.rec
losses k/history.jsonl >got
losses m/history.jsonl >wanted
same got wanted 'a resumed run has the same lines'

bert-train --help >out
like "$(cat out)" '*--save-minutes X *[[]10[]]*' 'a checkpoint every ten minutes'
exits 2 'no updates' small_train x --log-steps 0
finish
