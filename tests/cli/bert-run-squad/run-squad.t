#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-run-squad: Model Garden's command line, its numbers and its files.
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
unset BT_PJRT_PATH PJRT_NAMES_AND_LIBRARY_PATHS # devices.t has them
. "$TEST_TOP/tests/lib/squad.sh"
events() { "$TEST_TOP/tests/lib/events" "$@" | sed 1d; }
squad_both
echo '{"vocab_size": 18, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128,
	"max_position_embeddings": 64, "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0}' >bert_config.json
run() { # MODE DIR FLAG ...
	mode=$1 dir=$2
	shift 2
	${exec-} bert-run-squad --mode="$mode" --model_dir="$dir" --bert_config_file=bert_config.json --vocab_file=vocab.txt \
		--train_batch_size=16 --learning_rate=2e-3 --num_train_epochs=5 "$@"
}
run1() { # MODE DIR FLAG ...
	mode=$1 dir=$2
	shift 2
	run "$mode" "$dir" --input_meta_data_path=train.meta --train_data_path=train.rec --predict_file=dev.json "$@"
}
run2() {
	mode=$1 dir=$2
	shift 2
	run "$mode" "$dir" --input_meta_data_path=train2.meta --train_data_path=train2.rec --predict_file=dev2.json "$@"
}

# --- the published command line
works 'trains and evaluates' run1 train_and_eval m --predict_batch_size=8 --steps_per_loop=20 --do_lower_case=true \
	--distribution_strategy=mirrored --num_gpus=1 --n_best_size=20 --max_answer_length=30
like "$(cat err)" '*5 epochs of 40 updates, 20 of warm-up*648 training examples*' 'numbers from the meta data'
like "$(cat err)" '*without effect here: --predict_batch_size
*' 'flags without effect are named'
sed -E 's/[0-9]\.[0-9]+(e-[0-9]+)?$/X/' out >got
for i in 20 40 60 80 100 120 140 160 180 200; do
	echo "Train Step: $i/200  / loss = X"
done >want
echo 'SQuAD eval F1-score: X' >>want
same got want 'its lines'
is "$(tail -n 1 out)" 'SQuAD eval F1-score: 1.000000' 'all answers are found'
is "$(cd m && find . -type f | sed 's/tfevents\..*/tfevents/' | sort | tr '\n' ' ')" \
	'./checkpoint ./checkpoint.safetensors ./config.json ./ctl_step_120.ckpt-3.data-00000-of-00001 ./ctl_step_120.ckpt-3.index ./ctl_step_160.ckpt-4.data-00000-of-00001 ./ctl_step_160.ckpt-4.index ./ctl_step_200.ckpt-5.data-00000-of-00001 ./ctl_step_200.ckpt-5.index ./ctl_step_40.ckpt-1.data-00000-of-00001 ./ctl_step_40.ckpt-1.index ./ctl_step_80.ckpt-2.data-00000-of-00001 ./ctl_step_80.ckpt-2.index ./eval.tf_record ./events.out.tfevents ./history.jsonl ./model.safetensors ./nbest_predictions.json ./predictions.json ./summaries/eval/eval_metrics.json ./summaries/train/events.out.tfevents ./summaries/training_summary.txt ./tokenizer_config.json ./vocab.txt ' \
	'its files'
is "$(sed -n 's/^model_.*: //p' m/checkpoint)" '"ctl_step_200.ckpt-5"' 'the newest checkpoint'
for name in global_step=200 save_counter=5; do
	is "$(ckpt-inspect -q --dump "${name%=*}/.ATTRIBUTES/VARIABLE_VALUE" m/ctl_step_200.ckpt-5 | tail -n 1)" "${name#*=}" "$name"
done
ckpt-inspect m/ctl_step_200.ckpt-5 >list
grep -q '^model/layer_with_weights-1/layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE .* \[64,2\]' list
result $? 'the head has its name and shape'
works 'its sums are right' ckpt-inspect --check m/ctl_step_200.ckpt-5
is "$(sed 's/[0-9.e-]*$//' m/summaries/training_summary.txt)" '{
    "total_training_steps": 200,
    "train_loss": 
}' 'the summary'
is "$(cat m/summaries/eval/eval_metrics.json)" '{
    "exact_match": 1.0,
    "final_f1": 1.0
}' 'the scores'
is "$(events m/summaries/train/* | cut -d ' ' -f 1,2 | sed -n '1,2p;$p' | tr '\n' ' ')" \
	'20 learning_rate 20 training_loss 200 training_loss ' 'curves'
like "$(events m/summaries/train/* | head -n 1)" '20 learning_rate 0.0018*' 'the rate: 2e-3 (1 - 20 / 200)'

# --- predictions
like "$(cat m/predictions.json)" '{
    "q1": "The W?",
    "q2": "The W?",*
}' 'predictions.json'
is "$(sed -n '4,7s/^ *"\([a-z_]*\)":.*/\1/p' m/nbest_predictions.json | tr '\n' ' ')" 'text probability start_logit end_logit ' \
	'nbest_predictions.json has its order'
bert-predict -q -m m --dtype f32 --dialect google --nbest n.json -o p.json m/eval.tf_record
same m/predictions.json p.json 'bert-predict says the same'
same m/nbest_predictions.json n.json '... of all answers'
cp m/predictions.json first.json
works 'several files' run1 predict m --predict_file='dev*.json'
same m/dev-predictions.json first.json 'have their names before the predictions'
is "$(grep -c '"q' m/dev2-predictions.json)" 60 '... each'
works 'of a checkpoint of TensorFlow' run1 predict tf --predict_checkpoint_path=m/ctl_step_200.ckpt-5
same tf/predictions.json first.json 'the same'
works 'n_best_size' run1 predict tf --predict_checkpoint_path=m --n_best_size=1
is "$(grep -c '"text"' tf/nbest_predictions.json)" 60 'counts'
sed 's/"answers": \[[^]]*\]/"x": 1/g' dev.json >bare.json
works 'questions without answers' run1 predict tf --predict_checkpoint_path=m --predict_file=bare.json
same tf/predictions.json first.json 'are answered'

# --- version 2
works 'train, then eval' run2 train m2 --steps_per_loop=1000
is "$(wc -l <out | tr -d ' ')" 5 'a loop ends with its epoch'
exits 1 'nothing is asked' test -e m2/eval.tf_record
works 'evaluates' run2 eval m2
is "$(cat out)" 'SQuAD eval F1-score: 100.000000' 'in percent'
is "$(sed -n 's/^ *"\([A-Za-z_0-9]*\)": .*/\1/p' m2/summaries/eval/eval_metrics.json | tr '\n' ' ')" \
	'exact f1 total HasAns_exact HasAns_f1 HasAns_total NoAns_exact NoAns_f1 NoAns_total final_exact final_exact_thresh final_f1 final_f1_thresh pr_exact_ap pr_f1_ap pr_oracle_ap ' \
	'all scores'
is "$(grep -c '"q' m2/null_odds.json)" 60 'null_odds.json'
is "$(grep -c '": ""' m2/predictions.json)" 10 'no answer where there is none'
works 'a threshold' run2 predict m2 --null_score_diff_threshold=-1000
is "$(grep -c '": ""' m2/predictions.json)" 60 'counts'

# --- resuming
(exec=exec run1 train r --num_train_epochs=5 --steps_per_loop=20 >out 2>err) &
pid=$!
while kill -0 $pid 2>/dev/null && ! grep -q '^Train Step: 60/' out 2>/dev/null; do sleep .01; done
kill -INT $pid 2>/dev/null
wait $pid
works 'goes on' run1 train r --steps_per_loop=20
same r/model.safetensors m/model.safetensors 'to the same bits'
works 'again' run1 train r --steps_per_loop=20
is "$(cat out)" '' 'nothing is left to do'
same r/model.safetensors m/model.safetensors 'the model stays'
works 'one thread' run1 train t --threads=1 --steps_per_loop=20
same t/model.safetensors m/model.safetensors 'the same bits'

# --- from what was trained
works 'starts from a checkpoint' run1 train s --init_checkpoint=m/ctl_step_200.ckpt-5 --num_train_epochs=1
like "$(cat err)" "*'m/ctl_step_200.ckpt-5': * tensors loaded*" 'of TensorFlow'

# --- what cannot be
misuses '*--mode=train_and_eval needs --train_data_path*' 'no records' run train_and_eval x --input_meta_data_path=train.meta
misuses '*--mode=eval needs --predict_file*' 'no questions' run eval x --input_meta_data_path=train.meta
refuses "*bert-run-squad: no model directory 'mistyped'" 'no model' run1 predict mistyped
[ ! -e mistyped ]
result $? '... which is not made'
misuses '*--mode=predict needs --vocab_file*' 'no vocabulary' run1 predict m --vocab_file=
misuses '*export_only*model directory is*' 'export_only' run1 export_only m
misuses '*is larger than*' 'end_lr' run1 train x --end_lr=1
misuses '*only the strategy tpu*' 'a TPU without its strategy' run1 train x --tpu=local
misuses '*no plugin for TPUs*libtpu*' 'a TPU' run1 train x --tpu=local --distribution_strategy=tpu
mkdir again
cp dev.json again
misuses "*the answers to 'dev.json' and 'again/dev.json' would go to files of the same name*" 'names that are one' \
	run1 predict m --predict_file=dev.json,again/dev.json
refuses "*--predict_file: the file 'nothing.json' does not exist*" 'no such questions' \
	run train_and_predict late --input_meta_data_path=train.meta --train_data_path=train.rec --predict_file=nothing.json
refuses "*question 'q6': it has no answer to compare with (version_2*" 'questions that cannot be scored' \
	run train_and_eval late --input_meta_data_path=train.meta --train_data_path=train.rec --predict_file=dev2.json
[ ! -e late ]
result $? '... which is said before training'
misuses '*answers are scored of one file, and 2 are given*' 'eval of several files' run1 eval m --predict_file='dev.json,dev2.json'
sed 's/"id": "q5"/"id": "q4"/' dev.json >same.json
refuses "*'same.json': 1 question has the id of an earlier one, and answers are compared by ids*" 'ids that come again' \
	run1 train_and_eval late --predict_file=same.json
exits 1 '... are said before training' test -e late
works 'they are answered' run1 predict tf --predict_checkpoint_path=m --predict_file=same.json
like "$(cat err)" "*warning: 1 record has the id of an earlier one, first 'q4'*" 'with a warning'
declines 1 "*question 'q6': it has no answer to compare with (version_2*" 'no answers to compare with' run1 eval m --predict_file=dev2.json
echo '{"task_type": "bert_classification", "train_data_size": 3}' >labels.meta
declines 1 "*meta data 'labels.meta': task_type is 'bert_classification': this is for questions*" 'meta data of labels' \
	run1 train x --input_meta_data_path=labels.meta
sed '/doc_stride/d' train.meta >short.meta
declines 1 "*meta data 'short.meta': has no doc_stride" 'meta data that lack a number' run1 predict m --input_meta_data_path=short.meta
sed 's/"max_seq_length": 16/"max_seq_length": 15/' train.meta >less.meta
declines 1 '*more than the limit of 15*' 'longer records' run1 train x --input_meta_data_path=less.meta
declines 1 "*no-vocab*" 'a vocabulary that is not there' run1 predict m --vocab_file=no-vocab
exits 1 'no model' test -e x/model.safetensors
finish
