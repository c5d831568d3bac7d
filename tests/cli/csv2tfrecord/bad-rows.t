#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord: rows that cannot be used, and tables without rows.
# Not under thread: the threads are those of cli/common/read-ahead
# shellcheck shell=sh
. "$TEST_TOP/tests/lib/lib.sh"

# bad "ROWS" MESSAGE KIND NAME [OPTION...]: one bad row between two good ones
# is an error that says MESSAGE and leaves an earlier file alone; it can be
# skipped
bad() {
	rows=$1 message=$2 kind=$3 name=$4
	shift 4
	printf "text,label\na,x\n$rows\nz,y\n" >b.csv
	echo earlier >b.tfrecord
	refuses "csv2tfrecord: cannot read 'b.csv': record 2 $message" "$name" \
		csv2tfrecord -o b.tfrecord -l label "$@" b.csv
	is "$(cat b.tfrecord)" earlier "$name: no output"
	csv2tfrecord --skip-bad -l label "$@" -o b.tfrecord b.csv 2>err
	is "$?$("$TEST_TOP/tests/lib/records" b.tfrecord)" '0label=x|text_a=a
label=y|text_a=z' "$name: skipped"
	like "$(cat err)" "csv2tfrecord: warning: skipped a row: 'b.csv': record 2 (line 3): *
csv2tfrecord: 2 records from 1 file, 2 labels; 1 bad row skipped: 1 $kind" \
		"$name: told of"
}

bad 'b' '(line 3): 1 field, expected 2' \
	'with the wrong number of fields' 'too few fields'
bad 'b,c,d' '(line 3): 3 fields, expected 2 (a field that has the delimiter in it must be in double quotes)' \
	'with the wrong number of fields' 'too many fields'
bad '"b\n\nc",d,e' \
	'(line 3): 3 fields, expected 2 (the row ends on line 5)*' \
	'with the wrong number of fields' 'too many fields on three lines'
bad '"b"c,d' '(line 3): text after a closing quote*(use --no-quote*' \
	'with malformed quotes' 'text after a quote'
bad '"b\n"c,d' \
	'(line 3): text after a closing quote on line 4*(use --no-quote*' \
	'with malformed quotes' 'text after a quote on another line'
bad '"b,c' '(line 3): the quote opened on line 3 is never closed (*' \
	'with malformed quotes' 'a quote never closed'
bad 'b\000,c' '(line 3): a NUL byte' 'with a NUL byte' 'a NUL byte'
bad 'b\000,c' '(line 3): a NUL byte' 'with a NUL byte' \
	'a NUL byte without quoting' --no-quote
bad '\377b,c' '(line 3): the text is not valid utf-8 (byte FF at position 1) (use --encoding*' \
	'in another character set' 'a text in another set'
bad 'b,c\300\200' '(line 3): the label is not valid utf-8 (byte C0 at position 2) (*' \
	'in another character set' 'a label in an overlong form'
bad 'b,' '(line 3): the label is empty (--na drop leaves out *)' 'without a label' 'no label'
bad 'b,""' '(line 3): the label is empty (--na drop *)' 'without a label' 'an empty label'

# fields beyond the limit of 16 MiB
{
	printf 'text,label\na,x\n'
	head -c 16777216 /dev/zero | tr '\0' b
	printf ',c\n"'
	head -c 16777217 /dev/zero | tr '\0' c
	printf '",d\nz,y\n'
} >long.csv
refuses "*'long.csv': record 3 (line 4): a field is longer than 16777216 bytes" \
	'a field that is too long' csv2tfrecord -o x -l label long.csv
csv2tfrecord --skip-bad -l label -o x long.csv 2>err
is "$(tail -n 1 err)" 'csv2tfrecord: 3 records from 1 file, 3 labels; 1 bad row skipped: 1 beyond a limit' \
	'and one that is not'

# what no option wants is not looked at
printf 'text,other\na,\377\n' >other.csv
works 'other columns may hold anything' csv2tfrecord other.csv
printf 'text,label\n,x\n"",x\na,x\n' >empty.csv
csv2tfrecord -l label empty.csv >out 2>err
is "$?$("$TEST_TOP/tests/lib/records" out)" '0label=x|text_a=
label=x|text_a=
label=x|text_a=a' 'texts may be empty'
is "$(cat err)" 'csv2tfrecord: 3 records from 1 file, 1 label; 2 texts are empty' \
	'but are counted'

# many bad rows, in several files
{
	echo text
	seq -f '%g,' 9
	echo good
} >many.csv
cp many.csv more.csv
csv2tfrecord --skip-bad -o x many.csv more.csv 2>err
is "$?$(grep -c 'skipped a row' err)" 05 'the first five are told of one by one'
is "$(sed -n '6p;8p' err)" 'csv2tfrecord: warning: further bad rows are only counted
csv2tfrecord: 2 records from 2 files; 18 bad rows skipped: 18 with the wrong number of fields' \
	'the others are counted'
csv2tfrecord -q --skip-bad -o x many.csv 2>err
is "$?$(cat err)" 0 'nothing is said with -q'
printf '"a"b,c\nd,e\nf\n' >first.csv
csv2tfrecord --no-header -t 2 --skip-bad first.csv 2>err >out
is "$("$TEST_TOP/tests/lib/records" out)$(tail -n 1 err)" 'text_a=ecsv2tfrecord: 1 record from 1 file; 2 bad rows skipped: 1 with the wrong number of fields, 1 with malformed quotes' \
	'the first row of all'

# control characters in messages
printf 'text,w\na,\033[31m\n' >escape.csv
refuses "*the weight is '[?][[]31m', expected*" 'messages do not steer a terminal' \
	csv2tfrecord --weight w escape.csv

# no rows at all
: >none.csv
refuses "csv2tfrecord: 'none.csv' is empty" 'an empty file' csv2tfrecord none.csv
refuses 'csv2tfrecord: standard input is empty' 'an empty input' csv2tfrecord
printf '\n\r\n' >none.csv
refuses "csv2tfrecord: 'none.csv' is empty" 'empty lines' csv2tfrecord none.csv
printf 'text,label' >header.csv
refuses "csv2tfrecord: 'header.csv' has a header but no rows" 'only a header' \
	csv2tfrecord -o x header.csv
refuses "csv2tfrecord: 'header.csv' has a header but no rows" \
	'only a header, second file' csv2tfrecord other.csv header.csv
printf 'text,label\na\nb\n' >allbad.csv
# a share of bad rows
printf 'text,label\na,x\nb\nc\n' >half.csv
csv2tfrecord --skip-bad -l label -o x half.csv 2>err
like "$? $(cat err)" '0 *warning: MORE THAN HALF OF THE ROWS ARE LEFT OUT: 2 of 3 are malformed*' \
	'more than half of the rows'
echo earlier >x
refuses 'csv2tfrecord: *2 of 3 rows are malformed, a larger share than 0.5' \
	'more than --max-bad' csv2tfrecord --max-bad .5 -l label -o x half.csv
is "$(cat x)" earlier 'no output'
works 'not more' csv2tfrecord --max-bad .7 -l label -o x half.csv
refuses '*no rows are left: 2 bad ones were skipped' 'only bad rows' \
	csv2tfrecord --skip-bad allbad.csv
printf '"te"xt,label\na,b\n' >badheader.csv
refuses "csv2tfrecord: cannot read 'badheader.csv': header (line 1): text after a closing quote: are fields divided by something else?" \
	'a bad header' csv2tfrecord --skip-bad badheader.csv

finish
