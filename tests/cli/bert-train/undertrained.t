#!/bin/sh
# SPDX-License-Identifier: MIT
# A run with default settings that was too short to learn much says what to change.
# Not under isa: the trainings are those of cli/bert-train/train
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
train() { # OUT [OPTION ...]
	out=$1
	shift
	bert-train --force --init-config tiny --tokenizer vocab.txt -o "$out" "$@" train.rec
}
more='(try more --epochs or a higher --learning-rate, or let --tune 10 find both in ten minutes)'
warned() { grep -c -e "$more\$" err; }

works 'default settings' train m --summary s.json
like "$(cat err)" "*warning: *: the model has learned * yet $more*" 'say what to change'
is "$(warned)" 1 'once'
works 'without a rate' train m --epochs 8 --batch-size 16
like "$(cat err)" "*warning: after 96 updates the loss is *, that of guessing without the texts 1.38*: the model has learned little yet $more*" \
	'also where something was learned'
works 'without a number of updates' train m --learning-rate 2e-4 --summary s.json
is "$(warned)" 1 'as well'
like "$(cat s.json)" '*"code":"*-learned"*"hint":"try more --epochs*' 'with a code'
works 'with both' train m --learning-rate 1e-4 --epochs 3
is "$(warned)" 0 'it was meant'
works 'with both, by updates' train m --learning-rate 1e-4 --steps 18
is "$(warned)" 0 'likewise'
works 'a rate that is enough' train m --learning-rate 4e-3 --batch-size 8
is "$(grep -c warning: err)" 0 'is not warned of'
is "$(bert-eval -q -m m --min accuracy=.8 dev.rec | wc -l | tr -d ' ')$?" \
	"$(bert-eval -q -m m dev.rec | wc -l | tr -d ' ')0" 'for the model is good'
csv2tfrecord -q -i id -t text -l intent "$TEST_TOP/pipelines/data/library-train.csv" |
	bert-tokenize -q -m vocab.txt --max-length 48 -o all.rec
works 'all 24 intents' bert-train --force --init-config tiny --tokenizer vocab.txt \
	--batch-size 8 --learning-rate 1e-3 -o m all.rec
like "$(cat err)" "*warning: after 414 updates the loss is 1.[0-5]*learned little yet $more*" \
	'more labels need more updates, and less than half the loss of guessing'
works 'folds' train k --kfold 2
is "$(warned)" 1 'are warned of once'
works 'seeds' train s --seeds 2 --eval dev.rec
is "$(warned)" 1 'and seeds'
works 'a search' train t --tune-steps 20 --eval dev.rec
is "$(warned)" 0 'looks for other settings anyhow'
finish
