#!/bin/sh
# SPDX-License-Identifier: MIT
# Model directories go both ways between bertutils and transformers, with the
# same probabilities; gradients of the real MiniLM agree with PyTorch's.
. "$TEST_TOP/tests/lib.sh"
. "$TEST_TOP/tests/small.sh"
peer=$TEST_TOP/tests/fixtures

if [ -z "${PEER_PYTHON-}" ]; then
	skip 'round trips with transformers' 'PEER_PYTHON is not set'
	finish
fi
HF_HUB_OFFLINE=1
export HF_HUB_OFFLINE
small_data
data=$TEST_TOP/pipelines/data/library-test.csv
predict() { # MODEL: ours, without the column label
	csv2tfrecord -q -i id -t text "$data" | bert-tokenize -q -m "$1" |
		bert-predict -q -m "$1" --proba --dtype f32 --format csv -o p.csv
	"$PEER_PYTHON" -c '
import csv, sys
w = csv.writer(sys.stdout, lineterminator="\n")
for r in csv.reader(open("p.csv", newline="")): w.writerow(r[:1] + r[2:])'
}

small_train m -q --epochs 2 --dtype f32
predict m >ours.csv
works 'transformers loads what bert-train wrote' \
	"$PEER_PYTHON" "$peer/round-trip.py" predict m "$data"
cp out theirs.csv
works 'and predicts the same' "$PEER_PYTHON" "$peer/round-trip.py" compare ours.csv theirs.csv
is "$(head -n 1 ours.csv)" "$(head -n 1 theirs.csv)" 'under the same names'

works 'transformers writes a model' "$PEER_PYTHON" "$peer/round-trip.py" make h vocab.txt
predict h >ours.csv
works 'which it loads again' "$PEER_PYTHON" "$peer/round-trip.py" predict h "$data"
cp out theirs.csv
works 'and bert-predict predicts the same' \
	"$PEER_PYTHON" "$peer/round-trip.py" compare ours.csv theirs.csv
works 'bert-train goes on from it' bert-train -m h -o h2 --epochs 1 --eval-share .2 train.rec

if [ -n "${MINILM-}" ]; then
	works 'gradients of MiniLM by PyTorch' \
		"$PEER_PYTHON" "$peer/bert-gradients.py" minilm.safetensors "$MINILM"
	works 'are ours' "$BUILD/unit/400-bert-gradients" "$PWD/minilm.safetensors"
else
	skip 'gradients of MiniLM' 'MINILM is not set'
fi
finish
