#!/bin/sh
# SPDX-License-Identifier: MIT
# The event files that bert-train writes for TensorBoard.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=$DATA/two-layers.json
small_data
events() { "$TEST_TOP/tests/lib/events" "$@"; }
# the values of a key of the history, in order
values() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p" "$2" | awk '{ printf "%.6g\n", $1 }'; }

works 'event files' small_train a -q --epochs 2 --eval dev.rec --tensorboard logs/a
is "$(find logs/a -type f | sed 's/tfevents\..*\.v2$/tfevents.X.v2/' | sort | tr '\n' ' ')" \
	'logs/a/events.out.tfevents.X.v2 logs/a/train/events.out.tfevents.X.v2 logs/a/validation/events.out.tfevents.X.v2 ' \
	'stand where Keras puts them'
name=$(basename logs/a/train/*)
case $name in
events.out.tfevents.[0-9]*."$(uname -n)".[0-9]*.[0-9].v2) result 0 'named as TensorFlow names them' ;;
*) result 1 "named as TensorFlow names them: $name" ;;
esac
works 'their checksums hold' tfrecord-cat -q --verify logs/a/train/* logs/a/validation/* logs/a/events*
events logs/a/train/* >train
is "$(head -n 1 train)" brain.Event:2 'begin with the version'
is "$(sed 1d train | cut -d' ' -f1,2 | tr '\n' ' ')" \
	'0 epoch_loss 0 epoch_accuracy 0 epoch_learning_rate 1 epoch_loss 1 epoch_accuracy 1 epoch_learning_rate ' \
	'training: epochs from 0'
for k in loss accuracy learning_rate; do
	awk "/ epoch_$k / { print \$3 }" train >got
	values $k a/history.jsonl >wanted
	# one is of f32
	paste got wanted | awk '{ d = $1 / $2 - 1; if (d * d > 1e-11) print }
		END { if (NR != 2) print NR " lines" }' >why
	[ ! -s why ]
	result $? "... $k as in the history"
done
events logs/a/validation/* >valid
is "$(awk '/(epoch|evaluation)_accuracy/ { print $1, $2 }' valid | tr '\n' ' ')" \
	'0 epoch_accuracy 12 evaluation_accuracy_vs_iterations 1 epoch_accuracy 24 evaluation_accuracy_vs_iterations ' \
	'evaluation: by epochs and by updates'
values eval_weighted_f1 a/history.jsonl >wanted
awk '/ epoch_weighted_f1/ { print $3 }' valid >got
paste got wanted | awk '{ d = $1 - $2; if (d * d > 1e-11) print }' >why
[ ! -s why ]
result $? '... each measure'
is "$(events logs/a/events* | sed 1d | cut -d' ' -f1,2 | tr '\n' ' ')" \
	'12 steps_per_second 12 examples_per_second 24 steps_per_second 24 examples_per_second ' \
	'speeds'

works 'every so many updates' small_train b -q --eval dev.rec --eval-steps 5 --tensorboard logs/b
is "$(events logs/b/train/* | sed 1d | cut -d' ' -f1,2 | tr '\n' ' ')" \
	'5 training_loss 5 learning_rate 10 training_loss 10 learning_rate 12 training_loss 12 learning_rate ' \
	'are steps'

# Resumed after 12 of 24 updates, and events written behind that are cut off.
works 'a run to be gone on from' small_train c -q --epochs 2 --eval dev.rec \
	--tensorboard logs/c --save-steps 12 --keep 1
works 'and resumed' small_train c -q --epochs 2 --eval dev.rec --tensorboard logs/c \
	--resume-from c/checkpoint.safetensors
cut -d' ' -f1,2 valid >wanted
events logs/c/validation/* | cut -d' ' -f1,2 >got
same got wanted 'each event stands there once'

# A resumed run that is killed after its first events and before a checkpoint.
exits 1 'a run before its first events' small_train k --epochs 2 \
	--tensorboard logs/k --max-minutes 1e-5
LD_PRELOAD=$BUILD/preload/inject.so INJECT=rename:6:kill INJECT_LOG=$PWD/log \
	small_train k -q --epochs 2 --tensorboard logs/k --resume 2>err
if [ -e log ]; then
	[ -s logs/k/train/* ]
	result $? 'is killed behind them'
	small_train k -q --epochs 2 --tensorboard logs/k --resume
	events logs/k/train/* | cut -d' ' -f1,2 >got
	cut -d' ' -f1,2 train >wanted
	same got wanted 'and resumed once more: each event stands there once'
else
	skip 'a killed run' "a library cannot be preloaded: $(head -n 1 err)"
fi

works 'a second run' small_train a -q --epochs 2 --eval dev.rec --tensorboard logs/a
is "$(find logs/a/train -type f | wc -l | tr -d ' ')" 2 'begins another file'
: >file
refuses "*cannot create 'file/x'*" 'a directory that cannot be made' \
	small_train d --tensorboard file/x
refuses "bert-train: 'file' is not a directory" 'a file, seen before the data are read' \
	small_train d --tensorboard file
is "$(ls -d d 2>/dev/null)" '' 'and no model directory is left'
refuses "bert-train: cannot create 'no/such/model': *" 'as is a model without a place' \
	small_train no/such/model

peer_or_end "TensorBoard's own reader" tensorboard
"$PEER_PYTHON" - logs/c/train logs/c/validation logs/c >theirs 2>err <<'X'
import sys
from tensorboard.backend.event_processing import event_accumulator as ea
for d in sys.argv[1:]:
    a = ea.EventAccumulator(d, size_guidance={ea.TENSORS: 0})
    a.Reload()
    assert not a.Tags()["scalars"], "these would be of TensorFlow 1"
    for tag in a.Tags()["tensors"]:
        assert a.SummaryMetadata(tag).plugin_data.plugin_name == "scalars"
        for e in a.Tensors(tag):
            print(e.step, tag, "%.6g" % e.tensor_proto.float_val[0]
                  if e.tensor_proto.float_val else "%.6g" %
                  __import__("struct").unpack("<f", e.tensor_proto.tensor_content)[0])
X
cp err why
sort theirs >got
# the newest file of each directory
for d in logs/c/train logs/c/validation logs/c; do
	events "$(ls -t $d/events* | head -n 1)"
done | grep -v brain | sort >wanted
same got wanted "TensorBoard's own reader finds the same"
finish
