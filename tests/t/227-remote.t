#!/bin/sh
# SPDX-License-Identifier: MIT
# Addresses in place of paths: refused, with the pipe or the copy that serves.
# Not under thread: the threads are those of 220-tokenize
. "$TEST_TOP/tests/lib.sh"
M=$DATA/tok/uncased

printf 'text,label\nhello,a\nworld,b\n' >a.csv
csv2tfrecord -q -l label -o a.rec a.csv
bert-tokenize -q -m "$M" -o a.tok a.rec

# inputs
refuses "*cannot read 'gs://b/x': remote files come through a pipe: gcloud storage cat 'gs://b/x' | ..." \
	'records of bert-tokenize' bert-tokenize -m "$M" gs://b/x
refuses "*: aws s3 cp 's3://b/x' - | ..." 'a later one' \
	bert-tokenize -m "$M" a.rec s3://b/x
refuses "*: hdfs dfs -cat 'hdfs://n:8020/x' | ..." 'lines' \
	bert-tokenize -m "$M" --lines hdfs://n:8020/x
train="bert-train -q --init-config tiny --tokenizer $M --steps 1"
refuses "*: curl -fsSL 'https://e.org/x' | ..." 'records of bert-train' \
	$train -o m https://e.org/x
refuses "*: curl -fsSL 'http://e.org/x' | ..." 'its evaluation set' \
	$train -o m --eval http://e.org/x a.tok
refuses "*cannot read 'gs://b/c.json': *" 'its configuration' \
	bert-train --init-config gs://b/c.json -o m a.tok
works 'a model' $train -o model a.tok
refuses "*cannot read 's3://b/x': *" 'records of bert-predict' \
	bert-predict -m model s3://b/x
refuses "*cannot read 's3://b/x': *" '... its sample submission' \
	bert-predict -m model --sample s3://b/x a.tok
refuses "*cannot read 's3://b/x': *" 'records of bert-eval' \
	bert-eval -m model s3://b/x

# model directories
copy="it is remote; copy it here first: gcloud storage cp -r 'gs://b/m' ."
for c in bert-tokenize bert-predict bert-eval 'bert-train -o m'; do
	# shellcheck disable=SC2086
	refuses "*: cannot open 'gs://b/m': $copy" "the model of $c" $c -m gs://b/m a.tok
done
refuses "*cannot open 'hdfs://n/m': *: hdfs dfs -get 'hdfs://n/m' DIR" \
	'the tokenizer of bert-train' \
	bert-train --init-config tiny --tokenizer hdfs://n/m -o m a.tok
exits 2 'a checkpoint' ckpt-inspect --check s3://b/m
like "$(cat err)" "*: aws s3 cp --recursive 's3://b/m' DIR" '... too'

# outputs
refuses "*cannot write 'gs://b/y': remote files are written through a pipe: ... | gcloud storage cp - 'gs://b/y'" \
	'an output' bert-tokenize -m "$M" -o gs://b/y a.rec
refuses "*... | curl -fsS -T - 'http://e.org/y'" 'predictions' \
	bert-predict -m model -o http://e.org/y a.tok
refuses "*cannot write 'gs://b/m': it is remote; write to a directory here and copy that: gcloud storage cp -r DIR 'gs://b/m'" \
	'a model to write, before anything is read' $train -o gs://b/m nosuch
[ "$(echo *:*)" = '*:*' ]
result $? 'and no folder is made for it'
mkdir -p gs:/b
cp a.rec gs:/b/x
works 'a path that looks so can be given' bert-tokenize -m "$M" ./gs://b/x
finish
