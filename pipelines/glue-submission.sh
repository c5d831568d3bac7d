#!/bin/sh
# SPDX-License-Identifier: MIT
# All of GLUE: fine-tunes a model on each of the nine tasks, prints the published
# metrics on the development sets, and makes the zip file for the leaderboard.
# usage: pipelines/glue-submission.sh
#        pipelines/glue-submission.sh BERT_DIR GLUE_DIR [OUT_DIR [FLAG ...]]
# BERT_DIR has bert_config.json, vocab.txt and bert_model.ckpt.*; GLUE_DIR has the
# published folders CoLA, SST-2, MRPC, STS-B, QQP, MNLI, QNLI, RTE, WNLI, each with
# train.tsv, dev.tsv and test.tsv, and AX.tsv, AX/AX.tsv or diagnostic/diagnostic.tsv.
# Flags go to bert-run-glue. LOWER=false: the model is cased.
# Without arguments: small data sets of the same form and a small model, created here.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ $# = 1 ] || [ "${1-}" = --help ]; then
	sed -n 5,11p "$0" | cut -c3- >&2
	exit 2
fi
tasks='CoLA SST-2 MRPC STS-B QQP MNLI QNLI RTE WNLI'

# Creates the data sets, and the configuration of a small model.
small() { # DIR
	for task in $tasks diagnostic; do mkdir -p "$1/data/$task"; done
	mkdir -p "$1/bert"
	cp "$(dirname "$0")/data/vocab.txt" "$1/bert"
	echo '{"hidden_size": 64, "vocab_size": '"$(wc -l <"$1/bert/vocab.txt" | tr -d ' ')"',
		"num_attention_heads": 2, "num_hidden_layers": 1, "intermediate_size": 128,
		"max_position_embeddings": 64}' >"$1/bert/bert_config.json"
	awk -v dir="$1/data" '
		# two sentences that say the same (kind 0), contradict (1), or neither (2)
		function pair(i) {
			kind = int(i / 2) % 3
			a = place[i % 5] " opens at " hour[i % 4]
			b = kind == 0 ? "at " hour[i % 4] " opens " place[i % 5] : \
				kind == 1 ? "nobody may come to " place[i % 5] : \
				"my books are in " place[(i + 2) % 5]
			yes = kind == 0
			follows = yes ? "entailment" : "not_entailment"
			three = kind == 0 ? follows : kind == 1 ? "contradiction" : "neutral"
		}
		# a row of a file, which begins with its header unless that is ""
		function put(path, header, row) {
			if (header != "" && !(path in begun)) print header > (dir "/" path)
			begun[path] = 1
			print row > (dir "/" path)
		}
		# a row with a label behind it, unless it is of test data
		function labelled(task, part, header, row, label) {
			if (part !~ /^test/) {
				header = header "\t" last
				row = row "\t" label
			}
			put(task "/" part ".tsv", header, row)
		}
		function example(i, n, part,  test, h, k) {
			test = part == "test"
			pair(i)
			last = "label"
			k = place[i % 5] (yes ? " is good at " : " is bad at ") hour[i % 4]
			put("SST-2/" part ".tsv", test ? "index\tsentence" : "sentence\tlabel", \
				test ? n "\t" k : k "\t" yes)
			k = yes ? a : hour[i % 4] " opens " place[i % 5]
			put("CoLA/" part ".tsv", test ? "index\tsentence" : "", \
				test ? n "\t" k : "gj\t" yes "\t\t" k)
			put("MRPC/" part ".tsv", (test ? "index" : "Quality") \
				"\t#1 ID\t#2 ID\t#1 String\t#2 String", \
				(test ? n : yes) "\t" i "\t" i + 1000 "\t" a "\t" b)
			put("QQP/" part ".tsv", test ? "id\tquestion1\tquestion2" : \
				"id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate", \
				test ? n "\t" a "\t" b : n "\t1\t2\t" a "\t" b "\t" yes)
			last = "score"
			labelled("STS-B", part, "index\tgenre\tfilename\tyear\told_index\tsource1\t" \
				"source2\tsentence1\tsentence2", n "\tnews\tf\t2026\t" n "\tx\ty\t" a "\t" b, \
				(kind == 0 ? 4.5 : kind == 1 ? 2.25 : .5) + i % 4 / 8)
			last = "label"
			k = n "\t" a "\t" b
			labelled("QNLI", part, "index\tquestion\tsentence", k, follows)
			labelled("RTE", part, "index\tsentence1\tsentence2", k, follows)
			labelled("WNLI", part, "index\tsentence1\tsentence2", k, yes)
			if (test) put("diagnostic/diagnostic.tsv", "index\tsentence1\tsentence2", k)
			last = "label1\tgold_label"
			h = "index\tpromptID\tpairID\tgenre\tsentence1_binary_parse\t" \
				"sentence2_binary_parse\tsentence1_parse\tsentence2_parse\tsentence1\tsentence2"
			for (k = 1; k <= 2 - (part == "train"); k++)
				labelled("MNLI", part (part == "train" ? "" : k == 1 ? "_matched" : "_mismatched"), \
					h, n "\t1\t2\tnews\t(\t)\t(\t)\t" a "\t" b, three "\t" three)
		}
		BEGIN {
			split("the library,the reading room,the cafe,the desk,the office", p, ",")
			split("nine,ten,noon,two", t, ",")
			for (i in p) place[i - 1] = p[i]
			for (i in t) hour[i - 1] = t[i]
			for (i = 0; i < 240; i++) example(i, i, "train")
			for (i = 0; i < 60; i++) example(i, i, "dev")
			for (i = 0; i < 20; i++) example(i + 7, i, "test")
		}' </dev/null
}

sizes=--test_set_sizes
if [ $# = 0 ]; then
	out=${GLUE_DIR:-build/glue-submission}
	bert=$out/bert data=$out/data
	small "$out"
	sizes=--notest_set_sizes # the small test sets are not those of the benchmark
	set -- --tokenizer="$bert/vocab.txt" --global_batch_size=16 --num_epoch=4 \
		--learning_rate=2e-3 --num_eval_per_epoch=1
else
	bert=$1 data=$2 out=${3:-glue-submission}
	shift 2
	[ $# = 0 ] || shift
	set -- --init_checkpoint="$bert/bert_model.ckpt" "$@"
fi
length=$(sed -n 's/.*"max_position_embeddings": *\([0-9]*\).*/\1/p' "$bert/bert_config.json")
[ "${length:-512}" -lt 128 ] || length=128
mkdir -p "$out/predictions"

upper() { echo "$1" | tr '[:lower:]' '[:upper:]'; }
records() { # TASK FOLDER FLAG ...: Model Garden's name of the task
	called=$1 from=$2
	shift 2
	bert-create-finetuning-data --classification_task_name="$called" --input_data_dir="$from" \
		--vocab_file="$bert/vocab.txt" --do_lower_case="${LOWER:-true}" \
		--max_seq_length="$length" --verbosity=-1 "$@"
}
predict() { # TASK RECORDS FILE: by the model in $work/model
	bert-run-glue --mode=predict --task_name="$1" --input_meta_data_path="$work/meta" \
		--model_dir="$work/model" --test_input_path="$2" \
		--test_output_path="$out/predictions/$3.tsv" --verbosity=-1
}
# The published metrics of a task, by the best model on the records; as precise as
# bert-run-glue's predictions.
scores() { # TASK NAME RECORDS
	bert-eval -q --json --dtype f32 -m "$work/model/best_ckpt" "$3" | awk -v task="$1" -v name="$2" '
		/"f1":/ { v["F1"] = $2 + 0 } # the last is of class 1
		/"accuracy":/ { v["accuracy"] = $2 + 0 }
		/"mcc":/ { v["Matthews correlation"] = $2 + 0 }
		/"pearson":/ { v["Pearson correlation"] = $2 + 0 }
		/"spearman":/ { v["Spearman correlation"] = $2 + 0 }
		END {
			n = split(task == "CoLA" ? "Matthews correlation" : \
				task == "STS-B" ? "Pearson correlation,Spearman correlation" : \
				task == "MRPC" || task == "QQP" ? "F1,accuracy" : "accuracy", m, ",")
			printf "%s:", name
			for (i = 1; i <= n; i++) printf "%s %s %.4f", (i > 1 ? "," : ""), m[i], v[m[i]]
			print ""
		}'
}

# All records first: what is missing shows before hours of training.
for task in $tasks; do
	work=$out/$task
	records "$(upper "$task")" "$data/$task" --meta_data_file_path="$work/meta" \
		--train_data_output_path="$work/train.tf_record" \
		--eval_data_output_path="$work/eval.tf_record" \
		--test_data_output_path="$work/test.tf_record"
done
work=$out/MNLI
records MNLI "$data/MNLI" --mnli_type=mismatched --meta_data_file_path="$work/meta-mm" \
	--eval_data_output_path="$work/eval-mm.tf_record" \
	--test_data_output_path="$work/test-mm.tf_record"
ax=
for file in AX.tsv AX/AX.tsv AX/test.tsv diagnostic/diagnostic.tsv; do
	[ ! -f "$data/$file" ] || ax=$data/$file
done
if [ -z "$ax" ]; then
	echo "$0: '$data' has no diagnostic set" >&2
	exit 1
fi
mkdir -p "$out/AX"
cp "$ax" "$out/AX/test.tsv"
records AX "$out/AX" --meta_data_file_path="$out/AX/meta" \
	--test_data_output_path="$out/AX/test.tf_record"

for task in $tasks; do
	work=$out/$task
	file=$task
	[ "$task" != MNLI ] || file=MNLI-m
	bert-run-glue --mode=train_eval --task_name="$(upper "$task")" \
		--input_meta_data_path="$work/meta" --train_input_path="$work/train.tf_record" \
		--validation_input_path="$work/eval.tf_record" \
		--model_config_file="$bert/bert_config.json" --model_dir="$work/model" "$@" \
		>"$work/log"
	predict "$(upper "$task")" "$work/test.tf_record" "$file"
	scores "$task" "$file" "$work/eval.tf_record" | tee "$work/scores"
done
# The model of MNLI also predicts its mismatched part, and the diagnostic set.
work=$out/MNLI
predict MNLI "$work/test-mm.tf_record" MNLI-mm
scores MNLI MNLI-mm "$work/eval-mm.tf_record" | tee "$work/scores-mm"
predict AX "$out/AX/test.tf_record" AX

bert-run-glue --mode=zip --predictions_dir="$out/predictions" \
	--zip_output_path="$out/submission.zip" $sizes
