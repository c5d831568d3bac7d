#!/bin/sh
# SPDX-License-Identifier: MIT
# tfrecord-cat: compressed inputs that are cut or changed, and what is no file.
# shellcheck shell=sh
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"

printf '{"id": "1"}\n{"id": "2"}\n' |
	tfrecord-cat -q --from-json -o a.rec

# Cut at every byte: an error. Every bit flipped: an error, or nothing lost (a
# date in a header may be another). Under sanitizers every fifth bit.
cat >damage.pl <<'E'
local $/;
sub slurp { open my $f, "<", $_[0] or return ""; return scalar <$f> }
my ($file) = @ARGV;
my ($whole, $plain) = (slurp($file), slurp("a.rec"));
sub try {
	my ($what, $s, $same) = @_;
	open my $g, ">", "try"; print $g $s; close $g;
	unlink "got";
	my $r = system("tfrecord-cat -q --expect 2 -o got try 2>err");
	my $good = $r == 0 ? $same && slurp("got") eq $plain
		: $r == 256 && !-e "got" && slurp("err") =~ /^tfrecord-cat: [^\n]+\n$/;
	print "$what " if !$good;
}
try("cut $_", substr($whole, 0, $_), 0) for 0 .. length($whole) - 1;
for my $bit (0 .. 8 * length($whole) - 1) {
	next if $ENV{TEST_KIND} && $bit % 5;
	my $s = $whole;
	vec($s, $bit, 1) ^= 1;
	try("bit $bit", $s, 1);
}
E
for format in gzip zstd; do
	command -v $format >/dev/null || {
		skip "$format: cut and changed" "there is no $format"
		continue
	}
	$format -c a.rec >a.$format
	is "$(perl damage.pl a.$format)" '' "$format: cut and changed"
done

# a cut between two records is seen by --expect only
head -c $(($(wc -c <a.rec) / 2)) a.rec >half.rec
is "$(tfrecord-cat --count half.rec)" 1 'half of the records'
refuses 'tfrecord-cat: read 1 record, expected 2' 'are too few' \
	tfrecord-cat --count --expect 2 half.rec

# what is not a file of records
mkdir folder
refuses "*cannot read 'folder': Is a directory" 'a folder' tfrecord-cat folder
refuses "*cannot read 'folder': Is a directory" 'with --recover' \
	tfrecord-cat --recover folder
if [ "$(id -u)" = 0 ]; then
	skip 'a file that may not be read' 'root may read all'
else
	cp a.rec secret.rec
	chmod 0 secret.rec
	refuses "*cannot open 'secret.rec': Permission denied" \
		'a file that may not be read' tfrecord-cat secret.rec
fi
mkfifo fifo
{
	head -c 30 a.rec
	sleep 0.2
	tail -c +31 a.rec
} >fifo &
tfrecord-cat -q fifo | cmp - a.rec
result $? 'a pipe that gives a record in two pieces'
head -c 30 a.rec >fifo &
refuses "*cannot read 'fifo': it ends before its first record is complete (*" 'a pipe that ends in one' \
	tfrecord-cat fifo
: >fifo &
is "$(tfrecord-cat --count fifo)" 0 'a pipe without a byte'

# A file that is written meanwhile: what is there, or a record not complete yet.
: >grow.rec
{
	i=0
	while [ $i -lt 300 ]; do
		cat a.rec
		i=$((i + 1))
	done
} >>grow.rec &
odd=''
while kill -0 $! 2>/dev/null; do
	got=$(tfrecord-cat --count grow.rec 2>&1)
	case $? in
	0) ;;
	*) case $got in
		*"ends inside a record"*) ;;
		*) odd="$odd $got" ;;
		esac ;;
	esac
done
wait
is "$odd" '' 'a growing file'
is "$(tfrecord-cat --count grow.rec)" 600 'when it is whole'

# lengths that are lies
perl -e 'open my $f, "<", "a.rec"; local $/; my $s = <$f>;
	for my $n (2 ** 63, 2 ** 64 - 1, 2 ** 63 - 1, 2 ** 30 + 1) {
		my $head = pack("Q<", $n);
		my $crc = 0xffffffff;
		for my $byte (unpack "C*", $head) {
			$crc ^= $byte;
			$crc = $crc & 1 ? $crc >> 1 ^ 0x82f63b78 : $crc >> 1 for 1 .. 8;
		}
		$crc ^= 0xffffffff;
		$crc = (($crc >> 15 | $crc << 17) & 0xffffffff) + 0xa282ead8 & 0xffffffff;
		open my $g, ">", "lie.$n"; print $g $head, pack("V", $crc), $s;
	}'
for f in lie.*; do
	refuses "*'$f': record 1: claims to hold * bytes, more than the 1073741824 allowed" \
		"a length of ${f#lie.}" tfrecord-cat "$f"
	is "$(tfrecord-cat --recover --count "$f" 2>err)" 2 'behind it all is well'
done
for f in a.*; do
	tfrecord-cat $f >/dev/full 2>err
	is "$? $(cat err)" '1 tfrecord-cat: cannot write standard output: No space left on device' \
		"a full disk: $f"
done
finish
