#!/bin/sh
# SPDX-License-Identifier: MIT
# Adapters that are damaged, lie about themselves, or are of another model or kind.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=tiny
small_data
small_train start -q --steps 2
bert-train -q -m start --lora 3 --learning-rate 1e-2 --steps 2 -o a train.rec
weights=adapter_model.safetensors
layer=base_model.model.bert.encoder.layer

fresh() {
	rm -rf x
	cp -r a x
}
# refused GLOB NAME: x is, by a tool that reads all and by one that needs names alone
refused() {
	refuses "$1" "$2" bert-predict -q -m x -o x.csv dev.rec
	like "$(ckpt-inspect x 2>&1 | sed 's/^ckpt-inspect/bert-predict/')" "$1" "$2: ckpt-inspect"
	exits 1 "$2: nothing is written" test -e x.csv
}
# says KEY VALUE: in place of what the configuration says
says() {
	fresh
	tr '\n' ' ' <a/adapter_config.json | sed "s|^{|{\"$1\": $2,|; s|\(, *\)\"$1\": [^,}]*|\1\"_\": 0|" >x/adapter_config.json
}
# tensors OPTION ...: of ckpt-convert, in place of the adapter's
tensors() {
	fresh
	rm x/$weights
	ckpt-convert -q "$@" a/$weights x/$weights
}
fresh
works 'the whole one' bert-predict -q -m x -o y.csv dev.rec

# --- adapter_config.json
fresh
echo '{"peft_type": "LORA",' >x/adapter_config.json
refused "*'x/adapter_config.json'*" 'half a file'
fresh
echo '{}' >x/adapter_config.json
refused "*'x/adapter_config.json': 'peft_type' is missing: only adapters of the type LORA are read" 'no type'
says peft_type '"IA3"'
refused "*'peft_type' is 'IA3': only adapters of the type LORA are read" 'another type'
for k in use_dora fan_in_fan_out lora_bias; do
	says $k true
	refused "*'$k' is set, by which*merge_and_unload*" "$k"
done
says alpha_pattern '{"query": 3}'
refused "*'alpha_pattern' is set*" 'scales of layers'
says target_parameters '["a.b"]'
refused "*'target_parameters' is set*" 'parameters as targets'
says use_dora false
works 'what is not used' bert-predict -q -m x -o y.csv dev.rec
says init_lora_weights '"pissa"'
refused "*'init_lora_weights' is 'pissa', for which the model's own weights are changed*" 'a changed base'
says init_lora_weights '"gaussian"'
works 'only another start' bert-predict -q -m x -o y.csv dev.rec
says r 4
refused "*has rank 3, but adapter_config.json says 'r' 4" 'another rank'
says r 0
refused "*'x/adapter_config.json': 'r'*" 'no rank'
says r '"3"'
refused "*'x/adapter_config.json': 'r'*" 'a rank that is a text'
says lora_alpha '[8]'
refused "*'x/adapter_config.json': 'lora_alpha'*" 'a list as alpha'
says base_model_name_or_path null
refused "*'x/adapter_config.json' does not name the model*-m BASE --adapter DIR*" 'no base'
says base_model_name_or_path '"a\\u0000b"'
refused "*'x/adapter_config.json' has *u0000 in a string*" 'a base with a NUL'
says base_model_name_or_path "\"$(printf '%5000s' '' | tr ' ' x)\""
refused "*which is neither a directory here nor in the hub's cache*" 'a very long name'
says base_model_name_or_path '"."'
refused "*" 'a directory without a model'

# --- tensors
fresh
rm x/$weights
refused "*'x/$weights'*" 'no tensors'
for bytes in 0 7 100 2000; do
	fresh
	head -c $bytes a/$weights >x/$weights
	refused "*'x/$weights'*" "$bytes bytes"
done
tensors --drop 'layer.0.*query.lora_B'
refused "*it holds '$layer.0.attention.self.query.lora_A.weight', but not the other matrix of that layer, lora_B" 'no B'
tensors --drop 'layer.1.*value.lora_A'
refused "*it holds '$layer.1.attention.self.value.lora_B.weight', but not the other matrix of that layer, lora_A" 'no A'
tensors --rename 's/layer.1/layer.7/'
refused "*it changes the layer 'bert.encoder.layer.7.attention.self.query', which the model '*start' does not have" 'a layer that is not there'
tensors --rename 's/classifier.bias/bert.encoder.layer.0.attention.self.query.lora_magnitude_vector/'
refused "*changes the model in a way that is not read: only pairs*" 'other changes'
tensors --rename 's/base_model.model/model/'
refused "*does not begin with 'base_model.model.'*" 'names without the prefix'
tensors --rename 's/pooler.dense/encoder.layer.5.dense/'
refused "*it holds 'base_model.model.bert.encoder.layer.5.dense.bias', but the model '*start' does not have it" 'a layer to replace that is not there'
tensors --rename 's/bert.encoder.layer.1.attention.self.query/encoder.layer.0.attention.self.query/'
refused "*it changes 'bert.encoder.layer.0.attention.self.query.weight' twice" 'a layer twice'
tensors --rename 's/query.lora_A/query.lora_X/' --rename 's/query.lora_B/query.lora_A/' --rename 's/query.lora_X/query.lora_B/'
refused "*[[]3, 128] times [[]128, 3], but the model has [[]128, 128] there" 'A and B, one for the other'
fresh
bytes=$(wc -c <a/$weights)
{ head -c $((bytes - 4)) a/$weights && printf '\0\0\300\177'; } >x/$weights
refuses '*a NaN or an infinity*' 'a NaN' bert-predict -q -m x -o x.csv dev.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 1 --head 'first, dense 8 relu, dense 4' -o head train.rec
tensors --drop classifier
refuses "*no tensor 'classifier*" 'a head that neither has' bert-predict -q -m head --adapter x -o x.csv dev.rec
cat >other.json <<-EOF2
{"model_type": "bert", "vocab_size": 1389, "hidden_size": 24, "num_hidden_layers": 2,
"num_attention_heads": 2, "intermediate_size": 48, "max_position_embeddings": 64}
EOF2
bert-train -q --init-config ./other.json --tokenizer vocab.txt --steps 1 -o other train.rec
refuses "*the change by '$layer.0.attention.self.query.lora_A.weight' is * but the model has [[]24, 24] there" 'a base of another size' \
	bert-predict -q -m other --adapter a -o x.csv dev.rec
refuses '*which the model*does not have*' 'a base of another family' bert-predict -q -m "$DATA/ckpt-sharded" --adapter a -o x.csv dev.rec
# of the same sizes and names, but for one
mkdir roberta
sed 's/"bert"/"roberta"/; s/"architectures"/"_"/' start/config.json >roberta/config.json
ckpt-convert -q --rename 's/^bert\./roberta./' start/model.safetensors roberta/model.safetensors
refuses "*it changes the layer 'bert.encoder.layer.0.attention.self.query', which the model 'roberta' does not have" \
	'a base of another family and the same sizes' bert-predict -q -m roberta --adapter a -o x.csv dev.rec
finish
