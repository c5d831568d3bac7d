#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord --rejects: the file of bad rows, as they were.
# shellcheck shell=sh
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

printf 'text,y\r\na,1\r\n"b ""q""",2,x\r\n"c\nd",\r\ne\000f,3\r\n"g"h,4\r\n\377,5\r\ni,6\r\n"j,7\r\nk,8\r\n' >r.csv
csv2tfrecord -l y --rejects bad.csv -o r.tfrecord r.csv 2>err
is "$? $("$TEST_TOP/tests/lib/records" r.tfrecord)" '0 label=1|text_a=a
label=6|text_a=i
label=8|text_a=k' 'good rows stay'
is "$(tail -n 1 err)" "csv2tfrecord: 3 records from 1 file, 3 labels; 6 bad rows in 'bad.csv': 1 with the wrong number of fields, 2 with malformed quotes, 1 with a NUL byte, 1 in another character set, 1 without a label" \
	'the summary counts them'
printf 'file,line,reason,row
r.csv,3,"3 fields, expected 2","""b """"q"""""",2,x"
r.csv,4,the label is empty,"""c\nd"","
r.csv,6,a NUL byte,"e\000f,3"
r.csv,7,text after a closing quote,"""g""h,4"
r.csv,8,the text is not valid utf-8 (byte FF at position 1),"\377,5"
r.csv,10,the quote opened on line 10 is never closed,"""j,7"
' >wanted
cmp bad.csv wanted >why 2>&1
result $? 'bad rows stand there byte for byte, with file, line and reason'

# What was rejected can be read again once it is mended.
printf 'text,y\n"a ""b"" c",\n' >q.csv
csv2tfrecord -q -l y --rejects bad.csv -o x q.csv 2>err
is "$?" 1 'no good row is a failure'
is "$(cat err)" 'csv2tfrecord: no rows are left: 1 bad one was skipped' \
	'... that says so'
[ ! -e x ] && [ -s bad.csv ]
result $? '... and the rejected rows tell why'
csv2tfrecord -q -t row bad.csv >x
is "$("$TEST_TOP/tests/lib/records" x)" 'text_a="a ""b"" c",' \
	'the file of rejected rows is a table itself'

printf '{"text":"a"}\n{"text":1,}\n{"text":"b"}\n' >j.jsonl
csv2tfrecord --rejects bad.csv - <j.jsonl >x 2>err
is "$(cat bad.csv)" 'file,line,reason,row
-,2,byte 11: expected a key in quotes,"{""text"":1,}"' 'JSON Lines'
works 'no bad row' csv2tfrecord -q --rejects bad.csv -o x r.csv --no-header \
	-t 1 --skip-bad
printf 'text\na\n' >good.csv
works 'no bad row' csv2tfrecord --rejects bad.csv -o x good.csv
is "$(cat bad.csv err)" 'file,line,reason,row
csv2tfrecord: 1 record from 1 file' 'gives a header'
csv2tfrecord --rejects - -o x j.jsonl >out 2>err
is "$? $(tail -n 1 out)" '0 j.jsonl,2,byte 11: expected a key in quotes,"{""text"":1,}"' \
	'on standard output'
exits 2 'records and rejected rows to one file' \
	csv2tfrecord --rejects x -o x good.csv
exits 2 'and on standard output both' csv2tfrecord --rejects - good.csv
echo earlier >bad.csv
refuses '*cannot open*' 'a file that is not there' \
	csv2tfrecord --rejects bad.csv -o x nosuch.csv
is "$(cat bad.csv)" earlier 'leaves an earlier one'
csv2tfrecord -o x --rejects /dev/full j.jsonl 2>err
like "$?$(cat err)" "1csv2tfrecord: cannot write '/dev/full': No space left on device" \
	'rejected rows that cannot be written'

# A field beyond the limit: the row is cut in the file, the run goes on.
{
	printf 'text,y\n"'
	head -c 30000000 /dev/zero | tr '\0' x
	printf '",1\nb,2\n'
} >long.csv
csv2tfrecord --rejects bad.csv -o x long.csv 2>err
is "$? $("$TEST_TOP/tests/lib/records" x)" '0 text_a=b' 'a row beyond a limit'
[ "$(wc -c <bad.csv)" -gt 1000000 ]
result $? 'stands there with its first MiB'

finish
