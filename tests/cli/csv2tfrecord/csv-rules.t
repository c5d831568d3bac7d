#!/bin/sh
# SPDX-License-Identifier: MIT
# The list of rules in csv2tfrecord's man page: every item of it is so. Inputs that are
# no ordinary files.
# shellcheck shell=sh
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

# its items, as input, records and rule, with tabs between
perl -ne '
	$in = 1 if /^\.Sh CSV/ .. /^\.Bl/;
	$in = 0 if /^\.El/;
	$rows = $1, next if $in && /^\.It (.*)/;
	next unless defined $rows && $in && /^(.*?) \((.*)\)$/;
	my ($records, $rule) = ($1, $2);
	s/\\\(dq/"/g, s/\\e/\\/g, s/\\ / /g for $rows, $records;
	print "$rows\t$records\t$rule\n";
' "$TEST_TOP/man/csv2tfrecord.1" >table
rows=$(wc -l <table)
[ "$rows" -gt 25 ]
result $? "the man page has a list of $rows items"
tab=$(printf '\t')
while IFS=$tab read -r rows records rule; do
	printf '%b' "$(printf '%s\n' "$rows" | sed 's/\\\([0-7][0-7][0-7]\)/\\0\1/g')x" |
		perl -0777 -pe 's/x$//' >x.csv
	for file in x.csv -; do
		csv2tfrecord --no-header -t 1 --pair 2 -o x.tfrecord $file 2>err <x.csv
		if [ $? = 0 ]; then
			# records shows backslashes and line ends as \\, \n, \r
			got=$("$TEST_TOP/tests/lib/records" x.tfrecord |
				sed 's/^text_a=/[/; s/|text_b=/|/; s/$/]/; s/\\\\/\\/g' |
				tr '\n' ' ' | sed 's/ $//')
			is "$got" "$records" "$rule"
		else
			like "$records: $(cat err)" "refused: *: csv2tfrecord: *${records#refused: }*" \
				"$rule"
		fi
	done
done <table

# Odd inputs.
mkfifo fifo
printf 'text,label\na,b\n' >fifo &
csv2tfrecord -l label -o x fifo 2>err
is "$? $("$TEST_TOP/tests/lib/records" x)" '0 label=b|text_a=a' 'a FIFO'
wait
refuses "csv2tfrecord: '.' holds no texts: *" 'a directory' csv2tfrecord .
printf 'PK\003\004 ...' >a.zip
refuses "csv2tfrecord: cannot read 'a.zip': its zip archive has no end: *" 'an archive that is cut short' \
	csv2tfrecord a.zip
# archive ZIP NAME=TEXT...: as zip makes it
archive() {
	perl -MIO::Compress::Zip -e 'my $to = shift; my $z;
		for (@ARGV) { my ($name, $text) = split /=/, $_, 2;
			$z ? $z->newStream(Name => $name) : ($z = IO::Compress::Zip->new($to, Name => $name));
			$z->print($text) }
		$z->close' "$@"
}
archive a.csv.zip 'a.csv=text,label
a,b
'
works 'an archive of one file' csv2tfrecord -l label -o x a.csv.zip
is "$("$TEST_TOP/tests/lib/records" x)" 'label=b|text_a=a' '... is read as that'
csv2tfrecord -q -l label -o y - <a.csv.zip
works '... from standard input, too' cmp x y
refuses "csv2tfrecord: cannot read standard input: its zip archive comes through a pipe, *(unzip -p *)" \
	'... but not a pipe' sh -c 'cat a.csv.zip | csv2tfrecord -l label -'
archive mac.zip '__MACOSX/._a.csv=x' 'a.csv=text,label
a,b
' 'folder/=' 'folder/.DS_Store=x'
works '... beside what macOS adds' csv2tfrecord -q -l label -o y mac.zip
works '... to the same' cmp x y
archive a.tsv.zip 'a.tsv=text	label
a	b
'
works '... with tabs by its name' csv2tfrecord -q -l label -o y a.tsv.zip
works '... and to the same again' cmp x y
archive two.zip 'train.csv=text' 'test.csv=text'
refuses "csv2tfrecord: cannot read 'two.zip': it is a zip archive of several files: 'train.csv', 'test.csv' (unzip -p *)" \
	'an archive of several files' csv2tfrecord two.zip
printf 'PK\005\006\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >none.zip
refuses "csv2tfrecord: cannot read 'none.zip': its zip archive holds no file" 'an archive of none' csv2tfrecord none.zip
archive in.zip "a.zip=$(printf 'PK\003\004')"
refuses "csv2tfrecord: cannot read 'in.zip': it is a zip archive in another (unzip -p *)" 'one in another' \
	csv2tfrecord in.zip
printf 'BZh91AY&SY' >a.csv.bz2
refuses "csv2tfrecord: cannot read 'a.csv.bz2': it is compressed by bzip2 (bzip2 -dc FILE *)" \
	'a text compressed by another program' csv2tfrecord a.csv.bz2
printf 'ARROW1\0\0' >a.feather
refuses "csv2tfrecord: cannot read 'a.feather': it is an Arrow or Feather file, not CSV (*to_parquet()*)" \
	'a table of another form' csv2tfrecord a.feather
printf 'sep=;\ntext;label\na;b\n' >sep.csv
for d in comma semicolon; do
	refuses "csv2tfrecord: cannot read 'sep.csv': its first line tells Excel the delimiter, *(leave out Excel's line sep= *" \
		"Excel's first line, $d" csv2tfrecord -t 1 -l 2 --delimiter $d sep.csv
done
refuses "csv2tfrecord: '/dev/null' is empty" 'nothing' csv2tfrecord /dev/null

# A million columns: a bad row each, in little time and memory.
{
	echo a,b
	seq -s , 1000000
	echo c,d
} >wide.csv
csv2tfrecord --no-header -t 1 --skip-bad -o x wide.csv 2>err
is "$? $("$TEST_TOP/tests/lib/records" x | tr '\n' ' ')" '0 text_a=a text_a=c ' \
	'a million columns'
like "$(head -n 1 err)" '*record 2 (line 2): more than 65536 fields' \
	'... are too many'
sed 1d wide.csv >widest.csv
refuses "*header (line 1): more than 65536 fields" 'in the header, too' \
	csv2tfrecord widest.csv

# A field of 1 GB: flat memory, and what follows is not lost.
long() {
	perl -e '$| = 1; print "text,y\na,1\n$ARGV[0]";
		my $s = "x" x 1000000; print $s for 1 .. 1000;
		print "$ARGV[0],2\nb,3\n"' "$1"
}
for quote in '' '"'; do
	long "$quote" | (
		case $BUILD in
		*-address* | *-thread*) ;; # they take addresses of their own
		*) ulimit -v 1000000 ;;
		esac
		exec csv2tfrecord --skip-bad -o x -
	) 2>err
	is "$? $("$TEST_TOP/tests/lib/records" x | tr '\n' ' ')" '0 text_a=a text_a=b ' \
		"a field of 1 GB ${quote:+in quotes}"
done

finish
