#!/bin/sh
# SPDX-License-Identifier: MIT
# Models trained with bf16 products are as accurate as those with f32: the mean
# of three seeds, on the small data. A run of its own says little: one of the 32
# texts of dev.rec is 3 points.
# Not under thread: the threads are those of cli/bert-train/train
# Not under address: compares accuracies; cli/bert-train/train runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data

if small_train auto -v --steps 1 2>err && ! grep -q 'products bf16' err; then
	skip 'bf16 and f32 compared' 'this machine has no fast bf16 products'
	finish
fi
# mean DTYPE: of the accuracies, in hundredths of points
mean() {
	for seed in 1 2 3; do
		small_train "$1$seed" -q --epochs 10 --learning-rate 3e-3 --dtype "$1" --seed $seed || return
		bert-eval -q -m "$1$seed" --dtype f32 --json dev.rec || return
	done >reports
	grep -o '"accuracy": *[0-9.]*' reports | awk '{ s += $NF; n++ }
		END { if (n != 3) exit 1; printf "%.0f\n", s / n * 1e4 }'
}

works 'trains in f32' mean f32
f32=$(cat out)
works 'trains in bf16' mean bf16
bf16=$(cat out)
echo "# accuracies in hundredths of points: f32 $f32, bf16 $bf16"
[ "$f32" -gt 9000 ] 2>why
result $? 'f32 has learnt'
[ $((f32 - bf16)) -le 500 ] && [ $((bf16 - f32)) -le 500 ]
result $? 'the accuracies are within 5 points of each other'
finish
