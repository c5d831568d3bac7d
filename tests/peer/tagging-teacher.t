#!/bin/sh
# SPDX-License-Identifier: MIT
# The loss of a teacher's tags, and its gradients, are PyTorch's.
# Not under thread: compares numbers, with the threads of cli/bert-train/tagging-teacher
# Not under address: compares numbers; cli/bert-train/tagging-teacher runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
peer_or_end 'a teacher by PyTorch'
vocab=$TEST_TOP/pipelines/data/vocab.txt
for i in 1 2 3 4; do
	printf '%s\n' 'i O' 'cardbook B-X' 'openxyz I-X' 'the O' 'booklibrary B-Y' 'opens O' '' 'my O' 'room1987 B-Z' 'cards B-X' ''
done >train.txt
conll2tfrecord -q train.txt >text.rec
bert-tokenize -q -m "$vocab" -o first.rec text.rec
bert-tokenize -q -m "$vocab" --label-all -o all.rec text.rec
bert-tokenize -q -m "$vocab" --max-length 10 -o windows.rec text.rec
train() { # OUT SEED
	bert-train -q --init-config tiny --tokenizer "$vocab" --task tagging --learning-rate 1e-3 --batch-size 4 \
		--seed "$2" --epochs 6 -o "$1" first.rec
}
train teacher 1
train student 2
bert-predict -q --dtype f32 -m teacher --format tensor -o teacher.ts first.rec
zstd -q -d -c teacher.ts >teacher.safetensors
agrees() { # RECORDS T A
	bert-train -q -m student -o step --force --optimizer sgd --momentum 0 --learning-rate 1 --schedule constant \
		--warmup 0 --clip 0 --dropout 0 --dtype f32 --steps 1 --batch-size 100 \
		--teacher teacher.ts --teacher-temperature "$2" --teacher-weight "$3" $1.rec
	tfrecord-cat -q --json $1.rec >records.json
	"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/tagging-teacher.py" student records.json teacher.safetensors step "$2" "$3" \
		>compared 2>err || result 1 "$1: $(tail -n 1 err)"
	outcomes compared "$*: "
	like "$(printf '%.5f' "$(sed -n 's/.*"loss":\([^,]*\).*/\1/p' step/history.jsonl)")" \
		"$(sed -n 's/^loss //p' compared)" "$*: the loss"
}
agrees first 2 .5
agrees first 1 1
agrees all 3 .7
agrees windows 2 .25
finish
