#!/bin/sh
# SPDX-License-Identifier: MIT
# --predictions: files in place of a model.
# Not under thread: the threads are those of cli/bert-eval/report
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
n=0
for m in a b; do
	small_train $m -q --epochs 3 --seed "$(echo $m | tr ab 17)"
	bert-predict -q -m $m --proba -o $m.csv dev.rec
	bert-predict -q -m $m --format tensor -o $m.ts dev.rec
done
bert-eval -q -m a -o a.txt dev.rec
bert-eval -q -m a -m b -o ab.txt dev.rec
misuses "bert-eval: 'a.json' would hold text: give --json or another name" 'a name for JSON' \
	bert-eval -m a -o a.json dev.rec
misuses "bert-eval: 'a.html' would hold JSON: --html FILE writes a page" 'a name for a page' \
	bert-eval -m a --json -o a.html dev.rec
{ head -n 1 a.csv; sed 1d a.csv | sort -t, -k3; } >shuffled.csv
tensor-cat -q --mean --softmax -o mean.ts a.ts b.ts

# classes
for f in a.csv shuffled.csv a.ts; do
	works "$f" bert-eval -q --predictions $f dev.rec
	same out a.txt 'is scored as the model is'
done
for f in '--predictions a.csv --predictions b.csv' '--predictions shuffled.csv --predictions b.ts' \
	'--predictions mean.ts'; do
	# shellcheck disable=SC2086
	works "$f" bert-eval -q $f dev.rec
	same out ab.txt 'are averaged as models are'
done
bert-predict -q -m a dev.rec | sort -r >labels.csv
{ tail -n 1 labels.csv; sed '$d' labels.csv; } | grep -v '^id,' | { echo id,label; cat; } >l.csv
works 'labels alone' bert-eval -q --predictions l.csv dev.rec
sed '/^ROC/d; /^Brier/d; s/  loss [0-9.]*//' a.txt >want
same out want 'have the metrics of labels'
exits 0 '... for --min, too' bert-eval -q --predictions l.csv --min accuracy=.01 dev.rec
misuses "*metric 'roc_auc' needs the probabilities of all examples" '... and not of probabilities' \
	bert-eval --predictions l.csv --min roc_auc=.5 dev.rec
sed 's/^[^,]*,//' a.csv >noid.csv
bert-eval -q --predictions noid.csv dev.rec >out
same out a.txt 'a file without ids: by order'
sed '1s/^id/name/' a.csv >named.csv
bert-eval -q --predictions named.csv dev.rec >out
same out a.txt 'an id column of any name'
bert-predict -q -m a --proba --header key,intent -o custom.csv dev.rec
bert-eval -q --predictions custom.csv dev.rec >out
same out a.txt 'and one of labels'
cut -d, -f1,3- a.csv >only.csv
bert-eval -q --predictions only.csv dev.rec >out
same out a.txt 'probabilities without a label'
tfrecord-cat -q --json dev.rec | sed 's/"id": "[^"]*", //' | tfrecord-cat -q --from-json -o bare.rec
bert-eval -q --predictions a.csv bare.rec >out
same out a.txt 'records without ids: by order'
bert-predict -q -m a --proba --top 3 --header key,intent -o top.csv dev.rec
works 'the likeliest labels before them' bert-eval -q --predictions top.csv -o out dev.rec
same out a.txt 'are passed over'
bert-predict -q -m a --top 1 -o top.csv dev.rec
works 'the likeliest label and its probability' bert-eval -q --predictions top.csv -o out dev.rec
like "$(tail -n 1 out)" "$(tail -n 1 a.txt | sed 's/loss [.0-9]*  //')" 'are labels alone'
bert-predict -q -m a --proba -o numbers.csv bare.rec
{ head -n 1 numbers.csv; tail -n +2 numbers.csv | sort -t, -k2; } >sorted.csv
bert-eval -q --predictions sorted.csv bare.rec >out
same out a.txt 'or by the numbers that predictions of such records have for ids'
sed 4d numbers.csv >fewer.csv
refuses "*1 of 32 records have an id without a row: '2'" 'one is missing' \
	bert-eval --predictions fewer.csv bare.rec
awk -F, -v OFS=, '{ $2 = (NR == 1 ? "text," : "any,") $2; print }' a.csv >with.csv
bert-eval -q --predictions with.csv dev.rec >out
same out a.txt 'columns between id and label do not count'
csv2tfrecord -q -i id -t text dev.csv | bert-tokenize -q -m vocab.txt -o nolabel.rec
tfrecord-cat -q --head 3 nolabel.rec | tfrecord-cat -q --json | sed 's/"id": "L/"id": "M/' |
	tfrecord-cat -q --from-json -o three.rec
{ cat a.csv; sed -n 2,4p a.csv | sed 's/^L/M/'; } >a3.csv
works 'records without a label' bert-eval --predictions a3.csv dev.rec three.rec
same out a.txt 'are left out'
like "$(cat err)" '*skipped 3 records without a label*' '... and counted'
sed '2s/,[a-z_]*,/,parking,/; 3s/,[a-z_]*,/,wifi_access,/; 4s/,[a-z_]*,/,parking,/' a.csv >other.csv
bert-eval --predictions other.csv dev.rec >out 2>err
same out a.txt 'the probabilities count'
like "$(cat err)" '*warning: [1-3] rows predict other labels than their probabilities say*' '... not other labels, and it says so'

# two classes, thresholds
for f in train dev; do
	awk -F, 'NR == 1 || /,(parking|wifi_access)$/' $f.csv |
		csv2tfrecord -q -i id -t text -l intent | bert-tokenize -q -m vocab.txt -o $f.two.rec
done
cp train.rec train.all.rec
cp train.two.rec train.rec
small_train two -q
bert-predict -q -m two --proba -o two.csv dev.two.rec
for x in parking=.4 .7; do
	bert-eval -q -m two --threshold $x dev.two.rec >want
	bert-eval -q --predictions two.csv --threshold $x dev.two.rec >out
	same out want "--threshold $x"
done
bert-eval -q -m two --tune-threshold f1 -o t1 dev.two.rec >want
bert-eval -q --predictions two.csv --tune-threshold f1 -o t2 dev.two.rec >out
same out want '--tune-threshold'
same t1 t2 '... into the same file'

# any number of labels
awk -F, -v OFS=, 'NR == 1 { print "id,text,card,wifi,never"; next }
	/^[^"]*$/ { $3 = (/card/ ? 1 : 0) OFS (/wifi/ ? 1 : 0) OFS 0; print }' \
	"$TEST_TOP/pipelines/data/library-dev.csv" >many.csv
csv2tfrecord -q -i id -t text -l card,wifi,never many.csv | bert-tokenize -q -m vocab.txt -o many.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --epochs 4 \
	--learning-rate 1e-3 -o many many.rec
bert-eval -q -m many -o want many.rec
bert-predict -q -m many --proba -o many.p.csv many.rec
bert-predict -q -m many --format tensor -o many.ts many.rec
cut -d, -f1,3- many.p.csv >many.only.csv
for f in many.p.csv many.ts many.only.csv; do
	works "labels: $f" bert-eval -q --predictions $f many.rec
	same out want '... as the model'
done
bert-eval -q -m many --threshold card=.3 many.rec >want3
bert-eval -q --predictions many.p.csv --threshold card=.3 many.rec >out
same out want3 '... with a threshold'
cut -d, -f1,2 many.p.csv >many.l.csv
bert-eval -q --predictions many.l.csv many.rec >out
is "$(awk '{ print $1, $2, $3, $4 }' out | sed -n 2,4p)" "$(awk '{ print $1, $2, $3, $4 }' want | sed -n 2,4p)" \
	'sets of labels alone'
like "$(tail -n 1 out)" 'exact match (subset accuracy) ?.????  hamming loss ?.????  ([0-9]* examples)' \
	'... have no loss'
awk -F, -v OFS=, 'NR == 1 { print "id,text,tags"; next }
	/^[^"]*$/ { print $1, $2, "a book" (/card/ ? ";a" : "") (/wifi/ ? ";book" : "") }' \
	"$TEST_TOP/pipelines/data/library-dev.csv" >tags.csv
csv2tfrecord -q -i id -t text -l tags --label-separator ';' tags.csv | bert-tokenize -q -m vocab.txt -o tags.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --steps 9 -o tags tags.rec
bert-eval -q -m tags --threshold .1 tags.rec | sed -n 2,4p | cut -c 1-32 | sort >want
bert-predict -q -m tags --threshold .1 --label-separator '; ' tags.rec >tags.l.csv
works 'labels with blanks' bert-eval -q --predictions tags.l.csv --label-separator ';' tags.rec
is "$(sed -n 2,4p out | cut -c 1-32 | sort)" "$(cat want)" '... are scored as the model is'
misuses "bert-eval: predictions 'tags.l.csv': the label 'a book' contains ' ', which separates labels (choose another --label-separator)" \
	'... and not split at blanks' bert-eval --task multilabel --predictions tags.l.csv tags.rec
refuses "*'tags.rec': record *: has several labels, but the first labelled record has one class (give --task multilabel)" \
	'several labels behind one' bert-eval --predictions tags.l.csv tags.rec
refuses "*'tags.l.csv': row *: '* is not one of the 3 labels (choose another --label-separator)" \
	'another separator' bert-eval --predictions tags.l.csv --label-separator '|' tags.rec
misuses '*the separator of labels is empty' 'an empty one' \
	bert-eval --predictions tags.l.csv --label-separator '' tags.rec
misuses '*the predictions are classes (--label-separator applies only to multi-label models)' 'one of classes' \
	bert-eval --task classification --predictions a.csv --label-separator ';' dev.rec
misuses '*--label-separator is for --predictions' 'one of a model' bert-eval -m many --label-separator ';' many.rec
tfrecord-cat -q --head 1 -o first.rec many.rec
head -n 2 many.p.csv >first.csv
works 'a single record' bert-eval -q --predictions first.csv first.rec
like "$(tail -n 2 out)" 'ROC AUC -: each label holds for all of the 1 examples or for none*  loss ?.????  (1 examples)' \
	'... has no curve, and the last line no area'

# numbers
awk -F, -v OFS=, 'NR == 1 { print "id,text,length,blanks"; next }
	/^[^"]*$/ { t = $2; print $1, t, length(t) / 100, gsub(/ /, "", t) / 10 }' dev.csv >numbers.csv
csv2tfrecord -q -i id -t text -l length numbers.csv | bert-tokenize -q -m vocab.txt -o one.rec
csv2tfrecord -q -i id -t text -l length,blanks --label-type float numbers.csv | bert-tokenize -q -m vocab.txt -o some.rec
for m in one some; do
	bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --steps 9 -o $m $m.rec
	bert-eval -q -m $m -o want $m.rec
	bert-predict -q -m $m -o $m.p.csv $m.rec
	bert-predict -q -m $m --format tensor -o $m.ts $m.rec
	for f in $m.p.csv $m.ts; do
		works "numbers: $f" bert-eval -q --task regression --predictions $f $m.rec
		same out want '... as the model'
	done
done

bert-eval -q --predictions some.p.csv some.rec >out
same out want 'several numbers are known by themselves'
works 'a stream says that it holds numbers' bert-eval -q --predictions one.ts one.rec
bert-eval -q -m one -o want one.rec
same out want '... as the model'
misuses "bert-eval: '-' is not a file: it is read twice, so write it to a file first" 'a pipe' \
	bert-eval --predictions - one.rec

# what does not match
sed 5d a.csv >short.csv
id=$(sed -n '5s/,.*//p' a.csv)
refuses "bert-eval: predictions 'short.csv': 1 of 32 records have an id without a row: '$id'" 'a missing id' \
	bert-eval --predictions short.csv dev.rec
{ cat a.csv; tail -n 1 a.csv | sed 's/^[^,]*/new/'; } >extra.csv
refuses "bert-eval: predictions 'extra.csv': 1 of 33 rows have an id without a record: 'new' (the first is row 33)" \
	'a strange id' bert-eval --predictions extra.csv dev.rec
{ cat a.csv; sed -n 5p a.csv; } >twice.csv
refuses "bert-eval: predictions 'twice.csv': row 33: the id '$id' stands in row 4, too, and rows and records are not the same in their order: they differ from row 33 on" \
	'an id twice' bert-eval --predictions twice.csv dev.rec
cat dev.rec dev.rec >dev2.rec
bert-predict -q -m a --proba -o dev2.csv dev2.rec 2>err
bert-predict -q -m a -o dev2.ts dev2.rec 2>err
for f in csv ts; do
	works "records whose ids come again: $f" bert-eval -q --predictions dev2.$f --json dev2.rec
	like "$(cat out)" '*"examples": 64,*' 'match in their order'
done
{ sed -n 1p dev2.csv; sed 1d dev2.csv | sort; } >sorted.csv
refuses "*'sorted.csv': row 2: the id '*' stands in row 1, too, and rows and records are not the same in their order: they differ from row [12] on" \
	'in another order' bert-eval --predictions sorted.csv dev2.rec
refuses "*record 33: another record has the id *, too" 'a record twice' \
	bert-eval --predictions a.csv dev.rec dev.rec
sed '$d' noid.csv >noid2.csv
refuses "*'noid2.csv': 31 rows for 32 records, and no ids to match them by" 'a missing row' \
	bert-eval --predictions noid2.csv dev.rec
cut -d, -f1-5 a.csv >columns.csv
refuses "*'columns.csv': no column is for the label 'wifi_access' that records have" 'a missing column' \
	bert-eval --predictions columns.csv dev.rec
refuses "*'columns.csv': 3 columns of labels, but the first file has 4" '... of another file' \
	bert-eval --predictions a.csv --predictions columns.csv dev.rec
sed '7s/,[a-z_]*,/,odd,/' a.csv >odd.csv
refuses "*predictions 'odd.csv': row 6: 'odd' is not one of the 4 labels" 'an unknown label' \
	bert-eval --predictions odd.csv dev.rec
sed '3s/[^,]*$/high/' a.csv >word.csv
refuses "*predictions 'word.csv': record 2 (line 3): column 'wifi_access': 'high' is not a number" 'a word' \
	bert-eval --predictions word.csv dev.rec
sed '3s/[^,]*$/1.5/' a.csv >big.csv
refuses "*predictions 'big.csv': record 2 (line 3): column 'wifi_access': 1.5 is not a probability" 'a logit' \
	bert-eval --predictions big.csv dev.rec
cut -d, -f1 a.csv >ids.csv
refuses "*predictions 'ids.csv': no column holds predictions of classes: its only column is 'id' (*" 'ids alone' \
	bert-eval --predictions ids.csv dev.rec
tr , ';' <a.csv >semicolons.csv
refuses "*'semicolons.csv': no column * is 'id;label;*' (columns are divided by commas, or by tabs in a file [*].tsv)" \
	'columns divided by semicolons' bert-eval --predictions semicolons.csv dev.rec
head -n 1 a.csv >empty.csv
refuses "*'empty.csv': holds no rows" 'no rows' bert-eval --predictions empty.csv dev.rec
refuses "*'l.csv': labels alone, which cannot be averaged (--proba writes probabilities)" 'two of labels' \
	bert-eval --predictions l.csv --predictions a.csv dev.rec
printf 'text,x,y\na,0,0\nb,0,0\n' | csv2tfrecord -q -l x,y | bert-tokenize -q -m vocab.txt |
	tfrecord-cat -q --json | sed 's/, "label_ids": [^]]*]//; s/, "label_names": [^]]*]//' |
	tfrecord-cat -q --from-json -o none.rec
printf 'label\n""\n""\n' >none.csv
refuses "*neither records nor predictions 'none.csv' name a label" 'no label at all' \
	bert-eval --task multilabel --predictions none.csv none.rec
printf '\110\0\0\0\0\0\0\0%-72s' '{"logits":{"dtype":"F32","shape":[2,0],"data_offsets":[0,0]}}' >none.safetensors
tensor-cat -q --from-safetensors -o none.ts none.safetensors
refuses "*has neither rows of logits nor of probabilities" 'tensors without columns' bert-eval --predictions none.ts dev.rec
misuses "*'a.csv'*" 'the report in place of the predictions' bert-eval --predictions a.csv -o a.csv dev.rec
head -c 300 a.ts >cut.ts
refuses "*'cut.ts'*" 'a cut stream' bert-eval --predictions cut.ts dev.rec
refuses "*no record has a label*" 'no labels' bert-eval --predictions a.csv nolabel.rec
printf 'Anna B-PER\nreads O\n' >words.txt
conll2tfrecord -q words.txt | bert-tokenize -q -m vocab.txt -o words.rec
refuses "*'words.rec': record 1: holds words with tags, and files of predictions are of texts (-m DIR*" 'tags' \
	bert-eval --predictions words.txt words.rec
misuses '*thresholds need probabilities, and there are labels alone' 'nothing to tune' \
	bert-eval --predictions l.csv --tune-threshold f1 -o t3 dev.rec
misuses '*give either -m DIR or --predictions FILE' 'both' bert-eval -m a --predictions a.csv dev.rec
misuses '*need a model: give -m DIR' 'other reports' bert-eval --predictions a.csv --errors 3 dev.rec
misuses '*--task is for --predictions*' 'the task of a model' bert-eval -m a --task regression dev.rec
# a regression's label beside its prediction
printf 'text,score\na,1\nb,2\nc,3\nd,4\n' >n.csv
csv2tfrecord -q -t text -l score n.csv | bert-tokenize -q -m vocab.txt -o n.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --steps 2 -o n n.rec
bert-predict -q -m n -o plain.csv n.rec
bert-predict -q -m n --with label --header id,predicted -o beside.csv n.rec
works 'numbers' bert-eval -q --predictions plain.csv --task regression n.rec
cp out plain.txt
refuses "*'beside.csv': behind the column 'label' stands 'predicted': which of them*" \
	'the truth is not taken for the prediction' \
	bert-eval --predictions beside.csv --task regression n.rec
sed '1s/label/truth/' beside.csv >truth.csv
works 'the last column' bert-eval -q --predictions truth.csv --task regression n.rec
same out plain.txt 'has the predictions'

# numbers that are all equal: 20, whose mean is rounded
awk 'BEGIN { print "id,text,y,same"; for (i = 0; i < 20; i++) print i ",a,0." i % 7 ",0.1" }' >equal.csv
cut -d, -f1,3 equal.csv >guess.csv
cut -d, -f1,4 equal.csv >same.csv
csv2tfrecord -q -i id -t text -l y equal.csv | bert-tokenize -q -m vocab.txt -o y.rec
csv2tfrecord -q -i id -t text -l same equal.csv | bert-tokenize -q -m vocab.txt -o same.rec
measures() { # PREDICTIONS RECORDS: as scikit-learn and SciPy have them
	bert-eval -q --json --task regression --predictions "$1" "$2" | tr -d ' \n' |
		sed 's/.*\("r2".*\)}.*/\1/' | tr , '\n' | grep '^"\(r2\|pearson\|spearman\)"' | sort | tr '\n' ' '
}
is "$(measures same.csv y.rec | cut -d ' ' -f 1,3)" '"pearson":null "spearman":null' \
	'equal predictions have no correlation'
is "$(measures guess.csv same.rec)" '"pearson":null "r2":0.0 "spearman":null ' 'nor have equal truths, and R2 is 0'
is "$(measures same.csv same.rec)" '"pearson":null "r2":1.0 "spearman":null ' '... or 1 where all is right'
finish
