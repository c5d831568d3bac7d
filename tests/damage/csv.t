#!/bin/sh
# SPDX-License-Identifier: MIT
# csv2tfrecord: inputs that are cut off, outputs that cannot be written.
# shellcheck shell=sh
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"

records() { "$TEST_TOP/tests/lib/records" "$@"; }

# The records of a table that is cut anywhere are the first ones of the whole
# table, but for a last field that is cut; or it is refused.
printf 'text,label\n"a ""b"",\nc",x\r\nd,y\n"e",zz\n' >whole.csv
csv2tfrecord -q -l label -o whole.tfrecord whole.csv
records whole.tfrecord >whole.txt
is "$(wc -l <whole.txt | tr -d ' ')" 3 'a table with three rows'
size=$(wc -c <whole.csv)
at=0 odd='' refused=0
while [ $at -lt "$size" ]; do
	head -c $at whole.csv >cut.csv
	if csv2tfrecord -q -t text -l label -o cut.tfrecord cut.csv 2>err; then
		rows=$(records cut.tfrecord | tee cut.txt | wc -l)
		head -n $((rows - 1)) whole.txt >before.txt
		head -n $((rows - 1)) cut.txt | cmp -s - before.txt ||
			odd="$odd $at"
		# the last one may have lost the end of its label
		case $(sed -n ${rows}p whole.txt) in
		"$(sed -n ${rows}p cut.txt | sed 's/|text_a=.*//')"*) ;;
		*) odd="$odd $at" ;;
		esac
		rm cut.tfrecord
	else
		[ $? = 1 ] && [ ! -e cut.tfrecord ] &&
			[ "$(wc -l <err)" = 1 ] || odd="$odd $at"
		refused=$((refused + 1))
	fi
	at=$((at + 1))
done
is "$odd" '' 'cut at every byte: the first rows, or an error'
[ $refused -gt 30 ]
result $? 'most of the cuts are refused'

# Every bit of it flipped, under sanitizers every fifth: an answer of 0 or 1, and a file only with 0.
for option in '' --skip-bad --no-quote; do
	odd=$(perl -e '
		my ($tool, @options) = @ARGV;
		local $/;
		open my $f, "<", "whole.csv"; my $whole = <$f>;
		for my $bit (0 .. 8 * length($whole) - 1) {
			next if $ENV{TEST_KIND} && $bit % 5;
			my $s = $whole;
			vec($s, $bit, 1) ^= 1;
			open my $g, ">", "flip.csv"; print $g $s; close $g;
			unlink "flip.tfrecord";
			my $r = system("csv2tfrecord -q @options -t 1 -l 2" .
			    " -o flip.tfrecord flip.csv 2>flip.err");
			next if $r == 0 && -e "flip.tfrecord" && -z "flip.err";
			next if $r == 256 && !-e "flip.tfrecord" &&
			    -s "flip.err";
			print "bit $bit: $r ";
		}' csv2tfrecord $option)
	is "$odd" '' "every bit flipped $option"
done

# outputs
{
	echo text
	seq 100000
} >long.csv
csv2tfrecord -o /dev/full whole.csv 2>err
is "$? $(cat err)" "1 csv2tfrecord: cannot write '/dev/full': No space left on device" \
	'a full disk'
csv2tfrecord long.csv >/dev/full 2>err
is "$? $(cat err)" '1 csv2tfrecord: cannot write standard output: No space left on device' \
	'a full disk behind standard output'
csv2tfrecord whole.csv >/dev/full 2>err
is "$? $(cat err)" '1 csv2tfrecord: cannot write standard output: No space left on device' \
	'a full disk, found out at the end'
{
	csv2tfrecord long.csv 2>err
	echo $? >status
} | head -c 5 >/dev/null
is "$(cat status err)" 141 'a closed pipe ends it quietly'
refuses "csv2tfrecord: cannot create 'no/x': No such file or directory" \
	'a folder that is not there' csv2tfrecord -o no/x whole.csv
refuses "csv2tfrecord: cannot create '': No such file or directory" \
	'no name at all' csv2tfrecord -o '' whole.csv

# an error far into the input: only the exit status tells who reads a pipe
{
	cat long.csv
	echo 'a,b'
} >bad.csv
echo earlier >x.tfrecord
refuses '*record 100001 (line 100002): 2 fields, expected 1 (a field that has the delimiter in it must be in double quotes)' \
	'an error at the end' csv2tfrecord -o x.tfrecord bad.csv
is "$(cat x.tfrecord)" earlier 'leaves an earlier file as it was'
csv2tfrecord bad.csv 2>err >x
is "$?" 1 'an error at the end, on standard output'
records x >cut.txt 2>err
seq -f 'text_a=%g' 100000 | head -n "$(wc -l <cut.txt)" >before.txt
same cut.txt before.txt 'which has records before it'
[ -s cut.txt ]
result $? 'and not none of them'
is "$(find . -name '.*' ! -name . | wc -l | tr -d ' ')" 0 \
	'no unfinished file is left behind'

finish
