#!/bin/sh
# SPDX-License-Identifier: MIT
# Multiple choice: fine-tunes a model to choose the answers to questions, evaluates it, and
# writes the three best choices of each question as Kaggle's LLM Science Exam asks for them.
# usage: pipelines/multiple-choice.sh MODEL_DIR TRAIN.csv TEST.csv [OUT_DIR [OPTION ...]]
#        pipelines/multiple-choice.sh small [OUT_DIR [OPTION ...]]
# The tables have the columns id, prompt, A, B, C, D, E and answer, of which the last choices
# may be empty; TEXT=ctx CHOICES=ending0,ending1,ending2,ending3 ANSWER=label ID=ind are those
# of SWAG, say. Without an answer, as in Kaggle's test.csv, the model is not evaluated.
# Options go to bert-train. small makes questions of its own, whose answer is
# what is open, and trains a small BERT with random weights.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
: "${TEXT:=prompt}" "${CHOICES:=A,B,C,D,E}" "${ANSWER:=answer}" "${ID:=id}"
if [ "${1-}" = small ]; then
	model=$(dirname "$0")/data/vocab.txt
	start='--init-config tiny --tokenizer' rate=1e-3
	shift
elif [ $# -ge 3 ]; then
	model=$1 train=$2 test=$3
	start=-m rate=3e-5
	shift 3
else
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
out=${1:-multiple-choice}
[ $# = 0 ] || shift
mkdir -p "$out"
if [ "$start" != -m ]; then
	train=$out/train.csv test=$out/test.csv
	# what is open is the answer, among three to five choices
	awk -v train="$train" -v test="$test" 'BEGIN {
		n = split("cafe books card wifi park fine", w, " ")
		print "id,prompt,A,B,C,D,E,answer" >train
		print "id,prompt,A,B,C,D,E,answer" >test
		for (q = 0; q < 200; q++) {
			line = q ",where is the " w[q % n + 1]
			right = int(q / n) % (q % 3 + 3)
			for (k = 0; k < 5; k++)
				line = line "," (k > q % 3 + 2 ? "" : \
					"the " w[(q + (k == right ? 0 : k * q % 5 + 1)) % n + 1] " is " (k == right ? "open" : "new"))
			print line "," substr("ABCDE", right + 1, 1) >(q < 150 ? train : test)
		}
	}'
fi

# A record has a question with its choices, so it can be shuffled and divided.
records() { # TABLE RECORDS [OPTION ...]
	table=$1 rec=$2
	shift 2
	csv2tfrecord -t "$TEXT" --choices "$CHOICES" -i "$ID" "$@" "$table" |
		bert-tokenize -m "$model" --max-length 256 -o "$rec"
}
answers=yes
if columns=$(csv2tfrecord -q --list-columns "$test" 2>/dev/null) &&
	! echo "$columns" | grep -Fxq -e "$ANSWER"; then
	answers=no
	echo "multiple-choice.sh: '$test' has no column '$ANSWER': its questions are not evaluated" >&2
fi
records "$train" "$out/train.rec" -l "$ANSWER"
if [ $answers = yes ]; then
	records "$test" "$out/test.rec" -l "$ANSWER"
else
	records "$test" "$out/test.rec"
fi

# shellcheck disable=SC2086 # two options
bert-train $start "$model" --task multiple-choice --eval-share 0.1 --metric map_at_3 \
	--batch-size 8 --learning-rate $rate --epochs 3 -o "$out/model" --force --override "$@" "$out/train.rec"

if [ $answers = yes ]; then
	bert-eval -m "$out/model" -o "$out/report.txt" "$out/test.rec"
	cat "$out/report.txt"
fi
bert-predict -m "$out/model" --top 3 --label-separator ' ' --header id,prediction \
	-o "$out/submission.csv" "$out/test.rec"
