#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --awp: gradients where the weights were moved are the update's.
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/ranks.sh"
small_data
train() { # OUT [OPTION ...]
	small_train "$@" -q
}
train plain
train zero --awp 0
same zero/model.safetensors plain/model.safetensors '0 is none'
train late --awp .01 --awp-start 1
same late/model.safetensors plain/model.safetensors 'nor is one that begins at the end'
for dtype in f32 bf16; do
	train on --awp .01 --awp-start .5 -j1 --dtype $dtype
	cmp -s on/model.safetensors plain/model.safetensors
	is $? 1 "$dtype: other gradients"
	train three --awp .01 --awp-start .5 -j3 --dtype $dtype
	same on/model.safetensors three/model.safetensors '... one thread or three'
done
like "$(cat on/README.md)" '*| adversarial step of weights | 0.01 |
| from epoch | 0.5 |*' 'the card tells it'
train on --awp .01
exits 1 'a run to be resumed' train half --awp .01 --save-steps 5 --max-minutes 1e-5
refuses '*belongs to another run: *adversarial step of weights was 0.01*, is absent*' 'without it' \
	train half --save-steps 5 --resume
refuses '*belongs to another run: adversarial from epoch was 0.0, is 0.5*' 'from elsewhere' \
	train half --awp .01 --awp-start .5 --save-steps 5 --resume
works 'resumed' train half --awp .01 --save-steps 5 --resume
same half/model.safetensors on/model.safetensors '... the same bits'
# the weights are back where they were: at a rate of 0 nothing changes
train still --learning-rate 0 --awp .1 --eval dev.rec
train stood --learning-rate 0 --eval dev.rec
same still/model.safetensors stood/model.safetensors 'what was moved returns'
is "$(grep -o '"[a-z_]*loss":[^,]*' still/history.jsonl)" \
	"$(grep -o '"[a-z_]*loss":[^,]*' stood/history.jsonl)" 'the losses shown are those of it'

# several shards, batches of an update, ranks, other options
train shards --awp .01 --shards 3 --accumulate 2 -j1
if have_ranks 'several ranks'; then
	works 'ranks' ranks 3 bert-train --force --init-config tiny --tokenizer vocab.txt --epochs 1 \
		--learning-rate 1e-3 --batch-size 16 -o ranks --awp .01 --shards 3 --accumulate 2 -q train.rec
	same ranks/model.safetensors shards/model.safetensors '... give the bits of one process'
fi
works 'frozen words' train x --awp .01 --freeze embeddings
works 'adapters' bert-train -q --force -m plain --lora 2 --awp .01 --steps 2 -o x train.rec
works 'contrast' train x --awp .01 --contrastive .5
bert-train --init-config tiny --tokenizer vocab.txt --dry-run --awp .01 train.rec >with
like "$(grep adversarial with)" 'adversarial training *MB' 'memory, that of what is kept'

# what is refused
misuses '*give either --fgm or --awp*' 'both' train x --fgm 1 --awp .01
misuses '*--awp-start needs --awp*' 'a beginning of nothing' train x --awp-start 1
misuses '*--awp: on the CPU only, not with --device*' 'a device' train x --awp .01 --device none

# PyTorch: a step down the gradient, from a model that is not at its end
if ! compares 'PyTorch'; then
	finish
	exit
fi
export HF_HUB_OFFLINE=1
tfrecord-cat -q --json -o rec.json dev.rec
step() { # EPSILON OPTION...
	epsilon=$1
	shift
	down_gradient plain --awp "$epsilon" "$@"
	works "loss and gradients are PyTorch's: $epsilon $*" "$PEER_PYTHON" \
		"$TEST_TOP/tests/fixtures/adversarial-peer.py" plain step rec.json awp "$epsilon"
	sed 's/^/# /' out
}
step .01 --batch-size 32
step .05 --batch-size 8 --accumulate 4
finish
