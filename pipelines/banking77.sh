#!/bin/sh
# SPDX-License-Identifier: MIT
# Fine-tunes a model on BANKING77 (https://huggingface.co/datasets/PolyAI/banking77)
# and measures it on the test set.
# usage: pipelines/banking77.sh MODEL_DIR TRAIN.csv TEST.csv [OUT_DIR [OPTION ...]]
# Further options go to bert-train; they come after the recipe's own.
set -eu
if [ $# -lt 3 ]; then
	sed -n 3,6p "$0" | cut -c3- >&2
	exit 2
fi
model=$1 train=$2 test=$3 out=${4:-banking77}
shift 3
[ $# = 0 ] || shift
mkdir -p "$out"

csv2tfrecord -t text -l category "$train" |
	bert-tokenize -m "$model" --max-length 128 -o "$out/train.rec"
csv2tfrecord -t text -l category "$test" |
	bert-tokenize -m "$model" --max-length 128 -o "$out/test.rec"
bert-train -m "$model" -o "$out/model" --eval "$out/test.rec" \
	--epochs 3 --batch-size 32 --learning-rate 1e-4 --warmup 0.1 \
	--weight-decay 0.01 --clip 1 --dropout 0.1 "$@" "$out/train.rec"
bert-eval -m "$out/model" "$out/test.rec" -o "$out/report.txt"
tail -n 1 "$out/report.txt"
bert-predict -q -m "$out/model" -o "$out/predictions.csv" "$out/test.rec"
