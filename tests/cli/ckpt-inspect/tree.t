# SPDX-License-Identifier: MIT
# ckpt-inspect: modules, families, other forms of --dump.
# Not under thread: the threads are those of cli/ckpt-inspect/safetensors
. "$TEST_TOP/tests/lib/lib.sh"
H=$DATA/ckpt-hdf5

# --- modules
works '--depth' ckpt-inspect --depth 3 "$H"
is "$(cat out)" 'bert, 2 layers, hidden size 8, 2 heads, vocabulary 9, 2 labels
MODULE                     TENSORS  DTYPE  SHAPE  PARAMETERS  BYTES
bert                            39                      1472   5888
  embeddings                     5                       200    800
    LayerNorm                    2                        16     64
    position_embeddings          1                        96    384
    token_type_embeddings        1                        16     64
    word_embeddings              1                        72    288
  encoder                       32                      1200   4800
    layer                       32                      1200   4800
  pooler                         2                        72    288
    dense                        2                        72    288
classifier                       2                        18     72
  bias                              F32    [2]             2      8
  weight                            F32    [2,8]          16     64
41 tensors, 1490 parameters (1.5 k), 5960 bytes (6.0 kB)' 'adds up modules'
works '--tree' ckpt-inspect --tree "$H"
is "$(grep -c '\[' out)" 41 'has all tensors'
is "$(awk '$1 == "bert" || $1 == "classifier" { n += $3 } END { print n }' out)" 1490 \
	'whose sum is the total'
misuses "*bad value '0' for --depth: *" 'no levels' ckpt-inspect --depth 0 "$H"
misuses '*--family does not go with --grep*' 'a family of some tensors' \
	ckpt-inspect --family --grep bert "$H"
works 'names with slashes' ckpt-inspect --depth 1 --grep '^bert' "$H/tf_model.h5"
is "$(sed -n 2p out)" 'bert         39                      1472   5888' 'are cut at those'
works '--json' ckpt-inspect --tree --depth 1 --json "$H"
is "$(cat out)" '{"format": "safetensors",
 "modules": [
  {"name": "bert", "tensors": 39, "parameters": 1472, "bytes": 5888},
  {"name": "classifier", "tensors": 2, "parameters": 18, "bytes": 72}],
 "tensors": 41,
 "parameters": 1490,
 "bytes": 5960}' 'the same'
deep=$(printf 'a.%.0s' $(seq 2000))
ckpt-convert -q --names keep --rename "classifier.bias=${deep}b" --rename "classifier.weight=${deep}w" \
	"$H" deep.safetensors
works 'names of 2,000 parts' ckpt-inspect --tree --grep '^a' deep.safetensors
is "$(wc -l <out)" 68 'stand in 64 levels and what is left'
is "$(tail -n 2 out | head -n 1 | tr -d ' ' | cut -c1-6)$(sed -n 66p out | wc -c)" "a.a.a.$(sed -n 67p out | wc -c)" \
	'whose names are whole'
works 'as JSON' ckpt-inspect --tree --json --grep '^a' deep.safetensors
is "$(grep -c '"name"' out)" 64 'likewise'

# --- families
works '--family of a directory' ckpt-inspect --family "$H"
is "$(cat out)" 'family       bert
layers       2
hidden size  8
heads        2
inner size   16
vocabulary   9
positions    12
head         classifier of 2 classes
tokenizer    vocab.txt' 'tells what it is'
works '--family of a file' ckpt-inspect --family --json "$H/tf_model.h5"
is "$(cat out)" '{"family": "bert", "layers": 2, "hidden_size": 8, "heads": null, "intermediate_size": 16, "vocabulary": 9, "positions": 12, "head": "classifier", "labels": 2, "problem_type": null, "tokenizer": ""}' \
	'as far as names and shapes tell'
for f in albert deberta-v2 distilbert electra eurobert gte modernbert mpnet neobert nomic_bert roberta; do
	works "$f" ckpt-inspect --family "$DATA/$f.safetensors"
	is "$(head -n 1 out)" "family       $f" 'is known'
	is "$(tail -n 1 out)" 'head         classifier of 5 classes' 'with its head'
done
works 'TensorFlow' ckpt-convert -q --to tf2 "$H" tf2.ckpt
works '--family of it' ckpt-inspect --family tf2.ckpt
is "$(sed -n 4p out)" 'heads        2' 'tells heads by shapes'
works 'a bare encoder of RoBERTa' ckpt-convert -q --drop classifier \
	--rename 's/^roberta\.//' "$DATA/roberta.safetensors" bare.safetensors
is "$(ckpt-inspect --family bare.safetensors | sed -n '1p;$p')" 'family       roberta
head         none' 'is known by its types'
exits 1 'another model' ckpt-inspect --family "$H/types.h5"
is "$(cat out)" 'family  unknown' 'is not'
exits 2 'a missing one is trouble' ckpt-inspect --family nothing

# --- dump
works '--format npy' ckpt-inspect --dump f4 --format npy -o f4.npy "$H/types.h5"
ckpt-convert -q --drop '^(f[28]|[iu].|bool|compact|deep.*|empty|scalar)$' \
	"$H/types.h5" f4.safetensors
works 'is an array' ckpt-inspect --dump f4 f4.npy
is "$(cat out)" "$(ckpt-inspect --dump f4 "$H/types.h5")" 'with the same values'
works 'a transposed one' ckpt-inspect --dump t --format npy -o t.npy "$DATA/ckpt-formats/torch.bin"
is "$(ckpt-inspect --dump t t.npy)" \
	"$(ckpt-inspect --dump t "$DATA/ckpt-formats/torch.bin")" 'is in order'
works '--format tensor' ckpt-inspect --dump f4 --format tensor -o f4.ts "$H/types.h5"
works 'is a stream' tensor-cat --npy --select f4 -o again.npy f4.ts
cmp again.npy f4.npy
result $? 'with the same array'
refuses "*is of type BF16, which NumPy does not have" 'a type that NumPy lacks' \
	ckpt-inspect --dump bf16 --format npy "$DATA/ckpt-formats/torch.bin"
exits 2 '--format alone' ckpt-inspect --format npy "$H"
exits 2 'two modes' ckpt-inspect --tree --family "$H"
exits 2 'no such form' ckpt-inspect --dump f4 --format csv "$H/types.h5"
finish
