#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train and bert-eval: what they write, print and refuse.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data

works 'trains from random weights' small_train m --epochs 6 --eval dev.rec
[ -s out ]
is $? 1 'nothing on standard output'
like "$(cat err)" '*epoch 6: loss *evaluation loss *accuracy *weighted F1 *' \
	'tells loss and measures of each epoch'
like "$(tail -n 2 err | head -n 1)" \
	'*examples/s, *tokens/s, *GFLOP/s*, peak memory *' 'tells its speed'
is "$(ls m | tr '\n' ' ')" \
	'README.md config.json history.jsonl model.safetensors tokenizer_config.json vocab.txt ' \
	'writes a model directory and no checkpoint'
works 'bert-eval measures it' bert-eval -m m dev.rec
like "$(cat out)" '*parking *macro avg*truth*accuracy 0.[6-9]*' 'and it has learnt'
works 'quiet is quiet' small_train q -q
is "$(cat err)" '' 'not a word with -q'
exits 0 'measures that are met' bert-eval -q -m m --min accuracy=.5 --min loss=3 dev.rec
exits 1 'measures that are not met' bert-eval -q -m m --min accuracy=.999999 dev.rec
like "$(cat err)" '*accuracy is 0.*, less than 0.999999' 'and which'
exits 2 'trouble with --min' bert-eval -q -m m --min accuracy=.5 nosuch.rec
exits 2 'an unknown measure' bert-eval -m m --min f7=1 dev.rec
works 'a report as JSON' bert-eval -q -m m --json dev.rec
like "$(tr -d '\n ' <out)" '{"examples":*"confusion":*' 'has examples and confusion'
is "$(grep -c '^ *\[[0-9, ]*\],*$' out)" "$(grep -c '"label"' out)" \
	'the confusion matrix has a line for each row'
works 'goes on from a trained model' bert-train -m m -o m2 --epochs 1 train.rec
is "$(grep -c 'newly initialized\|unused' err)" 0 'with its own head'
works 'says where the time goes' small_train p --profile --steps 12
for l in 'linear 64 to 128 *GFLOP/s' 'optimizer *GB/s' 'packing weights *GB/s' \
	'in all *GFLOP/s' 'tokens/s in 10 steps' \
	'limits measured here: products [1-9]*GFLOP/s'; do
	like "$(cat err)" "*$l*" "... $l"
done
works 'an evaluation share' small_train s --eval-share .2
like "$(cat err)" '*143 training examples, 36 for evaluation*' 'is held out'

# Other labels: a new head.
sed '1!s/,\([a-z_]*\)$/,other_\1/' train.csv >other.csv
csv2tfrecord -q -t text -l intent other.csv | bert-tokenize -q -m vocab.txt -o other.rec
works 'other labels' bert-train -m m -o m3 --epochs 1 other.rec
like "$(cat err)" '*labels are not those*replaced by a new one*' 'get a new head'

# Labels that are numbers stand in the order of numbers.
printf 'text,y\na card,10\na fee,9\na car,-1\n' >n.csv
csv2tfrecord -q -t text -l y n.csv | bert-tokenize -q -m vocab.txt -o n.rec
works 'labels that are numbers' bert-train -q --init-config "$DATA/one-layer.json" \
	--tokenizer vocab.txt -o n --epochs 1 n.rec
like "$(tr -d '\n ' <n/config.json)" '*"id2label":{"0":"-1","1":"9","2":"10"}*' \
	'are sorted as numbers'

# A tokenizer that knows the model's labels numbers them.
bert-tokenize -q -m m --max-length 48 -o numbered.rec dev.text.rec
works 'records with label_ids' bert-eval -q -m m -o a numbered.rec
bert-eval -q -m m -o b dev.rec
same a b 'are measured alike'
grep -q label_ids numbered.rec && ! grep -q label_ids dev.rec
is $? 0 'label_ids stands where the labels are known'

# Every way to put examples into batches goes through all of them.
for o in '--batch-size 7' '--batch-tokens 100' '--batch-size 50 --batch-tokens 300' \
	'--batch-size 5 --accumulate 3'; do
	# shellcheck disable=SC2086
	works "$o" small_train x $o
	like "$(cat err)" '*179 examples in *' "$o: all examples"
done
works 'a number of steps' small_train x --steps 3 --batch-size 10
like "$(cat err)" '*30 examples in *' 'as many updates'
for s in linear linear-google polynomial cosine cosine-restarts constant inverse-sqrt; do
	works "schedule $s" small_train x -q --schedule $s --warmup 5
done
works 'f32' small_train x -q --dtype f32
works 'plain C' small_train x -q --steps 2 --gemm ref

# What is refused.
exits 2 'neither model nor configuration' bert-train -o x train.rec
exits 2 'both' bert-train -m m --init-config "$DATA/one-layer.json" -o x train.rec
exits 2 'no output' bert-train -m m train.rec
exits 2 'an unknown metric' bert-train -m m -o x --eval-share .2 --metric f7 train.rec
exits 2 'a wrong type' bert-train -m m -o x --dtype f64 train.rec
misuses '*tiny*' 'an unknown architecture' bert-train --init-config huge -o y train.rec
refuses '*no such*' 'no model there' bert-train -m nosuch -o y train.rec
refuses "*'.' is not a model directory; './m' is one*" 'no model in it, but in a directory of it' bert-train -m . -o y train.rec
misuses '*is both the starting model*' 'onto the model itself' bert-train -m m -o m/. train.rec
refuses '*text, not tokens*bert-tokenize*' 'text records' bert-train -m m -o y train.text.rec
refuses '*not a TFRecord stream: it starts with text*' 'a table' bert-train -m m -o y train.csv
[ -e y ]
is $? 1 'and no directory is made'
finish
