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
	IFS= read -r pair || pair= # versions before pairs wrote none
} <"$model/columns.txt"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

# Without ids the sample's rows are those of the table, in its order.
order=
[ -n "$id" ] || order=--sample-order
if [ "$(head -c 4 "$test" | tr -d '\0')" = PAR1 ]; then
	delimiter=
elif [ -z "$delimiter" ]; then # the model's table was Parquet
	case $test in
	*.tsv) delimiter=tab ;;
	*) delimiter=comma ;;
	esac
fi
csv2tfrecord ${delimiter:+--delimiter "$delimiter"} ${ENCODING:+--encoding "$ENCODING"} \
	-t "$text" ${pair:+--pair "$pair"} ${id:+-i "$id"} \
	-o "$tmp/text.rec" "$test"
bert-tokenize -m "$model" -o "$tmp/test.rec" "$tmp/text.rec"
bert-predict -m "$model" --sample "$sample" $order -o "$submission" --override "$@" "$tmp/test.rec"
echo "predict.sh: written to '$submission'" >&2
