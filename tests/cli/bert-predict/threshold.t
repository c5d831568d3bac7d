#!/bin/sh
# SPDX-License-Identifier: MIT
# --threshold of models that choose between two classes, in bert-predict and bert-eval.
# Not under thread: the threads are those of cli/bert-predict/output
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=tiny
small_data
for f in train dev; do
	awk -F, 'NR == 1 || /,(parking|wifi_access)$/' $f.csv |
		csv2tfrecord -q -i id -t text -l intent | bert-tokenize -q -m vocab.txt -o $f.rec
done
small_train a -q --epochs 2 --learning-rate 3e-4
small_train b -q --epochs 2 --learning-rate 3e-4 --seed 7
bert-predict -q -m a --proba -o a.csv dev.rec
bert-predict -q -m a -m b --proba -o ab.csv dev.rec
n=0
# a threshold that divides the records by a column of probabilities
middle() { sed 1d "$1" | cut -d, -f"$2" | sort -g | awk '{ v[NR] = $1 } END { print v[int(NR / 4)] }'; }
# FILE COLUMN X LABEL OTHER: what is to be predicted
wanted() { awk -F, -v c="$2" -v x="$3" -v l="$4" -v o="$5" -v OFS=, \
	'NR > 1 { $2 = $c >= x ? l : o } { print }' "$1"; }
is "$(head -n 1 a.csv)" id,label,parking,wifi_access 'two classes'

x=$(middle a.csv 3)
wanted a.csv 3 "$x" parking wifi_access >want
works 'a threshold for a label' bert-predict -m a --threshold "parking=$x" --proba -o got dev.rec
same got want 'decides between both; a probability that equals it is enough'
like "$(cat err)" "*'parking' is predicted where its probability is at least 0.*, else 'wifi_access'
*predicted *parking [0-9]*, wifi_access [0-9]*" 'which is said'
is "$(cut -d, -f2 got | sort -u | tr '\n' ' ')" 'label parking wifi_access ' '... and both occur'
is "$(cut -d, -f2 a.csv | cmp -s - got && echo same)" '' 'other labels than without'
x2=$(middle a.csv 4)
wanted a.csv 4 "$x2" wifi_access parking >want2
works 'a number alone' bert-predict -m a --threshold "$x2" --proba -o got2 dev.rec
same got2 want2 'is that of the second label'
like "$(cat err)" "*'wifi_access' is predicted where *" '... which is said'
echo "parking,$x" >file.csv
bert-predict -q -m a --threshold @file.csv --proba -o got3 dev.rec
same got3 want 'from a file'
bert-predict -q -m a --threshold 1 dev.rec >got3
is "$(sed 1d got3 | cut -d, -f2 | sort -u)" parking 'a threshold of 1'

like "$(bert-predict -q -m a --threshold "parking=$x" --format jsonl dev.rec | tr -d '{}"' |
	awk -F'[:,] ' '{ print $2 "," $4 "," $6 }')" \
	"$(awk -F, 'NR > 1 { print $1 "," $2 "," ($2 == "parking" ? $3 : $4) }' want)" \
	'JSON Lines have the answer with its probability'
bert-predict -q -m a --threshold "parking=$x" --format tfrecord -o got.rec dev.rec
is "$(tfrecord-cat -q --json got.rec | sed 's/.*"label": "\([a-z_]*\)".*/\1/')" \
	"$(sed 1d want | cut -d, -f2)" 'and records'
bert-predict -q -m a --threshold "parking=$x" --map-label parking=P dev.rec |
	sed 's/,P$/,parking/' >got
cut -d, -f1,2 want >short
same got short 'labels keep the names of the model for thresholds'

# averages
x=$(middle ab.csv 3)
wanted ab.csv 3 "$x" parking wifi_access >wantab
bert-predict -q -m a -m b --threshold "parking=$x" --proba -o got dev.rec
same got wantab 'several models: the mean is compared'

# submissions
{ echo id,intent; sed '1d; s/,.*/,parking/' a.csv; } >sample.csv
bert-predict -q -m a -m b --threshold "parking=$x" --sample sample.csv dev.rec | cut -d, -f2 | sed 1d >got
sed 1d wantab | cut -d, -f2 >short
same got short 'a sample gets the labels'
{ echo id,wifi_access,parking; sed '1d; s/,.*/,0,0/' a.csv; } >sample.csv
bert-predict -q -m a -m b --threshold "parking=$x" --sample sample.csv dev.rec | cut -d, -f2,3 | sed 1d >got
sed 's/parking/0,1/; s/wifi_access/1,0/' short >want3
same got want3 'its columns of classes 1 and 0'

# bert-eval
truth=$(awk '/,(parking|wifi_access)$/' dev.csv | sed 's/.*,//')
right() { sed 1d "$1" | cut -d, -f2 | { echo "$truth" | paste -d' ' - /dev/fd/3; } 3<&0 |
	awk '{ n += $1 == $2 } END { printf "%.4f", n / NR }'; }
x=$(middle a.csv 3)
works 'bert-eval' bert-eval -m a --threshold "parking=$x" dev.rec
like "$(cat err)" "*'parking' is predicted where *" 'says the same'
like "$(tail -n 1 out)" "accuracy $(right want)*" 'and counts these answers'
is "$(bert-eval -q -m a --threshold "parking=$x" --json dev.rec | sed -n 's/ "accuracy": \([0-9.]*\),/\1/p' |
	awk '{ printf "%.4f", $1 }')" "$(right want)" '... in JSON'
is "$(bert-eval -q -m a --json dev.rec | grep '^ "loss"')" \
	"$(bert-eval -q -m a --threshold "parking=$x" --json dev.rec | grep '^ "loss"')" 'the loss stays'
like "$(bert-eval -q -m a --threshold 1 --errors 1000 dev.rec | sed '1,/^most wrong/d' |
	sed -n 's/.*-> \([a-z_]*\) .*/\1/p' | sort -u)" parking 'worst examples show them'
like "$(bert-eval -q -m a --threshold 1 --by label dev.rec | awk '$1 == "wifi_access" { a = $3 } END { print a }')" \
	0.0000 'groups, too'
bert-eval -q -m a -m b --threshold "parking=$(middle ab.csv 3)" dev.rec >got
like "$(tail -n 1 got)" "accuracy $(right wantab)*" 'and averages'
like "$(bert-eval -q -m a --compare a --threshold "parking=$x" dev.rec | tail -n 2)" \
	'*A alone 0, B alone 0, *' 'both models that are compared'

# what is refused
for tool in predict eval; do
	misuses "*thresholds: give that of one of 'parking' and 'wifi_access', which decides about both" \
		"bert-$tool: two for two" bert-$tool -m a --threshold parking=.3,wifi_access=.7 dev.rec
	misuses "*thresholds: 'odd' is not one of the model's 2 labels*" "bert-$tool: no label" \
		bert-$tool -m a --threshold odd=.5 dev.rec
	for value in x 0 2 parking=x parking=; do
		misuses '*threshold*' "bert-$tool: no threshold: $value" bert-$tool -m a --threshold "$value" dev.rec
	done
done
misuses '*do not combine --threshold with --top*' 'the likeliest' \
	bert-predict -m a --threshold .3 --top 2 dev.rec
misuses '*cannot be given one name' 'one name for both' \
	bert-predict -m a --threshold .3 --map-label parking=wifi_access dev.rec
small_data
small_train four -q --steps 1
for tool in predict eval; do
	misuses "*the model has 4 classes, and a threshold chooses between two (--threshold applies to models of two classes, multi-label models and regression)" \
		"bert-$tool: four classes" bert-$tool -m four --threshold .3 dev.rec
done

# transformers writes no names of two classes; num_labels alone numbers them, too
cp -r a bare
bert-predict -q -m a --proba --format csv dev.rec >named.csv
# CONFIGURATION: bare has it, with other members in place of its names
unnamed() { perl -0pe 's/"(id2label|label2id)": \{[^}]*\},?\s*//g; s/,\s*}/}/g; s/\{/{'"$1"'/' a/config.json >bare/config.json; }
unnamed ''
bert-predict -q -m bare --proba --format csv dev.rec >bare.csv
is "$(head -n 1 bare.csv)" id,label,LABEL_0,LABEL_1 'two classes without names are numbered'
is "$(cut -d, -f3- bare.csv | sed 1d)" "$(cut -d, -f3- named.csv | sed 1d)" '... and have their probabilities'
unnamed '"num_labels": 2,'
bert-predict -q -m bare --proba --format csv dev.rec | cmp -s - bare.csv
result $? '... as many as num_labels says'
unnamed '"num_labels": 3,'
refuses "*'classifier.weight' has shape \[2, 128\], the configuration asks for \[3, 128\]*" 'not others' \
	bert-predict -m bare dev.rec
unnamed '"num_labels": 1,'
refuses "*does not hold a trained classifier: its configuration names 1 label (*" 'nor one' bert-predict -m bare dev.rec
perl -pe 's/^\{/{"num_labels": 2,/' a/config.json >bare/config.json
bert-predict -q -m bare --proba --format csv dev.rec | cmp -s - named.csv
result $? 'of as many, the names count'
perl -pe 's/^\{/{"num_labels": 2,/; s/"id2label": \{/"id2label": {"2": "third",/' a/config.json >bare/config.json
bert-predict -q -m bare --proba --format csv dev.rec | cmp -s - bare.csv
result $? '... and of another number num_labels, as in transformers'
unnamed '"num_labels": -3,'
refuses "*'bare/config.json': 'num_labels' is not a whole number from 1 to *" 'nor none' bert-predict -m bare dev.rec
unnamed ''
sed 's/ForSequenceClassification/ForMaskedLM/' bare/config.json >bare/c && mv bare/c bare/config.json
refuses '*does not hold a trained classifier*' 'a model of another class has none' bert-predict -m bare dev.rec

# one output is a number, as in models that rank
printf 'text,score\na,1\nb,2\nc,3\nd,4\n' | csv2tfrecord -q -t text -l score --label-type float |
	bert-tokenize -q -m vocab.txt -o score.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --epochs 1 -o r score.rec
bert-predict -q -m r score.rec >number.csv
perl -0pi -e 's/"problem_type": "regression",?\s*//; s/,\s*}/}/g' r/config.json
works 'one output without a task' bert-predict -q -m r score.rec
same out number.csv '... is a number'
finish
