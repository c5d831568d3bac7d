# SPDX-License-Identifier: MIT
# Checkpoints that are cut, lie about themselves or point elsewhere.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"

one=model-00001-of-00002.safetensors
two=model-00002-of-00002.safetensors
index=model.safetensors.index.json

fresh() {
	rm -rf m
	mkdir m
	cp "$DATA/ckpt-sharded"/* m
	chmod u+w m/*
}

# damaged GLOB NAME: m is refused, and --check calls it damaged
damaged() {
	refuses "$1" "$2" ckpt-inspect m
	exits 1 "$2: --check" ckpt-inspect --check m
	like "ckpt-inspect: $(cat out)" "$1" "$2: --check says it too"
}

# names SHARD-OF-layer.1.weight: rewrites the index
names() {
	fresh
	sed "s|\"layer.1.weight\": \"[^\"]*\"|\"layer.1.weight\": \"$1\"|" \
		"$DATA/ckpt-sharded/$index" >m/$index
}

# --- cut at every byte
printf '\110\0\0\0\0\0\0\0{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}                  12345678' >whole
works 'a whole file' ckpt-inspect --check whole
size=$(wc -c <whole)
i=0 cut=0
while [ $i -lt "$size" ]; do
	head -c $i whole >part
	ckpt-inspect --check part >out 2>err
	[ $? = 1 ] && [ "$(wc -l <out)" = 1 ] && [ ! -s err ] &&
		cut=$((cut + 1))
	i=$((i + 1))
done
is $cut "$size" 'cut at every byte: damaged, in one line'
cp whole longer
printf x >>longer
exits 1 'a byte too many' ckpt-inspect --check longer
like "$(cat out)" "*end at byte 8 of the data, but the file holds 9 bytes*" \
	'the message says so'

# --- the index
fresh
works 'the model as it should be' ckpt-inspect --check m
for shard in "../m/$two" "/etc/passwd" "./$two" "sub/$two" "" "." ".."; do
	names "$shard"
	damaged "*names the shard '$shard', which is not a plain file name" \
		"shard '$shard'"
done
names nothing.safetensors
damaged "*names the shard 'nothing.safetensors', which is missing" \
	'a missing shard'
names $one
damaged "*says that tensor 'layer.1.weight' is in '$one', but it is in '$two'" \
	'a tensor in another shard'
fresh
sed '/layer.1/d' "$DATA/ckpt-sharded/$index" >m/$index
damaged "*does not list tensor 'layer.1.weight' of shard '$two'" \
	'a tensor that is not listed'
fresh
sed "s/\"layer.1.weight\"/\"layer.9.weight\": \"$one\", &/" \
	"$DATA/ckpt-sharded/$index" >m/$index
damaged "*says that tensor 'layer.9.weight' is in '$one', which does not hold it (1 of 5 tensors are missing)" \
	'a tensor that is not there'
fresh
sed "s/\"layer.1.weight\"/\"layer.0.weight\": \"$one\", &/" \
	"$DATA/ckpt-sharded/$index" >m/$index
damaged "*duplicate object key*" 'a tensor listed twice'
names $two
sed "s/\"$two\"/7/" m/$index >i && mv i m/$index
damaged "*does not name a shard for tensor*" 'a shard that is a number'
for text in '{}' '{"weight_map": {}}' '{"weight_map": []}' '{"weight_map": 7}'; do
	fresh
	echo "$text" >m/$index
	damaged "*it does not have a 'weight_map' that lists a tensor" "index $text"
done
fresh
head -c 100 "$DATA/ckpt-sharded/$index" >m/$index
damaged "*is neither a checkpoint nor an index of one:*" 'an index cut off'
fresh
: >m/$index
damaged "*is empty" 'an empty index'

# --- links
fresh
mv m/$two elsewhere
ln -s ../elsewhere m/$two
damaged "*names the shard '$two', a link that leads out of the directory" \
	'a link out of the directory'
rm m/$two
mv elsewhere m/real
ln -s real m/$two
works 'a link inside of it' ckpt-inspect m
rm m/$two
ln -s loop m/loop
ln -s loop m/$two
damaged "*which is missing" 'a link to itself'
fresh
ln -s m other
works 'a link to the directory' ckpt-inspect other
mkdir -p hub/blobs hub/snapshots/1 hub/secret
for f in $one $two $index; do
	mv "m/$f" "hub/blobs/$f.blob"
	ln -s "../../blobs/$f.blob" "hub/snapshots/1/$f"
done
works 'the cache of the hub' ckpt-inspect hub/snapshots/1
mv "hub/blobs/$two.blob" hub/secret/x
ln -sf ../../secret/x hub/snapshots/1/$two
refuses '*a link that leads out of the directory' 'but no more than that' \
	ckpt-inspect hub/snapshots/1
fresh
rm m/$two
mkfifo m/$two
refuses "*is not a regular file*" 'a pipe as a shard' ckpt-inspect m
fresh
printf '\037\213..........' >m/$two
refuses "*$two' is gzip-compressed data*" 'a shard of another format' ckpt-inspect m
fresh
printf 'PK\3\4' >m/$two
damaged "*$two': a zip file without its end*" 'a shard that begins a zip file'
fresh
head -c 300 "$DATA/ckpt-sharded/$two" >m/$two
damaged "*'m/$two': tensor 'layer.1.weight': data_offsets [[]80, 144] lie outside of the file, which holds 116 bytes of data: was it copied or fetched whole[?]" \
	'a shard cut off'

# --- no index
refuses "ckpt-inspect: '*/LICENSE' is text and not a checkpoint" 'a text' \
	ckpt-inspect "$TEST_TOP/LICENSE"
printf 'text\none\n' | csv2tfrecord -qo some.rec
refuses "ckpt-inspect: 'some.rec' holds records and not tensors (tfrecord-cat reads records)" \
	'records' ckpt-inspect some.rec
printf '\010\010\022\011bertutilsB\002\020\021' >some.onnx
refuses "ckpt-inspect: 'some.onnx' is an ONNX model, which is written but not read here" \
	'a model as ONNX' ckpt-inspect some.onnx
gzip -c some.rec >some.gz
refuses "ckpt-inspect: 'some.gz' is gzip-compressed data: unpack it first" \
	'compressed' ckpt-inspect some.gz
head -c 100000 /dev/zero | tr '\0' '\1' >ones
refuses "*is not a safetensors file, or is damaged: a header of *" 'anything' \
	ckpt-inspect ones
head -c 100000 /dev/zero >zeros
refuses "*the header of 0 bytes is not a JSON object" 'zeros' ckpt-inspect zeros
head -c 100000 /dev/zero | tr '\0' ' ' >blanks
refuses "*" 'blanks' ckpt-inspect blanks

# --- output
exits 1 'a full disk' ckpt-inspect -o /dev/full "$DATA/ckpt-sharded"
exits 2 'a full disk under --diff' ckpt-inspect --diff -o /dev/full \
	"$DATA/ckpt-sharded" "$DATA/ckpt-sharded"
echo old >kept
refuses '*' 'a failed -o' ckpt-inspect -o kept nothing
is "$(cat kept)" old 'leaves what was there'

# --- what our readers would refuse is not written
printf '\110\0\0\0\0\0\0\0{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}                  12345678' >a.safetensors
long=$(head -c 4097 /dev/zero | tr '\0' b)
bytes=$(printf 'b\377')
for to in safetensors npz ckpt h5; do
	keep='--names keep'
	[ $to != ckpt ] || keep=
	rm -f o.*
	# shellcheck disable=SC2086
	{
		refuses '*the name of a tensor has 4097 bytes (at most 4096)*' "$to: a long name" \
			ckpt-convert $keep --rename "a=$long" a.safetensors o.$to
		refuses '*the name of a tensor is not UTF-8*' "$to: bytes as a name" \
			ckpt-convert $keep --rename "a=$bytes" a.safetensors o.$to
	}
	is "$(find . -name 'o.*')" '' "$to: nothing is left"
done
sed 's/{"a":/{ "":/' a.safetensors >empty.safetensors
refuses '*a tensor has an empty name*' 'npz: an empty name' \
	ckpt-convert empty.safetensors o.npz
finish
