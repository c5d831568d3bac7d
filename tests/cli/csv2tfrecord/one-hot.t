#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord: columns of which just one holds 1 are classes.
# shellcheck shell=sh
# Not under thread: the threads are those of cli/bert-tokenize/records
. "$TEST_TOP/tests/lib/lib.sh"

records() {
	"$TEST_TOP/tests/lib/records" "$1"
}

printf 'text,win_a,win_b,tie\na,0,1,0\nb,1,0,0\nc,no,no,yes\n' >v.csv
works 'one of several columns' csv2tfrecord -l win_a,win_b,tie --label-type one-hot -o v.rec v.csv
is "$(cat err)" 'csv2tfrecord: 3 records from 1 file, 3 labels' '... are classes'
is "$(records v.rec)" 'label=win_b|label_ids=1|text_a=a
label=win_a|label_ids=0|text_a=b
label=tie|label_ids=2|text_a=c' '... in the order of the columns'
csv2tfrecord -q -l win_a,win_b,tie --label-type one-hot --map-label tie=win_b -o m.rec v.csv
is "$(records m.rec)" 'label=win_b|text_a=a
label=win_a|text_a=b
label=win_b|text_a=c' 'two that are renamed to one'
printf 'text,p,q\na,1,0\nb,1,1\nc,0,0\n' >w.csv
refuses "*record 2 (line 3): 2 of 2 label columns hold 1, expected one" 'two of them' \
	csv2tfrecord -l p,q --label-type one-hot w.csv
csv2tfrecord -l p,q --label-type one-hot --skip-bad -o w.rec w.csv 2>err
is "$(records w.rec) $(tail -n 1 err)" 'label=p|label_ids=0|text_a=a csv2tfrecord: 1 record from 1 file, 1 label; 2 bad rows skipped: 2 without just one label' \
	'... can be skipped, as can none'
misuses 'csv2tfrecord: one-hot labels need several label columns*' 'one column' csv2tfrecord -l p --label-type one-hot w.csv

# multi-label data that look so
awk 'BEGIN { print "text,p,q"; for (i = 0; i < 20; i++) print "text " i "," i % 2 "," 1 - i % 2 }' >all.csv
csv2tfrecord -l p,q -o all.rec all.csv 2>err
is "$(head -n 1 err)" 'csv2tfrecord: warning: each of 20 records has exactly one of the 2 labels, of which any number may apply (if they exclude each other, --label-type one-hot makes classes of them)' \
	'twenty rows with one label each'
echo 'more,1,1' >>all.csv
csv2tfrecord -l p,q -o all.rec all.csv 2>err
is "$(cat err)" 'csv2tfrecord: 21 records from 1 file, 2 labels' '... and one with two'
awk 'BEGIN { print "text,p,q"; for (i = 0; i < 20; i++) print "text " i ",0,1" }' >q.csv
csv2tfrecord -l p,q -o q.rec q.csv 2>err
is "$(cat err)" 'csv2tfrecord: 20 records from 1 file, 1 label' '... and all with the same one'
cp "$TEST_TOP/pipelines/data/vocab.txt" .
bert-tokenize -q -m vocab.txt -o t.rec all.rec
refuses "*record 1: may have several labels, but the model is single-label (train with --task multilabel or, where each text has just one, make classes with csv2tfrecord --label-type one-hot)" \
	'what training says of it' bert-train --init-config tiny --tokenizer vocab.txt -o m t.rec

# training and a submission
bert-tokenize -q -m vocab.txt -o v.tok v.rec
bert-train -q --init-config tiny --tokenizer vocab.txt --steps 2 -o m v.tok
printf 'id,win_b,tie,win_a\n0,0,0,0\n1,0,0,0\n2,0,0,0\n' >sample.csv
works 'probabilities of a sample' bert-predict -q -m m --sample sample.csv -o s.csv v.tok
is "$(awk -F , 'NR > 1 { s = $2 + $3 + $4; print (s > .999 && s < 1.001) }' s.csv | paste -sd ' ' -)" '1 1 1' '... add up to 1'
finish
