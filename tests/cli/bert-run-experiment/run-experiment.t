#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-run-experiment: Model Garden's train.py, its flags, files and lines.
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
unset BT_PJRT_PATH PJRT_NAMES_AND_LIBRARY_PATHS # devices.t has them
events() { "$TEST_TOP/tests/lib/events" "$@" | sed 1d; }
# What it prints, dictionaries on one line each.
flat() {
	awk '/^    / { sub(/^ +/, " "); printf "%s", $0; next } NR > 1 { print "" }
		{ printf "%s", $0 } END { print "" }' "$1" | sed 's/output:  */output: /'
}
yaml=$DATA/garden

# The pipeline's own small data: 400 sentences to train on, 80 to evaluate.
EXPERIMENT_DIR=e "$TEST_TOP/pipelines/train-experiment.sh" >log 2>&1
like "$(tail -n 1 log)" '*the same model, bit for bit' \
	'the pipeline trains, is killed, goes on to the same bits'

exp() { # MODE DIR FLAG ...
	mode=$1 dir=$2
	shift 2
	${exec-} bert-run-experiment --experiment=bert/sentence_prediction \
		--mode="$mode" --model_dir="$dir" --config_file=e/bert.yaml \
		--config_file=e/sst-2.yaml --tokenizer=e/bert \
		--config_file=task.init_checkpoint=e/bert/bert_model.ckpt "$@"
}
override=--params_override

# --- the configuration alone
for c in sentence_prediction:glue_mnli_matched \
	sentence_prediction_text:glue_mnli_text squad:squad_v1 squad:squad_v1.1; do
	works "bert/${c%:*} with ${c#*:}.yaml" bert-run-experiment \
		--experiment "bert/${c%:*}" --print_config \
		--config_file "$yaml/bert_en_uncased_base.yaml" \
		--config_file "$yaml/${c#*:}.yaml"
	cp out "${c#*:}.out"
done
is "$(sed 's/ *#.*//' squad_v1.out)" "$(sed 's/ *#.*//' squad_v1.1.out)" \
	'both names of the file of SQuAD say the same'
like "$(grep ' train_steps:' glue_mnli_matched.out)" \
	"  train_steps: 36813 *# */glue_mnli_matched.yaml:22" 'values say their file and line'
like "$(grep 'weight_decay_rate' glue_mnli_matched.out)" \
	'*: 0.01 *# bert/sentence_prediction' 'or the experiment'
like "$(grep 'exclude_from_weight_decay' glue_mnli_matched.out)" \
	'*: \[[L]ayerNorm, layer_norm, bias\] *' 'lists are in flow style'
is "$(grep -c 'lamb\|cosine' glue_mnli_matched.out)" 0 'of a choice only the chosen is shown'
print() { bert-run-experiment --experiment=bert/squad --print_config "$@"; }
like "$(print --config_file=trainer.train_steps=1 --config_file=trainer.train_steps=2 \
	| grep ' train_steps')" '*: 2 *# --config_file' 'a later file wins'
like "$(print --config_file=trainer.train_steps=1 $override=trainer.train_steps=3 \
	| grep ' train_steps')" '*: 3 *# --params_override' 'and the override over all'
like "$(print --tpu= --config_file=runtime.tpu=x | grep ' tpu:')" \
	'*: null *# --tpu' '--tpu replaces what a file says, empty or not'

is "$(bert-run-experiment --experiment=bert/squad --print-config 2>&1)" \
	"$(bert-run-experiment --experiment=bert/squad --print_config 2>&1)" \
	'with a dash, as other programs have it'

# --- wrong usage, and what is not built: before any work, with status 2
wrong() { # GLOB NAME COMMAND ...
	glob=$1 name=$2
	shift 2
	exits 2 "$name" "$@"
	like "$(cat err)" "$glob" "$name: says so"
}
wrong '*unknown experiment*bert/squad*' 'an unknown experiment' \
	bert-run-experiment --experiment=bert/none --mode=train --model_dir=x
wrong '*trainer (TrainerConfig) has no key*mean*train_steps*' 'an unknown key' \
	exp train x $override=trainer.train_step=3
wrong '*give --mode*' 'no mode' bert-run-experiment --experiment=bert/squad --model_dir=x
wrong '*give --model_dir*' 'no directory' \
	bert-run-experiment --experiment=bert/squad --mode=train
wrong '*this mode is not implemented*' 'a mode of pre-training' exp continuous_train_and_eval x
wrong '*not implemented*' 'a mode that never was' exp train_and_validate x
wrong '*runtime.distribution_strategy (*only the strategy tpu*' 'a TPU without its strategy' exp train x --tpu=local
wrong '*GPUs (num_gpus is 8)*jax-cuda13-*BT_PJRT_PATH*' 'GPUs' exp train x \
	$override=runtime.num_gpus=8
wrong '*csv2tfrecord --task NAME | bert-tokenize*' 'texts of TensorFlow Datasets' \
	bert-run-experiment --experiment=bert/sentence_prediction_text --mode=train \
	--model_dir=x --config_file="$yaml/glue_mnli_text.yaml"
while IFS='|' read -r key glob; do
	wrong "*${key%%=*}*$glob*" "$key" exp train_and_eval x "$override=$key"
done <<'EOF'
runtime.distribution_strategy=tpu|no plugin for TPUs*pip install libtpu
runtime.distribution_strategy=mirorred|not one of off
runtime.distribution_strategy=parameter_server|several machines
runtime.all_reduce_alg=nccl2|one of nccl
runtime.mixed_precision_dtype=float16|bfloat16
task.hub_module_url=https://x/y|init_checkpoint
task.hub_module_url=e|init_checkpoint is given, too
task.model.num_classes=0|must be given
task.model.encoder.type=albert|not built
task.model.encoder.bert.norm_first=true|only false
task.model.encoder.bert.embedding_size=16|hidden size
task.metric_type=pearson_spearman_corr|of numbers
task.metric_type=auc|accuracy, f1
task.train_data.global_batch_size=0|not a batch
task.train_data.seq_length=500|64 positions
task.train_data.label_type=float|num_classes 1
task.train_data.is_training=null|may not be null
task.train_data.is_training=false|only true
task.train_data.tfds_name=glue/sst2|csv2tfrecord
task.validation_data.is_training=true|only false
trainer.train_steps=0|at least 1
trainer.summary_interval=15|not a multiple of steps_per_loop
trainer.validation_steps=0|all of them
trainer.best_checkpoint_eval_metric=roc|not measured
trainer.best_checkpoint_metric_comp=best|higher or lower
trainer.best_checkpoint_export_subdir=../x|below
trainer.optimizer_config.ema={}|not built
trainer.optimizer_config.optimizer.type=adagrad|not built
trainer.optimizer_config.optimizer.adamw.amsgrad=true|not built
trainer.optimizer_config.optimizer.adamw.exclude_from_weight_decay=null|norms
trainer.optimizer_config.learning_rate.polynomial.decay_steps=null|must be given
trainer.optimizer_config.warmup.polynomial.warmup_steps=null|must be given
EOF
[ ! -e x ]
result $? 'nothing was written'
echo 'trainer: {train_steps: 3.0e5}' >bad.yaml
refuses '*trainer.train_steps (bad.yaml:1): *3.0e+5*' 'a file with a number that is none' \
	exp train x --config_file=bad.yaml
refuses '*no.yaml*' 'a file that is not there' exp train x \
	"$override=task.train_data.input_path=no.yaml"
refuses '*10 tokens, more than the limit of 4*' 'records longer than seq_length' exp train x2 \
	$override=task.train_data.seq_length=4

# --- what a run leaves, in e/undisturbed
is "$(find e/undisturbed -type f | sed 's/tfevents\..*/tfevents/' | sort | tr '\n' ' ')" \
	'e/undisturbed/best_ckpt/config.json e/undisturbed/best_ckpt/info.json e/undisturbed/best_ckpt/model.safetensors e/undisturbed/best_ckpt/tokenizer_config.json e/undisturbed/best_ckpt/vocab.txt e/undisturbed/checkpoint-50.safetensors e/undisturbed/checkpoint.safetensors e/undisturbed/config.json e/undisturbed/history.jsonl e/undisturbed/model.safetensors e/undisturbed/params.yaml e/undisturbed/tokenizer_config.json e/undisturbed/train/events.out.tfevents e/undisturbed/validation/events.out.tfevents e/undisturbed/vocab.txt ' \
	'its files, of checkpoints the last two'
flat e/log | sed -n 's/^\(train | step: \{5\}[0-9]* | steps\/sec:\) *[0-9.]* \(| output: \).*/\1 X \2/p
	s/^\( eval | step: \{5\}[0-9]* | eval time:\) *[0-9.]* \(sec | output: {.auc\).*/\1 X \2/p' \
	>got
for s in 10 20 e20 30 40 e40 50 60 e60; do
	case $s in
	e*) echo " eval | step:     ${s#e} | eval time: X sec | output: {'auc" ;;
	*) echo "train | step:     $s | steps/sec: X | output: " ;;
	esac
done >wanted
same got wanted 'lines of train.py'
like "$(grep -A 4 'step:     10' e/log | tail -n 4)" "    {'auc': 0.*,
     'cls_accuracy': 0.*,
     'learning_rate': 0.00083333335,
     'training_loss': 0.*}" 'output as Python prints it; the rate of the next step'
is "$(events e/undisturbed/train/* | cut -d' ' -f1,2 | head -n 10 | tr '\n' ' ')" \
	'10 training_loss 10 cls_accuracy 10 auc 10 learning_rate 10 steps_per_second 20 training_loss 20 cls_accuracy 20 auc 20 learning_rate 20 steps_per_second ' \
	'events of training'
is "$(events e/undisturbed/validation/* | cut -d' ' -f1,2 | tail -n 4 | tr '\n' ' ')" \
	'60 auc 60 best_cls_accuracy 60 cls_accuracy 60 validation_loss ' 'events of evaluation'
# the rate after t of 60 updates: up to that of 6 in 6, down to 0
events e/undisturbed/train/* | awk '/learning_rate/ { n++
	want = 1e-3 * (1 - $1 / 60); if ((want - $3) ^ 2 > 1e-16) bad = 1 }
	END { exit n != 6 || bad }'
result $? 'learning rates'
is "$(head -n 3 e/undisturbed/best_ckpt/info.json)" '{
    "auc": 1.0,
    "cls_accuracy": 1.0,' 'info.json'
like "$(tail -n 2 e/undisturbed/best_ckpt/info.json)" '    "best_ckpt_global_step": *.0
}' 'info.json has the step'
works 'params.yaml is a configuration' bert-run-experiment \
	--experiment=bert/sentence_prediction --print_config \
	--config_file=e/undisturbed/params.yaml
sed 's/ *#.*//' out >got
same got e/undisturbed/params.yaml 'the same again'
works 'the model predicts' bert-predict -q -m e/undisturbed e/dev.tf_record
works 'the best one, too' bert-predict -q -m e/undisturbed/best_ckpt e/dev.tf_record

# --- other modes come to the same model
last=$(flat e/log | grep '^ eval' | tail -n 1 | sed 's/.*output: //')
works 'mode train' exp train t --verbosity=-1
cmp -s t/model.safetensors e/undisturbed/model.safetensors
result $? 'train: the same model'
[ "$(grep -c '^ eval' out)" = 0 ]
result $? 'train: does not evaluate'
works 'mode train_and_post_eval' exp train_and_post_eval p --verbosity=-1
is "$(flat out | grep '^ eval' | sed 's/.*output: //')" "$last" 'train_and_post_eval: evaluates once'
works 'mode eval' exp eval t
is "$(grep -o ": restored .*" err)" ': restored at step 60' 'eval: says which checkpoint'
is "$(flat out | sed 's/.*output: //')" "$last" 'eval: of the last checkpoint'
like "$(cat out)" ' eval | step:     60 *' 'eval: says the step'
works 'mode eval without a checkpoint' exp eval none --verbosity=-1
like "$(cat out)$(cat err)" ' eval | step:      0 *no checkpoint*' 'eval: of the start'
[ ! -e none/model.safetensors ]
result $? 'eval: leaves no model'
works 'mode continuous_eval' exp continuous_eval t --verbosity=-1 \
	$override=trainer.continuous_eval_timeout=1
is "$(flat out | sed 's/.*output: //')" "$last" 'continuous_eval: ends when nothing comes'

is "$(events t/validation/* | grep -c ' validation_loss ')" 2 \
	'both left their events, each in a file of its own'

# --- the encoder of a SavedModel, as an unpacked module of TensorFlow Hub is
mkdir -p hub/variables
: >hub/saved_model.pb
ckpt-convert -q --to tf2 e/bert/bert_model.ckpt hub/variables/variables
hub() { # DIR FLAG ...
	dir=$1
	shift
	exp train "$dir" "$override=task.init_checkpoint='',trainer.train_steps=10" "$@"
}
works 'a local module' hub hub.model --config_file=task.hub_module_url=hub
like "$(cat err)" "*'hub': [1-9]* tensors loaded*" 'is loaded'
works 'its checkpoint' exp train ckpt.model "$override=trainer.train_steps=10"
same hub.model/model.safetensors ckpt.model/model.safetensors 'the same model'

# --- going on
works 'a run that is over' exp train_and_eval e/undisturbed --verbosity=-1
is "$(cat out)" '' 'trains no more'
works 'but goes on to more steps' exp train_and_eval t \
	$override=trainer.train_steps=70 --verbosity=-1
like "$(head -n 1 out)" 'train | step:     70 *' 'from where it was'
refuses "bert-run-experiment: task.train_data.input_path: the file 'nothing' does not exist" 'no such records' \
	exp train late $override=task.train_data.input_path=nothing
refuses "*'t/checkpoint.safetensors' is of update 70, and the run has 60*" 'not back to fewer' exp train_and_eval t \
	$override=trainer.train_steps=60
cp e/undisturbed/params.yaml kept.yaml
refuses '*another run: batch size was 32, is 16 (give another --model_dir)' 'not with other settings' exp train \
	e/undisturbed $override=task.train_data.global_batch_size=16
same e/undisturbed/params.yaml kept.yaml 'whose configuration stays'
(
	exec='exec'
	exp train_and_eval s $override=trainer.train_steps=100000 >s.out 2>s.err &
	until grep -q 'step:  *20 ' s.out || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
	kill -TERM $!
	wait $!
	echo $? >status
)
is "$(cat status)" 1 'a run that is stopped fails'
like "$(cat s.err)" '*stopped after step * of 100000; run the same command to resume' 'and says how to go on'

# --- diverging: the loss of steps 21 to 30 is just too large
loss=$(grep -A 4 'step:     30' e/log | sed -n "s/.*training_loss': \([0-9.]*\)}.*/\1/p" | head -n 1)
bound=$(awk -v l="$loss" 'BEGIN { printf "%.6f", l - 1e-5 }')
bounds="trainer.loss_upper_bound=$bound,trainer.recovery_begin_steps=30"
exits 1 'a loss above its bound' exp train d1 $override="$bounds" --verbosity=-2
like "$(cat err)" '*the loss, *, is above trainer.loss_upper_bound*' 'is an error'
began=$(date +%s%N)
works 'goes back and on in another order' exp train d2 \
	$override="$bounds,trainer.recovery_max_trials=40"
took=$(($(date +%s%N) - began))
like "$(cat err)" '*back to the checkpoint of step 20*' 'and says so'
sed -n '$s/.*"seconds":\([0-9.e-]*\).*/\1/p' d2/history.jsonl |
	awk -v took=$took '{ print $1, "of", took / 1e9, "s" } !($1 > 0 && $1 < took / 1e9) { exit 1 }' >why
result $? 'in no more time than it took'
works 'a negative number switches the bound off' exp train d3 --verbosity=-1 \
	$override="$bounds,trainer.recovery_max_trials=-1"
cmp -s d3/model.safetensors e/undisturbed/model.safetensors
result $? 'with the usual model'
cp -r d2 d4
rm d4/model.safetensors
mv d4/checkpoint-50.safetensors d4/checkpoint.safetensors
works 'resumed after that' exp train d4 --verbosity=-1 \
	$override="$bounds,trainer.recovery_max_trials=40"
cmp -s d2/model.safetensors d4/model.safetensors
result $? 'the order is remembered: the same bits'

# --- optimizers, pooler, measures, bfloat16
o=trainer.optimizer_config
for k in lamb adam; do
	works "$k" exp train "o-$k" --verbosity=-1 \
		"$override=$o.optimizer.type=$k,trainer.train_steps=10"
done
works 'sgd at a constant rate' exp train o-sgd --verbosity=-1 \
	"$override=$o.optimizer.type=sgd,$o.learning_rate.type=constant,trainer.train_steps=10"
like "$(cat out)" "*'learning_rate': 0.1,*" 'which stays'
works 'cosine, linear warm-up' exp train o-cos --verbosity=-1 \
	"$override={trainer: {train_steps: 10, optimizer_config: {learning_rate: {type: cosine, cosine: {initial_learning_rate: 1e-3, decay_steps: 20}}, warmup: {type: linear, linear: {warmup_steps: 4}}}}}"
like "$(cat out)" "*'learning_rate': 0.0005,*" 'half way down'
works 'the encoder'\''s pooler, f1, bfloat16, a part of the data' exp train_and_eval q \
	"$override=task.model.use_encoder_pooler=true,task.metric_type=f1,runtime.mixed_precision_dtype=bfloat16,trainer.validation_steps=1,trainer.train_steps=10,trainer.best_checkpoint_eval_metric=f1"
like "$(flat out | grep '^ eval')" "* | steps/sec: *'f1': *'steps_per_second': *" 'f1 is printed'
like "$(cat err)" '*400 training examples, 32 for evaluation*newly initialized: the classes*' \
	'one batch is evaluated, the pooler is that of the checkpoint'
grep -q '"classifier_dropout": 0.19' q/config.json
result $? 'its dropout is two in a row'
grep -q steps_per_second q/validation/*
result $? 'speeds of evaluation, where its steps are given'

# --- a number: how late, as a function of one word
awk 'BEGIN { print "late,text"; for (i = 0; i < 200; i++) { k = i * 7 % 5
	print k / 2 ",the library opens " substr("one two tenninezero", 4 * k + 1, 4) } }' \
	</dev/null >late.csv
csv2tfrecord -q -t text -l late late.csv |
	bert-tokenize -q -m e/bert -o late.rec
works 'a number to be predicted' exp train_and_eval n \
	"$override=task.model.num_classes=1,task.train_data.label_type=float,task.validation_data.label_type=float,task.train_data.input_path=late.rec,task.validation_data.input_path=late.rec,task.metric_type=pearson_spearman_corr,trainer.best_checkpoint_eval_metric=pearson_spearman_corr"
like "$(flat out | grep '^ eval' | tail -n 1)" "*{'best_pearson_spearman_corr': 0.*, 'pearson_spearman_corr': 0.*, 'validation_loss': *}" \
	'is measured by correlation'
[ "$(grep -c cls_accuracy out)" = 0 ]
result $? 'and not by accuracy'
works 'and evaluated' exp eval n --verbosity=-1 \
	"$override=task.model.num_classes=1,task.train_data.label_type=float,task.validation_data.label_type=float,task.validation_data.input_path=late.rec,task.metric_type=pearson_spearman_corr,trainer.best_checkpoint_eval_metric=pearson_spearman_corr"

# --- the published train.py, from the same weights, with full batches: what its
# own code says of our model, and how its losses go
garden() { # HEAD COMMAND ...
	head=$1
	shift
	TF_USE_LEGACY_KERAS=1 TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES='' HEAD=$head \
		"${PEER_TENSORFLOW:-false}" "$TEST_TOP/tests/fixtures/model-garden-train.py" "$@" 2>err
}
full="task.train_data.global_batch_size=400,task.train_data.shuffle_buffer_size=1,task.model.encoder.bert.dropout_rate=0.0,task.model.encoder.bert.attention_dropout_rate=0.0"
small=trainer.train_steps=20,trainer.checkpoint_interval=1000
each() { # MODE DIR INIT OVERRIDE: the flags of both
	echo "--experiment=bert/sentence_prediction --mode=$1 --model_dir=$2
		--config_file=e/bert.yaml --config_file=e/sst-2.yaml
		--params_override=$full,$4,task.init_checkpoint=$3,runtime.distribution_strategy=one_device"
}
# numbers FILE: names and numbers of all lines, of times without the latter
numbers() {
	flat "$1" | sed -n 's/^\( *[a-z]* | step: *[0-9]* |\).*output: /\1 /p' | tr -d "{}:'," |
		awk '{ print $1, $4; for (i = 6; i < NF; i += 2) print $i, $(i + 1) }'
}
# near A B LIMIT: the same names in the same order, numbers so near to each other
near() {
	paste "$1" "$2" | awk -v limit="$3" '{ n = NF / 2
		for (i = 1; i <= n; i++) {
			a = $i; b = $(i + n); d = a - b
			if (a !~ /^[-0-9.e]+$/ ? a != b : d * d > (limit * a) ^ 2 + 1e-18)
				bad = 1
		}
		if (bad) print }
		END { exit NR == 0 || bad }' >why
}
if TF_USE_LEGACY_KERAS=1 "${PEER_TENSORFLOW:-false}" -c 'import official.legacy.bert' 2>/dev/null; then
	ckpt-convert -q --to tf2 e/bert/bert_model.ckpt bert.tf2
	# shellcheck disable=SC2046
	{
		mkdir a.tf1 b.tf1
		bert-run-experiment $(each train a bert.tf2 "${small}0,trainer.optimizer_config.learning_rate.polynomial.initial_learning_rate=1e-30") \
			--tokenizer=e/bert >/dev/null 2>&1
		ckpt-convert -q --to tf1 a a.tf1/bert_model.ckpt
		bert-run-experiment $(each train_and_eval b bert.tf2 "$small") \
			--tokenizer=e/bert --verbosity=-1 >ours
		ckpt-convert -q --to tf1 b b.tf1/bert_model.ckpt
		ckpt-convert -q --to tf2 b b.tf2
		garden a.tf1/bert_model.ckpt $(each train_and_eval c bert.tf2 "$small") >theirs
		garden b.tf1/bert_model.ckpt $(each eval d b.tf2 "$small") >again
	}
	numbers ours >a.told
	numbers theirs >b.told
	near a.told b.told .15
	result $? 'train.py tells the same, but for the dropout before its classes'
	tail -n 4 a.told >a.last
	numbers again | grep -v '^eval' >b.last
	near a.last b.last 1e-5
	result $? 'and of our model the same loss, accuracy and area'
else
	skip 'the published train.py' 'no PEER_TENSORFLOW with tf-models-official'
fi
finish
