# SPDX-License-Identifier: MIT
# HDF5 written: Hugging Face's tf_model.h5, a Keras model's weights.
# Not under thread: the threads are those of cli/ckpt-inspect/safetensors
. "$TEST_TOP/tests/lib/lib.sh"
H=$DATA/ckpt-hdf5
names() { ckpt-inspect "$1" | awk '/\[/ { print $1, $3 }' | sort; }

# --- tf_model.h5
works 'a model' ckpt-convert "$H" tf_model.h5
like "$(cat err)" '*41 tensors, 5960 bytes * (hdf5, names of Hugging Face for TensorFlow)' 'is written'
works 'checked' ckpt-inspect --check tf_model.h5
works 'as transformers writes it' ckpt-inspect --diff tf_model.h5 "$H/tf_model.h5"
names "$H/tf_model.h5" >wanted
names tf_model.h5 >names
same names wanted 'under the same names'
like "$(ckpt-inspect --json tf_model.h5)" '*"layer_names": "bert, classifier", "backend": "tensorflow"*' \
	'and the notes of Keras'
works 'back' ckpt-convert -q tf_model.h5 back.safetensors
same back.safetensors "$H/model.safetensors" 'to the bit'
works 'again' ckpt-convert -q tf_model.h5 again.h5
cmp again.h5 tf_model.h5 >why 2>&1
result $? 'are the same bytes'
works 'a directory' ckpt-convert -q --to h5 "$H" dir/
printf 'good bad\nfine\n' >lines
for m in dir "$H"; do
	bert-tokenize -q -m "$m" --lines lines | bert-predict -q -m "$m" --proba
done >both.csv
is "$(sed -n 2,3p both.csv)" "$(sed -n 5,6p both.csv)" 'predicts the same'
ckpt-convert -q --dtype f16 "$H" half.h5
is "$(ckpt-inspect half.h5 | grep -c F16)" 41 '--dtype f16'

# --- families
for f in roberta distilbert electra albert mpnet deberta-v2 modernbert; do
	ckpt-convert -q --drop '^(grad|in|out)\.' --rename 's/^param\.//' "$DATA/$f.safetensors" $f.safetensors
done
for f in roberta distilbert electra albert mpnet deberta-v2; do
	ckpt-convert -q $f.safetensors $f.h5
	ckpt-convert -q $f.h5 $f.back.safetensors
	works "$f and back" ckpt-inspect --diff $f.back.safetensors $f.safetensors
done
is "$(names deberta-v2.h5 | grep -c 'deberta/tf_deberta_v2_for_sequence_classification/deberta/encoder/rel_embeddings.weight:0')" \
	1 'a name with a point'
is "$(names mpnet.h5 | grep relative)" \
	'mpnet/tfmp_net_for_sequence_classification/mpnet/encoder/relative_attention_bias/embeddings:0 [32,3]' \
	'a table'
refuses '*is a model of the family modernbert, which does not have names of Hugging Face for TensorFlow; it can be written as safetensors, npz or onnx*' \
	'a family without such names' ckpt-convert modernbert.safetensors x.h5
while read -r f to whose; do
	refuses "*is a model of the family $f, which does not have names of $whose*, h5 or onnx*" \
		"$f as $to" ckpt-convert --to "$to" $f.safetensors x
done <<'END'
mpnet tf1 TensorFlow 1
deberta-v2 tf2 Model Garden
mpnet gguf llama.cpp
deberta-v2 gguf llama.cpp
END
works '--names keep' ckpt-convert -q --names keep --to tf1 mpnet.safetensors kept.ckpt
refuses '*is not of a known family of models*' 'no model' \
	ckpt-convert "$H/keras.safetensors" x.h5
[ ! -e x.h5 ]
result $? 'nothing is written'

# --- a Keras model's weights
works 'a classifier' ckpt-convert -q "$H" weights.h5
is "$(names weights.h5 | grep -c ^tf_bert_model/tf_bert_model/bert/)" 39 'is an encoder'
is "$(names weights.h5 | grep ^dense)" 'dense/dense/bias:0 [2]
dense/dense/kernel:0 [8,2]' 'and a dense layer'
works 'back' ckpt-convert -q weights.h5 back.safetensors
same back.safetensors "$H/model.safetensors" 'to the bit'
ckpt-convert -q --drop '^(grad|in|out)\.' --rename 's/^param\.//' "$DATA/head-flatten.safetensors" flat.safetensors
refuses "*'head.0.weight' does not belong to *(use --to keras)" \
	'a head of layers' ckpt-convert flat.safetensors tf_flat.h5
works 'is written' ckpt-convert --to keras flat.safetensors flat.h5
like "$(cat err)" '*no pooler, which*zeros stand for it*' 'with a pooler'
# layers are numbered over a session
ckpt-convert -q --to h5 --names keep --rename 's/dense_1/dense_10/g' --rename 's,dense/dense/,dense_9/dense_9/,' flat.h5 session.h5
is "$(names session.h5 | grep -c '^dense_[19]0*/')" 4 'of a session'
for f in flat session; do
	works "$f back" ckpt-convert -q --drop pooler $f.h5 $f.back.safetensors
	works 'is the same' ckpt-inspect --diff $f.back.safetensors flat.safetensors
done
like "$(ckpt-inspect --json session.h5)" '*"metadata": {},*' 'names kept are no list of layers'
misuses '*(weights.h5, without the point)*' "a name of Keras' newer form" \
	ckpt-convert --to keras flat.safetensors flat.weights.h5
refuses "*'classifier.scale' belongs neither to an encoder nor to a dense layer*" \
	'what is no dense layer' ckpt-convert --to keras \
	--rename 'classifier.bias=classifier.scale' "$H" x.h5

# --- a table that two layers hold
ckpt-convert -q --to h5 --names keep --drop classifier/kernel --rename 's,^classifier/(.*)/classifier/bias,mlm___cls/\1/bert/pooler/dense/bias,' \
	tf_model.h5 shared.h5
is "$(names shared.h5 | grep -c pooler/dense/bias)" 2 'a bias that is shared'
works 'is read' ckpt-convert shared.h5 shared.safetensors
like "$(cat err)" '*: 39 tensors*' 'once'
cp shared.h5 dir/tf_model.h5
printf 'text,label\ngood,a\nbad,b\n' >t.csv
csv2tfrecord -q -t text -l label t.csv | bert-tokenize -q -m dir -o t.rec
works 'and is a model' bert-train -q -m dir --steps 1 -o tuned t.rec
# --- any arrays
works 'every type' ckpt-convert -q --names keep --to h5 "$H/types.safetensors" types.h5
works 'comes back' ckpt-inspect --diff types.h5 "$H/types.safetensors"
works 'bf16' ckpt-convert -q --names keep --dtype bf16 --to h5 "$H/types.safetensors" bf16.h5
works 'is read' ckpt-inspect --check bf16.h5
{
	printf '\070\0\0\0\0\0\0\0%-56s' '{"z":{"dtype":"C64","shape":[1],"data_offsets":[0,8]}}'
	head -c 8 /dev/zero
} >complex.safetensors
ckpt-convert --names keep --dtype f32 complex.safetensors complex.h5 2>err
is "$(cat err)" "ckpt-convert: tensor 'z' is of type C64, which HDF5 does not have" \
	'a type that no --dtype converts'
refuses "*is of type F4, which HDF5 does not have*" 'a type that it lacks' \
	ckpt-convert --names keep --to h5 "$DATA/ckpt-dtypes.safetensors" x.h5
refuses "*'f2' cannot be an array and a group, of 'f2/x'" 'an array and a group' \
	ckpt-convert --names keep --to h5 --rename f4=f2/x "$H/types.safetensors" x.h5
refuses "*two tensors cannot be named 'f2'" 'two of a name' \
	ckpt-convert --names keep --to h5 --rename f4=f2 "$H/types.safetensors" x.h5
for name in /a a/ a//b a/./b; do
	refuses "*'$name' cannot be the name of an array in groups" "the name $name" \
		ckpt-convert --names keep --to h5 --rename "f4=$name" "$H/types.safetensors" x.h5
done
# more than an attribute holds, and trees of several levels
awk 'BEGIN {
	s = "{\"bert.encoder.layer.0.attention.self.query.weight\":{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4]}"
	for (i = 0; i < 1500; i++)
		s = s ",\"bert.encoder.layer." i ".output.LayerNorm.bias\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[4,4]}"
	print s "}"
}' >head.json
size=$(wc -c <head.json | tr -d ' ')
# shellcheck disable=SC2059
printf "\\$(printf %o $((size % 256)))\\$(printf %o $((size / 256 % 256)))\\$(printf %o $((size / 65536)))\0\0\0\0\0" >many.safetensors
cat head.json >>many.safetensors
printf '\0\0\0\0' >>many.safetensors
works 'many layers' ckpt-convert -q many.safetensors many.h5
ckpt-convert -q many.h5 many.back.safetensors
is "$(ckpt-inspect --diff many.back.safetensors many.safetensors)" 'identical: 1501 tensors' 'come back'

peer_or_end 'h5py reads all' h5py safetensors
py() { "$PEER_PYTHON" "$TEST_TOP/tests/fixtures/ckpt-hdf5.py" "$@"; }
for f in tf_model weights half flat deberta-v2 types many; do
	ckpt-convert -q --names keep $f.h5 $f.npz
	works "h5py: $f" py same $f.h5 $f.npz
done
works 'layers named otherwise' py call flat.h5 dense=inner dense_1=answer
ckpt-convert -q --drop pooler flat.h5 named.safetensors
works 'are in the order of the file' ckpt-inspect --diff named.safetensors flat.safetensors
for f in tf_model flat many weights; do
	works "the layers of $f" py layers $f.h5
done
is "$(cat out)" '2 layers, 41 weights' 'are all there'
works 'h5py adds to it' py add weights.h5
works 'which is read' ckpt-inspect --check weights.h5
finish
