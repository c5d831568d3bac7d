#!/bin/sh
# SPDX-License-Identifier: MIT
# Model directories go both ways between bertutils and transformers, with the
# same probabilities and embeddings.
# Not under thread: compares numbers, with the threads of unit/cpu/engine and cli/bert-train/families
# Not under address: compares numbers with those of PyTorch; unit/model/families and cli/bert-train/families run the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/families.sh"
peer=$TEST_TOP/tests/fixtures

peer_or_end 'round trips with transformers'
small_data
all=$TEST_TOP/pipelines/data/library-test.csv
# rows that stand on one line, in part
awk 'NR == 1 || /^T[0-9]*[05],/' "$all" >some.csv
pairs=
# compare NAME A B: later, when all are made
compare() {
	pairs="$pairs$1=$2=$3
"
}
# MODEL TEXTS: ours as MODEL.ours.csv and MODEL.ours.embed.csv
predict() {
	csv2tfrecord -q -i id -t text "$2" | bert-tokenize -q -m "$1" -o p.rec
	bert-predict -q -m "$1" --proba --dtype f32 --format csv -o "$1.ours.csv" p.rec
	bert-predict -q -m "$1" --embed mean --dtype f32 --format csv -o "$1.ours.embed.csv" p.rec
}

small_train m -q --epochs 2 --dtype f32
# shellcheck disable=SC2086
works 'transformers writes a model of each family' \
	"$PEER_PYTHON" "$peer/round-trip.py" make vocab.txt $families
more=
for f in $families; do
	works "bert-train goes on from $f" \
		bert-train -m $f -o $f.more --epochs 1 --eval-share .2 train.rec
	more="$more $f.more"
done
# RoBERTa with its own tokenizer.
mkdir bpe
cp "$DATA/bpe/roberta/vocab.json" "$DATA/bpe/roberta/merges.txt" bpe
family_config roberta | sed 's/"pad_token_id": 0/"pad_token_id": 1/' >bpe/config.json
csv2tfrecord -q -t text -l intent train.csv | bert-tokenize -q -m bpe -o bpe.rec
bert-train -q --init-config bpe/config.json --steps 20 --learning-rate 3e-3 -o rbpe bpe.rec
# shellcheck disable=SC2086
works 'transformers loads what bert-train wrote' \
	"$PEER_PYTHON" "$peer/round-trip.py" run "$all" m rbpe some.csv $families $more
for f in m rbpe $families $more; do
	case $f in
	m | rbpe) predict $f "$all" ;;
	*) predict $f some.csv ;;
	esac
	compare "$f predicts the same" $f.ours.csv $f.csv
	compare "$f embeds alike" $f.ours.embed.csv $f.embed.csv
done
IFS='
'
# shellcheck disable=SC2086
"$PEER_PYTHON" "$peer/round-trip.py" compare $pairs >compared 2>why
unset IFS
# shellcheck disable=SC2086
set -- m rbpe $families $more
is "$(grep -c 'ok ' compared)" $((2 * $#)) 'all are compared'
outcomes compared
finish
