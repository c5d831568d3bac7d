#!/bin/sh
# SPDX-License-Identifier: MIT
# --pseudo-label: texts without a label learn from what a model predicts for them.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
# half of the texts without their labels, whose predictions another model makes
awk -F, 'NR == 1 || NR % 2' train.csv >some.csv
awk -F, 'NR == 1 || NR % 2 == 0' train.csv >others.csv
records() { # NAME [OPTION ...]
	name=$1
	shift
	csv2tfrecord -q -i id -t text "$@" $name.csv | bert-tokenize -q -m vocab.txt --max-length 48 -o $name.rec
}
records some -l intent
records others
bert-train -q --init-config tiny --tokenizer vocab.txt --epochs 9 --learning-rate 4e-3 --batch-size 16 -o a some.rec
bert-predict -q -m a --proba -o p.csv others.rec
bert-predict -q -m a --format tensor -o p.ts others.rec
train() { # OUT [OPTION ...]
	out=$1
	shift
	bert-train --force --init-config tiny --tokenizer vocab.txt --epochs 2 --batch-size 16 -o "$out" "$@"
}
works 'predicted labels' train b --pseudo-label p.csv --pseudo-threshold .8 some.rec others.rec
like "$(cat err)" "*of * texts without a label get one that has a probability of 0.8 or more, the others are left out: 'get_card' *, 'parking' *" 'are counted'
# the same as a table of them
awk -F, -v OFS=, 'NR == FNR { p = 0; for (i = 3; i <= NF; i++) if ($i > p) p = $i
	if (FNR > 1 && p >= .8) l[$1] = $2; next }
	FNR == 1 { print; next }
	$1 in l { $NF = l[$1]; print }' p.csv others.csv >sure.csv
[ "$(wc -l <sure.csv)" -lt "$(wc -l <others.csv)" ] && [ "$(wc -l <sure.csv)" -gt 20 ]
result $? 'some are sure, some are not'
records sure -l intent
grep -o '[0-9]* of [0-9]* texts' err >got
echo "$(($(wc -l <sure.csv) - 1)) of $(($(wc -l <others.csv) - 1)) texts" >want
same got want 'by their probability'
sed -n "s/.*left out: //p" err | tr -d "'" | tr , '\n' | awk '$2 > 0 { print $1, $2 }' | sort >got
sed 1d sure.csv | sed 's/.*,//' | sort | uniq -c | awk '{ print $2, $1 }' >want
same got want 'of each class'
train c -q some.rec sure.rec
same b/model.safetensors c/model.safetensors 'as if they were the texts'\'' own'
works 'logits' train d -q --pseudo-label p.ts --pseudo-threshold .8 some.rec others.rec
same b/model.safetensors d/model.safetensors 'do the same'
works 'all of them' train e --pseudo-label p.csv --pseudo-threshold 0 some.rec others.rec
grep -o '[0-9]* of [0-9]* texts' err >got
all=$(($(wc -l <others.csv) - 1))
echo "$all of $all texts" >want
same got want 'are taken'
works 'none of them' train none --pseudo-label p.csv --pseudo-threshold 1 some.rec others.rec
highest=$(awk -F, 'NR > 1 { for (i = 3; i <= NF; i++) if ($i > p) p = $i } END { printf "%.4g", p }' p.csv)
like "$(cat err)" "*warning: no text gets a predicted label: the highest probability is $highest, wanted is at least 1 (--pseudo-threshold *)
*" 'is a warning'
train f -q --pseudo-label p.csv some.rec others.rec
train g -q --pseudo-label p.csv --pseudo-threshold .9 --pseudo-weight 1 some.rec others.rec
same f/model.safetensors g/model.safetensors 'at least .9 with the weight 1, unless told otherwise'

# weights
awk -F, -v OFS=, 'NR == 1 { print $0, "w"; next } { print $0, .25 }' sure.csv >heavy.csv
awk -F, -v OFS=, 'NR == 1 { print $0, "w"; next } { print $0, 1 }' some.csv >light.csv
records heavy -l intent --weight w
records light -l intent --weight w
train h -q light.rec heavy.rec
works 'a weight' train i -q --pseudo-label p.csv --pseudo-threshold .8 --pseudo-weight .25 some.rec others.rec
same h/model.safetensors i/model.safetensors 'is that of the records'

# windows of a text
csv2tfrecord -q -i id -t text others.csv | bert-tokenize -q -m vocab.txt --max-length 12 --stride 4 -o win.rec
csv2tfrecord -q -i id -t text -l intent sure.csv | bert-tokenize -q -m vocab.txt --max-length 12 --stride 4 -o winsure.rec
works 'windows' train j -q --pseudo-label p.csv --pseudo-threshold .8 some.rec win.rec
train k -q some.rec winsure.rec
same j/model.safetensors k/model.safetensors 'have the label of their text'

# a run goes on with the same labels only
train l -q --pseudo-label p.csv --save-steps 3 --keep 9 some.rec others.rec
refuses '*belongs to another run*other training data*' 'other labels are another run' \
	train m --pseudo-label p.csv --pseudo-threshold 0 --resume-from l/checkpoint-3.safetensors some.rec others.rec

refuses '*all training records have a label*' 'no text to label' train x --pseudo-label p.csv some.rec
refuses "*predictions *p1.csv'*no row has the id '*' of a training record without a label*" 'a text without a row' \
	sh -c 'head -n 5 p.csv >p1.csv; bert-train --init-config tiny --tokenizer vocab.txt -o x --pseudo-label p1.csv some.rec others.rec'
cut -d, -f 1,2 p.csv >bare.csv
refuses '*labels alone, without probabilities (--proba writes probabilities)*' 'no probabilities' \
	train x --pseudo-label bare.csv some.rec others.rec
sed 's/parking/garage/' p.csv >other.csv
refuses "*no training record has the label 'garage'*" 'an unknown label' \
	train x --pseudo-label other.csv --pseudo-threshold 0 some.rec others.rec
refuses '*no training record has a label*' 'no label at all' train x --pseudo-label p.csv others.rec
misuses '*--pseudo-label applies only to classification*' 'numbers' \
	train x --task regression --pseudo-label p.csv some.rec others.rec
misuses '*--pseudo-threshold and --pseudo-weight need --pseudo-label*' 'a threshold alone' train x --pseudo-threshold .5 some.rec
misuses '*--pseudo-label does not go with --eval-share*' 'labels that would judge' \
	train x --eval-share .1 --pseudo-label p.csv some.rec others.rec
finish
