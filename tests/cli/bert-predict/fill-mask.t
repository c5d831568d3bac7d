#!/bin/sh
# SPDX-License-Identifier: MIT
# --fill-mask: what masks in texts stand for.
. "$TEST_TOP/tests/lib/lib.sh"
data=$TEST_TOP/pipelines/data
cp "$data/vocab.txt" .
cut -d, -f2 "$data/library-train.csv" | sed -n 2,60p >texts
bert-tokenize -q -m vocab.txt --lines -o train.rec texts
bert-train -q --init-config tiny --tokenizer vocab.txt --task masked-lm --learning-rate 1e-3 --epochs 3 -o m train.rec
printf '%s\n' 'where is the [MASK]?' 'the [MASK] is [MASK] today' >masked
bert-tokenize -q -m vocab.txt --lines -o masked.rec masked

works 'masks are told' bert-predict -m m --fill-mask --dtype f32 masked.rec
is "$(sed -n 1p out)" 'id,mask,token,probability' 'as CSV'
is "$(cut -d, -f1,2 out | tail -n +2 | paste -sd ' ')" '0,0 1,0 1,1' 'a row for each'
works 'several tokens for each' bert-predict -m m --fill-mask --top 3 --dtype f32 masked.rec
is "$(awk -F, 'NR > 2 && $1 $2 == was && $NF > p { bad++ } { was = $1 $2; p = $NF } END { print NR, bad + 0 }' out)" '10 0' \
	'likeliest first'
bert-predict -q -m m --fill-mask --top 99999 --dtype f32 masked.rec >all
is "$(awk -F, 'NR > 1 && $1 == 0 { n++; p += $NF } END { printf "%d %.4f", n, p }' all)" \
	"$(wc -l <vocab.txt | tr -d ' ') 1.0000" 'all of them add up to 1'
works 'as JSON Lines' bert-predict -q -m m --fill-mask --top 2 --format jsonl --dtype f32 masked.rec
like "$(sed -n 2p out)" '{"id": "1", "masks": \[\[{"token": "*", "probability": 0.*}, {*}], \[{*}, {*}]], "text": "the*is* today"}' \
	'with the text filled in'
head -n 1 texts | bert-tokenize -q -m vocab.txt --lines -o none.rec
cat masked.rec none.rec >some.rec
refuses "*record 3 holds no '\[MASK\]' to be filled in*" 'a text without a mask' bert-predict -q -m m --fill-mask -o some.csv some.rec
[ ! -e some.csv ]
result $? 'leaves nothing behind'
misuses '*written as csv or jsonl, not as tensor*' 'another format' bert-predict -q -m m --fill-mask --format tensor masked.rec
misuses '*only --top applies to --fill-mask*' 'options for labels' bert-predict -q -m m --fill-mask --proba masked.rec
misuses '*--windows joins what is predicted of whole texts*' 'windows' bert-predict -q -m m --fill-mask --windows max masked.rec
misuses '*either --embed or --fill-mask*' 'embeddings' bert-predict -q -m m --fill-mask --embed mean masked.rec
misuses '*--fill-mask takes one model*' 'two models' bert-predict -q -m m -m m --fill-mask masked.rec
works 'the encoder still embeds' bert-predict -q -m m --embed mean -o e.npy masked.rec
csv2tfrecord -q -i id -t text -l intent "$data/library-dev.csv" | bert-tokenize -q -m vocab.txt -o dev.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 1 -o c dev.rec
refuses "*'c' has no tensor 'cls.predictions.transform.dense.weight', which the model needs (it is not a masked language model*" 'a model without that head' \
	bert-predict -q -m c --fill-mask masked.rec

# the matrix of the head, which is the table of words, may stand there once more
others='LayerNorm|position|token_type|layer|pooler|dense|predictions|seq_relationship'
twice() { # DIR FROM: DIR with the table of words in FROM as the decoder
	cp -r m "$1"
	mv "$1/model.safetensors" "$1/model-1.safetensors"
	ckpt-convert -q --drop "$others" --rename 's/^bert.embeddings.word_embeddings/cls.predictions.decoder/' \
		"$2/model.safetensors" "$1/model-2.safetensors"
	for n in 1 2; do
		ckpt-inspect --json "$1/model-$n.safetensors" | grep -o '"name": *"[^"]*"' |
			sed "s/\"name\": *//; s/\$/: \"model-$n.safetensors\",/"
	done | sed '1s/^/{"weight_map": {/; $s/,$/}}/' >"$1/model.safetensors.index.json"
}
twice same m
bert-predict -q -m same --fill-mask --top 99999 --dtype f32 masked.rec >all2
same all all2 'a head that equals the table of words changes nothing'
bert-train -q --init-config tiny --tokenizer vocab.txt --task masked-lm --steps 1 -o m1 train.rec
twice other m1
refuses "*'other' holds the tensor 'cls.predictions.decoder.weight', which differs from 'bert.embeddings.word_embeddings.weight'*" \
	'one that differs' bert-predict -q -m other --fill-mask masked.rec
works 'is kept unused if that is wanted' bert-train -q -m other --task masked-lm --allow-unused decoder --steps 1 -o m2 train.rec
sed 's/^{/{"tie_word_embeddings": false, /' m/config.json >other/config.json
works 'or is the head' bert-predict -q -m other --fill-mask --top 99999 --dtype f32 -o own masked.rec
cmp -s own all
[ $? = 1 ]
result $? 'and tells other words'
bert-train -q -m other --task masked-lm --steps 1 --learning-rate 1e-12 --dtype f32 -o m3 train.rec
works 'it stays so in training' bert-predict -q -m m3 --fill-mask --top 99999 --dtype f32 -o own3 masked.rec
same own3 own 'to the same words'
like "$(ckpt-inspect m3/model.safetensors)" '*cls.predictions.decoder.bias *cls.predictions.decoder.weight *' \
	'with matrix and bias of its own'
finish
