#!/bin/sh
# SPDX-License-Identifier: MIT
# No output takes the place of an input, whatever kind of input it is, or of
# another output of the same run.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q --steps 2
mkdir v
cp vocab.txt v

# stays FILE NAME COMMAND...: it is refused, and the file is as it was
stays() {
	file=$1 name=$2
	shift 2
	cp "$file" before
	misuses "*'*' is both input and output*" "$name" "$@"
	same "$file" before '... and the file is as it was'
}
stays m/model.safetensors 'an inspected checkpoint' ckpt-inspect -o m/model.safetensors m
stays m/model.safetensors 'a converted one' ckpt-convert --dtype bf16 m m/model.safetensors
cp m/model.safetensors whole.safetensors
ckpt-convert -q --dtype bf16 m half.safetensors
works 'but when told to' ckpt-convert --force --dtype bf16 m m/model.safetensors
same m/model.safetensors half.safetensors 'it is what another name would get'
cp whole.safetensors m/model.safetensors
ln -s whole.safetensors link.safetensors
works 'under two names' ckpt-convert --force --dtype f16 whole.safetensors link.safetensors
like "$(ckpt-inspect whole.safetensors | sed -n 2p)" '* F16 *' '... it is the file that is replaced'
mkdir parts
ckpt-convert -q --shard-size 20K whole.safetensors parts
misuses "*'parts' has [1-9]* files: only a checkpoint of one file can be replaced*" 'several files' \
	ckpt-convert --force parts "$(ls parts/*-00001-of*)"
misuses '*--force goes with formats of one file*' 'a format of several' \
	ckpt-convert --force m/model.safetensors m/model.ckpt
stays train.rec 'statistics' tfrecord-cat --stats train.rec -o train.rec
stays train.rec 'records, by another path' tfrecord-cat ./train.rec -o ../$(basename "$PWD")/train.rec
ln -s m/config.json link
stays m/config.json 'a configuration, by a symbolic link' bert-predict -qm m dev.rec -o link
[ -L link ]
result $? '... which stays'
stays m/vocab.txt 'a vocabulary beside the model, by a summary' bert-predict -qm m dev.rec --summary m/vocab.txt -o p.csv
for f in config.json vocab.txt; do
	stays m/$f "a model's $f, that a conversion does not read" ckpt-convert --to npz m m/$f
done
stays v/vocab.txt 'a vocabulary' bert-tokenize -qm v/vocab.txt --lines train.csv -o v/vocab.txt
stays v/vocab.txt 'the text of a vocabulary' bert-vocab -q --lines v/vocab.txt --size 100 -o v
bert-predict -qm m --format tensor dev.rec -o p.ts
stays p.ts 'a stream of tensors' tensor-cat --csv p.ts -o p.ts

# two outputs
misuses "*'./both' is the same file as another output*" 'two reports' \
	bert-eval -q -m m --html both --label-issues ./both dev.rec
[ ! -e both ]
result $? '... and there is none'
works 'two to a device' bert-eval -q -m m --html /dev/null --label-issues /dev/./null dev.rec
ln -s b.tfrecord a.tfrecord
misuses "*'b.tfrecord' is the same file as another output*" 'parts that are one file' \
	tfrecord-cat --split a=.5,b=.5 train.rec
[ ! -e b.tfrecord ]
result $? '... and there is none'
misuses "*'./out.rec' is the same file as another output*" 'rejected rows in the output' \
	csv2tfrecord -q -t text -l intent -o out.rec --rejects ./out.rec train.csv
[ ! -e out.rec ]
result $? '... and there is none'

# What a run itself wrote, it replaces.
small_train r -q --epochs 2 --save-steps 2 --keep 1
rm r/model.safetensors
mv r/checkpoint-*.safetensors r/checkpoint.safetensors 2>/dev/null
works 'a resumed run replaces its checkpoint' small_train r -q --epochs 2 --save-steps 2 --keep 1
works 'a run after another' small_train r -q --epochs 2 --no-resume
finish
