# SPDX-License-Identifier: MIT
# HDF5 files of Keras and of transformers for TensorFlow, and SavedModels.
# Not under thread: the threads are those of cli/ckpt-inspect/safetensors
. "$TEST_TOP/tests/lib/lib.sh"
H=$DATA/ckpt-hdf5

# --- arrays
works 'arrays of every type' ckpt-inspect --diff "$H/types.h5" "$H/types.safetensors"
is "$(cat out)" 'identical: 16 tensors' 'are those that h5py wrote'
ckpt-inspect --json "$H/types.h5" >out
like "$(cat out)" '{"format": "hdf5",*"metadata": {"text": "text"}*' \
	'a text is a note, links are passed over'
is "$(ckpt-inspect "$H/types.h5" | tail -n 1)" '1 entry is not listed: text (text)' 'and is counted'
works 'the newest form' ckpt-inspect "$H/latest.h5" "$H/latest.safetensors"
like "$(ckpt-inspect --json "$H/latest.h5")" '*"note": "latest"*' 'with its attributes'
works 'Keras 3' ckpt-inspect "$H/keras3.h5"
is "$(sed -n 2,3p out)" 'layers/dense/vars/0  F32    [4,6]          24     96
layers/dense/vars/1  F32    [6]             6     24' 'has numbers for names'
is "$(ckpt-inspect "$H/keras3-bf16.h5" | sed -n 2p; ckpt-inspect --dump layers/dense/vars/0 "$H/keras3-bf16.h5")" \
	'layers/dense/vars/0  BF16   [2,2]           4      8
1 -2.5
0.125 3' 'of bfloat16, too'
like "$(ckpt-inspect --json "$H/keras.h5")" \
	'*"layer_names": "input_1, dense_3, dense_4"*"keras_version": "2.11.0"*' \
	'what Keras notes'
works '--check' ckpt-inspect --check "$H/types.h5"

# --- what is not read
while IFS='|' read -r file glob; do
	refuses "*/$file.h5': $glob" "$file.h5" ckpt-inspect "$H/$file.h5"
done <<'END'
chunked|'g/x': it is stored in chunks, which are not read: h5repack * makes one piece of it
packed|'g/x': it is stored in chunks*
newest|'g/x': it is stored in chunks*
outside|'g/x': its values stand in other files, which are not read
big|'x': its numbers are big-endian, which is not read
round|'a/again/a*': *groups *
many|a group of the newer form with many members*
END
{ head -c 392 "$H/latest.h5"; printf '\011'; tail -c +394 "$H/latest.h5"; } >later.h5
refuses "*'later.h5': 'a/b': version 9 of HDF5's layout, which is not read: write the file again*" \
	'a later version' ckpt-inspect later.h5
head -c 4000 "$H/types.h5" >cut.h5
exits 1 'a file that is cut off' ckpt-inspect --check cut.h5
is "$(cat out)" "'cut.h5': it is cut off: it should have $(wc -c <"$H/types.h5" | tr -d ' ') bytes, not 4000" \
	'the message says so'

# --- names
works "Hugging Face's names" ckpt-convert -q "$H/tf_model.h5" hf.safetensors
same hf.safetensors "$H/model.safetensors" 'are those of PyTorch, the bytes too'
works 'names of layers' ckpt-convert -q "$H/keras.h5" dense.safetensors
works 'and their kernels' ckpt-inspect --diff dense.safetensors "$H/keras.safetensors"
works 'layers behind an encoder' ckpt-convert -q "$H/notebook.h5" notebook.safetensors
works 'are a head' ckpt-inspect --diff notebook.safetensors "$H/notebook.safetensors"
works 'names kept' ckpt-convert -q --names keep "$H/keras.h5" kept.safetensors
is "$(ckpt-inspect --grep dense_3.*kernel kept.safetensors | awk 'NR == 2 { print $1, $3 }')" \
	'dense_3/dense_3/kernel:0 [4,6]' 'as they are'
works 'as TF1' ckpt-convert -q --to tf1 "$H/tf_model.h5" tf1.ckpt
works 'and back' ckpt-convert -q tf1.ckpt tf1.safetensors
same tf1.safetensors "$H/model.safetensors" 'the same bytes'

# --- a model directory
mkdir h5
cp "$H/tf_model.h5" "$H/config.json" "$H/vocab.txt" h5
mkdir pt
cp "$H/model.safetensors" "$H/config.json" "$H/vocab.txt" pt
printf 'text,label\ngood,a\nbad,b\nfine,a\npoor,b\ngood good bad,a\n' >t.csv
csv2tfrecord -q -t text -l label t.csv | bert-tokenize -q -m h5 -o t.rec
for d in h5 pt; do
	works "predictions of $d" bert-predict -q -m $d --proba --dtype f32 -o $d.csv t.rec
done
same h5.csv pt.csv 'are the same'
works 'training goes on' bert-train -q -m h5 --steps 2 --dtype f32 -o tuned t.rec
bert-train -q -m pt --steps 2 --dtype f32 -o tuned-pt t.rec
works 'alike' ckpt-inspect --diff tuned tuned-pt
printf '{"weight_map": {' >index
for t in $(ckpt-inspect "$H/keras.h5" | awk '/F32/ { print $1 }'); do
	printf '"%s": "tf_model-00001-of-00001.h5", ' "$t"
done | sed 's/, $/}}\n/' >>index
mkdir shards
mv index shards/tf_model.h5.index.json
cp "$H/keras.h5" shards/tf_model-00001-of-00001.h5
works 'shards' ckpt-inspect shards "$H/keras.h5"
# Keras' own: a group in one file or in several
mkdir parts
for i in 0 1; do
	ckpt-convert -q --names keep --to h5 --drop "[^$i]\$" "$H/keras3.h5" parts/model_0000$i.weights.h5
done
keras_index() { echo "{\"metadata\": {}, \"weight_map\": {\"/layers/dense/vars\": $1}}" >parts/model.weights.json; }
keras_index '["model_00000.weights.h5", "model_00001.weights.h5"]'
works "shards of Keras" ckpt-inspect parts "$H/keras3.h5"
keras_index '"model_00000.weights.h5"'
works 'a group in one' ckpt-inspect parts/model.weights.json
is "$(tail -n 1 out)" '1 tensor, 24 parameters, 96 bytes' 'its tensor'
keras_index '["model_00000.weights.h5", "model_00001.weights.h5"]'
ckpt-convert -q --names keep --to h5 --rename 's,dense,other,' parts/model_00001.weights.h5 other.h5
cp other.h5 parts/model_00001.weights.h5
keras_index '["model_00000.weights.h5", "model_00001.weights.h5"], "/layers/other/vars": "model_00001.weights.h5"'
refuses "*says that tensor '/layers/dense/vars' is in 'model_00001.weights.h5', which does not hold it (1 of 3 *" \
	'a group of which one file holds nothing' ckpt-inspect parts
ckpt-convert -q --names keep --to h5 --rename 's,other,dense,' other.h5 parts/model_00001.weights.h5
keras_index '"model_00000.weights.h5"'
cp "$H/keras3.h5" parts/model_00000.weights.h5
works 'a group of two' ckpt-inspect parts/model.weights.json "$H/keras3.h5"
cp parts/model_00001.weights.h5 parts/model_00000.weights.h5
keras_index '["model_00000.weights.h5"], "/layers/more/vars": "model_00000.weights.h5"'
refuses "*says that tensor '/layers/more/vars' is in 'model_00000.weights.h5', which does not hold it*" \
	'a group that is missing' ckpt-inspect parts
for list in '[], "/more/vars": "model_00000.weights.h5"' '[7]' '["model_00000.weights.h5", 7]' '{}'; do
	keras_index "$list"
	refuses "*does not name a shard for tensor '/layers/dense/vars'" "shards $list" ckpt-inspect parts/model.weights.json
done

# --- a SavedModel
ckpt-convert -q --to tf2 pt v.ckpt
mkdir -p saved/variables saved/assets
mv v.ckpt.index saved/variables/variables.index
mv v.ckpt.data-00000-of-00001 saved/variables/variables.data-00000-of-00001
: >saved/saved_model.pb
cp "$H/vocab.txt" saved/assets
works 'a SavedModel' ckpt-inspect --check saved
works 'as safetensors' ckpt-convert -q saved saved.safetensors
same saved.safetensors "$H/model.safetensors" 'has the same weights'
cp "$H/config.json" saved
works 'its vocabulary' bert-tokenize -q -m saved -o saved.text.rec --lines "$H/vocab.txt"
works 'is that of its assets' bert-tokenize -q -m pt -o pt.text.rec --lines "$H/vocab.txt"
cmp saved.text.rec pt.text.rec
result $? 'with the same ids'
works 'it predicts' bert-predict -q -m saved --proba --dtype f32 -o saved.csv t.rec
same saved.csv pt.csv 'the same'
works 'and is trained' bert-train -q -m saved --steps 1 --dtype f32 -o saved2 t.rec
same saved2/vocab.txt "$H/vocab.txt" 'with its vocabulary'
ckpt-convert -q --to tf1 pt hub.ckpt
ckpt-convert -q --names keep --rename 's,^bert/,module/&,' hub.ckpt module.ckpt
works 'a module of the first TensorFlow Hub' ckpt-convert -q module.ckpt module.safetensors
same module.safetensors "$H/model.safetensors" 'has its own scope'

# --- h5py
toy=$SHARED/tf/toy_keras_bert/test_bert_fit.h5
py() { "$PEER_PYTHON" "$TEST_TOP/tests/fixtures/ckpt-hdf5.py" "$@"; }
if [ -f "$toy" ]; then
	works 'a real file of Keras' ckpt-inspect --check "$toy"
	like "$(cat out)" 'good: 825 tensors, 290097 parameters*' 'is read'
else
	skip 'a real file of Keras' "no $toy"
fi
peer_or_end 'h5py agrees' h5py safetensors
for seed in 1 2 3; do
	works "made up, seed $seed" py random r $seed
	for form in earliest latest; do
		works "$form, seed $seed" ckpt-inspect r/$form.h5 r/$form.safetensors
	done
done
[ ! -f "$toy" ] || {
	works 'the real file as npz' ckpt-convert -q --names keep "$toy" toy.npz
	works 'is what h5py reads' py same "$toy" toy.npz
}
finish
