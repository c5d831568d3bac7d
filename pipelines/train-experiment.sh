#!/bin/sh
# SPDX-License-Identifier: MIT
# Trains on a GLUE task with the command line of TensorFlow Model Garden's
# train.py: YAML for the model and the task, overrides, a TensorFlow checkpoint.
# A killed run resumes from its --model_dir.
# usage: pipelines/train-experiment.sh
#        pipelines/train-experiment.sh TASK BERT_DIR DATA_DIR [OUT_DIR [FLAG ...]]
# TASK is sst-2, mrpc, rte, ...; BERT_DIR has bert_config.json, vocab.txt and
# bert_model.ckpt.*; DATA_DIR has the task's train.tsv and dev.tsv.
# Without arguments: a small data set like SST-2 and a small model, created here;
# the run is killed half way, and its result is compared with an undisturbed one.
# Further flags go to bert-run-experiment and override those of the recipe.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ $# -gt 0 ] && [ $# -lt 3 ]; then
	sed -n 6,7p "$0" | cut -c3- >&2
	exit 2
fi

# Creates a data set in the form of SST-2, and a model with random weights and a
# small vocabulary.
small() { # DIR
	mkdir -p "$1/data" "$1/bert"
	cp "$(dirname "$0")/data/vocab.txt" "$1/bert"
	echo '{"hidden_size": 64, "hidden_act": "gelu", "vocab_size": '"$(
		wc -l <"$1/bert/vocab.txt" | tr -d ' '
	)"', "num_attention_heads": 2, "num_hidden_layers": 2,
		"intermediate_size": 128, "max_position_embeddings": 64,
		"type_vocab_size": 2, "initializer_range": 0.02}' >"$1/bert/bert_config.json"
	awk -v dir="$1/data" 'BEGIN {
		OFS = "\t"
		g = split("open,free,new,quiet,warm", good, ",")
		b = split("closed,lost,broken,late,cold", bad, ",")
		t = split("the library,my card,a book,the cafe,this room", thing, ",")
		for (f = 1; f <= 2; f++)
			print "sentence", "label" > (dir (f == 1 ? "/train.tsv" : "/dev.tsv"))
		for (i = 0; i < 480; i++) {
			is = int(i / 3) % 2
			word = is ? good[1 + i % g] : bad[1 + i % b]
			print thing[1 + int(i / 7) % t] " is " word (i % 4 ? "" : " today"), \
				is > (dir (i < 400 ? "/train.tsv" : "/dev.tsv"))
		}
	}' </dev/null
	# the checkpoint: a model with random weights
	csv2tfrecord -q --task sst-2 "$1/data/dev.tsv" |
		bert-tokenize -q -m "$1/bert" -o "$1/any.rec"
	bert-train -q --force --init-config "$1/bert/bert_config.json" --steps 1 \
		--learning-rate 0 -o "$1/random" "$1/any.rec"
	ckpt-convert -q --to tf1 "$1/random" "$1/bert/bert_model.ckpt"
}

demo=''
if [ $# = 0 ]; then
	demo=1 out=${EXPERIMENT_DIR:-build/experiment} task=sst-2
	bert=$out/bert data=$out/data batch=32 steps=60 rate=1e-3 every=10
	rm -rf "$out/model" "$out/undisturbed"
	small "$out"
else
	task=$1 bert=$2 data=$3 out=${4:-experiment} batch=32 rate=3e-5
	steps='' every=''
	shift 3
	[ $# = 0 ] || shift
	mkdir -p "$out"
fi

# value NAME: a value of bert_config.json
value() {
	tr -d '\n' <"$bert/bert_config.json" |
		sed -n "s/.*\"$1\" *: *\"\{0,1\}\([^,\"} 	]*\).*/\1/p"
}
positions=$(value max_position_embeddings)
length=$((positions < 128 ? positions : 128))
case $task in
sts-b) type=float metric=pearson_spearman_corr best=pearson_spearman_corr ;;
*) type=int metric=accuracy best=cls_accuracy ;;
esac

for part in train dev; do
	csv2tfrecord -q --task "$task" "$data/$part.tsv" |
		bert-tokenize -q -m "$bert" --dialect modelgarden \
			--layout modelgarden --pad $length --max-length $length \
			--label-type "$(echo $type | sed s/int/class/)" -o "$out/$part.tf_record"
done
examples=$(tfrecord-cat --count "$out/train.tf_record")
classes=$(tfrecord-cat -q --json "$out/train.tf_record" |
	sed -n 's/.*"label_ids": *\[*\([0-9]*\).*/\1/p' | sort -un | wc -l | tr -d ' ')
[ $type = int ] || classes=1
: "${steps:=$((examples * 3 / batch))}"
: "${every:=$((steps / 6 > 0 ? steps / 6 : 1))}"

# The model's YAML: values of bert_config.json under train.py's names.
{
	echo 'task:
  model:
    encoder:
      type: bert
      bert:'
	for pair in vocab_size hidden_size intermediate_size num_attention_heads \
		max_position_embeddings type_vocab_size initializer_range \
		num_hidden_layers:num_layers hidden_act:hidden_activation \
		hidden_dropout_prob:dropout_rate \
		attention_probs_dropout_prob:attention_dropout_rate; do
		v=$(value "${pair%:*}")
		[ -z "$v" ] || echo "        ${pair#*:}: $v"
	done
} >"$out/bert.yaml"

# The task's YAML.
cat >"$out/$task.yaml" <<EOF
task:
  model: {num_classes: $classes}
  metric_type: $metric
  train_data:
    drop_remainder: true
    global_batch_size: $batch
    input_path: $out/train.tf_record
    is_training: true
    label_type: $type
    seq_length: $length
  validation_data:
    drop_remainder: false
    global_batch_size: $batch
    input_path: $out/dev.tf_record
    is_training: false
    label_type: $type
    seq_length: $length
trainer:
  checkpoint_interval: $every
  max_to_keep: 2
  optimizer_config:
    learning_rate:
      polynomial: {decay_steps: $steps, initial_learning_rate: $rate}
    optimizer: {type: adamw}
    warmup: {polynomial: {power: 1, warmup_steps: $((steps / 10))}}
  steps_per_loop: $every
  summary_interval: $every
  train_steps: $steps
  validation_interval: $((every * 2))
  best_checkpoint_eval_metric: $best
  best_checkpoint_export_subdir: best_ckpt
EOF

run() { # MODEL_DIR FLAG ...
	dir=$1
	shift
	${exec-} bert-run-experiment \
		--experiment=bert/sentence_prediction \
		--mode=train_and_eval \
		--model_dir="$dir" \
		--config_file="$out/bert.yaml" \
		--config_file="$out/$task.yaml" \
		--params_override="task.init_checkpoint=$bert/bert_model.ckpt,runtime.distribution_strategy=one_device" \
		--tokenizer="$bert" "$@"
}

if [ -n "$demo" ]; then
	run "$out/undisturbed" --verbosity=-1 >"$out/log"
	(exec='exec'; run "$out/model") >"$out/killed" 2>"$out/killed.err" &
	# killed some updates after a checkpoint
	until grep -q 'step:  *30 ' "$out/killed" || ! kill -0 $! 2>/dev/null; do
		sleep 0.02
	done
	kill -9 $! 2>/dev/null || true
	wait $! 2>/dev/null || true
fi
run "$out/model" "$@"
bert-eval -q -m "$out/model" "$out/dev.tf_record"
if [ -n "$demo" ]; then
	cmp "$out/model/model.safetensors" "$out/undisturbed/model.safetensors"
	cmp "$out/model/best_ckpt/model.safetensors" \
		"$out/undisturbed/best_ckpt/model.safetensors"
	echo 'the killed run ends with the same model, bit for bit'
fi
