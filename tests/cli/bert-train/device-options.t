#!/bin/sh
# SPDX-License-Identifier: MIT
# Not under thread: a plugin's own threads are not watched
# Not under address: nor is its memory
# Not under isa: a plugin computes
# bert-train --device with what changes the loss or the model, and several models one after the
# other, on XLA's plugin for CPUs beside this program's own: one size of batches, since programs
# take long to compile.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/small.sh"
. "$TEST_TOP/tests/lib/xla.sh"
. "$TEST_TOP/tests/lib/losses.sh"
export BT_PJRT_CACHE="$PWD/cache"
xla_path
if ! BT_PJRT_CACHE=none bert-predict --device list 2>err | grep -q '^cpu:'; then
	skip 'training' "no plugin for CPUs ($(head -n 1 err))"
	finish
fi
small_data
small_config=./small.json
echo '{"model_type": "bert", "vocab_size": 2000, "hidden_size": 8, "num_hidden_layers": 1,
	"num_attention_heads": 2, "intermediate_size": 16}' >small.json

# train OUT [OPTION ...]: 8 updates of all texts
train() {
	small_train "$@" --learning-rate 1e-2 --batch-size 200 --epochs 8 --dtype f32 --log-steps 1 --eval dev.rec
}
device='--device cpu'

small_train a -q
bert-predict -q -m a --format tensor -o a.ts train.rec
train taught.cpu -q --teacher a.ts
# shellcheck disable=SC2086
works 'a teacher' train taught -q --teacher a.ts $device --replicas 2
follows taught.cpu taught 1e-5 '... with the same losses, rates and measures'

train drawn.cpu -q --r-drop 4 --class-weight balanced
# shellcheck disable=SC2086
works 'R-Drop' train drawn -q --r-drop 4 --class-weight balanced $device --replicas 2
follows drawn.cpu drawn 1e-5 '... with the same losses, rates and measures'

# words are moved between two passes
fgm='--fgm .5 --batch-size 50 --epochs 4 --eval-steps 8 --save-steps 3 --keep 9'
# shellcheck disable=SC2086
train moved.cpu -q $fgm
# shellcheck disable=SC2086
works 'FGM' train moved -q $fgm $device
follows moved.cpu moved 1e-5 '... with the same losses, rates and measures'
norms() { sed -n 's/.*"gradient_norm":\([^,}]*\).*/\1/p' "$1/history.jsonl"; }
norms moved.cpu >x
norms moved >y
paste x y | awk '{ d = $1 / $2 - 1; if (!(d * d < 1e-9)) print } END { if (NR < 8) print NR, "norms" }' >why
[ ! -s why ]
result $? '... and the gradients that were added'
# shellcheck disable=SC2086
works '... two devices, two batches' train moved.two -q $fgm --batch-size 25 --accumulate 2 $device --replicas 2
follows moved.cpu moved.two 1e-5 '... with the same losses, rates and measures'
# shellcheck disable=SC2086
works '... from the CPU' train moved.on -q $fgm $device --resume-from moved.cpu/checkpoint-3.safetensors
goes_on moved.cpu moved.on '... to the same losses'
# shellcheck disable=SC2086
works '... from a device' train moved.back -q $fgm --resume-from moved/checkpoint-3.safetensors
goes_on moved.cpu moved.back '... to the same losses'
# in a move; in the pass after it
cpu=$(bert-predict --device list | sed -n 's/^cpu: //p')
for run in 2 3; do
	# shellcheck disable=SC2086
	NARROW_OF=$cpu NARROW_RUNS=,$run, NARROW_LEFT=left exits 1 "memory is too small in run $run" \
		train lost -q $fgm --device "$BUILD/plugin/narrow.so"
	like "$(cat err)" "bert-train: step 1 of 8: *out of memory, says a test*" '... is a message'
	is "$(cat left)" 0 '... and nothing is left'
done

# several models: nothing is kept on the disk, and yet nothing is compiled twice
# shellcheck disable=SC2086
BT_PJRT_CACHE=vocab.txt/x works 'several seeds' train seeds -v --seeds 2 $device
cp out table
is "$(sed -n 's/.*compiled or loaded in .* s, \(.*\)/\1/p' err | tr '\n' ,)" \
	'0 of them from the cache,3 of them from the cache,' '... compile once'
# shellcheck disable=SC2086
train one -q --seed 43 $device
same one/model.safetensors seeds/seed-43/model.safetensors '... to the model of its seed'
train seeds.cpu -q --seeds 2 >want
same table want '... and the measures of the CPU'

# values FILE: of a stream of tensors
values() { tensor-cat -q --csv "$1" | sed 1d; }
fold() { small_train "$@" -q --learning-rate 1e-2 --batch-size 200 --epochs 4 --dtype f32 --kfold 2; }
fold folds.cpu >want
# shellcheck disable=SC2086
works 'folds' fold folds $device
awk 'NR == FNR { for (i = 2; i <= NF; i++) x[FNR, i] = $i; next }
	{ for (i = 2; i <= NF; i++) { d = $i - x[FNR, i]; if (d * d > 1e-7) print "line", FNR, $0 } }' want out >why
[ ! -s why ]
result $? '... with the metrics of the CPU'
values folds/out-of-fold.ts >x
values folds.cpu/out-of-fold.ts >y
paste -d , x y | awk -F, '{ n = NF / 2; for (i = 1; i <= n; i++) { d = $i - $(i + n)
	if ($i ~ /[.]/ ? d * d > 1e-8 : $i != $(i + n)) print "line", NR ":", $0 } }
	END { if (NR < 100) print NR, "lines" }' >why
[ ! -s why ]
result $? '... and its predictions of all texts'

tune() {
	train "$@" -q --tune-steps 40 --tune-over learning-rate=1e-3..1e-1 --tune-over optimizer=sgd,lamb
}
tune tuned.cpu | sed '/^bert-train/d; s/tuned.cpu/tuned/' | cut -c 1-33 >want
# shellcheck disable=SC2086
works 'a search' tune tuned $device
sed '/^bert-train/d' out | cut -c 1-33 >got
same got want '... with the trials of the CPU'

lora() {
	to=$1
	shift
	bert-train -q --force -m a --lora 4 --lora-targets all --lora-dropout .1 --learning-rate 1e-2 \
		--batch-size 200 --epochs 8 --dtype f32 --log-steps 1 --eval dev.rec --eval-steps 8 \
		-o "$to" "$@" train.rec
}
lora adapter.cpu --save-steps 3 --keep 9
# shellcheck disable=SC2086
works 'adapters' lora adapter $device
follows adapter.cpu adapter 1e-5 '... with the same losses, rates and measures'
# shellcheck disable=SC2086
works '... from the CPU' lora adapter.on $device --resume-from adapter.cpu/checkpoint-3.safetensors
goes_on adapter.cpu adapter.on '... to the same losses'
finish
