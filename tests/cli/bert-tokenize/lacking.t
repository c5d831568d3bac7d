#!/bin/sh
# SPDX-License-Identifier: MIT
# A tokenizer.json that has lost a member is refused where the package tokenizers refuses
# it, and not read with a default in its place.
# Not under thread: nothing is computed
. "$TEST_TOP/tests/lib/lib.sh"
F=$DATA/tok/added.json

# without MEMBER FILE: the first one of that name
without() {
	perl -0pe 'BEGIN { $m = shift } s/"\Q$m\E": ?("[^"]*"|\[[^]]*\]|[^,}\]]+)(, ?)?// or die; s/, ?}/}/g' "$1" "$2" >lacking.json
}
lacks() { # MEMBER FILE PATTERN
	without "$1" "$2"
	echo 'a b' >text
	refuses "bert-tokenize: *'lacking.json': $3*" "$1 of ${2##*/}" bert-tokenize -m lacking.json --lines -o no text
}
bert-tokenize -q -m "$F" --save saved && works 'one that we wrote' bert-tokenize -q -m saved --lines -o x "$TEST_TOP/LICENSE"
for m in single_word lstrip rstrip normalized special content; do
	lacks $m "$F" "added_tokens[[]0]: the token lacks '$m'"
done
for m in clean_text handle_chinese_chars lowercase; do
	lacks $m "$F" "the normalizer lacks '$m'"
done
for m in unk_token continuing_subword_prefix max_input_chars_per_word; do
	lacks $m "$F" "the model lacks '$m'"
done
lacks type_id "$F" 'post_processor: a part without an id or type_id'
for m in individual_digits add_prefix_space trim_offsets; do
	lacks $m "$DATA/bpe/digits.json" "pre_tokenizer *: *the pre_tokenizer lacks '$m'"
done
for m in behavior invert; do
	lacks $m "$DATA/bpe/llama.json" "pre_tokenizer *: *the pre_tokenizer lacks '$m'"
done
for m in strip_left precompiled_charsmap; do
	lacks $m "$DATA/kinds/deberta-v3.json" "*the normalizer lacks '$m'"
done

# Each member in turn, beside the package: what it refuses is refused. What it takes is
# refused, too, where we know no such form.
if [ -z "${PEER_PYTHON-}" ]; then
	skip 'the package tokenizers' 'PEER_PYTHON is not set'
else
	"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/tok-lacking-peer.py" "$DATA"/tok/added.json "$DATA"/tok/raw.json \
		"$DATA"/bpe/[adflmp]*.json "$DATA"/kinds/*.json >why 2>&1
	result $? 'what the package tokenizers refuses is refused'
fi
finish
