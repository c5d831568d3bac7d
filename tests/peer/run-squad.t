#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-run-squad answers as a second implementation of its post-processing does, in the logits of
# transformers; its windows are those that this one cuts.
# Not under thread: compares numbers, with the threads of cli/bert-run-squad/run-squad
# Not under address: compares numbers; cli/bert-run-squad/run-squad runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
peer=$TEST_TOP/tests/fixtures/run-squad-answers.py
peer_or_end 'answers by a second implementation'
"$PEER_PYTHON" "$peer" vocab >vocab.txt
echo "{\"vocab_size\": $(wc -l <vocab.txt), \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 2,
	\"intermediate_size\": 128, \"max_position_embeddings\": 64, \"initializer_range\": 0.08}" >bert_config.json
"$PEER_PYTHON" "$peer" questions 100 1 0 >v1.json
"$PEER_PYTHON" "$peer" questions 100 2 1 >v2.json
for lower in 1 0; do
	for version in v1 v2; do
		file=$version.json flag=--version_2_with_negative
		[ $version = v2 ] || flag=--noversion_2_with_negative
		bert-create-finetuning-data --fine_tuning_task_type=squad --squad_data_file=$file --vocab_file=vocab.txt \
			--do_lower_case=$lower --max_seq_length=40 --doc_stride=9 --max_query_length=12 \
			--train_data_output_path=train.rec --meta_data_file_path=meta --verbosity=-2 $flag
		rm -rf m
		works "lower case $lower, $version" bert-run-squad --mode=train_and_predict --input_meta_data_path=meta \
			--train_data_path=train.rec --predict_file=$file --vocab_file=vocab.txt --do_lower_case=$lower \
			--bert_config_file=bert_config.json --train_batch_size=16 --num_train_epochs=2 --learning_rate=1e-3 \
			--steps_per_loop=100 --model_dir=m
		tfrecord-cat -q --json m/eval.tf_record >records.json
		"$PEER_PYTHON" "$peer" check $file vocab.txt $lower meta m records.json >compared 2>why || cat why
		is "$(grep -c 'ok ' compared)" 2 'windows and answers are compared'
		outcomes compared
	done
done
finish
