#!/bin/sh
# SPDX-License-Identifier: MIT
# Cross-validation: a model for each fold, the folds of tfrecord-cat, predictions of all records.
# Not under isa: the trainings are those of cli/bert-train/train
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
fold() { # OUT [OPTION ...]
	out=$1
	shift
	bert-train --init-config tiny --tokenizer vocab.txt --epochs 2 --learning-rate 4e-3 \
		--batch-size 16 -o "$out" "$@"
}
works 'three folds' fold k --kfold 3 train.rec
cp out table
like "$(cat table)" 'metric *mean *deviation *all *fold   1 *fold   2 *fold   3
loss *
accuracy *' 'the metrics of each'
like "$(cat err)" '*fold 1 of 3*fold 2 of 3*fold 3 of 3*' 'tells which it is'
is "$(tail -n 1 err)" "bert-train: 3 models written to 'k', and to 'k/out-of-fold.ts' what each predicts of its fold" \
	'... and where the results are'
awk 'NR > 1 { n = 0; for (i = 5; i <= 7; i++) { s[NR] += $i; n++ } m = s[NR] / 3
	v = 0; for (i = 5; i <= 7; i++) v += ($i - m) ^ 2; v = sqrt(v / 2)
	if (($2 - m) ^ 2 > 1e-8 || ($3 - v) ^ 2 > 1e-8) print "bad", $0 }' table >got
is "$(cat got)" '' 'mean and deviation'

# the folds are those of tfrecord-cat, and the models those of their records
tfrecord-cat -q --kfold 3 --stratify label -o f train.rec
for i in 1 2 3; do
	fold single-$i -q f-train-$i
	same single-$i/model.safetensors k/fold-$i/model.safetensors "fold $i is a run without it"
	is "$(bert-eval -q -m single-$i f-test-$i | tail -n 1 | awk '{ print $2, $4 }')" \
		"$(awk -v c=$((i + 4)) '$1 == "accuracy" { a = $c } $1 == "loss" { l = $c } END { print a, l }' table)" \
		'its metrics are those of what was left out'
done
bert-eval -q --predictions k/out-of-fold.ts --json train.rec >oof.json
is "$(sed -n 's/^ "accuracy": \(.*\),/\1/p' oof.json | awk '{ printf "%.4f", $1 }')" \
	"$(awk '$1 == "accuracy" { print $4 }' table)" 'the file of predictions has all records'
is "$(sed -n 's/^ "examples": \(.*\),/\1/p' oof.json)" "$(tfrecord-cat -q --count train.rec)" 'once each'
works 'label issues are found by it' bert-eval -q --predictions k/out-of-fold.ts --label-issues issues.csv train.rec
tensor-cat -q --csv k/out-of-fold.ts | sed 1d | cut -d, -f1 >got
tfrecord-cat -q --json train.rec | sed 's/.*"id": "\([^"]*\)".*/\1/' >want
same got want 'in the order of the records'
like "$(cat k/folds.json)" '*"folds": 3*"accuracy": {*"mean": *"deviation": *"all": *"folds": [[]*' 'the metrics as JSON'
touch k/.out-of-fold.ts.123.1.new k/.folds.json.123.2.new k/.mine.ts
works 'again, after a run that was killed' fold k -q --kfold 3 train.rec
is "$(cd k && echo .[a-z]*)" .mine.ts 'what that left is gone'
works 'all models predict together' bert-predict -q -m k/fold-1 -m k/fold-2 -m k/fold-3 --proba dev.rec
cp out want
works 'by their directory' bert-predict -q -m k --proba dev.rec
same out want 'the same'
bert-eval -q -m k/fold-1 -m k/fold-2 -m k/fold-3 dev.rec >want
works 'it is evaluated' bert-eval -q -m k dev.rec
same out want 'the same'
misuses '*--calibrate and --coverage take one -m DIR*' 'several models' bert-eval -m k --calibrate temperature dev.rec

works 'its records are tokenized by it' bert-tokenize -q -m k --lines --format ids vocab.txt
cp out want
works 'as by a fold' bert-tokenize -q -m k/fold-2 --lines --format ids vocab.txt
same out want 'the same'

# rows that come again
cat train.rec dev.rec dev.rec >twice.rec
works 'ids that come again' fold t --steps 2 --kfold 2 twice.rec
like "$(cat err)" '*warning: [0-9]* of [0-9]* texts also occur in folds that*' 'a leak is warned of'
cp out twice
works 'can be evaluated' bert-eval -q --predictions t/out-of-fold.ts --json twice.rec
is "$(sed -n 's/^ "accuracy": \(.*\),/\1/p' out | awk '{ printf "%.4f", $1 }')" \
	"$(awk '$1 == "accuracy" { print $4 }' twice)" 'as the folds were'

# a label with fewer texts than folds, and one that is not evaluated
printf 'text,label\n' >rare.csv
for i in $(seq 120); do echo "a text of $i words,$([ $i -gt 2 ] && echo no || echo yes)" >>rare.csv; done
csv2tfrecord -q -l label rare.csv | bert-tokenize -q -m vocab.txt -o rare.rec
works 'a rare label' fold rare --steps 1 --kfold 3 rare.rec
is "$(grep -c 'warning: 1 label has fewer texts than there are folds: not every fold tests it$' err)" 1 'is warned of once'
tfrecord-cat -q --where label=no -o no.rec rare.rec
works 'evaluation without it' bert-train --init-config tiny --tokenizer vocab.txt --steps 1 --eval no.rec -o no rare.rec
like "$(cat err)" "*warning: all 118 examples for evaluation have the label 'no': metrics do not tell how others are learned
*" '... is warned of'

# stopped and run again: the same bits
fold r --kfold 3 --save-steps 2 --max-minutes 1e-5 train.rec >again 2>err
like "$(cat err)" '*time limit reached: stopped after step * of *; run the same command to resume*' 'stopped'
is "$(ls r/fold-3 2>&1 | grep -c cannot)$(wc -c <again | tr -d ' ')" 10 'before the last fold'
fold r --kfold 3 --save-steps 2 --max-minutes 1e-5 train.rec >again 2>err
like "$(cat err)" '*fold 1 of 3 goes on*' 'it goes on'
fold r -q --kfold 3 --save-steps 2 --max-minutes .003 train.rec >again 2>err # wherever that is
[ -s again ] || fold r -q --kfold 3 --save-steps 2 train.rec >again
for i in 1 2 3; do same r/fold-$i/model.safetensors k/fold-$i/model.safetensors "fold $i went on"; done
same again table 'the same metrics'
same r/out-of-fold.ts k/out-of-fold.ts 'and predictions'
works 'finished folds stay' fold r --kfold 3 train.rec
like "$(cat err)" '*fold 1 of 3 is finished*fold 3 of 3 is finished*' 'as they are'
same out table 'the metrics are there again'
for o in '--kfold 4:folds was 3, is 4' '--kfold 3 --seed 5:seed was 42, is 5' \
	'--kfold 3 --group-by id:group_by was null, is "id"'; do
	# shellcheck disable=SC2086
	misuses "*'r' has models of other folds: ${o#*:} (give another output directory, or --force)" \
		"other folds, of which models know texts: ${o%:*}" fold r ${o%%:*} train.rec
done
# a file that has grown: folds are others, and models know texts of those that they would predict
cp train.rec grows.rec
works 'a file' fold grown -q --steps 2 --kfold 2 grows.rec
cat dev.rec >>grows.rec
misuses "*'grown/folds.json' is of other records than given now (give another output directory, or --force)*" \
	'that has grown' fold grown --steps 2 --kfold 2 grows.rec
works 'is trained on anew' fold grown -q --steps 2 --kfold 2 --force grows.rec
works 'and has finished folds' fold grown --steps 2 --kfold 2 grows.rec
like "$(cat err)" '*fold 1 of 2 is finished*' 'of its own'
grep -v '"data"' grown/folds.json >older
cp older grown/folds.json
works 'what earlier versions wrote goes on' fold grown --steps 2 --kfold 2 grows.rec
like "$(cat err)" '*fold 1 of 2 is finished*' 'as it is'

misuses "*'grown' has models of folds, and tools would take the new one instead of them (give another output directory, or --force)*" \
	'one model in the directory of folds' bert-train -q --init-config tiny --tokenizer vocab.txt --steps 1 -o grown grows.rec

# a model to start from that was trained anew
small_train start -q
started() { bert-train -m start --steps 2 -o started --kfold 2 "$@" train.rec; }
works 'folds of a model' started -q
small_train start -q --seed 5
misuses "*'started/folds.json' is of another starting model than given now (give another output directory, or --force)*" \
	'that is another now' started
works 'are replaced' started -q --force
works 'and finished' started
like "$(cat err)" '*fold 1 of 2 is finished*' 'as those of any'

works 'unless they are replaced' fold r --kfold 3 --force --seed 5 train.rec
is "$(cmp -s r/fold-1/model.safetensors k/fold-1/model.safetensors && echo same)" '' 'by others'
mv r/fold-2 stays
touch r/fold-2
exits 1 '--force that comes to fold 2' fold r --kfold 3 --force --seed 6 train.rec
rm r/fold-2
works 'goes on without it' fold r --kfold 3 --seed 6 train.rec
is "$(grep -o 'fold . of 3 is finished' err)" 'fold 1 of 3 is finished' 'and takes no fold of before for its own'
works 'fewer folds' fold r -q --kfold 2 --force train.rec
bert-predict -q -m r/fold-1 -m r/fold-2 --proba dev.rec >want
bert-predict -q -m r --proba dev.rec >got
same got want 'are all that is left'

rm r/folds.json
misuses "*fold 1: 'r/fold-1' has a finished model, which the new one would replace (*" \
	'a fold of a division that no file tells' fold r -q --kfold 3 train.rec

# one thread or three
fold one -q -j1 --kfold 2 train.rec >a
fold three -q -j3 --kfold 2 train.rec >b
same a b 'any number of threads'
same one/out-of-fold.ts three/out-of-fold.ts 'the same predictions'

# another choice than by the fold itself; labels that any number of may hold; numbers
works 'with records to choose the best model by' fold e -q --kfold 2 --eval dev.rec train.rec
awk -F, -v OFS=, 'NR == 1 { print "id,text,card,wifi,length"; next }
	/^[^"]*$/ { $3 = (/card/ ? 1 : 0) OFS (/wifi/ ? 1 : 0) OFS length($2) / 50; print }' dev.csv >many.csv
csv2tfrecord -q -i id -t text -l card,wifi many.csv | bert-tokenize -q -m vocab.txt -o many.rec
csv2tfrecord -q -i id -t text -l length --label-type float many.csv | bert-tokenize -q -m vocab.txt -o num.rec
works 'labels' fold m -q --kfold 2 --task multilabel many.rec
like "$(cat out)" '*micro_f1 *' 'have theirs'
bert-eval -q --predictions m/out-of-fold.ts many.rec >report
like "$(cat report)" '*micro avg*' 'and their file'
works 'numbers' fold n -q --kfold 2 --task regression num.rec
like "$(cat out)" '*rmse *' 'have theirs, too'
tfrecord-cat -q --kfold 2 -o g num.rec
fold single -q --task regression g-train-2
same single/model.safetensors n/fold-2/model.safetensors 'whose folds are those of tfrecord-cat without --stratify'

# a text that is cut into windows is in one fold
csv2tfrecord -q -i id -t text -l intent train.csv |
	bert-tokenize -q -m vocab.txt --max-length 12 --stride 4 -o win.rec
works 'windows' fold w -q --kfold 3 win.rec
is "$(bert-eval -q --predictions w/out-of-fold.ts win.rec | tail -n 1 | awk '{ print $2 }')" \
	"$(awk '$1 == "accuracy" { print $4 }' out)" 'of a text stay together'

# groups: no value in two folds
awk -F, -v OFS=, 'NR == 1 { print $0, "who"; next } { print $0, "user" NR % 13 }' train.csv |
	csv2tfrecord -q -i id -t text -l intent --keep who | bert-tokenize -q -m vocab.txt -o who.rec
works 'groups' fold u -q --kfold 3 --group-by who who.rec
cp out table
tensor-cat -q --csv u/out-of-fold.ts | sed 1d | awk -F, '{ printf "%s,%.4f\n", $1, $2 }' >all
tfrecord-cat -q --json who.rec | sed 's/.*"who": "\([^"]*\)".*/\1/' >values
# a record's fold is that of the model that has these logits for it
for i in 1 2 3; do
	bert-predict -q -m u/fold-$i --format tensor who.rec | tensor-cat -q --csv | sed 1d |
		awk -F, '{ printf "%s,%.4f\n", $1, $2 }' | paste -d, all - values |
		awk -F, '$2 == $4 { print $5 }' | sort -u >group-$i
done
is "$(cat group-1 group-2 group-3 | wc -l | tr -d ' ')" 13 'each is in one fold'
is "$(cat group-1 group-2 group-3 | sort -u | wc -l | tr -d ' ')" 13 'only'
works 'of numbers' fold v -q --kfold 2 --task regression --group-by id num.rec
refuses "*text 1: has no feature 'nobody'*" 'a feature that is not there' fold few --kfold 2 --group-by nobody train.rec
refuses '*20 folds need as many groups, and there are 13*' 'too few groups' fold few --kfold 20 --group-by who who.rec
misuses '*--group-by needs --kfold*' 'groups alone' fold few --group-by who who.rec

works 'a dry run' fold dry --kfold 3 --dry-run train.rec
is "$(ls dry 2>&1 | grep -c cannot)" 1 'writes nothing'
refuses "bert-train: fold 1: no model directory 'nowhere'*" 'the message about a missing model comes first' \
	bert-train -m nowhere -o none --kfold 2 train.rec
[ ! -e none ]
result $? 'and leaves no directory'
tfrecord-cat -q --head 2 train.rec >few.rec
refuses '*3 folds need as many records*' 'too few records' fold few --kfold 3 few.rec
misuses '*--kfold reads the records once for each fold: give files*' 'standard input' fold few --kfold 3 <train.rec
misuses '*--kfold does not go with*' 'a teacher' fold few --kfold 3 --teacher k/out-of-fold.ts train.rec
misuses '*--kfold*' 'one fold' fold few --kfold 1 train.rec
misuses '*folds are of texts with labels or numbers*' 'masked tokens' fold few --kfold 2 --task masked-lm train.rec
fold plain -q --steps 1 train.rec
misuses "*'plain' has a finished model, which would be taken in place of those of the folds (*--force*" \
	'a model in the place of the folds' fold plain --kfold 2 --steps 1 train.rec
[ ! -e plain/fold-1 ]
result $? 'nothing is trained then'
works 'is replaced if that is asked for' fold plain -q --kfold 2 --steps 1 --force train.rec
[ -e plain/fold-2/config.json ] && [ ! -e plain/config.json ] && [ ! -e plain/model.safetensors ]
result $? 'by those of the folds'
finish
