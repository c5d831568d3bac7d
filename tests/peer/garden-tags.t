#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-run-experiment's loss and metrics of tags, in Model Garden's records, are those of
# transformers and seqeval; the records are those of a transcription in Python.
# Not under thread: compares numbers, with the threads of cli/bert-run-experiment/tagging
# Not under address: compares numbers; cli/bert-run-experiment/tagging runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt
records=$TEST_TOP/tests/fixtures/tagging-records.py
peer_or_end 'tags by transformers and seqeval' torch transformers seqeval
mkdir d
make() { # TASK LENGTH FLAG ...
	task=$1 length=$2
	shift 2
	bert-create-finetuning-data --fine_tuning_task_type=tagging --tagging_task_name="$task" \
		--input_data_dir=d --vocab_file="$vocab" --max_seq_length="$length" \
		--train_data_output_path=train.rec --meta_data_file_path=meta --verbosity=-2 "$@"
}
for seed in 1 2 3; do
	for task in panx udpos; do
		"$PEER_PYTHON" "$records" random $seed $task >d/train-en.tsv
		for case in cased uncased; do
			lower=true
			[ $case = uncased ] || lower=false
			make $task 1$seed --do_lower_case=$lower
			"$PEER_PYTHON" "$records" $task "$vocab" 1$seed $case d/train-en.tsv >wanted
			cmp train.rec wanted >why 2>&1
			result $? "$task, $case, seed $seed: the same records"
		done
	done
done

TAGGING_DIR=t "$TEST_TOP/pipelines/conll-tagging.sh" >/dev/null 2>&1
for part in train valid; do
	awk '$1 == "-DOCSTART-" { next } { sub(/DAY/, "ORG", $2); print NF == 2 ? $1 "\t" $2 : "" }' \
		t/data/$part.txt >d/$part-en.tsv
done
mv d/valid-en.tsv d/dev-en.tsv
make panx 12 --eval_data_output_path=dev.rec
bert-run-experiment --experiment=bert/tagging --mode=train_and_eval --model_dir=m \
	--tokenizer="$vocab" --verbosity=-2 --params_override="{
	task: {class_names: [O, B-PER, I-PER, B-LOC, I-LOC, B-ORG, I-ORG],
	model: {encoder: {bert: {vocab_size: $(wc -l <"$vocab"), hidden_size: 64, num_layers: 2,
	num_attention_heads: 2, intermediate_size: 128}}},
	train_data: {input_path: train.rec, global_batch_size: 16, seq_length: 12},
	validation_data: {input_path: dev.rec, global_batch_size: 16, seq_length: 12}},
	trainer: {train_steps: 40, validation_interval: 40, steps_per_loop: 40, summary_interval: 40,
	best_checkpoint_export_subdir: best, best_checkpoint_eval_metric: f1, optimizer_config:
	{learning_rate: {polynomial: {initial_learning_rate: 2.0e-3, decay_steps: 40}},
	warmup: {polynomial: {warmup_steps: 2}}}}}" >log 2>err || result 1 "$(tail -n 1 err)"
tfrecord-cat -q --json dev.rec >dev.json
"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/garden-tags.py" m/best dev.json 16 m/best/info.json \
	>compared 2>err || result 1 "$(tail -n 1 err)"
outcomes compared
is "$(wc -l <compared | tr -d ' ')" 5 'all were compared'
finish
