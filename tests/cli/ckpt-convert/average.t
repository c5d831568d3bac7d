#!/bin/sh
# SPDX-License-Identifier: MIT
# The mean of several checkpoints of one model.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=$DATA/two-layers.json
small_data
for s in 1 2 3; do
	small_train m$s -q --steps 3 --seed $s
done

works 'the mean of three' ckpt-convert --average m1 m2 m3 mean/
like "$(cat err)" '*tensors*mean/model.safetensors*' 'is reported'
numbers() { # FILE TENSOR
	ckpt-inspect --dump "$2" "$1" | tr -s ' ,[]' '\n' | grep '[0-9]'
}
for t in classifier.bias bert.encoder.layer.1.output.dense.weight; do
	for d in m1 m2 m3 mean; do
		numbers $d/model.safetensors $t >$d.txt
	done
	paste m1.txt m2.txt m3.txt mean.txt | awk '{ d = ($1 + $2 + $3) / 3 - $4
		if (!(d * d < 1e-15)) print; n++ } END { if (!n) print "none" }' >why
	[ ! -s why ]
	result $? "of $t"
done
works 'a model to use' bert-predict -q -m mean dev.rec
works 'of one three times' ckpt-convert -q --average m1 m1 m1 same.safetensors
ckpt-inspect --diff m1/model.safetensors same.safetensors >why 2>&1
result $? 'is that one'
works 'in another form and type' ckpt-convert -q --average --to tf1 --dtype f32 m1 m2 m3 mean.ckpt
works 'and back' ckpt-convert -q mean.ckpt back.safetensors
ckpt-inspect --diff mean/model.safetensors back.safetensors >why 2>&1
result $? 'is the same'
works 'without some' ckpt-convert -q --average --drop classifier --dtype bf16 m1 m2 less.safetensors
ckpt-inspect less.safetensors | grep classifier >why
is $? 1 'which are dropped'

ckpt-convert -q --drop pooler m2 few.safetensors
refuses '*m1* has * tensors and *few.safetensors* *: they are not of one model' 'fewer tensors' \
	ckpt-convert --average m1 few.safetensors x.safetensors
ckpt-convert -q --rename classifier.bias=head.bias m2 other.safetensors
refuses "*other.safetensors' has no tensor 'classifier.bias'*" 'other names' \
	ckpt-convert --average m1 other.safetensors x.safetensors
small_train five -q --steps 1 --labels a,b,c,get_card,parking,pay_fine,wifi_access
refuses "*tensor 'classifier.*' has another shape or type*" 'other labels' \
	ckpt-convert --average m1 five x.safetensors
[ -e x.safetensors ]
is $? 1 'nothing is written'
cp m2/config.json kept
for from in m1 m1/model.safetensors; do
	misuses "*m1/config.json' is both input and output*" "$from onto its configuration" \
		ckpt-convert --to npz $from m1/config.json
	misuses "*m1/config.json' is both input and output*" 'or a report' ckpt-inspect -o m1/config.json $from
done
misuses "*m2/config.json' is both input and output*" 'onto another of the models' \
	ckpt-convert --average --to npz m1 m2 m2/config.json
same kept m2/config.json 'which stays'
misuses "*m2/model.safetensors' is both input and output*" 'an input as output' ckpt-convert --average m1 m2 m2/model.safetensors
misuses '*--average expects two FROM at least, and TO*' 'too few' ckpt-convert --average m1 x.safetensors
misuses '*expected FROM and TO; several FROM need --average*' 'several without the option' ckpt-convert m1 m2 x.safetensors
misuses '*--average does not go with ONNX*' 'ONNX' ckpt-convert --average m1 m2 x.onnx
finish
