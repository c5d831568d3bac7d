#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train: the model card beside the model.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"

small_data
works 'a model' small_train m -q --eval dev.rec --epochs 3
card=$(cat m/README.md)
like "$card" '---
library_name: transformers
pipeline_tag: text-classification
tags:
- bertutils
- bert
metrics:
- accuracy
- weighted_f1
model-index:
- name: "m"
*      name: "dev.rec"
*
---

# m
*' 'has what programs read'
value() { # METRIC: in the card
	sed -n "/^    - type: $1\$/{n;s/.*value: //p;}" m/README.md
}
bert-eval -q -m m --json dev.rec >report
for metric in accuracy macro_f1 mcc; do
	is "$(printf %.6f "$(value $metric)")" \
		"$(printf %.6f "$(sed -n "s/^ *\"$metric\": \([^,]*\),*/\1/p" report | head -n 1)")" \
		"the $metric is the model's"
done
is "$(grep -c kappa m/README.md)" 0 'labels without an order have no quadratic kappa'
like "$card" '*
## Use

Texts of a CSV file, here with the columns id and text, go through the model by

    csv2tfrecord -i id -t text new.csv | bert-tokenize -m m | bert-predict -m m -o predictions.csv

*' 'how new texts are predicted'
cp train.csv new.csv
works 'as it says' sh -c "$(sed -n 's/^    csv2tfrecord/csv2tfrecord/p' m/README.md)"
cut -d, -f1,2 predictions.csv >got
bert-predict -q -m m train.rec | cut -d, -f1,2 >wanted
same got wanted '... they are'
like "$card" '*| 0 | get\\_card | 44 |*| 3 | wifi\\_access | 45 |*' 'labels, with examples of each'
like "$card" "*| training | train.rec | 179 | * |*| evaluation | dev.rec | 32 | *fingerprint is *" 'data'
like "$card" '*| learning rate | 0.001 |*| optimizer | adamw |*| seed | 42 |*' 'the recipe'
like "$card" '*    bert-train --force --init-config */one-layer.json * -o m -q --eval dev.rec --epochs 3 train.rec
*' 'the command'
speed='[0-9]*.[0-9] examples/s, [0-9]* tokens/s'
products=$(bert-train --version -v | sed -n 's/^matrix products: \(.*\)/products \1/p')
like "$products" 'products *f* by ?*' 'the version says by what products are computed'
like "$(tail -n 3 m/README.md)" "## Speed

Training took [0-9]*.[0-9] s, evaluation and saving included. Speed of the updates: $speed. Computed on ?*: $products, kernels *, [0-9]* thread*. <!-- bertutils [0-9a-f]* -->" 'how fast it was, and on what'
small_train alone -q -j 1
like "$(tail -n 1 alone/README.md)" '*, 1 thread. <*' 'with so many threads'
like "$card" '*random weights by bertutils*' 'where it comes from'
is "$(ls m | grep -c '^\.')" 0 'nothing else'
cp m/README.md wanted
mv m first
small_train m -q --eval dev.rec --epochs 3
same_card m/README.md wanted 'the same run has the same card'


# other tasks
sed '1s/,intent/,text_b,intent/; 1!s/,\([a-z_]*\)$/,a card,\1/' dev.csv >pairs.csv
csv2tfrecord -q -i id -t text --pair text_b -l intent pairs.csv | bert-tokenize -q -m vocab.txt -o pairs.rec
bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --steps 1 -o "a pair" pairs.rec
like "$(cat 'a pair/README.md')" "*columns id, text and text\\\\_b, *
    csv2tfrecord -i id -t text --pair text_b new.csv | bert-tokenize -m 'a pair' | bert-predict -m 'a pair' -o predictions.csv
*" 'pairs'
printf '%s\n' 'text,A,B,C,l' 'who,I,you,we,B' 'what,this,that,,A' | csv2tfrecord -q -t text --choices A,B,C -l l |
	bert-tokenize -q -m vocab.txt -o choices.rec
bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --task multiple-choice --steps 1 -o quiz choices.rec
like "$(cat quiz/README.md)" "*columns id, text, A, B and C, *
    csv2tfrecord -i id -t text --choices A,B,C new.csv | bert-tokenize -m quiz | bert-predict -m quiz -o predictions.csv
*" 'choices'
printf '%s\n' 'ask O' 'Anna B-PER' '' 'Ben B-PER' 'reads O' | conll2tfrecord -q | bert-tokenize -q -m vocab.txt -o words.rec
bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --task tagging --steps 1 -o names words.rec
like "$(cat names/README.md)" '*
    conll2tfrecord new.txt | bert-tokenize -m names | bert-predict -m names -o predictions.txt
*' 'words'
bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --task masked-lm --steps 1 -o masked train.rec
is "$(grep -c '^## Use' masked/README.md)" 0 'masked tokens are for further training'

# ratings are near or far from each other
for f in train dev; do
	sed 's/,get_card$/,1/; s/,parking$/,2/; s/,pay_fine$/,3/; s/,wifi_access$/,4/' $f.csv |
		csv2tfrecord -q -i id -t text -l intent | bert-tokenize -q -m vocab.txt -o $f.stars.rec
done
works 'ratings' bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --epochs 3 --learning-rate 1e-3 \
	--batch-size 16 --eval dev.stars.rec -o stars train.stars.rec
like "$(cat stars/README.md)" '*type: quadratic_weighted_kappa*| quadratic\\_weighted\\_kappa | *' \
	'have a quadratic kappa'

# what is not evaluated
works 'no evaluation' small_train plain -q
like "$(cat plain/README.md)" '*The model was not evaluated.*' 'is said'
is "$(grep -c model-index plain/README.md)" 0 '... and no results are claimed'
works '--no-card' small_train bare -q --no-card
is "$(ls bare/README.md 2>/dev/null)" '' 'writes none'
works 'a share' small_train share -q --eval-share 0.2
like "$(cat share/README.md)" '*name: "a share of 0.2 of the training data"*' 'is named'

# a README.md that stands there
mkdir own
echo 'my words' >own/README.md
works 'a README.md of the user' small_train own
like "$(cat err)" "*warning: 'own/README.md' stays as it was: it was not written here, or changed*" 'a warning'
is "$(cat own/README.md)" 'my words' 'and it does'
works 'another run with --force' small_train plain --learning-rate 1e-4
is "$(grep -c 'stays as it was' err)" 0 'replaces the card of the model that it replaces'
like "$(cat plain/README.md)" '*--learning-rate 1e-4*' '... by its own'

# a run that is resumed after it wrote one
works 'a run that keeps its checkpoint' bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt \
	--steps 10 --keep 1 --save-steps 4 --eval dev.rec -o kept train.rec
cp kept/README.md before
rm -f kept/README.md
works 'resumed' bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt \
	--steps 10 --keep 1 --save-steps 4 --eval dev.rec -o kept train.rec
same_card kept/README.md before 'it has the same card'
touch kept/.README.md.123.1.new
works 'again, with the card there' bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt \
	--steps 10 --keep 1 --save-steps 4 --eval dev.rec -o kept train.rec
is "$(cat err)" '' 'without a word'
same_card kept/README.md before 'it is written anew'
like "$(tail -n 1 kept/README.md)" "*in several parts*Speed of the updates from 9 on, the last part: $speed. *" \
	'only the last part has a speed'
sed '$s/examples/EXAMPLES/' alone/README.md >faster
cp faster alone/README.md
small_train alone 2>err
like "$(cat err)" "*warning: 'alone/README.md' stays as it was*" 'a card with another speed is not its own'
same alone/README.md faster '... and stays'
echo 'more words' >>kept/README.md
cp kept/README.md before
works 'once more' bert-train --init-config "$DATA/one-layer.json" --tokenizer vocab.txt \
	--steps 10 --keep 1 --save-steps 4 --eval dev.rec -o kept train.rec
like "$(cat err)" "*warning: 'kept/README.md' stays as it was*" 'words that were added'
same kept/README.md before '... stay'

# hostile names
printf 'id,text,label\n' >odd.csv
for i in 1 2 3 4 5 6; do
	printf '%d,text %d,"| <b> `x`\n---"\n%d,word %d,ü*_[l](x)\n' $i $i $((i + 10)) $i
done >>odd.csv
csv2tfrecord -q -i id -t text -l label odd.csv | bert-tokenize -q -m vocab.txt -o 'a "b": c.rec'
odd='it'\''s: "x"
- y'
works 'odd names' bert-train -q --init-config "$DATA/one-layer.json" --tokenizer vocab.txt --steps 2 \
	--eval 'a "b": c.rec' -o "$odd" 'a "b": c.rec'
like "$(cat "$odd/README.md")" '*
- name: "it'\''s: \\"x\\"\\\\n- y"
*      name: "a \\"b\\": c.rec"
*| 0 | \\| \\<b\\> \\`x\\`\\\\n--- | 6 |
| 1 | ü\\\*\\_\\\[l\\\](x) | 6 |
*--eval '\''a "b": c.rec'\'' -o '\''it'\''\\'\'\''s: "x"\\n- y'\'' *' 'are only names'

# a model of a hub
HF_HUB_CACHE=$PWD/cache
export HF_HUB_CACHE
snapshot=cache/models--org--base/snapshots/0123456789abcdef0123456789abcdef01234567
mkdir -p cache/models--org--base/refs "${snapshot%/*}"
cp -r m "$snapshot"
printf %s "${snapshot##*/}" >cache/models--org--base/refs/main
works 'from a hub' bert-train -q -m org/base -o further --steps 1 train.rec
like "$(cat further/README.md)" '*
base_model: org/base
*fine-tuned from \[org/base\](https://huggingface.co/org/base) *
    bert-train -q -m org/base -o *' 'the base is named'
finish
