#!/bin/sh
# SPDX-License-Identifier: MIT
# tfrecord-cat --recover.
# shellcheck shell=sh
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

perl -e 'print qq({"id": "$_"}\n) for 1 .. 5' >a.jsonl
tfrecord-cat -q --from-json -o a.rec a.jsonl
size=$(wc -c <a.rec)
one=$((size / 5))
: >none.rec

tfrecord-cat --recover a.rec >out 2>err
cmp -s out a.rec
is "$? $(cat err)" '0 tfrecord-cat: 5 records' 'what is whole passes'
is "$(tfrecord-cat --recover --count none.rec 2>&1)" 0 'of nothing'

damage() { # FROM BYTES: a.rec with so many bytes overwritten
	cp a.rec bad.rec
	head -c "$2" /dev/zero | dd of=bad.rec bs=1 seek="$1" conv=notrunc 2>why
}
ids() { tfrecord-cat -q --json "$@" | tr -dc '0-9\n' | paste -sd ' '; }

damage $((one + 14)) 3
refuses '*record 2: checksum of the data differs*' 'without it, an error' \
	tfrecord-cat bad.rec
tfrecord-cat --recover -o got.rec bad.rec 2>err
is "$? $(cat err)" "0 tfrecord-cat: warning: 'bad.rec': $one bytes from byte $one on are damaged and left out, with an unknown number of records
tfrecord-cat: 4 records" 'damaged data'
is "$(ids got.rec)" '1 3 4 5' 'the others'
damage 0 1
is "$(ids --recover bad.rec)" '2 3 4 5' 'a damaged length'
damage $((one + 2)) $((2 * one))
is "$(ids --recover bad.rec)" '1 5' 'damage over several'
tfrecord-cat --recover bad.rec a.rec - <bad.rec 2>err >got.rec
is "$(ids got.rec) $(grep -c warning err)" '1 5 1 2 3 4 5 1 5 2' 'several files'
tfrecord-cat -q --recover bad.rec 2>err >got.rec
is "$? $(cat err)" '0 ' '-q is quiet'
refuses '*read 2 records, expected 5' '--expect counts the whole ones' \
	tfrecord-cat -q --recover --expect 5 -o no.rec bad.rec
{
	cat a.rec
	head -c 30 /dev/zero
	sed 1q a.jsonl
	cat a.rec
} >mixed.rec
is "$(ids --recover mixed.rec)" '1 2 3 4 5 1 2 3 4 5' 'rubbish between'
refuses "*cannot recover 'a.jsonl': not one record of it is whole" 'only rubbish' \
	tfrecord-cat --recover a.jsonl
exits 2 '--from-json' tfrecord-cat --recover --from-json a.jsonl

# compressed data that are cut short: what came before
perl -e 'srand 1; print qq({"id": "$_ ), rand, qq("}\n) for 1 .. 30000' >many.jsonl
tfrecord-cat -q --from-json -o many.rec many.jsonl
gzip -c many.rec >whole.gz
tfrecord-cat -q --zstd -o whole.zst many.rec
for f in gz zst; do
	head -c $(($(wc -c <whole.$f) / 2)) whole.$f >cut.$f
	works "a cut .$f" tfrecord-cat --recover -o got.rec cut.$f
	like "$(cat err)" "tfrecord-cat: warning: cannot read 'cut.$f': the * data is cut short at byte *; records are kept up to there
tfrecord-cat: * records" '... with a warning'
	kept=$(tfrecord-cat --count got.rec)
	tfrecord-cat -q --head "$kept" -o want.rec many.rec
	[ "$kept" -gt 10000 ] && cmp want.rec got.rec
	result $? '... whose first records come back'
done
# damaged ones: of zstd, without the block that is damaged
perl -MIO::Compress::Zip=zip -e 'zip "many.rec" => "whole.zip"'
perl -MIO::Compress::Zip=zip,ZIP_CM_STORE -e 'zip "many.rec" => "stored.zip", Method => ZIP_CM_STORE'
for f in whole.gz whole.zst whole.zip stored.zip; do
	perl -0777 -pe 'substr($_, length($_) / 2, 8) ^= "\x55" x 8' "$f" >"bad.${f#*.}"
	works "a damaged $f" tfrecord-cat --recover -o got.rec "bad.${f#*.}"
	like "$(cat err)" "*warning: cannot read 'bad.*; records are kept up to there
*" '... with a warning'
	# whose records are all of the whole file
	tfrecord-cat -q --json got.rec | sort >got.jsonl
	tfrecord-cat -q --json many.rec | sort | comm -13 - got.jsonl >other.jsonl
	[ "$(wc -l <got.jsonl)" -gt 13000 ] && [ ! -s other.jsonl ]
	result $? "... whose first records come back"
done
head -c 20 whole.gz >cut.gz
refuses "*cannot read 'cut.gz': the gzip data is cut short at byte 20 *" 'one without a record' tfrecord-cat --recover cut.gz

# cut at every byte and each bit flipped: the other records
odd=$(perl -e '
	my ($one) = @ARGV;
	local $/;
	open my $f, "<", "a.rec"; my $whole = <$f>;
	sub try {
		my ($what, $s, $wanted) = @_;
		open my $g, ">", "try.rec"; print $g $s; close $g;
		my $got = `tfrecord-cat -q --recover try.rec`;
		print "$what " if $? != 0 || $got ne $wanted;
	}
	for my $n ($one .. length($whole)) {
		my $full = $n - $n % $one;
		try("cut $n", substr($whole, 0, $n), substr($whole, 0, $full));
		try("from $n", substr($whole, $n), substr($whole, $n + -$n % $one))
			if $n <= 4 * $one;
	}
	for my $bit (0 .. 16 * $one - 1) {
		my ($s, $wanted) = ($whole, $whole);
		vec($s, $bit, 1) ^= 1;
		substr($wanted, $one * int($bit / 8 / $one), $one) = "";
		try("bit $bit", $s, $wanted);
	}' "$one")
is "$odd" '' 'cut and flipped'
tfrecord-cat --recover mixed.rec >/dev/full 2>err
is "$? $(tail -n 1 err)" '1 tfrecord-cat: cannot write standard output: No space left on device' \
	'a full disk'
finish
