#!/bin/sh
# SPDX-License-Identifier: MIT
# Fills in a sample submission with what a model of fit.sh predicts for a table
# that has the same columns, but for the labels.
# usage: pipelines/predict.sh OUT_DIR TEST.csv SAMPLE.csv [SUBMISSION.csv [OPTION ...]]
# SUBMISSION.csv is the output [submission.csv]. Options go to bert-predict. ENCODING is that of
# a table which is not UTF-8, as windows-1252.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ $# -lt 3 ]; then
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
model=$1 test=$2 sample=$3 submission=${4:-submission.csv}
shift 3
[ $# = 0 ] || shift
if [ ! -f "$model/columns.txt" ]; then
	echo "predict.sh: '$model' has no columns.txt, which fit.sh writes" >&2
	exit 1
fi
{
	IFS= read -r delimiter
	IFS= read -r text
	IFS= read -r id
	IFS= read -r pair || pair= # earlier versions did not write it, nor the labels
	IFS= read -r labels || labels=
} <"$model/columns.txt"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

if [ "$(head -c 4 "$test" | tr -d '\0')" = PAR1 ]; then
	delimiter=
elif [ -z "$delimiter" ]; then # the model's table was Parquet
	case $test in
	*.tsv) delimiter=tab ;;
	*) delimiter=comma ;;
	esac
fi
# table OPTION...: csv2tfrecord of it
table() {
	csv2tfrecord ${delimiter:+--delimiter "$delimiter"} ${ENCODING:+--encoding "$ENCODING"} "$@" "$test"
}

# The table that was trained on may have had no ids, where this one has those of the sample.
sample_id=
if [ -z "$id" ]; then
	for c in comma semicolon tab; do
		csv2tfrecord -q --delimiter "$c" --list-columns "$sample" 2>/dev/null || :
	done >"$tmp/columns"
	table --list-columns >"$tmp/table"
	id=$(grep -xF -f "$tmp/table" -- "$tmp/columns" |
		grep -vxF -m 1 -e "$text" -e "$pair" -e "$(echo "$labels" | tr , '\n')") || :
	sample_id=$id
fi
# Without ids the sample's rows are those of the table, in its order.
order=
if [ -n "$sample_id" ]; then
	echo "predict.sh: id: column '$id', which the sample has, too" >&2
elif [ -z "$id" ]; then
	echo "predict.sh: id: none, so the rows of the sample are those of the table, in order" >&2
	order=--sample-order
fi
table -t "$text" ${pair:+--pair "$pair"} ${id:+-i "$id"} -o "$tmp/text.rec"
bert-tokenize -m "$model" -o "$tmp/test.rec" "$tmp/text.rec"
bert-predict -m "$model" --sample "$sample" ${sample_id:+--sample-id "$sample_id"} $order \
	-o "$submission" --override "$@" "$tmp/test.rec"
echo "predict.sh: written to '$submission'" >&2
