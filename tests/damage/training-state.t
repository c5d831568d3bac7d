#!/bin/sh
# SPDX-License-Identifier: MIT
# Training checkpoints whose fields contradict each other: refused by the field.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
state=m/checkpoint.safetensors
train() {
	bert-train -q --init-config tiny --tokenizer vocab.txt --epochs 3 --batch-size 16 \
		-o m "$@" train.rec
}

train --save-steps 14 --keep 3
mv m/checkpoint-14.safetensors kept
rm -r m
mkdir m

# changed REGEX REPLACEMENT: of the same length, in the note
changed() {
	LC_ALL=C sed "s/\\\\\"$1/\\\\\"$2/" kept >$state
	! cmp -s kept $state
	result $? "changed: $2"
}

# contradicts FIELD REGEX REPLACEMENT
contradicts() {
	changed "$2" "$3"
	refuses "*'$state': the value of '$1' in its training state is not possible" \
		"$1 is refused" train
}
contradicts step 'step\\":14' 'step\\": 0'
contradicts step 'step\\":14' 'step\\":15'
contradicts step 'step\\":14' 'step\\":-1'
contradicts step 'epoch\\":1' 'epoch\\":2'
contradicts step 'pos\\":32' 'pos\\":48'
contradicts pos 'pos\\":32' 'pos\\":-3'
contradicts loss_weight '\(loss_weight\\":\)32.0' '\1-2.0'
contradicts have_best 'have_best\\":false' 'have_best\\":true '
contradicts best_step 'best_step\\":0' 'best_step\\":9'
contradicts right 'right\\":[0-9]\(.*seen\\":\)32' 'right\\":9\1 0'
contradicts files.history.jsonl 'history.jsonl\\":1' 'history.jsonl\\":-'
cp kept $state
works 'as it was: the run goes on' train
finish
