#!/bin/sh
# SPDX-License-Identifier: MIT
# Too little memory: every process ends, with a message, and leaves nothing behind.
# Not under address: limits of addresses leave no room for shadow memory
# Not under thread: the same
# Not under emulation: the emulator counts as the process
. "$TEST_TOP/tests/lib/lib.sh"
cp "$TEST_TOP/pipelines/data/vocab.txt" .
printf 'text,label\nwhere is my card,card\nhow do I pay,pay\n' >t.csv
csv2tfrecord -q t.csv -o t.text
bert-tokenize -q -m vocab.txt -o t.rec t.text

# ends NAME COMMAND...: below each limit of addresses that lets the program
# begin, whatever its status
ends() {
	name=$1 stuck='' mute='' left=''
	shift
	for limit in 100000 160000 200000 300000; do
		(ulimit -v $limit && exec timeout -s KILL 100 "$@") >out 2>err
		case $? in
		0) ;;
		137) stuck="$stuck $limit" ;;
		*) [ -s err ] || mute="$mute $limit" ;;
		esac
		for f in .m* m/.[!.]* m/*.tmp*; do
			[ ! -e "$f" ] || left="$left $f"
		done
	done
	is "$stuck" '' "$name ends"
	is "$mute" '' "$name says why"
	is "$left" '' "$name leaves nothing unfinished"
}
ends '--version' bert-train --version
ends 'a wrong use' bert-train --no-such-option
ends 'training' bert-train -q --force --init-config tiny --tokenizer vocab.txt \
	--steps 1 -o m t.rec

# A run that is stopped ends soon.
bert-train -q --force --init-config tiny --tokenizer vocab.txt --steps 1000000 -o n t.rec 2>err &
trains() { [ -e n/history.jsonl ] || gone $!; }
wait_for trains
kill -TERM $!
wait_for gone $!
result $? 'a run that is stopped ends'
wait $!
is $? 1 '... with an error'
finish
