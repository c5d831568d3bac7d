#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --fgm: gradients where the word embeddings were moved are added.
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/ranks.sh"
small_data
tfrecord-cat -q --head 64 -o few.rec train.rec && mv few.rec train.rec
train() { # OUT [OPTION ...]
	small_train "$@" -q
}
loss() { sed -n 's/.*"loss":\([0-9.e-]*\).*/\1/p' "$1/history.jsonl" | sed -n 1p; }
train plain
train zero --fgm 0
same zero/model.safetensors plain/model.safetensors '0 is none'
is "$(grep -c adversarial plain/README.md)" 0 'of which the card does not speak'
for dtype in f32 bf16; do
	train on --fgm .5 -j1 --dtype $dtype
	cmp -s on/model.safetensors plain/model.safetensors
	is $? 1 "$dtype: other gradients"
	train three --fgm .5 -j3 --dtype $dtype
	same on/model.safetensors three/model.safetensors '... one thread or three'
done
like "$(cat on/README.md)" '*| adversarial step of words | 0.5 |*' 'the card tells it'
train on --fgm .5
exits 1 'a run to be resumed' train half --fgm .5 --save-steps 2 --max-minutes 1e-5
refuses '*belongs to another run: adversarial step of words was 0.5*, is absent*' 'without it' \
	train half --save-steps 2 --resume
works 'resumed' train half --fgm .5 --save-steps 2 --resume
same half/model.safetensors on/model.safetensors '... the same bits'
# the words are back where they were: at a rate of 0 nothing changes
train still --learning-rate 0 --fgm 5
train stood --learning-rate 0
same still/model.safetensors stood/model.safetensors 'what was moved returns'
is "$(loss still)" "$(loss stood)" 'the losses shown are those before'

# several shards, batches of an update, ranks
train shards --fgm .5 --shards 3 --accumulate 2 -j1
works 'shards, accumulated batches, an evaluation' \
	train again --fgm .5 --shards 3 --accumulate 2 -j2 --eval dev.rec
if have_ranks 'several ranks'; then
	works 'ranks' ranks 3 bert-train --force --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --epochs 1 \
		--learning-rate 1e-3 --batch-size 16 -o ranks --fgm .5 --shards 3 --accumulate 2 -q train.rec
	same ranks/model.safetensors shards/model.safetensors '... give the bits of one process'
fi
# other losses, and a table that is the last layer, too
works 'with R-Drop' train x --fgm .5 --r-drop 1
works 'activations recomputed' train x --fgm .5 --checkpoint-activations
csv2tfrecord -q -t text -o words.text train.csv
bert-tokenize -q -m vocab.txt -o words.rec words.text
masked() { # OUT OPTION ...
	bert-train -q --force --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --task masked-lm --steps 3 \
		--learning-rate 0 -o "$@" words.rec
}
works 'masked words' masked moved --fgm 5
masked unmoved
same moved/model.safetensors unmoved/model.safetensors '... whose table returns'
works 'pairs of texts, compared over batches' bert-train -q --force --init-config "$DATA/one-layer.json" \
	--tokenizer vocab.txt --task classification --few-shot --steps 2 --accumulate 2 -o x --fgm .5 train.rec

# memory
bert-train --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --dry-run train.rec >without
bert-train --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --dry-run --fgm 1 train.rec >with
is "$(grep -c adversarial without)" 0 'without it no memory'
like "$(grep adversarial with)" 'adversarial training *MB' 'with it, that of what is kept'

# what is refused
misuses '*embeddings of words are frozen*' 'frozen words' train x --fgm 1 --freeze embeddings
misuses '*embeddings of words are frozen*' 'adapters' \
	bert-train -q --force -m plain --lora 2 --fgm 1 -o x train.rec
exits 2 'below 0' train x --fgm -1

# PyTorch: a step down the gradient, from a model that is not at its end
if ! compares 'PyTorch'; then
	finish
	exit
fi
tfrecord-cat -q --json -o rec.json dev.rec
step() { # EPSILON OPTION...
	epsilon=$1
	shift
	bert-train -q --force -m plain -o step --optimizer sgd --momentum 0 --learning-rate 1 \
		--weight-decay 0 --clip 0 --dropout 0 --schedule constant --warmup 0 --steps 1 \
		--dtype f32 --fgm "$epsilon" "$@" dev.rec
	works "loss and gradients are PyTorch's: $epsilon $*" "$PEER_PYTHON" \
		"$TEST_TOP/tests/fixtures/fgm-peer.py" plain step rec.json "$epsilon"
	sed 's/^/# /' out
}
step .3 --batch-size 32
step 2 --batch-size 32 --shards 3
step .3 --batch-size 8 --accumulate 4
finish
