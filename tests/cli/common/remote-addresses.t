#!/bin/sh
# SPDX-License-Identifier: MIT
# Addresses in place of paths: refused, with the pipe or the copy that serves.
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"
M=$DATA/tok/uncased

# far GLOB NAME COMMAND...: wrong usage, told like this
far() {
	glob=$1 name=$2
	shift 2
	"$@" >out 2>err
	like "$? $(wc -c <out) $(cat err)" "2 0 $glob
Try '*--help'." "$name"
}

printf 'text,label\nhello,a\nworld,b\n' >a.csv
csv2tfrecord -q -l label -o a.rec a.csv
bert-tokenize -q -m "$M" -o a.tok a.rec

# inputs
far "*cannot read 'gs://b/x': remote files come through a pipe: gcloud storage cat 'gs://b/x' | ..." \
	'records of bert-tokenize' bert-tokenize -m "$M" gs://b/x
far "*: aws s3 cp 's3://b/x' - | ..." 'a later one' \
	bert-tokenize -m "$M" a.rec s3://b/x
far "*: hdfs dfs -cat 'hdfs://n:8020/x' | ..." 'lines' \
	bert-tokenize -m "$M" --lines hdfs://n:8020/x
train="bert-train -q --init-config tiny --tokenizer $M --steps 1"
far "*: curl -fsSL 'https://e.org/x' | ..." 'records of bert-train' \
	$train -o m https://e.org/x
far "*: curl -fsSL 'http://e.org/x' | ..." 'its evaluation set' \
	$train -o m --eval http://e.org/x a.tok
far "*cannot read 'gs://b/c.json': *" 'its configuration' \
	bert-train --init-config gs://b/c.json -o m a.tok
works 'a model' $train -o model a.tok
far "*cannot read 's3://b/x': *" 'records of bert-predict' \
	bert-predict -m model s3://b/x
far "*cannot read 's3://b/x': *" '... its sample submission' \
	bert-predict -m model --sample s3://b/x a.tok
far "*cannot read 's3://b/x': *" 'records of bert-eval' \
	bert-eval -m model s3://b/x

# model directories
copy="it is remote; copy it here first: gcloud storage cp -r 'gs://b/m' ."
for c in bert-tokenize bert-predict bert-eval 'bert-train -o m'; do
	# shellcheck disable=SC2086
	far "*: cannot open 'gs://b/m': $copy" "the model of $c" $c -m gs://b/m a.tok
done
far "*cannot open 'hdfs://n/m': *: hdfs dfs -get 'hdfs://n/m' DIR" \
	'the tokenizer of bert-train' \
	bert-train --init-config tiny --tokenizer hdfs://n/m -o m a.tok
for c in 'ckpt-inspect --check' ckpt-inspect 'ckpt-inspect --diff model'; do
	# shellcheck disable=SC2086
	far "*: aws s3 cp --recursive 's3://b/m' DIR" "a checkpoint of $c" $c s3://b/m
done
far "*cannot open 'gs://b/m': $copy" 'one to convert' ckpt-convert gs://b/m here
far "*cannot open 'gs://b/m': $copy" '... to ONNX' ckpt-convert gs://b/m m.onnx

# outputs
far "*cannot write 'gs://b/y': remote files are written through a pipe: ... | gcloud storage cp - 'gs://b/y'" \
	'an output' bert-tokenize -m "$M" -o gs://b/y a.rec
far "*... | curl -fsS -T - 'http://e.org/y'" 'predictions' \
	bert-predict -m model -o http://e.org/y a.tok
far "*cannot write 'gs://b/m': it is remote; write to a directory here and copy that: gcloud storage cp -r DIR 'gs://b/m'" \
	'a model to write, before anything is read' $train -o gs://b/m nosuch
away="it is remote; write to a directory here and copy that: gcloud storage cp -r DIR 'gs://b/m'"
far "*cannot write 'gs://b/m': $away" 'a checkpoint to write' \
	ckpt-convert --to safetensors model gs://b/m
far "*cannot write 'gs://b/m': $away" 'events' \
	$train --tensorboard gs://b/m -o m a.tok
far "*cannot write 'gs://b/m': $away" 'a tokenizer' bert-tokenize -m "$M" --save gs://b/m
far "*cannot write 'gs://b/m': $away" 'a vocabulary, before anything is read' \
	bert-vocab -o gs://b/m nosuch
far "*... | aws s3 cp - 's3://b/v.txt'" '... in a file' bert-vocab -o s3://b/v.txt nosuch
for c in bert-vocab tfrecord-cat 'tfrecord-cat --leak a.rec' tensor-cat \
	'csv2tfrecord -t text' 'csv2tfrecord -t text -l label --map-label @gs://b/x'; do
	# shellcheck disable=SC2086
	far "*cannot read 'gs://b/x': *: gcloud storage cat 'gs://b/x' | ..." "input of $c" \
		$c gs://b/x
done
for o in '--rejects gs://b/x' '-o gs://b/x'; do
	# shellcheck disable=SC2086
	far "*... | gcloud storage cp - 'gs://b/x'" "csv2tfrecord $o" \
		csv2tfrecord -t text $o a.csv
done
for o in '--split gs://b/x=.9,dev=.1' '--split dev=.1,gs://b/x=.9' \
	'--leak gs://b/x' '-o gs://b/x'; do
	# shellcheck disable=SC2086
	far "*gcloud storage c* 'gs://b/x'*" "tfrecord-cat $o" tfrecord-cat $o a.rec
done
far "*... | gcloud storage cp - 'gs://b/x-a'" 'a part of it' \
	tfrecord-cat --split a=.5,b=.5 -o gs://b/x a.rec
[ "$(echo *:*)" = '*:*' ]
result $? 'and no folder is made for it'
mkdir -p gs:/b
cp a.rec gs:/b/x
works 'a path that looks so can be given' bert-tokenize -m "$M" ./gs://b/x
finish
