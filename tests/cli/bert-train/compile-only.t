#!/bin/sh
# SPDX-License-Identifier: MIT
# Not under thread: a plugin's own threads are not watched
# Not under address: nor is its memory
# bert-train --compile-only: what is refused, what it prints of a plugin's topology and of its
# devices, and what does not fit; where BT_PJRT_PATH or PEER_PYTHON has them, of XLA's plugin
# for CPUs, of Google's for TPUs and of NVIDIA's for GPUs, which are not here.
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/xla.sh"
. "$TEST_TOP/tests/lib/families.sh"
export BT_PJRT_CACHE="$PWD/cache"
xla_path
small_data
cat >config.json <<-EOF
{"model_type": "bert", "vocab_size": 8000, "hidden_size": 32, "num_hidden_layers": 1,
"num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 64}
EOF

# costs [OPTION ...]: one update of all records but for the options
costs() {
	bert-train -q --init-config ./config.json --tokenizer vocab.txt --batch-size 1000 \
		--steps 1 --dtype f32 "$@" dev.rec
}

# ahead PLUGIN TOPOLOGY [OPTION ...]
ahead() {
	plugin=$1 topology=$2
	shift 2
	costs --device "$plugin" --compile-only --topology "$topology" "$@"
}
mock=$BUILD/plugin/mock.so

exits 2 'on the CPU' costs --compile-only
is "$(head -n 1 err)" 'bert-train: --compile-only needs --device' '... is refused'
exits 2 '--topology alone' costs --device "$mock" --topology board:1
is "$(head -n 1 err)" 'bert-train: --topology needs --compile-only' '... is refused'
exits 1 'a topology that is not known' ahead "$mock" table:1
is "$(cat err)" "bert-train: topology 'table:1': plugin 'mock': not a topology" '... is named'
misuses "bert-train: plugin 'mock' has 2 devices, not 3*" 'more replicas than devices' \
	ahead "$mock" board:2 --replicas 3

works 'a topology' ahead "$mock" board:2 --replicas 2 -o x
[ ! -e x ] && [ ! -e cache ]
result $? 'nothing is written'
is "$(head -n 1 out)" '2 of 2 mock device (board:2), 17180 MB of memory each' 'its devices'
is "$(sed 1,2d out | sed 's/ [0-9.]*$//; s/[0-9]* x/N x/; s/  */ /g; s/ $//')" \
	'gradients N x 64 0.0 0.0 0.0 0.0 2.1 2.1 yes 0.0
update 0.0 0.0 0.0 0.0 0.0 0.0 yes 0.0' 'what its programs take, beside what is there'
kinds() { sed 1,2d out | awk '{ print $2 == "added" ? $1 " " $2 : $1 }' | sort -u | tr '\n' ,; }
works 'several batches of an update' ahead "$mock" board:1 --batch-size 20 --accumulate 2
is "$(kinds)" 'gradients,gradients added,update,' '... are added up'
works 'FGM' ahead "$mock" board:1 --fgm 1
is "$(kinds)" 'gradients,gradients added,move,update,' '... moves words between two passes'
works 'pairs of several batches' ahead "$mock" board:1 --few-shot --batch-size 20 --accumulate 2
is "$(kinds)" 'embeddings,gradients,gradients added,update,' '... are embedded first'
works 'evaluation' ahead "$mock" board:1 --eval dev.rec
is "$(sed 1,2d out | awk '{ print $1 }' | tr '\n' ,)" gradients,update,forward, '... has its programs'
MOCK_LIE=sizes works 'a plugin that does not tell' ahead "$mock" board:1
is "$(sed -n '3s/  */ /gp' out | cut -d ' ' -f 5-9,11-12)" '- - - - 2.1 - -' '... is believed'
MOCK_FULL=1 exits 1 'a program that does not fit' ahead "$mock" board:1
like "$(sed -n 3p out)" "gradients * does not fit: *plugin 'mock': 52.50G of 15.75G" '... is shown'
is "$(sed 1,2d out | awk '{ print $2 }' | uniq | tr '\n' ,)" 9,5,3,2,1, '... and smaller ones are tried'
like "$(cat err)" "bert-train: *plugin 'mock': 52.50G of 15.75G" '... up to the last'
MOCK_LIMIT=1000000 exits 1 'what does not fit beside the rest' ahead "$mock" board:1
like "$(sed -n 3p out)" 'gradients * 2.1 * no *' '... is shown'
like "$(cat err)" "bert-train: *program 'gradients * x 64' needs 2.1 MB of the 1.0 MB that a device has" \
	'... with both numbers'
MOCK_ABORT=1 refuses 'bert-train: *the plugin ended its process by signal 6 (Aborted): Check failed: 1 == 2' 'a plugin that aborts' \
	ahead "$mock" board:1
MOCK_DIES=1 refuses 'bert-train: *Check failed: device_ok* (*--topology: of TPUs v2:4x4, *)' 'devices that are not there' \
	costs --device "$mock" --compile-only

# a plugin of this name gets cards by their numbers
ln -s "$mock" cuda.so
works 'cards that are not here' ahead ./cuda.so h100:2 --replicas 2
is "$(head -n 1 out)" '2 of 2 mock device (h100:2), 15462 MB of memory each' \
	'... and nine tenths of their memory'
PJRT_NAMES_AND_LIBRARY_PATHS="mine:$PWD/cuda.so" works '... also of a plugin with a name of its own' \
	ahead mine h100:2 --replicas 2
is "$(head -n 1 out)" '2 of 2 mock device (h100:2), 15462 MB of memory each' '... the same'
misuses "bert-train: topology 'k80': expected one of NVIDIA's cards: t4, *" 'a card that is not known' \
	ahead ./cuda.so k80
for number in 0 65 -1 2x ''; do
	exits 2 "h100:$number" ahead ./cuda.so "h100:$number"
	is "$(head -n 1 err)" \
		"bert-train: topology 'h100:$number': expected 1 to 64 cards, as h100:8" '... is refused'
done

# has PLUGIN: whether it is found
has() {
	BT_PJRT_CACHE=none bert-predict --device list 2>err | sed -n "s/^$1: //p" >found
	[ -s found ]
}

# compiles PLUGIN TOPOLOGY REPLICAS: for devices that are not here
family=
compiles() {
	works "$1 $2${family:+, $family}" ahead "$1" "$2" --replicas "$3" --dtype bf16
	is "$(cat err)" '' '... without notes of the plugin'
	is "$(sed 1,2d out | awk '$(NF - 5) > 0 && $(NF - 2) == "yes" { print $1 }' |
		tr '\n' ,)" gradients,update, '... has the programs'
}

if has cpu; then
	works 'the CPU by XLA' costs --device cpu --compile-only
	is "$(sed 1,2d out | awk '$(NF - 5) > 0 && $(NF - 3) > 0 { print $1 }' | tr '\n' ,)" \
		gradients,update, '... tells memory and operations'
	works 'a run after that' bert-train -v --init-config ./config.json --tokenizer vocab.txt \
		--batch-size 1000 --steps 1 --dtype f32 --device cpu -o run dev.rec
	like "$(cat err)" '*: 2 programs compiled or loaded in *, 2 of them from the cache*' \
		'... finds its programs'
	NARROW_OF=$(cat found) NARROW_PLACES=512 works 'a device of little memory' \
		costs --device "$BUILD/plugin/narrow.so" --compile-only
	like "$(sed -n 3p out)" 'gradients * does not fit: *out of memory, says a test' '... says so'
	like "$(tail -n 2 out)" 'gradients added *' '... and gets smaller programs'
	refuses "bert-train: topology 'v5e:1x1': plugin 'cpu': *not supported*" 'a topology of it' ahead cpu v5e:1x1
else
	skip 'the CPU by XLA' 'no plugin for CPUs'
fi

if has cuda; then
	compiles cuda t4 1
	compiles cuda a100 1
	compiles cuda rtx5090 1
	compiles cuda h100:4 4
else
	skip 'GPUs' "no plugin for NVIDIA's GPUs (jax-cuda13-pjrt) in BT_PJRT_PATH"
fi

if has tpu; then
	compiles tpu v5e:1x1 1
	compiles tpu v5e:2x2 4
	compiles tpu v2:4x4 1
	compiles tpu v6e:1x1 1
	set -- v3:2x2 v5e:2x2 v6e:1x1
	for family in $families; do
		family_config "$family" >config.json
		compiles tpu "$1" 1
		set -- "$2" "$3" "$1"
	done
	refuses '*bert-train: *(*--topology: of TPUs v2:4x4, *)' 'no TPU' costs --device tpu --compile-only
	refuses "bert-train: topology 'nonsense': plugin 'tpu': *nonsense*" 'a TPU of that name' ahead tpu nonsense
else
	skip 'TPUs' 'no plugin for TPUs (libtpu) in BT_PJRT_PATH'
fi
finish
