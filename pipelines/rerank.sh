#!/bin/sh
# SPDX-License-Identifier: MIT
# A reranker: learns which of ten passages answers a question, and ranks those of other
# questions: MRR@10 and NDCG@10.
# usage: pipelines/rerank.sh MODEL_DIR QUESTIONS.json [OUT_DIR [OPTION ...]]
#        pipelines/rerank.sh small [OUT_DIR [OPTION ...]]
# QUESTIONS.json has SQuAD's form: the context of a question is the passage that answers
# it, and nine contexts of other questions do not. A quarter of the contexts is for
# the test: MiniLM-L6 and XQuAD's English part give MRR@10 .997. Options go to bert-train.
# small makes questions of the demo data, with one answer among other questions, and trains
# a small BERT from random weights.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ "${1-}" = small ]; then
	data=$(dirname "$0")/data
	model=$data/vocab.txt # a vocabulary is enough to tokenize
	start=--tokenizer config=$data/small.json
	recipe='--batch-size 32 --learning-rate 2e-3 --epochs 6' small=1
	out=${2:-rerank}
	shift
elif [ $# -ge 2 ]; then
	model=$1 questions=$2 start=-m config=
	recipe='--batch-size 16 --learning-rate 1e-4 --epochs 2' small=
	out=${3:-rerank}
	shift 2
else
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
[ $# = 0 ] || shift
mkdir -p "$out"

# Lines of a question, a passage, and whether it answers, grouped by q.
if [ -n "$small" ]; then
	awk -F, -v out="$out" '/^L[0-9]+,[^",]*,[a-z_]+$/ && n < 240 { text[n] = $2; topic[n++] = $3 }
		function put(i, passage, fits) {
			printf "{\"q\": %d, \"query\": \"%s\", \"passage\": \"%s\", \"fits\": %d}\n", i, text[i], \
				passage, fits >(out (i % 4 == 3 ? "/test" : "/train") ".jsonl")
		}
		END {
			for (i = 0; i < n; i++) {
				gsub("_", " ", topic[i])
				put(i, "the desk helps you with " topic[i], 1)
				for (k = 1; k < 5; k++) put(i, text[(i + 7 * k) % n], 0)
			}
		}' "$data/library-train.csv"
else
	squad2tfrecord -q "$questions" | tfrecord-cat -q --json | awk -v out="$out" -v n=0 '
		function string(name) { # as JSON has it
			match($0, "\"" name "\": \"([^\"\\\\]|\\\\.)*\"")
			return substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 4)
		}
		function put(i, p, fits) {
			print "{\"q\": " i ", \"query\": " query[i] ", \"passage\": " passage[p] \
				", \"fits\": " fits "}" >(out (of[i] % 4 == 3 ? "/test" : "/train") ".jsonl")
		}
		{
			query[NR] = string("question")
			if (!((p = string("context")) in number)) { passage[n] = p; number[p] = n++ }
			of[NR] = number[p]
		}
		END {
			srand(1)
			for (i = 1; i <= NR; i++) {
				put(i, of[i], 1)
				split("", taken)
				taken[of[i]]
				for (k = 0; k < 9 && k < int(n / 4) - 1; k++) {
					do p = int(rand() * n)
					while ((p in taken) || (p % 4 == 3) != (of[i] % 4 == 3))
					taken[p]
					put(i, p, 0)
				}
			}
		}'
fi

for part in train test; do
	csv2tfrecord -q -t query --pair passage -l fits --keep q -o "$out/$part.text" "$out/$part.jsonl"
	bert-tokenize -q -m "$model" -o "$out/$part.rec" "$out/$part.text"
done
# shellcheck disable=SC2086 # several words
bert-train --force ${config:+--init-config "$config"} $start "$model" --task ranking $recipe \
	-o "$out/model" --override "$@" "$out/train.rec"
bert-eval -q -m "$out/model" --rank-by q --html "$out/report.html" -o "$out/report.txt" "$out/test.rec"
bert-plot -q -o "$out/curves.svg" "$out/model"
tail -n 2 "$out/report.txt"
