#!/bin/sh
# SPDX-License-Identifier: MIT
# What words contributed to predictions beside PyTorch's autograd, for every family, for
# several labels, for numbers, and for MiniLM, fine-tuned.
# Not under thread: compares numbers, with the threads of cli/bert-predict/explain
# Not under address: compares numbers with those of PyTorch; cli/bert-predict/explain runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/families.sh"
peer=$TEST_TOP/tests/fixtures

peer_or_end 'contributions by PyTorch'
small_data
cat >some.csv <<'.'
id,text
a,"Where is my  library-card, Zoë? Überweisung!"
b,wifi
c,"Can I park here tomorrow, or will there be a fine? 12345 unbelievableness"
.
explain() { # MODEL [OPTION ...]
	model=$1
	shift
	csv2tfrecord -q -i id -t text some.csv | bert-tokenize -q -m "$model" --keep-text |
		bert-predict -q -m "$model" --explain --explain-special --format jsonl -o "$model.jsonl" "$@"
	ours="$ours $model=$model.jsonl"
}
compare() { # STEPS BASELINE
	# shellcheck disable=SC2086
	"$PEER_PYTHON" "$peer/explain-peer.py" some.csv $1 $2 $ours >said 2>why ||
		cat why
	outcomes said "explained alike: "
	# shellcheck disable=SC2086
	set -- $ours
	is "$(grep -c 'ok ' said)" $# 'all are compared'
	ours=
}

# shellcheck disable=SC2086
works 'transformers writes a model of each family' "$PEER_PYTHON" "$peer/round-trip.py" make vocab.txt $families
ours=
for f in $families; do
	explain $f --explain-steps 8
done
# with its own tokenizer
mkdir bpe
cp "$DATA/bpe/roberta/vocab.json" "$DATA/bpe/roberta/merges.txt" bpe
family_config roberta | sed 's/"pad_token_id": 0/"pad_token_id": 1/' >bpe/config.json
csv2tfrecord -q -t text -l intent train.csv | bert-tokenize -q -m bpe -o bpe.rec
bert-train -q --init-config bpe/config.json --epochs 1 --learning-rate 3e-3 -o rbpe bpe.rec
explain rbpe --explain-steps 8
# any number of labels, and numbers
awk -F, '{ print $0 "," (NR == 1 ? "labels,n" : (NR % 3 ? $NF : "parking;" $NF) "," length($0) / 50) }' train.csv |
	sed 's/parking;parking/parking/' >more.csv
csv2tfrecord -q -i id -t text -l labels --label-separator ';' more.csv | bert-tokenize -q -m vocab.txt -o many.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --epochs 8 --learning-rate 1e-3 -o many many.rec
explain many --explain-steps 8 --threshold .5
csv2tfrecord -q -i id -t text -l n more.csv | bert-tokenize -q -m vocab.txt -o number.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --epochs 2 --learning-rate 1e-3 -o number number.rec
explain number --explain-steps 8
compare 8 mask
explain bert --explain-steps 3 --explain-baseline pad
compare 3 pad

if [ -n "${MINILM-}" ]; then
	csv2tfrecord -q -i id -t text -l intent train.csv | bert-tokenize -q -m "$MINILM" -o minilm.rec
	bert-train -q -m "$MINILM" --epochs 2 --learning-rate 3e-4 -o minilm minilm.rec
	explain minilm
	compare 50 mask
else
	skip 'contributions of MiniLM' 'MINILM is not set'
fi
finish
