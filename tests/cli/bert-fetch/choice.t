#!/bin/sh
# SPDX-License-Identifier: MIT
# Which files of a model bert-fetch takes.
# Not under thread: no threads but that of a library which looks up names
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/hub.sh"

hub_or_end
# model NAME FILE ...: files with any content
model() {
	name=$1
	shift
	for f; do
		f=hub/www/$name/resolve/$COMMIT/$f
		mkdir -p "$(dirname "$f")"
		[ -s "$f" ] || echo "of $f" >"$f"
	done
	hub_listing "$name" main
}
# takes FILES NAME
takes() {
	bert-fetch -q --list "$2" >out 2>err
	is "$(cut -f 2 out | sort | tr '\n' ' ')" "$1 " "$2"
}

model plain config.json vocab.txt pytorch_model.bin tf_model.h5 flax_model.msgpack rust_model.ot
takes 'config.json pytorch_model.bin vocab.txt' plain
model keras config.json vocab.txt tf_model.h5
takes 'config.json tf_model.h5 vocab.txt' keras
model google bert_config.json vocab.txt bert_model.ckpt.index \
	bert_model.ckpt.data-00000-of-00001 bert_model.ckpt.meta
takes 'bert_config.json bert_model.ckpt.data-00000-of-00001 bert_model.ckpt.index bert_model.ckpt.meta vocab.txt' google

shards=hub/www/shards/resolve/$COMMIT
mkdir -p "$shards"
echo '{"metadata":{},"weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors","c":"model-1.safetensors"}}' \
	>"$shards/model.safetensors.index.json"
model shards config.json model-1.safetensors model-2.safetensors model-3.safetensors \
	pytorch_model.bin
takes 'config.json model-1.safetensors model-2.safetensors model.safetensors.index.json' shards
works 'shards come' bert-fetch -q -o sharded shards
is "$(ls sharded | tr '\n' ' ')" \
	'config.json model-1.safetensors model-2.safetensors model.safetensors.index.json ' 'all of them'
parts=hub/www/parts/resolve/$COMMIT
mkdir -p "$parts"
echo '{"weight_map":{"/a/vars":"model_00000.weights.h5","/b/vars":["model_00000.weights.h5","model_00001.weights.h5"]}}' \
	>"$parts/model.weights.json"
model parts config.json model_00000.weights.h5 model_00001.weights.h5 model_00002.weights.h5 task.json task.weights.h5
takes 'config.json model.weights.json model_00000.weights.h5 model_00001.weights.h5 task.json task.weights.h5' parts
rm "$shards/model-2.safetensors"
hub_listing shards main
refuses "*'model.safetensors.index.json' says that 'b' is in 'model-2.safetensors', which the hub does not have" \
	'a shard is missing' bert-fetch shards

old=hub/www/st/old/resolve/$COMMIT
mkdir -p "$old"
echo '[{"path":"0_Transformer"},{"path":"1_Pooling"},{"path":"2_Dense"},{"path":"3_Normalize"}]' \
	>"$old/modules.json"
model st/old 0_Transformer/config.json 0_Transformer/vocab.txt 0_Transformer/pytorch_model.bin \
	1_Pooling/config.json 2_Dense/config.json 2_Dense/pytorch_model.bin \
	2_Dense/model.safetensors 9_Other/config.json
takes '0_Transformer/config.json 0_Transformer/pytorch_model.bin 0_Transformer/vocab.txt 1_Pooling/config.json 2_Dense/config.json 2_Dense/model.safetensors modules.json' st/old

# files of the same content are one in the cache, and two in a directory
twin=hub/www/twins/resolve/$COMMIT
mkdir -p "$twin"
echo same >"$twin/vocab.txt"
echo same >"$twin/merges.txt"
model twins config.json model.safetensors
works 'files of equal content' bert-fetch -q twins
same "$(cat out)/merges.txt" "$twin/vocab.txt" 'are all there'
is "$(ls hf/hub/models--twins/blobs | wc -l)" 3 'once'
works 'in a directory' bert-fetch -q -o twins twins
same twins/merges.txt "$twin/vocab.txt" 'twice'

model words vocab.txt config.json
works 'no weights' bert-fetch words
like "$(cat err)" "*warning: 'words' has no weights in a format that is read here*" 'a warning'
model data train.csv README.md
refuses "*'data': no file of it is one that a model here has" 'no model' bert-fetch data
finish
