#!/bin/sh
# SPDX-License-Identifier: MIT
# Models that answer questions are those of transformers, in each family: its loss, the
# losses of some steps of training, the scores of answers, the files of both, and as ONNX.
# Not under thread: compares numbers, with the threads of cli/bert-train/qa
# Not under address: compares numbers with those of PyTorch; cli/bert-train/qa runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"
peer=$TEST_TOP/tests/fixtures/answers.py
peer_or_end 'answers by transformers'
# shellcheck disable=SC2086
works 'transformers write a model of each family' \
	"$PEER_PYTHON" "$peer" make "$TEST_TOP/pipelines/data/vocab.txt" 4 $answering
for data in records answered; do
	tfrecord-cat -q --from-json -o $data.rec $data.json
done
for f in $answering; do
	works "$f is evaluated" bert-eval -q --json -m $f --dtype f32 records.rec
	mv out $f.eval.json
	works '... trained' bert-train -q -m $f --dtype f32 --steps 4 --batch-size 500 --dropout 0 \
		--learning-rate 1e-3 --warmup 2 --log-steps 1 -o $f.trained records.rec
	works '... and exported' ckpt-convert -q $f.trained $f.onnx
	for data in records answered; do
		bert-train -q -m $f.trained --dtype f32 --steps 1 --batch-size 500 --learning-rate 0 \
			--eval $data.rec -o $f.$data $data.rec
	done
done
# shellcheck disable=SC2086
"$PEER_PYTHON" "$peer" check $answering >compared 2>why
is "$(grep -c 'ok ' compared)" 60 'all are compared'
outcomes compared
finish
