#!/bin/sh
# SPDX-License-Identifier: MIT
# Fine-tunes a model on BANKING77 (https://huggingface.co/datasets/PolyAI/banking77)
# as published for bert-base-uncased, and evaluates it on the test set after each
# epoch; the epoch with the best weighted F1 is kept. bertutils-recipes(7) has a
# recipe for small models, as MiniLM, which this one trains too little.
# usage: pipelines/banking77.sh MODEL_DIR TRAIN.csv TEST.csv [OUT_DIR [OPTION ...]]
#        pipelines/banking77.sh small [OUT_DIR [OPTION ...]]
# The tables have the columns text and category, or those named by TEXT and LABEL.
# Further options go to bert-train and override the recipe's own. SEEDS="1 2 3"
# trains with each of these seeds and prints the mean. small uses the demo data
# and a small BERT with random weights.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
small=
if [ "${1-}" = small ]; then
	data=$(dirname "$0")/data
	small=1
	model=$data/vocab.txt # a vocabulary is enough to tokenize
	train=$data/library-train.csv test=$data/library-dev.csv TEXT=text LABEL=intent
	shift
elif [ $# -ge 3 ]; then
	model=$1 train=$2 test=$3
	: "${TEXT:=text}" "${LABEL:=category}"
	shift 3
else
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
out=${1:-banking77}
[ $# = 0 ] || shift
mkdir -p "$out"

# The published run, for bert-base-uncased: 8 workers with 32 texts each per
# update, a learning rate that rises for 100 of 120 updates, no decay, no clipping.
# Its AdamW adds epsilon before bias correction, as adam does here.
if [ -n "$small" ]; then
	set -- --init-config "$data/small.json" --tokenizer "$model" --batch-size 16 \
		--learning-rate 2e-3 --epochs 12 --warmup 0.1 --clip 1 --override "$@"
else
	set -- -m "$model" --batch-size 256 --learning-rate 3e-4 --epochs 3 \
		--warmup 100 --override "$@"
fi

# Every step has a file as input: it starts only if the one before succeeded.
for part in train test; do
	[ $part = train ] || train=$test
	csv2tfrecord -t "$TEXT" -l "$LABEL" -o "$out/$part.text" "$train"
	bert-tokenize -m "$model" --max-length 512 -o "$out/$part.rec" \
		"$out/$part.text"
done

# value NAME: a value of the report
value() { sed -n "s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$out/report.json"; }
: >"$out/seeds.txt"
for seed in ${SEEDS:-42}; do
	bert-train --force -o "$out/model" --eval "$out/test.rec" --metric weighted_f1 \
		--schedule linear --optimizer adam --epsilon 1e-6 --clip 0 \
		--seed "$seed" --override "$@" "$out/train.rec"
	bert-eval -q -m "$out/model" --json -o "$out/report.json" \
		--html "$out/report.html" "$out/test.rec"
	echo "seed $seed: accuracy $(value accuracy), weighted F1" \
		"$(value weighted_f1)" >>"$out/seeds.txt"
done
bert-plot -q -o "$out/curves.svg" "$out/model"
bert-predict -q -m "$out/model" -o "$out/predictions.csv" "$out/test.rec"
awk '{ print; a += $4; f += $7 }
	END { if (NR > 1) printf "mean of %d: accuracy %.4f, weighted F1 %.4f\n",
		NR, a / NR, f / NR }' "$out/seeds.txt"
