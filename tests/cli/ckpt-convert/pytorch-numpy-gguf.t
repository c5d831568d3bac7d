# SPDX-License-Identifier: MIT
# Checkpoints of PyTorch, NumPy and GGUF, as files and in model directories.
# Not under thread: the threads are those of cli/ckpt-inspect/safetensors
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
F=$DATA/ckpt-formats

# --- listed, compared, dumped
for f in torch.bin torch-old.bin; do
	works "$f" ckpt-inspect "$F/$f" "$F/torch.safetensors"
	is "$(cat out)" 'identical: 13 tensors' 'is what PyTorch says it is'
done
for f in wrapped.bin wrapped-old.bin; do
	works "$f" ckpt-inspect "$F/$f" "$F/wrapped.safetensors"
	is "$(cat out)" 'identical: 2 tensors' 'gives its state_dict alone'
done
for f in numpy.npz numpy-packed.npz; do
	works "$f" ckpt-inspect "$F/$f" "$F/numpy.safetensors"
	is "$(cat out)" 'identical: 7 tensors' 'is what NumPy says it is'
done
works 'tiny.gguf' ckpt-inspect "$F/tiny.gguf" "$F/tiny-gguf.safetensors"
is "$(cat out)" 'identical: 4 tensors' 'is what the package gguf says it is'
works 'a list of it' ckpt-inspect "$F/tiny.gguf"
is "$(cat out)" 'NAME                 DTYPE  SHAPE   PARAMETERS  BYTES
blk.0.attn_q.bias    F32    [6]              6     24
blk.0.attn_q.weight  F16    [2,6]           12     24
q8.weight            F32    [2,64]         128    512
token_embd.weight    F32    [4,6]           24     96
4 tensors, 170 parameters, 656 bytes
  F16: 1 tensor, 12 parameters, 24 bytes
  F32: 3 tensors, 158 parameters, 632 bytes
  Q8_0 in the file: 1 tensor, 128 parameters, 512 bytes' 'tells what is packed'
ckpt-inspect --json "$F/tiny.gguf" >out
like "$(cat out)" '{"format": "gguf",*"general.name": "tïny"*"packed": "Q8_0"*' \
	'as JSON does'
is "$(ckpt-inspect --dump t "$F/torch.bin")" \
	"$(ckpt-inspect --dump t "$F/torch.safetensors")" \
	'values of a transposed tensor'
is "$(ckpt-inspect --dump ids "$F/torch-old.bin")" '0 1 2 3 4' 'of an expanded one'
is "$(ckpt-inspect --stats --json "$F/torch.bin" | sed 1,2d)" \
	"$(ckpt-inspect --stats --json "$F/torch.safetensors" | sed 1,2d)" \
	'statistics'
cp "$F/torch.bin" any.thing
works 'the name says nothing' ckpt-inspect any.thing "$F/torch.bin"
works 'a transposed tensor against its like' \
	ckpt-inspect --diff --grep '^t$' "$F/torch.bin" "$F/torch-old.bin"
works 'an array' ckpt-inspect --dump array "$F/array.npy"
is "$(cat out)" "$(ckpt-inspect --dump a "$F/numpy.npz")" 'in the order of Fortran'

# --- checked
for f in torch.bin torch-old.bin numpy.npz numpy-packed.npz tiny.gguf; do
	exits "$(case $f in torch*) echo 1 ;; *) echo 0 ;; esac)" "--check $f" \
		ckpt-inspect --check "$F/$f"
done
works '--check of a sound one' ckpt-inspect --check "$F/wrapped.bin"
cp "$F/wrapped.bin" bad.bin
chmod u+w bad.bin
# data begin at a multiple of 64, behind the name and what fills the gap
at=$(LC_ALL=C grep -abo 'wrapped/data/1' bad.bin | sed -n '1s/:.*//p')
at=$(((at + 14 + 4 + 63) / 64 * 64))
printf '\377\377\377\177' >bytes
dd if=bytes of=bad.bin bs=1 seek=$at conv=notrunc 2>why
rm -f why
works 'a changed byte of the data' ckpt-inspect bad.bin
exits 1 'is damage' ckpt-inspect --check bad.bin
like "$(cat out)" "'bad.bin': the checksum of '*/data/1' differs: its 96 bytes are damaged" \
	'by the checksum of the file'
for how in '--stats bad.bin' '--dump a bad.bin'; do
	# shellcheck disable=SC2086
	refuses "*'bad.bin': the checksum of '*/data/1' differs: *" "$how: no values" \
		ckpt-inspect $how
done
exits 2 'nothing to compare with' ckpt-inspect bad.bin "$F/wrapped.bin"
like "$(cat err)" "*'bad.bin': the checksum of '*/data/1' differs: *" 'says why'
refuses "*'bad.bin': the checksum of '*/data/1' differs: *" 'and not converted' \
	ckpt-convert bad.bin bad.npz
works 'and no file is left' test ! -e bad.npz
refuses "*'bad.bin': the checksum of '*/data/1' differs: *" 'nor averaged' \
	ckpt-convert --average "$F/wrapped.bin" bad.bin bad.npz
mkdir damaged
cp "$DATA/ckpt-hdf5/config.json" damaged
ckpt-convert -q "$DATA/ckpt-hdf5/model.safetensors" model.npz
cp model.npz damaged/pytorch_model.bin
works 'a model' ckpt-convert -q damaged good.onnx
at=$(LC_ALL=C grep -abo 'pooler.dense.weight.npy' model.npz | sed -n '1s/:.*//p')
printf '\377\377\377\177' | dd of=damaged/pytorch_model.bin bs=1 seek=$((at + 300)) conv=notrunc 2>/dev/null
refuses "*'damaged/pytorch_model.bin': the checksum of '*pooler.dense.weight.npy' differs: *" \
	'nor is a damaged model computed with' ckpt-convert damaged bad.onnx

# --- nothing is run
printf '\200\002cposix\nsystem\nX\014\0\0\0touch /x/yes\205R.' >data.pkl
mkdir archive
mv data.pkl archive
if command -v zip >/dev/null; then
	zip -q0 evil.bin archive/data.pkl
	refuses "*'evil.bin': it imports posix.system, which is not data: save the weights alone, *" \
		'a pickle that would run a command' ckpt-inspect evil.bin
else
	skip 'a pickle that would run a command' 'zip is not installed'
fi
{
	printf '\200\002\212\nl\374\234F\371 j\250P\031.\200\002M\351\003.'
	printf '\200\002}X\015\0\0\0little_endian\210s.'
	printf '\200\002cbuiltins\neval\nX\001\0\0\0001\205R.'
} >evil-old.bin
refuses "*'evil-old.bin': it imports builtins.eval, which is not data: save the weights alone, *" \
	'or a word of Python' ckpt-inspect evil-old.bin
exits 2 'which --check cannot judge' ckpt-inspect --check evil-old.bin
sed 's/builtins/torch._utils/; s/^eval/_rebuild_qtensor/' evil-old.bin >quantized.bin
refuses "*'quantized.bin': it imports torch._utils._rebuild_qtensor, which is for tensors of a kind that is not read" \
	'a tensor that is not read' ckpt-inspect quantized.bin

# --- model directories
mkdir both
cp "$F/torch.bin" both/pytorch_model.bin
works 'pytorch_model.bin' ckpt-inspect both
is "$(tail -n 8 out | head -n 1)" '13 tensors, 107 parameters, 392 bytes' 'is read'
cp "$F/wrapped.safetensors" both/model.safetensors
works 'safetensors' ckpt-inspect both "$F/wrapped.safetensors"
mkdir shards
cp "$F/wrapped.bin" shards/pytorch_model-00001-of-00002.bin
cp "$F/torch.bin" shards/pytorch_model-00002-of-00002.bin
index() { # SHARD-OF-a
	printf '{"weight_map": {"a": "%s", "b": "pytorch_model-00001-of-00002.bin"' "$1"
	for t in bf16 bias byte column empty flag half ids rows scalar t weight x; do
		printf ', "%s": "pytorch_model-00002-of-00002.bin"' $t
	done
	printf '}}\n'
}
index pytorch_model-00001-of-00002.bin >shards/pytorch_model.bin.index.json
works 'shards' ckpt-inspect shards
like "$(cat out)" '*15 tensors, 131 parameters*' 'are put together'
index ../pytorch_model-00001-of-00002.bin >shards/pytorch_model.bin.index.json
refuses '*which is not a plain file name' 'that stay in the directory' ckpt-inspect shards
index pytorch_model-00002-of-00002.bin >shards/pytorch_model.bin.index.json
refuses "*says that tensor 'a' is in *" 'and hold what they should' ckpt-inspect shards

# --- a large file costs nothing
# le NUMBER BYTES: in little-endian order
le() {
	v=$1 i=0
	while [ $i -lt "$2" ]; do
		# shellcheck disable=SC2059
		printf "\\$(printf %03o $((v & 255)))"
		v=$((v >> 8)) i=$((i + 1))
	done
}
# pickle [MORE]: of a vector w of 5 GB; MORE is another member of its storage
pickle() {
	printf '\200\2}X\1\0\0\0wctorch._utils\n_rebuild_tensor_v2\n'
	printf '((X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0000X\3\0\0\0cpu'
	printf 'J\0\0\0\120%stQK\0J\0\0\0\120\205K\1\205\211}tRs.' "${1-}"
}
# entry NAME: what both headers of a zip entry have in common
entry() {
	printf '\55\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377'
	le ${#1} 2
	le 20 2
}
# large SIZE: the field for large files
large() {
	le 1 2
	le 16 2
	le "$1" 8
	le "$1" 8
}
{ # a npy file in a zip file of 64-bit sizes
	size=5368709248
	head='{"descr": "<f4", "fortran_order": False, "shape": (1342177280,), }'
	printf 'PK\3\4-\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377\5\0\24\0a.npy'
	printf '\1\0\20\0\200\0\0\100\1\0\0\0\200\0\0\100\1\0\0\0'
	printf '\223NUMPY\1\0v\0%-117s\n' "$head"
} >huge.npz
at=$((30 + 5 + 20 + size)) # where the directory begins: 0x140000137
if truncate -s $at huge.npz 2>err; then
	{
		printf 'PK\1\2-\0-\0\0\0\0\0\0\0\0\0\0\0\0\0\377\377\377\377\377\377\377\377'
		printf '\5\0\24\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a.npy'
		printf '\1\0\20\0\200\0\0\100\1\0\0\0\200\0\0\100\1\0\0\0'
		printf 'PK\6\6\54\0\0\0\0\0\0\0-\0-\0\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0'
		printf '\107\0\0\0\0\0\0\0\267\0\0\100\1\0\0\0'
		printf 'PK\6\7\0\0\0\0\376\0\0\100\1\0\0\0\1\0\0\0'
		printf 'PK\5\6\0\0\0\0\1\0\1\0\107\0\0\0\377\377\377\377\0\0'
	} >>huge.npz
	works '5 GB of npz' ckpt-inspect -v huge.npz
	is "$(tail -n 1 out)" \
		'1 tensor, 1342177280 parameters (1.3 G), 5368709120 bytes (5.4 GB)' \
		'are listed'
	is "$(sed -n 's/.*opened in [0-9.]* s, peak memory [1-4]\{0,1\}[0-9]\.[0-9] MB.*/little/p' err)" \
		little 'in little memory'
	rm huge.npz
	size=5368709120 pkl=$(pickle | wc -c)
	{
		printf 'PK\3\4'
		entry a/data.pkl
		printf a/data.pkl
		large "$pkl"
		pickle
		second=$((30 + 10 + 20 + pkl))
		printf 'PK\3\4'
		entry a/data/0
		printf a/data/0
		large $size
	} >huge.bin
	dir=$((second + 30 + 8 + 20 + size))
	truncate -s $dir huge.bin
	{
		for e in a/data.pkl=0 a/data/0=$second; do
			printf 'PK\1\2\55\0'
			entry "${e%=*}"
			le 0 10
			le "${e#*=}" 4
			printf %s "${e%=*}"
			case $e in
			*pkl*) large "$pkl" ;;
			*) large $size ;;
			esac
		done
		printf 'PK\6\6'
		le 44 8
		le 45 2
		le 45 2
		le 0 8
		le 2 8
		le 2 8
		le $((46 + 10 + 20 + 46 + 8 + 20)) 8
		le $dir 8
		printf 'PK\6\7\0\0\0\0'
		le $((dir + 150)) 8
		printf '\1\0\0\0PK\5\6\0\0\0\0\377\377\377\377'
		printf '\377\377\377\377\377\377\377\377\0\0'
	} >>huge.bin
	{
		printf '\200\002\212\nl\374\234F\371 j\250P\031.\200\002M\351\003.'
		printf '\200\002}X\015\0\0\0little_endian\210s.'
		pickle N
		printf '\200\002]X\1\0\0\0000a.'
		le $((size / 4)) 8
	} >huge-old.bin
	truncate -s $(($(wc -c <huge-old.bin) + size)) huge-old.bin
	for f in huge.bin huge-old.bin; do
		works "5 GB of $f" ckpt-inspect -v $f
		is "$(tail -n 1 out)" \
			'1 tensor, 1342177280 parameters (1.3 G), 5368709120 bytes (5.4 GB)' \
			'are listed'
		is "$(sed -n 's/.*opened in [0-9.]* s, peak memory [1-4]\{0,1\}[0-9]\.[0-9] MB.*/little/p' err)" \
			little 'in little memory'
		rm $f
	done
	{
		printf 'GGUF\3\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
		printf '\1\0\0\0\0\0\0\0w\1\0\0\0\0\0\0\120\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
	} >huge.gguf
	truncate -s $((64 + 5368709120)) huge.gguf
	works '5 GB of GGUF' ckpt-inspect -v huge.gguf
	is "$(sed -n 's/.*opened in [0-9.]* s, peak memory [1-4]\{0,1\}[0-9]\.[0-9] MB.*/little/p' err)" \
		little 'in little memory'
	is "$(tail -n 1 out)" \
		'1 tensor, 1342177280 parameters (1.3 G), 5368709120 bytes (5.4 GB)' \
		'are listed'
	rm huge.gguf
else
	skip '5 GB of npz' 'no sparse files of that size here'
fi

# --- training and prediction, and PyTorch itself
peer_or_end 'files of PyTorch and NumPy' torch safetensors
for seed in 1 2 3; do
	works "random tensors, seed $seed" "$PEER_PYTHON" \
		"$TEST_TOP/tests/fixtures/ckpt-formats.py" random r$seed $seed
	for pair in torch.bin=torch torch-old.bin=torch torch-4.bin=torch \
		new.bin=new numpy.npz=numpy numpy-packed.npz=numpy; do
		works "seed $seed: ${pair%=*}" ckpt-inspect --diff \
			r$seed/"${pair%=*}" "r$seed/${pair#*=}.safetensors"
		like "$(cat out)" 'identical: [1-9]* tensors' 'is read to the bit'
		case $pair in
		new*)	works 'without checksums' ckpt-inspect --check r$seed/new.bin \
				--grep u ;;
		esac
	done
done
small_data
small_train m -q --dtype f32
cp -r m t
"$PEER_PYTHON" - <<'EOF'
import torch
from safetensors.torch import load_file
state = load_file("m/model.safetensors")
for k in list(state):  # as some writers leave them
    if k.endswith("dense.weight"):
        state[k] = state[k].t().contiguous().t()
torch.save({"epoch": 1, "state_dict": {"module." + k: v for k, v in state.items()}},
           "t/pytorch_model.bin")
EOF
rm t/model.safetensors
for d in m t; do
	bert-predict -q -m $d --proba --dtype f32 --format csv -o $d.csv dev.rec
done
same t.csv m.csv 'bert-predict -m takes pytorch_model.bin'
works 'bert-train -m takes it' bert-train -q -m t -o t2 --epochs 1 --dtype f32 train.rec
bert-train -q -m m -o m2 --epochs 1 --dtype f32 train.rec
works 'and goes on alike' ckpt-inspect t2 m2
finish
