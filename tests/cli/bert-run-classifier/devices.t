#!/bin/sh
# SPDX-License-Identifier: MIT
# Not under thread: a plugin's own threads are not watched
# Not under address: nor is its memory
# --distribution_strategy, --num_gpus and --tpu of Model Garden's programs: what is refused
# or computed on the CPU anywhere, and, where BT_PJRT_PATH or PEER_PYTHON has XLA's plugin for
# CPUs, runs on two devices of it under the name of another.
# Not under isa: the trainings are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/xla.sh"
. "$TEST_TOP/tests/lib/squad.sh"
export BT_PJRT_CACHE="$PWD/cache"
unset PJRT_NAMES_AND_LIBRARY_PATHS
xla_path
plugin=$(BT_PJRT_CACHE=none bert-predict --device list 2>/dev/null | sed -n 's/^cpu: //p')
unset BT_PJRT_PATH
GLUE_DIR=g "$TEST_TOP/pipelines/glue-run-classifier.sh" >log 2>&1
EXPERIMENT_DIR=e "$TEST_TOP/pipelines/train-experiment.sh" >log 2>&1

run() { # DIR FLAG ...
	dir=$1
	shift
	bert-run-classifier --input_meta_data_path=g/mrpc_meta_data --model_dir="$dir" \
		--train_data_path=g/mrpc_train.tf_record --eval_data_path=g/mrpc_eval.tf_record \
		--bert_config_file=g/bert/bert_config.json --init_checkpoint=g/bert/bert_model.ckpt \
		--learning_rate=2e-3 --num_train_epochs=1 --dtype=fp32 "$@"
}
exp() { # DIR FLAG ...
	dir=$1
	shift
	bert-run-experiment --experiment=bert/sentence_prediction --mode=train_and_eval \
		--model_dir="$dir" --config_file=e/bert.yaml --config_file=e/sst-2.yaml \
		--tokenizer=e/bert --config_file=task.init_checkpoint=e/bert/bert_model.ckpt "$@"
}
glue() { # DIR FLAG ...
	dir=$1
	shift
	bert-run-glue --task_name=MRPC --model_dir="$dir" --input_meta_data_path=g/mrpc_meta_data \
		--train_input_path=g/mrpc_train.tf_record --validation_input_path=g/mrpc_eval.tf_record \
		--test_input_path=g/mrpc_test.tf_record --test_output_path="$dir.tsv" \
		--model_config_file=g/bert/bert_config.json --init_checkpoint=g/bert/bert_model.ckpt \
		--learning_rate=2e-3 --num_epoch=1 --num_eval_per_epoch=1 "$@"
}

# --- where there is no plugin
works 'the defaults' run m --verbosity=-1
like "$(cat err)" "*warning: mirrored asks for a GPU, and no plugin for GPUs was found: the CPU computes (pip install 'jax-cuda13-*BT_PJRT_PATH*" \
	'compute on the CPU, and say so'
is "$(BT_MESSAGES=json run m2 --verbosity=-1 2>&1 >/dev/null | grep -c '"code":"no-gpu"')" 1 '... once, with a code'
for flags in -ds=off --num_gpus=0 '-ds=one_device -ng=0'; do
	# shellcheck disable=SC2086 # several flags
	works "$flags" run m3 --verbosity=-1 $flags
	is "$(grep -c GPU err)" 0 '... is the CPU, as asked for'
	same m/model.safetensors m3/model.safetensors '... the same model'
done
for flags in -ds=tpu '-ds=tpu --tpu=local' --num_gpus=2 --worker_hosts=a:1,b:1 -ds=parameter_server; do
	# shellcheck disable=SC2086
	exits 2 "refused: $flags" run x $flags
	[ ! -e x ] && [ ! -s out ]
	result $? '... before any work'
done
exits 2 'a TPU that an experiment asks for' exp x --tpu=local \
	--params_override=runtime.distribution_strategy=tpu
like "$(cat err)" '*runtime.distribution_strategy (*): strategy tpu: found no plugin for TPUs (pip install libtpu*' '... is named'
exits 2 'what configures a task of GLUE' glue x --config_file=runtime.num_gpus=2
like "$(cat err)" '*by flags here, not by runtime*' '... chooses no devices'

# --- a plugin that computes nothing
export PJRT_NAMES_AND_LIBRARY_PATHS="cuda:$BUILD/plugin/mock.so,tpu:$BUILD/plugin/mock.so"
MOCK_DEVICES=2 exits 2 'more GPUs than there are' run x -ng=3
like "$(cat err)" "*plugin 'cuda' has 2 devices, not 3*" '... are an error'
MOCK_DEVICES=2 exits 2 'an experiment on more GPUs' exp x --params_override=runtime.num_gpus=3
like "$(cat err)" "*plugin 'cuda' has 2 devices, not 3*" '... likewise'
MOCK_DEVICES=4 run x -ds=tpu --verbosity=1 >out 2>err
like "$(cat err)" "*plugin 'tpu' computes*by 4 of mock ('*" 'a TPU computes on all its devices'
works 'a GPU is there, and none is asked for' run m4 --verbosity=-1 -ng=0
like "$(cat err)" "*num_gpus is 0, so the CPU computes, not plugin 'cuda'*" '... and a note says so'
rm -rf x

# --- XLA's plugin, with two devices, as one for GPUs
# losses DIR: of updates and evaluations
losses() {
	sed -n 's/.*"loss":\([^,}]*\).*/\1/p' "$1/history.jsonl"
	sed -n 's/.*"eval_loss":\([^,}]*\).*/\1/p' "$1/history.jsonl"
}
# follows A B NAME: their losses agree to 1e-5
follows() {
	losses "$1" >x.losses
	losses "$2" >y.losses
	paste x.losses y.losses | awk '{ d = $1 / $2 - 1; if (NF != 2 || !(d < 1e-5 && d > -1e-5)) print }
		END { if (NR == 0) print "nothing" }' >why
	[ ! -s why ]
	result $? "$3"
}
if [ -z "$plugin" ]; then
	skip 'training on devices' "no plugin of XLA's for CPUs"
	finish
fi
export PJRT_NAMES_AND_LIBRARY_PATHS="xla:$plugin"
works 'run_classifier on two GPUs' run two -ng=2 --verbosity=1
like "$(cat err)" "*plugin 'xla' computes*products f32 by 2 of cpu ('*" '... computes there'
works '... on the CPU' run zero -ng=0
follows zero two '... to the same losses'
works '... predicts there' run two --mode=predict -ng=2 --verbosity=1
like "$(cat err)" '*% of rows filled*' '... in rows'
cp two/test_results.tsv two.tsv
works '... and on the CPU' run two --mode=predict -ds=off
paste two.tsv two/test_results.tsv | awk '{ d = $1 - $3; if (NF != 4 || !(d < 1e-5 && d > -1e-5)) print }
	END { if (NR != 70) print NR, "lines" }' >why
[ ! -s why ]
result $? '... the same'
few=trainer.train_steps=30
works 'train.py on two GPUs' exp two.e "--params_override=$few,runtime.num_gpus=2" --verbosity=1
like "$(cat err)" "*by 2 of cpu ('*" '... computes there'
works '... on the CPU' exp none "--params_override=$few"
follows none two.e '... to the same losses'

# stopped while the program that evaluates compiles
: >refused
PJRT_NAMES_AND_LIBRARY_PATHS="xla:$BUILD/plugin/narrow.so" NARROW_OF=$plugin NARROW_LATE=forward \
	BT_PJRT_CACHE=late bert-run-experiment --experiment=bert/sentence_prediction --mode=eval \
	--model_dir=two.e --config_file=e/bert.yaml --config_file=e/sst-2.yaml --tokenizer=e/bert \
	--params_override=$few,runtime.num_gpus=1 >out 2>err &
pid=$!
late() { [ -e stays ] || gone $pid; }
wait_for late
kill -TERM $pid
wait $pid
is "$? $(tail -n 1 err)" \
	'1 bert-run-experiment: warning: stopped before the evaluation was complete' \
	'train.py, stopped while it compiles what evaluates'
works '... and once more' exp two.e "--params_override=$few,runtime.num_gpus=1" --mode=eval

works 'run_glue on one GPU' glue glue -ds=one_device --verbosity=1
like "$(cat err)" "*by cpu ('*% of rows filled*" '... trains and predicts there'
works '... on the CPU' glue glue0 -ng=0
follows glue0 glue '... to the same losses'
same glue0.tsv glue.tsv '... and predictions'

squad_vocabulary >vocab.txt
squad_questions 1 100 0 >train.json
squad_questions 2 30 0 >dev.json
squad_records train
echo '{"vocab_size": 18, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128,
	"max_position_embeddings": 64, "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0}' >bert_config.json
squad() { # DIR FLAG ...
	dir=$1
	shift
	bert-run-squad --model_dir="$dir" --bert_config_file=bert_config.json --vocab_file=vocab.txt \
		--train_batch_size=16 --learning_rate=2e-3 --num_train_epochs=1 --dtype=fp32 \
		--input_meta_data_path=train.meta --train_data_path=train.rec --predict_file=dev.json "$@"
}
works 'run_squad on two GPUs' squad s2 -ng=2 --verbosity=1
like "$(cat err)" "*by 2 of cpu ('*% of rows filled*" '... trains and answers there'
works '... on the CPU' squad s0 -ng=0
# texts of few words, whose gradients count by places in the norm that clips
follows s0 s2 '... to the same losses'
same s0/predictions.json s2/predictions.json '... and answers'
PJRT_NAMES_AND_LIBRARY_PATHS="xla:$BUILD/plugin/narrow.so" NARROW_OF=$plugin NARROW_PLACES=192 \
	works '... on one of little memory' squad s1
follows s0 s1 '... to the same losses, in pieces'
finish
