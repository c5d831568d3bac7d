#!/bin/sh
# SPDX-License-Identifier: MIT
# The same training with several seeds.
# Not under isa: the trainings are those of cli/bert-train/train
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
seeds() { # OUT [OPTION ...]
	out=$1
	shift
	bert-train --init-config tiny --tokenizer vocab.txt --epochs 2 --learning-rate 4e-3 \
		--batch-size 16 --eval dev.rec -o "$out" "$@"
}
works 'three seeds' seeds s --seeds 3 --seed 7 train.rec
cp out table
like "$(cat table)" 'seed *accuracy
7 *
8 *
9 *
mean *
deviation *' 'a line each'
for i in 7 8 9; do
	seeds one-$i -q --seed $i train.rec
	same one-$i/model.safetensors s/seed-$i/model.safetensors "seed $i is a run with it"
done
for i in 7 8 9; do bert-eval -q -m s/seed-$i dev.rec | tail -n 1 | awk '{ print $2 }'; done >values
sed -n 2,4p table | awk '{ print $2 }' >got
same got values 'the metric of its model'
awk '{ x[NR] = $1; s += $1; if (NR == 1 || $1 > b) { b = $1; k = NR } } END { m = s / 3
	for (i in x) v += (x[i] - m) ^ 2; printf "%.3f %.3f %d\n", m, sqrt(v / 2), k + 6 }' values >want
awk '$1 == "mean" { m = $2 } $1 == "deviation" { d = $2 } /the best/ { k = $1 }
	END { printf "%.3f %.3f %d\n", m, d, k }' table >got
same got want 'mean, deviation and the best'
like "$(cat s/seeds.json)" '*"metric": "accuracy"*"seeds": {*"7": *"9": *"best": *' 'as JSON'
touch s/.seeds.json.123.1.new
works 'again' seeds s -q --seeds 4 --seed 7 train.rec
is "$(sed -n 2,4p out | cut -c1-30)" "$(sed -n 2,4p table | cut -c1-30)" 'finished runs stay'
[ ! -e s/.seeds.json.123.1.new ]
result $? 'what a killed run left is gone'
is "$(sed -n 5p out | cut -d' ' -f1)" 10 'one more is trained'

misuses "*'s/seeds.json' has values of the metric 'accuracy', and these would be of 'loss' (give another *" \
	'another metric' seeds s -q --seeds 4 --seed 7 --metric loss train.rec
cat train.rec dev.rec >grows.rec
misuses "*'s/seeds.json' is of other records than given now (give another *" \
	'other records' seeds s -q --seeds 4 --seed 7 grows.rec
misuses "*'s/seeds.json' is of other records *" 'others to evaluate on' \
	seeds s -q --seeds 4 --seed 7 --override --eval train.rec train.rec
count=$(tfrecord-cat -q --count train.rec)
tfrecord-cat -q --head $((count - 1)) -o less.rec train.rec
tfrecord-cat -q --tail 1 train.rec | cat - dev.rec >more.rec
misuses "*'s/seeds.json' is of other records *" 'the same ones, divided in another place' \
	seeds s -q --seeds 4 --seed 7 --override --eval more.rec less.rec
# another model to start from, or another teacher
small_train a -q
small_train b -q --seed 5
for x in a b; do bert-predict -q -m $x --proba -o $x.csv train.rec; done
taught() { # MODEL TEACHER [OPTION ...]
	cp -r "$1" start
	cp "$2" teacher.csv
	shift 2
	bert-train -q -m start --teacher teacher.csv --steps 1 --eval dev.rec -o taught --seeds 2 "$@" train.rec
	taught=$?
	rm -r start
	return $taught
}
works 'a model, taught' taught a a.csv
misuses "*'taught/seeds.json' is of another starting model than given now (give another *" 'the model was trained anew' taught b a.csv
misuses "*'taught/seeds.json' is of another teacher than given now (give another *" 'the teacher was' taught a b.csv
works 'all are as they were' taught a a.csv
works 'or the runs are replaced' taught b b.csv --force
works '... by those of others' taught b b.csv
cp "$DATA/two-layers.json" config.json
begin() { bert-train -q --init-config ./config.json --tokenizer vocab.txt --steps 1 --eval dev.rec -o begun --seeds 2 train.rec; }
works 'a configuration' begin
sed 's/"num_hidden_layers": *[0-9]*/"num_hidden_layers": 1/' "$DATA/two-layers.json" >config.json
misuses "*'begun/seeds.json' is of another configuration of the model than given now (give another *" 'another one' begin
mkfifo pipe
misuses "*'pipe' is not a file: it is read twice*" 'a teacher from a pipe' seeds piped -q --seeds 2 --teacher pipe train.rec
misuses "*bad value '1,2' for --seeds: expected a whole number from 2 to 1000, N: train N times, with --seed and those after it*" \
	'a list of seeds' seeds listed --seeds 1,2 train.rec
misuses "*'pipe' is not a file: it is read twice*" 'records from one' seeds piped -q --seeds 2 pipe
awk 'BEGIN { print "text,n"; for (i = 1; i < 30; i++) print "text " i "," i / 10 }' |
	csv2tfrecord -q -t text -l n --label-type float | bert-tokenize -q -m vocab.txt -o n.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --steps 1 -o n n.rec
numbers() { bert-train -q -m n --steps 1 --eval n.rec -o m --seeds 2 n.rec; }
works 'the metric of another task' numbers
cp out table
works 'again' numbers
same out table 'is the same when nothing is left to do'

# stopped and run again
seeds r --seeds 2 --save-steps 2 --max-minutes 1e-5 train.rec >again 2>err
like "$(cat err)" '*run the same command to resume*' 'stopped'
seeds r -q --seeds 2 --save-steps 2 train.rec >again
seeds t -q --seeds 2 train.rec >want
same again want 'it goes on'
for i in 42 43; do same r/seed-$i/model.safetensors t/seed-$i/model.safetensors "seed $i"; done
seeds r -q --seeds 3 --metric loss --force train.rec
seeds t -q --seeds 2 --metric loss --force train.rec
seeds t -q --seeds 3 --metric loss train.rec
same t/seeds.json r/seeds.json 'runs at two times come to the same numbers'
works 'replaced' seeds r --seeds 2 --epochs 1 --force train.rec
like "$(cat err)" '*seed 42*seed 43*' 'all of them'
cp out want
cp r/seed-42/model.safetensors first

bert-train -q --init-config tiny --tokenizer vocab.txt --epochs 100000 --save-minutes 0 \
	--eval dev.rec --seeds 2 --force -o r train.rec &
pid=$!
begun() { ! cmp -s first r/seed-42/model.safetensors || gone $pid; }
wait_for begun
kill -KILL $pid
wait $pid 2>/dev/null
seeds r -q --override --seeds 2 --epochs 1 train.rec >again
same again want 'what was to be replaced when the run was killed is trained again'
same r/seed-42/model.safetensors first '... to the same model'

refuses "bert-train: seed 42: no model directory 'nowhere'*" 'a model that is not there' \
	bert-train -m nowhere -o none --seeds 2 --eval dev.rec train.rec
[ ! -e none ]
result $? 'leaves no directory'
misuses '*give either --kfold or --seeds*' 'folds, too' seeds x --seeds 2 --kfold 2 train.rec
misuses '*--seeds needs --eval FILE*' 'nothing to compare by' \
	bert-train --init-config tiny --tokenizer vocab.txt -o x --seeds 2 train.rec
misuses '*--seeds reads the records once for each*' 'standard input' seeds x --seeds 2 <train.rec
finish
