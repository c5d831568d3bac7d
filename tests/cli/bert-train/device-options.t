#!/bin/sh
# SPDX-License-Identifier: MIT
# Not under thread: a plugin's own threads are not watched
# Not under address: nor is its memory
# Not under isa: a plugin computes
# bert-train --device with what changes the loss or the model, and several models one after the
# other, on XLA's plugin for CPUs beside this program's own: one size of batches, since programs
# take long to compile.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/xla.sh"
. "$TEST_TOP/tests/lib/losses.sh"
export BT_PJRT_CACHE="$PWD/cache"
xla_path
if ! BT_PJRT_CACHE=none bert-predict --device list 2>err | grep -q '^cpu:'; then
	skip 'training' "no plugin for CPUs ($(head -n 1 err))"
	finish
fi
small_data
small_config=./small.json
echo '{"model_type": "bert", "vocab_size": 2000, "hidden_size": 8, "num_hidden_layers": 1,
	"num_attention_heads": 2, "intermediate_size": 16}' >small.json

# train OUT [OPTION ...]: 8 updates of all texts
train() {
	small_train "$@" --learning-rate 1e-2 --batch-size 200 --epochs 8 --dtype f32 --log-steps 1 --eval dev.rec
}
device='--device cpu'

small_train a -q
bert-predict -q -m a --format tensor -o a.ts train.rec
train taught.cpu -q --teacher a.ts
# shellcheck disable=SC2086
works 'a teacher' train taught -q --teacher a.ts $device --replicas 2
follows taught.cpu taught 1e-5 '... with the same losses, rates and measures'
finish
