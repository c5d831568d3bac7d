#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-predict: the format that the output's name stands for, and names of others.
# Not under thread: the threads are those of cli/bert-predict/output
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q
n=0
for f in csv jsonl npy tensor tfrecord; do
	bert-predict -q -m m --format $f dev.rec >by.$f
done
while read -r file format; do
	works "-o $file" bert-predict -q -m m -o "$file" dev.rec
	same "$file" by.$format "holds $format"
done <<-.
	a.csv csv
	a.jsonl jsonl
	a.json jsonl
	a.ndjson jsonl
	a.npy npy
	a.ts tensor
	a.rec tfrecord
	a.tfrecord tfrecord
	a.txt csv
	a csv
	.
works 'a name in .json' bert-predict -m m -o a.json dev.rec
like "$(cat err)" "*bert-predict: 'a.json' will hold JSON Lines: an object a line*" 'says what it holds'
mkdir d.npy
works 'a folder does not count' bert-predict -q -m m -o d.npy/a dev.rec
same d.npy/a by.csv '... it holds CSV'
works 'embeddings' bert-predict -q -m m --embed mean -o e.npy dev.rec
bert-predict -q -m m --embed mean --format npy dev.rec >want
same e.npy want '... as an array'
works 'another name and a format' bert-predict -q -m m --format npy -o array dev.rec
same array by.npy '... which counts'

misuses "*'b.npy' would hold csv, not npy: give --format npy or another name*" 'CSV' \
	bert-predict -m m --format csv -o b.npy dev.rec
misuses "*'b.csv' would hold npy, not csv: give --format csv or another name*" 'an array' \
	bert-predict -m m --format npy -o b.csv dev.rec
misuses "*'b.rec' would hold tensor, not tfrecord: *" 'tensors' \
	bert-predict -m m --format tensor -o b.rec dev.rec
for file in b.parquet b.csv.gz b.jsonl.zst b.npz b.xlsx; do
	misuses "*cannot write '$file': give a name that ends in .conll, .csv, *; to compress, write to a pipe*" \
		"$file" bert-predict -m m -o $file dev.rec
	misuses "*cannot write '$file': *" '... with a format' bert-predict -m m --format csv -o $file dev.rec
done
misuses "*--embed supports the formats csv, *" 'records of embeddings' \
	bert-predict -m m --embed mean -o b.rec dev.rec
misuses "*--embed supports the formats csv, *" '... or tags' bert-predict -m m --embed mean -o b.bio dev.rec
misuses "*--embed supports the formats csv, *" '... or tsv' bert-predict -m m --embed mean -o b.tsv dev.rec

# two things are called .tsv
misuses "*'b.tsv' would hold CSV with commas: give --delimiter tab for ids and labels, or --format tsv for *" \
	'.tsv' bert-predict -m m -o b.tsv dev.rec
misuses "*'b.tsv' would hold CSV with commas: *" '.tsv as CSV' bert-predict -m m --format csv -o b.tsv dev.rec
misuses "*'b.tsv' would hold CSV, with commas: give another name*" '... for masks' \
	bert-predict -m m --fill-mask -o b.tsv dev.rec
works 'tabs' bert-predict -q -m m --delimiter tab -o b.tsv dev.rec
tr , '\t' <by.csv >want
same b.tsv want 'between ids and labels'
works 'probabilities' bert-predict -q -m m --format tsv -o c.tsv dev.rec
is "$(head -n 1 c.tsv | awk '{ print NF }')" 4 '... alone'

# a sample is CSV
sed 's/,.*/,x/; 1s/.*/id,intent/' by.csv >sample.csv
tr , '\t' <sample.csv >sample.tsv
for f in csv tsv; do
	works "a sample: $f" bert-predict -q -m m --sample sample.$f -o s.$f dev.rec
done
tr '\t' , <s.tsv >got
same got s.csv 'keeps its delimiter'
misuses "*'s.jsonl' would hold csv, not jsonl: give another name*" 'a sample as JSON' \
	bert-predict -m m --sample sample.csv -o s.jsonl dev.rec
# shellcheck disable=SC2144
[ ! -e b.npy ] && [ ! -e b.csv ] && [ ! -e b.rec ] && [ ! -e s.jsonl ]
result $? 'what is refused writes nothing'
finish
