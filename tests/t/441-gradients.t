#!/bin/sh
# SPDX-License-Identifier: MIT
# Loss, logits and every gradient agree with PyTorch's in the shapes of whole
# models, for texts of 1 to 512 tokens in one batch.
. "$TEST_TOP/tests/lib.sh"
. "$TEST_TOP/tests/families.sh"

if [ -z "${PEER_PYTHON-}" ]; then
	skip 'gradients by PyTorch' 'PEER_PYTHON is not set'
	finish
fi
HF_HUB_OFFLINE=1
export HF_HUB_OFFLINE
agree() { # NAME SHAPE FAMILY
	works "PyTorch computes $1" \
		"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/bert-gradients.py" g.st $2 $3
	works "and we the same of $1" "$BUILD/unit/400-bert-gradients" g.st
	grep '^#.*[a-z] [0-9]' out
	skipped=$(grep -o 'bf16: left out.*' out) && skip "$1 in bf16" "${skipped##*, }"
	rm -f g.st
}

for shape in tiny minilm large base; do
	agree $shape $shape bert
done
for family in $families; do
	[ $family = bert ] || agree $family tiny $family
done
finish
