#!/bin/sh
# SPDX-License-Identifier: MIT
# A run that is killed before its first checkpoint leaves no finished model.
# Not under thread: waits for a run that is much slower there
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data

# begin OUT: trains in the background until there is a model
begun() { [ -e "$1/model.safetensors" ] || gone $pid; }
begin() {
	bert-train -q --init-config tiny --tokenizer vocab.txt --epochs 100000 \
		--eval dev.rec -o "$1" train.rec &
	pid=$!
	wait_for begun "$1"
}

begin k
refuses "*another run is writing to 'k'*" 'another run at the same time' \
	bert-train --init-config tiny --tokenizer vocab.txt \
	-o k train.rec
kill -KILL $pid
wait $pid 2>/dev/null
[ ! -e k/checkpoint.safetensors ]
result $? 'killed before the first checkpoint'
works 'its model predicts' bert-predict -m k -o p dev.rec
like "$(cat err)" "*warning: the training of 'k' was stopped at step * of *" 'with a warning'
works 'the run begins again' bert-train --init-config tiny --tokenizer vocab.txt --epochs 3 \
	--eval dev.rec -o k train.rec
like "$(cat err)" "*warning: the training of 'k' was stopped at step *" 'and says what was there'
works 'a finished model' bert-predict -m k -o p dev.rec
case $(cat err) in
*stopped*) false ;;
esac
result $? 'has no warning'
misuses "*'k' has a finished model*" 'it is not replaced' \
	bert-train --init-config tiny --tokenizer vocab.txt --steps 4 \
	-o k train.rec

# a terminal that closes; what mpirun hands on
for signal in HUP USR1; do
	begin $signal
	kill -$signal $pid
	wait $pid
	is $? 1 "SIG$signal stops with a checkpoint"
	[ -e $signal/checkpoint.safetensors ]
	result $? 'which is there'
done

# the checkpoint of another run is gone when that run's model is
exits 1 'a run that is stopped' bert-train -q --init-config tiny --tokenizer vocab.txt \
	--epochs 9 --save-minutes 1e-5 --max-minutes 1e-6 -o other train.rec
[ -e other/checkpoint.safetensors ]
result $? 'has a checkpoint'
bert-train -q --init-config tiny --tokenizer vocab.txt --epochs 100000 --save-minutes 0 \
	--no-resume --eval dev.rec -o other train.rec &
pid=$!
wait_for begun other
kill -KILL $pid
wait $pid 2>/dev/null
[ ! -e other/checkpoint.safetensors ]
result $? 'a run that starts over and is killed leaves none'
works 'its model predicts' bert-predict -m other -o p dev.rec
like "$(cat err)" "*warning: the training of 'other' was stopped at step * of *" 'with a warning'

# stopped before there was a model
exits 1 'stopped in the first epoch' bert-train -q --init-config tiny --tokenizer vocab.txt \
	--max-minutes 1e-6 --eval dev.rec -o early train.rec
refuses "bert-predict: 'early' has no model yet: its training was stopped before it kept one, and can be resumed" \
	'no model' bert-predict -m early dev.rec
works 'the run goes on' bert-train -q --init-config tiny --tokenizer vocab.txt --eval dev.rec -o early train.rec
works 'to a model' bert-predict -q -m early dev.rec
finish
