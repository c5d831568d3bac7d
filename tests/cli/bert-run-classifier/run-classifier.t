#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-run-classifier: Model Garden's command line, its numbers and its files.
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
unset BT_PJRT_PATH PJRT_NAMES_AND_LIBRARY_PATHS # devices.t has them
events() { "$TEST_TOP/tests/lib/events" "$@" | sed 1d; }

# The pipeline's own small data: 420 pairs to train on, 70 to evaluate.
GLUE_DIR=g "$TEST_TOP/pipelines/glue-run-classifier.sh" >log 2>&1
is "$(grep -c ' - val_accuracy: ' log)" 6 'the pipeline makes data and trains'
meta=g/mrpc_meta_data
run() { # MODE FLAG ...
	mode=$1
	shift
	bert-run-classifier --mode="$mode" --input_meta_data_path=$meta \
		--bert_config_file=g/bert/bert_config.json "$@"
}
published() { # DIR FLAG ...
	dir=$1
	shift
	${exec-} bert-run-classifier \
		--mode=train_and_eval \
		--input_meta_data_path=$meta \
		--train_data_path=g/mrpc_train.tf_record \
		--eval_data_path=g/mrpc_eval.tf_record \
		--bert_config_file=g/bert/bert_config.json \
		--init_checkpoint=g/bert/bert_model.ckpt \
		--train_batch_size=32 \
		--eval_batch_size=32 \
		--steps_per_loop=1000 \
		--learning_rate=2e-3 \
		--num_train_epochs=1 \
		--model_dir="$dir" \
		--distribution_strategy= \
		--tpu= "$@"
}

works 'the published command line' published m --num_train_epochs=3
like "$(cat err)" '*3 epochs of 13 updates, 3 of warm-up*420 training examples, 70 for evaluation*' \
	'numbers from the meta data'
like "$(cat err)" '*without effect here: --eval_batch_size, --steps_per_loop
*' 'flags without effect are named'
sed -E 's/[0-9]+s [0-9]+[mu]?s/T/; s/[0-9]\.[0-9]{4}(e-0[0-9])?/X/g' out >got
for e in 1 2 3; do
	echo "Epoch $e/3"
	echo '13/13 [==============================] - T/step - loss: X - accuracy: X - val_loss: X - val_accuracy: X'
done >wanted
same got wanted 'prints what Keras prints'
bert-eval -q -m m g/mrpc_eval.tf_record | sed -n 's/^accuracy *\([0-9.]*\).*/\1/p' >got
is "$(tail -n 1 out | sed 's/.*val_accuracy: //')" "$(awk '{ printf "%.4f", $1 }' got)" \
	'the last val_accuracy is that of the model left behind'

# What stands in the model's directory.
is "$(find m -type f | sed 's/tfevents\..*/tfevents/' | sort | tr '\n' ' ')" \
	'm/checkpoint m/ckpt-13.data-00000-of-00001 m/ckpt-13.index m/ckpt-26.data-00000-of-00001 m/ckpt-26.index m/ckpt-39.data-00000-of-00001 m/ckpt-39.index m/config.json m/history.jsonl m/model.safetensors m/summaries/train/events.out.tfevents m/summaries/validation/events.out.tfevents m/tokenizer_config.json m/vocab.txt ' \
	'its files'
is "$(sed -n 's/_path.*: /=/p' m/checkpoint | tr '\n' ' ')" \
	'model_checkpoint="ckpt-39" all_model_checkpoint="ckpt-13" all_model_checkpoint="ckpt-26" all_model_checkpoint="ckpt-39" ' \
	'the list of checkpoints'
is "$(ckpt-inspect -q --dump optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE m/ckpt-39 | tail -n 1)" \
	39 'a checkpoint counts updates'
is "$(ckpt-inspect -q --dump save_counter/.ATTRIBUTES/VARIABLE_VALUE m/ckpt-39 | tail -n 1)" \
	3 'and saves'
ckpt-inspect m/ckpt-39 >list
for name in model/layer_with_weights-0/layer_with_weights-0/embeddings \
	model/layer_with_weights-0/layer_with_weights-4/_attention_layer/_query_dense/kernel \
	model/layer_with_weights-1/out_proj/kernel; do
	grep -q "^$name/.ATTRIBUTES/VARIABLE_VALUE " list
	result $? "holds $name"
done
works 'its sums are right' ckpt-inspect --check m/ckpt-39
is "$(events m/summaries/train/* | cut -d' ' -f1,2 | tr '\n' ' ')" \
	'0 epoch_loss 0 epoch_accuracy 0 epoch_learning_rate 1 epoch_loss 1 epoch_accuracy 1 epoch_learning_rate 2 epoch_loss 2 epoch_accuracy 2 epoch_learning_rate ' \
	'events of training'
is "$(events m/summaries/validation/* | awk '/ (epoch|evaluation)_(loss|accuracy)/ { printf "%s %s ", $1, $2 }' | cut -d' ' -f1-8)" \
	'0 epoch_loss 13 evaluation_loss_vs_iterations 0 epoch_accuracy 13 evaluation_accuracy_vs_iterations' \
	'events of evaluation'
grep -q '"classifier_dropout": 0.19,' m/config.json
result $? 'the dropout of two in a row'
# the rate of the last update of each epoch: 2e-3 (1 - t / 39)
events m/summaries/train/* | awk '/rate/ { want = 2e-3 * (1 - (13 * ++n - 1) / 39)
	d = $3 / want - 1; if (d * d > 1e-10) print $3 " is not " want }' >why
[ ! -s why ]
result $? 'the schedule falls from the first update on'

# Predictions.
works 'predict' run predict --eval_data_path=g/mrpc_test.tf_record --model_dir=m
bert-predict -q -m m --format tsv g/mrpc_test.tf_record >wanted
same m/test_results.tsv wanted 'as bert-predict --format tsv'
works 'predict a checkpoint' run predict --eval_data_path=g/mrpc_test.tf_record \
	--model_dir=m --predict_checkpoint_path=m/ckpt-39
same m/test_results.tsv wanted 'which is the same model'
mkdir only
cp m/checkpoint m/ckpt-39.* only
works 'a directory of checkpoints alone' run predict \
	--eval_data_path='g/mrpc_t?st.tf_record' --model_dir=only
same only/test_results.tsv wanted 'is enough'
works 'an earlier checkpoint' run predict --eval_data_path=g/mrpc_test.tf_record \
	--model_dir=only --predict_checkpoint_path=m/ckpt-13
! cmp -s only/test_results.tsv wanted
result $? 'is another model'
cp m/config.json only # says what the texts were
works 'export' run export_only --model_dir=only --model_export_path=exp/a
cmp exp/a/model.safetensors m/model.safetensors >why 2>&1
result $? 'gives the same weights'
same exp/a/config.json m/config.json 'and configuration'
like "$(cat err)" '*not a SavedModel*' 'says that it is no SavedModel'
refuses "*cannot*no*" 'no model to predict with' run predict \
	--eval_data_path=g/mrpc_test.tf_record --model_dir=none

# The program that it stands for.
garden() {
	TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES='' \
		${PEER_TENSORFLOW:-false} "$@"
}
if garden -c 'import official.legacy.bert' 2>/dev/null; then
	run predict --eval_data_path=g/mrpc_test.tf_record --model_dir=m 2>/dev/null
	works 'the checkpoint is a whole one of Model Garden' garden \
		"$TEST_TOP/tests/fixtures/model-garden-peer.py" $meta \
		g/bert/bert_config.json g/mrpc_test.tf_record m/ckpt-39 m/test_results.tsv
	awk '$1 < 2e-4 { good = 1 } END { exit !good }' out
	result $? "and predicts the same there ($(tail -n 1 out) apart)"
else
	skip 'Model Garden reads the checkpoint' \
		'no PEER_TENSORFLOW with tf-models-official'
fi

# Variants.
works 'two evaluations an epoch' published v --num_eval_per_epoch=2 --log_steps=4
like "$(cat err)" '*2 epochs of 6 updates, 1 of warm-up*' 'are two short epochs'
like "$(cat err)" '*TimeHistory: [0-9]*.[0-9][0-9] seconds, [0-9]*.[0-9][0-9] examples/second between steps 0 and 4
*between steps 4 and 8*' 'speeds are told'
is "$(events v/events* | cut -d' ' -f1,2 | head -n 2 | tr '\n' ' ')" \
	'4 steps_per_second 4 examples_per_second ' 'and recorded'
works 'the first examples alone' published v2 --train_data_size=64
like "$(cat err)" '*1 epoch of 2 updates*64 training examples*64 examples in*' 'as many as asked for'
works 'lamb' published v3 --optimizer_type=lamb --end_lr=1e-5 -ds=mirrored --num_gpus=0
works 'bf16, further from its own checkpoint' published v4 --dtype=bf16 \
	--init_checkpoint=m/ckpt-39 --train_data_path='g/mrpc_tr*,g/mrpc_eval.tf_record'
like "$(cat err)" '*490 training examples*41 tensors loaded*' 'several files'
works 'random weights' published v5 --init_checkpoint= --verbosity=-2
is "$(cat err)" '' 'and no word'
sed -E 's/("num_hidden_layers"): [0-9]+/\1: 1/' g/bert/bert_config.json >one.json
works 'fewer layers than the checkpoint has' published v6 --bert_config_file=one.json
like "$(cat err)" '*unused: *bert/encoder/layer_1/*' 'the others are told'

# Numbers to predict, here the labels 0 and 1 as such.
for p in train eval; do
	tsv=$p
	[ $p = train ] || tsv=dev
	csv2tfrecord -q --task mrpc g/data/$tsv.tsv | bert-tokenize -q -m g/bert \
		--layout modelgarden --pad 64 --label-type float --meta-data sts \
		--part $p -o sts_$p.tf_record
done
works 'a regression' published r --input_meta_data_path=sts --num_train_epochs=4 \
	--train_data_path=sts_train.tf_record --eval_data_path=sts_eval.tf_record \
	--model_export_path=rexp
like "$(tail -n 1 out)" '* - mean_squared_error: * - val_mean_squared_error: 0.0*' \
	'comes near its numbers'
works 'predicts' run predict --input_meta_data_path=sts --model_dir=r \
	--eval_data_path=sts_eval.tf_record --predict_checkpoint_path=r/ckpt-52
is "$(awk 'NF == 1' r/test_results.tsv | wc -l | tr -d ' ')" 70 'a number a line'
bert-predict -q -m rexp --format tsv sts_eval.tf_record >wanted
same r/test_results.tsv wanted 'as what was exported'

# A run that is killed begins anew.
exec=exec published k --num_train_epochs=3 >/dev/null 2>&1 &
pid=$!
has_checkpoint() { [ -e k/ckpt-13.index ] || gone $pid; }
wait_for has_checkpoint
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
works 'a killed run, repeated' published k --num_train_epochs=3
cmp k/model.safetensors m/model.safetensors >why 2>&1
result $? 'comes to the same bits'

# The encoder of a SavedModel, as an unpacked module of TensorFlow Hub is.
mkdir -p hub/variables
: >hub/saved_model.pb
ckpt-convert -q --to tf2 g/bert/bert_model.ckpt hub/variables/variables
works 'a local module' published hub.model --init_checkpoint= --hub_module_url=hub \
	--num_train_epochs=1
works 'its checkpoint' published own.model --num_train_epochs=1
same hub.model/model.safetensors own.model/model.safetensors 'the same model'
like "$(published x --hub_module_url=hub 2>&1)" '*--init_checkpoint is given, too*' \
	'not both'

# Flags in files.
cat >more.flags <<'END'
// those of the run
--num_train_epochs=1
END
printf '# a comment\r\n\n  --learning_rate=2e-3  \n--flagfile=more.flags\n--notie\n' >all.flags
misuses "*unknown flag '--notie'*" 'flags of a file are read' published x --flagfile=all.flags
grep -v notie all.flags >some.flags
published flat --verbosity=-2 >out 2>err
works 'a run with a file of flags' run train_and_eval --train_data_path=g/mrpc_train.tf_record \
	--eval_data_path=g/mrpc_eval.tf_record --init_checkpoint=g/bert/bert_model.ckpt --model_dir=filed \
	--verbosity=-2 --flagfile some.flags
same filed/model.safetensors flat/model.safetensors 'is that with its flags'
echo --flagfile=loop.flags >loop.flags
misuses "*'loop.flags' is the 11th file of flags that name each other*" 'a circle' published x --flagfile=loop.flags
printf '\357\273\277--notie\n' >mark.flags
misuses "*unknown flag '--notie'*" 'a byte order mark does not belong to a flag' published x --flagfile=mark.flags
printf -- '--mode=predict\0\n--notie\n' >nul.flags
refuses "*--flagfile: 'nul.flags' has a NUL byte, which no flag can" 'nor a NUL' published x --flagfile=nul.flags
refuses "*--flagfile: cannot open 'no.flags'*" 'no file' published x --flagfile=no.flags
misuses "*'--flagfile' needs a value*" 'no name' published x --flagfile

# What cannot be had is refused before any work.
for flag in --tpu=node-1 --distribution_strategy=TPU --dtype=fp16 \
	--hub_module_url=https://tfhub.dev/x --gin_param=a.b=1 --mode=train \
	--learning_rate=fast --train_batch_size=0 --end_lr=1 \
	--model_dirs=x --eval_data_path= --bert_config_file= extra; do
	exits 2 "refused: $flag" published x "$flag"
	[ ! -e x ] && [ ! -s out ]
	result $? '... before any work'
done
like "$(published x --distribution_strategy=tpu --tpu=node-1 2>&1)" "*bert-run-classifier: strategy tpu: found no plugin for TPUs (pip install libtpu*BT_PJRT_PATH*)
Try 'bert-run-classifier --help'." 'says why'

# weights count where the meta data say so
tfrecord-cat -q --json g/mrpc_train.tf_record | awk '{ sub(/}$/, NR % 2 ? ", \"weight\": 3.0}" : ", \"weight\": 0.5}"); print }' |
	tfrecord-cat -q --from-json -o weighted.rec
works 'weights that the meta data do not have' published w0 --train_data_path=weighted.rec
like "$(cat err)" '*warning: the weights of the training records do not count*' 'do not count'
sed '$s/}$/, "has_sample_weights": true}/' $meta >weights.meta
works 'weights that they have' published w1 --train_data_path=weighted.rec --input_meta_data_path=weights.meta --verbosity=-1
published w2 --verbosity=-2 >out 2>err
same w0/model.safetensors w2/model.safetensors 'without them nothing changes'
! cmp -s w1/model.safetensors w2/model.safetensors
result $? '... with them it does'

# Files that are not what they should be.
refuses "*--train_data_path: the file 'no*' does not exist*" 'no records' \
	published x --train_data_path='no*'
sed 's/"max_seq_length": [0-9]*/"max_seq_length": 9/' $meta >short.meta
refuses '*more than the limit of 9*' 'records longer than the meta data say' \
	published x --input_meta_data_path=short.meta
refuses "*'no.json'*" 'no meta data' published x --input_meta_data_path=no.json
refuses "*'g/bert/none'*" 'no checkpoint' published x --init_checkpoint=g/bert/none
exits 2 'an address' published x --init_checkpoint=gs://b/bert_model.ckpt
echo '{"task_type": "bert_squad", "train_data_size": 9}' >squad
refuses "*meta data 'squad': task_type is 'bert_squad'*" 'another task' \
	published x --input_meta_data_path=squad
sed 's/"train_data_size": 420/"train_data_size": 31/' $meta >few
misuses '*an update takes 32 examples, and an epoch has 31*' 'too few examples' \
	published x --input_meta_data_path=few
tfrecord-cat -q --head 31 -o few.rec g/mrpc_train.tf_record
misuses '*an update takes 32 examples, and there are 31*' 'fewer than the meta data say' \
	published x --train_data_path=few.rec
sed 's/"hidden_size": 64/"hidden_size": 32/' g/bert/bert_config.json >wide.json
refuses '*the configuration asks for*' 'another configuration' \
	published x --bert_config_file=wide.json
csv2tfrecord -q --task mrpc g/data/train.tsv | bert-tokenize -q -m g/bert \
	--layout modelgarden --pad 64 --labels 7,8,0,1 -o wrong.rec
refuses '*label_ids holds 2, and of 2 classes the last is 1*' 'labels beyond the meta data' \
	published x --train_data_path=wrong.rec
sed 's/"num_labels": 2/"num_labels": 4/' $meta >four
works 'classes without records' published n --input_meta_data_path=four \
	--train_data_path=wrong.rec --eval_data_path=wrong.rec
is "$(sed -n 's/ *"\([0-9]\)": "\(.*\)",*$/\1=\2/p' n/config.json | tr '\n' ' ')" \
	'0=0 1=1 2=2 3=3 ' 'keep their numbers'
finish
