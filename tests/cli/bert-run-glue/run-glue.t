#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-run-glue: tasks of GLUE by Model Garden's command line.
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
unset BT_PJRT_PATH PJRT_NAMES_AND_LIBRARY_PATHS # devices.t has them

# The data of the pipeline: 420 pairs to train on, 70 to evaluate, 20 to predict.
GLUE_DIR=g "$TEST_TOP/pipelines/glue-run-classifier.sh" >log 2>&1
run() { # FLAG ...
	bert-run-glue --task_name=MRPC \
		--input_meta_data_path=g/mrpc_meta_data \
		--train_input_path=g/mrpc_train.tf_record \
		--validation_input_path=g/mrpc_eval.tf_record \
		--test_input_path=g/mrpc_test.tf_record \
		--test_output_path=MRPC.tsv \
		--model_config_file=g/bert/bert_config.json \
		--init_checkpoint=g/bert/bert_model.ckpt \
		--global_batch_size=32 \
		--learning_rate=2e-3 \
		--num_epoch=2 \
		--tpu= "$@"
}
# the value of a key of params.yaml
param() { sed -n "s/^ *$1: //p" "$2/params.yaml" | head -n 1; }

works 'trains, evaluates and predicts' run --model_dir=m
is "$(head -n 1 MRPC.tsv)" 'index	prediction' 'predictions have a header'
is "$(sed 1d MRPC.tsv | cut -f1 | tr '\n' ' ')" \
	'0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 ' 'numbers from 0'
bert-predict -q --dtype f32 -m m/best_ckpt --header id,label g/mrpc_test.tf_record |
	sed '1d; s/,/\t/' >wanted
sed 1d MRPC.tsv >got
same got wanted 'and the classes that the best model predicts'
is "$(for k in train_steps validation_steps validation_interval warmup_steps \
	best_checkpoint_eval_metric; do param $k m; done | tr '\n' ' ')" \
	'26 3 6 2 f1 ' 'the configuration has the numbers that it should'
grep -q '"f1": ' m/best_ckpt/info.json
result $? 'the best model is known by its F1'
cp MRPC.tsv first.tsv
works 'predicts alone' run --model_dir=m --mode=predict
same MRPC.tsv first.tsv 'the same'
# the last record first
tfrecord-cat -q --json g/mrpc_test.tf_record | sort -r | awk 'NR % 2' >a
tfrecord-cat -q --json g/mrpc_test.tf_record | sort -r | awk '!(NR % 2)' | cat a - |
	tfrecord-cat -q --from-json -o mixed.tf_record
works 'predicts records in another order' run --model_dir=m --mode=predict \
	--test_input_path=mixed.tf_record
same MRPC.tsv first.tsv 'the same, in theirs'
works 'goes on where it stopped' run --model_dir=m --num_epoch=2 --mode=train_eval
like "$(cat err)" '*restored*' 'says so'

works 'a task by its accuracy' run --task_name=RTE --mode=train_eval_and_predict \
	--model_dir=r --num_epoch=1 --num_eval_per_epoch=1 --warmup_ratio=0
is "$(param best_checkpoint_eval_metric r)" cls_accuracy 'is best by that'
is "$(sed 1d MRPC.tsv | cut -f2 | sort -u | grep -cv '^\(not_\)\{0,1\}entailment$')" 0 \
	'and has its classes'
works 'Matthews correlation' run --task_name=COLA --mode=train_eval --model_dir=c \
	--num_epoch=1
is "$(param best_checkpoint_eval_metric c)" matthews_corrcoef 'of CoLA'
sed 's/num_hidden_layers/num_layers/; s/hidden_act/hidden_activation/' \
	g/bert/bert_config.json >new.json
works 'newer names of the keys' run --model_dir=n --model_config_file=new.json \
	--mode=train_eval --num_epoch=1
is "$(param num_layers n)" 2 'are understood'

# a number to predict: from 0 to 5, by whether the pair says the same
for part in train dev test; do
	echo 'index	sentence1	sentence2	score'
	awk -F '\t' -v test=$part 'NR > 1 { print $2 "\t" $4 "\t" $5 "\t" \
		(test == "test" ? 0 : $1 * 4.5 + ($2 % 3) / 4) }' g/data/$part.tsv
done | awk -F '\t' '$1 == "index" { n++; h = 1 } { print > ("sts" n ".tsv") }'
sts() { # PART NUMBER
	csv2tfrecord -q --delimiter tab --no-quote -i index -t sentence1 --pair sentence2 \
		-l score "sts$2.tsv" | bert-tokenize -q -m g/bert --max-length 64 --pad 64 \
		--layout modelgarden --label-type float --meta-data sts_meta --part "$1" \
		--processor STS-B -o "sts_$1.tf_record"
}
sts train 1 && sts eval 2 && sts test 3
works 'STS-B' run --task_name=STS-B --input_meta_data_path=sts_meta \
	--train_input_path=sts_train.tf_record \
	--validation_input_path=sts_eval.tf_record \
	--test_input_path=sts_test.tf_record --test_output_path=STS-B.tsv \
	--model_dir=s --num_epoch=6
is "$(param best_checkpoint_eval_metric s)" pearson_spearman_corr 'is best by that'
like "$(tr -d '\n' <s/best_ckpt/info.json)" '*"pearson_spearman_corr": 0.[5-9]*' \
	'and is learnt'
is "$(sed 1d STS-B.tsv | grep -c '^[0-9]*	[0-5]\.[0-9][0-9][0-9]$')" 20 \
	'its predictions are of three digits'
refuses "*meta data 'sts_meta': num_labels is 1, and RTE has 2 classes*" \
	'no task of classes' run --task_name=RTE --model_dir=x \
	--input_meta_data_path=sts_meta
refuses "*meta data 'g/mrpc_meta_data': num_labels is 2, and STS-B has 1, a number*" \
	'no number for classes' run --task_name=STS-B --model_dir=x
refuses '*the model predicts a number, and RTE has 2 classes' 'also of the model' \
	run --mode=predict --model_dir=s --task_name=RTE
refuses '*the model has 2 classes, and STS-B is a number to predict' 'the other way' \
	run --mode=predict --model_dir=m --task_name=STS-B

mkdir -p hub/variables
: >hub/saved_model.pb
ckpt-convert -q --to tf2 g/bert/bert_model.ckpt hub/variables/variables
works 'a module of TensorFlow Hub' run --mode=train_eval --model_dir=h \
	--init_checkpoint= --hub_module_url=hub
is "$(param hub_module_url h)" hub 'stands in the configuration'
same h/best_ckpt/model.safetensors m/best_ckpt/model.safetensors \
	'the model of its checkpoint'

for flag in --task_name=mrpc --mode=train --tpu=node \
	--test_output_path= --train_input_path= --distribution_strategy=tpu \
	--hub_module_url=x; do
	exits 2 "refused: $flag" run --model_dir=x "$flag"
	[ ! -e x ]
	result $? '... before any work'
done
exits 2 'too few examples' run --model_dir=x --global_batch_size=500
sed 's/"num_labels": 2/"num_labels": 3/' g/mrpc_meta_data >three
refuses "*meta data 'three': num_labels is 3, and MRPC has 2 classes*" \
	'another number of classes' run --model_dir=x --input_meta_data_path=three
refuses '*the model has 2 classes, and MNLI has 3*' 'also of the model' \
	run --mode=predict --model_dir=m --task_name=MNLI
sed 's/"hidden_size"/"num_layers": 2, "hidden_size"/' g/bert/bert_config.json >both.json
refuses "*'both.json' has both 'num_layers' and 'num_hidden_layers'*" 'a key twice' \
	run --model_dir=x --model_config_file=both.json
csv2tfrecord -q --task mrpc g/data/dev.tsv | bert-tokenize -q -m g/bert -o noid.rec
refuses '*record 1 has no example_id*' 'records without numbers' run --model_dir=m \
	--mode=predict --test_input_path=noid.rec
refuses "*--test_input_path: the file 'nothing' does not exist*" 'no such records' run --model_dir=late \
	--test_input_path=nothing
[ ! -e late ]
result $? '... which is said before training'
refuses "*none/best_ckpt*" 'no model' run --model_dir=none --mode=predict
finish
