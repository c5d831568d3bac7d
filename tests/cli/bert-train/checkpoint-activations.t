#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --checkpoint-activations: the same model from less memory.
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=$DATA/two-layers.json
small_data

for o in '--eval dev.rec' '--accumulate 2 -j 1' '--dtype f32 --batch-tokens 200'; do
	# shellcheck disable=SC2086
	small_train a -q --epochs 2 $o
	# shellcheck disable=SC2086
	works "recomputing with $o" small_train b --epochs 2 $o --checkpoint-activations
	cmp a/model.safetensors b/model.safetensors >why 2>&1
	result $? 'gives the same model'
done

cat >deep.json <<-EOF
{"model_type": "bert", "vocab_size": 2000, "hidden_size": 64,
"num_hidden_layers": 10, "num_attention_heads": 4,
"intermediate_size": 256, "max_position_embeddings": 512}
EOF
activations() {
	bert-train -q --init-config ./deep.json --tokenizer vocab.txt --dry-run \
		--batch-size 100 "$@" train.rec | awk '/activations/ { print $2 }'
}
all=$(activations)
few=$(activations --checkpoint-activations)
echo "all $all few $few" >why
[ "$(echo "$all $few" | awk '{ print ($2 < .4 * $1) }')" = 1 ]
result $? 'less memory for activations'
finish
