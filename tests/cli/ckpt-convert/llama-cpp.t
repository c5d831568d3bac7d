# SPDX-License-Identifier: MIT
# Models as llama.cpp reads them.
# Not under thread: the threads are those of cli/ckpt-inspect/safetensors
. "$TEST_TOP/tests/lib/lib.sh"
H=$DATA/ckpt-hdf5

works 'a model' ckpt-convert "$H" m.gguf
like "$(cat err)" '*41 tensors, * (gguf, names of llama.cpp)' 'is written'
works 'checked' ckpt-inspect --check m.gguf
is "$(ckpt-inspect --grep '^(cls|token|blk.1.ffn).*weight' m.gguf | awk '/F32/ && /\[/ { print $1, $3 }')" \
	'blk.1.ffn_down.weight [8,16]
blk.1.ffn_up.weight [16,8]
cls.output.weight [2,8]
cls.weight [8,8]
token_embd.weight [9,8]
token_embd_norm.weight [8]
token_types.weight [2,8]' 'under its names'
like "$(ckpt-inspect --json m.gguf)" '*"bert.block_count": "2", "bert.context_length": "12"*"bert.attention.head_count": "2"*"tokenizer.ggml.bos_token_id": "2"*"tokenizer.ggml.model": "bert"*' \
	'with what describes it'
works 'back' ckpt-convert -q m.gguf back.safetensors
same back.safetensors "$H/model.safetensors" 'to the bit'
works 'names kept' ckpt-convert -q --names keep m.gguf kept.npz
like "$(ckpt-inspect kept.npz)" '*token_embd.weight*' 'on request'
ckpt-convert -q --to tf2 "$H" v.ckpt
cp "$H/config.json" "$H/vocab.txt" .
works 'from TensorFlow' ckpt-convert -q v.ckpt v.gguf
works 'the same tensors' ckpt-inspect --diff v.gguf m.gguf
works '--dtype f16' ckpt-convert -q --dtype f16 "$H" half/ --to gguf
is "$(ckpt-inspect half/model.gguf | awk '/F32|F16/ && /\[/ { print $2, gsub(",", "", $3) }' | sort | uniq -c | tr -s ' ')" \
	' 15 F16 1
 24 F32 0
 2 F32 1' 'leaves vectors alone, and what llama.cpp adds to words'
[ -s half/vocab.txt ] && [ -s half/config.json ]
result $? 'a directory has the rest'
works 'bf16' ckpt-convert -q --dtype bf16 "$H" b.gguf
works 'is read' ckpt-inspect --check b.gguf
works 'the model of it' ckpt-convert -q --dtype f32 b.gguf b/ --to safetensors
cp "$H/config.json" "$H/vocab.txt" b
printf 'good bad\n' >lines
works 'predicts' sh -c 'bert-tokenize -q -m b --lines lines | bert-predict -q -m b >out.csv'
exits 2 'names that do not go with it' ckpt-convert --names tf1 "$H" x.gguf
refuses "*is of type BOOL, which GGUF does not have" 'a type that it lacks' \
	ckpt-convert --names keep "$H/types.h5" x.gguf
refuses "*two tensors cannot be named 'cls.weight'*" 'two of one name' \
	ckpt-convert --rename classifier.weight=bert.pooler.dense.weight "$H" x.gguf
refuses '*no tensor has a name that llama.cpp has a place for*' 'none of its names' \
	ckpt-convert --rename 's/.*/x/' "$H" x.gguf
[ ! -e x.gguf ]
result $? 'nothing is written'

# --- other families
. "$TEST_TOP/tests/lib/families.sh"
printf 'text,label\nred car,a\ngreen card,b\n' >train.csv
printf '%s\n' '[PAD]' '[UNK]' '[CLS]' '[SEP]' '[MASK]' red green car card >vocab.txt
csv2tfrecord -q -t text -l label train.csv | bert-tokenize -q -m vocab.txt -o train.rec
for f in bert roberta modernbert eurobert neobert gte; do
	family_config $f >$f.json
	bert-train -q --init-config ./$f.json --tokenizer vocab.txt --steps 1 -o $f train.rec
done
while read -r f note; do
	works "$f" ckpt-convert $f $f.gguf
	like "$(ckpt-inspect --json $f.gguf)" "*$note*" "... says so: $note"
done <<'END'
roberta "bert.context_length": "63"*"bert.pooling_type": "4"
modernbert "general.architecture": "modern-bert"*"modern-bert.attention.sliding_window": "8", "modern-bert.attention.sliding_window_pattern": "3"
eurobert "eurobert.attention.head_count_kv": "1"*"eurobert.attention.layer_norm_rms_epsilon"*"eurobert.rope.freq_base": "10000"
neobert "general.architecture": "neo-bert"*"neo-bert.context_length": "64"*"neo-bert.feed_forward_length": "32"*"neo-bert.pooling_type": "4"
END
works 'its names are read' ckpt-convert -q modernbert.gguf modern.safetensors
works 'to the bit' ckpt-inspect --diff modern.safetensors modernbert
ckpt-convert -q neobert.gguf by-part.safetensors
like "$(ckpt-inspect by-part.safetensors)" '*blk.0.attn_qkv.weight*' 'names of NeoBERT are not'
ckpt-convert eurobert eurobert.gguf 2>err
like "$(cat err)" '*warning: 4 tensors left out, for which llama.cpp has no place: *classifier.weight*' 'what has no place'
ckpt-inspect --json roberta.gguf >out
like "$(cat out)" '*"position_embd.weight"*63, 32*' 'positions begin with the first token'
refuses "*is a model of the family gte, which does not have names of llama.cpp*" 'a family without' \
	ckpt-convert gte x.gguf
cp -r modernbert half.window
sed -i 's/"local_attention": 8/"sliding_window": 6/' half.window/config.json
works 'a window that is given by its half' ckpt-convert -q half.window half.gguf
like "$(ckpt-inspect --json half.gguf)" '*"modern-bert.attention.sliding_window": "12"*' '... is written whole'
sed -i 's/"hidden_activation": "gelu"/"hidden_activation": "relu"/' modernbert/config.json
refuses "*llama.cpp lacks its activation 'relu' for the family modernbert*" 'an activation' \
	ckpt-convert modernbert x.gguf
sed -i 's/"model_type": "eurobert"/&, "rope_scaling": {"rope_type": "yarn", "factor": 2}/' eurobert/config.json
refuses "*rope_type 'yarn' is not written for llama.cpp*" 'a rotation' ckpt-convert eurobert x.gguf
cp -r modernbert heads
sed -i 's/"relu"/"gelu"/; s/"classifier_activation": "gelu"/"classifier_activation": "silu"/' heads/config.json
refuses "*llama.cpp lacks its classifier_activation 'silu'*" '... of the head' ckpt-convert heads x.gguf
sed -i 's/"relu"/"gelu", "rope_scaling": {"type": "yarn", "factor": 2}/' modernbert/config.json
refuses "*rope_type 'yarn' is not written for llama.cpp*" '... of ModernBERT' ckpt-convert modernbert x.gguf
full='"full_attention"' near='"sliding_attention"'
sed -i "s/\"rope_scaling\": {[^}]*}/\"layer_types\": [$full, $full, $near, $full]/" modernbert/config.json
refuses "*layer_types that are not full_attention in every n-th layer*" 'other layers' \
	ckpt-convert modernbert x.gguf
sed -i 's/ForSequenceClassification/ForTokenClassification/' roberta/config.json
works 'tags' ckpt-convert -q roberta tags.gguf
like "$(ckpt-inspect --json tags.gguf)" '*"bert.pooling_type": "0"*' '... are not pooled'
rm roberta/vocab.txt
cat >roberta/tokenizer.json <<'END'
{"model": {"type": "BPE", "vocab": {"a": 0, "b": 3000}, "merges": []}, "pre_tokenizer": {"type": "ByteLevel"}}
END
refuses "*roberta/tokenizer.json': the token 'b' has the id 3000, of which the model has 2000*" 'a token too many' \
	ckpt-convert roberta x.gguf
sed -i 's/ByteLevel/Whitespace/' roberta/tokenizer.json
refuses "*its BPE is not over bytes*" 'another BPE' ckpt-convert roberta x.gguf
works 'q8_0' ckpt-convert --dtype q8_0 bert q8.gguf
bytes=$(sed -n 's/.* \([0-9]*\) bytes written .*/\1/p' err)
[ "$bytes" -le "$(wc -c <q8.gguf)" ]
result $? 'the message says how many bytes are written'
like "$(ckpt-inspect q8.gguf)" '*Q8_0 in the file: 13 tensors*' 'is packed'
works '... is read' ckpt-convert -q q8.gguf unpacked.safetensors
exits 2 'q8_0 elsewhere' ckpt-convert --dtype q8_0 bert x.safetensors
[ ! -e x.gguf ]
result $? 'nothing is written'
peer_or_end 'the package gguf' gguf safetensors
works 'the package gguf finds all' "$PEER_PYTHON" "$TEST_TOP/tests/fixtures/gguf-peer.py" \
	m.gguf "$H/model.safetensors" 2
is "$(cat out)" '41 tensors, 9 tokens' 'tensors and tokens'
works 'it packs alike' "$PEER_PYTHON" "$TEST_TOP/tests/fixtures/gguf-peer.py" \
	q8.gguf bert/model.safetensors 2 q8
like "$(cat out)" '41 tensors, 11 packed, *' 'to the byte'
finish
