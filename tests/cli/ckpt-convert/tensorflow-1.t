#!/bin/sh
# SPDX-License-Identifier: MIT
# ALBERT and ELECTRA under the names of their first TensorFlow code.
# Not under thread: the threads are those of cli/ckpt-inspect/safetensors
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/families.sh"
small_data
names() { ckpt-inspect "$1" | awk '/\[/ { print $1, $3 }'; }

for f in albert electra; do
	family_config $f >$f.json
	bert-train -q --init-config $f.json --tokenizer vocab.txt --steps 2 -j 1 -o $f train.rec
	mkdir $f-tf
	cp $f/config.json $f/vocab.txt $f-tf
	ckpt-convert --to tf1 $f $f-tf 2>said
	works "$f" ckpt-inspect --check $f-tf
	works 'and back' ckpt-convert -q $f-tf $f.safetensors
	works 'is the same' ckpt-inspect --diff $f.safetensors $f
	for m in $f $f-tf; do
		works "$m predicts" bert-predict -q -m $m --proba -j 1 -o $m.csv dev.rec
	done
	same $f-tf.csv $f.csv 'the same'
	refuses "*is a model of the family $f, which does not have names of Model Garden*" \
		'nothing for Model Garden' ckpt-convert --to tf2 $f x.ckpt
done
like "$(cat said)" '*4 tensors kept under their own name: classifier.dense.bias*' "ELECTRA's head has no name"

names albert-tf | grep -E 'group_0.*(query/kernel|LayerNorm(_1)?/gamma|dense/kernel)|mapping_in/k|pooler/d.*k|^output' |
	sed 's/ .*//' >got
cat >wanted <<'END'
bert/encoder/embedding_hidden_mapping_in/kernel
bert/encoder/transformer/group_0/inner_group_0/LayerNorm/gamma
bert/encoder/transformer/group_0/inner_group_0/LayerNorm_1/gamma
bert/encoder/transformer/group_0/inner_group_0/attention_1/output/dense/kernel
bert/encoder/transformer/group_0/inner_group_0/attention_1/self/query/kernel
bert/encoder/transformer/group_0/inner_group_0/ffn_1/intermediate/dense/kernel
bert/encoder/transformer/group_0/inner_group_0/ffn_1/intermediate/output/dense/kernel
bert/pooler/dense/kernel
output_bias
output_weights
END
same got wanted "ALBERT's names"
names electra-tf | grep -E '_embeddings|project|layer_0/.*kernel' | sed 's/ .*//' >got
cat >wanted <<'END'
electra/embeddings/position_embeddings
electra/embeddings/token_type_embeddings
electra/embeddings/word_embeddings
electra/embeddings_project/bias
electra/embeddings_project/kernel
electra/encoder/layer_0/attention/output/dense/kernel
electra/encoder/layer_0/attention/self/key/kernel
electra/encoder/layer_0/attention/self/query/kernel
electra/encoder/layer_0/attention/self/value/kernel
electra/encoder/layer_0/intermediate/dense/kernel
electra/encoder/layer_0/output/dense/kernel
END
same got wanted "ELECTRA's names"

# a module of TensorFlow Hub, a bare encoder, heads of pre-training
ckpt-convert -q --to tf1 --names keep --rename 's,^bert/,module/&,' albert-tf hub.ckpt
works 'a module' ckpt-convert -q hub.ckpt hub.safetensors
works 'is the same' ckpt-inspect --diff hub.safetensors albert
ckpt-convert -q --drop '^classifier' --rename 's/^albert\.//' albert bare.safetensors
ckpt-convert -q --drop '^classifier' albert whole.safetensors
ckpt-convert -q --to tf1 whole.safetensors whole.ckpt
works 'a bare encoder' ckpt-convert --to tf1 bare.safetensors bare.ckpt
works 'has the same names' ckpt-inspect --diff bare.ckpt whole.ckpt
ckpt-convert -q --rename 's/classifier/sop_classifier.classifier/' albert sop.safetensors
ckpt-convert -q --to tf1 sop.safetensors sop.ckpt
is "$(names sop.ckpt | grep cls | tr '\n' ' ')" \
	'cls/seq_relationship/output_bias [4] cls/seq_relationship/output_weights [4,32] ' "ALBERT's second task"
ckpt-convert -q sop.ckpt sop.back.safetensors
works 'comes back' ckpt-inspect --diff sop.back.safetensors sop.safetensors
ckpt-convert -q --rename 's/classifier/discriminator_predictions/' --rename 's/out_proj/dense_prediction/' \
	electra rtd.safetensors
works "ELECTRA's task" ckpt-convert --to tf1 rtd.safetensors rtd.ckpt
is "$(names rtd.ckpt | grep discriminator.*kernel | tr '\n' ' ')" \
	'discriminator_predictions/dense/kernel [32,32] discriminator_predictions/dense_1/kernel [32,4] ' 'has its names'
ckpt-convert -q rtd.ckpt rtd.back.safetensors
works 'comes back' ckpt-inspect --diff rtd.back.safetensors rtd.safetensors
# both models of a training: the tables are shared
ckpt-convert -q --to tf1 --names keep --rename 's,^electra/(enc|embeddings_p),generator/\1,' electra-tf generator.ckpt
works 'a generator' ckpt-convert -q --drop '^electra/enc|^electra/embeddings_project' \
	--rename 's,^generator/,electra/,' generator.ckpt generator.safetensors
works 'is recognized as the model' ckpt-inspect --diff generator.safetensors electra
# the first version: a table of one file, whose first entry is a message of messages
{
	printf '\000\000\007\012\005\012\003\012\001\167\000\000\000\000\001\000\000\000\000\100\352\373'
	printf '\055\000\000\000\000\001\000\000\000\000\300\362\241\260\000\001\002\001\000\022\000\000'
	printf '\000\000\001\000\000\000\000\110\315\321\335\027\010\044\016\000\000\000\000\000\000\000'
	printf '\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000'
	printf '\000\000\000\000\000\000\000\127\373\200\213\044\165\107\333'
} >v1.ckpt
refuses "ckpt-inspect: 'v1.ckpt' is a checkpoint of the first version (V1), which is not read: TensorFlow 1 saves it as V2 *" \
	'the first version' ckpt-inspect v1.ckpt

# --- names that can have no files beside them
mkfifo pipe
for to in - /dev/null /dev/full pipe; do
	misuses "ckpt-convert: '$to' takes one stream, and a checkpoint of TensorFlow is two files*" "to $to" \
		ckpt-convert --to tf1 "$DATA/ckpt-formats/torch.bin" $to
	[ ! -e $to.index ]
	result $? '... writes nothing'
done
finish
