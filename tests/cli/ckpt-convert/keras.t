# SPDX-License-Identifier: MIT
# BERT in files of keras-bert and of KerasHub.
# Not under thread: the threads are those of cli/ckpt-inspect/safetensors
. "$TEST_TOP/tests/lib/lib.sh"
H=$DATA/ckpt-hdf5
names() { ckpt-inspect "$1" | awk '/\[/ { print $1, $3 }' | sort; }

# --- KerasHub: heads have a dimension of their own, as in Model Garden's
. "$TEST_TOP/tests/lib/keras-hub.sh"
ckpt-convert -q --to tf2 "$H" v.ckpt
works 'a classifier of KerasHub' hub hub.h5
is "$(names hub.h5 | sed -n '1p;/transformer_encoder_1.*query/p')" \
	"$T/dense/vars/0 [8,8]
$T/transformer_encoder_1/_self_attention_layer/query_dense/vars/0 [8,2,4]
$T/transformer_encoder_1/_self_attention_layer/query_dense/vars/1 [2,4]" 'has its names'
works 'is read' ckpt-convert hub.h5 hub.safetensors
same hub.safetensors "$H/model.safetensors" 'to the bit'
hub backbone.h5 --drop ^model/ --rename "s,^$T,layers,"
works 'a backbone' ckpt-convert backbone.h5 backbone.safetensors
ckpt-convert -q --drop ^classifier "$H" encoder.safetensors
works 'too' ckpt-inspect --diff backbone.safetensors encoder.safetensors
mkdir m
cp hub.h5 m/tf_model.h5
cp "$H/config.json" "$H/vocab.txt" m
printf 'good bad\nfine\n' >lines
for m in m "$H"; do
	bert-tokenize -q -m "$m" --lines lines | bert-predict -q -m "$m" --proba
done >both.csv
is "$(sed -n 2,3p both.csv)" "$(sed -n 5,6p both.csv)" 'it is a model'
# other models have such layers, too
hub other.h5 --rename "s,^layers/dense,$T/dense_1,"
works 'what has more layers' ckpt-convert other.h5 other.safetensors
like "$(cat err)" '*41 tensors kept under their own name*' 'is not taken for BERT'

# --- keras-bert
A='Encoder-\1-MultiHeadSelfAttention'
F='Encoder-\1-FeedForward'
E=tf_bert_for_sequence_classification/bert
ckpt-convert -q --to h5 --names keep \
	--rename 's,^.*/layer_._0/,1/,' --rename 's,^.*/layer_._1/,2/,' \
	--rename "s,^(.)/attention/self/(.)[a-z]*/kernel,$A/$A/${A}_W\\2," \
	--rename "s,^(.)/attention/self/(.)[a-z]*/bias,$A/$A/${A}_b\\2," \
	--rename "s,^(.)/attention/output/dense/kernel,$A/$A/${A}_Wo," \
	--rename "s,^(.)/attention/output/dense/bias,$A/$A/${A}_bo," \
	--rename "s,^(.)/attention/output/LayerNorm,$A-Norm/$A-Norm," \
	--rename "s,^(.)/intermediate/dense/kernel,$F/$F/${F}_W1," \
	--rename "s,^(.)/intermediate/dense/bias,$F/$F/${F}_b1," \
	--rename "s,^(.)/output/dense/kernel,$F/$F/${F}_W2," \
	--rename "s,^(.)/output/dense/bias,$F/$F/${F}_b2," \
	--rename "s,^(.)/output/LayerNorm,$F-Norm/$F-Norm," \
	--rename "s,^.*$E/embeddings/word_embeddings/weight,Embedding-Token/Embedding-Token/embeddings," \
	--rename "s,^.*$E/embeddings/position_embeddings,Embedding-Position/Embedding-Position," \
	--rename "s,^.*$E/embeddings/token_type_embeddings,Embedding-Segment/Embedding-Segment," \
	--rename "s,^.*$E/embeddings/LayerNorm,Embedding-Norm/Embedding-Norm," \
	--rename "s,^.*$E/pooler/dense,NSP-Dense/NSP-Dense," \
	--rename 's,^.*/classifier/,dense_2/dense_2/,' \
	--rename 's,^,model_weights/,' "$H/tf_model.h5" kb.h5
is "$(names kb.h5 | grep Encoder-2.*W2)" \
	'model_weights/Encoder-2-FeedForward/Encoder-2-FeedForward/Encoder-2-FeedForward_W2:0 [16,8]' \
	"keras-bert's names"
works 'are read' ckpt-convert kb.h5 kb.safetensors
same kb.safetensors "$H/model.safetensors" 'with the dense layer behind'
toy=$SHARED/tf/toy_keras_bert/test_bert_fit.h5
if [ -f "$toy" ]; then
	works 'a real file' ckpt-convert --drop ^optimizer "$toy" toy.safetensors
	like "$(cat err)" 'ckpt-convert: 206 tensors*' 'all its tensors have names'
	is "$(names toy.safetensors | grep -vc '^bert\|^cls')" 0 "of BERT's"
else
	skip 'a real file' "no $toy"
fi
finish
