#!/bin/sh
# SPDX-License-Identifier: MIT
# Answers to questions as in SQuAD, 1.1 or 2.0: JSON in, predictions.json and the
# official scores out.
# usage: pipelines/squad.sh
#        pipelines/squad.sh MODEL_DIR TRAIN.json DEV.json [OUT_DIR [OPTION ...]]
# Options go to bert-train. With MiniLM-L6, 12 epochs at 3e-4 and 803 questions of XQuAD,
# F1 is .47 on the other 387. Without arguments: questions about notices of a library, some
# of which have no answer, and a small model, created here.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ $# = 1 ] || [ $# = 2 ] || [ "${1-}" = --help ]; then
	sed -n 5,9p "$0" | cut -c3- >&2
	exit 2
fi

small() { # FILE NOTICES SEED
	awk -v count="$2" -v seed="$3" 'function pick(list,  a) { return a[int(rand() * split(list, a, "/")) + 1] }
		function ask(i, kind, question) {
			printf "%s{\"id\": \"%s%d\", \"question\": \"%s\", ", (kind == "PER" ? "" : ", "), kind, i, question
			if (kind in at)
				printf "\"is_impossible\": false, \"answers\": [{\"text\": \"%s\", \"answer_start\": %d}]}", slot[kind], at[kind]
			else
				printf "\"is_impossible\": true, \"answers\": []}"
		}
		BEGIN {
			srand(seed)
			form = "PER reads in LOC on DAY ./on DAY PER comes to LOC ./LOC is closed on DAY ./" \
				"please ask PER for the key ./PER left LOC ./on DAY there is music in LOC ."
			printf "{\"version\": \"v2.0\", \"data\": [{\"title\": \"Notices\", \"paragraphs\": ["
			for (i = 1; i <= count; i++) {
				split("", at)
				slot["PER"] = pick("Anna/Ben/Carla/David/Emma/Farid") " " pick("Keller/Okafor/Silva/Novak")
				slot["LOC"] = pick("the old town/Room 4/Mill Street/Park Lane/the reading room")
				slot["DAY"] = pick("Monday/Friday evening/12 May/Sunday morning")
				words = split(pick(form), word, " ")
				context = ""
				for (k = 1; k <= words; k++) {
					if (word[k] in slot) at[word[k]] = length(context)
					context = context (word[k] in slot ? slot[word[k]] : word[k]) " "
				}
				printf "%s\n{\"context\": \"%s\", \"qas\": [", (i > 1 ? "," : ""), context
				ask(i, "PER", "Who is it?")
				ask(i, "LOC", "Where is it?")
				ask(i, "DAY", "When is it?")
				printf "]}"
			}
			print "]}]}"
		}' </dev/null >"$1"
}

if [ $# = 0 ]; then
	out=${SQUAD_DIR:-build/squad}
	mkdir -p "$out"
	train=$out/train.json dev=$out/dev.json
	small "$train" 400 1
	small "$dev" 80 2
	model=$(dirname "$0")/data/vocab.txt # a vocabulary is enough to tokenize
	set -- --init-config "$(dirname "$0")/data/small.json" --tokenizer "$model" --epochs 6 --learning-rate 2e-3 \
		--batch-size 16 --dropout 0
else
	model=$1 train=$2 dev=$3 out=${4:-squad}
	shift 3
	[ $# = 0 ] || shift
	set -- -m "$model" --epochs 2 --learning-rate 3e-5 --batch-size 12 --override "$@"
fi
mkdir -p "$out"

tokenize() { # JSON OUT
	squad2tfrecord "$1" | bert-tokenize -m "$model" --max-length 384 --stride 128 -o "$2"
}
tokenize "$train" "$out/train.rec"
tokenize "$dev" "$out/dev.rec"
bert-train --force --task qa --eval "$out/dev.rec" -o "$out/model" "$@" "$out/train.rec"

# in version 2.0 some questions have no answer
odds=
! grep -q '"is_impossible": *true' "$dev" || odds=$out/null_odds.json
bert-predict -m "$out/model" ${odds:+--null-odds "$odds"} --nbest "$out/nbest_predictions.json" \
	-o "$out/predictions.json" "$out/dev.rec"
bert-eval --predictions "$out/predictions.json" ${odds:+--null-odds "$odds"} \
	--html "$out/report.html" "$out/dev.rec"
bert-plot -q -o "$out/curves.svg" "$out/model"
