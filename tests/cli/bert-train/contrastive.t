#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --contrastive: texts of one class are drawn together.
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
train() { # OUT [OPTION ...]
	small_train "$@" -q
}
loss() { sed -n 's/.*"loss":\([0-9.e-]*\).*/\1/p' "$1/history.jsonl" | sed -n 1p; }
train plain
train zero --contrastive 0
same zero/model.safetensors plain/model.safetensors '0 is none'
is "$(grep -c contrastive plain/README.md)" 0 'of which the card does not speak'
for dtype in f32 bf16; do
	train on --contrastive .5 -j1 --dtype $dtype
	cmp -s on/model.safetensors plain/model.safetensors
	is $? 1 "$dtype: another loss"
	train three --contrastive .5 -j3 --dtype $dtype
	same on/model.safetensors three/model.safetensors '... one thread or three'
done
like "$(cat on/README.md)" '*| contrastive loss | 0.5 |
| its temperature | 0.3 |*' 'the card tells it'
train on --contrastive .5
train warm --contrastive .5 --contrastive-temperature .3
same on/model.safetensors warm/model.safetensors 'the usual temperature'
train warm --contrastive .5 --contrastive-temperature 1
cmp -s on/model.safetensors warm/model.safetensors
is $? 1 'another one'
exits 1 'a run to be resumed' train half --contrastive .5 --save-steps 5 --max-minutes 1e-5
refuses '*belongs to another run: contrastive loss was 0.5*, is absent*' 'without it' \
	train half --save-steps 5 --resume
refuses '*belongs to another run: contrastive temperature was 0.3*, is 1*' 'another temperature' \
	train half --contrastive .5 --contrastive-temperature 1 --save-steps 5 --resume
works 'resumed' train half --contrastive .5 --save-steps 5 --resume
same half/model.safetensors on/model.safetensors '... the same bits'
# one text a batch has nobody to be drawn to: the cross entropy, to rounding
train alone --contrastive .5 --batch-size 1 --steps 20 --dropout 0 --dtype f32 --learning-rate 0
train half --batch-size 1 --steps 20 --dropout 0 --dtype f32 --learning-rate 0
is "$(awk "BEGIN { d = $(loss alone) - $(loss half) / 2; print (d < 1e-5 && d > -1e-5) }")" 1 \
	'a text that is alone adds nothing'
train one --contrastive .5 --eval dev.rec --metric loss
is "$(bert-eval -q -m one --json dev.rec | awk -F'[:,]' '/^ "loss"/ { printf "%.5f", $2 }')" \
	"$(sed -n 's/.*"eval_loss": *\([0-9.e-]*\).*/\1/p' one/history.jsonl | tail -n 1 | xargs printf %.5f)" \
	'the loss of evaluation is without it'

# beside other options
works 'heads of layers' train x --contrastive .5 --head 'mean, dense 32 relu, dropout .2, dense'
works 'outputs that are no logits' train x --contrastive .5 --head 'mean, dense softplus'
works 'shards, accumulated batches' train x --contrastive .5 --shards 2 --accumulate 2
works 'two passes, moved words' train x --contrastive .5 --r-drop 1 --fgm .5
works 'a frozen encoder' train x --contrastive .5 --freeze 'embeddings,2,bert.pooler.*'
works 'adapters' bert-train -q --force -m plain --lora 2 --contrastive .5 --steps 2 -o x train.rec
works 'activations recomputed' train x --contrastive .5 --checkpoint-activations
same x/model.safetensors on/model.safetensors '... the same bits'

# what is refused
misuses '*(--contrastive applies only to classification)*' 'embeddings' \
	train x --contrastive .5 --task embedding
misuses '*--contrastive does not go with --few-shot*' 'few shots' train x --contrastive .5 --few-shot
misuses '*--contrastive-temperature needs --contrastive*' 'a temperature alone' \
	train x --contrastive-temperature 1
misuses '*--contrastive: on the CPU only, not with --device*' 'a device' \
	train x --contrastive .5 --device none
exits 2 'all of the loss' train x --contrastive 1

# PyTorch: a step down the gradient, from a model that is not at its end
if ! compares 'PyTorch'; then
	finish
	exit
fi
export HF_HUB_OFFLINE=1
tfrecord-cat -q --json -o rec.json dev.rec
step() { # WEIGHT TEMPERATURE
	down_gradient plain --batch-size 32 --contrastive "$1" --contrastive-temperature "$2"
	works "loss and gradients are PyTorch's: $*" "$PEER_PYTHON" \
		"$TEST_TOP/tests/fixtures/contrastive-peer.py" plain step rec.json "$@"
	sed 's/^/# /' out
}
step .5 .3
step .9 .05
finish
