#!/bin/sh
# SPDX-License-Identifier: MIT
# tensor-cat: passing through, choosing, means, comparisons, text; damage.
# shellcheck shell=sh
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

# misuse GLOB NAME ARGUMENT...: exit status 2, nothing on standard output
misuse() {
	glob=$1 name=$2
	shift 2
	misuses "tensor-cat: $glob" "$name" tensor-cat "$@" </dev/null
}

# says STATUS TEXT NAME ARGUMENT...: what stands on standard output
says() {
	wanted="$1 $2" name=$3
	shift 3
	got=$(tensor-cat -q "$@" 2>err)
	is "$? $got" "$wanted" "$name"
}

# blob HEADER PACKING VALUE...: a safetensors file
blob() {
	perl -e 'my ($h, $p) = splice @ARGV, 0, 2;
		$h .= " " while length($h) % 8;
		print pack("Q<", length $h), $h, pack($p, @ARGV)' "$@"
}

# frame FILE IDS LABELS VALUE...: logits [rows, 2] of rows with one-letter ids
frame() {
	f=$1 ids=$2 labels=$3 rows=${#2}
	shift 3
	blob "{\"__metadata__\":{\"labels\":\"$labels\"},
\"id_offsets\":{\"dtype\":\"I64\",\"shape\":[$((rows + 1))],\"data_offsets\":[0,$((rows * 8 + 8))]},
\"logits\":{\"dtype\":\"F32\",\"shape\":[$rows,2],\"data_offsets\":[$((rows * 8 + 8)),$((rows * 16 + 8))]},
\"id\":{\"dtype\":\"U8\",\"shape\":[$rows],\"data_offsets\":[$((rows * 16 + 8)),$((rows * 17 + 8))]}}" \
		"q<$((rows + 1))f<$((rows * 2))a*" $(seq 0 "$rows") "$@" "$ids" >"$f"
}

L='[\"no\",\"yes\"]'
frame a1 ab "$L" 1 2 3 4
frame a2 c "$L" 0.5 -1e-9
frame b1 a "$L" 3 0
frame b2 bc "$L" 1 5 2.5 1
tensor-cat -q --from-safetensors -o a.ts a1 a2
tensor-cat -q --from-safetensors -o b.ts b1 b2

# passing through
works 'copies a stream' tensor-cat -o out.ts a.ts
is "$(cat err)" 'tensor-cat: 2 frames, 3 rows' 'the summary'
same out.ts a.ts 'the same bytes'
tensor-cat -q - <a.ts >out.ts 2>err
same out.ts a.ts 'standard input'
is "$(cat err)" '' '-q is quiet'
tensor-cat -q a.ts b.ts >ab.ts
cat a.ts b.ts >cat.ts
says 0 '4 frames, 6 rows, 12 tensors, '"$((2 * $(tensor-cat --verify a.ts | sed 's/.*, \([0-9]*\) bytes/\1/')))"' bytes' \
	'--verify of several as one' --verify ab.ts
like "$(tensor-cat --verify cat.ts)" '4 frames, 6 rows, *, 2 streams' \
	'streams put one behind the other'
tensor-cat -q cat.ts >out.ts
same out.ts ab.ts '... become one'
like "$(tensor-cat --json a.ts | head -n 1)" \
	'{"frame": 1, "rows": 2, "tensors": \[{"name": "id", "dtype": "U8", "shape": \[2\], "bytes": 2}, *"metadata": {"labels": "\[*\]"}, "bytes": *}' \
	'--json'
works '--expect' tensor-cat -q --expect 3 -o out.ts a.ts
refuses 'tensor-cat: read 3 rows, expected 4' '--expect more' \
	tensor-cat --expect 4 -o no.ts a.ts
[ ! -e no.ts ]
result $? 'and nothing appears'

# text
says 0 'id,no,yes
a,1,2
b,3,4
c,0.5,-1e-09' '--csv' --csv a.ts
says 0 'id,label
a,yes
b,yes
c,no' '--label' --label a.ts
tensor-cat -q --from-safetensors a2 >c.ts
says 0 'n,class,no,yes
c,no,0.5,-1e-09' 'both, with a header' --csv --label --header n,class c.ts
says 0 'no,yes
1,2
3,4
0.5,-1e-09' 'without ids' --csv --select logits a.ts
tensor-cat -q --select logits a.ts | tensor-cat -q --json | grep -c '"id' >out
is "$(cat out)" 0 '--select'
tensor-cat -q --select logits,id a.ts >out.ts
says 0 'logits: 6 values, equal' '--select id takes the offsets along' --compare out.ts a.ts
refuses "tensor-cat: cannot read 'a.ts': frame 1: it lacks tensor 'logit'" \
	'--select of what is not there' tensor-cat --select logit a.ts -o no.ts
frame none ab '{}' 1 2 3 4
tensor-cat -q --from-safetensors none >none.ts
refuses '*its metadata does not name the classes*' '--label without classes' \
	tensor-cat --label none.ts
says 0 'id,logits_0,logits_1
a,1,2
b,3,4' 'columns without names' --csv none.ts
refuses "*'none.ts': frame 1: its columns are not*" 'other columns' \
	tensor-cat --csv -o no a.ts none.ts
blob '{"x":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},"y":{"dtype":"F64","shape":[2,1],"data_offsets":[16,32]},"z":{"dtype":"BOOL","shape":[2],"data_offsets":[32,34]}}' \
	'q<2d<2C2' 9007199254740993 -1 0.1 1e300 0 1 >other
tensor-cat -q --from-safetensors other >other.ts
says 0 'x,y,z
9007199254740993,0.1,0
-1,1e+300,1' 'other types, exactly' --csv other.ts

blob '{"x":{"dtype":"F32","shape":[4611686018427387904,0],"data_offsets":[0,0]}}' C0 >huge
tensor-cat -q --from-safetensors huge >huge.ts
says 0 '' 'rows without bytes are none' --csv --select x huge.ts
blob '{"x":{"dtype":"F4","shape":[2,1],"data_offsets":[0,1]}}' C 33 >small
blob '{"x":{"dtype":"F4","shape":[2,1],"data_offsets":[0,1]}}' C 34 >small2
tensor-cat -q --from-safetensors small >small.ts
tensor-cat -q --from-safetensors small2 >small2.ts
says 1 'x: 2 values, 1 differ, by at most 1 (row 1) and 0.5 in the mean' \
	'half bytes differ' --compare small.ts small2.ts
tensor-cat -q --mean small.ts small.ts >out.ts
says 0 'x: 2 values, equal' '... and are kept' --compare small.ts out.ts

# means
says 0 'id,no,yes
a,2,1
b,2,4.5
c,1.5,0.5' 'a mean, however frames are cut' --mean --csv a.ts b.ts
says 0 'id,no,yes
a,1.5,1.5
b,2.5,4.25
c,1,0.25' 'with weights' --mean --weights 3,1 --csv a.ts b.ts
says 0 'id,no,yes
a,1,2
b,3,4
c,0.5,-1e-09' 'weight 0' --mean --weights 1,0 --csv a.ts b.ts
tensor-cat -q --mean a.ts a.ts a.ts >out.ts
says 0 'logits: 6 values, equal' 'the mean of one thing' --compare out.ts a.ts
says 0 'id,no,yes
a,0.26894143,0.7310586
b,0.26894143,0.7310586
c,0.62245935,0.37754068' '--softmax' --softmax --csv a.ts
says 0 'id,label
a,no
b,yes
c,no' 'a mean of probabilities' --mean --softmax --label a.ts b.ts
tensor-cat -q --softmax a.ts >p.ts
tensor-cat -q --softmax b.ts >q.ts
tensor-cat -q --mean p.ts q.ts >out.ts
tensor-cat -q --mean --softmax a.ts b.ts >out2.ts
is "$(tensor-cat --compare --tolerance 1e-7 out.ts out2.ts >out && echo near)" near \
	'the softmax comes before the mean'
refuses "*it lacks tensor 'logits'*" 'no softmax twice' tensor-cat --softmax p.ts -o no.ts
refuses "*'b.ts': frame 1: it holds logits of a model that chooses one class (--softmax*" \
	'no sigmoid of one class of several' tensor-cat --sigmoid b.ts -o no.ts
frame n1 a "$L"'","problem_type":"regression' 3 0
tensor-cat -q --from-safetensors -o n.ts n1
for how in softmax sigmoid; do
	refuses "*'n.ts': frame 1: it holds the numbers that a model predicts, which*" \
		"no $how of numbers" tensor-cat --$how n.ts -o no.ts
done

frame x1 a "$L" 3 0
frame x2 xc "$L" 1 5 2.5 1
tensor-cat -q --from-safetensors -o x.ts x1 x2
refuses "tensor-cat: 'x.ts' differs from 'a.ts': row 2 has the id 'x', not 'b'" \
	'other ids' tensor-cat --mean -o no.ts a.ts x.ts
tensor-cat -q --from-safetensors -o x.ts b1
refuses "tensor-cat: 'x.ts' differs from 'a.ts': only one of them ends behind row 1" \
	'other lengths' tensor-cat --mean -o no.ts a.ts x.ts
frame x1 ab '[\"yes\",\"no\"]' 1 2 3 4
tensor-cat -q --from-safetensors -o x.ts x1 a2
refuses "*'x.ts' differs from 'a.ts': its class 0 is 'yes', not 'no'" \
	'classes in another order' tensor-cat --mean -o no.ts a.ts x.ts
refuses "*'other.ts' differs from 'a.ts': one of them has ids" 'other tensors' \
	tensor-cat --mean -o no.ts a.ts other.ts
refuses "*'none.ts' differs from 'a.ts': its class 0 is '', not 'no'" \
	'no classes' tensor-cat --mean -o no.ts a.ts none.ts
tensor-cat -q --mean --softmax --weights 1,3 -o want.ts a.ts b.ts
works 'weights that are denormal' tensor-cat -q --mean --softmax --weights 5e-324,15e-324 -o mean.ts a.ts b.ts
same mean.ts want.ts 'have the ratios that they say'
frame x1 abc "$L" inf nan 1 2 3 4
tensor-cat -q --from-safetensors -o x.ts x1
tensor-cat -q --mean --weights 1,0 -o mean.ts a.ts x.ts
says 0 'logits: 6 values, equal' 'what has the weight 0 counts nothing, not even infinity' --compare a.ts mean.ts
misuse '2 weights for 3 streams' 'too few weights' --mean --weights 1,2 a.ts b.ts ab.ts
misuse "bad weight '1e308': expected a number from 0 to 1e100*" 'a weight too large' --mean --weights 1,1e308 a.ts b.ts
misuse "bad weight '-1': *" 'a bad weight' --mean --weights 1,-1 a.ts b.ts
misuse 'all weights are 0' 'no weight' --mean --weights 0,0 a.ts b.ts
misuse '--weights needs --mean' 'weights without a mean' --weights 1 a.ts
misuse '*exclude each other' 'two forms' --csv --npy a.ts
misuse '--compare needs two streams' 'one to compare' --compare a.ts
misuse "bad value '1X' for --limit: expected bytes, as 1000000, 64M or 2G" 'no size' --limit 1X a.ts
misuse "bad value '0' for --limit: expected *" 'no bytes' --limit 0 a.ts
misuse "the header 'id' does not name two columns*" 'no header' --csv --header id a.ts
misuse 'standard input is given 2 times' 'standard input twice' - -

# comparisons: cmp's rule
says 0 'logits: 6 values, equal' 'equal' --compare a.ts a.ts
says 1 'logits: 6 values, 6 differ, by at most 2 (row 1) and 1.66667 in the mean' \
	'different' --compare a.ts b.ts
says 0 'logits: 6 values, 6 differ, by at most 2 (row 1) and 1.66667 in the mean' \
	'within a tolerance' --compare --tolerance 2 a.ts b.ts
says 1 "different: 'none.ts' differs from 'a.ts': its class 0 is '', not 'no'" \
	'not alike' --compare a.ts none.ts
exits 2 'trouble' tensor-cat --compare a.ts nosuch.ts
head -c 300 a.ts >cut.ts
exits 2 'a cut stream is trouble' tensor-cat --compare a.ts cut.ts
cp other other2
printf '\000' | dd of=other2 bs=1 seek=$(($(wc -c <other) - 34)) conv=notrunc 2>/dev/null
tensor-cat -q --from-safetensors other2 >other2.ts
says 1 'x: 2 values, 1 differ, by at most 1 (row 1) and 0.5 in the mean
y: 2 values, equal
z: 2 values, equal' 'whole numbers that doubles cannot tell apart' --compare other.ts other2.ts

# damage
i=0
bad_cuts=
size=$(wc -c <a.ts)
while [ $i -lt "$size" ]; do
	head -c $i a.ts >cut.ts
	rm -f out.ts
	tensor-cat -q -o out.ts cut.ts 2>err && bad_cuts="$bad_cuts $i"
	[ -e out.ts ] && bad_cuts="$bad_cuts $i"
	i=$((i + 7))
done
is "$bad_cuts" '' 'a cut anywhere fails, and nothing appears'
head -c $((size - 36)) a.ts >cut.ts
tensor-cat cut.ts 2>err >part.ts
is "$? $(cat err)" "1 tensor-cat: cannot read 'cut.ts': the stream is cut off in or behind frame 3, at byte $((size - 36)): it has no end record" \
	'a cut between frames'
tensor-cat part.ts 2>err >out.ts
is $? 1 'what went into a pipe has no end either'
refuses "*'a.csv': it holds text and not a stream of tensors (bert-predict -o NAME.ts, *)" \
	'text' sh -c 'echo id,label >a.csv; tensor-cat -o no.ts a.csv'
printf '\223NUMPY\1\0' >a.npy
mkdir model
refuses "*'model': Is a directory (bert-predict -o NAME.ts, * writes *)" 'a model' tensor-cat model
refuses "*'a.npy'*" 'a cut array' tensor-cat -o no.ts a.npy
printf '\1\2\3\4' >a.bin
refuses "*'a.bin': byte 0 begins neither a frame nor the end of a tensor stream" \
	'no stream' tensor-cat -o no.ts a.bin
refuses "*: frame 1, at byte 0: *, the limit is 100" '--limit' \
	tensor-cat --limit 100 -o no.ts a.ts
frame bad ab "$L" 1 2 3 4
perl -0777pi -e 's/\0\0\0\0\0\0\0\0\x01\0/\0\0\0\0\0\0\0\0\x07\0/' bad
refuses "*'bad': number 1 of 'id_offsets' is wrong" 'offsets that lie' \
	tensor-cat --from-safetensors -o no.ts bad
tensor-cat a.ts >/dev/full 2>err
is "$? $(cat err)" '1 tensor-cat: cannot write standard output: No space left on device' \
	'a full disk'
tensor-cat --csv a.ts >/dev/full 2>err
is $? 1 'a full disk for CSV'
i=0
while [ $i -lt 2000 ]; do
	echo a.ts
	i=$((i + 1))
done >list
# shellcheck disable=SC2046
{
	tensor-cat -q $(cat list) 2>err
	echo $? >status
} | head -c 1 >/dev/null
is "$(cat status err)" 141 'a closed pipe ends it quietly'

# what others read
tensor-cat -q --npy a.ts >a.npy
is "$(head -c 127 a.npy | tail -c +11)" \
	"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }$(printf '%58s' '')" \
	'--npy: its header'
is "$(wc -c <a.npy)" $((128 + 24)) '... and size'
tensor-cat -q --npy --memory 0 a.ts >b.npy
same b.npy a.npy 'through a temporary file'
works 'a NumPy file' tensor-cat -q --npy a.npy
same out a.npy 'is read as a frame'
tensor-cat -q --select logits a.ts | tensor-cat -q --csv | sed 1d >wanted
is "$(tensor-cat -q --csv a.npy | sed 1d)" "$(cat wanted)" '... with the same rows'

# fortran DESCR PACKING VALUE...: an array of 2 rows and 2 columns, by columns
fortran() {
	printf '\223NUMPY\1\0\166\0%-117s\n' \
		"{'descr': '$1', 'fortran_order': True, 'shape': (2, 2), }"
	shift
	perl -e 'print pack(shift, @ARGV)' "$@"
}
fortran '<f4' 'f<4' 1 3 2 4 >columns.npy
works 'an array by columns' tensor-cat -q --npy columns.npy
is "$(tail -c 16 out | od -An -tf4 | tr -s ' ')" ' 1 2 3 4' '... is written by rows'
fortran '<i8' 'q<4' 9007199254740993 3 2 4 >columns.npy
says 0 'columns_0,columns_1
9007199254740993,2
3,4' '... also whole numbers as CSV' --csv columns.npy
cp a.npy logits.npy
tensor-cat -q logits.npy >numpy.ts
is "$(tensor-cat --verify numpy.ts | cut -d, -f1-3)" '1 frame, 3 rows, 1 tensor' '... and written as a stream'
tensor-cat --compare numpy.ts logits.npy 2>err
like "$? $(cat err)" "2 *'logits.npy': it holds a NumPy array*(tensor-cat -o NAME.ts makes *)" '... which others than --csv need'
ckpt-convert -q --drop 'id' a1 a.npz
works 'an archive of some' tensor-cat --verify a.npz
like "$(cat out)" '1 frame, *' '... is a frame, too'
cp a.npz bad.npz
at=$(LC_ALL=C grep -abo 'NUMPY' bad.npz | sed -n '1s/:.*//p')
printf '\377' | dd of=bad.npz bs=1 seek=$((at + 127)) conv=notrunc 2>/dev/null
refuses "*'bad.npz': the checksum of '*.npy' differs: *" 'one with a changed byte' tensor-cat --csv bad.npz
refuses "*'a.npz': it holds a zip archive*(tensor-cat -o NAME.ts makes *)" '... of which a stream is made first' \
	tensor-cat --softmax a.npz
refuses "*'a1': it holds a safetensors file*(tensor-cat --from-safetensors *)" '... as of safetensors' \
	tensor-cat --mean a1
blob '{"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
"w":{"dtype":"F32","shape":[3],"data_offsets":[8,20]}}' 'f<5' 1 2 3 4 5 >odd
ckpt-convert -q odd odd.npz
refuses "*'odd.npz': tensor 'b' has 2 rows and 'w' has 3, and a line of CSV is *--select)" 'no rows in common' \
	tensor-cat --csv odd.npz
refuses '*it holds 3 tensors beside ids*--select)' '--npy of several' \
	tensor-cat --npy other.ts
if command -v zstd >/dev/null; then
	zstd -dc a.ts >blobs
	is "$(wc -c <blobs)" "$(tensor-cat --verify a.ts | sed 's/.*, \([0-9]*\) bytes/\1/')" \
		'zstd -d passes over the end'
	zstd -dc c.ts >c.safetensors
	tensor-cat -q --from-safetensors c.safetensors >out.ts
	same out.ts c.ts 'a frame is a safetensors file'
	ckpt-inspect c.safetensors >out 2>&1
	like "$(cat out)" '*logits*' 'and ckpt-inspect lists it'
else
	skip 'zstd reads a stream' 'zstd is not installed'
fi
if [ -n "${PEER_PYTHON-}" ] && [ -f c.safetensors ]; then
	tensor-cat -q --npy --select x other.ts >x.npy
	cat >peer.py <<'PEER'
import numpy, safetensors.numpy
a = numpy.load("a.npy")
print(a.dtype, a.tolist()[:2], numpy.load("x.npy").tolist())
t = safetensors.numpy.load_file("c.safetensors")
print(sorted(t), t["logits"].tolist()[0][0], bytes(t["id"]), t["id_offsets"].tolist())
PEER
	is "$("$PEER_PYTHON" peer.py 2>&1)" "float32 [[1.0, 2.0], [3.0, 4.0]] [9007199254740993, -1]
['id', 'id_offsets', 'logits'] 0.5 b'c' [0, 1]" 'NumPy and safetensors read them'
else
	skip 'NumPy and safetensors read them' 'PEER_PYTHON or zstd is not there'
fi
finish
