#!/bin/sh
# SPDX-License-Identifier: MIT
# Loss, logits and every gradient agree with PyTorch's in the shapes of whole
# models, for texts of 1 to 512 tokens in one batch.
. "$TEST_TOP/tests/lib.sh"

if [ -z "${PEER_PYTHON-}" ]; then
	skip 'gradients by PyTorch' 'PEER_PYTHON is not set'
	finish
fi
HF_HUB_OFFLINE=1
export HF_HUB_OFFLINE
for shape in tiny minilm large base; do
	works "PyTorch computes $shape" \
		"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/bert-gradients.py" $shape.st $shape
	works "and we the same of $shape" "$BUILD/unit/400-bert-gradients" $shape.st
	grep '^#.*[a-z] [0-9]' out
	skipped=$(grep -o 'bf16: left out.*' out) && skip "$shape in bf16" "${skipped##*, }"
	rm -f $shape.st
done
finish
