#!/bin/sh
# SPDX-License-Identifier: MIT
# Semantic search: trains an encoder on pairs of texts that belong together, and lists
# for each first text of other pairs the nearest second text.
# usage: pipelines/embeddings.sh MODEL_DIR PAIRS.csv TEST.csv [OUT_DIR [OPTION ...]]
#        pipelines/embeddings.sh small [OUT_DIR [OPTION ...]]
# The tables have two columns: a text, such as a question, and one that belongs to it.
# Options go to bert-train. With all-MiniLM-L6-v2, 803 questions of XQuAD and the passages
# that answer them give MRR .94 on the other 387. small makes pairs of the demo data, of texts
# with one label, and trains a small BERT from random weights.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ "${1-}" = small ]; then
	data=$(dirname "$0")/data
	model=$data/vocab.txt # a vocabulary is enough to tokenize
	start=--tokenizer config=$data/small.json
	recipe='--batch-size 64 --learning-rate 2e-3 --epochs 12'
	out=${2:-embeddings} train=${2:-embeddings}/train.csv test=${2:-embeddings}/dev.csv
	shift
	mkdir -p "$out"
	for part in train dev; do # of dev, one pair of each label
		awk -F, -v OFS=, -v part=$part 'BEGIN { print "text", "other" }
			/^L[0-9]+,[^",]*,[a-z_]+$/ && !done[$3] {
				if (!($3 in last)) { last[$3] = $2; next }
				print last[$3], $2
				delete last[$3]
				done[$3] = part == "dev"
			}' "$data/library-$part.csv" >"$out/$part.csv"
	done
elif [ $# -ge 3 ]; then
	model=$1 train=$2 test=$3 start=-m config=
	recipe='--batch-size 64 --learning-rate 2e-5 --epochs 1'
	shift 3
else
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
out=${1:-embeddings}
[ $# = 0 ] || shift
mkdir -p "$out"

for part in train test; do
	[ $part = train ] || train=$test
	csv2tfrecord -q -i row -t 1 --pair 2 -o "$out/$part.text" "$train"
	bert-tokenize -q -m "$model" --apart --keep-text -o "$out/$part.rec" "$out/$part.text"
done
# shellcheck disable=SC2086 # several words
bert-train --force ${config:+--init-config "$config"} $start "$model" --task embedding $recipe \
	--eval "$out/test.rec" -o "$out/model" --override "$@" "$out/train.rec"
bert-eval -q -m "$out/model" --html "$out/report.html" "$out/test.rec"
bert-plot -q -o "$out/curves.svg" "$out/model"

# First texts search among second ones.
for number in 0 1; do
	tfrecord-cat -q --where "text_number=$number" -o "$out/$number.rec" "$out/test.rec"
	bert-predict -q -m "$out/model" --embed --format tensor -o "$out/$number.ts" "$out/$number.rec"
done
tensor-cat -q --nearest "$out/1.ts" --top 1 -o "$out/nearest.csv" "$out/0.ts"
head -n 4 "$out/nearest.csv"
