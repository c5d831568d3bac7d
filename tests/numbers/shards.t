#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --shards: the gradients of the parts of a batch, added up, are those of the
# batch, with dropout, which is numbered through the update, within the rounding of sums
# taken in another order. Plain gradient descent, as in accumulate.t.
# Not under thread: compares numbers, with the threads of cli/bert-train/fgm and those of each task
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/squad.sh"
. "$TEST_TOP/tests/lib/tasks.sh"
. "$TEST_TOP/tests/lib/weights.sh"

sed 's/"num_hidden_layers": 1/"num_hidden_layers": 2/' "$DATA/one-layer.json" >two.json
train() { # OUT [OPTION ...]
	o=$1
	shift
	bert-train -q --force --init-config ./two.json --tokenizer vocab.txt --task $task --dtype f32 \
		--optimizer sgd --clip 0 --learning-rate .02 --epochs 2 --log-steps 1 -o "$o" "$@" train.rec
}

numbers='2 5 32'
[ -z "${TEST_KIND-}" ] || numbers=5 # the plain build compares
for task in $tasks; do
	task_records $task train.rec
	# dropout of rows that are selected is numbered within what they are selected from
	case $task in
	tagging) drop='--dropout 0' ;;
	*) drop='--dropout .2' ;;
	esac
	# shellcheck disable=SC2086 # options
	{
		train one --batch-size 16 $drop
		for k in $numbers; do
			train many --batch-size 16 $drop --shards $k
			within one many 2e-6 "$task: $k shards"
		done
		steps many >many.steps
		steps one | paste -d ' ' - many.steps | awk 'function far(a, b) { return (a > b ? a - b : b - a) > 1e-5 * (a + .1) }
			NF != 4 || far($1, $3) || far($2, $4) { bad = 1; print } END { exit bad || NR < 4 }' >why
		result $? '... losses and norms of all updates'
		train many --batch-size 8 --accumulate 2 --shards 3 $drop -j 3 --checkpoint-activations
		within one many 2e-6 "$task: shards of two batches that are accumulated"
		train one --batch-size 8 --accumulate 2 --shards 3 $drop -j 1
		is "$(far one many)" 0 '... neither threads nor recomputing matter'
	}
done

# What the limit tells apart.
task=classification
task_records $task train.rec
train one --batch-size 16 --shards 1
train many --batch-size 15
beyond one many 1e-4 'other batches are far from that'
train many --batch-size 16 --dropout 0
beyond one many 1e-4 'so is another dropout'
train many --batch-size 16
is "$(far one many)" 0 'one shard is a whole batch'
train many --batch-size 16 --shards 2
[ "$(far one many)" != 0 ]
result $? 'two shards are added up in another order'

# A batch by tokens, and other optimizers.
for more in '--batch-tokens 300' '--optimizer lamb' '--clip .1'; do
	# shellcheck disable=SC2086 # options
	{
		train one $more
		train many $more --shards 4
	}
	within one many 1e-5 "4 shards, $more"
done
finish
