#!/bin/sh
# SPDX-License-Identifier: MIT
# From a table (CSV or Parquet) to a fine-tuned model. What the table does not say is guessed, and
# each guess is printed before it is used.
# usage: pipelines/fit.sh TRAIN.csv MODEL_DIR OUT_DIR [OPTION ...]
# Options go to bert-train. Then predict.sh fills in a sample submission. Set
# DELIMITER, TEXT, PAIR (the second text of a pair; empty: none), LABEL, ID (names of columns) or
# TASK (classification, multilabel or regression) to overrule a guess, as in:
# TEXT=review pipelines/fit.sh ...
# ENCODING=windows-1252 or another of csv2tfrecord is that of a table which is not UTF-8.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ $# -lt 3 ]; then
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
train=$1 model=$2 out=$3
shift 3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

say() {
	echo "fit.sh: $*" >&2
}

if [ ! -f "$train" ] || [ ! -r "$train" ]; then
	say "cannot read '$train', or it is not a file"
	exit 1
fi
if [ -f "$model" ]; then
	say "'$model' is a file: expected one table, and behind it the directory of a model"
	exit 1
fi
# A model that cannot be read is reported before the table is read.
ckpt-inspect -q -o "$tmp/model" "$model"

# table OPTION...: csv2tfrecord of it
table() {
	csv2tfrecord ${DELIMITER:+--delimiter "$DELIMITER"} ${ENCODING:+--encoding "$ENCODING"} "$@" "$train"
}

# The delimiter is what the header has most of; Parquet has none.
if [ "$(head -c 4 "$train" | tr -d '\0')" = PAR1 ]; then
	DELIMITER=
elif [ -z "${DELIMITER-}" ]; then
	most=0 best=
	for DELIMITER in comma semicolon pipe tab; do
		n=$(table --list-columns 2>/dev/null | wc -l)
		[ "$n" -le "$most" ] || best=$DELIMITER most=$n
	done
	DELIMITER=$best # none, which says why
fi
table --list-columns >"$tmp/columns"

# named WORD...: the first column with one of these names, in any case
named() {
	for word; do
		grep -ixm 1 -e "$word" "$tmp/columns" && return
	done
	:
}

# records OPTION...: the table's rows as JSON
records() {
	table -q --skip-bad "$@" | tfrecord-cat -q --json
}

: "${ID=$(named id '.*[_ -]id' textid qid index row)}"
# two columns with the usual names of pairs; a TEXT that is set has the PAIR that is
if [ -z "${TEXT+set}" ] && [ -z "${PAIR+set}" ]; then
	for names in 'sentence1 sentence2' 'text1 text2' 'text_a text_b' 'question1 question2' \
		'premise hypothesis' 'question sentence'; do
		TEXT=$(named "${names% *}") PAIR=$(named "${names#* }")
		[ -z "$TEXT" ] || [ -z "$PAIR" ] || break
		unset TEXT PAIR
	done
fi
: "${PAIR=}"
: "${TEXT=$(named text sentence review comment content tweet message question document body)}"
: "${LABEL=$(named label labels target class category intent sentiment score rating y)}"
if [ -z "$TEXT" ]; then # the column with the longest values
	grep -vxF -e "$ID" -e "$LABEL" -e "$PAIR" "$tmp/columns" | while IFS= read -r column; do
		records -t "$column" | awk -v name="$column" '{ n += length($0) }
			END { if (NR) print n / NR "\t" name }'
	done >"$tmp/lengths"
	TEXT=$(sort -rn "$tmp/lengths" | sed -n '1s/^[^	]*	//p')
fi
if [ -z "$LABEL" ]; then # the column with the fewest different values
	grep -vxF -e "$ID" -e "$TEXT" -e "$PAIR" "$tmp/columns" | while IFS= read -r column; do
		records -t "$column" | sort -u | awk -v name="$column" -v bit="$tmp/bit" '
			/"text_a": "[01]([.]0)?"}$/ { bits++ }
			/"text_a": "0([.]0)?"}$/ { zero++ }
			END {
				if (NR > 1) print NR "\t" name
				if (NR == 2 && bits == 2) print name >>bit
				if (NR == bits && zero) print name >>(bit "s")
			}'
	done >"$tmp/values"
	LABEL=$(sort -n "$tmp/values" | sed -n '1s/^[^	]*	//p')
	# Several columns of 0 and 1 are one label each, any number of which a text has; beside
	# them, one of 0 alone is a label that no text happens to have.
	if [ -f "$tmp/bit" ] && grep -qxF -e "$LABEL" "$tmp/bit" && [ "$(wc -l <"$tmp/bit")" -gt 1 ]; then
		LABEL=$(paste -sd , "$tmp/bits")
	fi
fi
if [ -z "$TEXT" ] || [ -z "$LABEL" ]; then
	table -q -t 1 -o "$tmp/text.rec" || : # if no row can be read, it says why
	say "'$train' needs a column of texts and one of labels; it has: $(paste -sd , "$tmp/columns")"
	exit 1
fi
case $LABEL in
*,*) : "${TASK:=multilabel}" ;;
esac
if [ -z "${TASK-}" ]; then # numbers are predicted as such if they are many
	TASK=$(records -t "$TEXT" -l "$LABEL" | sed 's/.*"label": "\([^"]*\)".*/\1/' | sort | uniq -c |
		awk '{ n++; if ($2 !~ /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$/ || NF > 2) other = 1
			if ($2 + 0 != int($2 + 0)) part = 1 }
			END { print !other && (part || n > 20) ? "regression" : "classification" }')
fi
say "delimiter: ${DELIMITER:-none, it is Parquet}"
say "text: column '$TEXT'"
[ -z "$PAIR" ] || say "second text: column '$PAIR'"
say "label: column '$LABEL'"
if [ -n "$ID" ]; then say "id: column '$ID'"; else say "id: none, so the file and row number"; fi
say "task: $TASK"

# Rows without a label or of another width are left out, which csv2tfrecord says.
table --skip-bad --max-bad .1 -t "$TEXT" ${PAIR:+--pair "$PAIR"} -l "$LABEL" -i "${ID:-row}" \
	-o "$tmp/text.rec"
bert-tokenize -m "$model" -o "$tmp/train.rec" "$tmp/text.rec"
bert-train -m "$model" -o "$out" --task "$TASK" --eval-share .1 --override "$@" "$tmp/train.rec"
bert-plot -q -o "$out/curves.svg" "$out"
printf '%s\n' "$DELIMITER" "$TEXT" "$ID" "$PAIR" "$LABEL" >"$out/columns.txt"
