#!/bin/sh
# SPDX-License-Identifier: MIT
# Model directories go both ways between bertutils and transformers, with the
# same probabilities; gradients of the real MiniLM agree with PyTorch's.
. "$TEST_TOP/tests/lib.sh"
. "$TEST_TOP/tests/small.sh"
. "$TEST_TOP/tests/families.sh"
peer=$TEST_TOP/tests/fixtures

if [ -z "${PEER_PYTHON-}" ]; then
	skip 'round trips with transformers' 'PEER_PYTHON is not set'
	finish
fi
HF_HUB_OFFLINE=1
export HF_HUB_OFFLINE
small_data
data=$TEST_TOP/pipelines/data/library-test.csv
compare() {
	works "$3" "$PEER_PYTHON" "$peer/round-trip.py" compare "$1" "$2"
}
# MODEL: ours as MODEL.ours.csv, without the column label, and MODEL.ours.embed.csv
predict() {
	csv2tfrecord -q -i id -t text "$data" | bert-tokenize -q -m "$1" -o p.rec
	bert-predict -q -m "$1" --proba --dtype f32 --format csv -o p.csv p.rec
	bert-predict -q -m "$1" --embed mean --dtype f32 --format csv -o "$1.ours.embed.csv" p.rec
	"$PEER_PYTHON" -c '
import csv, sys
w = csv.writer(sys.stdout, lineterminator="\n")
for r in csv.reader(open("p.csv", newline="")): w.writerow(r[:1] + r[2:])' >"$1.ours.csv"
}

small_train m -q --epochs 2 --dtype f32
predict m
works 'transformers loads what bert-train wrote' \
	"$PEER_PYTHON" "$peer/round-trip.py" run "$data" m
compare m.ours.csv m.csv 'and predicts the same'
is "$(head -n 1 m.ours.csv)" "$(head -n 1 m.csv)" 'under the same names'

# shellcheck disable=SC2086
works 'transformers writes a model of each family' \
	"$PEER_PYTHON" "$peer/round-trip.py" make vocab.txt $families
more=
for f in $families; do
	works "bert-train goes on from $f" \
		bert-train -m $f -o $f.more --epochs 1 --eval-share .2 train.rec
	more="$more $f.more"
done
# shellcheck disable=SC2086
works 'transformers loads them all' \
	"$PEER_PYTHON" "$peer/round-trip.py" run "$data" $families $more
for f in $families $more; do
	predict $f
	compare $f.ours.csv $f.csv "$f predicts the same"
	compare $f.ours.embed.csv $f.embed.csv '... and embeds alike'
done

# RoBERTa with its own tokenizer.
mkdir bpe
cp "$DATA/bpe/roberta/vocab.json" "$DATA/bpe/roberta/merges.txt" bpe
family_config roberta | sed 's/"pad_token_id": 0/"pad_token_id": 1/' >bpe/config.json
csv2tfrecord -q -t text -l intent train.csv | bert-tokenize -q -m bpe -o bpe.rec
bert-train -q --init-config bpe/config.json --steps 20 --learning-rate 3e-3 -o rbpe bpe.rec
works 'transformers loads RoBERTa with byte-level BPE' \
	"$PEER_PYTHON" "$peer/round-trip.py" run "$data" rbpe
predict rbpe
compare rbpe.ours.csv rbpe.csv '... and predicts the same'

if [ -n "${MINILM-}" ]; then
	works 'gradients of MiniLM by PyTorch' \
		"$PEER_PYTHON" "$peer/bert-gradients.py" minilm.safetensors "$MINILM"
	works 'are ours' "$BUILD/unit/400-bert-gradients" "$PWD/minilm.safetensors"
else
	skip 'gradients of MiniLM' 'MINILM is not set'
fi
finish
