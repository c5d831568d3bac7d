#!/bin/sh
# SPDX-License-Identifier: MIT
# Models of many variants of configurations, as transformers writes them: the same
# probabilities and embeddings, or refused by the key's name.
# Not under thread: compares numbers, with the threads of unit/cpu/engine and cli/bert-train/families
# Not under address: compares numbers with those of PyTorch; unit/model/families runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"

peer_or_end 'variants of configurations' torch transformers
works 'transformers makes them' "$PEER_PYTHON" "$TEST_TOP/tests/fixtures/config-variants.py"
outcomes out
for f in $families; do
	grep -qE "ok $f(,|:| |\$)" out || echo "$f"
done >lacking
is "$(cat lacking)" '' 'every family has variants'
finish
