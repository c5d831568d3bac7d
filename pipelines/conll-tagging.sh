#!/bin/sh
# SPDX-License-Identifier: MIT
# Named entities as in CoNLL-2003: columns in, columns with one more out, and the F1
# of whole entities.
# usage: pipelines/conll-tagging.sh
#        pipelines/conll-tagging.sh MODEL_DIR DATA_DIR [OUT_DIR [OPTION ...]]
# DATA_DIR has train.txt, valid.txt and test.txt: a word a line, its tag in the last
# column, an empty line behind each sentence. Options go to bert-train. MiniLM-L6 and
# CoNLL-2003 give F1 .85 of the test part.
# Without arguments: a few hundred sentences and a small model, created here.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ $# = 1 ] || [ "${1-}" = --help ]; then
	sed -n 5,10p "$0" | cut -c3- >&2
	exit 2
fi

# Creates notices of a library, in which persons, places and days are tagged.
small() { # DIR
	mkdir -p "$1"
	awk -v dir="$1" 'function pick(list,  a) { return a[int(rand() * split(list, a, "/")) + 1] }
		function put(file, text, type,  w, n, i) {
			n = split(text, w, " ")
			for (i = 1; i <= n; i++)
				print w[i], (type == "" ? "O" : (i > 1 ? "I-" : "B-") type) > file
		}
		function slot(file, kind) {
			if (kind == "PER") put(file, pick(first) (rand() < .6 ? " " pick(last) : ""), kind)
			else put(file, pick(kind == "LOC" ? place : day), kind)
		}
		function notices(file, n,  i, k, part, p) {
			print "-DOCSTART- O\n" > file
			for (i = 1; i <= n; i++) {
				p = split(pick(form), part, " ")
				for (k = 1; k <= p; k++)
					if (part[k] ~ /^[A-Z][A-Z][A-Z]$/) slot(file, part[k])
					else put(file, part[k], "")
				print "" > file
			}
		}
		BEGIN {
			srand(3)
			first = "Anna/Ben/Carla/David/Emma/Farid/Grace/Hugo"
			last = "Keller/Okafor/Silva/Novak/Brown/Tanaka"
			place = "Harbour Library/the old town/Room 4/Mill Street/Park Lane/the reading room"
			day = "Monday/Friday evening/12 May/3 June/Sunday morning"
			form = "PER reads in LOC on DAY ./on DAY PER and PER come to LOC ./" \
				"LOC is closed on DAY ./ask PER for the key of LOC ./" \
				"the books of PER are back ./nobody was here on DAY ./PER left LOC ."
			notices(dir "/train.txt", 400)
			notices(dir "/valid.txt", 80)
			notices(dir "/test.txt", 80)
		}' </dev/null
}

if [ $# = 0 ]; then
	out=${TAGGING_DIR:-build/tagging}
	data=$out/data
	small "$data"
	model=$(dirname "$0")/data/vocab.txt # a vocabulary is enough to tokenize
	set -- --init-config "$(dirname "$0")/data/small.json" --tokenizer "$model" --epochs 8 --learning-rate 2e-3 \
		--batch-size 16 --dropout 0
else
	model=$1 data=$2 out=${3:-tagging}
	shift 2
	[ $# = 0 ] || shift
	set -- -m "$model" --epochs 3 --learning-rate 5e-5 --batch-size 32 --override "$@"
fi
mkdir -p "$out"

for part in train valid test; do
	conll2tfrecord -q "$data/$part.txt" | bert-tokenize -m "$model" -o "$out/$part.rec"
done
bert-train --force --task tagging --eval "$out/valid.rec" -o "$out/model" "$@" "$out/train.rec"
bert-eval -m "$out/model" --html "$out/report.html" "$out/test.rec"
bert-plot -q --metric loss --metric f1 -o "$out/curves.svg" "$out/model"
bert-predict -m "$out/model" -o "$out/test.conll" "$out/test.rec"
head -n 8 "$out/test.conll"
