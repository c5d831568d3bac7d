#!/bin/sh
# SPDX-License-Identifier: MIT
# Low-rank adapters: what is trained and written, and that the tools take it as a model.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=$DATA/two-layers.json
small_data
small_train start -q --epochs 4 --dtype f32

train() { # DIR [OPTION ...]
	dir=$1
	shift
	bert-train --force -m start --lora 4 --learning-rate 1e-2 --dtype f32 \
		--batch-size 16 -o "$dir" "$@" train.rec
}
# config DIR KEY
config() {
	tr -d ' \n' <"$1/adapter_config.json" | sed -n "s/.*\"$2\":\\(\\[[^]]*\\]\\|[^,}]*\\).*/\\1/p"
}
works 'adapters' train a --epochs 2 --eval dev.rec --keep 1 --save-steps 5
like "$(cat err)" '*of * parameters are frozen*' 'the rest is frozen'
is "$(ls a)" 'README.md
adapter_config.json
adapter_model.safetensors
checkpoint.safetensors
config.json
history.jsonl
tokenizer_config.json
vocab.txt' 'the files'
is "$(config a base_model_name_or_path)" "\"$PWD/start\"" 'the base, by its absolute path'
is "$(config a r) $(config a lora_alpha) $(config a task_type) $(config a peft_type)" '4 8 "SEQ_CLS" "LORA"' 'settings'
is "$(config a target_modules)" '["query","value"]' 'targets by the ends of their names'
is "$(config a modules_to_save)" '["bert.pooler.dense","classifier"]' 'the head'
ckpt-inspect a/adapter_model.safetensors >tensors
is "$(grep -c 'base_model.model.bert.encoder.layer.[01].attention.self.[qv].*lora_[AB].weight' tensors)" 8 'its tensors'
is "$(grep -c 'base_model.model.\(classifier\|bert.pooler\)' tensors)" 4 'those of the head'
is "$(grep -c base_model tensors)" 12 'no others'
ckpt-inspect a/checkpoint.safetensors | grep 'moment.*encoder' | grep -vc lora_ >why
is "$(cat why)" 0 'moments of adapters alone'
like "$(cat a/README.md)" '*library_name: peft*- lora*This is an adapter (LoRA), which changes the model start*' 'the card'

# The tools take it as a model, merged.
bert-eval -q --dtype f32 --json -m a dev.rec >eval.json
grep '"best":true' a/history.jsonl | tail -n 1 | sed 's/.*"eval_accuracy":\([0-9.]*\).*/\1/' >wanted
tr -d ' \n' <eval.json | sed 's/.*"accuracy":\([0-9.]*\).*/\1\n/' >got
same wanted got 'bert-eval measures what training did'
works 'a model file of the same' ckpt-convert a merged/
like "$(ls merged)" '*config.json*model.safetensors*vocab.txt*' 'is a model directory'
bert-predict -q --dtype f32 --proba -m a -o a.csv dev.rec
bert-predict -q --dtype f32 --proba -m merged -o merged.csv dev.rec
same a.csv merged.csv 'which predicts the same'
bert-predict -q --dtype f32 --proba -m start -o start.csv dev.rec
cmp -s a.csv start.csv
is $? 1 'other than the base model'
ckpt-inspect --diff --grep 'key|dense|embeddings|LayerNorm' start merged >why 2>&1
is "$(grep -c 'encoder\|embeddings' why)" 0 'what has no adapter is the same'
bert-tokenize -q -m a -o again.rec dev.text.rec
bert-predict -q --dtype f32 --proba -m a -o again.csv again.rec
cut -d, -f2- a.csv >a.cut
cut -d, -f2- again.csv >again.cut
same a.cut again.cut 'its tokenizer'
# Where the base model was trained anew, in any format of it.
cp -r a moved
cp -r start other
for dtype in f16 bf16; do
	ckpt-convert -q --dtype $dtype start/model.safetensors other/model.safetensors
	bert-predict -q -m other --adapter moved -o x.csv dev.rec 2>err
	is "$(cat err)" '' "a base model in $dtype is the same"
done
rm other/model.safetensors
ckpt-convert -q --to tf1 start/model.safetensors other/bert_model.ckpt
bert-predict -q -m other --adapter moved -o x.csv dev.rec 2>err
is "$(cat err)" '' '... as TensorFlow has it'
small_train other -q --epochs 4 --dtype f32 --seed 9
for tool in 'bert-predict -o x.csv' 'bert-eval -o x.txt'; do
	# shellcheck disable=SC2086
	works 'another one' $tool -m other --adapter moved dev.rec
	like "$(cat err)" "*warning: the adapter 'moved' was not trained on the weights that 'other' has now*" 'a warning says it'
done
works 'converted' ckpt-convert --adapter moved other x.safetensors
like "$(cat err)" '*warning: the adapter *' '... with it'
works 'trained on' bert-train -m moved --steps 1 -o on train.rec
is "$(grep -c 'warning: the adapter' err)" 0 'its own is not'
works 'training goes on from it' bert-train -q -m a --steps 2 -o more train.rec
works 'as a whole model' test -e more/model.safetensors
misuses "*'a' is an adapter itself*ckpt-convert*" 'not an adapter of it' \
	bert-train -q -m a --lora 2 --steps 2 -o x train.rec

# The same bits.
train again -q --epochs 2 --eval dev.rec -j 1 --checkpoint-activations
same a/adapter_model.safetensors again/adapter_model.safetensors 'no matter how it is computed'
train whole -q --lora-dropout .1 --steps 12
train part -q --lora-dropout .1 --steps 12 --save-steps 5 --keep 2
train rest -q --lora-dropout .1 --steps 12 --resume-from part/checkpoint-5.safetensors
same whole/adapter_model.safetensors rest/adapter_model.safetensors 'resumed to the same bits'
train shards -q --steps 6 --shards 2
train shards1 -q --steps 6 --shards 2 -j 1
same shards/adapter_model.safetensors shards1/adapter_model.safetensors 'shards, too'
refuses '*another run: adapters was*' 'other adapters are another run' train rest -q \
	--lora-dropout .2 --steps 12 --resume-from part/checkpoint-5.safetensors
exits 1 'a run whose time is up' bert-train -q -m start --lora 4 --learning-rate 1e-2 --dtype f32 --batch-size 16 \
	--lora-dropout .1 --steps 12 --save-steps 4 --max-minutes 1e-5 -o killed train.rec
works '... leaves a checkpoint' test -s killed/checkpoint.safetensors
works 'stopped and resumed' bert-train -q -m start --lora 4 --learning-rate 1e-2 --dtype f32 --batch-size 16 \
	--lora-dropout .1 --steps 12 --save-steps 4 -o killed train.rec
same whole/adapter_model.safetensors killed/adapter_model.safetensors 'to the same bits, too'

# Layers.
works 'all layers' train all -q --steps 1 --lora-targets all --lora-alpha 16
is "$(config all target_modules)" '["bert.encoder.layer.0.attention.self.query","bert.encoder.layer.0.attention.self.key","bert.encoder.layer.0.attention.self.value","bert.encoder.layer.0.attention.output.dense","bert.encoder.layer.0.intermediate.dense","bert.encoder.layer.0.output.dense","bert.encoder.layer.1.attention.self.key","bert.encoder.layer.1.attention.self.value","bert.encoder.layer.1.attention.self.query","bert.encoder.layer.1.attention.output.dense","bert.encoder.layer.1.intermediate.dense","bert.encoder.layer.1.output.dense"]' \
	'by whole names, where "dense" is also the pooler'
works 'some' train some -q --steps 1 --lora-targets 'output.dense,layer\.1.*key'
is "$(ckpt-inspect some/adapter_model.safetensors | grep -c lora_A)" 5 'by name and pattern'
works 'several rates' train rates -q --steps 4 --layer-decay .9 --head-learning-rate 1e-3

# One kind of model in a directory.
misuses "*'again' has a finished model*--force*" 'a finished adapter stays' bert-train -q -m start --lora 2 --steps 1 -o again train.rec
small_train swap -q
works 'an adapter in the place of a model' train swap -q --steps 1
exits 1 'whose file is gone' test -e swap/model.safetensors
works 'it is read' bert-predict -q -m swap -o x.csv dev.rec
small_train swap -q
exits 1 'and the other way' test -e swap/adapter_config.json
works 'that is read, too' bert-predict -q -m swap -o x.csv dev.rec
cp a/adapter_* swap
refuses "*'swap' holds both a model and an adapter*" 'not both' bert-predict -q -m swap -o x.csv dev.rec

# Where the base is.
mkdir -p there/b
cp -r start a there/b
sed 's,"base_model_name_or_path": .*,"base_model_name_or_path": "../start"\,,' a/adapter_config.json >there/b/a/adapter_config.json
works 'a path from the adapter' bert-predict -q --dtype f32 --proba -m there/b/a -o there.csv dev.rec
same a.csv there.csv 'is that model'
mv there/b/start there/b/begin
refuses "*'there/b/a' is an adapter of the model '../start', which is neither*-m BASE --adapter DIR*" 'no such model' \
	bert-predict -q -m there/b/a dev.rec
cp -r a own
sed 's,"base_model_name_or_path": .*,"base_model_name_or_path": "own"\,,' a/adapter_config.json >own/adapter_config.json
refuses "*'own' is to change 'own', which is an adapter*" 'not itself' bert-predict -q -m own dev.rec

# Another place of the base, given.
works 'a base that is given' bert-predict -q --dtype f32 --proba -m there/b/begin --adapter there/b/a -o given.csv dev.rec
same a.csv given.csv 'changes it'
works 'bert-eval takes one' bert-eval -q --dtype f32 --json -m there/b/begin --adapter there/b/a dev.rec
same out eval.json 'and measures the same'
works 'two adapters of one base' bert-predict -q --dtype f32 --proba -m start --adapter a --adapter whole -o two.csv dev.rec
bert-predict -q --dtype f32 --proba -m a -m whole -o both.csv dev.rec
same both.csv two.csv 'are two models'
works 'one model of base and adapter' ckpt-convert -q --adapter a start one/
same merged/model.safetensors one/model.safetensors 'as from the adapter'
same merged/config.json one/config.json 'with its configuration'
works 'of a base in other names' ckpt-convert -q --names tf1 start start.npz
works 'and layouts' ckpt-convert -q --adapter a start.npz --names hf tf.safetensors
works 'is the same' ckpt-inspect --diff merged/model.safetensors tf.safetensors
for f in npz h5 gguf ckpt onnx; do
	works "$f of an adapter" ckpt-convert -q --adapter a start x.$f
done
works 'is that of the merged model' ckpt-convert -q merged y.gguf
same y.gguf x.gguf 'with its tokenizer'
cp -r a bare
rm bare/config.json bare/vocab.txt bare/tokenizer_config.json
works 'an adapter without the rest' bert-predict -q --dtype f32 --proba -m bare -o bare.csv dev.rec
tail -n +2 a.csv | cut -d, -f3- >a.cut
tail -n +2 bare.csv | cut -d, -f3- >bare.cut
same a.cut bare.cut "has the base's"
ckpt-convert -q bare full/
is "$(ls full)" "$(ls merged)" 'also when it is converted'
refuses "*'start' is not an adapter*" 'a model for an adapter' bert-predict -m start --adapter start dev.rec
refuses "*'start' is not an adapter*" 'there, too' ckpt-convert --adapter start start x.npz
misuses '*adapters change one model, and 2 are given*' 'two models' bert-predict -m start -m a --adapter a dev.rec
misuses '*does not go with --average*' 'no mean' ckpt-convert --average --adapter a start start x.npz

# A base by its name on the hub.
commit=0123456789012345678901234567890123456789
mkdir -p hub/models--org--start/refs hub/models--org--start/snapshots
cp -r start hub/models--org--start/snapshots/$commit
echo $commit >hub/models--org--start/refs/main
works 'a base from the cache' env HF_HUB_CACHE="$PWD/hub" bert-train -q -m org/start --lora 2 --steps 2 -o hubbed train.rec
is "$(config hubbed base_model_name_or_path)" '"org/start"' 'has its name'
works 'is found there' env HF_HUB_CACHE="$PWD/hub" bert-predict -q -m hubbed -o x.csv dev.rec
refuses "*'hubbed' is an adapter of the model 'org/start', which is neither*bert-fetch*" 'or missed' \
	env HF_HUB_CACHE="$PWD/none" bert-predict -q -m hubbed -o x.csv dev.rec

# Several models, and other tasks.
works 'folds' bert-train -q -m start --lora 2 --learning-rate 1e-2 --epochs 1 --kfold 2 -o cv train.rec
works 'predict together' bert-predict -q -m cv -o x.csv dev.rec
bert-train -q --force --init-config "$small_config" --tokenizer vocab.txt --task masked-lm --steps 2 -o masked train.rec
works 'masked tokens' bert-train -q -m masked --task masked-lm --lora 2 --learning-rate 1e-2 --steps 4 -o fill train.rec
is "$(ckpt-inspect fill/adapter_model.safetensors | grep -c 'lora_')" \
	"$(ckpt-inspect fill/adapter_model.safetensors | grep -c 'base_model')" 'adapters alone'
is "$(config fill modules_to_save) $(config fill task_type)" 'null null' 'of no head'
mv start head
works 'from a model without such a head' test -d head
refuses '*which would stay random*' 'is refused' bert-train -q -m head --task masked-lm --lora 2 --steps 4 -o x train.rec
mv head start
csv2tfrecord -q -t text --pair intent train.csv | bert-tokenize -q -m vocab.txt --apart -o pairs.rec
works 'embeddings' bert-train -q -m start --task embedding --lora 2 --learning-rate 1e-2 --steps 4 -o embed pairs.rec
like "$(ckpt-inspect embed/adapter_model.safetensors)" '*base_model.model.encoder.layer.0.*' 'of an encoder alone'
works 'which embeds' bert-predict -q -m embed --embed auto --dtype f32 -o e.csv dev.rec
ckpt-convert -q embed embedding/
bert-predict -q -m embedding --embed auto --dtype f32 -o f.csv dev.rec
same e.csv f.csv 'as merged'

# The memory that --dry-run says is what a run takes.
row() { # TEXT FILE
	awk -v t="$1" 'index($0, t) == 1 { print $(NF - 1) * 1e3 }' "$2"
}
cat >config.json <<-EOF2
{"model_type": "bert", "vocab_size": 60000, "hidden_size": 256,
"num_hidden_layers": 4, "num_attention_heads": 4,
"intermediate_size": 1024, "max_position_embeddings": 128}
EOF2
bert-train -q --init-config ./config.json --tokenizer vocab.txt --dtype f32 --steps 1 -o large train.rec
bert-train -q --force -m large --dtype f32 --steps 2 --dry-run train.rec >all 2>err
bert-train -q --force -m large --dtype f32 --steps 2 --lora 4 --dry-run train.rec >less 2>err
trained=$(awk '/^model/ { n = $NF } /^frozen/ { print n - $NF }' less)
for r in gradients 'optimizer moments'; do
	each=1
	[ "$r" = gradients ] || each=2
	is "$(awk -v b="$(row "$r" less)" -v t="$trained" -v each=$each \
		'BEGIN { d = b / 1e3 - each * t * 4 / 1048576; print d * d < .1 }')" 1 "$r are those of what is trained"
done
case $BUILD in
*-address* | *-thread*) skip 'prediction' 'sanitizers hold memory of their own' ;;
*)
	bert-train --force -m large --dtype f32 --steps 2 --lora 4 -o m train.rec 2>err
	sed -n 's/.*peak memory \([0-9]*\) MB/\1/p' err >took
	awk -v p="$(row 'peak memory' less)" '{ d = p / 1e3 - $1; print d, $1; exit !(d < .15 * $1 && -d < .15 * $1) }' took >why
	result $? 'the peak is as predicted'
	;;
esac

misuses '*need --lora*' 'alpha alone' bert-train -m start --lora-alpha 2 -o x train.rec
misuses '*was trained: give -m DIR*' 'random weights' bert-train --init-config tiny --lora 2 -o x train.rec
misuses '*does not go with --freeze*' 'nothing is left to freeze' train x --freeze 1
misuses '*does not go with --freeze*' 'nothing that is new' train x --reinit 1
misuses '*bad pattern*' 'a bad pattern' train x --lora-targets '('
misuses '*empty name*' 'an empty name' train x --lora-targets query,,value
misuses "*no layer of the encoder to adapt is called 'querry': these end in 'query', 'key', 'value', 'dense'" \
	'a layer that the model lacks' train x --lora-targets query,querry
misuses '*lora*' 'no rank' train x --lora 0
exits 1 'what is refused writes no model' test -e x/config.json
finish
