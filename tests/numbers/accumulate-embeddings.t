#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --accumulate with losses that compare texts: k batches of an update are one
# batch of k times the size, with dropout, too, which is numbered through the update.
# Plain gradient descent, as in accumulate.t: a wrong gradient would show.
# Not under thread: compares numbers, with the threads of cli/bert-train/embedding
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/families.sh"
. "$TEST_TOP/tests/lib/weights.sh"
small_data
awk -F, -v OFS=, 'BEGIN { print "a", "b", "c", "score" }
	/^L[0-9]+,[^",]*,[a-z_]+$/ {
		if (++n % 2) { one = $2; next }
		print one, $2, n == 2 ? "no" : last, n % 7; last = one
	}' train.csv | head -n 42 >pairs.csv
pairs() { # OUT CSV-OPTIONS [TOKENIZE-OPTIONS]
	# shellcheck disable=SC2086 # options
	csv2tfrecord -q -i row -t a --pair b $2 pairs.csv | bert-tokenize -q -m vocab.txt --apart ${3-} -o "$1"
}
pairs ranking.rec ''
pairs triplets.rec '--keep c' '--negative c'
pairs cosent.rec '-l score'
family_config deberta-v2 >deberta.json
train() { # OUT RECORDS [OPTION ...]
	o=$1 records=$2
	shift 2
	bert-train -q --force --init-config "$config" --tokenizer vocab.txt --task embedding --dropout .2 \
		--dtype f32 --optimizer sgd --clip 0 --learning-rate .02 --epochs 2 --log-steps 1 -o "$o" "$@" "$records"
}

config=tiny
for kind in ranking triplets cosent; do
	train one $kind.rec --batch-size 16
	train many $kind.rec --batch-size 4 --accumulate 4
	within one many 1e-6 "$kind: 4 batches are one"
	steps many >many.steps
	steps one | paste -d ' ' - many.steps | awk 'function far(a, b) { return (a > b ? a - b : b - a) > 1e-5 * (a + .1) }
		NF != 4 || far($1, $3) || far($2, $4) { bad = 1; print } END { exit bad || NR != 6 }' >why
	result $? "... losses and norms of all six updates"
	train many $kind.rec --batch-size 1 --accumulate 41
	train one $kind.rec --batch-size 41
	within one many 1e-6 "$kind: an update of all pairs, one by one"
	train many $kind.rec --batch-size 8 --accumulate 2 --checkpoint-activations -j 3
	train one $kind.rec --batch-size 8 --accumulate 2 -j 1
	is "$(far one many)" 0 "$kind: neither threads nor recomputing matter"
done
config=deberta.json
train one ranking.rec --batch-size 16
train many ranking.rec --batch-size 4 --accumulate 4
within one many 1e-5 'relative positions: 4 batches are one'
config=tiny

# What the limits tell apart.
train one ranking.rec --batch-size 16
train many ranking.rec --batch-size 4
beyond one many 1e-3 'smaller batches are far from that'
train many ranking.rec --batch-size 16 --dropout 0
beyond one many 1e-3 'so is another dropout'

# A difference of cosine and score is that of one pair.
sed 's/,[0-6]$/,.5/' pairs.csv >half.csv
csv2tfrecord -q -i row -t a --pair b -l score half.csv | bert-tokenize -q -m vocab.txt --apart -o half.rec
train one half.rec --embedding-loss cosine --batch-size 16
train many half.rec --embedding-loss cosine --batch-size 4 --accumulate 4
within one many 1e-6 'cosine: 4 batches are one'

# Few examples of each class: texts of one class do not compete in any batch.
few() { # OUT [OPTION ...]
	bert-train -q --force --init-config tiny --tokenizer vocab.txt --few-shot --dtype f32 \
		--optimizer sgd --clip 0 --learning-rate .02 --epochs 1 --log-steps 1 -o "$@" few.rec
}
tfrecord-cat -q --head 32 -o few.rec train.rec
few one --batch-size 16
few many --batch-size 4 --accumulate 4
steps many >many.steps
steps one | paste -d ' ' - many.steps | awk '{ d = $1 - $3; bad = bad || d > 1e-4 || d < -1e-4 } END { exit bad || NR < 2 }'
result $? 'few examples: 4 batches are one'
finish
