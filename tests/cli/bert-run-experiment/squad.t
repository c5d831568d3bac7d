#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-run-experiment: the experiment that learns to answer questions, bert/squad.
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/squad.sh"
events() { "$TEST_TOP/tests/lib/events" "$@" | sed 1d; }
squad_both
cat >task.yaml <<'EOF'
task:
  model:
    encoder:
      bert: {vocab_size: 18, hidden_size: 64, num_layers: 2, num_attention_heads: 2, intermediate_size: 128, dropout_rate: 0.0,
        attention_dropout_rate: 0.0, max_position_embeddings: 64}
  train_data: {input_path: train.rec, seq_length: 16, global_batch_size: 16}
  validation_data: {input_path: dev.json, is_training: false, seq_length: 16, doc_stride: 6, vocab_file: vocab.txt, global_batch_size: 16}
trainer:
  train_steps: 300
  validation_interval: 100
  steps_per_loop: 50
  summary_interval: 50
  checkpoint_interval: 100
  optimizer_config: {learning_rate: {polynomial: {initial_learning_rate: 1e-3, decay_steps: 300}}, warmup: {polynomial: {warmup_steps: 20}}}
  best_checkpoint_export_subdir: best_ckpt
  best_checkpoint_eval_metric: final_f1
EOF
exp() { # MODE DIR FLAG ...
	mode=$1 dir=$2
	shift 2
	bert-run-experiment --experiment=bert/squad --mode="$mode" --model_dir="$dir" --config_file=task.yaml \
		--verbosity=-1 "$@"
}
data=task.validation_data
v2="--params_override=task.train_data.input_path=train2.rec,$data.input_path=dev2.json,$data.version_2_with_negative=true"

# --- training, with evaluations between
works 'trains' exp train_and_eval m
is "$(grep -c '^ eval | step:' out)" 3 'and evaluates'
# shellcheck disable=SC2016 # a program of awk
names() { sed 's/{/\n&/' "$1" | tr -d "\n" | tr '}' '\n' | sed "s/^[^{]*//; s/[{',]//g; s/: [-0-9.e]*//g; s/  */ /g"; }
names out >got
is "$(sort -u got)" "best_final_f1 exact_match final_f1
end_position_accuracy learning_rate start_position_accuracy training_loss" 'its measures'
like "$(tail -n 1 out)" "*'exact_match': 1.0, 'final_f1': 1.0}" 'all answers are found'
is "$(cat m/best_ckpt/info.json | sed 's/[0-9.]*,*$//')" '{
    "exact_match": 
    "final_f1": 
    "best_ckpt_global_step": 
}' 'the best model'
events m/validation/* | cut -d ' ' -f 2 | sort -u >got
printf '%s\n' best_final_f1 exact_match final_f1 >want
same got want 'events of evaluation'
is "$(sed -n 's/.*"do_lower_case": *//p; s/.*"dialect": *//p' m/tokenizer_config.json | tr -d '\n')" \
	'true,"modelgarden"' 'the model has the vocabulary'
bert-predict -q -m m/best_ckpt --dialect google -o p.json m/eval.tf_record
works 'other tools predict' bert-eval -q --predictions p.json m/eval.tf_record
squad2tfrecord -q dev.json | bert-tokenize -q -m m --max-length 16 --stride 5 -o dev.rec
like "$(bert-eval -q -m m --dialect google dev.rec)" '*all               1.0000  1.0000         60*' 'and evaluate, from JSON'

# --- the records to evaluate on
"$TEST_TOP/tests/lib/records" m/eval.tf_record | tr '|' '\n' >got
is "$(sed -n '1,/unique/s/=.*//p' got | tr '\n' ' ')" \
	'answer_starts answers class_index context end_position id input_ids input_mask max_context paragraph_mask question segment_ids start_position token_ends token_starts unique_ids ' \
	'have what Model Garden writes, and what answers are found by'
is "$(grep -c '^unique_ids=10000000' got)" "$(grep -c '^window=' got)" 'are numbered'
# dev.rec is of the tokenizer, which sees the context as a whole, but with the same windows
features() { # RECORDS NAME: without padding
	"$TEST_TOP/tests/lib/records" "$1" | tr '|' '\n' | grep "^$2=" | sed -E 's/(,(0|18446744073709551615))*\]$//'
}
for name in input_ids segment_ids max_context token_starts token_ends start_position end_position id window answers; do
	features m/eval.tf_record $name >got
	features dev.rec $name >want
	[ -s want ] && same got want "$name as bert-tokenize has it"
done

# --- a stop, and the same bits
exp train_and_eval r --params_override=trainer.train_steps=170 >out
works 'goes on' exp train_and_eval r
same r/model.safetensors m/model.safetensors 'to the same bits'
works 'one thread' exp train t --threads=1
same t/model.safetensors m/model.safetensors 'the same bits'
exits 1 'no questions' test -e t/eval.tf_record

# --- evaluation alone
works 'evaluates' exp eval m --params_override=trainer.validation_steps=100
like "$(cat out)" " eval | step:    300 | steps/sec: * | eval time: *'exact_match': 1.0*" 'the newest checkpoint'
mkdir elsewhere
works 'in another directory' exp eval m --params_override=$data.input_preprocessed_data_path=elsewhere
same elsewhere/eval.tf_record m/eval.tf_record 'the records'
works 'an answer too short' exp eval m --params_override=task.max_answer_length=1
like "$(cat out)" "*'exact_match': 0.*" 'is not right'

# --- questions without an answer
works 'version 2' exp train_and_eval m2 "$v2,trainer.best_checkpoint_eval_metric=has_answer_f1"
names out | sort -u >got
like "$(head -n 1 got)" 'best_has_answer_f1 exact_match exact_match_threshold f1_threshold final_f1 has_answer_exact_match has_answer_f1' \
	'has its measures'
tr -d '\n' <out | sed 's/.*eval | step: *300//' >got
like "$(cat got)" "*'exact_match': 100.0,*'final_f1': 1.0,*'has_answer_exact_match': 100.0,*'has_answer_f1': 100.0}" \
	'some in percent'
bert-predict -q -m m2 --dtype f32 --dialect google --null-odds odds.json -o p2.json m2/eval.tf_record
bert-eval -q --predictions p2.json --null-odds odds.json --json m2/eval.tf_record >scores.json
is "$(sed "s/.*'f1_threshold': \([-0-9.]*\).*/\1/" got | cut -c 1-5)" \
	"$(sed -n 's/.*"f1_threshold": \([-0-9.]*\).*/\1/p' scores.json | cut -c 1-5)" 'the threshold is that of the files'
works 'null_score_diff_threshold' exp eval m2 "$v2,task.null_score_diff_threshold=-1000"
like "$(tr -d '\n' <out)" "*'has_answer_f1': 0.0*" 'counts'

# --- what cannot be
wrong() { # STATUS GLOB OVERRIDE
	exits "$1" "$3" exp train_and_eval x "--params_override=$3"
	like "$(cat err)" "*$2*" "$3: says so"
}
wrong 2 'train_data.input_path*must be given*records' task.train_data.input_path=
wrong 2 'validation_data.input_path*must be given*JSON' $data.input_path=
wrong 2 'validation_data.is_training*only false' $data.is_training=true
wrong 2 'vocab_file*must be given' $data.vocab_file=
wrong 2 'tokenization*only WordPiece' $data.tokenization=SentencePiece
wrong 2 'train_data.xlnet_format*only false' task.train_data.xlnet_format=true
wrong 2 'doc_stride*may be 1 to' $data.doc_stride=0
wrong 2 'query_length*may be 1 to' $data.query_length=0
wrong 2 'n_best_size*may be 1 to 1000' task.n_best_size=0
wrong 2 'max_answer_length*may be 1 to' task.max_answer_length=0
wrong 2 "cls_accuracy' is not measured: final_f1" trainer.best_checkpoint_eval_metric=cls_accuracy
wrong 2 "f1_threshold' is not measured" trainer.best_checkpoint_eval_metric=f1_threshold
wrong 2 'validation_steps*2 batches of 16 are fewer than the *windows' trainer.validation_steps=2
wrong 1 "question 'q6'*no answer to compare with*version_2" $data.input_path=dev2.json
wrong 1 "question 'q1'*no room for the context in 4 (seq_length" $data.seq_length=4
wrong 1 'more than the limit of 15' task.train_data.seq_length=15
printf '{"data": [{"paragraphs": [{"context": "W1", "qas": [{"id": "a", "question": "what?"}]}]}]}' >bare.json
wrong 1 "question 'a': it has no answer to compare with" $data.input_path=bare.json
wrong 1 'no-vocab' $data.vocab_file=no-vocab
exits 1 'no model' test -e x/model.safetensors
finish
