# SPDX-License-Identifier: MIT
. "$TEST_TOP/tests/lib/lib.sh"

# make FILE HEADER DATA: a safetensors file; DATA is a format of printf
make() {
	{
		# shellcheck disable=SC2059
		printf "$(printf '\\%03o\\%03o' $((${#2} % 256)) $((${#2} / 256)))"
		printf '\0\0\0\0\0\0%s' "$2"
		# shellcheck disable=SC2059
		printf "$3"
	} >"$1"
}

# entry NAME SHAPE FROM TO: of an F32 tensor
entry() {
	printf '"%s":{"dtype":"F32","shape":%s,"data_offsets":[%s,%s]}' "$@"
}

one='\0\0\200\77' two='\0\0\0\100' nan='\0\0\300\177' inf='\0\0\200\177'

# --- listing
cat >wanted <<'END'
bert, 2 layers, hidden size 4, 2 heads, vocabulary 9, 5 labels
NAME               DTYPE  SHAPE  PARAMETERS  BYTES  FILE
classifier.weight  F32    [5,4]          20     80  model-00002-of-00002.safetensors
embeddings.weight  F32    [9,4]          36    144  model-00001-of-00002.safetensors
layer.0.weight     F32    [4,4]          16     64  model-00001-of-00002.safetensors
layer.1.weight     F32    [4,4]          16     64  model-00002-of-00002.safetensors
4 tensors, 88 parameters, 352 bytes
END
works 'a directory with shards' ckpt-inspect "$DATA/ckpt-sharded"
same out wanted 'is listed with its configuration'
sed 1d wanted >file
works 'the index itself' \
	ckpt-inspect "$DATA/ckpt-sharded/model.safetensors.index.json"
same out file 'is listed without'
works '-o' ckpt-inspect -o listing "$DATA/ckpt-sharded"
same listing wanted 'puts the same into a file'
is "$(cat out)" '' 'and nothing on standard output'

works 'names in natural order' ckpt-inspect --grep '^layer' \
	"$DATA/ckpt-values.safetensors"
is "$(sed -n '2,3s/ .*//p' out | tr '\n' ' ')" \
	'layer.2.weight layer.10.weight ' 'layer 2 stands before layer 10'
works 'every type' ckpt-inspect "$DATA/ckpt-dtypes.safetensors"
is "$(awk 'NR > 1 && NR < 22 { print $2 }' out | tr '\n' ' ')" \
	'BOOL F4 U8 I8 F8_E5M2 F8_E4M3 F8_E8M0 F8_E4M3FNUZ F8_E5M2FNUZ I16 U16 F16 BF16 I32 U32 F32 C64 F64 I64 U64 ' \
	'is named'
is "$(sed -n '22,24p' out)" '20 tensors, 160 parameters, 484 bytes
  BOOL: 1 tensor, 8 parameters, 8 bytes
  F4: 1 tensor, 8 parameters, 4 bytes' 'and totalled'

make big "{$(entry a '[1000,250]' 0 1000000),$(entry e '[0,3]' 0 0),$(entry s '[]' 1000000 1000004)}" ''
truncate -s $(($(wc -c <big) + 1000004)) big
works 'zero-size and scalar' ckpt-inspect big
is "$(cat out)" 'NAME  DTYPE  SHAPE       PARAMETERS    BYTES
a     F32    [1000,250]      250000  1000000
e     F32    [0,3]                0        0
s     F32    []                   1        4
3 tensors, 250001 parameters (250.0 k), 1000004 bytes (1.0 MB)' \
	'readable numbers beside the exact ones'
works 'a pattern' ckpt-inspect --grep '^[es]$' big
is "$(tail -n 1 out)" '2 tensors, 1 parameter, 4 bytes' 'narrows the totals'
exits 2 'a bad pattern is misuse' ckpt-inspect --grep '(' big

make nasty "{$(entry 'x\u001b[31m\u009b\ny' '[1]' 0 4)}" "$one"
works 'control characters' ckpt-inspect nasty
is "$(sed -n 2p out)" 'x\x1b[31m\x9b\x0ay  F32    [1]             1      4' \
	'are spelled out'

mkdir broken
cp nasty broken/model.safetensors
echo '{"hidden_size": "many"}' >broken/config.json
works 'a config.json that makes no sense' ckpt-inspect broken
like "$(cat err)" "*warning: 'broken/config.json': 'hidden_size'*" 'is a warning'
is "$(sed -n '1s/ .*//p' out)" NAME 'and left out'

# --- statistics and values
make four "{$(entry a '[2,2]' 0 16)}" "$one$two$nan$inf"
works '--stats' ckpt-inspect --stats four
is "$(cat out)" \
	'NAME  DTYPE  SHAPE  PARAMETERS  BYTES  MIN  MAX  MEAN  STD  NAN  INF
a     F32    [2,2]           4     16    1    2   1.5  0.5    1    1
1 tensor, 4 parameters, 16 bytes' 'of the finite values, and the others counted'
works 'types without numbers' ckpt-inspect --stats --grep complex \
	"$DATA/ckpt-dtypes.safetensors"
like "$(sed -n 2p out)" '* 64    -    -     -    -    -    -' 'have no statistics'
works '--dump' ckpt-inspect --dump a four
is "$(cat out)" '1 2
nan inf' 'prints a line for each row'
for t in "f16=0 -0 5.9604645e-08 6.097555e-05 6.1035156e-05 0.33325195 1 65504 inf -inf nan -5" \
	"i64=-9223372036854775808 9223372036854775807 -1 9007199254740993" \
	'u64=18446744073709551615 0' 'i8=-128 127' 'bool=1 0' 'scalar=2.5' \
	'empty='; do
	is "$(ckpt-inspect --dump "${t%%=*}" "$DATA/ckpt-values.safetensors")" \
		"${t#*=}" "values of ${t%%=*}"
done
misuses "*'four' has no tensor 'b'" 'an unknown tensor' \
	ckpt-inspect --dump b four

# --- JSON
works '--json' ckpt-inspect --json --stats four
is "$(cat out)" '{"format": "safetensors",
 "metadata": {},
 "tensors": [
  {"name": "a", "dtype": "F32", "shape": [2, 2], "bytes": 16, "stats": {"min": 1.0, "max": 2.0, "mean": 1.5, "std": 0.5, "nan": 1, "inf": 1}}],
 "parameters": 4,
 "bytes": 16}' 'is complete'
is "$(ckpt-inspect --json "$DATA/ckpt-sharded" | grep '"layer.0')" \
	'  {"name": "layer.0.weight", "dtype": "F32", "shape": [4, 4], "bytes": 64, "file": "model-00001-of-00002.safetensors"},' \
	'names the shard'
is "$(ckpt-inspect --json --grep none four | sed -n 3p)" ' "tensors": [],' \
	'of nothing'

# --- check
works '--check of a sound file' ckpt-inspect --check big
is "$(cat out)" 'good: 3 tensors, 250001 parameters (250.0 k), 1000004 bytes (1.0 MB)' \
	'says so'
works '--check -q' ckpt-inspect --check -q big
is "$(cat out)" '' 'says nothing'
exits 1 'NaN is damage' ckpt-inspect --check four
is "$(cat out)" "'four': tensor 'a': 1 NaN and 1 Inf in 4 elements, first at 2" \
	'which is reported'
exits 1 'with --json too' ckpt-inspect --check --json four
is "$(cat out)" "{\"path\": \"four\", \"good\": false,
 \"problems\": [
  \"'four': tensor 'a': 1 NaN and 1 Inf in 4 elements, first at 2\"]}" \
	'as JSON'
is "$(ckpt-inspect --check --json big | tr -d '\n')" \
	'{"path": "big", "good": true, "problems": []}' 'a sound file as JSON'
exits 2 'a missing file is trouble' ckpt-inspect --check nothing
exits 2 'output that cannot be written is trouble' \
	ckpt-inspect --check -o nowhere/x big
refuses "ckpt-inspect: cannot open 'nothing': No such file*" 'without --check it is a failure' ckpt-inspect nothing

# --- diff
make a "{$(entry k '[2]' 0 8),$(entry x '[1]' 8 12),$(entry y '[2]' 12 20)}" \
	"$one$two$one$one$two"
make b "{$(entry k '[2]' 0 8),$(entry y '[2]' 8 16),$(entry z '[]' 16 20)}" \
	"$one$two$one$one$one"
make c "{$(entry k '[1]' 0 4)}" "$one"
works 'equal checkpoints' ckpt-inspect --diff a a
is "$(cat out)" 'identical: 3 tensors' 'are identical'
exits 1 'different ones' ckpt-inspect a b
is "$(cat out)" 'NAME  FIRST   SECOND  DIFFERING  MAX  MEAN    COSINE
x     F32[1]  -               -    -     -         -
y     F32[2]  F32[2]          1    1   0.5  0.948683
z     -       F32[]           -    -     -         -
1 equal, 1 different, 1 only in the first, 1 only in the second; largest difference 1' \
	'are told apart'
exits 1 'as JSON' ckpt-inspect --diff --json a b
is "$(cat out)" '{"a": "a", "b": "b",
 "identical": false, "equal": 1,
 "only_a": ["x"],
 "only_b": ["z"],
 "different": [
  {"name": "y", "dtype": ["F32", "F32"], "shape": [[2], [2]], "differing": 1, "max": 1.0, "mean": 0.5, "cosine": 0.94868329805051377}]}' \
	'the same'
exits 1 'shapes' ckpt-inspect --diff --grep k a c
like "$(sed -n 2p out)" 'k *F32[[]2] *F32[[]1] * - * - * - * -' 'are compared first'
works 'a pattern narrows the comparison' ckpt-inspect --diff --grep k a b
misuses "*no tensor has a name that 'nothing' matches*" 'of none' ckpt-inspect --grep nothing a b
misuses "*no tensor has a name that 'nothing' matches*" '... to check' ckpt-inspect --check --grep nothing a
exits 2 'a missing second file is trouble' ckpt-inspect a nothing
exits 2 'a damaged one too' ckpt-inspect a "$DATA/ckpt-sharded/config.json"
works 'a file against its index' ckpt-inspect \
	"$DATA/ckpt-sharded" "$DATA/ckpt-sharded/model.safetensors.index.json"

# --- usage
for args in '' '--diff a' '--stats a b' '--check a b' '--check --stats a' \
	'a b c' '--dump k --json a' '--dump k --diff a b'; do
	# shellcheck disable=SC2086
	exits 2 "misuse: $args" ckpt-inspect $args
done

# --- directories without a checkpoint
mkdir empty flax adapter
: >flax/flax_model.msgpack
: >flax/training_args.bin
mkdir onnx
: >onnx/model.onnx
cp a adapter/adapter_model.safetensors
refuses "*'empty' has no 'model.safetensors', no 'pytorch_model.bin' and no index of such files" \
	'an empty directory' ckpt-inspect empty
refuses "*; it holds 'flax_model.msgpack', a format that this version does not read" \
	'a directory of another format' ckpt-inspect flax
refuses "*; it holds 'model.onnx', a format that this version does not read" '... of an exported model' ckpt-inspect onnx
refuses "*; it holds 'adapter_model.safetensors' (ckpt-inspect and ckpt-convert read it by its path, *)" \
	'a directory with another name' ckpt-inspect adapter
exits 2 'which is trouble for --check' ckpt-inspect --check flax
printf '\037\213..........................' >packed
refuses "*'packed' is gzip-compressed data: unpack it first" \
	'compressed data' ckpt-inspect packed
mkfifo pipe
refuses "*'pipe' is not a regular file*" 'a pipe' ckpt-inspect pipe

# --- any number of threads
for j in 1 2 5; do
	ckpt-inspect -j $j --stats --json "$DATA/ckpt-values.safetensors" >j$j
done
same j2 j1 'two threads'
same j5 j1 'five threads'

# --- a large file costs nothing
make huge "{$(entry w '[1342177280]' 0 5368709120)}" ''
if truncate -s $(($(wc -c <huge) + 5368709120)) huge 2>err; then
	works '5 GB' ckpt-inspect -v huge
	is "$(tail -n 1 out)" \
		'1 tensor, 1342177280 parameters (1.3 G), 5368709120 bytes (5.4 GB)' \
		'are listed'
	is "$(sed -n 's/.*opened in [0-9.]* s, peak memory [1-4]\{0,1\}[0-9]\.[0-9] MB.*/little/p' err)" \
		little 'in little memory'
	rm huge
else
	skip '5 GB' 'no sparse files of that size here'
fi

# --- a real model
if [ -n "${MINILM-}" ]; then
	works 'MiniLM' ckpt-inspect "$MINILM"
	is "$(sed -n 1p out)" \
		'bert, 6 layers, hidden size 384, 12 heads, vocabulary 30522' \
		'is a BERT'
	is "$(tail -n 3 out)" \
		'104 tensors, 22713728 parameters (22.7 M), 90856960 bytes (90.9 MB)
  F32: 103 tensors, 22713216 parameters (22.7 M), 90852864 bytes (90.9 MB)
  I64: 1 tensor, 512 parameters, 4096 bytes (4.1 kB)' 'and is counted'
	works 'MiniLM is sound' ckpt-inspect --check "$MINILM"
	works 'MiniLM equals itself' ckpt-inspect "$MINILM" \
		"$MINILM/model.safetensors"
	# from numpy, in double precision
	is "$(ckpt-inspect --stats --grep 'word_emb|r.3.*query.w|position_ids' \
		"$MINILM" | awk '$2 ~ /^[FI][0-9]/ { print $6, $7, $8, $9 }')" \
		'0 511 255.5 147.801
-0.507324 1.0494 1.17786e-05 0.0556233
-0.427096 0.418701 0.000141769 0.0821986' 'statistics as numpy has them'
else
	skip 'MiniLM' 'MINILM names no model directory'
fi
if [ -n "${MINILM-}" ] && [ -n "${PEER_PYTHON-}" ]; then
	ckpt-inspect --stats --json "$MINILM" >stats
	cat >compare.py <<'END'
import json, sys
import numpy as np
from safetensors.numpy import load_file
want = load_file(sys.argv[2])
got = {t["name"]: t for t in json.load(open(sys.argv[1]))["tensors"]}
assert got.keys() == want.keys()
for name, v in want.items():
    s, v = got[name]["stats"], v.astype(np.float64)
    assert got[name]["shape"] == list(v.shape)
    assert s["min"] == v.min() and s["max"] == v.max(), name
    assert np.isclose(s["std"], v.std(), rtol=1e-12, atol=0), name
    assert abs(s["mean"] - v.mean()) <= 1e-14 * np.abs(v).mean(), name
END
	works 'every statistic of MiniLM as numpy has it' \
		"$PEER_PYTHON" compare.py stats "$MINILM/model.safetensors"
else
	skip 'numpy' 'PEER_PYTHON and MINILM are not both set'
fi
finish
