#!/bin/sh
# SPDX-License-Identifier: MIT
# Windows of a text in training: they share its weight, stay together, and are
# joined in evaluation.
# Not under thread: the threads are those of cli/bert-train/train and cli/bert-predict/output
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
for f in train dev; do
	bert-tokenize -q -m vocab.txt --max-length 10 --stride 2 -o $f.w.rec $f.text.rec
done
texts=$(tfrecord-cat --count train.rec) windows=$(tfrecord-cat --count train.w.rec)
train() { # OUT [OPTION ...]
	bert-train --force --init-config tiny --tokenizer vocab.txt --epochs 1 --learning-rate 1e-3 \
		--batch-size 16 -o "$@"
}

# texts of one window each are as they were
bert-tokenize -q -m vocab.txt --max-length 48 --stride 2 -o one.rec train.text.rec
for how in mean max first each; do
	train one -q --windows $how --eval-share .2 one.rec
	train whole -q --eval-share .2 train.rec
	is "$(weights one)" "$(weights whole)" "--windows $how: texts in one piece"
done

# each window weighs 1/n: as records that have this weight
tfrecord-cat -q --json train.w.rec | sed 's/.*"id": *"\([^"]*\)".*/\1/' | sort | uniq -c |
	awk '{ print $2 "," $1 }' >n
"${PERL:-perl}" -ne 'BEGIN { open(N, "n"); while (<N>) { chomp; ($i, $k) = split /,/; $n{$i} = $k } }
	if ($. == 1) { print "id,text,intent,weight\n"; next }
	/^(L\d+),/ or die; chomp; printf "%s,%.9f\n", $_, 1 / $n{$1}' train.csv |
	csv2tfrecord -q -i id -t text -l intent --weight weight |
	bert-tokenize -q -m vocab.txt --max-length 10 --stride 2 -o weighed.rec
train a -v train.w.rec 2>err
like "$(cat err)" "*$texts training examples in $windows windows, 0 for evaluation*" 'says how many texts there are'
train b -q --windows each weighed.rec
is "$(weights a)" "$(weights b)" 'windows share the weight of their text'
train c -q --windows each train.w.rec
! cmp -s a/model.safetensors c/model.safetensors
result $? 'with --windows each they do not'
train max -q --windows max train.w.rec
is "$(weights max)" "$(weights a)" '--windows max: in training the same'
train first -q --windows first train.w.rec
bert-tokenize -q -m vocab.txt --max-length 10 -o cut.rec train.text.rec
train cut -q cut.rec
is "$(weights first)" "$(weights cut)" '--windows first: the texts are cut'
train balanced --class-weight balanced train.w.rec 2>err
grep 'weights of the classes' err >got
train balanced --class-weight balanced train.rec 2>err
grep 'weights of the classes' err >want
same got want '--class-weight balanced counts texts'

# evaluation is that of bert-eval
for how in mean max first each; do
	train a -q --windows $how --eval dev.w.rec train.w.rec
	bert-eval -q -m a --windows $how --json dev.w.rec | tr -d ' \n' >report
	for m in accuracy loss; do
		is "$(sed -n "s/.*\"eval_$m\": *\([0-9.]*\).*/\1/p" a/history.jsonl | cut -c1-8)" \
			"$(sed -n "s/.*[{,]\"$m\":\([0-9.]*\).*/\1/p" report | cut -c1-8)" \
			"--windows $how: $m as of bert-eval"
	done
done
train share --eval-share .2 train.w.rec 2>err
held=$(awk "BEGIN { k = int(.2 * $texts); print k + (k < .2 * $texts) }")
like "$(cat err)" "*$((texts - held)) training examples in * windows, $held for evaluation*" \
	'--eval-share holds out texts'
train share --train-share .5 train.w.rec 2>err
like "$(cat err)" "* of $texts training examples in * windows*" '--train-share takes texts'

# an interrupted run
train whole -q --windows mean --eval dev.w.rec --save-steps 5 --keep 99 train.w.rec
train again -q --eval dev.w.rec --resume-from whole/checkpoint-5.safetensors train.w.rec
is "$(weights again)" "$(weights whole)" 'a run that is resumed'
refuses '*windows was "mean", is "max"*' 'otherwise joined' train again -q --windows max \
	--eval dev.w.rec --resume-from whole/checkpoint-5.safetensors train.w.rec

tfrecord-cat -q --shuffle train.w.rec -o mixed.rec
refuses "*mixed.rec*is window * of the text 'L*' and does not follow the window before it*(--windows each*" \
	'windows in any order' train x -q mixed.rec
works '... by themselves' train each -q --windows each mixed.rec
misuses '*--windows*' 'another way' train x -q --windows min train.w.rec

bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --task masked-lm --steps 1 -o words train.w.rec
misuses '*this model learns to tell masked tokens (--windows applies to classification, *' \
	'windows of a text that has no label stay apart' \
	bert-train -q -m words --task masked-lm --windows first -o x train.w.rec
misuses '*--windows joins what is predicted of whole texts: labels or numbers*' '... also in evaluation' \
	bert-eval -m words --windows each train.w.rec
finish
