#!/bin/sh
# SPDX-License-Identifier: MIT
# Gaps between a checkpoint and the model: errors, unless they are allowed.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=$DATA/two-layers.json
small_data
works 'a model' small_train m -q --steps 1
mkdir less more
cp m/*.json m/vocab.txt less
query=bert.encoder.layer.1.attention.self.query
ckpt-convert -q --drop "^$query" m less/model.safetensors

# --- missing
refuses "*has no tensor '$query.weight'*" 'a tensor is missing' bert-train -m less -o x --steps 1 train.rec
[ ! -e x ]
result $? 'nothing is written'
refuses "*has no tensor '$query.bias'*" 'half of it allowed' bert-train -m less -o x --steps 1 \
	--allow-missing 'query\.weight$' train.rec
works 'all of it allowed' bert-train -m less -o x --steps 1 \
	--allow-missing 'query\.weight$' --allow-missing 'query\.bias$' train.rec
like "$(cat err)" "*newly initialized: $query.weight, $query.bias*" 'is fresh'
exits 0 'and random, not zero' ckpt-inspect --stats --grep "^$query.weight" x
[ "$(ckpt-inspect --dump "$query.weight" x | tr ' ' '\n' | sort -u | wc -l)" -gt 1000 ]
result $? 'each number of its own'

# --- unused
cp m/*.json m/vocab.txt m/model.safetensors more
sed 's/"num_hidden_layers": 2/"num_hidden_layers": 1/' m/config.json >more/config.json
for tool in 'bert-train -o y --steps 1 -m' 'bert-predict -m'; do
	# shellcheck disable=SC2086
	refuses "*holds the tensor 'bert.encoder.layer.1.*, for which the configuration has no layer*" "a layer too many for ${tool%% *}" \
		$tool more train.rec
done
exits 1 'and for ONNX' ckpt-convert more more.onnx
works 'allowed' bert-train -m more -o y --steps 1 --allow-unused 'layer\.1\.' train.rec
like "$(cat err)" '*loaded*unused: bert.encoder.layer.1.*' 'the message says so'
works 'left out' ckpt-convert -q --drop 'layer\.1\.' more left/
works 'loads' bert-predict -q -m left train.rec
# what is of no layer is no gap
ckpt-convert -q --rename 's/^bert.pooler/cls.predictions/' --rename 's/^classifier/cls.other/' \
	--drop 'layer\.1\.' more more/other.safetensors
mv more/other.safetensors more/model.safetensors
works 'heads of other tasks' bert-train -m more -o z --steps 1 train.rec
like "$(cat err)" '*unused: cls.other.bias, *' 'messages say so'

# --- misuse
misuses "*bad pattern '('*" 'a bad pattern' bert-train -m m -o w --steps 1 --allow-unused '(' no.rec
exits 2 'no checkpoint' bert-train --init-config tiny --allow-missing x -o w train.rec
finish
