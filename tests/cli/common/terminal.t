#!/bin/sh
# SPDX-License-Identifier: MIT
# Binary streams neither come from a terminal nor go to one.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"

if ! script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	skip 'terminals' 'there is no script(1) of util-linux'
	finish
	exit
fi
cp "$TEST_TOP/pipelines/data/vocab.txt" .
printf 'text,label\na b,x\nc d,y\n' >t.csv
csv2tfrecord -q -t text -l label -o t.rec t.csv

# on_terminal STATUS PATTERN NAME COMMAND
on_terminal() {
	got=0
	script -qec "$4" /dev/null </dev/null >said 2>&1 || got=$?
	is "$got" "$1" "$3"
	like "$(tr -d '\r' <said)" "$2" '... says why'
}
typed='standard input is a terminal and the input is binary: name a file or use a pipe'
on_terminal 2 "*bert-tokenize: $typed (*--lines*" 'records are not typed' 'bert-tokenize -m vocab.txt -o x'
on_terminal 2 "*tfrecord-cat: $typed*" 'nor are others' 'tfrecord-cat --count'
on_terminal 2 "*tensor-cat: $typed*" 'nor tensors' 'tensor-cat --csv'
on_terminal 2 '*csv2tfrecord: standard output is a terminal and the output is binary: use -o FILE*' \
	'records are not shown' 'csv2tfrecord -q -t text -l label t.csv'
on_terminal 0 '*2*' 'what is text is shown' 'tfrecord-cat --count t.rec'
[ ! -e x ]
result $? 'nothing was written'

# what is written again and again stays on one line
bert-tokenize -q -m vocab.txt -o k.rec t.rec
narrow() { # COLUMNS: what is shown of progress
	script -qec "stty cols $1; bert-train --force --init-config tiny --tokenizer vocab.txt \
		--steps 1 -o m k.rec" /dev/null </dev/null | tr '\r' '\n' | grep '^epoch 1' | sed 's/ *$//'
}
like "$(narrow 200)" 'epoch 1, step 1/1, 0:00 left, loss 0.[0-9]* (moving average), * examples/s, * tokens/s' \
	'the progress of training'
like "$(narrow 70)" 'epoch 1, step 1/1, 0:00 left, loss 0.???? (moving average)' \
	'... of which a narrow terminal has what fits'
is "$(narrow 12)" 'epoch 1' '... at least something'
finish
