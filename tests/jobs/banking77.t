#!/bin/sh
# SPDX-License-Identifier: MIT
# BANKING77 with the real MiniLM weights: the whole way, a part of an epoch.
# MINILM names the model directory; the data are looked for beside the project.
# Not under thread: the threads are those of the tools' own tests
# Not under address: the script runs tools whose own tests run there
. "$TEST_TOP/tests/lib/lib.sh"
data=$SHARED/banking77

if [ -z "${MINILM-}" ] || [ ! -d "$data" ]; then
	skip 'BANKING77 with MiniLM' 'MINILM is not set or the data are absent'
	finish
fi
exits 0 'banking77.sh runs' "$TEST_TOP/pipelines/banking77.sh" "$MINILM" \
	"$data/train.csv" "$data/test.csv" b --epochs 1 --learning-rate 5e-4 \
	--batch-size 32 --warmup 0.1 --optimizer adamw --epsilon 1e-8 \
	--weight-decay 0.01 --clip 1 --dropout 0.1
cat out err >&2
# transformers gets .8347 with this recipe; 3 points below is broken
exits 0 'one epoch at 5e-4 gives what it should' \
	bert-eval -q -m b/model --min accuracy=.80 -o report b/test.rec
finish
