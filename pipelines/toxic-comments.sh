#!/bin/sh
# SPDX-License-Identifier: MIT
# A multi-label competition like Kaggle's toxic comments: six columns of 0 and 1,
# scored by the mean area under their ROC curves.
# usage: pipelines/toxic-comments.sh
#        pipelines/toxic-comments.sh MODEL_DIR DATA_DIR [OUT_DIR [OPTION ...]]
# DATA_DIR has train.csv (id,comment_text, then a column per label), test.csv and
# sample_submission.csv. Options go to bert-train.
# Without arguments: a small table of that form and a small model, created here.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ $# = 1 ] || [ "${1-}" = --help ]; then
	sed -n 5,9p "$0" | cut -c3- >&2
	exit 2
fi

# Creates comments of a library's visitors; some are unkind in several ways.
small() { # DIR
	mkdir -p "$1"
	awk -v dir="$1" 'function put(file, n, shown,  i, k, text, row) {
			print "id,comment_text" (shown ? "," labels : "") > file
			for (i = 1; i <= n; i++) {
				text = kind[int(rand() * 4) + 1] ", " kind[int(rand() * 4) + 1]
				row = ""
				for (k = 1; k <= 6; k++) {
					on = rand() < share[k]
					if (on) text = text ". " say[k] (rand() < .5 ? "!" : "")
					row = row "," on
				}
				printf "%s%04d,\"%s\"%s\n", substr(file, length(dir) + 3, 2), i,
					text, shown ? row : "" > file
			}
		}
		BEGIN {
			srand(7)
			labels = "toxic,severe_toxic,obscene,threat,insult,identity_hate"
			split("thank you for the book/when does the cafe open/my card is lost/" \
				"the reading room was quiet", kind, "/")
			split("this is rubbish/I hate all of it/what a dirty page/" \
				"I will come and find you/you are an idiot/people like you must go", say, "/")
			split(".4 .15 .2 .1 .25 .1", share, " ")
			put(dir "/train.csv", 700, 1)
			put(dir "/test.csv", 60, 0)
			print "id," labels > (dir "/sample_submission.csv")
			for (i = 60; i >= 1; i--)
				printf "es%04d,0.5,0.5,0.5,0.5,0.5,0.5\n", i > (dir "/sample_submission.csv")
		}' </dev/null
}

if [ $# = 0 ]; then
	out=${TOXIC_DIR:-build/toxic} length=48
	data=$out/data
	small "$data"
	model=$(dirname "$0")/data/vocab.txt # a vocabulary is enough to tokenize
	set -- --init-config "$(dirname "$0")/data/small.json" --tokenizer "$model" --epochs 20 --learning-rate 2e-3 \
		--batch-size 16 --dropout 0
else
	model=$1 data=$2 out=${3:-toxic} length=256
	shift 2
	[ $# = 0 ] || shift
	set -- -m "$model" --epochs 2 --learning-rate 2e-5 --override "$@"
fi
mkdir -p "$out"

# The labels are the columns of the sample submission.
labels=$(head -n 1 "$data/sample_submission.csv" | tr -d '\r' | cut -d, -f2-)
csv2tfrecord -i id -t comment_text -l "$labels" "$data/train.csv" |
	bert-tokenize -m "$model" --max-length "$length" -o "$out/all.rec"
tfrecord-cat -q --split train=.9,dev=.1 -o "$out/part" "$out/all.rec"

bert-train --force --task multilabel --metric roc_auc --eval "$out/part-dev" \
	-o "$out/model" "$@" "$out/part-train"
bert-eval -m "$out/model" --html "$out/report.html" "$out/part-dev"
bert-plot -q -o "$out/curves.svg" "$out/model"

csv2tfrecord -q -i id -t comment_text "$data/test.csv" |
	bert-tokenize -q -m "$out/model" --max-length "$length" |
	bert-predict -m "$out/model" --sample "$data/sample_submission.csv" \
		-o "$out/submission.csv"
head -n 3 "$out/submission.csv"
