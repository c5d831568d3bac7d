#!/bin/sh
# SPDX-License-Identifier: MIT
# Fine-tunes a classifier with several processes, on this machine or others, and predicts
# with them.
# usage: pipelines/cluster.sh MODEL_DIR TRAIN.csv TEST.csv [OUT_DIR [OPTION ...]]
#        pipelines/cluster.sh small [OUT_DIR [OPTION ...]]
# The tables have the columns text and category, or those named by TEXT and LABEL.
# Options go to bert-train. MPIRUN is the command that starts the processes (mpirun -n 2);
# THREADS of each (1). For machines, say
#     MPIRUN='mpirun --hostfile hosts --map-by ppr:1:socket:pe=8' THREADS=8
# with all files on a file system that they share. SHARDS (8) decides the bits: with any
# number of processes up to that they are the same. small uses the demo data and a small
# BERT with random weights.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
export PATH
if [ "${1-}" = small ]; then
	data=$(dirname "$0")/data
	train=$data/library-train.csv test=$data/library-dev.csv TEXT=text LABEL=intent
	out=${2:-cluster}
	model=$data/vocab.txt # a vocabulary is enough to tokenize
	start=--tokenizer config=$data/small.json
	recipe='--batch-size 32 --learning-rate 2e-3 --epochs 8'
	shift
elif [ $# -ge 3 ]; then
	model=$1 train=$2 test=$3
	: "${TEXT:=text}" "${LABEL:=category}"
	out=${4:-cluster}
	start=-m config=
	recipe='--batch-size 32 --learning-rate 3e-4 --epochs 5'
	shift 3
else
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
[ $# = 0 ] || shift
mkdir -p "$out"

# One process makes the records; each of several reads them.
for part in train test; do
	[ $part = train ] || train=$test
	csv2tfrecord -q -t "$TEXT" -l "$LABEL" "$train" | bert-tokenize -q -m "$model" -o "$out/$part.rec"
done
mpirun=${MPIRUN:-mpirun -n 2}
# shellcheck disable=SC2086 # several words
{
	$mpirun bert-train -v --force ${config:+--init-config "$config"} $start "$model" $recipe \
		--shards "${SHARDS:-8}" -j "${THREADS:-1}" \
		--eval "$out/test.rec" -o "$out/model" --override "$@" "$out/train.rec" </dev/null
	$mpirun bert-predict -m "$out/model" -j "${THREADS:-1}" -o "$out/predictions.csv" "$out/test.rec" </dev/null
	$mpirun bert-eval -q -m "$out/model" -j "${THREADS:-1}" "$out/test.rec" </dev/null | grep '^accuracy'
}
