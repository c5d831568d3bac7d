#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-predict --format npy: embeddings, logits and probabilities as NumPy files.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_config=tiny
small_data
small_train m -q
small_train m2 -q --seed 7
n=0
rows=$(($(wc -l <dev.csv) - 1))
# the numbers of a CSV behind id and label, from column $1 on, as an array holds them
floats() { sed 1d | cut -d, -f"$1"- | perl -ne 'print pack("f<*", split /,/)'; }
array() { tail -c +129 "$1"; }

works 'embeddings' bert-predict -m m --embed mean --normalize --format npy -o e.npy dev.rec
is "$(head -c 127 e.npy | tail -c +11 | sed 's/ *$//')" \
	"{'descr': '<f4', 'fortran_order': False, 'shape': ($rows, 128), }" 'type, order and shape'
is "$(od -An -tx1 -N10 e.npy | tr -d ' ')" 934e554d505901007600 'NumPy format 1.0'
bert-predict -q -m m --embed mean --normalize dev.rec | floats 2 >want
array e.npy >got
same got want 'the numbers of CSV'
bert-predict -q -m m --embed mean --normalize --format tensor dev.rec | tensor-cat -q --npy >t.npy
same e.npy t.npy 'the bytes of tensor-cat --npy'
bert-predict -q -m m --embed mean --normalize --format npy -j 3 - <dev.rec | cat >p.npy
same p.npy e.npy 'from a pipe to a pipe, with three threads'
for i in $(seq 200); do cat dev.rec; done >many.rec
works 'more than one block' bert-predict -q -m m --embed cls --format npy -o many.npy many.rec
bert-predict -q -m m --embed cls --format tensor many.rec | tensor-cat -q --npy --memory 0 >t.npy
same many.npy t.npy 'is one array'

works 'logits' bert-predict -q -m m -m m2 --format npy -o l.npy dev.rec
bert-predict -q -m m -m m2 --format tensor dev.rec | tensor-cat -q --npy >t.npy
same l.npy t.npy 'of several models'
works 'probabilities' bert-predict -q -m m -m m2 --format npy --proba -o p.npy dev.rec
bert-predict -q -m m -m m2 --proba dev.rec | floats 3 >want
array p.npy >got
same got want 'are those of CSV'
sed 's/intent$/a,b/; 2,$s/,[a-z_]*$/,1,0/; 5s/1,0$/0,1/' dev.csv >multi.csv
csv2tfrecord -q -i id -t text -l a,b multi.csv | bert-tokenize -q -m vocab.txt -o multi.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task multilabel --steps 2 -o both multi.rec
bert-predict -q -m both --format npy --proba -o p.npy multi.rec
bert-predict -q -m both --proba multi.rec | floats 3 >want
array p.npy >got
same got want '... of labels'
sed 's/intent$/score/; 2,$s/,[a-z_]*$/,1.5/; 5s/1.5$/3/' dev.csv >number.csv
csv2tfrecord -q -i id -t text -l score --label-type float number.csv |
	bert-tokenize -q -m vocab.txt -o number.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --task regression --steps 2 -o number number.rec
bert-predict -q -m number --format npy -o v.npy number.rec
bert-predict -q -m number number.rec | floats 2 >want
array v.npy >got
same got want 'numbers of a regression'
misuses '*--proba, --top and --map-label do not apply to regression*' 'which has no probabilities' \
	bert-predict -m number --format npy --proba number.rec

cat dev.rec dev.rec >again.rec
works 'ids that repeat' bert-predict -m m --format npy -o got again.rec
is "$(grep -c warning err)" 0 'do not matter, there are none'
csv2tfrecord -q -t text dev.csv | bert-tokenize -q -m m >noid.rec
bert-predict -m m --embed mean --normalize --format npy -o got noid.rec 2>err
same got e.npy 'nor do records without ids'
is "$(grep -c numbered err)" 0 'which is not said'

misuses '*options for labels and CSV, except --proba, do not apply to NumPy files*' 'a header' \
	bert-predict -m m --format npy --header a,b dev.rec
misuses '*options for labels and CSV, such as --proba and --with, do not apply to --embed*' 'probabilities of embeddings' \
	bert-predict -m m --format npy --embed mean --proba dev.rec
echo old >old.npy
head -c -5 dev.rec >cut.rec
exits 1 'records that are cut off' bert-predict -q -m m --format npy -o old.npy cut.rec
is "$(cat old.npy)" old 'leave the file as it was'
: >empty.rec
refuses "*'empty.rec' holds no records" 'no records' bert-predict -q -m m --format npy -o none.npy empty.rec
exits 1 'a full disk' sh -c 'bert-predict -q -m m --format npy dev.rec >/dev/full'

if [ -n "${PEER_PYTHON-}" ]; then
	bert-predict -q -m m -m m2 --proba -o p.csv dev.rec
	"$PEER_PYTHON" -c '
import csv, numpy as np
a = np.load("l.npy")
assert a.dtype == np.float32 and a.flags.c_contiguous and a.shape == ('"$rows"', 4)
rows = list(csv.reader(open("p.csv")))
assert [rows[0][2 + k] for k in a.argmax(1)] == [r[1] for r in rows[1:]]
assert np.allclose(np.exp(a), [[float(x) for x in r[2:]] for r in rows[1:]], atol=1e-6)
assert np.allclose(np.linalg.norm(np.load("e.npy"), axis=1), 1, atol=1e-5)' >why 2>&1
	result $? 'NumPy reads it'
else
	skip 'NumPy reads it' 'PEER_PYTHON is not set'
fi
finish
