#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train left alone: when it evaluates, ends and saves by itself, and what it
# leaves behind.
# Not under isa: the trainings are those of cli/bert-train/train
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
lines() { wc -l <"$1" | tr -d ' '; }
# the values of a key, in order
values() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p" "$2" | tr '\n' ' '; }

# Reports, 12 updates an epoch.
works 'an epoch at a time' small_train a -v --epochs 3 --eval dev.rec
is "$(values step a/history.jsonl)" '12 24 36 ' 'the history has a line an epoch'
is "$(values epoch a/history.jsonl)" '1 2 3 ' '... with its number'
like "$(head -n 1 a/history.jsonl)" \
	'{"step":12,"epoch":1,"loss":*,"learning_rate":*,"seconds":*,"eval_loss":*,"eval_accuracy":*,"eval_mcc":*,"best":true}' \
	'... and what was measured'
awk -F'"epoch [0-9]*: loss ' 'BEGIN { n = 0 }
	/: epoch [0-9]+: loss / { split($0, p, /loss |, /); print p[2] }' err >said
tr ' ' '\n' <a/history.jsonl >/dev/null
values loss a/history.jsonl | tr ' ' '\n' | awk 'NF { printf "%.4f\n", $1 }' >written
[ -s said ]
result $? 'the loss of each epoch is printed'
same written said '... as it is written'
works 'a history without evaluation' small_train b --steps 20
is "$(values step b/history.jsonl)" '12 20 ' 'has a line for the rest of an epoch'
grep -q eval b/history.jsonl
is $? 1 '... and nothing that was not measured'
works 'every so many updates' small_train c --eval dev.rec --eval-steps 5 --epochs 2
is "$(values step c/history.jsonl)" '5 10 15 20 24 ' 'evaluates then, and at the end'
like "$(cat err)" '*step 5 (epoch 0.4*): loss *step 24 (epoch 2.00): *' 'and says where'
like "$(tail -n 1 err)" "*model of step [0-9]* (accuracy *) written to 'c'" \
	'... and which model is kept'
works 'again in the same directory' small_train b --steps 5
is "$(lines b/history.jsonl)" 1 'begins a new history'

# Patience.
worse() { small_train "$1" --epochs 9 --eval dev.rec --metric "$2" --patience "$3" \
	--learning-rate 1e-9; }
works 'patience' worse p mcc 2
is "$(lines p/history.jsonl)" 3 'two evaluations without a better one end the run'
like "$(cat err)" '*stopped at step 36 of 108: no better mcc in 2 evaluations*epoch 1 (mcc *' \
	'and is printed'
[ ! -e p/checkpoint.safetensors ]
result $? 'such a run is over'
small_train waits -q --epochs 9 --eval dev.rec --metric mcc --learning-rate 1e-9 --max-minutes 1e-5 --save-steps 1
works 'patience that a resumed run is given' worse waits mcc 2
is "$(lines waits/history.jsonl)" 3 '... ends it where it would have ended'
same waits/model.safetensors p/model.safetensors '... with the same model'
works 'a measure that falls' small_train p2 --epochs 2 --eval dev.rec \
	--metric loss --patience 1
is "$(lines p2/history.jsonl)" 2 'goes on while it does'

# Time, and checkpoints.
exits 1 'time that is up' small_train t --epochs 40 --max-minutes 1e-5
like "$(tail -n 1 err)" '*time limit reached: stopped after step [1-9]* of 480; run the same command to resume*' \
	'the message says so'
[ -s t/checkpoint.safetensors ]
result $? '... with a checkpoint'
before=$(tail -n 1 err | sed 's/.*after step \([0-9]*\) .*/\1/')
exits 1 'a slice that is too short for anything' \
	small_train t --epochs 40 --max-minutes 1e-5 --resume
after=$(tail -n 1 err | sed 's/.*after step \([0-9]*\) .*/\1/')
[ "$after" -gt "$before" ]
result $? "makes an update at least ($before, then $after)"

works 'checkpoints that are kept' small_train k -q --epochs 2 --save-steps 5 --keep 3
is "$(cd k && ls checkpoint* | tr '\n' ' ')" \
	'checkpoint-10.safetensors checkpoint-15.safetensors checkpoint.safetensors ' \
	'are the last ones'
refuses "bert-predict: 'k/checkpoint-10.safetensors' is a file and not a model directory; 'k' is one (ckpt-convert *)" \
	'one in place of a model' bert-predict -m k/checkpoint-10.safetensors train.rec
convert=$(sed 's/.*(\(ckpt-convert .*\) makes .*/\1/; s,FILE NEW/,k/checkpoint-10.safetensors k-10/,' err)
works 'a model directory of one' sh -c "$convert"
works '... which predicts' bert-predict -m k-10 train.rec
works 'one that is kept' small_train k1 -q --epochs 2 --save-steps 5 --keep 1
is "$(cd k1 && ls checkpoint* | tr '\n' ' ')" 'checkpoint.safetensors ' 'is the last one'
cmp k/model.safetensors k1/model.safetensors >why 2>&1
result $? 'the model is the same'
works 'a run in their place, and more than there will be' small_train k -q --epochs 1 --save-steps 5 --keep 1000000000 \
	--no-resume
is "$(cd k && ls checkpoint* | tr '\n' ' ')" 'checkpoint-5.safetensors checkpoint.safetensors ' 'has its own ones alone'
works 'the first run again' small_train k -q --epochs 2 --save-steps 5 --keep 3 --no-resume
mkdir from
works 'any of them' small_train from -q --epochs 2 --save-steps 5 \
	--resume-from k/checkpoint-10.safetensors
cmp k/model.safetensors from/model.safetensors >why 2>&1
result $? 'leads to the same end'
go_on() { bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --epochs 2 --learning-rate 1e-3 \
	--batch-size 16 -o "$1" --resume-from "$2" train.rec; }
cp -r a foreign
misuses "*'foreign' has a finished model, which the new one would replace (*" \
	'a finished model of another run is not replaced' go_on foreign k/checkpoint-10.safetensors
works 'its own is' go_on k k/checkpoint-10.safetensors
small_train equal -q --learning-rate 0 --eval dev.rec --epochs 2 --save-steps 13 --keep 2 --override
cp equal/checkpoint.safetensors best.st
works 'the best model is of before' small_train late --override --learning-rate 0 --eval dev.rec --epochs 2 --resume-from best.st
like "$(cat err)" "*warning: the best model so far, of step 12, is not in 'late', which will have the best of later ones*model of epoch 2 *" \
	'and elsewhere'
works 'the later one predicts' bert-predict -q -m late -o late.csv dev.rec
works 'minutes' small_train s -q --epochs 2 --save-minutes 1e-5 --keep 1
[ -s s/checkpoint.safetensors ]
result $? 'make checkpoints too'

# Checkpoints of other versions.
exits 1 'a checkpoint' small_train v --epochs 40 --max-minutes 1e-5
for v in 0:earlier 3:later; do
	perl -pe 's/(\\"version\\":)2/${1}'"${v%:*}/" v/checkpoint.safetensors >v.st
	refuses "*'v.st' was written by a*${v#*:} version, which*" "${v#*:} version" \
		small_train v --epochs 40 --resume-from v.st
done
refuses "*'a/model.safetensors' is not a checkpoint*" 'a file that is not a checkpoint' \
	small_train v --resume-from a/model.safetensors

# One run at a time, and what killed ones left.
mkdir -p l
touch l/.checkpoint.safetensors.123.4.new l/.config.json.77.0.new l/.model.safetensors.123.4.aB1xyz \
	l/.model.safetensors l/.checkpoint.safetensors.1.2.txt l/.notes
bert-train --init-config tiny --tokenizer vocab.txt -q --epochs 500 \
	--save-steps 1 -o l train.rec 2>other &
pid=$!
wait_for [ -e l/checkpoint.safetensors ]
# but for what it is writing now
is "$(ls -A l | grep '^\.' | grep -v "\.$pid\." | tr '\n' ' ')" \
	'.checkpoint.safetensors.1.2.txt .model.safetensors .notes ' \
	'unfinished files are removed, others are not'
refuses "*another run is writing to 'l'*" 'a second run beside the first' small_train l
kill -TERM $pid
wait $pid
bert-train --init-config tiny --tokenizer vocab.txt -q --epochs 500 \
	--save-minutes 0 -o writing train.rec 2>other &
pid=$!
wait_for [ -e writing/model.safetensors ]
bert-predict -m writing -o w.csv train.rec 2>err
like "$? $(ls writing | grep -c checkpoint) $(cat err)" "0 0 *warning: a training run is writing to 'writing': its model will be replaced*" \
	'predicting from a directory that is written to'
kill -TERM $pid
wait $pid
bert-predict -m writing -o w.csv train.rec 2>err
like "$? $(cat err)" "0 *warning: the training of 'writing' was stopped at step [0-9]* of *" \
	'and when its run was stopped'
# ^C in a terminal, which shows it where the cursor is
stopped_there() { tr '\r' '\n' <typescript | grep -c '^bert-train: warning: stopped'; }
says_stopped() { [ "$(stopped_there)" != 0 ]; }
if script -qec true typescript </dev/null >/dev/null 2>&1; then
	# script(1) ends with its input, and may then lose what it has not yet written
	{
		wait_for [ -e tty/model.safetensors ]
		printf '\003'
		wait_for says_stopped
	} | script -qefc "bert-train --init-config tiny --tokenizer vocab.txt --epochs 500 -o tty train.rec" \
		typescript >/dev/null
	[ "$(stopped_there) $(grep -c '\^C.*bert-train' typescript)" = '1 0' ]
	said=$?
	tail -n 5 typescript >why
	result $said '^C stands at the end of its line'
else
	skip '^C in a terminal' 'there is no script(1) of util-linux'
fi
mkdir h
mkdir h/history.jsonl
refuses "*cannot write 'h/history.jsonl'*" 'a history that cannot be written' small_train h
[ ! -e h/model.safetensors ]
result $? 'is seen before training'

# What a run must have in common with the one it goes on from.
exits 1 'a run to be gone on from' small_train r --epochs 40 --max-minutes 1e-5
for o in '--optimizer lamb:optimizer was "adamw", is "lamb"' \
	'--beta2 .9:beta2 was 0.999' '--metric loss --eval dev.rec:best by was' \
	'--schedule cosine:schedule was "linear", is "cosine"' \
	'--end-learning-rate 1e-6:end learning rate was 0' \
	'--class-weight balanced:class weight was "none"' \
	'--clip-value .1:clip value was 0' '--momentum .5 --optimizer sgd:momentum was'; do
	# shellcheck disable=SC2086
	refuses "*belongs to another run: *${o#*:}*(start over*" "${o%%:*}: another run" \
		small_train r --epochs 40 --resume ${o%%:*}
done
# the model it starts from: its weights, its form, the type of its products
small_train s0 -q --steps 1
small_train s1 -q --steps 1 --seed 2
from() { # MODEL OUT OPTION ...
	m=$1 o=$2
	shift 2
	bert-train -m "$m" -o "$o" --epochs 40 --dtype f32 "$@" train.rec
}
exits 1 'a run from a model' from s0 q --max-minutes 1e-5
refuses '*belongs to another run: other starting weights*' 'from another: another run' from s1 q
sed 's/"hidden_act": "gelu"/"hidden_act": "relu"/' s0/config.json >relu.json
cp -r s0 s2
cp relu.json s2/config.json
refuses '*belongs to another run: model was "bert, 2 heads, *' 'of another form' from s2 q
refuses '*belongs to another run: products in was "f32", is "bf16"*' 'other products' \
	from s0 q --dtype bf16
exits 1 'the same goes on' from s0 q --max-minutes 1e-5
head -n 100 train.csv >fewer.csv
csv2tfrecord -q -i id -t text -l intent fewer.csv |
	bert-tokenize -q -m vocab.txt --max-length 48 -o fewer.rec
cp train.rec all.rec
cp fewer.rec train.rec
refuses '*belongs to another run: *training examples was 179, is 99*' 'other data: another run' \
	small_train r --epochs 40 --resume
cp all.rec train.rec
works 'more threads' small_train r -q --epochs 40 --resume -j 3 --max-minutes 9

# Classes that weigh more.
works 'balanced classes' small_train w --class-weight balanced
like "$(cat err)" "*weights of the classes: 'get_card' [01].*, 'parking' [01].*" \
	'have weights that are told'
works 'a class that weighs more' small_train w --eval dev.rec \
	--class-weight parking=50 --epochs 2
works 'equal weights' small_train w1 -q --class-weight 1,1,1,1
small_train w0 -q
cmp w0/model.safetensors w1/model.safetensors >why 2>&1
result $? 'change nothing'
# with smoothing as PyTorch has it: sum over k of q(k) c(k) -log p(k), by the sum of c(label)
bert-predict -q -m w0 --dtype f32 --proba train.rec >p.csv
bert-train -q -m w0 -o step --dtype f32 --dropout 0 --batch-size 1000 --steps 1 \
	--class-weight parking=50,pay_fine=0.5 --label-smoothing .2 train.rec
awk -F, 'FNR == 1 && NR == 1 { for (i = 3; i <= 6; i++) c[i] = $i == "parking" ? 50 : $i == "pay_fine" ? .5 : 1
		for (i = 3; i <= 6; i++) at[$i] = i; next }
	FNR == NR { for (i = 3; i <= 6; i++) p[$1, i] = $i; next }
	FNR > 1 { y = at[$NF]; n += c[y]
		for (i = 3; i <= 6; i++) l -= (.05 + .8 * (i == y)) * c[i] * log(p[$1, i]) }
	END { print l / n }' p.csv train.csv >want
sed 's/.*"loss"://; s/,.*//' step/history.jsonl | tail -n 1 >got
paste got want | awk '{ d = $1 - $2; exit !($2 > 0 && d * d < 1e-6 * $2 * $2) }' 2>why || paste got want >why
[ ! -s why ]
result $? 'and smoothed: the loss is that of PyTorch'
misuses "*'mars' is not a label*" 'a weight for no class' \
	small_train x --class-weight mars=2
misuses '*3 class weights for 4 labels*' 'a weight too few' \
	small_train x --class-weight 1,2,3
misuses '*more class weights than labels (4)*' 'a weight too many' \
	small_train x --class-weight 1,2,3,4,5
misuses "*'-1' is not 0 or a number from 1e-06*" 'a weight below 0' small_train x --class-weight=-1,2,3,4
misuses "*two class weights for 'parking'*" 'a weight twice' small_train x --class-weight parking=1,parking=2
misuses "*'2' is not LABEL=NUMBER (with commas in labels, give one number per label)*" 'both forms' small_train x --class-weight parking=1,2
misuses '*leave every training example without weight*' 'no weight at all' \
	small_train x --class-weight 0,0,0,0

# Optimizers, from the command line to the model.
for o in adamw adamw-google adam lamb sgd; do
	works "$o" small_train "o-$o" --optimizer $o --eval dev.rec --epochs 3
	for other in o-*; do
		[ "$other" = "o-$o" ] || ! cmp -s "$other/model.safetensors" "o-$o/model.safetensors" ||
			echo "$other is the same" >>why
	done
	[ ! -s why ]
	result $? '... is one of its own'
done
small_train seven -q --optimizer lamb --eval dev.rec --epochs 3 -j 7
cmp o-lamb/model.safetensors seven/model.safetensors >why 2>&1
result $? 'norms of LAMB are the same at any number of threads'
bert-train --dry-run -q --init-config tiny --tokenizer vocab.txt train.rec >two
bert-train --dry-run -q --init-config tiny --tokenizer vocab.txt --optimizer sgd train.rec >one
is "$(awk '/moments/ { print $3 * 2 }' one)" "$(awk '/moments/ { print $3 + 0 }' two)" \
	'sgd has half the moments'

# Batches that are added up make the update of one batch as large. A larger
# rate would only make roundings larger.
for o in '16 1 sum1' '4 4 sum4'; do
	# shellcheck disable=SC2086
	set -- $o
	small_train "$3" -q --epochs 2 --dtype f32 --dropout 0 --batch-size "$1" \
		--accumulate "$2" --eval dev.rec --learning-rate 1e-4
done
awk -F'"loss":' '{ print $2 + 0 }' sum1/history.jsonl >l1
awk -F'"loss":' '{ print $2 + 0 }' sum4/history.jsonl >l4
paste l1 l4 | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 2e-4 * $1) print $0 }
	END { if (NR != 2) print NR " lines" }' >why
[ ! -s why ]
result $? 'batches that are added up: the losses of one large batch'

exits 2 'patience without evaluation' small_train x --patience 2
exits 2 'eval-steps without evaluation' small_train x --eval-steps 2
exits 2 'a power for a line' small_train x --power 2
exits 2 'a momentum for adamw' small_train x --momentum .5
exits 2 'an end above the beginning' small_train x --end-learning-rate 1
[ ! -e x/model.safetensors ]
result $? 'what is refused writes no model'
finish
