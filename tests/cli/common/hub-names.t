#!/bin/sh
# SPDX-License-Identifier: MIT
# A model's name in place of a directory: it is looked up in Hugging Face's cache.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"

small_data
small_train model -q
unset HF_HUB_CACHE HUGGINGFACE_HUB_CACHE XDG_CACHE_HOME HF_HOME
HOME=$PWD/home
export HOME
commit=0123456789abcdef0123456789abcdef01234567
# cache FOLDER: the trained model as org/intent
cache() {
	folder=$1/models--org--intent
	mkdir -p "$folder/refs" "$folder/blobs" "$folder/snapshots/$commit"
	printf %s $commit >"$folder/refs/main"
	for f in model/*.json model/*.txt model/*.safetensors; do
		[ -f "$f" ] || continue
		cp "$f" "$folder/blobs/${f##*/}"
		ln -s "../../blobs/${f##*/}" "$folder/snapshots/$commit/${f##*/}"
	done
}
cache "$HOME/.cache/huggingface/hub"

bert-tokenize -q -m model -o wanted.rec dev.text.rec
works 'bert-tokenize' bert-tokenize -q -m org/intent -o got.rec dev.text.rec
same got.rec wanted.rec '... has its tokenizer'
bert-predict -q -m model dev.rec >wanted
works 'bert-predict' bert-predict -q -m org/intent dev.rec
same out wanted '... has its answers'
works 'two of them' bert-predict -q -m org/intent -m model dev.rec
bert-eval -q -m model dev.rec >wanted
works 'bert-eval' bert-eval -q -m org/intent --compare org/intent dev.rec
works '... alone' bert-eval -q -m org/intent dev.rec
same out wanted '... has its metrics'
works 'bert-train' bert-train -q -m org/intent --tokenizer org/intent -o more --steps 2 --learning-rate 1e-2 train.rec
bert-train -q -m model -o less --steps 2 --learning-rate 1e-2 train.rec
same more/model.safetensors less/model.safetensors '... starts from it'
works 'ckpt-inspect' ckpt-inspect org/intent model
like "$(cat out)" 'identical*' '... finds it'
works 'ckpt-convert' ckpt-convert -q org/intent copy.safetensors
same copy.safetensors model/model.safetensors '... copies it'

# where the cache is
mv home/.cache/huggingface moved
refuses '*no such directory here (bert-fetch NAME fetches a model by its name)' 'no cache' \
	bert-predict -m org/intent dev.rec
refuses "*cannot open 'org/intent': No such file or directory (bert-fetch NAME *" 'for bert-tokenize' \
	bert-tokenize -m org/intent dev.text.rec
refuses "*cannot open 'org/intent': No such file or directory (bert-fetch NAME *" 'for ckpt-inspect' \
	ckpt-inspect org/intent
refuses "*cannot open './org/intent': No such file or directory" 'a path is not a name' \
	ckpt-inspect ./org/intent
HF_HOME=$PWD/moved works 'HF_HOME' ckpt-inspect org/intent
HF_HUB_CACHE=$PWD/moved/hub HF_HOME=/none works 'HF_HUB_CACHE' ckpt-inspect org/intent
mv moved huggingface
XDG_CACHE_HOME=$PWD works 'XDG_CACHE_HOME' ckpt-inspect org/intent
HF_HUB_CACHE=$PWD/huggingface/hub
export HF_HUB_CACHE

# what is here comes first
mkdir -p org
mv less org/intent
same org/intent/model.safetensors more/model.safetensors 'another model of that path'
ckpt-inspect --diff org/intent model >got
is $? 1 'is the one that is meant'
rm -r org

# a cache that is not whole
refs=$HF_HUB_CACHE/models--org--intent/refs/main
for ref in ../../../../model "$commit/../$commit" 0123 ''; do
	printf %s "$ref" >"$refs"
	refuses '*cannot open*' "a commit '$ref'" ckpt-inspect org/intent
done
printf '%s\n' $commit >"$refs"
works 'a commit with a newline' ckpt-inspect org/intent
printf '1%.39s' $commit >"$refs"
refuses '*cannot open*' 'a commit that is not there' ckpt-inspect org/intent
finish
