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
if [ -z "${PEER_PYTHON-}" ] || ! "$PEER_PYTHON" -c 'import gguf, safetensors' 2>why; then
	rm -f why
	skip 'the package gguf' 'PEER_PYTHON names no Python with gguf'
	finish
fi
works 'the package gguf finds all' "$PEER_PYTHON" "$TEST_TOP/tests/fixtures/gguf-peer.py" \
	m.gguf "$H/model.safetensors" 2
is "$(cat out)" '41 tensors, 9 tokens' 'tensors and tokens'
finish
