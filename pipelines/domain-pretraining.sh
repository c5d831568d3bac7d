#!/bin/sh
# SPDX-License-Identifier: MIT
# Continues pre-training on texts of one's own field, which need no labels, and
# fine-tunes the model that comes of it, beside one without that step.
# usage: pipelines/domain-pretraining.sh MODEL_DIR TEXTS.csv TRAIN.csv TEST.csv [OUT_DIR [OPTION ...]]
#        pipelines/domain-pretraining.sh small [OUT_DIR [OPTION ...]]
# The tables have the column text, TRAIN and TEST also category, or those named by TEXT and
# LABEL. Options go to the bert-train commands that fine-tune. MiniLM-L6 and BANKING77 give
# .930 right with its texts and .927 without. small uses the demo data and a small BERT with
# random weights: it shows the steps, but is too small to gain by them.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ "${1-}" = small ]; then
	data=$(dirname "$0")/data
	out=${2:-domain} TEXT=text LABEL=intent
	texts=$data/library-train.csv train=$out/few.csv test=$data/library-dev.csv
	mkdir -p "$out"
	# few texts have labels
	awk 'NR == 1 || /^L[0-9]*[05],[^"]*$/' "$texts" >"$train"
	[ -f "$out/base/config.json" ] || {
		csv2tfrecord -q -t "$TEXT" -l "$LABEL" "$texts" |
			bert-tokenize -q -m "$data/vocab.txt" -o "$out/base.rec"
		bert-train -q --init-config tiny --tokenizer "$data/vocab.txt" --steps 1 \
			-o "$out/base" "$out/base.rec"
	}
	model=$out/base
	pretraining='--batch-size 32 --learning-rate 2e-3 --epochs 6'
	recipe='--batch-size 16 --learning-rate 1e-3 --epochs 12'
	shift
elif [ $# -ge 4 ]; then
	model=$1 texts=$2 train=$3 test=$4
	: "${TEXT:=text}" "${LABEL:=category}"
	out=${5:-domain}
	pretraining='--batch-size 32 --learning-rate 1e-4 --epochs 3'
	recipe='--batch-size 32 --learning-rate 3e-4 --epochs 5'
	shift 4
else
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
[ $# = 0 ] || shift
mkdir -p "$out"

csv2tfrecord -q -t "$TEXT" "$texts" | bert-tokenize -q -m "$model" -o "$out/texts.rec"
for part in train test; do
	[ $part = train ] || train=$test
	csv2tfrecord -q -t "$TEXT" -l "$LABEL" "$train" | bert-tokenize -q -m "$model" -o "$out/$part.rec"
done

# shellcheck disable=SC2086 # several words
bert-train --force -m "$model" --task masked-lm $pretraining --eval-share .1 \
	-o "$out/pretrained" "$out/texts.rec"
for start in "$model" "$out/pretrained"; do
	[ "$start" = "$model" ] && name=without || name=with
	# The head that tells words stays behind.
	# shellcheck disable=SC2086 # several words
	bert-train --force -m "$start" $recipe -o "$out/$name" --override "$@" "$out/train.rec"
	echo "$name pre-training: $(bert-eval -q -m "$out/$name" "$out/test.rec" | grep '^accuracy')"
done
