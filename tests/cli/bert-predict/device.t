#!/bin/sh
# SPDX-License-Identifier: MIT
# Not under thread: a plugin's own threads are not watched
# Not under address: nor is its memory
# bert-predict and bert-eval --device: what is refused anywhere, and, where BT_PJRT_PATH or
# PEER_PYTHON has a plugin for CPUs, predictions like the CPU's.
# Not under isa: a plugin computes
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/xla.sh"
export BT_PJRT_CACHE="$PWD/cache"
xla_path
small_data
small_train m -q

refuses "*'./none.so'*" 'a file that is not there' bert-predict -q -m m --device ./none.so dev.rec
echo text >text.so
refuses "*'./text.so'*" 'another kind of file' bert-predict -q -m m --device ./text.so dev.rec
MOCK_ABORT=1 BT_PJRT_CACHE=none refuses 'bert-predict: *cannot compile program *: the plugin ended its process by signal 6 (Aborted): Check failed: 1 == 2' 'a plugin that aborts' \
	bert-predict -q -m m --device "$BUILD/plugin/mock.so" -o no.csv dev.rec
MOCK_DIES=1 BT_PJRT_CACHE=none exits 1 'a plugin that aborts when it is opened' \
	bert-predict -q -m m --device "$BUILD/plugin/mock.so" -o no.csv dev.rec
is "$(cat err)" "bert-predict: cannot open plugin '$BUILD/plugin/mock.so': the plugin ended its process by signal 6 (Aborted): Check failed: device_ok" \
	'is a message with its reason'
MOCK_FAIL_FN=22 refuses "bert-predict: parameter '*' on device 0: plugin 'mock': *" 'a device that has no room for the model' \
	bert-predict -q -m m --device "$BUILD/plugin/mock.so" -o no.csv dev.rec
[ ! -e no.csv ]
result $? 'and leaves no output'
misuses 'bert-eval: several models are run on the CPU only*' 'bert-eval of two models' \
	bert-eval -m m --compare m --device cpu dev.rec
exits 2 'int8' bert-predict -q -m m --device cpu --dtype int8 dev.rec
is "$(head -n 1 err)" 'bert-predict: products of int8 are computed on the CPU only, not on a device' \
	'... is for the CPU'
exits 2 'several models' bert-predict -q -m m -m m --device cpu dev.rec
exits 2 '--explain' bert-predict -q -m m --explain --device cpu dev.rec
exits 2 '--profile' bert-predict -q -m m --profile --device cpu dev.rec
for tool in bert-predict bert-eval; do
	exits 2 "$tool --replicas on the CPU" $tool -q -m m --replicas 2 dev.rec
	is "$(head -n 1 err)" "$tool: replicas are devices, and none is given" '... needs a device'
	MOCK_DEVICES=2 exits 2 "$tool: more replicas than devices" \
		$tool -q -m m --device "$BUILD/plugin/mock.so" --replicas 3 dev.rec
	is "$(head -n 1 err)" "$tool: plugin 'mock' has 2 devices, not 3" '... is an error'
done

if BT_PJRT_CACHE=none bert-predict -q -m m --device cpu -o try.csv dev.rec 2>err; then
	plugin=yes
else
	plugin=
	skip 'predictions' "no plugin for CPUs ($(head -n 1 err))"
fi

# close A B TOLERANCE: equal but for numbers
close() {
	paste -d , "$1" "$2" | awk -F, -v most="$3" '{
		for (i = 1; i <= NF / 2; i++) {
			d = $i - $(i + NF / 2)
			if ($i != $(i + NF / 2) && !(d < most && d > -most && $i + 0 == $i))
				bad++
		}
	} END { if (bad || NR == 0) print bad + 0, "of", NR, "lines" }'
}

if [ -n "$plugin" ]; then
	bert-predict -q -m m --dtype f32 --proba -o cpu.csv dev.rec
	works 'f32' bert-predict -m m --device cpu --dtype f32 --proba --summary first.json \
		-o device.csv dev.rec
	like "$(cat err)" '*% of rows filled*' '... how full the rows were'
	of() { sed 's/.*"'"$1"'":\([^,}]*\).*/\1/' first.json; }
	awk "BEGIN { exit !($(of compute_seconds) + $(of compile_seconds) < $(of seconds)) }"
	result $? '... a time in the model without that of compiling'
	is "$(close cpu.csv device.csv 1e-5)" '' '... labels, order and probabilities'
	bert-predict -v -m m --device cpu --dtype f32 --proba --summary s.json -o again.csv dev.rec 2>err
	same again.csv device.csv 'the same bytes again'
	like "$(cat err)" '*, 1 of them from the cache*' '... by a program that was kept'
	like "$(cat s.json)" '*"device":"cpu"*"rows_filled":0.*' '... as JSON'
	bert-eval -q --json -m m --dtype f32 dev.rec | sed 's/\(\.[0-9]\{4\}\)[0-9]*/\1/' >cpu.json
	works 'bert-eval' bert-eval -q --json -m m --device cpu --dtype f32 dev.rec
	sed 's/\(\.[0-9]\{4\}\)[0-9]*/\1/' out >device.json
	same cpu.json device.json '... the same measures'
	# rows for six batches of a device, the last ones small
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		cat train.rec
	done >many.rec
	export NPROC=4 # XLA divides its work by the number of threads, that of devices at least
	BT_PJRT_CACHE=two works 'programs of two sizes' \
		bert-predict -m m --device cpu --dtype f32 --proba -o one.csv many.rec
	is "$(grep compiling err | sed 's/ for .*//')" 'bert-predict: compiling 2 programs' \
		'... are compiled beside each other'
	for devices in 2 3; do
		works "$devices replicas" bert-predict -v -m m --device cpu --replicas $devices --dtype f32 --proba \
			--summary s.json -o several.csv many.rec
		like "$(cat err)" "*products f32 by $devices of cpu ('*" '... say how many compute'
		like "$(cat s.json)" "*\"device\":\"cpu\"*\"replicas\":$devices*" '... as JSON'
		same one.csv several.csv '... predict the same bytes'
		works "bert-eval of $devices replicas" bert-eval -q --json -m m --device cpu --replicas $devices --dtype f32 dev.rec
		sed 's/\(\.[0-9]\{4\}\)[0-9]*/\1/' out >device.json
		same cpu.json device.json '... the same measures'
	done
	unset NPROC
	NARROW_OF=$(bert-predict --device list | sed -n 's/^cpu: //p') NARROW_LEFT=left \
		works 'what ends' bert-predict -q -m m --device "$BUILD/plugin/narrow.so" -o ends.csv dev.rec
	is "$(cat left)" 0 '... leaves nothing on its device'
	bert-predict -q -m m --dtype bf16 --proba -o cpu.csv dev.rec
	works 'bf16' bert-predict -q -m m --device cpu --dtype bf16 --proba -o device.csv dev.rec
	is "$(close cpu.csv device.csv .02)" '' '... probabilities within 2 %'
	for how in mean max; do
		bert-predict -q -m m --dtype f32 --embed $how -o cpu.csv dev.rec
		bert-predict -q -m m --device cpu --dtype f32 --embed $how -o device.csv dev.rec
		is "$(close cpu.csv device.csv 1e-4)" '' "--embed $how"
	done
fi
finish
