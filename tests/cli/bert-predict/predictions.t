#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-predict --predictions: files of predictions in place of a model.
# shellcheck shell=sh
# Not under thread: the threads are those of cli/bert-predict/output
. "$TEST_TOP/tests/lib/lib.sh"
cp "$TEST_TOP/pipelines/data/vocab.txt" .
sed '$d' vocab.txt >short.txt

printf 'id,text,y,p,q,r,x\n' >t.csv
i=0
for w in cafe card book room wifi park; do
	echo "$i,where is the $w,$((i % 2)),$((i % 2)),$((i < 2)),$((i > 4)),$i.5" >>t.csv
	i=$((i + 1))
done
# train NAME VOCAB SEED TASK LABELS...
train() {
	name=$1 vocab=$2 seed=$3 task=$4
	shift 4
	csv2tfrecord -q -i id "$@" t.csv | bert-tokenize -q -m "$vocab" -o "$name.rec" &&
		bert-train -q --init-config tiny --tokenizer "$vocab" --task "$task" --steps 2 \
			--learning-rate 1e-2 --seed "$seed" -o "$name" "$name.rec" &&
		bert-predict -q --dtype f32 -m "$name" -o "$name.ts" "$name.rec"
}
train a vocab.txt 1 classification -l y
train b short.txt 2 classification -l y
train ma vocab.txt 1 multilabel -l p,q,r
train mb short.txt 2 multilabel -l p,q,r
train na vocab.txt 1 regression -l x --label-type float
train nb short.txt 2 regression -l x --label-type float

# one file: as the model
for m in a ma na; do
	bert-predict -q --dtype f32 -m "$m" -o want.csv "$m.rec"
	works "as the model $m" bert-predict --predictions "$m.ts" -o got.csv
	same got.csv want.csv '... to the last digit'
done
# one column for several labels takes sets of them, which a sample of probabilities does not want
awk 'BEGIN { print "id,p"; for (i = 0; i < 6; i++) print i ",0.5" }' >half.csv
works 'a sample of probabilities' bert-predict --predictions ma.ts --sample half.csv -o got.csv
like "$(cat err)" "bert-predict: warning: 'half.csv' holds '0.5', not among the labels to write ('p' ... 'r') (--proba writes probabilities)
*" '... is noticed'
sed 's/0.5/p q/' half.csv >sets.csv
works 'one of sets' bert-predict --predictions ma.ts --sample sets.csv -o got.csv
is "$(grep -c warning err)" 0 '... is not'
refuses "bert-predict: 'b' has another tokenizer than the first model (predict with each into a tensor stream, -o NAME.ts, and average these with bert-predict --predictions)" \
	'models of different tokenizers' bert-predict -m a -m b a.rec

# mean FILE FILE: that of the columns from the third, or second, on
mean() {
	paste -d , "$1" "$2" | awk -F , 'NR > 1 { n = NF / 2; o = $1
		for (i = n > 2 ? 3 : 2; i <= n; i++) o = o sprintf(" %.4f", ($i + $(i + n)) / 2)
		print o }'
}
# shows FILE: the same of one
shows() {
	awk -F , 'NR > 1 { o = $1; for (i = NF > 2 ? 3 : 2; i <= NF; i++) o = o sprintf(" %.4f", $i); print o }' "$1"
}
for m in a:b ma:mb na:nb; do
	one=${m%:*} two=${m#*:} proba=--proba
	[ "$one" = na ] && proba=
	bert-predict -q --dtype f32 $proba -m "$one" -o one.csv "$one.rec"
	bert-predict -q --dtype f32 $proba -m "$two" -o two.csv "$two.rec"
	works "the mean of $one and $two" bert-predict $proba --predictions "$one.ts" --predictions "$two.ts" -o got.csv
	is "$(shows got.csv)" "$(mean one.csv two.csv)" '... of each column'
	(head -n 1 two.csv && sed 1d two.csv | sort -r) >turned.csv
	bert-predict -q $proba --predictions "$one.ts" --predictions turned.csv -o got.csv
	is "$(shows got.csv)" "$(mean one.csv two.csv)" '... of CSV in another order'
	tr , '\t' <turned.csv | gzip -c >turned.tsv.gz
	bert-predict -q $proba --predictions "$one.ts" --predictions turned.tsv.gz -o tabs.csv
	same tabs.csv got.csv '... with tabs, compressed'
done

# ranks
bert-predict -q --proba --predictions ma.ts --ranks -o ranks.csv
bert-predict -q --proba --predictions ma.ts -o plain.csv
cut -d , -f 1,3 ranks.csv | sed 1d | sort -t , -k 2 -g >got
cut -d , -f 1,3 plain.csv | sed 1d | sort -t , -k 2 -g >want
is "$(cut -d , -f 1 got)" "$(cut -d , -f 1 want)" 'ranks have the order of probabilities'
is "$(awk -F , '{ printf "%.4f ", $2 }' got)" '0.0833 0.2500 0.4167 0.5833 0.7500 0.9167 ' '... and equal steps'
bert-predict -q --predictions na.ts --ranks -o ranks.csv
is "$(sed 1d ranks.csv | cut -d , -f 2 | sort -g | awk '{ printf "%.4f ", $1 }')" '0.0833 0.2500 0.4167 0.5833 0.7500 0.9167 ' \
	'of numbers'
bert-predict -q --proba --predictions a.ts --ranks -o ranks.csv
is "$(awk -F , 'NR > 1 { s += $4; bad += $3 + $4 < .9999 || $3 + $4 > 1.0001 } END { printf "%.3f %d", s, bad }' ranks.csv)" '3.000 0' \
	'of the second of two classes'
printf 'id,text,y\n1,a,u\n2,b,v\n3,c,w\n' >three.csv
csv2tfrecord -q -i id -l y three.csv | bert-tokenize -q -m vocab.txt -o three.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 1 -o three three.rec
bert-predict -q -m three -o three.ts three.rec
misuses '*ranks are averaged for one of two classes, *' 'not of three' bert-predict --predictions three.ts --ranks

# weights
bert-predict -q --proba --predictions ma.ts -o one.csv
bert-predict -q --proba --predictions mb.ts -o two.csv
works 'weights' bert-predict --proba --predictions ma.ts --predictions mb.ts --weights 3,1 -o got.csv
is "$(shows got.csv)" "$(paste -d , one.csv two.csv | awk -F , 'NR > 1 { o = $1
	for (i = 3; i <= 5; i++) o = o sprintf(" %.4f", .75 * $i + .25 * $(i + 5)); print o }')" '... of each file'
bert-predict -q --proba --predictions ma.ts --predictions mb.ts --weights 0,.5 -o got.csv
is "$(shows got.csv)" "$(shows two.csv)" '... of one alone'
bert-predict -q --predictions na.ts --predictions nb.ts --weights 1e-3,3e-3 -o got.csv
is "$(shows got.csv)" "$(bert-predict -q --predictions na.ts --predictions nb.ts --predictions nb.ts \
	--weights 1,2,1 -o want.csv 2>why; shows want.csv)" '... of numbers, by their ratios'
misuses 'bert-predict: 1 weight for 2 files' 'too few' bert-predict --predictions ma.ts --predictions mb.ts --weights 1
misuses "bert-predict: bad weight 'x': *" 'one that is not a number' bert-predict --predictions ma.ts --weights x
misuses 'bert-predict: --weights needs --predictions' 'weights of a model' bert-predict -m ma --weights 1 ma.rec

# submissions, thresholds
printf 'id,r,p,q\n5,0,0,0\n4,0,0,0\n3,0,0,0\n2,0,0,0\n1,0,0,0\n0,0,0,0\n' >sample.csv
works 'a submission' bert-predict --predictions ma.ts --predictions mb.ts --sample sample.csv -o s.csv
bert-predict -q --proba --predictions ma.ts --predictions mb.ts -o plain.csv
is "$(sed -n 2p s.csv)" "$(awk -F , '$1 == 5 { print $1 "," $5 "," $3 "," $4 }' plain.csv)" "... in the sample's order"
bert-predict -q --predictions na.ts --threshold 0..5 -o scores.csv
is "$(sed 1d scores.csv | grep -vc ',[0-5]$')" 0 'scores'

# of other programs: CSV alone
for m in a ma na; do
	bert-predict -q --dtype f32 -m "$m" --proba -o "$m.csv" "$m.rec" 2>/dev/null ||
		bert-predict -q --dtype f32 -m "$m" -o "$m.csv" "$m.rec"
	cp "$m.csv" "$m-2.csv"
done
works 'CSV of classes' bert-predict --task classification --predictions a.csv --predictions b.ts --proba -o got.csv
bert-predict -q --predictions a.ts --predictions b.ts --proba -o want.csv
is "$(shows got.csv)" "$(shows want.csv)" '... as the tensors'
cut -d, -f 1,3- ma.csv >submission.csv
works 'a submission of several labels' bert-predict --task multilabel --predictions submission.csv \
	--predictions mb.ts --proba -o got.csv
bert-predict -q --predictions ma.ts --predictions mb.ts --proba -o want.csv
is "$(shows got.csv)" "$(shows want.csv)" '... all of whose columns count'
works 'CSV of numbers' bert-predict --task regression --predictions na.csv --predictions na-2.csv -o got.csv
same got.csv na.csv '... and their mean'
printf 'key,u,v\n7,1,2.5\n8,3,-4\n' >uv.csv
works 'several numbers' bert-predict --task regression --predictions uv.csv -o got.csv
is "$(cat got.csv)" "$(sed 1s/key/id/ uv.csv)" '... are those of all columns'
printf 'id,text,label\n7,hm,.5\n' >with.csv
works 'numbers beside another field' bert-predict --task regression --predictions with.csv -o got.csv
is "$(sed 1d got.csv)" 7,0.5 '... are in the column label'
printf 'id,p\n7,.5\n8,.25\n' >half.csv
works 'one probability' bert-predict --task ranking --predictions half.csv -o got.csv
is "$(cat got.csv)" "$(printf 'id,label\n7,0.5\n8,0.25')" '... is a number'
refuses "*'half.csv': record 1 (line 2): the probabilities of the classes add up to 0.5, not to 1" '... and not classes' \
	bert-predict --task classification --predictions half.csv
cut -d, -f1,2 a.csv >labels.csv
refuses '*it has labels without probabilities (--proba *' 'labels' bert-predict --task classification --predictions labels.csv
misuses 'bert-predict: --task needs --predictions' 'the task of a model' bert-predict --task regression -m a a.rec

# what does not fit
printf 'id,label,0,1\n0,0,.5,.5\n' >few.csv
refuses "*predictions 'few.csv': it has 1 rows, not 6" 'fewer rows' bert-predict --predictions a.ts --predictions few.csv
sed 's/^5,/6,/' t.csv >other.csv
csv2tfrecord -q -i id -l y other.csv | bert-tokenize -q -m vocab.txt | bert-predict -q -m a -o other.ts
refuses "*predictions 'other.ts': it lacks the id '5'" 'another id' bert-predict --predictions a.ts --predictions other.ts
refuses '*lacks the label*' 'other labels' bert-predict --predictions three.ts --predictions a.ts
refuses "*the first file of predictions, 'few.csv', does not say that they are of classes, labels or numbers, as their tensor streams do (--task says it, *" 'CSV first' bert-predict --predictions few.csv
exits 2 'a model beside them' bert-predict --predictions a.ts -m a
for o in --normalize '--truncate-dim 3' '--dtype f32' '--explain-class u' '--replicas 2'; do
	# shellcheck disable=SC2086 # options are words
	exits 2 "${o% *} of a model" bert-predict --predictions a.ts $o
done
exits 2 'records beside them' bert-predict --predictions a.ts a.rec
exits 2 'ranks of a model' bert-predict -m a --ranks a.rec
exits 2 'embeddings' bert-predict --predictions a.ts --embed mean
exits 2 'onto one of them' bert-predict --predictions a.ts -o a.ts
finish
