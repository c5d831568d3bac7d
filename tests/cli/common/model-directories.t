#!/bin/sh
# SPDX-License-Identifier: MIT
# Model directories as Google released ALBERT and ELECTRA, and presets of
# KerasHub, with every tool.
. "$TEST_TOP/tests/lib/lib.sh"
size() { echo '"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 48, "embedding_size": 16, "max_position_embeddings": 64, "initializer_range": 0.1'; }
printf '%s\n' text,label 'Hello world,a' 'good morning,b' 'the world,a' 'nice day,b' >texts.csv
csv2tfrecord -q -l label -t text -o texts texts.csv
cut -d, -f1 texts.csv >lines

# --- ALBERT: a model of ours, and the same as Google would have put it
spm=$DATA/spm/albert
echo "{\"vocab_size\": 2000, $(size), \"num_hidden_groups\": 1, \"inner_group_num\": 1, \"hidden_act\": \"gelu\",
	\"net_structure_type\": 0, \"gap_size\": 0, \"num_memory_blocks\": 0, \"down_scale_factor\": 1}" >google.json
sed 's/{/{"model_type": "albert",/; s/"gelu"/"gelu_new"/' google.json >hf.json
mkdir hf albert
cp hf.json hf/config.json
cp "$spm/spiece.model" hf
bert-tokenize -q -m hf -o hf.rec texts
works 'a model' bert-train -q --init-config hf.json --tokenizer hf --steps 1 -j 1 -o seed hf.rec
ckpt-convert -q --drop ^classifier seed/model.safetensors hf/model.safetensors
ckpt-convert -q --to tf1 --heads 2 hf/model.safetensors albert/model.ckpt-best
: >albert/model.ckpt-best.meta
: >albert/30k-clean.vocab
cp "$spm/spiece.model" albert/30k-clean.model
cp google.json albert/albert_config.json
works 'its tokenizer opens' bert-tokenize -q -m albert -o albert.rec texts
same albert.rec hf.rec 'and gives the same tokens'
for m in hf albert; do
	works "$m trains" bert-train -q -m $m --steps 2 -j 1 -o $m.out $m.rec
	bert-predict -q -m $m.out --proba -j 1 -o $m.csv $m.rec
done
same albert.out/model.safetensors hf.out/model.safetensors 'the same model to the bit'
same albert.csv hf.csv 'with the same answers'
is "$(ls albert.out)" "$(ls hf.out)" 'under the same names'
refuses "*'albert' does not hold a trained classifier*" 'it has no classes' bert-predict -m albert albert.rec
bert-predict -q -m albert --embed mean -j 1 -o albert.emb albert.rec
bert-predict -q -m hf --embed mean -j 1 -o hf.emb hf.rec
works 'it embeds the same' cmp albert.emb hf.emb
works 'it is looked at' ckpt-inspect albert
like "$(cat out)" 'albert, 2 layers, hidden size 32*' 'is ALBERT'
ckpt-inspect --family albert >said 2>&1
like "$(cat said)" '*30k-clean.model*' 'with its tokenizer'
works 'it is converted' ckpt-convert albert conv/
is "$(ls conv | tr '\n' ' ')" 'albert_config.json config.json model.safetensors spiece.model ' "with Hugging Face's names"
same conv/model.safetensors hf/model.safetensors 'the same tensors'
like "$(tr -d '\n' <conv/config.json)" '*"hidden_act": "gelu_new"*"model_type": "albert"*' 'what it is is said'
bert-tokenize -q -m conv -o conv.rec texts
same conv.rec hf.rec 'and opens'
# the Chinese ones have a list of tokens
mkdir zh
cp albert/albert_config.json albert/model.ckpt-best.* zh
cp "$TEST_TOP/pipelines/data/vocab.txt" zh/vocab_chinese.txt
cp zh/vocab_chinese.txt vocab.txt
bert-tokenize -q -m zh --lines --format ids lines >zh.ids
bert-tokenize -q -m vocab.txt --lines --format ids lines >vocab.ids
same zh.ids vocab.ids 'vocab_chinese.txt is a vocabulary'
works 'and is copied' ckpt-convert -q zh zh.out/
works 'as vocab.txt' cmp zh.out/vocab.txt vocab.txt
bert-train -q --init-config albert/albert_config.json --tokenizer hf --steps 1 -j 1 -o fresh hf.rec
works 'the file alone is a configuration, too' cmp fresh/model.safetensors seed/model.safetensors

# --- several checkpoints
cp albert/model.ckpt-best.index albert/model.ckpt-10.index
refuses "*'albert' holds several checkpoints, 'model.ckpt-10.index', 'model.ckpt-best.index': give the path*" \
	'several are named' ckpt-inspect albert
for i in 1 2 3 4 5; do cp albert/model.ckpt-10.index albert/x$i.index; done
refuses "*'x3.index' and 2 more: give*" 'but not too many' bert-train -m albert -o no hf.rec
works 'the path of one' ckpt-inspect albert/model.ckpt-best
echo 'model_checkpoint_path: "model.ckpt-best"' >albert/checkpoint
works 'the one that "checkpoint" names' ckpt-inspect albert
cp albert/model.ckpt-best.index albert/bert_model.ckpt.index
cp albert/model.ckpt-best.data-00000-of-00001 albert/bert_model.ckpt.data-00000-of-00001
works 'bert_model.ckpt goes before all' ckpt-inspect albert

# --- ELECTRA comes without a configuration
echo "{\"model_type\": \"electra\", \"vocab_size\": 2000, $(size)}" >electra.json
bert-tokenize -q -m vocab.txt -o e.rec texts
bert-train -q --init-config electra.json --tokenizer vocab.txt --steps 1 -j 1 -o e e.rec
mkdir electra_tiny
cp vocab.txt electra_tiny
ckpt-convert -q --to tf1 --heads 2 --drop ^classifier e/model.safetensors electra_tiny/electra_tiny
echo 'model_checkpoint_path: "electra_tiny"' >electra_tiny/checkpoint
refuses "*'electra_tiny' holds weights of the family electra and no configuration: a config.json*" \
	'says what it needs' bert-train -m electra_tiny -o no e.rec
sed -n 's/.*makes it a model, \({.*}\), where.*/\1/p' err | sed 's/: N,/: 2,/' >electra_tiny/config.json
like "$(cat electra_tiny/config.json)" '{"model_type": "electra", *"embedding_size": 16, "hidden_size": 32, "num_hidden_layers": 2,*"intermediate_size": 48, *64}' 'in full'
works 'which makes it one' bert-train -q -m electra_tiny --steps 1 -j 1 -o e.out e.rec
rm electra_tiny/c*
mkdir empty
mkdir -p above/.old above/z above/b above/a
touch above/.old/config.json above/b/config.json above/z/config.json
refuses "*'above' is not a model directory; 'above/b' is one" 'the directory above' \
	bert-train -m above -o no e.rec
refuses "*'empty' is not a model directory: it holds neither config.json nor*" 'nothing at all' bert-train -m empty -o no e.rec
refuses "*'e.rec' is a file and not a model directory" 'records in place of a model' \
	bert-train -m e.rec -o no empty
cp e.out/model.safetensors alone.safetensors
for f in alone.safetensors e.rec e.out/config.json e.out/model.safetensors empty; do
	case $f in
	alone*) says="holds weights of the family electra and no configuration: in a directory, as model.safetensors, a config.json makes it a model, {\"model_type\": \"electra\", *" ;;
	e.out*) says="is a file and not a model directory; 'e.out' is one" ;;
	empty) says='is not a model directory: *' ;;
	*) says='is a file and not a model directory' ;;
	esac
	for tool in 'bert-train -o no' 'bert-train --lora 2 -o no' bert-predict bert-eval; do
		# shellcheck disable=SC2086
		refuses "${tool%% *}: '$f' $says" "$f to $tool, in one line" $tool -m $f e.rec
	done
done
refuses "bert-predict: 'albert/bert_model.ckpt' is a file and not a model directory; 'albert' is one" \
	'the name of a checkpoint of TensorFlow' bert-predict -m albert/bert_model.ckpt e.rec
refuses "*'e.rec': * is not valid UTF-8 *(give a model directory, its vocab.txt or its tokenizer.json)" 'or of a tokenizer' \
	bert-tokenize -m e.rec vocab.txt
refuses "*'e.out/config.json': *(give a model directory, its vocab.txt or its tokenizer.json)" 'a configuration' \
	bert-tokenize -m e.out/config.json e.rec

# --- a head of layers has names of its own, which others keep
echo "{\"model_type\": \"bert\", \"vocab_size\": 2000, $(size)}" >bert.json
bert-train -q --init-config bert.json --head 'first, dense 6 relu, dense' --tokenizer vocab.txt --steps 1 -j 1 \
	-o layers e.rec
bert-predict -q -m layers --proba -j 1 -o layers.csv e.rec
for to in tf1 tf2; do
	mkdir $to
	works "a head of layers as $to" ckpt-convert --to $to layers $to/
	like "$(cat err)" '*4 tensors kept under their own name: head.0.bias, head.0.weight, head.1.bias, head.1.weight*' \
		'says that it has no such names'
	bert-predict -q -m $to --proba -j 1 -o $to.csv e.rec
	same $to.csv layers.csv 'is the same model to us'
done
works 'a head of layers as gguf' ckpt-convert layers layers.gguf
like "$(cat err)" '*4 tensors left out, for which llama.cpp has no place: head.0.bias, head.0.weight, head.1.bias, head.1.weight*' \
	'says that it is left out'

# --- presets of KerasHub
H=$DATA/ckpt-hdf5
. "$TEST_TOP/tests/lib/keras-hub.sh"
ckpt-convert -q --to tf2 "$H" v.ckpt
mkdir task
hub whole.h5
keras_preset task
ckpt-convert -q --to h5 --names keep --drop '^layers/dense' --rename 's,^layers/bert_backbone/,,' \
	whole.h5 task/model.weights.h5
ckpt-convert -q --to h5 --names keep --drop ^layers/bert_backbone whole.h5 task/task.weights.h5
printf 'good bad\nfine\n' >lines
bert-tokenize -q -m "$H" --lines -o wanted.rec lines
works 'its tokenizer opens' bert-tokenize -q -m task --lines -o task.rec lines
is "$(tfrecord-cat --json task.rec | grep -o '"input_ids":[^]]*' )" \
	"$(tfrecord-cat --json wanted.rec | grep -o '"input_ids":[^]]*')" 'and gives the tokens'
works 'a classifier predicts' bert-predict -q -m task --proba -j 1 -o task.csv task.rec
ckpt-convert -q task task.hf/
is "$(ls task.hf | tr '\n' ' ')" 'config.json model.safetensors tokenizer_config.json vocab.txt ' 'it is converted'
mkdir same
sed '1s/{/{"hidden_act": "gelu_new", /' "$H/config.json" >same/config.json
cp "$H/model.safetensors" "$H/vocab.txt" same
same task.hf/model.safetensors same/model.safetensors 'to the tensors it is made of'
bert-tokenize -q -m same --lines lines | bert-predict -q -m same --proba -j 1 | tail -n +2 >same.csv
is "$(tail -n +2 task.csv | cut -d, -f3-)" "$(cut -d, -f3- same.csv)" 'it answers as they do'
ckpt-convert -q task theirs.gguf
ckpt-convert -q task.hf ours.gguf
works 'for llama.cpp, too' ckpt-inspect --diff theirs.gguf ours.gguf
works 'with the tokens' cmp -n 900 theirs.gguf ours.gguf
bert-predict -q -m task.hf --proba -j 1 -o hf.csv task.rec
same hf.csv task.csv 'and as what it was converted to does'
# its backbone in several files
cp -R task several
rm several/model.weights.h5
for i in 0 1; do
	rest=$(ckpt-inspect task/model.weights.h5 | awk -v "i=$i" '/F32/ && /transformer/ == i { print $1 }' | paste -s -d '|' -)
	ckpt-convert -q --to h5 --names keep --drop "^($rest)\$" task/model.weights.h5 several/model_0000$i.weights.h5
done
for i in 0 1; do
	ckpt-inspect several/model_0000$i.weights.h5 | sed -n "s,^\\(.*\\)/[0-9]*  *F32 .*,\"/\\1\": \"model_0000$i.weights.h5\",p"
done | sort -u | sed '1s/^/{"weight_map": {/; $!s/$/,/; $s/$/}}/' >several/model.weights.json
works 'a classifier with shards predicts' bert-predict -q -m several --proba -j 1 -o several.csv task.rec
same several.csv task.csv 'the same'
csv2tfrecord -q -l label -t text texts.csv | bert-tokenize -q -m task --max-length 12 -o train.rec
works 'it trains' bert-train -q -m task --steps 1 -j 1 -o task.out train.rec
is "$(ls task.out | tr '\n' ' ')" 'README.md config.json history.jsonl model.safetensors tokenizer_config.json vocab.txt ' 'into a model directory of its own'
mkdir backbone
cp -R task/assets task/*er.json task/config.json task/model.weights.h5 backbone
works 'a backbone' bert-predict -q -m backbone --embed cls -j 1 -o b.emb task.rec
refuses "*'backbone' does not hold a trained classifier*" 'has no classes' bert-predict -m backbone task.rec

# others are told what they are
sed 's/BertBackbone/RobertaBackbone/' task/config.json >backbone/config.json
refuses "*backbone/config.json*configuration of KerasHub, of the class 'RobertaBackbone', and of these only BertBackbone*" \
	'another model' bert-train -m backbone -o no task.rec
cp task/config.json backbone
for s in 's/BertTokenizer/RobertaTokenizer/' 's/"##"/"@"/' 's/"split": true/"split": false/' 's/: true/: 7/'; do
	sed "$s" task/tokenizer.json >backbone/tokenizer.json
	refuses "*backbone/tokenizer.json*" "a tokenizer that differs: $s" bert-tokenize -m backbone --lines lines
done
rm -R backbone/assets
refuses "*settings of KerasHub, of the class 'BertTokenizer'*" 'no vocabulary' bert-tokenize -m backbone --lines lines
for s in 's/"num_layers": 2,//' 's/: 8,/: "8",/' 's/"num_classes": 2/"num_classes": -1/' 's/"num_layers": 2/"num_layers": 1e9/'; do
	rm -Rf bad
	cp -R task bad
	for f in config task; do sed "$s" task/$f.json >bad/$f.json; done
	refuses "*bad/*" "a file that lies: $s" bert-predict -m bad task.rec
done
if ${PEER_TENSORFLOW:-false} -c 'import keras_hub' 2>/dev/null; then
	works 'KerasHub writes one' "$PEER_TENSORFLOW" "$TEST_TOP/tests/fixtures/keras-hub-peer.py" \
		"$TEST_TOP/pipelines/data/vocab.txt" texts.csv theirs
	tail -n +2 texts.csv | cut -d, -f1 >plain
	bert-tokenize -q -m theirs --lines --format ids --no-special plain >ids
	same ids theirs.ids 'its tokens are ours'
	bert-tokenize -q -m theirs --lines plain |
		bert-predict -q -m theirs --proba --dtype f32 -j 1 | tail -n +2 | cut -d, -f3- | tr , ' ' >ours.proba
	paste -d ' ' ours.proba theirs.proba | awk '{ for (i = 1; i <= 3; i++) { d = $i - $(i + 3);
		if (d > 2e-6 || d < -2e-6) bad++ } } END { exit NR < 4 || bad > 0 }'
	result $? 'and its answers'
else
	skip 'KerasHub writes one' 'no PEER_TENSORFLOW with keras_hub'
fi
rm task/task.weights.h5
refuses "*'task' does not hold a trained classifier*" 'a classifier without its head' bert-predict -m task task.rec
finish
