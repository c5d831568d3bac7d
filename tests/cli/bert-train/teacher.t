#!/bin/sh
# SPDX-License-Identifier: MIT
# --teacher: a student learns from another model's predictions, too.
# Not under thread: the threads are those of cli/bert-train/tagging-teacher
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=$DATA/two-layers.json
small_data
small_train a -q --epochs 8
bert-predict -q -m a --format tensor -o a.ts train.rec
bert-predict -q -m a --proba -o a.csv train.rec
student() { # OUT [OPTION ...]
	small_train "$@" -q --seed 5
}
other() { # DIR DIR NAME
	! cmp -s "$1/model.safetensors" "$2/model.safetensors"
	result $? "$3"
}
student plain
student zero --teacher a.ts --teacher-weight 0
is "$(weights zero)" "$(weights plain)" 'a teacher of weight 0 changes nothing'
works 'a teacher' student half --teacher a.ts
other half plain 'another teaches'
student same --teacher a.ts --teacher-weight .5 --teacher-temperature 2
is "$(weights same)" "$(weights half)" 'its weight is .5 and its temperature 2'
student threads -j 3 --teacher a.ts
is "$(weights threads)" "$(weights half)" 'threads do not matter'
{ head -n 1 a.csv; sed 1d a.csv | sort -t, -k3; } >shuffled.csv
works 'CSV, in another order' student csv --teacher shuffled.csv
works 'a part held out' student share --teacher a.ts --eval-share .2

# the model's labels are in another order than the teacher's
student turned --labels wifi_access,parking,pay_fine,get_card
student turned2 --labels wifi_access,parking,pay_fine,get_card --teacher a.ts --teacher-weight 0
is "$(weights turned2)" "$(weights turned)" 'labels in another order'
bert-train --force --init-config "$small_config" --tokenizer vocab.txt --epochs 14 -q --learning-rate 1e-3 \
	--labels wifi_access,parking,pay_fine,get_card --teacher a.ts --teacher-weight 1 -o turned train.rec
bert-predict -q -m turned train.rec | sort >got
bert-predict -q -m a train.rec | sort >wanted
agree=$(join -t, got wanted | awk -F, '$2 == $3 { k++ } END { print (k > .9 * NR) }')
is "$agree" 1 'a teacher alone teaches its labels by name'

# a run goes on to the same bits, with the same teacher only
student kept --teacher a.ts --save-steps 5 --keep 9
student again --teacher a.ts --resume-from kept/checkpoint-5.safetensors
is "$(weights again)" "$(weights half)" 'a run that is resumed ends with the same weights'
bert-predict -q -m plain --format tensor -o b.ts train.rec
refuses '*belongs to another run*other teacher*' 'another teacher is refused' \
	student x --teacher b.ts --resume-from kept/checkpoint-5.safetensors
refuses '*teacher temperature was 2.0, is 3.0; teacher weight was 0.5, is 0.25*' 'so are other settings' \
	student x --teacher a.ts --teacher-temperature 3 --teacher-weight .25 \
	--resume-from kept/checkpoint-5.safetensors
refuses "*cannot read 'a': Is a directory (bert-predict -o NAME.ts, * writes logits *" \
	'a model in place of its predictions' student x --teacher a
refuses '*teacher was [0-9]*, is absent*' 'and none' \
	student x --resume-from kept/checkpoint-5.safetensors

# a text in windows: each learns from the text's row
bert-tokenize -q -m vocab.txt --max-length 8 --stride 2 -o windows.rec train.text.rec
bert-predict -q -m a --format tensor -o windows.ts windows.rec
window_student() { # OUT [OPTION ...]
	bert-train --force -q --init-config tiny --tokenizer vocab.txt --steps 3 --seed 5 -o "$@" windows.rec
}
window_student apart
works 'windows' window_student windows --teacher windows.ts
other apart windows 'learn from the row of their text'
bert-predict -q -m a --windows each --format tensor -o each.ts windows.rec
refuses "*each.ts*the id '*' stands in row *, too" 'rows of windows' window_student x --teacher each.ts

# any number of labels, and numbers
records() { # OPTION ...
	csv2tfrecord -q -i id -t text "$@" $task.csv | bert-tokenize -q -m vocab.txt -o $task.rec
}
kind_train() { # OUT [OPTION ...]
	bert-train --force -q --init-config "$small_config" --tokenizer vocab.txt --task "$task" --epochs 2 \
		--learning-rate 1e-3 --seed 5 -o "$@" $task.rec
}
awk 'BEGIN { print "id,text,card,book"; for (i = 1; i <= 40; i++)
	print "r" i ",a " (i % 2 ? "card" : "room") " and a " (i % 3 ? "book" : "desk") "," i % 2 "," (i % 3 > 0) }' >multilabel.csv
awk 'BEGIN { print "id,text,y"; for (i = 1; i <= 40; i++)
	print "r" i ",the " (i % 2 ? "card" : "room") " " i "," i % 2 + i / 40 }' >regression.csv
for task in multilabel regression; do
	if [ $task = multilabel ]; then records -l card,book; else records -l y --label-type float; fi
	kind_train k1 --epochs 8
	bert-predict -q -m k1 --format tensor -o $task.ts $task.rec
	kind_train k2
	works "$task: a teacher" kind_train k3 --teacher $task.ts
	other k2 k3 "$task: teaches"
	kind_train k4 --teacher $task.ts --teacher-weight 0
	is "$(weights k4)" "$(weights k2)" "$task: not with the weight 0"
	if [ $task = multilabel ]; then
		bert-predict -q -m k1 --proba -o $task.p.csv $task.rec
	else
		bert-predict -q -m k1 -o $task.p.csv $task.rec
	fi
	works "$task: from CSV" kind_train k5 --teacher $task.p.csv
done
misuses '*--teacher-temperature does not apply to regression*' 'numbers have no temperature' \
	kind_train x --teacher regression.ts --teacher-temperature 3
refuses "*regression.ts*holds predictions of the kind regression, not single_label_classification" \
	'predictions of another kind' student x --teacher regression.ts

# what does not match
id=$(sed -n '5s/,.*//p' a.csv)
sed 5d a.csv >short.csv
refuses "*teacher 'short.csv': no row has the id '$id' of a training record" 'a missing row' \
	student x --teacher short.csv
cut -d, -f1-5 a.csv >columns.csv
refuses "*teacher 'columns.csv': outputs for 3 labels, but the model has 4" 'a missing label' \
	student x --teacher columns.csv
sed '1s/parking/garage/' a.csv >names.csv
refuses "*teacher 'names.csv': no output is for the model's label 'parking'" 'another label' \
	student x --teacher names.csv
cut -d, -f1,2 a.csv >labels.csv
refuses "*teacher 'labels.csv': labels alone, without probabilities (--proba*" 'labels alone' \
	student x --teacher labels.csv
cut -d, -f3- a.csv >noid.csv
refuses "*teacher 'noid.csv': rows have no ids to match them by" 'no ids' student x --teacher noid.csv
sed "/^$id,/s/,[0-9.e-]*/,0/2g" a.csv >zero.csv
refuses "*predictions 'zero.csv': record 4 (line 5): the probabilities of the classes add up to 0, not to 1" 'no probability' \
	student x --teacher zero.csv
awk -F, -v OFS=, 'NR > 1 { $3 = $4 = $5 = $6 = .5 } { print }' a.csv >each.csv
refuses "*predictions 'each.csv': record 1 *: the probabilities of the classes add up to 2, not to 1" \
	'those of labels that each hold by themselves' student x --teacher each.csv
awk -F, -v OFS=, 'NR > 1 { for (i = 3; i < 7; i++) $i = sprintf("%.2f", $i) } { print }' a.csv >two.csv
works 'those of two digits' student x --teacher two.csv --steps 1
rm -r x
csv2tfrecord -q -t text -l intent train.csv | bert-tokenize -q -m vocab.txt -o nameless.rec
refuses "*teacher 'a.ts': training records without ids match no rows (csv2tfrecord -i row*" \
	'records without ids' bert-train -q --init-config tiny --tokenizer vocab.txt -o x --teacher a.ts nameless.rec
head -c 3000 a.ts >cut.ts
refuses '*cut.ts*' 'a damaged stream' student x --teacher cut.ts
misuses '*need --teacher' 'a temperature without a teacher' student x --teacher-temperature 3
misuses '*--teacher applies to classification, multilabel, regression and tagging*' 'embeddings' \
	student x --teacher a.ts --task embedding
misuses '*last layer has an activation*' 'a head with an activation' \
	student x --teacher a.ts --head 'mean, dense softplus'
[ ! -e x ]
result $? 'no directory is left behind'
finish
