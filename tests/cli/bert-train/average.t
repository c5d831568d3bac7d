#!/bin/sh
# SPDX-License-Identifier: MIT
# The mean of the weights, in the place of the weights.
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train start -q

train() { # DIR [OPTION ...]
	dir=$1
	shift
	bert-train --force -q -m start --batch-size 16 --steps 12 --learning-rate .003 -o "$dir" "$@" train.rec
}
value() { # DIR: an element of a weight
	ckpt-inspect --dump classifier.bias "$1/model.safetensors" | tr -s ' ,[]' '\n' | grep -m 1 '[0-9]'
}

# The weights after each update, from runs that keep checkpoints.
works 'each update is kept' train each --save-steps 1 --keep 20
for f in each/checkpoint-[1-9].safetensors each/checkpoint-10.safetensors each/checkpoint.safetensors; do
	ckpt-inspect --dump param.classifier.bias "$f" | tr -s ' ,[]' '\n' | grep -m 1 '[0-9]'
done >steps
value each >>steps
is "$(wc -l <steps)" 12 'twelve of them'
# close DIR PROGRAM: the model's value against awk's from start and steps
close() {
	{
		value start
		cat steps
	} | awk "$2 END { printf \"%.7g\\n\", a }" >want
	value "$1" >got
	paste want got | awk '{ d = $1 - $2; print; exit !(d * d < 1e-13) }' >why
	result $? "$3"
}
works 'a mean' train mean --average 4 --keep 1 --save-steps 5
close mean 'NR > 9 { a += $1 / 4 }' 'of the last four'
works 'of a share' train share --average .25
close share 'NR > 10 { a += $1 / 3 }' 'of the last three'
works 'of all' train all --average 12
close all 'NR > 1 { a += $1 / 12 }' 'of all'

# It is what is evaluated, and what chooses the best model.
train measured --eval dev.rec --average .5 --eval-steps 12 2>err
bert-eval -q -m measured dev.rec >out
is "$(sed -n 's/^accuracy.*loss \([0-9.]*\) .*/\1/p' out)" \
	"$(sed -n 's/.*"eval_loss": *\([0-9.]*\).*/\1/p' measured/history.jsonl |
		awk '{ printf "%.4f", $1 }')" 'the loss of the model that was written'

# Neither a stop nor evaluation on the way changes a bit; nor threads.
train often --average 4 --keep 1 --save-steps 5 --eval dev.rec --eval-steps 3 --metric loss -j 1
ckpt-inspect --diff mean/checkpoint.safetensors often/checkpoint.safetensors >why 2>&1
result $? 'evaluation changes nothing'
train whole --average 5
train part --average 5 --save-steps 9 --keep 2
train rest --average 5 --resume-from part/checkpoint.safetensors
same whole/model.safetensors rest/model.safetensors 'it resumes to the same bits'
ckpt-inspect mean/checkpoint.safetensors | grep -c ' *average\.bert' >why
result $? 'checkpoints have it'
refuses '*averaged updates was 4*, is 5*' 'another number of updates is another run' \
	train x --average 5 --resume-from mean/checkpoint.safetensors
works 'with frozen layers' train frozen --average 4 --freeze 1 --keep 1 --save-steps 5
ckpt-inspect --diff --grep 'embeddings|layer\.0' start/model.safetensors frozen/model.safetensors >why 2>&1
result $? 'which stay'
ckpt-inspect frozen/checkpoint.safetensors | grep 'average.*layer\.0' >why
is $? 1 'and have no average'
works 'memory' bert-train --force -m start --average 4 --dry-run train.rec
awk '/^average of weights/ { a = $(NF - 1) } /^gradients/ { g = $(NF - 1) } END { exit !(a > 0 && a == g) }' out
result $? 'is reported'

misuses '*--few-shot does not go with*--average*' 'few examples' train x --few-shot --average 4
finish
