#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --train-share: training on a share of the records.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
all=$(tfrecord-cat -q --count train.rec)
share() { small_train "$@" 2>err; }
# the line that tells how much data there is
data() { sed -n 's/^bert-train: \(.* training examples\),.*/\1/p' err; }

share a --train-share .25
result $? 'a share'
# of each label so many, rounded up
part=$(tfrecord-cat -q --json train.rec | sed 's/.*"label": "\([a-z_]*\)".*/\1/' |
	sort | uniq -c | awk '{ n += int(($1 + 3) / 4) } END { print n }')
is "$(data)" "$part of $all training examples" 'of each label, which is reported'
share b --train-share .25
cmp a/model.safetensors b/model.safetensors
result $? 'the same share twice: the same weights'
share b --train-share .25 --seed 7 --learning-rate 0
share c --train-share .25 --learning-rate 0
like "$(data)" "$part of $all *" 'another seed chooses others, as many'
share b --train-share 1
is "$(data)" "$all of $all training examples" 'a share of 1 is all'
share c
is "$(data)" "$all training examples" 'as is none'
cmp b/model.safetensors c/model.safetensors
result $? 'with the same weights'
share b --train-share 1e-9
is "$(data)" "4 of $all training examples" 'at least one record of each label'
like "$(tr -d ' \n' <b/config.json)" '*"id2label":{"0":"get_card","1":"parking","2":"pay_fine","3":"wifi_access"}*' \
	'whose labels are those of all'

# what is held out does not depend on it
share a --eval-share .2 --train-share .5
held() { sed -n 's/.*, \([0-9]*\) for evaluation.*/\1/p' err; }
a=$(held)
share b --eval-share .2
is "$a" "$(held)" 'the evaluation share is that of all records'
rest=$((all - a))
share a --eval-share .2 --train-share .5
like "$(data)" "* of $rest training examples" 'and the share one of the rest'
share a --train-share .5 --eval dev.rec
like "$(sed -n 's/.*, \([0-9]*\) for evaluation.*/\1/p' err)" \
	"$(tfrecord-cat -q --count dev.rec)" 'records to evaluate on are all taken'

# resuming
stop() { small_train "$@" --epochs 4 --save-steps 1 --keep 1 2>err; }
stop r --train-share .25
cp -r r s
resume() { small_train r --epochs 4 --save-steps 1 --keep 1 --resume "$@"; }
refuses '*train share was 0.25, is 0.5*' 'another share is refused' \
	resume --train-share .5
refuses '*train share was 0.25, is absent*' 'and none' resume
stop s --no-resume
rm -r r
mv s r
refuses '*train share was absent, is 0.25*' 'or one where there was none' \
	resume --train-share .25
for x in 0 -1 1.1 nan x ''; do
	exits 2 "a share of '$x'" bert-train --init-config tiny -o x \
		--train-share "$x" train.rec
done
works '--dry-run' bert-train --init-config tiny --tokenizer vocab.txt \
	--dry-run --train-share .25 train.rec
like "$(cat err)" "*$part of $all training examples*" 'tells it, too'

# numbers to predict
awk 'BEGIN { print "text,label"; for (i = 0; i < 41; i++) print "book " i "," i / 8 }' >n.csv
csv2tfrecord -q -l label n.csv |
	bert-tokenize -qm vocab.txt --label-type float -o n.rec
bert-train --init-config tiny --tokenizer vocab.txt --task regression --steps 2 \
	-o n --train-share .25 n.rec 2>err
is "$? $(data)" '0 11 of 41 training examples' 'a share of numbers'
finish
