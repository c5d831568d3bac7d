#!/bin/sh
# SPDX-License-Identifier: MIT
# The same seed gives the same bytes: twice, with any number of threads, and
# when a run is stopped and resumed.
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
# which takes long enough to be stopped
small_config=$DATA/two-layers.json
small_data
run() { out=$1; shift; small_train "$out" -q --epochs 4 --eval dev.rec "$@"; }

run a -j 1
threads='1 2 3 5' delays='0.15 0.3 0.5'
[ -z "${TEST_KIND-}" ] || threads=3 delays=0.5
for j in $threads; do
	run b -j $j
	cmp a/model.safetensors b/model.safetensors >why 2>&1
	result $? "$j threads: the same weights"
done
run b --seed 7
! cmp -s a/model.safetensors b/model.safetensors
result $? 'another seed: other weights'

# Stopped in the middle by a signal, wherever that is.
stopped=0
for delay in $delays; do
	rm -rf c
	bert-train --init-config "$small_config" --tokenizer vocab.txt --epochs 4 \
		--learning-rate 1e-3 --batch-size 16 -o c --eval dev.rec train.rec \
		>out 2>err &
	pid=$!
	sleep $delay
	kill -TERM $pid 2>/dev/null
	wait $pid
	status=$?
	[ $status = 1 ] || continue # over already, or not yet under way
	stopped=$((stopped + 1))
	like "$(tail -n 1 err)" '*stopped after step * of *; run the same command to resume' 'says how to go on'
	[ -s c/checkpoint.safetensors ]
	result $? 'leaves a checkpoint'
	small_train c --epochs 4 --eval dev.rec >out 2>err
	result $? 'resumes'
	like "$(cat err)" "*'c': restored at step [0-9]* of *" 'and says from where'
	cmp a/model.safetensors c/model.safetensors >why 2>&1
	result $? 'to the same weights'
	[ ! -e c/checkpoint.safetensors ]
	result $? 'and removes the checkpoint'
done
[ $stopped != 0 ] || skip 'stopping by a signal' 'no run could be caught'

# Killed outright after a checkpoint that --save-steps wrote. The copy is what
# the disk holds after a crash right behind it.
rm -rf d e
bert-train --init-config "$small_config" --tokenizer vocab.txt --epochs 4 \
	--learning-rate 1e-3 --batch-size 16 -o d --eval dev.rec -q \
	--save-steps 17 train.rec &
pid=$!
has_checkpoint() { [ -s d/checkpoint.safetensors ] || gone $pid; }
wait_for has_checkpoint
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
if [ -s d/checkpoint.safetensors ]; then
	refuses '*belongs to another run*batch size was 16, is 8*learning rate was*' \
		'another run is refused, with the differences' \
		small_train d --epochs 4 --eval dev.rec --batch-size 8 --learning-rate 1e-5
	refuses '*belongs to another run*seed was*' 'another seed too' \
		run d --resume --seed 5
	cp -r d anew
	works 'another run begins anew where that is asked for' \
		small_train anew -q --steps 1 --no-resume
	[ -s anew/model.safetensors ] && [ ! -e anew/checkpoint.safetensors ]
	result $? 'and leaves no checkpoint of the old one'
	head -c 5000 d/checkpoint.safetensors >cut
	mkdir e
	mv cut e/checkpoint.safetensors
	refuses '*nothing to resume*' 'a damaged checkpoint is refused' run e --resume
	cp -r d g
	products=$(tr -d '\0' <g/checkpoint.safetensors | grep -ao 'products [a-z0-9]* by [a-z]*' | head -n 1)
	# shellcheck disable=SC2086
	set -- $products
	if [ "${4-}" = ref ]; then
		skip 'other products' 'the library has none but its own'
	else
		small_train g --epochs 4 --eval dev.rec --dtype "${2-}" --gemm ref \
			--max-minutes 1e-5 >out 2>err
		like "$(cat err)" "*warning: the run was computed by $products*, so the last bits may differ*" \
			'other products may give other bits'
	fi
	small_train d --epochs 4 --eval dev.rec --resume -j 3 >out 2>err
	result $? 'resumed with another number of threads'
	is "$(grep -c 'last bits' err)" 0 'which makes no other bits'
	cmp a/model.safetensors d/model.safetensors >why 2>&1
	result $? 'killed and resumed: the same weights'
else
	skip 'killing a run' 'it was over before the first checkpoint'
fi
refuses '*nothing to resume*' 'no checkpoint, nothing to resume' run f --resume
refuses "*nothing to resume: cannot open 'none': No such file or directory" 'nor there' run f --resume-from none
[ ! -e f ]
result $? 'no directory is left behind'
exits 2 'anew, or not' run f --resume --no-resume

misuses '*give either --resume or --resume-from*' 'either checkpoint' run f --resume --resume-from none

# A finished model is replaced only if that is asked for.
cp a/model.safetensors finished
exits 2 'a finished model in the output' bert-train --init-config tiny --tokenizer vocab.txt \
	--steps 1 --no-resume -o a train.rec
like "$(cat err)" "*'a' has a finished model, which the new one would replace (*--force)*" \
	'... says why'
same a/model.safetensors finished '... and it stays'
works '--force' bert-train --init-config tiny --tokenizer vocab.txt --steps 1 --force -o a train.rec
! cmp -s a/model.safetensors finished
result $? '... replaces it'

# Models of runs that did not end are told of, others are not.
exits 1 'a run that is stopped' small_train late -q --batch-size 200 --epochs 1000 \
	--max-minutes 0.001
works 'its model' bert-predict -m late dev.rec
like "$(cat err)" "*warning: the training of 'late' was stopped at step [0-9]* of 1000*" \
	'is reported'
refuses '*steps in all was 1000, is 1001*learning rate was 0.001, is 5e-5*(train its model further with bert-train -m DIR -o NEW, or start over with bert-train --no-resume or another output directory)' \
	'another learning rate' small_train late -q --batch-size 200 --epochs 1001 --learning-rate 5e-5
works 'its model trained further' bert-train -m late -o further --steps 1 \
	--learning-rate 5e-5 train.rec
works 'it measured' bert-eval -m late dev.rec
like "$(cat err)" "*warning: the training of 'late' was stopped at step [0-9]* of 1000*" \
	'is reported, too'
small_train kept -q --epochs 2 --save-steps 7 --keep 1
small_train patient -q --epochs 50 --learning-rate 0 --eval dev.rec --save-steps 7 --keep 1 \
	--patience 1
for m in kept patient; do
	[ -e $m/checkpoint.safetensors ]
	result $? "$m: a checkpoint of a run that ended"
	works 'is no such run' bert-predict -m $m dev.rec
	is "$(grep -c 'has come to' err)" 0 'without a message'
done
finish
