#!/bin/sh
# SPDX-License-Identifier: MIT
# tfrecord-cat: --shuffle, --shard, --split, --stratify.
# shellcheck shell=sh
# Not under thread: starts no threads
. "$TEST_TOP/tests/lib/lib.sh"

lines() { tfrecord-cat -q --json "$@"; }

perl -e 'print qq({"id": "$_", "label": "@{[$_ % 10 ? "a" : "b"]}"}\n) for 1 .. 1000' |
	tfrecord-cat -q --from-json -o a.rec
lines a.rec >a.txt
sort a.txt >a.sorted

# shuffle
works '--shuffle' tfrecord-cat --shuffle -o s.rec a.rec
is "$(cat err)" 'tfrecord-cat: 1000 records' 'the summary'
lines s.rec | sort >s.sorted
same s.sorted a.sorted 'the same records'
cmp -s s.rec a.rec
is $? 1 'in another order'
tfrecord-cat -q --shuffle <a.rec | cmp - s.rec
result $? 'the same order again'
tfrecord-cat -q --shuffle --seed 42 -j 2 a.rec | cmp - s.rec
result $? 'for the same seed'
tfrecord-cat -q --shuffle --seed 43 a.rec | cmp -s - s.rec
is $? 1 'another one for another seed'
mkdir tmp
for size in 0 1 10000 43K; do
	TMPDIR=tmp tfrecord-cat -q --shuffle --memory $size a.rec | cmp - s.rec
	result $? "with $size of memory"
done
is "$(ls tmp)" '' 'nothing is left in $TMPDIR'
TMPDIR=/nosuch tfrecord-cat --shuffle --memory 0 -o no.rec a.rec 2>err
is "$? $(cat err)" "1 tfrecord-cat: cannot create a file in '/nosuch': No such file or directory" \
	'no $TMPDIR'
is "$(tfrecord-cat -q --shuffle </dev/null | wc -c)" 0 'of nothing'
is "$(lines --shuffle --tail 3 a.rec | sort)" "$(tail -n 3 a.txt | sort)" \
	'of the last ones'
head -c 1000 a.rec >cut.rec
refuses '*ends inside a record*' 'of a cut stream' \
	tfrecord-cat --shuffle cut.rec

# shard
works '--shard' tfrecord-cat --shard 3 -o sh a.rec
is "$(echo sh-*)" 'sh-00000-of-00003 sh-00001-of-00003 sh-00002-of-00003' \
	'the names'
lines sh-00001-of-00003 >got
awk 'NR % 3 == 2' a.txt >wanted
same got wanted 'dealt in turn'
works 'more shards than records' tfrecord-cat --head 1 --shard 500 -o many a.rec
is "$(cat many-* | wc -c) $(echo many-* | wc -w)" "$(head -n 1 a.txt |
	tfrecord-cat -q --from-json | wc -c) 500" 'some are empty'
tfrecord-cat --shard 3 -o bad cut.rec 2>err
is "$? $(echo bad*)" '1 bad*' 'none of a cut stream'
mkdir part-00001-of-00002
tfrecord-cat --shard 2 -o part a.rec 2>err
is "$? $(echo part*)" '1 part-00001-of-00002' 'all or none'

# split
works '--split' tfrecord-cat --split train=.8,dev=.15,test=.05 a.rec
for f in train dev test; do
	tfrecord-cat --count $f.tfrecord
	lines $f.tfrecord >>parts.txt
done >counts
is "$(paste -sd ' ' counts)" '800 150 50' 'the shares'
sort parts.txt >parts.sorted
same parts.sorted a.sorted 'every record is in one part'
lines train.tfrecord | sed 's/[^0-9]//g' | sort -nc 2>why
result $? 'in the order of the input'
tfrecord-cat -q --split a=.5,b=.5 --stratify label -o st a.rec
for f in st-a st-b; do
	tfrecord-cat --count $f
	tfrecord-cat --count --where label=b $f
done >counts
is "$(paste -sd ' ' counts)" '500 50 500 50' '--stratify'
tfrecord-cat -q --split a=.5,b=.5 --stratify label --shuffle --memory 99 -o sx a.rec
is "$(lines sx-a | sort)" "$(lines st-a | sort)" 'shuffled: the same choice'
refuses "*cannot read 'a.rec': record 1: has no feature 'nosuch'" \
	'no such feature' tfrecord-cat --split a=1 --stratify nosuch -o x a.rec
refuses "*: record 1 of the last ones: has no feature 'nosuch'" \
	'nor in the last ones' tfrecord-cat --split a=1 --stratify nosuch --tail 2 -o x a.rec
misuses '*--memory has no effect without --shuffle, --split, --kfold, --dedupe or --leak*' \
	'memory for nothing' tfrecord-cat --memory 1M -o no.rec a.rec
misuses "*bad value 'x' for --memory: expected bytes, as 1000000, 64M or 2G" 'no size' \
	tfrecord-cat --shuffle --memory x a.rec
misuses "*expected NAME=SHARE, the name of 63 bytes at most*" 'too long a name' \
	tfrecord-cat --split "$(printf %064d 1)=1" -o x a.rec
refuses "tfrecord-cat: cannot create a file in '/nosuch': *" 'not the record is at fault' \
	env TMPDIR=/nosuch tfrecord-cat --dedupe label --memory 0 -o x a.rec
for o in '--split a' '--split a=.5' '--split a=2,b=-1' '--split =1' \
	'--split a=.5,,b=.5' '--split a=.5,a=.5' '--split a/b=1' \
	'--split a=1 --shard 2 -o x' '--shard 2' '--shard 0 -o x' \
	'--shard 501 -o x' '--stratify label' '--count --shuffle' \
	'--split a=1 -o -' '--shuffle --memory x'; do
	# shellcheck disable=SC2086
	exits 2 "makes no sense: $o" tfrecord-cat $o a.rec
done
is "$(echo x* a.tfrecord*)" 'x* a.tfrecord*' 'and nothing appears'
{
	tfrecord-cat -q --shuffle a.rec a.rec a.rec a.rec a.rec a.rec a.rec 2>err
	echo $? >status
} | head -c 1 >/dev/null
is "$(cat status err)" 141 'a closed pipe'
tfrecord-cat -q --shuffle a.rec >/dev/full 2>err
is "$? $(cat err)" '1 tfrecord-cat: cannot write standard output: No space left on device' \
	'a full disk'
works 'the first records, shuffled' tfrecord-cat --shuffle --head 5 -o some.rec a.rec
like "$(cat err)" "*warning: the records of --head are shuffled, not chosen at random: *" 'says what they are'
finish
