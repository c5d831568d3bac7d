#!/bin/sh
# SPDX-License-Identifier: MIT
# A folder of texts is a table.
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

mkdir -p r/neg r/pos/deeper r/.git none
printf 'bad film\n' >r/neg/b.txt
printf 'two\nlines' >r/neg/a.txt
printf good >r/pos/a.txt
echo no >r/pos/notes.md
echo no >r/pos/deeper/x.txt
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
works 'beside a table' eval "printf 'id,text\nc,x\n' | csv2tfrecord -q -i id r/neg - | tfrecord-cat --count"
is "$(cat out)" 3 'it is another file'
printf 'a\0b' >r/pos/c.txt
refuses "*cannot read 'r': record 4 (file 'pos/c.txt'): a NUL byte*" 'a file that is not text' csv2tfrecord -o no.rec r
works 'it is skipped' csv2tfrecord --skip-bad -q -o r.rec r
is "$(tfrecord-cat -q --count r.rec)" 3 'if that is wanted'
rm r/pos/c.txt

# what is not a text of the folder
mkfifo r/pos/fifo.txt
mkdir r/pos/folder.txt
works 'a pipe and a folder by the names of texts' timeout 20 csv2tfrecord -q -o r.rec r
is "$(tfrecord-cat -q --count r.rec)" 3 'are passed over'
ln -s nowhere r/pos/x.txt
refuses "*cannot open 'r/pos/x.txt': No such file*" 'a link that leads nowhere' csv2tfrecord -o no.rec r
rm r/pos/x.txt
mkdir r/none
echo no >r/none/1.TXT
refuses "*the folder 'none' in 'r' holds no texts: expected the files NAME.txt in it; a table in it is given by its own name" 'a label without texts' \
	csv2tfrecord -o no.rec r
echo text >r/x.txt
refuses "*'r' holds texts, such as 'x.txt', beside folders, such as 'neg', whose names would be labels" \
	'texts and folders of texts' csv2tfrecord -o no.rec r
mkdir -p ds/csv
echo 'a,b' >ds/csv/a.csv
echo 'How to use it' >ds/README.txt
refuses "*'ds' holds texts, such as 'README.txt', beside folders, such as 'csv', *" 'and other folders' \
	csv2tfrecord -o no.rec ds
refuses "*'none' holds no texts: expected the files LABEL/NAME.txt or NAME.txt in it; a table in it is given by its own name" 'no texts' \
	csv2tfrecord -o no.rec none

# how they are read
mkdir b
printf abc >b/1.txt
printf d >b/2.txt
refuses "*cannot read 'b/2.txt': there is more than the 3 bytes allowed" 'all files together are too much' \
	csv2tfrecord --max-bytes 3 --skip-bad -o no.rec b
works 'or not' csv2tfrecord -q --max-bytes 4 -o b.rec b
printf '\357\273\277a\303\251' >b/1.txt
printf '\377\376d\0\351\0' >b/2.txt
printf '\376\377\0e' >b/3.txt
works 'byte order marks' csv2tfrecord -q -o b.rec b
is "$(tfrecord-cat -q --json b.rec)" '{"text_a": "aé"}
{"text_a": "dé"}
{"text_a": "e"}' 'decide and are not in the texts'
rm b/3.txt
printf 'c\0\351\0' >b/1.txt
works 'UTF-16 without one' csv2tfrecord -q --encoding utf-16 -o b.rec b
is "$(tfrecord-cat -q --json b.rec)" '{"text_a": "cé"}
{"text_a": "dé"}' 'by the option'
printf 'x\351' >b/1.txt
rm b/2.txt
works 'Latin-1' csv2tfrecord -q --encoding latin1 -o b.rec b
is "$(tfrecord-cat -q --json b.rec)" '{"text_a": "xé"}' 'by the option, too'
for o in '--format csv' '--format jsonl' '--delimiter ;' --no-header --no-quote; do
	# shellcheck disable=SC2086
	misuses "*${o%% *} makes no sense with a folder of texts*" "$o" csv2tfrecord $o -o no.rec b
done
printf 'text;id\nx;y\n' >table.csv
works 'beside a table' csv2tfrecord -q --encoding latin1 --delimiter ';' -i id -o b.rec b table.csv
is "$(tfrecord-cat -q --count b.rec)" 2 'which they are for'
[ ! -e no.rec ]
result $? 'nothing is written then'
finish
