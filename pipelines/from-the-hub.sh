#!/bin/sh
# SPDX-License-Identifier: MIT
# From nothing to a result that can be shown: a model of the hub, a table to train
# on and one to judge by, with labels. Leaves a page, curves and predictions, and
# prints each command with the seconds that it took.
# The epoch is chosen by a tenth of TRAIN, so that TEST only judges.
# usage: pipelines/from-the-hub.sh MODEL TRAIN TEST OUT_DIR [OPTION ...]
# TRAIN and TEST are Parquet or CSV. Set TEXT or LABEL to the names of the columns
# [text, label], DATASET to that of a published data set (csv2tfrecord --task).
# Further options go to bert-train and override those here.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ $# -lt 4 ]; then
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
model=$1 train=$2 test=$3 out=$4
shift 4
mkdir -p "$out"
begin=$(date +%s.%N)
total=0

# run COMMAND [ARGUMENT ...]: prints it, runs it and tells how long it took
run() {
	echo "\$ $*"
	"$@"
	now=$(date +%s.%N)
	awk -v a="$begin" -v b="$now" 'BEGIN { printf "  %.1f s\n", b - a }'
	total=$(awk -v t="$total" -v a="$begin" -v b="$now" 'BEGIN { print t + b - a }')
	begin=$now
}

# records TABLE OUTPUT: the table's rows, with the row as id
records() {
	if [ -n "${DATASET-}" ]; then
		run csv2tfrecord -q -i row --task "$DATASET" -o "$2" "$1"
	else
		run csv2tfrecord -q -i row -t "${TEXT:-text}" -l "${LABEL:-label}" -o "$2" "$1"
	fi
}

[ -d "$model" ] || run bert-fetch -q "$model"
records "$train" "$out/train.text"
records "$test" "$out/test.text"
run bert-tokenize -q -m "$model" -o "$out/train.rec" "$out/train.text"
run bert-tokenize -q --keep-text -m "$model" -o "$out/test.rec" "$out/test.text"
run bert-train -q --force -m "$model" -o "$out/model" --batch-size 32 --epochs 5 \
	--learning-rate 3e-4 --warmup .1 --eval-share 0.1 --override "$@" \
	"$out/train.rec"
run bert-eval -q -m "$out/model" --errors 20 --by length --leak "$out/train.rec" --ci \
	--html "$out/report.html" -o "$out/report.txt" "$out/test.rec"
run bert-plot -q -o "$out/curves.svg" "$out/model"
run bert-predict -q -m "$out/model" -o "$out/submission.csv" "$out/test.rec"
awk -v t="$total" 'BEGIN { printf "%.1f s in all\n", t }'
grep '^accuracy .* examples' "$out/report.txt"
