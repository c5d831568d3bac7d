#!/bin/sh
# SPDX-License-Identifier: MIT
# From a table to a submission, on the project's own data: a small BERT, trained
# here, learns what the visitors of a library want.
# usage: pipelines/demo.sh [MODEL]   fine-tunes MODEL instead, if given: a model
# directory, or the name of one that bert-fetch fetched
# DEMO_DIR is the output directory [build/demo].
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
data=$(dirname "$0")/data
out=${DEMO_DIR:-build/demo}
mkdir -p "$out"

if [ $# -gt 0 ] && [ -n "$1" ]; then
	model=$1
	[ ! -d "$1" ] || model=$(cd "$1" && pwd)
	case $model in # a path that a shell would take apart
	*[!A-Za-z0-9_./-]*) model="'$model'" ;;
	esac
	set -- -m "$model" --epochs 6 --learning-rate 3e-4
else
	model=vocab.txt # a vocabulary is enough to tokenize
	set -- --init-config small.json --tokenizer vocab.txt --epochs 16 \
		--learning-rate 2e-3 --batch-size 16 --label-smoothing 0.1
fi

# Prints a command, then runs it.
run() {
	echo
	echo "\$ $1"
	sh -c "$1"
}
cp "$data"/*.csv "$data/small.json" "$data/vocab.txt" "$out"
cd "$out"

run "csv2tfrecord -i id -t text -l intent library-train.csv |
    bert-tokenize -m $model --max-length 64 -o train.rec"
run "csv2tfrecord -i id -t text -l intent library-dev.csv |
    bert-tokenize -m $model --max-length 64 -o dev.rec"
run "bert-train --force $* -o intent --eval dev.rec train.rec"
run "bert-eval -m intent dev.rec"
run "csv2tfrecord -i id -t text library-test.csv | bert-tokenize -m intent |
    bert-predict -m intent --sample SampleSubmission.csv -o submission.csv"
run "head -n 6 submission.csv"

echo
awk -F, 'NR == FNR { truth[$1] = $2; next }
	FNR > 1 { n++; right += truth[$1] == $2 }
	END { printf "right on %d of %d questions it has never seen: %.1f %%\n",
		right, n, 100 * right / n; exit n == 0 || right / n < 0.9 }' \
	library-test-labels.csv submission.csv
