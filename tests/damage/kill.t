#!/bin/sh
# SPDX-License-Identifier: MIT
# A run that is killed again and again, at any moment, and resumed each time
# ends as one that never was: the same model to the byte, the same history, the
# same events. KILLS says how often [8]; half of them are at random times, the
# others within a random call of the system, a write when half of it is done.
# And a disk that is full leaves the last good checkpoint.
# Not under thread: trains on one thread
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
kills=${KILLS:-8}
so=$BUILD/preload/inject.so
exec= # or exec, so that the process is the shell's own
train() { # OUT [OPTION ...]
	o=$1
	shift
	$exec bert-train --init-config tiny --tokenizer vocab.txt --epochs 4 -q -j 1 \
		--learning-rate 1e-3 --batch-size 16 --eval dev.rec -o "$o" \
		--save-steps 3 --keep 2 --tensorboard "$o/log" "$@" train.rec
}
# what must be the same: all but times
events() {
	for d in "$1/log/train" "$1/log/validation"; do
		"$TEST_TOP/tests/lib/events" "$d"/*
	done
	"$TEST_TOP/tests/lib/events" "$1"/log/events* | cut -d' ' -f1,2
}
history() { sed 's/"seconds":[^,]*,//' "$1/history.jsonl"; }

start=$(date +%s%N)
train whole
took=$((($(date +%s%N) - start) / 1000000))
events whole >whole.events
history whole >whole.history
LD_PRELOAD=$so INJECT=write:1:kill INJECT_LOG=$PWD/log train x 2>err
if [ ! -e log ]; then
	skip 'killed runs' "a library cannot be preloaded: $(head -n 1 err)"
	finish
fi
rm -rf x

# numbers from 0 to 2^15 - 1, the same each time
seed=${KILL_SEED:-1}
random() {
	seed=$(((seed * 1103515245 + 12345) & 2147483647))
	number=$((seed >> 16))
}

# one process that is perhaps killed; its status
attempt() {
	rm -f log
	random
	if [ $((number % 2)) = 0 ]; then
		random
		ms=$((number % took + 1))
		{ exec=exec; train k "$@" 2>err; } &
		pid=$!
		sleep "$((ms / 1000)).$(printf %03d $((ms % 1000)))"
		kill -KILL $pid 2>/dev/null
		wait $pid 2>/dev/null
		return
	fi
	random
	case $((number % 4)) in
	0 | 1) call=write most=400 ;;
	2) call=rename most=24 ;;
	3) call=fsync most=60 ;;
	esac
	random
	LD_PRELOAD=$so INJECT=$call:$((number % most + 1)):kill INJECT_LOG=$PWD/log \
		train k "$@" 2>err
}

done=0 runs=0 resumed=0 tries=0
: >wrong
while [ $done -lt "$kills" ] && [ $tries -lt $((4 * kills + 20)) ]; do
	tries=$((tries + 1))
	if [ -e k/checkpoint.safetensors ]; then
		resumed=$((resumed + 1))
		attempt
	else
		rm -rf k
		attempt
	fi 2>noise
	status=$?
	case $status in
	137) done=$((done + 1)) ;;
	0)
		runs=$((runs + 1))
		cmp k/model.safetensors whole/model.safetensors >>wrong 2>&1
		events k 2>&1 | diff whole.events - >>wrong
		history k | diff whole.history - >>wrong
		find k -name '.*.*' >>wrong
		rm -rf k
		;;
	*)
		echo "status $status: $(head -n 1 err)" >>wrong
		rm -rf k
		;;
	esac
done
[ $done = "$kills" ]
result $? "$kills processes were killed, $resumed resumed, $runs came to an end"
# the last of them
while [ -e k/checkpoint.safetensors ] && [ $tries -gt 0 ]; do
	train k --resume 2>err || { head -n 1 err >>wrong; break; }
	cmp k/model.safetensors whole/model.safetensors >>wrong 2>&1
	events k 2>&1 | diff whole.events - >>wrong
	history k | diff whole.history - >>wrong
	break
done
cp wrong why
[ ! -s wrong ]
result $? 'each resumed, and all ended alike, with nothing left over'

# The disk is full at each write of a checkpoint in turn.
TMPDIR=$PWD
export TMPDIR
full=0
: >wrong
for at in 50 120 190 260; do
	rm -rf f log
	LD_PRELOAD=$so INJECT=write:$at:ENOSPC INJECT_LOG=$PWD/log train f 2>err
	status=$?
	[ -e log ] || break
	case $(cat err) in
	*'no checkpoint of step '*' (the one of step '*' remains; run the same command to resume): cannot write '*'checkpoint.safetensors'*'No space left on device; the checkpoint of step '*' was written to '*) ;;
	*) continue ;;
	esac
	full=$((full + 1))
	[ $status = 1 ] || echo "write $at: status $status" >>wrong
	train f --resume 2>err || head -n 1 err >>wrong
	cmp f/model.safetensors whole/model.safetensors >>wrong 2>&1
	history f | diff whole.history - >>wrong
done
[ $full -gt 0 ]
result $? "a full disk while a checkpoint is written is reported ($full cases)"
cp wrong why
[ ! -s wrong ]
result $? 'the one before it stands, and leads to the same end'
finish
