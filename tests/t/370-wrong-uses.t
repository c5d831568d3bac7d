#!/bin/sh
# SPDX-License-Identifier: MIT
# What people do wrong without any file being damaged: they are told.
. "$TEST_TOP/tests/lib.sh"
cp "$TEST_TOP"/pipelines/data/* .
csv2tfrecord -q -i id -t text -l intent library-train.csv >train.text
csv2tfrecord -q -i id -t text -l intent library-dev.csv >dev.text
for s in train dev; do
	bert-tokenize -q -m vocab.txt -o $s.rec $s.text
done

# train OPTION...: a tiny model
train() {
	bert-train --init-config tiny --tokenizer vocab.txt --steps 3 "$@"
}

# kept NAME COMMAND...: status 2, a message, and dev.rec as it was
kept() {
	name=$1
	shift
	exits 2 "$name" "$@"
	like "$(cat err)" "*is both input and output*" "$name: told"
}

# An input is not overwritten.
cp library-dev.csv one.csv
cp dev.text one.text
cp dev.rec one.rec
train -q -o m dev.rec
kept 'a table' csv2tfrecord -l intent -o one.csv one.csv
kept 'rejects' csv2tfrecord -l intent --rejects one.csv -o x one.csv
kept 'text records' bert-tokenize -m vocab.txt -o ./one.text one.text
kept 'records evaluated' bert-eval -m m -o one.rec one.rec
kept 'records predicted' bert-predict -m m -o one.rec dev.rec one.rec
same one.csv library-dev.csv 'the table stands'
same one.text dev.text 'text records stand'
same one.rec dev.rec 'token records stand'

# A model is not joined with what another one left in the directory.
bert-vocab -q --size 1389 -o other train.text
cp -r m stale
rm stale/vocab.txt
cp other/vocab.txt stale
works "the same tokenizer's file from before" train -q -o stale dev.rec
bert-tokenize -q -m m --save m
works 'another form of the same tokenizer' train -q -o m dev.rec
bert-tokenize -q -m other --save stale
refuses "*'stale' holds the file 'tokenizer.json' of another tokenizer*" \
	"another tokenizer's file" train -q -o stale dev.rec
cp -r m full
cp m/config.json before
(
	ulimit -f 100
	exec bert-train -q --init-config tiny --tokenizer vocab.txt --dropout .5 \
		--steps 3 -o full dev.rec
) >/dev/null 2>err
like "$(cat err)" "*cannot write 'full/model.safetensors'*" 'no room for the weights'
same full/config.json before 'then the configuration of the old ones stays'

# Measures.
exits 2 'a measure in percent' bert-eval -m m --min accuracy=90 dev.rec
like "$(cat err)" '*accuracy is never more than 1*' 'told'
works 'a loss above 1' bert-eval -m m --min loss=90 dev.rec
exits 2 'a measure of nothing' bert-train -m m -o x --metric loss train.rec
like "$(cat err)" '*--metric needs records to evaluate on*' 'told'
finish
