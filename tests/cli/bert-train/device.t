#!/bin/sh
# SPDX-License-Identifier: MIT
# Not under thread: a plugin's own threads are not watched
# Not under address: nor is its memory
# bert-train --device: what is refused anywhere, and, where BT_PJRT_PATH or PEER_PYTHON has a
# plugin for CPUs, the CPU's losses, and runs that go on from one to the other.
# Not under isa: a plugin computes
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/xla.sh"
. "$TEST_TOP/tests/lib/losses.sh"
export BT_PJRT_CACHE="$PWD/cache"
xla_path
small_data
# of one layer: programs of two take XLA twice as long, and peer/device has those
small_config=./one.json
echo '{"model_type": "bert", "vocab_size": 2000, "hidden_size": 128, "num_hidden_layers": 1,
	"num_attention_heads": 2, "intermediate_size": 512}' >one.json

# train OUT [OPTION ...]: 8 updates, of 2 epochs
train() {
	into=$1
	shift
	small_train "$into" --batch-size 48 --epochs 2 --dtype f32 --log-steps 1 --eval dev.rec "$@"
}

exits 1 'a file that is not there' train no -q --device ./none.so
like "$(cat err)" "*'./none.so'*" '... is named'
echo text >text.so
exits 1 'another kind of file' train no -q --device ./text.so
like "$(cat err)" "*'./text.so'*" '... is named'
MOCK_ABORT=1 BT_PJRT_CACHE=none exits 1 'a plugin that aborts' \
	train no -q --device "$BUILD/plugin/mock.so"
like "$(cat err)" 'bert-train: *cannot compile program *: the plugin ended its process by signal 6 (Aborted): Check failed: 1 == 2' \
	'is a message with its reason'
[ ! -e no ]
result $? 'and nothing is left'
MOCK_DIES=1 BT_PJRT_CACHE=none exits 1 'a plugin that aborts when it is opened' \
	train no -q --device "$BUILD/plugin/mock.so"
is "$(cat err)" "bert-train: cannot open plugin '$BUILD/plugin/mock.so': the plugin ended its process by signal 6 (Aborted): Check failed: device_ok" \
	'is a message with its reason'
MOCK_FULL=1 BT_PJRT_CACHE=none exits 1 'a device without memory' \
	train no -q --device "$BUILD/plugin/mock.so"
like "$(cat err)" 'bert-train: *step 1 of 8: *out of memory while compiling*' '... is a message'
# a device that compiles for ever: whoever is stopped meanwhile leaves no process
mkdir stay
for signal in TERM KILL; do
	rm -f stay/*
	MOCK_STAY=1 MOCK_DIR=stay BT_PJRT_CACHE=long bert-train --force --init-config "$small_config" \
		--tokenizer vocab.txt --epochs 2 --batch-size 48 --dtype f32 \
		--device "$BUILD/plugin/mock.so" -o stopped train.rec 2>err &
	pid=$!
	stays() { [ -n "$(ls stay)" ] || gone $pid; }
	wait_for stays
	kill -$signal $pid
	wait $pid 2>/dev/null
	status=$?
	none() {
		for f in stay/*; do
			# one that nobody waits for has a state, and no memory
			! grep -q '^VmRSS' "/proc/${f#stay/}/status" 2>/dev/null || return 1
		done
	}
	[ -n "$(ls stay)" ] && wait_for none
	result $? "stopped by $signal while it compiles: the compilers end"
	[ -z "$(ls long 2>/dev/null)" ]
	result $? '... and keep nothing'
	[ $signal = KILL ] && break
	[ $status = 1 ]
	result $? '... the exit status is 1'
	like "$(cat err)" "*bert-train: compiling [1-9] programs for the device, kept in 'long' for later runs
bert-train: warning: stopped after step 0 of 8; run the same command to resume" '... and it says where'
done
rm -rf stopped
# and one that is never opened
for signal in TERM INT; do
	rm -f stay/*
	# an interactive shell's, which does not ignore SIGINT
	MOCK_WAITS=1 MOCK_DIR=stay perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' bert-train --init-config "$small_config" \
		--tokenizer vocab.txt --steps 2 --device "$BUILD/plugin/mock.so" -o stopped train.rec 2>err &
	pid=$!
	wait_for stays
	kill -$signal $pid
	wait_for gone $pid
	result $? "stopped by $signal while the plugin is opened: it ends at the first"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	[ -n "$(ls stay)" ] && wait_for none
	result $? '... and so does the process that tries it'
done
rm -rf stopped

exits 2 '--replicas on the CPU' train no -q --replicas 2
is "$(head -n 1 err)" 'bert-train: --replicas needs --device' '... needs a device'
for devices in 1 2; do
	MOCK_DEVICES=$devices BT_PJRT_CACHE=none exits 2 "more replicas than $devices" \
		train no -q --device "$BUILD/plugin/mock.so" --replicas 3
	like "$(head -n 1 err)" "bert-train: plugin 'mock' has $devices device*, not 3" '... has too few devices'
done
while read -r option; do
	# shellcheck disable=SC2086 # an option and its value
	exits 2 "$option" train no -q --device cpu $option
	like "$(head -n 1 err)" "bert-train: ${option%% *}*: on the CPU only, not with --device" \
		'... is for the CPU'
done <<'EOF'
--shards 2
--gemm ref
--checkpoint-activations
--profile
--detect-anomaly
EOF

if BT_PJRT_CACHE=none bert-predict --device list 2>err | grep '^cpu:' >out.cpu; then
	plugin=yes
else
	plugin=
	skip 'training' "no plugin for CPUs ($(head -n 1 err))"
fi

if [ -n "$plugin" ]; then
	works 'on the CPU' train cpu -q --save-steps 3 --keep 9
	works 'on a device' train dev -v --save-steps 3 --keep 9 --device cpu --summary s.json
	like "$(cat err)" "*products f32 by cpu ('*% of rows filled*tokens/s, peak memory*" \
		'... says what computes, and how'
	like "$(cat s.json)" '*"device":"cpu"*"rows_filled":0.*' '... as JSON'
	like "$(cat err)" "*bert-train: compiling [1-9] programs for the device, kept in '$PWD/cache' for later runs
*" '... what it waits for'
	is "$(grep -c compiling err)" 1 '... once, evaluation included'
	follows cpu dev 1e-5 '... with the same losses, rates and measures'
	works 'again' train again --device cpu
	[ "$(grep -c compiling err)" = 0 ]
	result $? '... nothing is compiled'
	same dev/model.safetensors again/model.safetensors '... the same bytes again'

	# stopped while a program that lacked memory before is compiled again: of an
	# update, and of the evaluation behind one. The plugin's name decides how its client
	# is made, and so a program's bits
	cp "$BUILD/plugin/narrow.so" cpu.so
	while read -r kind step; do
		rm -f refused stays
		NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_LATE=$kind BT_PJRT_CACHE=$kind \
			bert-train --init-config "$small_config" --tokenizer vocab.txt --epochs 2 \
			--learning-rate 1e-3 --batch-size 48 --dtype f32 --log-steps 1 --eval dev.rec \
			--device ./cpu.so -o late.$kind \
			--resume-from dev/checkpoint-3.safetensors train.rec 2>err &
		pid=$!
		late() { [ -e stays ] || gone $pid; }
		wait_for late
		kill -TERM $pid
		ended() { ! grep -q '^VmRSS' /proc/$pid/status 2>/dev/null; }
		wait_for ended
		kill -KILL $pid 2>/dev/null
		wait $pid 2>/dev/null
		is "$? $(tail -n 1 err)" \
			"1 bert-train: warning: stopped after step $step of 8; run the same command to resume" \
			"stopped while a late program of $kind compiles"
		works '... it goes on' train late.$kind --device cpu --resume
		losses dev >z
		losses late.$kind | awk -v n="$step" '$1 > n || $1 == "eval"' >y
		awk -v n="$step" '$1 > n || $1 == "eval"' z | cmp -s - y
		result $? '... to the same losses and measures'
		same late.$kind/model.safetensors dev/model.safetensors '... the same bytes'
	done <<-EOF
	gradients 3
	forward 4
	EOF

	# more tokens than those whose rows of the word table are added up at a time
	whole() { small_train "$@" -q --batch-size 200 --epochs 8 --dtype f32 --log-steps 1 --eval dev.rec; }
	whole cpu-whole
	works 'all texts in a batch' whole dev-whole --device cpu
	follows cpu-whole dev-whole 1e-5 '... with the same losses, rates and measures'

	for devices in 2 4; do
		works "$devices replicas" train many$devices -v --device cpu --replicas $devices --summary s.json
		like "$(cat err)" "*products f32 by $devices of cpu ('*% of rows filled*" \
			'... says how many compute'
		follows cpu many$devices 1e-5 '... with the same losses, rates and measures'
	done
	like "$(cat s.json)" '*"device":"cpu"*"replicas":4*' '... as JSON'
	train again -q --device cpu --replicas 4
	same many4/model.safetensors again/model.safetensors '... the same bytes again'
	few() { small_train "$@" -q --batch-size 3 --dtype f32 --log-steps 1 --eval dev.rec; }
	few few.cpu
	works 'fewer texts in a batch than replicas' few few --device cpu --replicas 4
	follows few.cpu few 1e-5 '... with the same losses, rates and measures'
	works 'replicas go on where one was' \
		train back2 --device cpu --replicas 2 --resume-from dev/checkpoint-3.safetensors
	like "$(cat err)" '*was computed by products f32 by cpu*' '... with a warning'

	works 'on from a device' train back --resume-from dev/checkpoint-3.safetensors
	like "$(cat err)" '*was computed by products f32 by cpu*' '... with a warning'
	goes_on dev back '... to the same losses'

	for o in lamb:1e-2 'sgd:.1 --weight-decay .01'; do
		optim=${o%%:*}
		rule() {
			to=$1
			shift
			# shellcheck disable=SC2086 # a rate and options
			train "$to" -q --optimizer "$optim" "$@" --learning-rate ${o#*:}
		}
		rule "$optim.cpu" --save-steps 3 --keep 9
		works "$optim" rule "$optim" --save-steps 3 --keep 9 --device cpu --replicas 2
		follows "$optim.cpu" "$optim" 1e-5 '... with the losses of the CPU'
		works "$optim from a device" rule "$optim.on" --resume-from "$optim/checkpoint-3.safetensors"
		goes_on "$optim" "$optim.on" '... to the same losses'
		works "$optim from the CPU" \
			rule "$optim.back" --device cpu --resume-from "$optim.cpu/checkpoint-3.safetensors"
		goes_on "$optim.cpu" "$optim.back" '... to the same losses'
	done

	# killed on the CPU, resumed on the device
	part() {
		set -- bert-train --init-config "$small_config" --tokenizer vocab.txt --epochs 2 \
			--learning-rate 1e-3 --batch-size 48 --dtype f32 --log-steps 1 \
			--eval dev.rec --save-steps 1 -o part "$@" train.rec
		exec "$@"
	}
	(part -q) &
	pid=$!
	has_checkpoint() { [ -s part/checkpoint.safetensors ] || gone $pid; }
	wait_for has_checkpoint
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	if [ -s part/checkpoint.safetensors ]; then
		(part --device cpu 2>err)
		result $? 'on from the CPU'
		like "$(cat err)" "*'part': restored at step [0-9]* of 8*" '... from where it was killed'
		follows cpu part 1e-5 '... to the same losses'
	else
		skip 'resuming on a device' 'the run was over before it was killed'
	fi

	works 'several batches of an update, frozen layers, no dropout' \
		train acc -q --device cpu --batch-size 24 --accumulate 2 --freeze embeddings \
		--dropout 0 --layer-decay .8 --label-smoothing .1 --clip .5
	train acc.cpu -q --batch-size 24 --accumulate 2 --freeze embeddings \
		--dropout 0 --layer-decay .8 --label-smoothing .1 --clip .5
	follows acc.cpu acc 1e-5 '... with the same losses'
	NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_LEFT=left works 'what ends' \
		train ends -q --device "$BUILD/plugin/narrow.so" --replicas 2 --freeze embeddings
	is "$(cat left)" 0 '... leaves nothing on its devices'
	# what the device refuses for want of memory is run in smaller pieces
	NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_PLACES=512 \
		works 'a device of little memory' \
		train narrow -q --device "$BUILD/plugin/narrow.so"
	follows cpu narrow 1e-5 '... with the same losses'
	NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_RUNS=,1,5, \
		works 'one that finds out when it runs' \
		train late -q --device "$BUILD/plugin/narrow.so"
	follows cpu late 1e-5 '... with the same losses'
	NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_FAILS=,1, \
		works 'one that finds out when the results are read' \
		train later -q --device "$BUILD/plugin/narrow.so"
	follows cpu later 1e-5 '... with the same losses'
	NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_BUSY=1 \
		works 'one that works behind the calls' \
		train behind -q --device "$BUILD/plugin/narrow.so" --save-steps 3
	follows cpu behind 1e-5 '... with the same losses'
	NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_BUSY=1 NARROW_FAILS=,5, \
		exits 1 'one whose programs ran before' \
		train spent -q --device "$BUILD/plugin/narrow.so"
	is "$(cat err)" "bert-train: step 3 of 8: plugin 'narrow': out of memory, says a test" \
		'... is named with its step'
	NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_BUSY=1 NARROW_FAILS=,9, \
		exits 1 'several batches of an update' small_train spent -q --dtype f32 \
		--accumulate 4 --device "$BUILD/plugin/narrow.so"
	is "$(cat err)" "bert-train: step 2 of 3: plugin 'narrow': out of memory, says a test" \
		'... are not run in smaller pieces then'
	NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_RUNS=,4, \
		exits 1 'one that finds out in an update' train no -q --device "$BUILD/plugin/narrow.so"
	is "$(cat err)" \
		"bert-train: step 2 of 8: cannot run program 'update': plugin 'narrow': out of memory, says a test" \
		'... is a message that says where'
	BT_PJRT_CACHE=none NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_PLACES=0 \
		exits 1 'one whose memory is too small for any text' \
		train no -q --device "$BUILD/plugin/narrow.so"
	like "$(cat err)" "bert-train: *step 1 of 8: *out of memory, says a test*" '... is a message'

	BT_PJRT_CACHE=text.so/x works 'bf16' train low --device cpu --dtype bf16
	is "$(grep -c "^bert-train: warning: later runs compile again: .*'text.so" err)" 1 \
		'a cache that takes nothing is a warning'
	train low.cpu -q --dtype bf16
	follows low.cpu low 1e-2 '... with losses within 1 %'
fi
finish
