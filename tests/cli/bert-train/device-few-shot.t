#!/bin/sh
# SPDX-License-Identifier: MIT
# Not under thread: a plugin's own threads are not watched
# Not under address: nor is its memory
# Not under isa: a plugin computes
# bert-train --few-shot --device: the pairs' losses and the classifier of the CPU, where
# BT_PJRT_PATH or PEER_PYTHON has XLA's plugin for CPUs.
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
awk -F, 'NR == 1 || ++n[$NF] <= 8' train.csv >few.csv
csv2tfrecord -q -i id -t text -l intent few.csv | bert-tokenize -q -m vocab.txt --max-length 48 -o few.rec
echo '{"model_type": "bert", "vocab_size": 2000, "hidden_size": 64, "num_hidden_layers": 1,
	"num_attention_heads": 2, "intermediate_size": 128}' >one.json
few() { # OUT [OPTION ...]
	bert-train --force --init-config ./one.json --tokenizer vocab.txt --few-shot --learning-rate 1e-3 \
		--batch-size 8 --epochs 2 --dtype f32 --log-steps 1 --eval dev.rec -o "$@" few.rec
}
measured() { sed -n 's/.*: evaluation loss \([0-9.]*\), accuracy \([0-9.]*\),.*/\1 \2/p' err; }

works 'on the CPU' few cpu --save-steps 3 --keep 9
measured >want
works 'on a device' few dev -v --save-steps 3 --keep 9 --device cpu --summary s.json
measured >got
follows cpu dev 1e-5 '... the losses of pairs are the same'
same got want '... and so is what the classifier reaches'
like "$(cat s.json)" '*"device":"cpu"*"rows_filled":0.[1-9]*' '... the summary is that of training'
for m in cpu dev; do
	bert-predict -q --dtype f32 -m $m -o $m.csv dev.rec
	cut -d, -f1,2 $m.csv >$m.labels
done
same dev.labels cpu.labels '... whose labels are the same'
works 'two devices' few two -q --device cpu --replicas 2
follows cpu two 1e-5 '... have the same losses'
works 'on from a device' few back -q --resume-from dev/checkpoint-3.safetensors
goes_on cpu back '... to the same losses'
works 'on from the CPU' few on -q --device cpu --resume-from cpu/checkpoint-3.safetensors
goes_on cpu on '... to the same losses'

# pairs of several batches are compared
few acc.cpu -q --accumulate 2 --batch-size 5
works 'several batches of an update' few acc -q --accumulate 2 --batch-size 5 --device cpu --replicas 2
follows acc.cpu acc 1e-5 '... have the same losses'
works 'several seeds' few seeds -q --seeds 2 --device cpu
sed -n 2,3p out | awk '{ print $2 }' >got
few seeds.cpu -q --seeds 2 | sed -n 2,3p | awk '{ print $2 }' >want
same got want '... reach what they do on the CPU'
works 'bf16' few low -q --device cpu --dtype bf16
finish
