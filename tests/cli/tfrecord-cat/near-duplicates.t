#!/bin/sh
# SPDX-License-Identifier: MIT
# tfrecord-cat --near and --pairs.
# shellcheck shell=sh
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

make() { tfrecord-cat -q --from-json -o "$1"; }
ids() { tfrecord-cat -q --json "$@" | cut -c 9 | paste -sd ' '; }

# 21 characters make 17 shingles; another last one changes one of them
make a.rec <<'E'
{"id": "1", "text_a": "where is my new card?"}
{"id": "2", "text_a": "where is my new card!"}
{"id": "3", "text_a": " Where IS\tmy  new card? "}
{"id": "4", "text_b": "where is my new card?"}
{"id": "5", "text_a": "something else"}
{"id": "6", "text_a": "where is my new card?"}
{"id": "7", "text_a": "où"}
{"id": "8", "text_a": "OÙ"}
{"id": "9", "text_a": ""}
{"id": "0", "text_a": "  "}
E
tfrecord-cat --dedupe text_a --near -o b.rec a.rec 2>err
is "$? $(cat err)" '0 tfrecord-cat: 5 records; 5 dropped as duplicates' '--near'
is "$(ids b.rec)" '1 4 5 7 9' 'the first of each kind, and those without the feature'
is "$(ids --dedupe text_a --near=.9 a.rec)" '1 2 4 5 7 9' '16 of 18 are less than .9'
is "$(ids --dedupe text_a --near=1 a.rec)" '1 2 4 5 7 9' 'case and blanks do not count'
is "$(tfrecord-cat --count --dedupe text_a --near --where id=3 a.rec)" 1 'after --where'
is "$(ids --dedupe text_a --near --tail 2 a.rec)" '7 9' 'before --tail'
mkdir tmp
TMPDIR=tmp tfrecord-cat -q --dedupe text_a --near --memory 30 a.rec | cmp - b.rec
result $? 'with little memory'
is "$(ls tmp)" '' 'nothing is left in $TMPDIR'
is "$(tfrecord-cat --count --dedupe text_a --near </dev/null)" 0 'of nothing'

tfrecord-cat --dedupe text_a --near --pairs a.rec >out 2>err
is "$? $(cat err)" '0 tfrecord-cat: 6 pairs among 10 records' '--pairs'
cat >wanted <<'E'
a.rec:1	a.rec:2	0.8889	where is my new card?	where is my new card!
a.rec:1	a.rec:3	1.0000	where is my new card?	 Where IS\tmy  new card? 
a.rec:2	a.rec:3	0.8889	where is my new card!	 Where IS\tmy  new card? 
a.rec:1	a.rec:6	1.0000	where is my new card?	where is my new card?
a.rec:7	a.rec:8	1.0000	où	OÙ
a.rec:9	a.rec:10	1.0000		  
E
same out wanted 'each pair, a copy with what it copies only'
tfrecord-cat -q --dedupe text_a --near --pairs --memory 0 a.rec >out
same out wanted 'the same with little memory'
printf '{"text_a": "WHERE is my new card?"}' | make c.rec
is "$(tfrecord-cat -q --dedupe text_a --near=.95 --pairs a.rec c.rec | tail -n 2 | cut -f 1-3)" \
	'a.rec:1	c.rec:1	1.0000
a.rec:3	c.rec:1	1.0000' 'over several files'

refuses "tfrecord-cat: no record has the feature 'nosuch'" 'no such feature' \
	tfrecord-cat --dedupe nosuch --near -o no.rec a.rec
refuses "tfrecord-cat: no record has the feature 'nosuch'" '... for --pairs' \
	tfrecord-cat --dedupe nosuch --near --pairs a.rec
printf '{"n": 7}' | make n.rec
for o in '' --pairs; do
	# shellcheck disable=SC2086
	refuses "*'n.rec': record 1: feature 'n' is not one byte string" "numbers $o" \
		tfrecord-cat --dedupe n --near $o -o no.rec n.rec
done
[ ! -e no.rec ]
result $? 'and nothing appears'
for o in --near '--dedupe text_a --pairs' '--dedupe text_a --near=0' \
	'--dedupe text_a --near=1.1' '--dedupe text_a --near --pairs --json' \
	'--dedupe text_a --near --pairs --tail 1' \
	'--dedupe text_a --near --pairs --shuffle'; do
	# shellcheck disable=SC2086
	exits 2 "makes no sense: $o" tfrecord-cat $o a.rec
done
tfrecord-cat -q --dedupe text_a --near --pairs a.rec >/dev/full 2>err
is "$? $(cat err)" '1 tfrecord-cat: cannot write standard output: No space left on device' \
	'a full disk'

# as by brute force, on the demo's texts
csv2tfrecord -q -t text -o lib.rec "$TEST_TOP/pipelines/data/library-test.csv"
tfrecord-cat -q --json lib.rec | perl -MJSON::PP -e '
	my (@sets, @texts, %first);
	while (<>) {
		my $text = decode_json($_)->{text_a};
		my $s = join " ", split " ", lc $text;
		push @sets, {map { substr($s, $_, 5) => 1 } 0 .. length($s) - 5};
	}
	for my $j (0 .. $#sets) {
		for my $i (0 .. $j - 1) {
			my ($x, $y) = @sets[$i, $j];
			my $both = grep { $y->{$_} } keys %$x;
			my $like = $both / (keys(%$x) + keys(%$y) - $both);
			printf "%d %d %.4f\n", $i + 1, $j + 1, $like if $like >= .1;
		}
	}' >wanted
tfrecord-cat -q --dedupe text_a --near=.1 --pairs lib.rec |
	sed 's/lib.rec:\([0-9]*\)	lib.rec:\([0-9]*\)	\([0-9.]*\)	.*/\1 \2 \3/' >got
[ -s wanted ] && cmp got wanted >why 2>&1
result $? "each pair of $(wc -l <wanted) that brute force finds"
finish
