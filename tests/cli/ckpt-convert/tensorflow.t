# SPDX-License-Identifier: MIT
# Checkpoints of TensorFlow, and conversions from each format to each.
# Not under thread: the threads are those of cli/ckpt-inspect/safetensors
. "$TEST_TOP/tests/lib/lib.sh"
tf=$DATA/ckpt-tf

# --- TensorFlow's files
works 'an index' ckpt-inspect "$tf/types.index"
mv out wanted
for path in types types.data-00000-of-00001 types.meta; do
	works "opened as $path" ckpt-inspect "$tf/$path"
	same out wanted 'lists the same'
done
mkdir ckpts
cp "$tf"/types.* "$tf"/parts.* ckpts
printf 'model_checkpoint_path: "/moved/away/types"\nall_model_checkpoint_paths: "parts"\n' \
	>ckpts/checkpoint
works 'a directory with a file "checkpoint"' ckpt-inspect ckpts
same out wanted 'means the latest'
rm ckpts/types.*
refuses "*'ckpts/checkpoint' names the checkpoint 'types', but there is no*" \
	'which is gone' ckpt-inspect ckpts
rm ckpts/checkpoint
works 'a directory with one index' ckpt-inspect ckpts
works 'parts of variables' ckpt-inspect --dump long ckpts
is "$(tail -n 1 out)" '297 298 299' 'are put together'
works 'a Snappy index' ckpt-inspect "$tf/snappy"
same out wanted 'lists the same as without'
rm ckpts/parts.data*
works 'no data' ckpt-inspect ckpts/parts
like "$(tail -n 3 out)" '4 tensors, 613 parameters*' 'listed all the same'
exits 2 'checked' ckpt-inspect --check ckpts/parts
like "$(cat err)" "*'ckpts/parts.data-00000-of-00001' is missing*" 'the message says so'
cp "$tf"/types.* ckpts
chmod u+w ckpts/*
printf x | dd of=ckpts/types.data-00000-of-00001 bs=1 seek=3 conv=notrunc 2>dd
exits 1 'a changed byte' ckpt-inspect --check ckpts/types
like "$(cat out)" "*tensor '*' does not match its checksum" 'is found'
refuses "*does not match its checksum" 'and its values are not shown' \
	ckpt-inspect --stats ckpts/types
refuses "*does not match its checksum" 'and not converted' \
	ckpt-convert ckpts/types t.npz

# --- a model of our own, with a head
printf 'text,label\ngood,a\nbad,b\nfine,a\npoor,b\n' >t.csv
printf '[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ngood\nbad\nfine\npoor\n' >vocab.txt
csv2tfrecord -q -t text -l label t.csv | bert-tokenize -q -m vocab.txt >t.rec
mkdir init
cp vocab.txt init
cat >init/config.json <<'END'
{"model_type": "bert", "vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 11,
"num_attention_heads": 2, "intermediate_size": 16, "max_position_embeddings": 12}
END
works 'a small model' bert-train -q --init-config init/config.json \
	--tokenizer init/vocab.txt --steps 2 --dtype f32 -o hf t.rec
for form in tf1 tf2; do
	works "$form" ckpt-convert -q --to $form hf $form.ckpt
	works "$form, checked" ckpt-inspect --check $form.ckpt
	works "$form and back" ckpt-convert -q $form.ckpt $form.safetensors
	same $form.safetensors hf/model.safetensors 'the same bytes'
	works "$form, names kept" ckpt-convert -q --names keep $form.ckpt $form.npz
done
works 'names of Model Garden in safetensors' \
	ckpt-convert -q --names keep tf2.ckpt kept.safetensors
works 'are known there' ckpt-convert -q --names hf kept.safetensors back.safetensors
same back.safetensors hf/model.safetensors 'the same bytes'
works 'and TF1 from TF2' ckpt-convert -q --to tf1 tf2.ckpt tf12.ckpt
same tf12.ckpt.index tf1.ckpt.index 'is TF1'
same tf12.ckpt.data-00000-of-00001 tf1.ckpt.data-00000-of-00001 'with its data'
is "$(ckpt-inspect --grep 'layer_10/att.*query/kernel' tf1.ckpt | awk 'NR == 2 { print $1, $3 }')" \
	'bert/encoder/layer_10/attention/self/query/kernel [8,8]' 'a name of TF1'
is "$(ckpt-inspect --grep -14/.*query.*kernel tf2.ckpt | awk 'NR == 2 { print $1, $3 }')" \
	'encoder/layer_with_weights-14/_attention_layer/_query_dense/kernel/.ATTRIBUTES/VARIABLE_VALUE [8,2,4]' \
	'a name of Model Garden'

# --- Google's layout is a model directory
bert-predict -q -m hf t.rec >wanted
for form in tf1 tf2; do
	mkdir google-$form
	cp vocab.txt google-$form
	cp hf/config.json google-$form
	works "bert_model.ckpt, $form" \
		ckpt-convert -q --to $form hf google-$form
	works 'predicts' bert-predict -q -m google-$form t.rec
	same out wanted 'the same'
done
mkdir google
cp google-tf1/bert_model.ckpt* google-tf1/vocab.txt google
sed 's/"model_type": "bert", //' init/config.json >google/bert_config.json
works 'bert_config.json, vocab.txt and bert_model.ckpt' \
	bert-train -q -m google --steps 1 -o tuned t.rec
works 'make a model' ckpt-inspect --check tuned
works 'of which those who know old names' ckpt-convert -q \
	--rename 's/LayerNorm.weight$/LayerNorm.gamma/' \
	--rename 's/^bert\.(.*LayerNorm)\.bias/\1.beta/' hf old.safetensors
works 'gamma and beta' ckpt-inspect --grep 'LayerNorm.(gamma|beta)' old.safetensors
is "$(sed -n 2p out | awk '{ print $1 }')" bert.embeddings.LayerNorm.gamma 'there'
works 'are read' ckpt-convert -q --names hf old.safetensors new.safetensors
same new.safetensors hf/model.safetensors 'as the same'

# --- choosing
works '--drop' ckpt-convert --drop '^classifier' --drop pooler hf encoder.safetensors
like "$(cat err)" '*181 tensors*' 'leaves out'
works '--rename' ckpt-convert -v --rename 's/^bert\.//' \
	--rename 's,layer\.([0-9]+),block_\1_&,g' --rename classifier.bias=b hf r.safetensors
is "$(ckpt-inspect --grep 'block_10_.*key.bias|^b$' r.safetensors |
	awk 'NR > 1 && NR < 4 { print $1 }' | tr '\n' ' ')" \
	'b encoder.block_10_layer.10.attention.self.key.bias ' 'gives names'
refuses "*two tensors cannot be named 'x'*" 'two of one name' \
	ckpt-convert --rename 's/.*/x/' hf x.safetensors
for to in x.npz x.ckpt x/; do
	refuses "*two tensors cannot be named 'x'*" "$to" \
		ckpt-convert --names keep --shard-size 1M --to safetensors \
		--rename 's/.*/x/' hf x/
done
is "$(ls x.* 2>/dev/null)" '' 'nothing is written'
for rule in s/a/b x=; do
	misuses "*'$rule' is not a rule*" "rule $rule" \
		ckpt-convert --rename "$rule" hf x.npz
done
misuses "*bad pattern '('*" 'a bad pattern' ckpt-convert --drop '(' hf x.npz
misuses '*no tensor is left' 'nothing left' ckpt-convert --drop . hf x.npz

# --- types
for type in bf16 f16; do
	works "--dtype $type" ckpt-convert -q --dtype $type hf $type.safetensors
	works 'and f32 again' ckpt-convert -q --dtype f32 $type.safetensors 32.safetensors
	works 'and as short' ckpt-convert -q --dtype $type 32.safetensors again.safetensors
	same again.safetensors $type.safetensors 'the same bytes'
done
works 'large numbers' ckpt-convert --dtype f16 "$DATA/ckpt-values.safetensors" \
	large.safetensors
like "$(cat err)" '*too large for f16*' 'messages say so'
{
	printf '\100\0\0\0\0\0\0\0%-64s' '{"a":{"dtype":"F64","shape":[2],"data_offsets":[0,16]}}'
	printf '\0\0\0\0\0\0\360\177\377\377\377\377\377\377\357\177'
} >wide.safetensors
works 'an infinity and a number of F64' ckpt-convert --dtype f32 \
	wide.safetensors narrow.safetensors
like "$(cat err)" '*warning: 1 number is too large for f32 and has become infinite*' \
	'one of which becomes infinite'
refuses "*'*' is of type BF16, which NumPy does not have (convert with --dtype f32)" \
	'npz knows no bf16' ckpt-convert bf16.safetensors x.npz

# --- tensors without elements
{
	printf '\160\0\0\0\0\0\0\0%-112s' '{"a":{"dtype":"F32","shape":[0,3],"data_offsets":[0,0]},"b":{"dtype":"I64","shape":[0],"data_offsets":[0,0]}}'
} >empty.safetensors
works 'empty tensors to TensorFlow' ckpt-convert -q --names keep empty.safetensors empty.ckpt
works 'their checkpoint' ckpt-inspect --check empty.ckpt
works 'read back' ckpt-inspect --diff empty.ckpt empty.safetensors

works 'all matches of what may be empty' ckpt-convert -q --rename a=bassa --rename 's/s*/-/g' --drop b empty.safetensors sed.safetensors
is "$(ckpt-inspect sed.safetensors | awk 'NR == 2 { print $1 }')" "$(echo bassa | sed 's/s*/-/g')" 'are those of sed'

# --- shards
works '--shard-size' ckpt-convert -q --shard-size 4K hf shards
[ "$(find shards -name 'model-*' | wc -l)" -gt 5 ]
result $? 'many files'
works 'shards' ckpt-inspect --diff shards hf
works 'merged' ckpt-convert -q shards one.safetensors
same one.safetensors hf/model.safetensors 'the same bytes'
mkdir single
cp one.safetensors single/model.safetensors
misuses "*'single/model.safetensors' would be read in place of the shards*" \
	'shards beside a single file' ckpt-convert --shard-size 4K hf single
is "$(ls single)" model.safetensors '... are not written'

# --- misuse
exits 2 'no format' ckpt-convert hf out.bin
like "$(cat err)" "*'out.bin' does not say which format*--to, or a name that ends in .safetensors*, or in a slash for a directory*" 'the message says so'
exits 2 'no TO' ckpt-convert hf
works 'rules for names that are not there' ckpt-convert --drop nothing --drop ^classifier.bias --rename a=b --rename 's/nothing/x/' hf rules.safetensors
like "$(cat err)" "*warning: 3 rules of --drop and --rename changed no tensor: 'nothing', 'a=b', 's/nothing/x/'*" \
	'are warned of'
exits 2 'shards in a file' ckpt-convert --shard-size 1M hf x.safetensors
exits 2 'no size' ckpt-convert --shard-size 0 hf x/
exits 2 'names that do not go with it' ckpt-convert --names tf1 --to tf2 hf x
misuses '*heads*not known*--heads*' 'no configuration' \
	ckpt-convert --to tf2 one.safetensors x
refuses '*heads*' 'heads that do not divide' \
	ckpt-convert --to tf2 --heads 3 one.safetensors x
works '--heads' ckpt-convert -q --to tf2 --heads 2 one.safetensors h.ckpt
same h.ckpt.index tf2.ckpt.index 'instead of a configuration'
refuses '*' 'a full disk' ckpt-convert -q hf /dev/full/x.npz

# --- TensorFlow's real files
toy=$SHARED/tf/toy_keras_bert/test_checkpoint
if [ -d "$toy" ]; then
	works 'a real checkpoint' ckpt-inspect --check "$toy"
	works 'copied' ckpt-convert -q --names keep "$toy" copy.ckpt
	same copy.ckpt.index "$toy/bert_model.ckpt.index" 'the same index'
	same copy.ckpt.data-00000-of-00001 \
		"$toy/bert_model.ckpt.data-00000-of-00001" 'the same data'
	for i in bert_model.ckpt mrpc_output/model.ckpt-343; do
		works "a real index, $i" ckpt-inspect "$SHARED/tf/bert_tiny_mrpc/$i"
	done
else
	skip 'real checkpoints' "no $toy"
fi

# --- TensorFlow itself
if ${PEER_TENSORFLOW:-false} -c 'import tensorflow' 2>/dev/null; then
	works 'TensorFlow reads ours' "$PEER_TENSORFLOW" - <<'END'
import tensorflow as tf
for name, path in (("tf1.ckpt", "bert/encoder/layer_3/output/dense/kernel"),
                   ("tf2.ckpt", "encoder/layer_with_weights-7/_output_dense/kernel"
                    "/.ATTRIBUTES/VARIABLE_VALUE")):
    r = tf.train.load_checkpoint(name)
    shapes = r.get_variable_to_shape_map()
    for key in shapes:
        r.get_tensor(key)
    assert shapes[path] == [16, 8], shapes
    assert len(shapes) >= 183
for edges in (("layer_with_weights-0", "layer_with_weights-14"),
              ("_embedding_layer", "_pooler_layer")):
    class Node(tf.Module):
        pass
    e, layer, out = Node(), Node(), Node()
    layer.embeddings = tf.Variable(tf.zeros((9, 8)))
    setattr(e, edges[0], layer)
    s = tf.train.Checkpoint(encoder=e).restore("tf2.ckpt")
    s.assert_existing_objects_matched()
    assert (layer.embeddings.numpy() != 0).any()
END
else
	skip 'TensorFlow reads ours' 'no PEER_TENSORFLOW'
fi
finish
