#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-fetch of an adapter, as peft keeps one: its files come, the model that it changes
# is named or comes, too; and the tools find the adapter by its name.
# Not under thread: no threads but that of a library which looks up names
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/hub.sh"

hub_or_end
# publish NAME FILE ...: puts files on the hub
publish() {
	name=$1
	shift
	mkdir -p "hub/www/$name/resolve/$COMMIT"
	cp "$@" "hub/www/$name/resolve/$COMMIT"
	hub_listing "$name" main
}
snapshot() {
	echo "$PWD/hf/hub/models--org--$1/snapshots/$COMMIT"
}
small_data
small_train start -q -j 1
publish org/base start/config.json start/model.safetensors start/vocab.txt start/tokenizer_config.json
works 'a base model' bert-fetch -q org/base
works 'an adapter of it' bert-train -q -j 1 -m org/base --lora 4 --steps 3 -o ours train.rec
bert-predict -q --proba -m ours -o wanted.csv dev.rec
like "$(cat ours/adapter_config.json)" '*"base_model_name_or_path": "org/base"*' 'which names it'
publish org/adapter ours/adapter_config.json ours/adapter_model.safetensors ours/README.md ours/config.json
rm -r hf

files='adapter_config.json
adapter_model.safetensors
config.json'
works '--list' bert-fetch --list org/adapter
is "$(cut -f 2 out | sort)" "$files" 'names what peft wrote'
like "$(cat err)" "*warning: 'org/adapter' is an adapter of the model 'org/base', which is not here (bert-fetch --base fetches both)" \
	'and the model that it changes'
works 'fetched' bert-fetch org/adapter
is "$(cat out)" "$(snapshot adapter)" 'its directory is printed'
is "$(ls "$(snapshot adapter)")" "$files" 'with these files'
like "$(cat err)" "*'org/adapter' is an adapter of the model 'org/base', which is not here (*" 'the model is not'
refuses "*is an adapter of the model 'org/base', which is neither a directory here nor in the hub's cache (*" \
	'nothing is predicted without it' bert-predict -m org/adapter dev.rec
works '--base' bert-fetch --base org/adapter
is "$(cat out)" "$(snapshot adapter)" 'prints the directory of the adapter'
like "$(cat err)" "*'org/adapter' at commit *all were here*'org/base' at commit $COMMIT: 4 files*" 'fetches the model, too'
works 'again without it' bert-fetch org/adapter
like "$(cat err)" "*'org/adapter' is an adapter of the model 'org/base', which is here" 'says that it is here'

# --- the tools
works 'by its name' bert-predict -q --proba -m org/adapter -o got.csv dev.rec
same got.csv wanted.csv 'as the one that was published'
works '--adapter' bert-predict -q --proba -m org/base --adapter org/adapter -o got.csv dev.rec
same got.csv wanted.csv 'by both names'
works 'tokenizes as its base' bert-tokenize -q -m org/adapter -o again.rec dev.text.rec
works 'bert-eval' bert-eval -q -m org/base --adapter org/adapter dev.rec
works 'merged' ckpt-convert -q --adapter org/adapter org/base merged/
bert-predict -q --proba -m merged -o got.csv dev.rec
same got.csv wanted.csv 'the same'
works 'trained on' bert-train -q -m org/adapter --steps 1 -o further train.rec
misuses "*unknown option '--adapter'; did you mean '--model'[?]" 'where -m takes it' bert-train --adapter org/adapter
for tool in 'bert-predict -m org/base --adapter org/none dev.rec' \
	'bert-eval -m org/base --adapter org/none dev.rec' 'ckpt-convert --adapter org/none org/base no/'; do
	# shellcheck disable=SC2086
	refuses "*no adapter 'org/none': no such directory here (bert-fetch NAME fetches a model by its name)" \
		"${tool%% *} of one that is not here" $tool
done

# --- into a directory: the model goes where it is looked for
rm -r hf
works 'with -o' bert-fetch -q --base -o plain org/adapter
is "$(ls plain)" "$files" 'the adapter alone'
is "$(ls hf/hub)" 'models--org--base' 'its model is in the cache'
works 'together' bert-predict -q --proba -m plain -o got.csv dev.rec
same got.csv wanted.csv 'they predict'

# --- other adapters
# adapter NAME KEY=VALUE ...: with another configuration
adapter() {
	name=$1
	mkdir -p "hub/www/$name/resolve/$COMMIT"
	sed "$2" ours/adapter_config.json >adapter_config.json
	publish "$name" adapter_config.json ours/adapter_model.safetensors
}
adapter org/ia3 's/"LORA"/"IA3"/'
refuses "*'org/ia3': *'peft_type' is 'IA3': only adapters of the type LORA are read" 'of another kind' bert-fetch org/ia3
is "$(ls hf/hub)" 'models--org--base' '... is not fetched'
adapter org/local 's,"org/base","/home/somebody/model",'
works 'of a directory' bert-fetch --base org/local
like "$(cat err)" "*warning: 'org/local' is an adapter of the model '/home/somebody/model', which is not one of the hub (name the model: -m BASE --adapter DIR; *" \
	'of somebody else'
works '... which -m BASE --adapter takes' bert-predict -q --proba -m org/base --adapter org/local -o got.csv dev.rec
same got.csv wanted.csv 'and predicts'
adapter org/gone 's,"org/base","org/nowhere",'
refuses "*org/nowhere*" 'a model that the hub lacks' bert-fetch -q --base org/gone
adapter org/old 's/x/x/'
mv "hub/www/org/old/resolve/$COMMIT/adapter_model.safetensors" "hub/www/org/old/resolve/$COMMIT/adapter_model.bin"
hub_listing org/old main
works 'as older versions of peft wrote it' bert-fetch -q --list org/old
is "$(cut -f 2 out | sort | tr '\n' ' ')" 'adapter_config.json adapter_model.bin ' 'comes, too'
publish org/both ours/adapter_config.json ours/adapter_model.safetensors start/config.json start/model.safetensors
works 'beside a whole model' bert-fetch -q --list org/both
is "$(cut -f 2 out | sort | tr '\n' ' ')" 'config.json model.safetensors ' 'that is the one'
is "$(cat err)" '' '... of which nothing else is said'
misuses '*--base does not go with --list' '--list and --base' bert-fetch --base --list org/adapter
finish
