#!/bin/sh
# SPDX-License-Identifier: MIT
# Trains on a GLUE task with the command line of TensorFlow Model Garden's
# run_classifier: its records and meta data, bert_config.json, a TensorFlow checkpoint.
# usage: pipelines/glue-run-classifier.sh
#        pipelines/glue-run-classifier.sh TASK BERT_DIR DATA_DIR [OUT_DIR [FLAG ...]]
# TASK is mrpc, sst-2, rte, ...; BERT_DIR has bert_config.json, vocab.txt and
# bert_model.ckpt.*; DATA_DIR has the task's train.tsv, dev.tsv and test.tsv. MiniLM-L6
# as such a checkpoint, with --learning_rate=3e-4, has .757 of MRPC's dev.tsv right.
# Without arguments: a small data set like MRPC and a small model, created here.
# Further flags go to bert-run-classifier and override those of the recipe.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ $# -gt 0 ] && [ $# -lt 3 ]; then
	sed -n 5,6p "$0" | cut -c3- >&2
	exit 2
fi

# Creates a data set in the form of MRPC, and a model with random weights and a
# small vocabulary.
small() { # DIR
	mkdir -p "$1/data" "$1/bert"
	cp "$(dirname "$0")/data/vocab.txt" "$1/bert"
	echo '{"hidden_size": 64, "hidden_act": "gelu", "vocab_size": '"$(
		wc -l <"$1/bert/vocab.txt" | tr -d ' '
	)"', "num_attention_heads": 2, "num_hidden_layers": 2,
		"intermediate_size": 128, "max_position_embeddings": 64,
		"type_vocab_size": 2, "initializer_range": 0.02}' >"$1/bert/bert_config.json"
	# pairs with equal or different meanings
	awk -v dir="$1/data" 'function put(file, i, test) {
			a = place[i % 5] " opens at " hour[int(i / 5) % 4]
			same = int(i / 7) % 2
			b = same ? "at " hour[int(i / 5) % 4] " opens " place[i % 5] : \
				"nobody may park in front of " place[(i + 3) % 5]
			print same, i, i + 1000, a, b > (dir "/" file)
		}
		BEGIN {
			OFS = "\t"
			split("the library,the reading room,the cafe,the desk,the office", p, ",")
			split("nine,ten,noon,two", h, ",")
			for (i in p) place[i - 1] = p[i]
			for (i in h) hour[i - 1] = h[i]
			for (f = 1; f <= 2; f++)
				print "Quality", "#1 ID", "#2 ID", "#1 String", \
					"#2 String" > (dir (f == 1 ? "/train.tsv" : "/dev.tsv"))
			print "index", "#1 ID", "#2 ID", "#1 String", "#2 String" > (dir "/test.tsv")
			for (i = 0; i < 420; i++) put("train.tsv", i)
			for (i = 420; i < 490; i++) put("dev.tsv", i)
			for (i = 490; i < 510; i++) put("test.tsv", i)
		}' </dev/null
}

if [ $# = 0 ]; then
	out=${GLUE_DIR:-build/glue}
	task=mrpc bert=$out/bert data=$out/data epochs=6 rate=1e-3
	small "$out"
	# the checkpoint: a model with random weights
	csv2tfrecord -q --task mrpc "$data/dev.tsv" |
		bert-tokenize -q -m "$bert" -o "$out/any.rec"
	bert-train -q --force --init-config "$bert/bert_config.json" --steps 1 \
		--learning-rate 0 -o "$out/random" "$out/any.rec"
	ckpt-convert -q --to tf1 "$out/random" "$bert/bert_model.ckpt"
else
	task=$1 bert=$2 data=$3 out=${4:-glue} epochs=3 rate=2e-5
	shift 3
	[ $# = 0 ] || shift
	mkdir -p "$out"
fi
length=$(awk -F: '/max_position_embeddings/ { n = $0
	sub(/.*max_position_embeddings"[: ]*/, "", n); print n + 0 < 128 ? n + 0 : 128 }' \
	"$bert/bert_config.json" | head -n 1)
meta=$out/${task}_meta_data

# The records and meta data that create_finetuning_data.py would write.
rm -f "$meta"
case $task in
mnli) eval=dev_matched test=test_matched ;;
*) eval=dev test=test ;;
esac
# what label_ids is: a class or, for STS-B, a number
case $task in
sts-b) type=float ;;
*) type=class ;;
esac
for part in train eval test; do
	case $part in
	train) file=train ;;
	eval) file=$eval ;;
	test) file=$test ;;
	esac
	[ -f "$data/$file.tsv" ] || continue
	csv2tfrecord -q --task "$task" -o "$out/$part.text" "$data/$file.tsv"
	[ $part != train ] || labels=$(tfrecord-cat -q --json "$out/$part.text" |
		sed -n 's/.*"label": *"\([^"]*\)".*"label_ids": *\([0-9]*\).*/\2 \1/p' |
		sort -un | cut -d' ' -f2- | paste -sd, -)
	bert-tokenize -q -m "$bert" --dialect modelgarden --layout modelgarden \
		--pad "$length" --max-length "$length" --label-type $type \
		${labels:+--labels "$labels"} \
		--meta-data "$meta" --part $part \
		--processor "$(echo "$task" | tr '[:lower:]' '[:upper:]')" \
		-o "$out/${task}_$part.tf_record" "$out/$part.text"
	rm -f "$out/$part.text"
done

bert-run-classifier \
	--mode=train_and_eval \
	--input_meta_data_path="$meta" \
	--train_data_path="$out/${task}_train.tf_record" \
	--eval_data_path="$out/${task}_eval.tf_record" \
	--bert_config_file="$bert/bert_config.json" \
	--init_checkpoint="$bert/bert_model.ckpt" \
	--train_batch_size=32 \
	--eval_batch_size=32 \
	--steps_per_loop=1000 \
	--learning_rate=$rate \
	--num_train_epochs=$epochs \
	--model_dir="$out/model" \
	--distribution_strategy=off \
	--tpu= "$@"
[ -f "$out/${task}_test.tf_record" ] || exit 0
bert-run-classifier \
	--mode=predict \
	--input_meta_data_path="$meta" \
	--eval_data_path="$out/${task}_test.tf_record" \
	--bert_config_file="$bert/bert_config.json" \
	--model_dir="$out/model" \
	--distribution_strategy=off
