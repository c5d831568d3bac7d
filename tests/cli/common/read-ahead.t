#!/bin/sh
# SPDX-License-Identifier: MIT
# Large compressed inputs, which a thread decompresses ahead of the reader: the
# same output, messages and manners as without it.
. "$TEST_TOP/tests/lib/lib.sh"

# Fewer where they are slow to read, whose damage is still behind the 4 MiB that are
# read before the thread begins
rows=250000
[ -z "${TEST_KIND-}" ] || rows=150000
awk -v rows=$rows 'BEGIN {
	srand(1)
	print "text,label"
	for (i = 0; i < rows; i++)
		printf "some text with numbers %d %d,%d\n", rand() * 1e9, rand() * 1e9, i % 7
}' >big.csv
printf 'text,label\nhello,1\n' >a.csv
csv2tfrecord -q -l label -o big.rec big.csv
csv2tfrecord -q -l label -o a.rec a.csv
for f in big.csv big.rec; do
	gzip -1nc $f >$f.gz
done
csv2tfrecord -q -l label --zstd -o big.rec.zst big.csv
cmp -s big.rec.gz big.rec.zst
is $? 1 'the inputs are made'

# both NAME COMMAND...: COMMAND -j 1 and COMMAND -j 3 do the same
both() {
	name=$1
	shift
	"$@" -j 1 >out1 2>err1
	status=$?
	"$@" -j 3 >out 2>err
	is $? $status "$name: status $status"
	same out out1 '... the same output'
	same err err1 '... the same messages'
}

both 'gzip, CSV' csv2tfrecord -q -l label big.csv.gz
same out big.rec '... as from the plain file'
for f in big.rec.gz big.rec.zst; do
	both "$f" tfrecord-cat -q $f
	same out big.rec '... as from the plain file'
	both "$f --where" tfrecord-cat --where label=3 $f
done
both 'several inputs' tfrecord-cat -q a.rec big.rec.gz a.rec big.rec.zst a.rec
cat a.rec big.rec a.rec big.rec a.rec >wanted
same out wanted '... one behind the other'
tfrecord-cat -q -j 3 big.rec.zst - a.rec <big.rec.gz >out
cat big.rec big.rec a.rec >wanted
same out wanted '... one of them standard input'
both '--recover' tfrecord-cat -q --recover big.rec.gz
both '--lines' bert-tokenize -q -m "$DATA/tok/uncased" --lines --format ids big.csv.gz
both tokens bert-tokenize -q -m "$DATA/tok/uncased" --format ids big.rec.gz

# --- damage far behind where the thread begins
for f in big.rec.gz big.rec.zst big.csv.gz; do
	case $f in
	*.csv.*) tool='csv2tfrecord -q -l label' ;;
	*) tool='tfrecord-cat -q' ;;
	esac
	size=$(wc -c <$f)
	head -c $((size - 5)) $f >cut
	both "$f cut short" $tool cut
	like "$status$(cat err)" '1*the * data is cut short at byte *' '... is reported'
	{
		cat $f
		echo more
	} >more
	both "$f with more behind it" $tool more
	like "$status$(cat err)" "1*byte $size of the compressed file: something*" \
		'... is reported'
	{
		head -c $((size - 200000)) $f
		head -c 300 a.csv big.csv
		tail -c 190000 $f
	} >bad
	both "$f damaged" $tool bad
	like "$status$(cat err)" '1*cannot read *' '... is reported'
done
printf 'x' >>big.rec
gzip -1nc big.rec >below.gz
both 'damage below' tfrecord-cat -q below.gz
like "$(cat err)" '*ends inside a record that starts at byte *' '... is reported'

# --- left in the middle
mkfifo pipe
{
	cat big.rec.gz
	exec sleep 600
} >pipe &
timeout 300 tfrecord-cat -q -j 3 --head $((rows - 1)) -o got pipe
is $? 0 'what was asked for is found: no wait for the rest'
tfrecord-cat -q --head $((rows - 1)) -o wanted big.rec.zst
same got wanted '... and it is right'
kill $! 2>/dev/null
{
	tfrecord-cat -q -j 3 big.rec.gz 2>err
	echo $? >status
} | head -c 6000000 >/dev/null
is "$(cat status)$(cat err)" 141 'a closed pipe ends the tool quietly'
refuses '*No space left on device' 'a full disk' \
	tfrecord-cat -q -j 3 -o /dev/full big.rec.gz
finish
