#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-run-experiment --experiment=bert/tagging: words with labels, by Model Garden's
# train.py.
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/tags.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt

garden_tags
bert-create-finetuning-data --fine_tuning_task_type=tagging --input_data_dir=d \
	--vocab_file="$vocab" --max_seq_length=16 --train_data_output_path=train.rec \
	--eval_data_output_path=dev.rec --meta_data_file_path=meta --verbosity=-2
cat >task.yaml <<X
task:
  class_names: [O, B-PER, I-PER, B-LOC, I-LOC, B-ORG, I-ORG]
  model: {head_dropout: 0.0, encoder: {bert: {vocab_size: $(wc -l <"$vocab"), hidden_size: 64,
    num_layers: 2, num_attention_heads: 2, intermediate_size: 128, dropout_rate: 0.0}}}
  train_data: {input_path: train.rec, global_batch_size: 16, seq_length: 16}
  validation_data: {input_path: dev.rec, global_batch_size: 16, seq_length: 16}
trainer:
  {train_steps: 150, validation_interval: 75, steps_per_loop: 75, summary_interval: 75,
   checkpoint_interval: 75, best_checkpoint_export_subdir: best_ckpt,
   best_checkpoint_eval_metric: f1, optimizer_config: {learning_rate: {polynomial:
   {initial_learning_rate: 2.0e-3, decay_steps: 150}}, warmup: {polynomial: {warmup_steps: 2}}}}
X
run() { # MODE DIR FLAG ...
	mode=$1 dir=$2
	shift 2
	bert-run-experiment --experiment=bert/tagging --mode="$mode" --model_dir="$dir" \
		--config_file=task.yaml --tokenizer="$vocab" "$@"
}
works 'trains and evaluates' run train_and_eval m --verbosity=-1
like "$(grep -A 3 '^train' out | head -n 1)" "train | step:     75 | steps/sec: * | output: {'learning_rate': 0.001, 'training_loss': *}" \
	'lines of training'
like "$(sed -n '/^ eval/,$p' out | sed -n 2,7p)" "    {'accuracy': 0.*,
     'best_f1': 0.*,
     'f1': 0.*,
     'precision': 0.*,
     'recall': *,
     'validation_loss': 0.*}" 'lines of evaluation'
works 'has learnt' bert-eval -q -m m/best_ckpt --min f1=.8 dev.rec
bert-eval -q --json --dtype f32 -m m dev.rec >eval.json
value() { sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" "$2" | head -n 1 | cut -c 1-8; }
run eval m --verbosity=-1 >out 2>err
is "$(sed -n "s/.*'f1': \([0-9.]*\).*/\1/p" out | cut -c 1-6)" "$(value f1 eval.json | cut -c 1-6)" \
	"F1 is that of bert-eval"
for k in f1 precision recall accuracy validation_loss best_ckpt_global_step; do
	grep -q "\"$k\": " m/best_ckpt/info.json
	result $? "info.json has $k"
done
like "$(tr -d ' \n' <m/config.json)" '*"classifier_dropout":0.0*"BertForTokenClassification"*"6":"I-ORG"*' \
	'a model of those tags'
works 'stops' run train s --verbosity=-1 --params_override=trainer.train_steps=75
works 'goes on' run train s --verbosity=-1
same s/model.safetensors m/model.safetensors 'to the same bits'
# one batch alone: the loss of bert-eval is the mean of batches, too
works 'evaluates one batch' run eval m --verbosity=-1 \
	--params_override=task.validation_data.global_batch_size=100000
sed -n "s/.*'validation_loss': \([0-9.e-]*\).*/\1/p" out >loss
sed -n 's/.*"loss": *\([0-9.e-]*\).*/\1/p' eval.json | head -n 1 >>loss
awk '{ x[NR] = $1 } END { exit NR != 2 || x[1] <= 0 || (x[1] / x[2] - 1) ^ 2 > 1e-10 }' loss
result $? 'by the words of a batch'

wrong() { # VALUES GLOB
	misuses "*$2*" "refused: $1" run train x --params_override="$1"
}
wrong task.class_names=null 'task.class_names (*): the names of the classes must be given*label_list'
wrong 'task.class_names=[O]' 'two at least'
wrong 'task: {class_names: [O, "a,b"]}' 'name 2 is not a text without commas'
wrong trainer.best_checkpoint_eval_metric=auc "'auc' is not measured: validation_loss, f1"
wrong task.model.head_initializer_range=0.1 "only the encoder's initializer_range is built"
wrong task.train_data.global_batch_size=0 '0 examples are not a batch'
[ ! -e x ]
result $? 'before anything is written'
printf 'the\tI-ORG\n' >d/train-en.tsv
bert-create-finetuning-data --fine_tuning_task_type=tagging --input_data_dir=d \
	--vocab_file="$vocab" --max_seq_length=16 --train_data_output_path=one.rec \
	--meta_data_file_path=meta --verbosity=-2
refuses '*record 1: label number 6, but there are 2 labels*' 'too few names' run train y \
	--verbosity=-2 --params_override='task: {class_names: [O, B-PER], train_data: {input_path: one.rec}}'
finish
