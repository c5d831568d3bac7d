#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-predict --embed auto: directories of sentence-transformers.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train st -q --steps 2
tfrecord-cat -q --head 20 -o some.rec dev.rec
for how in cls mean max; do
	bert-predict -q -m st --embed $how --format tensor -o $how.ts some.rec
	bert-predict -q -m st --embed $how --normalize --format tensor -o $how.norm.ts some.rec
done

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
not="is not supported there: expected Transformer, Pooling and, if any, Normalize of sentence_transformers"
not=$(echo "$not" | sed 's/is/which is/')
modules $st.models.Transformer '' $st.models.Pooling 1_Pooling $st.models.Dense 2_Dense
refused "'st/modules.json': module 2: 'type' is 'sentence_transformers.models.Dense', $not" 'a dense layer'
modules $st.models.Transformer '' $st.models.Normalize 2_Normalize $st.models.Pooling 1_Pooling
refused "'st/modules.json': module 1: 'type' is 'sentence_transformers.models.Normalize', $not" 'another order'
modules $st.models.Transformer '' $st.models.Pooling 1_Pooling $st.models.Normalize 2_Normalize $st.models.Normalize 2_Normalize
refused "'st/modules.json': module 3: 'type' is *" 'one more'
modules mine.Transformer '' $st.models.Pooling 1_Pooling
refused "'st/modules.json': module 0: 'type' is 'mine.Transformer', $not" 'a module of others'
modules $st.models.CLIPModel ''
refused "'st/modules.json': module 0: 'type' is 'sentence_transformers.models.CLIPModel', $not" 'another model'
modules $st.models.Transformer 0_Transformer $st.models.Pooling 1_Pooling
refused "'st/modules.json': module 0: 'path' is '0_Transformer', expected the directory itself" 'an encoder elsewhere'
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
finish
