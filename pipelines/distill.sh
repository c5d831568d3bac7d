#!/bin/sh
# SPDX-License-Identifier: MIT
# Distillation: fine-tunes a model, the teacher, and teaches what it predicts to a
# student: a smaller model, or one that begins with every other layer of the teacher.
# usage: pipelines/distill.sh MODEL_DIR TRAIN.csv TEST.csv [OUT_DIR [OPTION ...]]
#        pipelines/distill.sh small [OUT_DIR [OPTION ...]]
# The tables have the columns text and category, or those named by TEXT and LABEL.
# Options go to both bert-train commands. STUDENT=DIR is the smaller model, such as MiniLM
# for a BERT-large, with a tokenizer of its own; LAYERS="0 4" keeps these layers of the
# teacher. small uses the demo data and a small BERT with random weights. Of BANKING77
# MiniLM-L6 gets .917 right this way, and a student with three of its six layers .918.
set -eu
PATH=$PATH:$(cd "$(dirname "$0")/.." && pwd)/build/bin # where make puts them
if [ "${1-}" = small ]; then
	data=$(dirname "$0")/data
	model=$data/vocab.txt # a vocabulary is enough to tokenize
	train=$data/library-train.csv test=$data/library-dev.csv TEXT=text LABEL=intent
	recipe='--batch-size 16 --learning-rate 2e-3 --epochs 12'
	start=--tokenizer config=$data/small.json
	shift
elif [ $# -ge 3 ]; then
	model=$1 train=$2 test=$3
	: "${TEXT:=text}" "${LABEL:=category}"
	recipe='--batch-size 32 --learning-rate 5e-4 --epochs 3' start=-m config=
	shift 3
else
	sed -n '3,/^set/s/^# //p' "$0" >&2
	exit 2
fi
out=${1:-distilled}
[ $# = 0 ] || shift
mkdir -p "$out"
if [ -n "$config" ]; then # a layer to keep and one to leave out
	sed 's/"num_hidden_layers": 1/"num_hidden_layers": 2/' "$config" >"$out/two.json"
	config=$out/two.json
fi

# The ids match the teacher's outputs with the student's records, which are the same where
# it has the same tokenizer.
own=${STUDENT:+student-}
for part in train test; do
	[ $part = train ] || train=$test
	csv2tfrecord -q -i row -t "$TEXT" -l "$LABEL" -o "$out/$part.text" "$train"
	bert-tokenize -q -m "$model" -o "$out/$part.rec" "$out/$part.text"
	[ -z "${STUDENT-}" ] ||
		bert-tokenize -q -m "$STUDENT" -o "$out/$own$part.rec" "$out/$part.text"
done
# shellcheck disable=SC2086 # several words
bert-train --force ${config:+--init-config "$config"} $start "$model" $recipe -o "$out/teacher" --override "$@" "$out/train.rec"
bert-predict -q -m "$out/teacher" --format tensor -o "$out/teacher.ts" "$out/train.rec"

# The student's layers: some of the teacher's, numbered anew.
if [ -z "${STUDENT-}" ]; then
	rm -rf "$out/start"
	mkdir "$out/start"
	layers=$(sed -n 's/.*"num_hidden_layers": *\([0-9]*\).*/\1/p' "$out/teacher/config.json")
	: "${LAYERS:=$(seq -s ' ' 0 2 $((layers - 1)))}"
	kept=0 rules='' layer=0
	while [ $layer -lt "$layers" ]; do
		case " $LAYERS " in
		*" $layer "*)
			rules="$rules --rename s/layer[.]${layer}[.]/layer.$kept./"
			kept=$((kept + 1))
			;;
		*) rules="$rules --drop layer[.]${layer}[.]" ;;
		esac
		layer=$((layer + 1))
	done
	cp "$out/teacher"/* "$out/start"
	# shellcheck disable=SC2086 # several words
	ckpt-convert -q $rules "$out/teacher" "$out/start/model.safetensors"
	sed "/num_hidden_layers/s/$layers/$kept/" "$out/teacher/config.json" >"$out/start/config.json"
fi

# shellcheck disable=SC2086 # several words
bert-train --force -m "${STUDENT:-$out/start}" $recipe --teacher "$out/teacher.ts" \
	-o "$out/student" --override "$@" "$out/${own}train.rec"
echo "teacher: $(bert-eval -q -m "$out/teacher" "$out/test.rec" | grep '^accuracy')"
echo "student: $(bert-eval -q -m "$out/student" "$out/${own}test.rec" | grep '^accuracy')"
