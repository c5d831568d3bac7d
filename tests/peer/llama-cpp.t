#!/bin/sh
# SPDX-License-Identifier: MIT
# GGUF files of each family that llama.cpp has, opened by it: the same tokens, the same
# embeddings, the same classifiers. It rounds what goes through GELU to half precision, so
# that the numbers are not closer.
# Not under thread: compares numbers, with the threads of cli/ckpt-convert/llama-cpp
# Not under address: compares numbers with those of llama.cpp; cli/ckpt-convert/llama-cpp runs the same code
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"
peer=$TEST_TOP/tests/fixtures/llama-cpp-peer.py

peer_or_end 'llama.cpp opens GGUF files' xllamacpp tokenizers
printf 'text,label\nred car,a\ngreen card,b\nblue cart,a\n' >train.csv
csv2tfrecord -q -t text -l label train.csv >train.rec
cat >texts <<'END'
red car
the wheels of the green cart, and the card of the blue x-ray car in the red cart
don't 12345
a word that is not there: zebra
Red RED café CAFÉ Café
blue
END
works 'tokenizers' "$PEER_PYTHON" "$peer" tokenizers made
printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' '[MASK]' red green blue car card '##t' the of , - x ray 12 \
	'##3' '##4' '##5' don "'" t a word wheel '##s' >vocab.txt
mkdir words bytes case fast
cp vocab.txt words
{
	cat vocab.txt
	printf '%s\n' Red RED caf 'é' 'café' 'É'
} >case/vocab.txt
cp case/vocab.txt fast
echo '{"do_lower_case": false, "tokenizer_class": "BertTokenizer"}' >case/tokenizer_config.json
works 'one of bytes' bert-vocab -q --type bpe --lines --size 400 --min-frequency 1 -o bytes texts

model() { # NAME FAMILY TOKENIZER
	family_config "$2" | sed "s/\"pad_token_id\": 0/\"pad_token_id\": $4/" >"$1.json"
	bert-tokenize -q -m "$3" train.rec | bert-train -q --init-config "./$1.json" --tokenizer "$3" --steps 3 -o "$1" &&
		ckpt-convert -q "$1" "$1.gguf" && bert-tokenize -q -m "$1" --lines texts -o "$1.rec" &&
		bert-predict -q -m "$1" --embed mean --dtype f32 -o "$1.npy" "$1.rec"
}

while read -r m family tokenizer pad most; do
	works "$m: a model" model $m $family $tokenizer $pad
	works '... alike' "$PEER_PYTHON" "$peer" embeddings $m.gguf texts $m.npy $most
	echo "# $m: $(cat out)"
done <<'END'
bert bert words 0 5e-4
cased bert case 0 5e-4
accents bert fast 0 5e-4
distilbert distilbert words 0 5e-4
nomic_bert nomic_bert words 0 5e-4
words.roberta roberta words 0 5e-4
roberta roberta bytes 1 5e-4
camembert camembert made/xlm-roberta 1 5e-4
xlm-roberta xlm-roberta made/xlm-roberta 1 5e-4
modernbert modernbert made/modernbert 0 5e-4
eurobert eurobert made/eurobert 3 5e-4
neobert neobert words 0 5e-4
END
for m in bert roberta xlm-roberta modernbert neobert; do
	works "$m: a classifier" bert-predict -q -m $m --dtype f32 -o $m.logits.npy $m.rec
	works '... alike' "$PEER_PYTHON" "$peer" logits $m.gguf texts $m.logits.npy 2e-3
done
works 'the first token' bert-predict -q -m eurobert --embed cls --dtype f32 -o first.npy eurobert.rec
works '... alike' "$PEER_PYTHON" "$peer" embeddings eurobert.gguf texts first.npy 2e-3 cls
if [ -n "${MINILM-}" ]; then
	works 'a published model' ckpt-convert -q "$MINILM" minilm.gguf
	bert-tokenize -q -m "$MINILM" --lines -o minilm.rec texts
	bert-predict -q -m "$MINILM" --embed auto --dtype f32 -o minilm.npy minilm.rec
	works '... alike' "$PEER_PYTHON" "$peer" embeddings minilm.gguf texts minilm.npy 5e-3 unit
	echo "# a published model: $(cat out)"
fi
for d in f16 bf16; do
	works $d ckpt-convert -q --dtype $d nomic_bert half.gguf
	works '... alike' "$PEER_PYTHON" "$peer" embeddings half.gguf texts nomic_bert.npy 2e-2
done
works 'q8_0' ckpt-convert -q --dtype q8_0 nomic_bert q8.gguf
works '... alike' "$PEER_PYTHON" "$peer" embeddings q8.gguf texts nomic_bert.npy 3e-2
echo "# q8_0: $(cat out)"
finish
