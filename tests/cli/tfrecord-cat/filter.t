#!/bin/sh
# SPDX-License-Identifier: MIT
# tfrecord-cat: passing through, choosing, counting; damage of every kind.
# shellcheck shell=sh
# Not under thread: what threads there are cli/common/read-ahead has
. "$TEST_TOP/tests/lib/lib.sh"

records() { "$TEST_TOP/tests/lib/records" "$@"; }

# gives "WANTED" NAME ARGUMENT...: the texts of the records that come out
gives() {
	wanted=$1 name=$2
	shift 2
	tfrecord-cat "$@" >got 2>err
	is "$? $(records got | sed 's/.*text_a=//' | paste -sd ' ')" \
		"0 $wanted" "$name"
}

# misuse GLOB NAME ARGUMENT...: exit status 2, nothing on standard output
misuse() {
	glob=$1 name=$2
	shift 2
	misuses "tfrecord-cat: $glob" "$name" tfrecord-cat "$@" </dev/null
}

printf 'id,text,label\n1,a,x\n2,b,y\n3,c,x\n' >a.csv
printf 'id,text,label\n4,d,z\n5,e,x\n' >b.csv
csv2tfrecord -q -i id -l label -o a.rec a.csv
csv2tfrecord -q -i id -l label -o b.rec b.csv
cat a.rec b.rec >ab.rec
: >none.rec

# passing through
works 'several inputs' tfrecord-cat -o out.rec a.rec b.rec
is "$(cat out err)" 'tfrecord-cat: 5 records' 'the summary'
same out.rec ab.rec 'the same bytes, in order'
tfrecord-cat -q - b.rec <a.rec >out.rec 2>err
same out.rec ab.rec 'standard input among them'
is "$(cat err)" '' '-q is quiet'
tfrecord-cat <none.rec >out.rec 2>err
is "$? $(wc -c <out.rec) $(cat err)" '0 0 tfrecord-cat: 0 records' 'no record'

# numbers
is "$(tfrecord-cat --count a.rec b.rec 2>&1)" 5 '--count'
is "$(tfrecord-cat --count none.rec 2>&1)" 0 '--count of nothing'
is "$(tfrecord-cat --verify ab.rec 2>&1)" "5 records, $(wc -c <ab.rec) bytes" \
	'--verify'
is "$(tfrecord-cat --verify none.rec 2>&1)" '0 records, 0 bytes' \
	'--verify of nothing'
tfrecord-cat --count -o n.txt ab.rec
is "$(cat n.txt)" 5 'into a file'
gives 'a b c d e' '--expect' --expect 5 ab.rec
refuses 'tfrecord-cat: read 5 records, expected 6' '--expect more' \
	tfrecord-cat --expect 6 -o no.rec ab.rec
refuses 'tfrecord-cat: read 5 records, expected 0' '--expect none' \
	tfrecord-cat --expect 0 --count ab.rec
refuses 'tfrecord-cat: read 5 records, expected 18446744073709551615' \
	'--expect the largest number' \
	tfrecord-cat --expect 18446744073709551615 -o no.rec ab.rec
[ ! -e no.rec ]
result $? 'and nothing appears'
gives 'a' '--expect counts what is read' --expect 5 --head 1 ab.rec

# choosing
gives 'a b' '--head' --head 2 ab.rec
gives '' '--head 0' --head 0 ab.rec
gives 'd e' '--tail' --tail 2 ab.rec
gives '' '--tail 0' --tail 0 ab.rec
gives 'b c d' '--slice' --slice 1:4 ab.rec
gives 'a b' '--slice without a beginning' --slice :2 ab.rec
gives 'd e' '--slice without an end' --slice 3: ab.rec
gives '' '--slice beyond the end' --slice 7:9 ab.rec
for huge in 5 100 18446744073709551615; do
	gives 'a b c d e' "--head $huge" --head $huge ab.rec
	gives 'a b c d e' "--tail $huge" --tail $huge ab.rec
	gives 'a b c d e' "--slice 0:$huge" --slice 0:$huge ab.rec
done
gives 'a c e' '--where' --where label=x ab.rec
gives 'e' 'two conditions' --where label=x --where id=5 ab.rec
gives 'c e' '--where before --tail' --where label=x --tail 2 ab.rec
gives 'c' '--where before --slice' --where label=x --slice 1:2 ab.rec
gives 'b c d' 'a range' --where 'id>1' --where 'id<=4' ab.rec
gives 'e' '... of label and number' --where label=x --where 'id>=3.5' ab.rec
refuses "*'ab.rec': record 1: feature 'label' holds 'x', not a number" 'a text in a range' tfrecord-cat --where 'label<3' ab.rec
misuse "bad condition 'id<x': 'x' is not a number" 'a range to a text' --where 'id<x' ab.rec
gives '' 'no such value' --where label=X ab.rec
gives '' '--where without records' --where nosuch=1 none.rec
refuses "tfrecord-cat: no record has the feature 'labl'" \
	'no such feature' tfrecord-cat --where labl=x ab.rec
misuse "bad condition 'label': expected FIELD=VALUE, or <, <=, > or >= in place of =" 'no condition' \
	--where label ab.rec
misuse "bad condition '=x': *" 'no field' --where =x ab.rec
misuse "bad value '2' for --slice: *" 'no slice' --slice 2 a.rec
misuse "bad value '2:1' for --slice: *" 'a slice backwards' --slice 2:1 a.rec
misuse "bad value 'a:b' for --slice: *" 'no numbers' --slice a:b a.rec
misuse "bad value '18446744073709551616' for --head*" 'beyond 64 bits' \
	--head 18446744073709551616 a.rec
misuse '--head, --tail and --slice exclude each other' 'head and tail' \
	--head 1 --tail 1 a.rec
misuse '--head, --tail and --slice exclude each other' 'the largest ones, too' \
	--head 18446744073709551615 --tail 18446744073709551615 a.rec
misuse 'standard input is given 2 times' 'standard input twice' - -
if cp "$SHARED/tf/bert_tiny_mrpc/mrpc_output/eval.tf_record" mrpc.rec 2>err; then
	is "$(tfrecord-cat --verify mrpc.rec)" \
		"408 records, $(wc -c <mrpc.rec) bytes" 'MRPC, from TensorFlow'
	is "$(tfrecord-cat --count --where label_ids=1 mrpc.rec)" 279 \
		'its paraphrases, by number'
	is "$(tfrecord-cat --count --where label_ids=1.0 mrpc.rec)" 279 \
		'written as a float'
	refuses "*'mrpc.rec': record 1: feature 'label_ids' holds numbers, and 'yes' is none" \
		'a text for a number' tfrecord-cat --where label_ids=yes mrpc.rec
	tfrecord-cat -q mrpc.rec | cmp - mrpc.rec
	result $? 'the same bytes'
else
	skip 'MRPC, from TensorFlow' "no published records"
fi

# damage
refuses "tfrecord-cat: cannot open 'nosuch': No such file*" 'no file' \
	tfrecord-cat nosuch
refuses "*a.csv' is not a TFRecord stream: it starts with text*" 'text' \
	tfrecord-cat a.csv
size=$(wc -c <a.rec)
third=$((size / 3)) # the records are of one size
odd='' at=2 # one byte looks like text
while [ $at -lt "$size" ]; do
	head -c $at a.rec >cut.rec
	tfrecord-cat --verify cut.rec >out 2>err
	case "$? $((at % third)) $(cat out err)" in
	"0 0 $((at / third)) record"*", $at bytes") ;;
	"1 "[1-9]*"tfrecord-cat: cannot read 'cut.rec': record $((at / third + 1)): ends inside a record that starts at byte $((at / third * third))") ;;
	*) odd="$odd $at" ;;
	esac
	at=$((at + 1))
done
is "$odd" '' 'cut at every byte'
odd=$(perl -e '
	local $/;
	open my $f, "<", "a.rec"; my $whole = <$f>;
	# the plain build has them all; what sanitizers look for, fuzz/tfrecord tries, too
	my $step = $ENV{TEST_KIND} ? 7 : 1;
	for (my $bit = 0; $bit < 8 * length($whole); $bit += $step) {
		my $s = $whole;
		vec($s, $bit, 1) ^= 1;
		open my $g, ">", "flip.rec"; print $g $s; close $g;
		my $r = system("tfrecord-cat -o flip.out flip.rec 2>flip.err");
		print "bit $bit: $r " if $r != 256 || -e "flip.out" || -z "flip.err";
	}')
is "$odd" '' 'bits flipped'
cp a.rec bad.rec
printf X | dd of=bad.rec bs=1 seek=$((2 * third - 6)) conv=notrunc 2>err
refuses "tfrecord-cat: cannot read 'bad.rec': record 2: checksum of the data differs (record starts at byte $third)" \
	'damage is reported with its place' tfrecord-cat --count a.rec bad.rec
is "$(tfrecord-cat --head 1 --count bad.rec 2>&1)" 1 '--head does not come to it'

# outputs
tfrecord-cat a.rec >/dev/full 2>err
is "$? $(cat err)" '1 tfrecord-cat: cannot write standard output: No space left on device' \
	'a full disk'
tfrecord-cat --verify a.rec >/dev/full 2>err
is "$? $(cat err)" '1 tfrecord-cat: cannot write standard output: No space left on device' \
	'a full disk for the count'
{
	echo text
	seq 100000
} >long.csv
csv2tfrecord -q -o long.rec long.csv
{
	tfrecord-cat long.rec 2>err
	echo $? >status
} | head -c 1 >/dev/null
is "$(cat status err)" 141 'a closed pipe ends it quietly'
finish
