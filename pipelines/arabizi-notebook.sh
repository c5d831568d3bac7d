#!/bin/sh
# SPDX-License-Identifier: MIT
# Repeats a Keras notebook for Zindi's contest on the sentiment of Tunisian Arabizi
# (https://zindi.africa/competitions/ai4d-icompass-social-media-sentiment-analysis-for-tunisian-arabizi)
# that puts a custom head over all tokens of a multilingual BERT.
# usage: pipelines/arabizi-notebook.sh [MODEL_DIR TRAIN.csv TEST.csv SAMPLE.csv [OUT_DIR [OPTION ...]]]
# without arguments: with a small table and a small model that it creates
# OUT_DIR is the output directory [build/arabizi], LENGTH the tokens per text [140].
# Further options go to bert-train and override the recipe's own.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
data=$(dirname "$0")/data
length=${LENGTH:-140}
small=false

# Three of the demo's intents stand for three sentiments.
pick() { # TABLE
	awk 'BEGIN { OFS = ","; print "text,label" }
		!/^L[0-9]+,/ { next }
		{ sub(/^[^,]*,/, "") }
		sub(/,parking$/, "") { print $0, 1 }
		sub(/,get_card$/, "") { print $0, -1 }
		sub(/,pay_fine$/, "") { print $0, 0 }' "$data/$1"
}

case $# in
0) small=true ;;
1 | 2 | 3)
	sed -n 6,9p "$0" | cut -c3- >&2
	exit 2
	;;
esac
if $small; then
	out=${OUT_DIR:-build/arabizi} length=${LENGTH:-32}
	model=$out/vocab.txt train=$out/Train.csv test=$out/Test.csv
	sample=$out/SampleSubmission.csv
	mkdir -p "$out"
	cp "$data/vocab.txt" "$out"
	pick library-train.csv >"$train"
	pick library-train.csv | sed -n 2,4p >>"$train" # with duplicates
	pick library-dev.csv | sed 's/,[^,]*$//' >"$test"
	awk 'NR == 1 { print "ID,label"; next } { print "T" NR ",0" }' "$test" >"$sample"
	set -- --init-config tiny --tokenizer "$model" --epochs 16 --learning-rate 1e-3 \
		--warmup 0.2
else
	model=$1 train=$2 test=$3 sample=$4 out=${5:-build/arabizi}
	shift 4
	[ $# = 0 ] || shift
	set -- -m "$model" "$@"
	mkdir -p "$out"
fi

# Missing texts are 'nan', as in pandas; the first of equal texts is kept.
# The notebook's classes are numbers from 1: class 0 never occurs.
csv2tfrecord -t text -l label --na pandas --drop-duplicates \
	--map-label=-1=1,0=2,1=3 --only-mapped -o "$out/all.text.rec" "$train"
# train_test_split(test_size=.1, random_state=42)
tfrecord-cat --split train=.9,dev=.1 --shuffle --seed 42 -o "$out/text" "$out/all.text.rec"

# Every text has this many tokens, and the model attends to padding.
tokenize() {
	bert-tokenize -m "$1" --max-length "$length" --pad "$length" --attend-pad "$2" -o "$3"
}
tokenize "$model" "$out/text-train" "$out/train.rec"
tokenize "$model" "$out/text-dev" "$out/dev.rec"
bert-train --force -o "$out/model" --labels 0,1,2,3 --eval "$out/dev.rec" \
	--head 'flatten,dense 512 relu,dropout .3,dense 440 relu,dropout .3,dense 4 softplus' \
	--epochs 5 --batch-size 16 --optimizer adam --learning-rate 1e-5 \
	--schedule constant --warmup 0 --clip 0 --metric loss --override "$@" "$out/train.rec"

echo 'history:'
cat "$out/model/history.jsonl"
bert-eval -q -m "$out/model" -o "$out/report.txt" --html "$out/report.html" "$out/dev.rec"
bert-plot -q -o "$out/curves.svg" "$out/model"
tail -n 1 "$out/report.txt"
csv2tfrecord -t text --na pandas -o "$out/test.text.rec" "$test"
tokenize "$out/model" "$out/test.text.rec" "$out/test.rec"
bert-predict -m "$out/model" --map-label=1=-1,2=0,3=1 --sample "$sample" --sample-order \
	-o "$out/submission.csv" "$out/test.rec"
echo 'predicted:'
awk -F, 'FNR > 1 { sub(/\r$/, "", $2); n[$2]++ } END { for (c in n) print n[c], c }' \
	"$out/submission.csv" | sort -nr
