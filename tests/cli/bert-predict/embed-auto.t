#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-predict --embed auto: directories of sentence-transformers.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=tiny
small_data
small_train st -q --steps 2
tfrecord-cat -q --head 20 -o some.rec dev.rec
for how in cls mean max; do
	bert-predict -q -m st --embed $how --format tensor -o $how.ts some.rec
	bert-predict -q -m st --embed $how --normalize --format tensor -o $how.norm.ts some.rec
done

# streams say whose they are
small_train other -q --steps 2 --seed 2
bert-predict -q -m other --embed cls --format tensor -o other.ts some.rec
bert-predict -q -m st --embed cls --dtype int8 --format tensor -o int8.ts some.rec
warning='tensor-cat: warning: the embeddings are of different models, or pooled in different ways: *'
tensor-cat --nearest cls.ts -o near.csv other.ts 2>err
like "$(cat err)" "$warning" 'two models'
tensor-cat --nearest cls.ts -o near.csv mean.ts 2>err
like "$(cat err)" "$warning" 'two kinds of pooling'
tensor-cat --nearest cls.ts -o near.csv int8.ts cls.norm.ts 2>err
is "$(cat err)" 'tensor-cat: 2 frames, 40 rows' 'other types, and length 1, are the same model'
for type in f16 bf16; do
	rm -rf copy
	cp -r st copy
	ckpt-convert -q --dtype $type st/model.safetensors copy/model.safetensors
	bert-predict -q -m copy --embed cls --format tensor -o copy.ts some.rec
	tensor-cat --nearest cls.ts -o near.csv copy.ts 2>err
	is "$(cat err)" 'tensor-cat: 1 frame, 20 rows' "... as are its weights in $type"
done
# a stream of others with such a note
perl -e '$h = "{\"__metadata__\": {\"model\": \"somebody/model\"}, \"embeddings\": {\"dtype\": \"F32\", " .
	"\"shape\": [1, 2], \"data_offsets\": [0, 8]}}"; print pack("Q<", length $h), $h, pack("f<2", 1, 2)' >x.safetensors
tensor-cat -q --from-safetensors -o noted.ts x.safetensors
tensor-cat --cluster 1 -o near.csv noted.ts noted.ts 2>err
is "$(grep -c 'different models' err)" 0 'nor does a long note differ from itself'
tensor-cat --cluster 2 -o near.csv cls.ts other.ts 2>err
like "$(cat err)" "$warning" 'clusters of two models'
tensor-cat --cluster 2 -o near.csv cls.ts int8.ts 2>err
is "$(cat err)" 'tensor-cat: 2 frames, 40 rows' '... of one'
bert-plot -o map.svg cls.ts other.ts 2>err
like "$(cat err)" "bert-plot: warning: the embeddings are of different models*" 'a map of two models'
bert-plot -o map.svg cls.ts int8.ts 2>err
is "$(grep -c warning err)" 0 '... of one'
tensor-cat --select embeddings --nearest cls.ts -o near.csv other.ts 2>err
like "$(cat err)" "$warning" 'chosen by name'

# modules TYPE PATH ...: modules.json
modules() {
	list=
	while [ $# != 0 ]; do
		list="$list, {\"name\": \"x\", \"path\": \"$2\", \"type\": \"$1\"}"
		shift 2
	done
	echo "[${list#, }]" >st/modules.json
}
pooling() { echo "{$1}" >st/1_Pooling/config.json; }
st=sentence_transformers

refuses "*'st' has no modules.json, which would say how the model embeds texts (choose it with --embed cls, mean or max)" \
	'a directory that does not say how' bert-predict -m st --embed auto some.rec
mkdir st/1_Pooling st/2_Normalize
modules $st.models.Transformer '' $st.models.Pooling 1_Pooling
# embeds WANTED NAME: in the same bits as by WANTED
embeds() {
	rm -f o.ts
	works "$2" bert-predict -m st --embed auto --format tensor -o o.ts some.rec
	same o.ts "$1.ts" "... by $1"
}
pooling '"word_embedding_dimension": 128, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false,
	"pooling_mode_max_tokens": false, "pooling_mode_mean_sqrt_len_tokens": false'
embeds cls 'a key for each way'
like "$(cat err)" "bert-predict: 'st' embeds texts by cls, as its modules.json says*" '... the log says so'
pooling '"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true, "pooling_mode_lasttoken": null'
embeds mean 'another one'
pooling '"pooling_mode_max_tokens": true'
embeds max 'the third'
pooling '"pooling_mode_cls_token": false'
embeds mean 'none'
works 'without a word' bert-predict -q -m st --embed --format tensor -o o.ts some.rec
same o.ts mean.ts '... the same'
bert-predict -q -m st --format tensor --embed some.rec >o.ts
same o.ts mean.ts '... before the file'
bert-predict -q -m st --embed=mean --format tensor some.rec >o.ts
same o.ts mean.ts 'a word behind ='
cp some.rec men
bert-predict -q -m st --format tensor --embed men >o.ts
same o.ts mean.ts 'a file whose name is nearly a word'
rm men
wrong "*bad value 'men' for --embed: expected auto|cls|mean|max; did you mean 'mean'?*" 'a mistyped word' \
	bert-predict -q -m st --embed men some.rec
pooling ''
embeds mean 'no key'
pooling '"embedding_dimension": 128, "pooling_mode": "cls", "include_prompt": true'
embeds cls 'a word'
pooling '"pooling_mode": "max", "pooling_mode_mean_tokens": true'
embeds max 'a word, before the keys'
pooling '"pooling_mode": ["mean"]'
embeds mean 'a list of one'
modules $st.base.modules.transformer.Transformer '' \
	$st.sentence_transformer.modules.pooling.Pooling 1_Pooling \
	$st.base.modules.normalize.Normalize 2_Normalize
embeds mean.norm 'a module that normalises'
like "$(cat err)" "*'st' embeds texts by mean and scales to length 1,*" '... the log says so'
echo '{"module_input_name": "sentence_embedding", "module_output_name": "sentence_embedding"}' \
	>st/2_Normalize/config.json
embeds mean.norm 'with a configuration'
bert-predict -q -m st --embed auto --normalize --format tensor some.rec >o.ts
same o.ts mean.norm.ts 'twice is once'
bert-predict -q -m st --embed auto -j 3 --format tensor <some.rec >o.ts
same o.ts mean.norm.ts 'from standard input, by three threads'
bert-predict -q -m st --embed auto -o o.npy some.rec
bert-predict -q -m st --embed mean --normalize -o wanted.npy some.rec
works 'as a NumPy file' cmp o.npy wanted.npy
bert-predict -q -m st --embed auto some.rec >o.csv
bert-predict -q -m st --embed mean --normalize some.rec >wanted.csv
same o.csv wanted.csv 'as CSV, with ids'

# words that are not the model's
rm -f o.ts
works 'another way' bert-predict -m st --embed cls --format tensor -o o.ts some.rec
like "$(cat err)" "bert-predict: warning: 'st' embeds texts by mean, as its modules.json says, not by cls
bert-predict: 20 embeddings*" '... is warned of once'
same o.ts cls.ts '... and used, without its module'
works 'the same way' bert-predict -m st --embed mean --format tensor -o o.ts some.rec
is "$(grep -c warning err)" 0 '... is not'

# refused GLOB NAME: by auto; a word works, with a warning
refused() {
	refuses "bert-predict: $1 (choose it with --embed cls, mean or max)" "$2" \
		bert-predict -m st --embed auto some.rec
	works '... but with a word' bert-predict -m st --embed mean --format tensor -o o.ts some.rec
	like "$(cat err)" "bert-predict: warning: the embeddings will not be the model's own: $1
*" '... and a warning'
}
pooling '"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true'
refused "'st/1_Pooling/config.json': 'pooling_mode_cls_token' and 'pooling_mode_mean_tokens' are both true, and only one at a time is supported" \
	'two at once'
pooling '"pooling_mode": ["cls", "mean"]'
refused "'st/1_Pooling/config.json': 'pooling_mode' lists 2 ways, and only one at a time is supported" 'as a list'
for key in pooling_mode_lasttoken pooling_mode_weightedmean_tokens pooling_mode_mean_sqrt_len_tokens; do
	pooling "\"$key\": true"
	refused "'st/1_Pooling/config.json': '$key' is not supported: expected pooling_mode_cls_token, *_mean_tokens or *_max_tokens" $key
done
pooling '"pooling_mode": "lasttoken"'
refused "'st/1_Pooling/config.json': 'pooling_mode' is 'lasttoken', expected cls, mean or max" 'another word'
pooling '"pooling_mode": 3'
refused "'st/1_Pooling/config.json': 'pooling_mode' is not a string" 'no word'
pooling '"pooling_mode_cls_token": "yes"'
refused "'st/1_Pooling/config.json': 'pooling_mode_cls_token' is neither true nor false" 'a wrong type'
pooling '"pooling_mode": "mean"'
echo '{"module_input_name": "token_embeddings"}' >st/2_Normalize/config.json
refused "'st/2_Normalize/config.json': 'module_input_name' is 'token_embeddings', expected sentence_embedding" \
	'tokens that are normalised'
rm st/2_Normalize/config.json
not="is not supported there: expected Transformer, Pooling and, if any, Dense and Normalize of sentence_transformers"
not=$(echo "$not" | sed 's/is/which is/')
modules $st.models.Transformer '' $st.models.Pooling 1_Pooling $st.models.LSTM 2_LSTM
refused "'st/modules.json': module 2: 'type' is 'sentence_transformers.models.LSTM', $not" 'a recurrent layer'
modules $st.models.Transformer '' $st.models.Dense 1_Dense
refused "'st/modules.json': module 1: 'type' is 'sentence_transformers.models.Dense', $not" 'a layer without pooling'
modules $st.models.Transformer '' $st.models.Pooling 1_Pooling $st.models.Normalize 2_Normalize $st.models.Dense 2_Dense
refused "'st/modules.json': module 3: 'type' is 'sentence_transformers.models.Dense', $not" 'a layer behind Normalize'
modules $st.models.Transformer '' $st.models.Normalize 2_Normalize $st.models.Pooling 1_Pooling
refused "'st/modules.json': module 1: 'type' is 'sentence_transformers.models.Normalize', $not" 'another order'
modules $st.models.Transformer '' $st.models.Pooling 1_Pooling $st.models.Normalize 2_Normalize $st.models.Normalize 2_Normalize
refused "'st/modules.json': module 3: 'type' is *" 'one more'
modules mine.Transformer '' $st.models.Pooling 1_Pooling
refused "'st/modules.json': module 0: 'type' is 'mine.Transformer', $not" 'a module of others'
modules $st.models.CLIPModel ''
refused "'st/modules.json': module 0: 'type' is 'sentence_transformers.models.CLIPModel', $not" 'another model'
modules $st.models.Transformer ../st $st.models.Pooling 1_Pooling
refused "'st/modules.json': module 0: 'path' is '../st', expected a folder in the directory" 'an encoder elsewhere'
for path in '' ../1_Pooling /1_Pooling; do
	modules $st.models.Transformer '' $st.models.Pooling "$path"
	refused "'st/modules.json': module 1: 'path' is '$path', expected a folder in the directory" "a path '$path'"
done
modules $st.models.Transformer ''
refused "'st/modules.json' has 1 modules, expected Transformer and Pooling at least" 'no pooling'
echo '{}' >st/modules.json
refused "'st/modules.json' does not hold a JSON list" 'no list'
echo '[1]' >st/modules.json
refused "'st/modules.json': module 0 is not an object" 'no module'
echo '[' >st/modules.json
refused "'st/modules.json' is not valid JSON: *" 'no JSON'
modules $st.models.Transformer '' $st.models.Pooling 1_Pooling
rm st/1_Pooling/config.json
refused "*'st/1_Pooling/config.json'*No such file or directory" 'no configuration'

# a copy
pooling '"pooling_mode": "max"'
modules $st.models.Transformer '' $st.models.Pooling 1_Pooling $st.models.Normalize 2_Normalize
echo '{"module_input_name": "sentence_embedding"}' >st/2_Normalize/config.json
works 'a converted directory' ckpt-convert -q st copy/
bert-predict -q -m copy --embed auto --format tensor -o o.ts some.rec
same o.ts max.norm.ts '... embeds the same'
same copy/2_Normalize/config.json st/2_Normalize/config.json '... and has the configuration of each module'

# dense LAYERS: 2_Dense, of 2 columns: twice column 5 and 1 more; column 7
mkdir st/2_Dense
tail_zeros() { head -c "$1" /dev/zero; }
{
	header='{"linear.weight":{"dtype":"F32","shape":[2,128],"data_offsets":[0,1024]},"linear.bias":{"dtype":"F32","shape":[2],"data_offsets":[1024,1032]}}'
	printf "\\$(printf %03o ${#header})\\0\\0\\0\\0\\0\\0\\0%s" "$header"
	tail_zeros $((5 * 4))
	printf '\0\0\0\100' # 2
	tail_zeros $((122 * 4 + 7 * 4))
	printf '\0\0\200\77' # 1
	tail_zeros $((120 * 4))
	printf '\0\0\200\77\0\0\0\0'
} >st/2_Dense/model.safetensors
layer() { echo "{\"in_features\": 128, \"out_features\": 2$1}" >st/2_Dense/config.json; }
act() { layer ", \"activation_function\": \"torch.nn.modules.$1\""; }
modules $st.models.Transformer '' $st.models.Pooling 1_Pooling $st.base.modules.dense.Dense 2_Dense
pooling '"pooling_mode": "mean"'
bert-predict -q -m st --embed mean --dtype f32 some.rec >mean.csv
# dense DIR FUNCTION NAME: its embeddings are those of the mean by that function of x and y
dense() {
	rm -f o.csv
	works "$3" bert-predict -m "$1" --embed auto --dtype f32 -o o.csv some.rec
	paste -d , mean.csv o.csv | awk -F , 'function exp2(x) { return exp(2 * x) }
		function tanh(x) { return (exp2(x) - 1) / (exp2(x) + 1) }
		function relu(x) { return x > 0 ? x : 0 }
		function none(x) { return x }
		function far(a, b) { return a - b > 1e-4 || b - a > 1e-4 }
		NR > 1 && (NF != 132 || far('"$2"'(2 * $7 + 1), $(NF - 1)) || far('"$2"'($9), $NF)) { bad = 1; print }
		END { exit bad || NR != 21 }' >why
	result $? "... as it says"
}
act linear.Identity
dense st none 'a dense layer'
like "$(cat err)" "bert-predict: 'st' embeds texts by mean and a dense layer, as its modules.json says*" '... the log says so'
rm -rf copy
cp -r st copy
perl -e 'open my $f, "+<:raw", $ARGV[0] or die; seek $f, -8, 2; print $f pack("f<2", -1, -1)' copy/2_Dense/model.safetensors
for m in st copy; do
	bert-predict -q -m $m --embed auto --format tensor -o $m.ts some.rec
done
tensor-cat --nearest st.ts -o near.csv copy.ts 2>err
like "$(cat err)" "$warning" '... and another one is another model'
act activation.ReLU
dense st relu 'a dense layer with ReLU'
layer ''
dense st tanh 'with what is usual'
rm -rf copy
works 'a converted directory' ckpt-convert -q st copy/
dense copy tanh '... has the layer'
works 'another dtype' bert-predict -q -m st --embed auto --dtype int8 -o o.csv some.rec
works 'a word' bert-predict -m st --embed mean -o o.csv some.rec
like "$(cat err)" "*warning: the embeddings will not be the model's own: its dense layer '2_Dense' is left out*" '... is another model'
refuses "*'st' has a dense layer, '2_Dense', which cannot be trained (--pool first, mean or max trains the encoder without it)" \
	'training' bert-train -q -m st --task embedding -o trained some.rec
act activation.Softsign
refused "'st/2_Dense/config.json': 'activation_function' is 'torch.nn.modules.activation.Softsign', expected Identity, *" 'another function'
layer ', "use_residual": true'
refused "'st/2_Dense/config.json': 'use_residual' is not supported" 'a sum'
layer ', "module_input_name": "token_embeddings"'
refused "'st/2_Dense/config.json': 'module_input_name' is 'token_embeddings', *" 'a layer of tokens'
echo '{"in_features": 128}' >st/2_Dense/config.json
refused "'st/2_Dense/config.json': 'out_features' is missing" 'no size'
sure() { refuses "$1" "$2" bert-predict -q -m st --embed auto some.rec; }
echo '{"in_features": 64, "out_features": 2}' >st/2_Dense/config.json
sure "*'st/2_Dense/config.json': 'in_features' is 64, but the module before it has 128 outputs" 'another size'
echo '{"in_features": 128, "out_features": 3}' >st/2_Dense/config.json
sure "*'st/2_Dense': tensor 'linear.weight' has shape \[2, 128\], the configuration asks for \[3, 128\]" 'other weights'
layer ''
mv st/2_Dense/model.safetensors .
sure "*'st/2_Dense' has no 'model.safetensors', *" 'no weights'
mv model.safetensors st/2_Dense

# the layout of older versions
mkdir st/0_Transformer
mv st/config.json st/model.safetensors st/vocab.txt st/tokenizer_config.json st/0_Transformer
echo '{"max_seq_length": 7}' >st/0_Transformer/sentence_roberta_config.json
modules $st.models.Transformer 0_Transformer $st.models.Pooling 1_Pooling $st.models.Dense 2_Dense
dense st tanh 'a folder of the encoder'
works 'its tokenizer' bert-tokenize -m st -o short.rec dev.text.rec
like "$(cat err)" '*truncated to 7 tokens*' '... takes the length that is there'
rm -rf copy
works 'a converted directory' ckpt-convert -q st copy/
dense copy tanh '... embeds the same'
works 'has one layout' test -f copy/vocab.txt -a -f copy/sentence_bert_config.json -a ! -e copy/0_Transformer
works 'a copy' bert-tokenize -q -m copy -o copied.rec dev.text.rec
same copied.rec short.rec '... tokenizes the same'
works 'a classifier begins with it' bert-train -q -m st --steps 1 -o trained train.rec
finish
