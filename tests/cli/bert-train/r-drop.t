#!/bin/sh
# SPDX-License-Identifier: MIT
# --r-drop: two passes over each text, whose outputs are drawn together.
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
train() { # OUT [OPTION ...]
	small_train "$@" -q
}
train plain
train zero --r-drop 0
same zero/model.safetensors plain/model.safetensors '0 is one pass'
train on --r-drop 4 -j1
cmp -s on/model.safetensors plain/model.safetensors
is $? 1 'another loss'
train three --r-drop 4 -j3
same on/model.safetensors three/model.safetensors 'one thread or three'
like "$(cat on/README.md)" '*| R-Drop | 4 |*' 'the card tells it'
# without dropout both passes are equal: the cross entropy, to rounding
train dry --r-drop 4 --dropout 0 --dtype f32
train wet --dropout 0 --dtype f32
loss() { sed -n 's/.*"eval_loss":\([0-9.e-]*\).*/\1/p;t;s/.*"loss":\([0-9.e-]*\).*/\1/p' "$1/history.jsonl" | sed -n 1p; }
is "$(awk "BEGIN { d = $(loss dry) - $(loss wet); print (d < 1e-5 && d > -1e-5) }")" 1 'without dropout it is the cross entropy'
exits 1 'a run to be resumed' train half --r-drop 4 --save-steps 5 --max-minutes 1e-5
refuses '*belongs to another run: weight of R-Drop was 4*, is absent*' 'without it' \
	bert-train --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --epochs 1 --learning-rate 1e-3 --batch-size 16 \
	-q -o half --save-steps 5 --resume train.rec
# an earlier version's checkpoint, by the name of a setting that is as long
LC_ALL=C sed 's/weight of R-Drop/averaged updates/' half/checkpoint.safetensors >old.safetensors
refuses '*belongs to another run: averaged updates was 4*, which this version does not have (start over*' \
	'a technique that was left out' train x --resume-from old.safetensors
works 'resumed' bert-train --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --epochs 1 --learning-rate 1e-3 \
	--batch-size 16 -q -o half --r-drop 4 --save-steps 5 --resume train.rec
same half/model.safetensors on/model.safetensors '... the same bits'
train a --r-drop 2 --shards 3
works 'shards, accumulated batches, an evaluation' train b --r-drop 2 --shards 2 --accumulate 2 --eval dev.rec
misuses '*--r-drop does not go with --teacher and --few-shot*' 'another loss' train x --r-drop 1 --teacher t
misuses '*activation cannot learn by R-Drop*' 'outputs that are no logits' train x --r-drop 1 \
	--head 'mean, dense softplus'
misuses '*(--r-drop applies only to classification)*' 'embeddings' train x --r-drop 1 --task embedding
finish
