#!/bin/sh
# SPDX-License-Identifier: MIT
# Models that tag words, and their records, are those of transformers; and as ONNX.
# Not under thread: compares numbers, with the threads of cli/bert-train/tagging
# Not under address: compares numbers with those of PyTorch; cli/bert-train/tagging runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"
peer_or_end 'tags by transformers'
TAGGING_DIR=t "$TEST_TOP/pipelines/conll-tagging.sh" >/dev/null 2>why
# words that a tokenizer cuts, or has no token for
printf '%s\n' "don't O" 'X-ray/scan B-LOC' '中文 I-LOC' '(10%) O' '' 'Zoë B-PER' 'naïve… O' >more.txt
agrees() { # NAME MODEL
	conll2tfrecord -q t/data/test.txt more.txt | bert-tokenize -q -m "$2" -o $1.rec
	tfrecord-cat -q --json $1.rec >$1.json
	bert-predict -q -m "$2" --dtype f32 -o $1.jsonl $1.rec
	ckpt-convert -q "$2" $1.onnx
	"$PEER_PYTHON" "$TEST_TOP/tests/fixtures/tagging.py" "$2" $1.json $1.jsonl $1.onnx \
		>compared 2>err || result 1 "$1: $(tail -n 1 err)"
	outcomes compared "$1: "
	like "$(bert-eval -q -m "$2" --dtype f32 $1.rec)" "*  loss $(sed -n 's/^loss //p' compared)  *" "$1: the loss"
}
agrees bert t/model

# Entities of texts, by their places. (At the end of a word a combining mark is
# not in transformers' places, as its tokenizer leaves marks out.)
cat >texts.jsonl <<'EOF'
{"text": "ask Grace  for the\tkey of Harbour Library."}
{"text": "\n\nAsk Zoé\nMüller; Grace-Ann (Harbour Library)"}
{"text": "王小明 asked Ben 😀 for Friday. Ben's keys, Dr. Ada  Lovelace?!"}
{"text": "Be\u0301n on   Monday\u3000in Northgate Library…"}
{"text": "  ask Tom Baker, Tom Baker and the   Main\r\nStreet Hall ."}
EOF
conll2tfrecord -q --spans label --no-tags texts.jsonl | bert-tokenize -q -m t/model |
	bert-predict -q -m t/model --dtype f32 -o entities.jsonl
works 'entities are those of a pipeline' "$PEER_PYTHON" "$TEST_TOP/tests/fixtures/entities.py" \
	t/model entities.jsonl
[ "$(cat out)" -gt 10 ]
result $? '... which are some'

# RoBERTa: a blank is a part of a word
mkdir bpe
cp "$DATA/bpe/roberta/vocab.json" "$DATA/bpe/roberta/merges.txt" bpe
family_config roberta | sed 's/"pad_token_id": 0/"pad_token_id": 1/' >bpe/config.json
conll2tfrecord -q t/data/train.txt | bert-tokenize -q -m bpe -o bpe.rec
bert-train -q --init-config bpe/config.json --task tagging --steps 30 --learning-rate 3e-3 -o roberta bpe.rec
agrees roberta roberta

# ModernBERT has a head before the classes
family_config modernbert >modernbert.json
conll2tfrecord -q t/data/train.txt | bert-tokenize -q -m t/model -o train.rec
bert-train -q --init-config modernbert.json --tokenizer t/model --task tagging --steps 30 \
	--learning-rate 3e-3 -o modernbert train.rec
agrees modernbert modernbert
finish
