#!/bin/sh
# SPDX-License-Identifier: MIT
# Adapters go both ways between bertutils and peft, with the same logits.
# Not under thread: the threads are those of cli/bert-train/lora
# Not under address: compares numbers with those of PyTorch; cli/bert-train/lora runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/families.sh"
peer=$TEST_TOP/tests/fixtures

peer_or_end 'peft' peft
small_data
csv2tfrecord -q -i id -t text dev.csv | bert-tokenize -q -m vocab.txt -o dev.rec
# shellcheck disable=SC2086
works 'transformers writes a model of each family' \
	"$PEER_PYTHON" "$peer/round-trip.py" make vocab.txt $families
# shellcheck disable=SC2086
works 'peft makes an adapter of each' "$PEER_PYTHON" "$peer/lora.py" make dev.csv $families
ours='' pairs=''
for f in $families; do
	csv2tfrecord -q -i id -t text dev.csv | bert-tokenize -q -m "$f" --max-length 60 -o dev.rec
	bert-predict -q -m "$f.peft" --dtype f32 --format npy -o "$f.read.npy" dev.rec 2>why.read || sed 's/^/# /' why.read
	csv2tfrecord -q -t text -l intent train.csv | bert-tokenize -q -m "$f" -o train.rec
	targets=all
	# peft takes "dense" of a pooler, too, or the ends of names are the layers'
	case $f in bert | roberta) targets=query,value ;; esac
	works "an adapter of $f" bert-train -q -m "$f" --lora 4 --lora-alpha 6 --lora-targets $targets --dtype f32 \
		--learning-rate 1e-2 --epochs 2 -o "$f.ours" train.rec
	bert-predict -q -m "$f.ours" --dtype f32 --format npy -o "$f.wrote.npy" dev.rec
	ours="$ours $f.ours"
	pairs="$pairs read:$f=$f.read.npy=$f.peft.npy wrote:$f=$f.wrote.npy=$f.ours.npy"
done
# shellcheck disable=SC2086
works 'peft opens them' "$PEER_PYTHON" "$peer/lora.py" run dev.csv $ours
# shellcheck disable=SC2086
"$PEER_PYTHON" "$peer/lora.py" compare $pairs >compared 2>why
# shellcheck disable=SC2086
set -- $families
is "$(grep -c 'ok ' compared)" $((2 * $#)) 'all are compared'
outcomes compared
finish
