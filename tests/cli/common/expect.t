#!/bin/sh
# SPDX-License-Identifier: MIT
# --expect: a stream cut between two records, and one with too many.
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
M=$DATA/tok/uncased

printf 'text,label\nhello,a\nworld,b\nhello world,a\n' >a.csv
csv2tfrecord -q -l label -o a.rec a.csv
bert-tokenize -q -m "$M" -o a.tok a.rec
works 'a model' bert-train -q --init-config tiny --tokenizer "$M" --steps 1 \
	--expect 3 -o m a.tok

for k in 1 2 4 1000000000000; do
	s=s
	[ $k != 1 ] || s=
	exits 1 "bert-tokenize --expect $k" \
		bert-tokenize -m "$M" --expect $k -o never a.rec
	is "$(cat err)" "bert-tokenize: expected $k record$s, found 3" \
		'... says what was found'
	refuses "*bert-predict: expected $k record$s, found 3" "bert-predict --expect $k" \
		bert-predict -m m --expect $k -o never a.tok
	refuses "*bert-eval: expected $k record$s, found 3" "bert-eval --expect $k" \
		bert-eval -m m --expect $k a.tok
	refuses "*bert-train: expected $k record$s, found 3" "bert-train --expect $k" bert-train --init-config tiny \
		--tokenizer "$M" --expect $k -o never-model a.tok
done
[ ! -e never ] && [ ! -e never-model/config.json ]
result $? 'nothing is written then'
refuses '*bert-train: expected 4 records, found 3' 'a dry run counts as well' \
	bert-train --init-config tiny --tokenizer "$M" --dry-run --expect 4 a.tok
exits 2 'bert-eval with --min: trouble' \
	bert-eval -m m --min accuracy=0 --expect 2 a.tok

works 'the right number' bert-tokenize -m "$M" --expect 3 -o got a.rec
same got a.tok 'changes nothing'
works '... for prediction' bert-predict -m m --expect 3 -o p a.tok
works '... of several files together' bert-eval -m m --expect 6 a.tok - <a.tok
works '... in training, the evaluation set not counted' \
	bert-train -q --init-config tiny --tokenizer "$M" --steps 1 --expect 3 \
	--eval a.tok -o m2 a.tok
: >empty
refuses '*expected 3 records, found 0' 'an empty input' \
	bert-tokenize -m "$M" --expect 3 empty
misuses '*--expect counts records, and --lines reads lines*' '--expect with --lines' \
	bert-tokenize -m "$M" --lines --expect 3 a.csv
finish
