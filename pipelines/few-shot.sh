#!/bin/sh
# SPDX-License-Identifier: MIT
# A classifier from a few examples: draws some texts of each class, learns from these, and
# shows what it makes of the others: which of their labels look wrong, and what the words of
# a text contributed to its class.
# usage: pipelines/few-shot.sh MODEL_DIR TRAIN.csv TEST.csv [OUT_DIR [OPTION ...]]
#        pipelines/few-shot.sh small [OUT_DIR [OPTION ...]]
# The tables have the columns text and category, or those named by TEXT and LABEL. SHOTS=8
# is the number of texts of each class. Options go to bert-train. MODEL_DIR is best a model
# that embeds texts: of BANKING77 all-MiniLM-L6-v2 gets .84 to .85 right. small uses the
# demo data and a small BERT with random weights, which is too small to learn much.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ "${1-}" = small ]; then
	data=$(dirname "$0")/data
	model=$data/vocab.txt # a vocabulary is enough to tokenize
	train=$data/library-train.csv test=$data/library-dev.csv TEXT=text LABEL=intent
	start=--tokenizer config=$data/small.json
	recipe='--learning-rate 2e-3 --epochs 12 --log-steps 8'
	shift
elif [ $# -ge 3 ]; then
	model=$1 train=$2 test=$3
	: "${TEXT:=text}" "${LABEL:=category}"
	start=-m config=
	recipe='--learning-rate 5e-5 --epochs 10 --log-steps 20'
	shift 3
else
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
out=${1:-few-shot}
[ $# = 0 ] || shift
mkdir -p "$out"

# Of the shuffled texts, the first ones of each class are learned from.
csv2tfrecord -q -i row -t "$TEXT" -l "$LABEL" "$train" |
	tfrecord-cat -q --shuffle --seed 1 --json |
	awk -v n="${SHOTS:-8}" -v few="$out/few.jsonl" -v others="$out/others.jsonl" '{
		match($0, /"label": "([^"\\]|\\.)*"/)
		print >(seen[substr($0, RSTART, RLENGTH)]++ < n ? few : others)
	}'
for part in few others; do
	tfrecord-cat -q --from-json "$out/$part.jsonl" |
		bert-tokenize -q -m "$model" --keep-text -o "$out/$part.rec"
done
csv2tfrecord -q -i row -t "$TEXT" -l "$LABEL" "$test" | bert-tokenize -q -m "$model" -o "$out/test.rec"

# shellcheck disable=SC2086 # several words
bert-train --force ${config:+--init-config "$config"} $start "$model" --few-shot --batch-size 16 $recipe \
	-o "$out/model" --override "$@" "$out/few.rec"
bert-eval -q -m "$out/model" --html "$out/report.html" "$out/test.rec" | grep '^accuracy'
bert-plot -q -o "$out/curves.svg" "$out/model"

# The other texts were not learned from, as label issues require.
bert-eval -m "$out/model" --label-issues "$out/label-issues.csv" -o "$out/others.txt" "$out/others.rec"
tfrecord-cat -q --head 20 "$out/others.rec" |
	bert-predict -q -m "$out/model" --explain -o "$out/words.tsv"
head -n 4 "$out/label-issues.csv" "$out/words.tsv"
