#!/bin/sh
# SPDX-License-Identifier: MIT
# A disk that is full before a run, or gets full in it: a run that could not be
# saved is refused, one that cannot be saved any more leaves its checkpoint in
# TMPDIR, from which it resumes with the same bits.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
small_data
so=$BUILD/preload/inject.so
mkdir tmp
TMPDIR=$PWD/tmp
export TMPDIR
# full CALL:N:HOW OUT [OPTION ...]: a run in which that call fails
full() {
	spec=$1 out=$2
	shift 2
	rm -rf log tmp/*
	LD_PRELOAD=$so INJECT=$spec INJECT_LOG=$PWD/log bert-train --init-config "$DATA/one-layer.json" \
		--tokenizer vocab.txt --epochs 3 --learning-rate 1e-3 --batch-size 16 \
		-o "$out" "$@" train.rec >out 2>err
}
# rescued OUT [OPTION ...]: it goes on from TMPDIR and ends as run a did
rescued() {
	works "$1: it resumes" small_train "$@" --epochs 3 -q --resume-from tmp/*/checkpoint.safetensors
	cmp a/model.safetensors "$1/model.safetensors" &&
		[ "$(wc -l <"$1/history.jsonl")" = 3 ]
	result $? "$1: with the same bits"
}

full statvfs:1:ENOSPC x
status=$?
if [ ! -e log ]; then
	skip 'full disks' "a library cannot be preloaded: $(head -n 1 err)"
	finish
fi
like "$status $(tail -n 1 err)" "1 bert-train: 'x' has no room for the model: *MB are needed and 0.0 MB are free" \
	'no room for the model'
[ ! -e x ]
result $? 'nothing is left'
full statvfs:2:ENOSPC x
like "$? $(tail -n 1 err)" "1 *'x' has no room for the model and its checkpoints: *MB are needed* (make room*--save-minutes 0)" \
	'nor for its checkpoints'

small_train a -q --epochs 3
full statvfs:3:ENOSPC b --save-steps 5
like "$? $(tail -n 1 err)" "1 *no checkpoint of step 5: 'b' has no room for the checkpoint: *; the checkpoint of step 5 was written to '*/tmp/bert-train.*/checkpoint.safetensors' instead (make room and resume with --resume-from that file)" \
	'no room for a checkpoint later'
rescued b --save-steps 5
full statvfs:2:ENOSPC c --save-minutes 0
like "$? $(tail -n 1 err)" "1 *'c' has no room for the model: *; the checkpoint of step 12 was written to '*" \
	'no room for the model of an epoch'
rescued c --save-minutes 0
full fsync:1:ENOSPC d --save-minutes 0
like "$? $(tail -n 1 err)" "1 *No space left on device; the checkpoint of step 12 was written to '*" \
	'a write that fails'
rescued d --save-minutes 0
mkdir nowhere
TMPDIR=$PWD/nowhere/at/all
full statvfs:3:ENOSPC e --save-steps 5
like "$? $(tail -n 1 err)" "1 *no checkpoint of step 5: 'e' has no room for the checkpoint: *free" \
	'without TMPDIR'
finish
