#!/bin/sh
# SPDX-License-Identifier: MIT
# Fine-tunes RoBERTa on AG News (CSV files with class, title, description) and
# evaluates it on the test set: metrics, TensorBoard files, a CSV file of
# predictions, examples per second.
# usage: pipelines/ag-news-roberta.sh [small | MODEL_DIR DATA_DIR] [OUT_DIR [OPTION ...]]
# DATA_DIR has train.csv and test.csv. Further options go to bert-train and
# override the recipe's own: --train-share .1 trains on a tenth of the data.
# small, the default without arguments, creates everything: a table of the same
# form from the demo data, a vocabulary, a RoBERTa with random weights.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ $# = 0 ] || [ "$1" = small ]; then
	[ $# = 0 ] || shift
	model=
elif [ $# -ge 2 ] && [ "${1#-}" = "$1" ]; then
	model=$1 data=$2
	shift 2
else
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
out=${1:-ag-news}
[ $# = 0 ] || shift
here=$(dirname "$0")
mkdir -p "$out"

# table FILE: the demo's intents, grouped into four classes; the first three words
# of a text become its title
table() {
	awk '
	BEGIN {
		split("renew_loan return_item place_hold interlibrary_loan " \
			"suggest_purchase damaged_item book_room parking " \
			"opening_hours children_corner noise_complaint " \
			"accessibility ebook_help wifi_access print_copy " \
			"reset_password get_card lost_card event_info volunteer " \
			"donate_books local_archive lost_property pay_fine", name, " ")
		for (i in name) class[name[i]] = int((i - 1) / 6) + 1
	}
	/^L[0-9]+,[^",]*,[a-z_]+$/ { # rows without quotes
		split($0, field, ",")
		n = split(field[2], word, " ")
		title = word[1] " " word[2] " " word[3]
		rest = ""
		for (i = 4; i <= n; i++) rest = rest (i > 4 ? " " : "") word[i]
		printf "\"%d\",\"%s\",\"%s\"\n", class[field[3]], title, rest
	}' "$here/data/$1"
}

if [ -z "$model" ]; then
	data=$out/data
	model=$out/start
	mkdir -p "$data"
	table library-train.csv >"$data/train.csv"
	table library-dev.csv >"$data/test.csv"
	csv2tfrecord --task ag-news -o "$out/train.text" "$data/train.csv"
	bert-vocab --type bpe --size 1500 -o "$model" "$out/train.text"
	cat >"$model/config.json" <<-EOF
		{
		  "model_type": "roberta",
		  "vocab_size": 1500,
		  "hidden_size": 64,
		  "num_hidden_layers": 2,
		  "num_attention_heads": 4,
		  "intermediate_size": 128,
		  "max_position_embeddings": 130,
		  "type_vocab_size": 1,
		  "pad_token_id": 1
		}
	EOF
	set -- --init-config "$model/config.json" --tokenizer "$model" \
		--epochs 16 --batch-size 16 --learning-rate 1e-3 \
		--label-smoothing 0.1 --eval-share 0.1 --override "$@"
else
	# As published for PyTorch: AdamW at 1e-5, no schedule, no clipping, batch
	# size 16. With the 1e-3 of the Keras version RoBERTa-large learns nothing.
	# Every epoch is evaluated on a part of the training data (there: on the
	# test set), and the best one is kept.
	set -- -m "$model" --epochs 5 --batch-size 16 --learning-rate 1e-5 \
		--schedule constant --warmup 0 --clip 0 --eval-share 0.05 \
		--override "$@"
fi

# Every step has a file as input: it starts only if the one before succeeded.
for part in train test; do
	csv2tfrecord --task ag-news \
		--map-label 1=World,2=Sports,3=Business,4=Sci/Tech \
		-o "$out/$part.text" "$data/$part.csv"
	bert-tokenize -m "$model" -o "$out/$part.rec" "$out/$part.text"
done
bert-train --force -o "$out/model" --tensorboard "$out/logs" "$@" "$out/train.rec"
bert-predict -m "$out/model" --header id,class -o "$out/submission.csv" \
	"$out/test.rec"
bert-eval -q -m "$out/model" -o "$out/report.txt" "$out/test.rec"
tail -n 1 "$out/report.txt"
