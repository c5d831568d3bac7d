#!/bin/sh
# SPDX-License-Identifier: MIT
# Rates of layers and of the head, and layers that start at random.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=$DATA/two-layers.json
small_data
small_train start -q

# changed DIR: tensors that are not those of the start, in a line
changed() {
	ckpt-inspect --diff start/model.safetensors "$1/model.safetensors" |
		sed -n 's/^.*\(bert\.[a-zA-Z0-9_.]*\|classifier\.[a-z]*\).*/\1/p' | sort -u | tr '\n' ' '
}
train() { # DIR [OPTION ...]
	dir=$1
	shift
	bert-train --force -q -m start --epochs 1 --batch-size 16 -o "$dir" "$@" train.rec
}

works 'a head of rate 0' train still --head-learning-rate 0
for name in classifier.weight classifier.bias; do
	ckpt-inspect --diff --grep "$name" start/model.safetensors still/model.safetensors >why 2>&1
	result $? "does not move $name"
done
ckpt-inspect --diff --grep 'layer.1' start/model.safetensors still/model.safetensors >/dev/null
is $? 1 'but the layers move'

works 'decay by layers' train decayed --layer-decay .01 --optimizer sgd --momentum 0 --weight-decay 0 --learning-rate .1
works 'none' train plain --optimizer sgd --momentum 0 --weight-decay 0 --learning-rate .1
# how far a tensor moved
moved() { # DIR TENSOR
	for d in start "$1"; do
		ckpt-inspect --dump "$2" "$d/model.safetensors" | tr -s ' ,[]' '\n' | grep '[0-9]' >"$d.txt"
	done
	paste start.txt "$1.txt" | awk '{ d = $1 - $2; s += d * d } END { printf "%.3g\n", sqrt(s) }'
}
for t in 0 1; do
	name=bert.encoder.layer.$t.output.dense.weight
	echo "$(moved decayed $name) $(moved plain $name)"
done >moves
awk '{ want = NR == 1 ? 1e-4 : 1e-2; r = $1 / $2 / want; if (!(r > .5 && r < 2)) print }' moves >why
[ ! -s why ]
result $? 'a layer moves .01 as far as the one above'

works 'the top layer at random' bert-train --force -m start --reinit 1 --steps 1 --learning-rate 0 -o fresh train.rec
like "$(cat err)" '*newly initialized: bert.encoder.layer.1.*bert.pooler.dense.weight*' 'is reported'
ckpt-inspect --diff --grep 'embeddings|layer.0' start/model.safetensors fresh/model.safetensors >why 2>&1
result $? 'what is below is kept'
ckpt-inspect --diff --grep 'layer.1.output.dense.weight' start/model.safetensors fresh/model.safetensors >/dev/null
is $? 1 'what is not is new'
train fresh2 --reinit 1 --steps 1 --learning-rate 0 -j 1
same fresh2/model.safetensors fresh/model.safetensors 'by the seed'

misuses '*the model has 2 layers with parameters of their own, so 3 of them cannot start afresh' 'more layers than there are' \
	train x --reinit 3
misuses '*--reinit need -m DIR*' 'where all is random' small_train x --reinit 1
misuses '*--head-learning-rate needs a --learning-rate above 0*' 'a head alone' \
	train x --head-learning-rate 1e-3 --learning-rate 0
misuses '*a learning rate of the head, and the model trains none*' 'a frozen head' \
	train x --head-learning-rate 1e-3 --freeze classifier,pooler
exits 1 'what is refused writes no model' test -e x/model.safetensors

# A run with other rates is not gone on with.
train part --layer-decay .9 --steps 4 --save-steps 3 --keep 1
refuses '*decay by layers*' 'another decay' bert-train -q -m start --layer-decay .8 --batch-size 16 \
	--steps 4 --resume-from part/checkpoint.safetensors -o part2 train.rec
finish
