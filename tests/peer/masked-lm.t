#!/bin/sh
# SPDX-License-Identifier: MIT
# Masked tokens beside transformers: the same losses and gradients of the same masks, and
# AutoModelForMaskedLM opens our model.
# Not under thread: compares numbers, with the threads of cli/bert-train/masked-lm
# Not under address: compares numbers with those of PyTorch; cli/bert-train/masked-lm runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
peer=$TEST_TOP/tests/fixtures/masked-peer.py
peer_or_end 'transformers trains masked models alike'
minilm_or_end 'transformers trains masked models alike'
cut -d, -f2 "$TEST_TOP/pipelines/data/library-dev.csv" | sed -n 2,33p >texts
works 'masks of texts' "$PEER_PYTHON" "$peer" write "$MINILM" texts masks.jsonl
tfrecord-cat -q --from-json -o masks.rec masks.jsonl
train() { # OUT [OPTION ...]
	bert-train -q --force --task masked-lm --batch-size 32 --warmup 0 --schedule constant \
		--dropout 0 --dtype f32 --log-steps 1 -o "$@" masks.rec
}
works 'a model with a new head' train start -m "$MINILM" --steps 1
works 'it is trained' train run -m start --steps 3 --learning-rate 1e-4
bert-eval -q -m run --dtype f32 --json -o run/eval.json masks.rec
"$PEER_PYTHON" "$peer" train start masks.jsonl run >said 2>why
result $? 'transformers trains and opens it alike'
grep -q '^3 updates, .* alike' said || cat said why

# every family's class opens what is written, and computes the same
. "$TEST_TOP/tests/lib/families.sh"
cp "$TEST_TOP/pipelines/data/vocab.txt" .
mkdir words
cp vocab.txt words
family_config bert >words/config.json
"$PEER_PYTHON" "$peer" write words texts masks.jsonl
tfrecord-cat -q --from-json -o masks.rec masks.jsonl
small() { # OUT
	bert-train -q --init-config config.json --tokenizer vocab.txt --task masked-lm --steps 2 --dtype f32 \
		-o "$1" masks.rec
	bert-eval -q -m "$1" --dtype f32 --json -o "$1/eval.json" masks.rec
}
all=
for family in $families; do
	family_config "$family" >config.json
	small "$family"
	all="$all $family"
	case $family in
	camembert | eurobert | neobert | xlm-roberta) continue ;; # as others, or so already
	esac
	family_config "$family" | sed 's/^{/{"tie_word_embeddings": false, /' >config.json
	small "$family.own"
	all="$all $family.own"
done
# shellcheck disable=SC2086 # each name by itself
"$PEER_PYTHON" "$peer" opens masks.jsonl $all >said 2>why
result $? 'every family is opened alike, with a head that has a matrix of its own, too'
grep -q '^[0-9]* models, alike' said || cat said why

# next sentences beside masked tokens, as BertForPreTraining learns both
bert-create-pretraining-data --input_file=texts --output_file=masks.rec --vocab_file=vocab.txt --max_seq_length=32 \
	--dupe_factor=2 --verbosity=-1
tfrecord-cat -q --json -o masks.jsonl masks.rec
all=$(tfrecord-cat --count masks.rec)
next() { # OUT [OPTION ...]
	bert-train -q --task masked-lm --batch-size "$all" --warmup 0 --schedule constant --dropout 0 \
		--dtype f32 --log-steps 1 --learning-rate 1e-4 --steps 6 -o "$@" masks.rec
}
works 'a model with both heads' next first --init-config words/config.json --tokenizer vocab.txt
works 'it is trained further' next next -m first
bert-eval -q -m next --dtype f32 --json -o next/eval.json masks.rec
grep -q BertForPreTraining next/config.json
result $? 'the class with both heads'
"$PEER_PYTHON" "$peer" train first masks.jsonl next >said 2>why
result $? 'transformers trains and opens it alike'
grep -q '^6 updates, .* alike' said || cat said why
finish
