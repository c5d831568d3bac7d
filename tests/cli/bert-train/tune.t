#!/bin/sh
# SPDX-License-Identifier: MIT
# Settings found within a budget: the table, the model, the same again, killed and resumed.
# Not under isa: the trainings are those of cli/bert-train/train
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
tune() { # OUT [OPTION ...]
	out=$1
	shift
	bert-train --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --epochs 2 --batch-size 16 \
		--eval dev.rec -o "$out" "$@"
}
over='--tune-over learning-rate=1e-4..1e-2 --tune-over epochs=2..5 --tune-over pool=mean,pooler'
# shellcheck disable=SC2086
works 'a search' tune t --tune-steps 240 $over --summary s.json train.rec
cp out table
like "$(sed -n 1p table)" 'trial  share  updates *accuracy  seconds  settings' 'a table'
like "$(sed -n 2p table)" '    1   1.00       24 * as given' 'the settings as given come first'
like "$(sed -n 3p table)" '    2   0.25 * learning-rate *, epochs [2-5], pool [mp]*' 'then others'
awk '$1 ~ /^[0-9]+$/ { if ($3 > u[$1]) u[$1] = $3 } END { for (t in u) s += u[t]; print s }' table >sum
[ "$(cat sum)" -le 240 ] && [ "$(cat sum)" -gt 200 ]
result $? 'within its budget, which it uses'
# the better half goes on
awk '$2 == "0.25" { n[$4]++; q++ } $2 == "0.50" { h++ } END { print (q >= 4), (h == int((q + 1) / 2)) }' table >got
is "$(cat got)" '1 1' 'the better half goes on'
best=$(sed -n 's/^best: trial \([0-9]*\), accuracy .* (as given: .*)$/\1/p' table)
awk '$2 == "1.00" && $4 > m { m = $4 } /^best: trial/ { print $5 == m }' table >got
is "$(cat got)" 1 'the best of those that came to their end'
command=$(tail -n 1 table)
like "$command" 'bert-train --init-config */one-layer.json --tokenizer vocab.txt --batch-size 16 --eval dev.rec -o t --learning-rate * --epochs [2-5] --pool * train.rec' 'a command is printed'
is "$(ls t)" "$(printf '%s\n' README.md config.json history.jsonl model.safetensors tokenizer_config.json tune.jsonl vocab.txt)" \
	'an ordinary model directory'
sh -c "$(echo "$command" | sed 's/ -o t / -o hand -q /')"
same hand/model.safetensors t/model.safetensors 'the command trains the same model'
like "$(cat t/README.md)" "*# t
*    $command
*" 'and is on the card'
like "$(cat s.json)" "*\"trial-1\":{*\"metric\":\"accuracy\",*\"best_trial\":$best,*\"command\":\"bert-train *\"settings\":{\"learning-rate\":\"*" 'and in the summary'
sed -n 's/^{"trial":\([0-9]*\),.*"updates":\([0-9]*\),.*/\1 \2/p' t/tune.jsonl >got
awk '$1 ~ /^[0-9]+$/ { print $1, $3 }' table >want
same got want 'the file has the same lines'
works 'it predicts' bert-predict -q -m t dev.rec

# the same again
# shellcheck disable=SC2086
works 'the same command' tune t --tune-steps 240 $over --summary s2.json train.rec
sed 's/s2.json/s.json/' out >again
same again table 'has nothing left to do'
# shellcheck disable=SC2086
tune u -q -j1 --tune-steps 240 $over train.rec >again
cut -c 1-33 again | sed '$d' >got
cut -c 1-33 table | sed '$d' >want
same got want 'any number of threads'
same u/model.safetensors t/model.safetensors 'the same model'
# shellcheck disable=SC2086
tune v -q --seed 7 --tune-steps 100 $over train.rec >again
[ "$(sed -n 3p again | cut -c 44-)" != "$(sed -n 3p table | cut -c 44-)" ]
result $? 'other trials with another seed'

# killed where it is, again and again; stopped
said() { grep -sc . "$1/tune.jsonl" || :; }
# shellcheck disable=SC2317 # wait_for calls it
has_said() { [ "0$(said k)" -ge "$1" ] || gone $pid; }
for lines in 1 2 4; do
	# shellcheck disable=SC2086
	bert-train --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --epochs 2 --batch-size 16 \
		--eval dev.rec -o k -q --tune-steps 240 $over train.rec >again 2>err &
	pid=$!
	wait_for has_said $lines
	kill -KILL $pid
	wait $pid 2>/dev/null
done
[ "$(said k)" -lt "$(said t)" ]
result $? 'killed before its end'
printf '{"trial":' >>k/tune.jsonl
# shellcheck disable=SC2086
works 'killed, again and again' tune k -q --tune-steps 240 $over train.rec
cut -c 1-33 out | sed '$d' >got
same got want 'it goes on'
same k/model.safetensors t/model.safetensors 'to the same model'
is "$(ls k)" "$(ls t)" 'and nothing is left over'

# what does not matter, and what does
# shellcheck disable=SC2086
declines 2 '*of another search, by the command *give another output directory, or --force*' 'other settings' \
	tune t --tune-steps 240 --dropout 0 $over train.rec
cp train.rec mine.rec
works 'a search in a file' tune grown -q --tune-steps 30 --tune-over learning-rate=1e-4..1e-2 mine.rec
cat dev.rec >>mine.rec
misuses "*'grown/tune.jsonl' is of other records than given now (give another output directory, or --force)*" \
	'that has grown' tune grown --tune-steps 30 --tune-over learning-rate=1e-4..1e-2 mine.rec
small_train start -q
started() { # [OPTION ...]
	bert-train -q -m start --epochs 1 --eval dev.rec -o started --tune-steps 30 --tune-over dropout=0,.2 "$@" train.rec
}
works 'a search from a model' started
small_train start -q --seed 5
misuses "*'started/tune.jsonl' is of another starting model than given now (give another output directory, or --force)*" \
	'that is another now' started
# shellcheck disable=SC2086
works 'replaced' tune t -q --force --tune-steps 60 --dropout 0 $over train.rec
[ "$(grep -c '"trial"' t/tune.jsonl)" -lt "$(grep -c '"trial"' k/tune.jsonl)" ]
result $? 'by the new search'
small_train plain -q
# shellcheck disable=SC2086
declines 2 '*has a finished model*' 'a finished model of another kind' tune plain --tune-steps 60 $over train.rec
echo mine >plain/README.md
# shellcheck disable=SC2086
works 'unless it is to be replaced' tune plain --force --tune-steps 60 $over train.rec
is "$(cat plain/README.md)" mine 'but not what somebody wrote'
like "$(cat err)" '*README.md*stays as it was*' 'which is said'

# an adapter in the place of a model, and the other way round
small_train base -q
few="--tune-steps 8 --steps 2 --tune-over learning-rate=1e-4..1e-2"
for lora in --lora=2 ''; do
	# shellcheck disable=SC2086
	works "searched ${lora:-without}" bert-train -q -m base $lora $few --force --eval dev.rec -o plain train.rec
	works '... predicts' bert-predict -q -m plain -o p.csv dev.rec
done
is "$(ls plain | grep -c 'adapter')" 0 'nothing of the adapter is left'
# a run that was stopped
exits 1 'a stopped run' small_train stopped -q --epochs 9 --max-minutes 1e-6
# shellcheck disable=SC2086
misuses "*'stopped' has the checkpoint of another run, which the search would remove (start over with bert-train --no-resume *" \
	'its checkpoint stays' tune stopped -q $few train.rec
# shellcheck disable=SC2086
works 'unless told otherwise' tune stopped -q --no-resume $few train.rec
is "$(ls stopped | grep -c 'checkpoint\|unfinished')" 0 '... when the search is over'

# a share of the records; a metric that falls; labels that any number of may hold
works 'a share of the training records' bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --epochs 1 \
	--eval-share .2 --metric loss -o share --tune-steps 20 --tune-over learning-rate=1e-5..3e-2 train.rec
awk '$2 == "1.00" && (m == "" || $4 < m) { m = $4 } /^best: trial/ { print $5 == m }' out >got
is "$(cat got)" 1 'the least loss is the best'

# time: trainings of two updates, so that it is enough for some on a machine that is busy
if [ -n "${TEST_KIND-}" ]; then
	skip 'minutes' 'how many trainings they are enough for is not known there'
else
	tfrecord-cat -q --head 32 -o few.rec train.rec
	works 'minutes' tune m -q --epochs 1 --tune .05 --tune-over learning-rate=1e-4..1e-2 few.rec
	spent=$(tail -n 1 m/tune.jsonl | sed 's/.*"spent":\([0-9]*\).*/\1/')
	[ "$spent" -ge 1 ] && [ "$spent" -le 10 ]
	result $? 'are kept'
fi

# by chance
works 'a small lead' tune c --tune-steps 60 --tune-over learning-rate=1e-7..2e-7 train.rec
like "$(cat err)" '*accuracy *differ by less than a standard error, *with 32 evaluation texts: chance may have chosen*' 'is a warning'
works 'a small budget' tune d --tune-steps 24 --tune-over learning-rate=1e-7..2e-7 train.rec
like "$(cat err)" '*the budget was enough for the settings as given alone*' 'is another'
is "$(tail -n 2 out | head -n 1 | cut -c 1-14)" 'best: trial 1,' 'and these are the best'

# trials that fail
works 'layers that the model lacks' tune f --tune-steps 100 --tune-over freeze=embeddings,7 train.rec
like "$(cat err)" '*warning: trial *: *' 'are a trial that failed'
like "$(cat out)" '*failed*freeze 7*best: trial *' 'which is not the best'

mistakes() { # PATTERN NAME [OPTION ...]
	pattern=$1
	name=$2
	shift 2
	misuses "$pattern" "$name" tune x "$@"
	[ ! -e x ]
	result $? '... nothing is written'
}
mistakes '*one training takes 24 updates, more than the budget of 23*' 'too few updates' --tune-steps 23 train.rec
misuses '*one training takes about * minutes, more than the budget of 0.002*' 'too little time' \
	tune w --epochs 900 --tune .002 train.rec
mistakes "*--tune-over: cannot tune 'lr', only *|learning-rate|*" 'an option that is unknown' --tune 1 --tune-over lr=1..2 train.rec
mistakes "*--tune-over: cannot tune 'task'*" 'an option that cannot be tuned' --tune 1 --tune-over task=qa,tagging train.rec
mistakes "*bad value 'best' for --pool: expected *" 'a bad value' --tune 1 --tune-over pool=mean,best train.rec
mistakes "*bad value '2' for --dropout*" 'a range that is too wide' --tune 1 --tune-over dropout=0..2 train.rec
mistakes "*the range is empty, 0.3 is not below 0.1*" 'an empty range' --tune 1 --tune-over dropout=0.3..0.1 train.rec
mistakes "*--r-drop does not go with --teacher*" 'a value that does not go with the rest' \
	--tune 1 --teacher t --tune-over r-drop=1,2 train.rec
mistakes '*--tune-over needs --tune*' 'no budget' --tune-over pool=mean,pooler train.rec
mistakes '*give only one of --tune, --tune-steps, --kfold and --seeds*' 'seeds, too' --tune 1 --seeds 2 train.rec
mistakes '*--tune does not go with --few-shot and --max-minutes*' 'another limit' --tune 1 --max-minutes 2 train.rec
mistakes '*--tune reads the records once for each trial: give files*' 'standard input' --tune 1 <train.rec
misuses '*--tune needs records to evaluate on: give --eval FILE or --eval-share X*' 'nothing to evaluate on' \
	bert-train --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --tune 1 -o x train.rec
finish
