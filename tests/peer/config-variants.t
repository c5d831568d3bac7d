#!/bin/sh
# SPDX-License-Identifier: MIT
# Models of many variants of configurations, as transformers writes them: the same
# probabilities and embeddings, or refused by the key's name.
# Not under thread: compares numbers, with the threads of unit/cpu/engine and cli/bert-train/families
# Not under address: compares numbers with those of PyTorch; unit/model/families runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"

if [ -z "${PEER_PYTHON-}" ] || ! "$PEER_PYTHON" -c 'import torch, transformers' 2>/dev/null; then
	skip 'variants of configurations' 'PEER_PYTHON has no transformers'
	finish
fi
HF_HUB_OFFLINE=1
export HF_HUB_OFFLINE
works 'transformers makes them' "$PEER_PYTHON" "$TEST_TOP/tests/fixtures/config-variants.py"
while read -r line; do
	case $line in
	'ok '*) result 0 "${line#ok }" ;;
	'not ok '*) result 1 "${line#not ok }" ;;
	'skip '*) name=${line#skip }; skip "${name%%:*}" "${name#*: }" ;;
	*) echo "$line" ;;
	esac
done <out
for f in $families; do
	grep -qE "(ok|skip) $f(,|:| |\$)" out || echo "$f"
done >lacking
is "$(cat lacking)" '' 'every family has variants'
finish
