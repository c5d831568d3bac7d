#!/bin/sh
# SPDX-License-Identifier: MIT
# How often int8 predicts the same is measured, kept in the model directory and asked for.
# Not under thread: the threads are those of cli/bert-eval/report
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"

# share A B: of equal labels in two files of predictions
share() { paste -d, "$1" "$2" | awk -F, 'NR > 1 { n++; same += $2 == $4 } END { printf "%d of %d\n", same, n }'; }
accuracy() { bert-eval -q -m a --dtype "$1" --json dev.rec | sed -n 's/^ "accuracy": \(.*\),/\1/p' | awk '{ printf "%.6f", $1 }'; }

small_data
small_train a -q --epochs 2 --learning-rate 3e-3
works 'before' bert-predict -m a --dtype int8 -o i8.csv dev.rec
like "$(cat err)" '*nobody measured how often '\''a'\'' predicts the same in int8 (measure it with bert-eval --dtype int8 --min-agreement)*' \
	'a model that was never measured'
works 'another type' bert-predict -m a -o auto.csv dev.rec
is "$(grep -c measured err)" 0 'is not warned of'
works 'it is measured' bert-eval -m a --dtype int8 --min-agreement .01 dev.rec
like "$(cat out)" "$(share i8.csv auto.csv) predictions in int8 and *f* are equal: *" 'and has the share of the files'
like "$(cat out)" "*accuracy: $(accuracy int8) in int8, $(accuracy auto) in *f*: a drop of *" 'and the accuracies'
works 'after' bert-predict -m a --dtype int8 -o again.csv dev.rec
is "$(grep -c measured err)" 0 'no warning'
works 'as JSON' bert-eval -q -m a --dtype int8 --min-agreement .01 --json dev.rec
like "$(cat out)" '*"predictions": *"equal": *"least": 0.01*"metric": "accuracy"*' 'what is kept'
cp out all
works 'one thread' bert-eval -q -j1 -m a --dtype int8 --min-agreement .01 --json dev.rec
same out all 'any number of threads'

# many labels, of which a model is not sure yet
csv2tfrecord -q -i id -t text -l intent "$TEST_TOP/pipelines/data/library-train.csv" | bert-tokenize -q -m vocab.txt -o all.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 60 --learning-rate 3e-3 -o b all.rec
bert-predict -q -m b --dtype int8 all.rec >b8.csv 2>err
bert-predict -q -m b all.rec >b.csv
is "$(share b8.csv b.csv | awk '{ print ($1 < $3) }')" 1 'some predictions differ'
exits 1 'that is refused' bert-eval -m b --dtype int8 --min-agreement 1 all.rec
like "$(cat err)" '*int8 predicts the same for a share of 0.* only: 1 was asked for*' 'with a message'
like "$(cat out)" "$(share b8.csv b.csv) predictions*" 'and the report'
works 'it predicts nevertheless' bert-predict -m b --dtype int8 --summary s.json -o b8.csv all.rec
like "$(cat err)" '*'\''b'\'' predicts the same in int8 for a share of 0.* only: 1.0000 was asked for*' 'with a warning'
like "$(cat s.json)" '*"int8-differs"*' 'that has a code'
cp b/int8.json a
works 'the file of other weights' bert-predict -m a --dtype int8 -o i8.csv dev.rec
like "$(cat err)" '*'\''a/int8.json'\'' was measured with other weights (measure it *' 'is reported'
sed 's/"equal": [0-9]*/"equal": 999999/' b/int8.json >a/int8.json
refuses "*'a/int8.json': 'equal' is not a whole number from 0 to *" 'damage' bert-predict -m a --dtype int8 dev.rec
works 'matters to int8 alone' bert-predict -q -m a -o i8.csv dev.rec

# sets of labels, tags of words
awk -F, -v OFS=, 'NR == 1 { print "id,text,card,wifi"; next }
	/^[^"]*$/ { $3 = (/card/ ? 1 : 0) OFS (/wifi/ ? 1 : 0); print }' dev.csv >many.csv
csv2tfrecord -q -i id -t text -l card,wifi many.csv | bert-tokenize -q -m vocab.txt -o many.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --learning-rate 1e-3 --steps 9 -o many many.rec
works 'sets of labels' bert-eval -q -m many --dtype int8 --min-agreement .01 many.rec
bert-predict -q -m many --dtype int8 many.rec >m8.csv
bert-predict -q -m many many.rec >m.csv
like "$(cat out)" "$(share m8.csv m.csv) predictions in int8*" 'have the share of the files'

# what is refused
csv2tfrecord -q -i id -t text -l card --label-type float many.csv 2>/dev/null | bert-tokenize -q -m vocab.txt -o num.rec 2>/dev/null
bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --steps 1 -o num num.rec
exits 2 'a number' bert-eval -m num --dtype int8 --min-agreement .9 num.rec
like "$(cat err)" '*the model learnt to * only predicted labels can be compared*' 'is not compared'
works 'and not warned of' bert-predict -m num --dtype int8 -o n.csv num.rec
is "$(grep -c measured err)" 0 'as it cannot be measured'
misuses '*--min-agreement needs --dtype int8 and one -m DIR*' 'another type' bert-eval -m a --min-agreement .9 dev.rec
misuses '*--min-agreement reads the records twice: give files*' 'a pipe' bert-eval -m a --dtype int8 --min-agreement .9
misuses '*have their own reports*' 'another report' bert-eval -m a --dtype int8 --min-agreement .9 --errors 3 dev.rec
finish
