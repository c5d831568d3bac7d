#!/bin/sh
# SPDX-License-Identifier: MIT
# A program of a pipe that fails when the next ones have a part of its records already: these
# fail, too, and make nothing of that part.
# Not under thread: the threads are those of the tools' own tests
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
small_train m -q
tiny="--init-config tiny --tokenizer $TEST_TOP/pipelines/data/vocab.txt --steps 1"

# A table whose last row comes late, and is malformed.
table() {
	printf 'text,label\na fine,get_card\nmy card,wifi_access\n'
	sleep 0.2
	echo '"'
}
# The same before the others have anything.
soon() { printf 'text,label\na fine,get_card\n"'; }

# fails TABLE COMMAND...: at the end of the pipe
fails() {
	from=$1
	shift
	{
		$from | {
			csv2tfrecord -q -l label 2>err.1
			echo $? >status.1
		} | {
			bert-tokenize -q -m m 2>err.2
			echo $? >status.2
		} | {
			"$@" 2>err.3
			echo $? >status.3
		}
	} >made
	is "$(cat status.1 status.2 status.3 | tr '\n' ' ')" '1 1 1 ' "$1, $from: all programs fail"
	like "$(cat err.1)" 'csv2tfrecord: cannot read standard input: record ? (line ?): *' \
		'... the first one says why'
	# a slow machine has the whole of the part at once, and hands nothing of it on
	ends='*ends *'
	[ $from = table ] || ends='it ends before its first record is complete'
	like "$(cat err.2 err.3)" "bert-tokenize: cannot read standard input: $ends (the program before it in the pipe probably failed: see what it says)
$1: cannot read standard input: $ends (the program before it in the pipe probably failed: see what it says)" \
		'... the others say that it was not they'
	[ ! -e result ]
	result $? '... and nothing is made of a part'
}
# shellcheck disable=SC2086
fails table bert-train -q $tiny -o result
fails table bert-predict -q -m m -o result
fails table bert-eval -q -m m -o result
fails table tfrecord-cat -q -o result
fails soon tfrecord-cat -q -o result

table | csv2tfrecord -q >part 2>err
refuses '*record 3: ends inside a record*' 'a file by standard output is not whole' tfrecord-cat part
printf 'text\na\n' | csv2tfrecord -q >part
is "$(tfrecord-cat --count part)" 1 '... unless all went well'

refuses "bert-predict: standard input holds no records (see what *" 'a program that writes nothing' \
	sh -c 'false | bert-predict -m m'
refuses "*standard input: it ends before its first record is complete (the program *" 'one that fails before it has written' \
	sh -c 'tfrecord-cat nosuch 2>err.1 | tfrecord-cat'
# none COMMAND...: it fails before it opens its output
none() {
	"$@" 2>err.1 | tfrecord-cat -q -o result 2>err
	like "$(cat err)" 'tfrecord-cat: cannot read standard input: it ends before its first record *' "$*, which says why"
	"$@" 2>err.1 | wc -c >why
	is "$(cat why)" 4 '... in four bytes'
}
none bert-tokenize -m nosuch part
none bert-tokenize -m nosuch --format tfrecord part
none bert-predict -m nosuch --format tfrecord part
none bert-predict -m m --format tfrecord part
none bert-predict --format tfrecord --bogus part
none bert-tokenize -m vocab.txt --bogus part
none bert-tokenize -m vocab.txt --pad x part
none csv2tfrecord --bogus part
none csv2tfrecord --label-type x part
none squad2tfrecord --no-answers --realign part
none conll2tfrecord --bogus part
none tfrecord-cat --bogus part
none tfrecord-cat --near part
for o in '-m nosuch -o x' '-m nosuch --format ids' '-m vocab.txt --save m'; do
	# shellcheck disable=SC2086 # options
	is "$(bert-tokenize $o part 2>err.1 | wc -c) $(grep -c '^bert-tokenize' err.1)" '0 1' "... but for $o"
done
is "$(bert-predict -m nosuch part 2>err.1 | wc -c)" 0 '... nor where records are not written'
is "$(tfrecord-cat --count --bogus part 2>err.1 | wc -c)" 0 '... after wrong usage either'
refuses 'bert-predict: standard input holds no records' 'a file is not a pipe' \
	sh -c 'bert-predict -m m </dev/null'

# a reader that is gone does not hide why the writer fails
mkfifo fifo
(
	table | csv2tfrecord -q 2>err
	echo $? >status
) >fifo &
exec 3<fifo
head -c 1 <&3 >first
exec 3<&-
wait
like "$(cat status err)" '1
csv2tfrecord: cannot read standard input: record 3 (line 4): *' 'nobody reads, and the row is named'
finish
