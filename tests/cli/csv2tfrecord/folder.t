#!/bin/sh
# SPDX-License-Identifier: MIT
# A folder of texts is a table.
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

mkdir -p r/neg r/pos r/none r/.git
printf 'bad film\n' >r/neg/b.txt
printf 'two\nlines' >r/neg/a.txt
printf good >r/pos/a.txt
echo no >r/pos/notes.md
echo no >r/.git/x.txt
works 'folders by the names of labels' csv2tfrecord -t text -l label -i id -o r.rec r
like "$(cat err)" '*3 records from 1 file, 2 labels*' 'are summed up'
is "$(tfrecord-cat -q --json r.rec)" '{"id": "a", "label": "neg", "text_a": "two\nlines"}
{"id": "b", "label": "neg", "text_a": "bad film\n"}
{"id": "a", "label": "pos", "text_a": "good"}' 'in the order of their names'
works 'without the columns' csv2tfrecord -o r.rec r/
like "$(cat err)" '*with neither label nor id (-l COLUMN reads a label, -i COLUMN an id)*' 'says how they are read'
works 'texts alone' csv2tfrecord -q -i id -o one.rec r/neg
is "$(tfrecord-cat -q --json one.rec)" '{"id": "a", "text_a": "two\nlines"}
{"id": "b", "text_a": "bad film\n"}' 'have ids'
refuses "*cannot find column 'label' in 'r/neg'; its columns are 'text', 'id'*" 'but no labels' \
	csv2tfrecord -l label -o no.rec r/neg
works 'beside a table' eval "printf 'id,text\nc,x\n' | csv2tfrecord -q -i id r/pos - | tfrecord-cat --count"
is "$(cat out)" 2 'it is another file'
printf 'a\0b' >r/pos/c.txt
refuses "*cannot read 'r': record 4 (file 'pos/c.txt'): a NUL byte*" 'a file that is not text' csv2tfrecord -o no.rec r
works 'it is skipped' csv2tfrecord --skip-bad -q -o r.rec r
is "$(tfrecord-cat -q --count r.rec)" 3 'if that is wanted'
rm r/pos/c.txt
echo text >r/x.txt
refuses "*'r' holds texts, such as 'x.txt', beside folders of texts, whose names would be their labels" \
	'texts and folders' csv2tfrecord -o no.rec r
refuses "*'r/none' holds no texts: expected the files LABEL/NAME.txt or NAME.txt in it" 'no texts' \
	csv2tfrecord -o no.rec r/none
[ ! -e no.rec ]
result $? 'nothing is written then'
finish
