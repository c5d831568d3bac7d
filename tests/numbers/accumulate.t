#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --accumulate: k batches of an update are one batch of k times the
# size, without dropout, within the rounding of sums taken in another order. With
# plain gradient descent and no clipping, weights move as gradients say: a
# gradient that is k times too large, or a mean of means where batches differ in
# size, would show.
# Not under thread: the threads are those of cli/bert-train/early-stopping
# Not under address: compares numbers; cli/bert-train/early-stopping runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/weights.sh"
small_data

# train OUT OPTION...: 179 examples, so the last update of an epoch is of 3
train() {
	o=$1
	shift
	small_train "$o" -q --dropout 0 --dtype f32 --optimizer sgd --clip 0 \
		--learning-rate .02 --epochs 2 "$@"
}

for more in '' '--class-weight balanced' '--label-smoothing .1' \
	'--class-weight parking=9 --label-smoothing .2'; do
	name=${more:-as it is}
	# shellcheck disable=SC2086
	{
		for k in 2 4 16; do
			train one --batch-size 16 $more
			train many --batch-size $((16 / k)) --accumulate $k $more
			within one many 1e-6 "$name: $k batches are one"
		done
		train many --batch-size 5 --accumulate 4 $more
		train one --batch-size 20 $more
		within one many 1e-6 "$name: 4 batches of 5 are one"
	}
done
# weights of the records themselves, some of them none
cp train.rec plain.rec
awk -F, -v OFS=, 'NR == 1 { print $0, "w"; next } { print $0, NR * 7 % 5 / 2 }' \
	train.csv >weighted.csv
csv2tfrecord -q -i id -t text -l intent --weight w -o w.rec weighted.csv
bert-tokenize -q -m vocab.txt --max-length 48 -o train.rec w.rec
train one --batch-size 16
train many --batch-size 4 --accumulate 4
within one many 1e-6 'weights of records: 4 batches are one'
mv train.rec weighted.rec
cp plain.rec train.rec
train one --batch-size 16
mv weighted.rec train.rec
train many --batch-size 16
beyond one many 1e-4 '... and are looked at'
mv plain.rec train.rec

train one --batch-size 179
train many --batch-size 7 --accumulate 100
within one many 1e-6 'an update of all examples'

# What the limit tells apart.
train one --batch-size 16
train many --batch-size 15
beyond one many 1e-4 'other batches are far from that'
train one --batch-size 16
train many --batch-size 16 --learning-rate .0202
beyond one many 1e-5 'and so are gradients of 1 % more'

# The loss that is printed is that of the examples, however they are put together.
loss() { sed 's/.*"loss":\([0-9.]*\).*/\1/' "$1/history.jsonl" | tail -n 1; }
train one --batch-size 16
train many --batch-size 4 --accumulate 4
awk -v a="$(loss one)" -v b="$(loss many)" \
	'BEGIN { d = a - b; exit !(a > 0 && d < 1e-5 && d > -1e-5) }'
result $? 'the same loss is printed'
finish
