#!/bin/sh
# SPDX-License-Identifier: MIT
# Not under thread: a plugin's own threads are not watched
# Not under address: nor is its memory
# bert-train --device of texts that belong together, --task multiple-choice and embedding: what is
# refused, and, where BT_PJRT_PATH or PEER_PYTHON has a plugin for CPUs, the CPU's losses.
# Not under isa: a plugin computes
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/xla.sh"
export BT_PJRT_CACHE="$PWD/cache"
xla_path
cp "$TEST_TOP"/pipelines/data/vocab.txt .
echo '{"model_type": "bert", "vocab_size": 2000, "hidden_size": 64, "num_hidden_layers": 1,
	"num_attention_heads": 2, "intermediate_size": 128}' >one.json

# questions with three choices or four; pairs of texts, of which some recur, with scores; triplets
awk 'BEGIN { srand(5); split("cafe books card wifi park fine", w, " ")
	print "id,prompt,A,B,C,D,answer" >"quiz.csv"
	print "id,a,b,c,score" >"pairs.csv"
	for (q = 1; q <= 60; q++) { n = q % 3 ? 4 : 3; y = int(rand() * n); line = "q" q "," w[q % 6 + 1]
		for (k = 0; k < 4; k++) line = line "," (k >= n ? "" : w[(q + (k != y) * (1 + int(rand() * 5))) % 6 + 1] " is " \
			(k == y ? "open" : "new"))
		print line "," substr("ABCD", y + 1, 1) >"quiz.csv"
		a = w[q % 6 + 1]; b = w[int(rand() * 6) + 1]
		print q "," a " is " (q % 4 ? "open" : "new") ",the " a (q % 5 ? "" : " and the " b) ",a new " b "," \
			int(rand() * 5) / 4 >"pairs.csv" } }'
csv2tfrecord -q -i id -t prompt --choices A,B,C,D -l answer quiz.csv | bert-tokenize -q -m vocab.txt -o choices.rec
csv2tfrecord -q -i id -t a --pair b pairs.csv | bert-tokenize -q -m vocab.txt --apart -o pairs.rec
csv2tfrecord -q -i id -t a --pair b -l score pairs.csv | bert-tokenize -q -m vocab.txt --apart -o scores.rec
csv2tfrecord -q -i id -t a --pair b --keep c pairs.csv | bert-tokenize -q -m vocab.txt --apart --negative c -o triplets.rec

# train OUT RECORDS [OPTION ...]: 6 updates, of 2 epochs
train() {
	out=$1 data=$2 task=embedding
	shift 2
	[ "$data" != choices ] || task=multiple-choice
	bert-train --force --init-config one.json --tokenizer vocab.txt --task $task --epochs 2 --batch-size 20 \
		--learning-rate 1e-3 --dtype f32 --log-steps 1 --eval "$data.rec" -o "$out" "$@" "$data.rec"
}

# losses OUT: of each update, with the gradient's norm, and of evaluation
losses() {
	sed -n 's/.*"step":\([0-9]*\),.*"loss":\([^,}]*\).*"gradient_norm":\([^,}]*\).*/\1 \2 \3/p' "$1/history.jsonl"
	sed -n 's/.*"eval_loss":\([^,}]*\).*/eval \1 1/p' "$1/history.jsonl"
}

# follows A B NAME: they differ by 1e-5 of them at most
follows() {
	losses "$1" >x
	losses "$2" >y
	paste -d ' ' x y | awk '{
		d = $2 / $5 - 1
		g = $3 / $6 - 1
		if (NF != 6 || $1 != $4 || !(d * d < 1e-10 && g * g < 1e-9))
			print "line", NR ":", $0
		n++
	} END { if (n < 8) print n, "lines" }' >why
	[ ! -s why ]
	result $? "$3"
}

behind() { awk '$1 > 2 || $1 == "eval"'; }

# goes_on OUT: its losses are those in x
goes_on() {
	losses "$1" | behind >y
	paste -d ' ' x y | awk '{ d = $2 / $5 - 1; if ($1 != $4 || !(d * d < 1e-10)) print }
		END { if (NR < 6) print NR, "lines" }' >why
	[ ! -s why ]
	result $? '... to the same losses'
}

MOCK_FULL=1 exits 1 'a device without memory' train no pairs -q --device "$BUILD/plugin/mock.so"
like "$(cat err)" 'bert-train: *step 1 of 6: texts that are compared with each other run at once: *(use a smaller --batch-size or --batch-tokens with --accumulate)' \
	'... does not compare pieces'
[ ! -e no ]
result $? 'nothing is left'

if ! BT_PJRT_CACHE=none bert-predict --device list 2>err | grep '^cpu:' >out.cpu; then
	skip 'training' "no plugin for CPUs ($(head -n 1 err))"
	finish
fi

for data in choices pairs scores triplets; do
	set --
	[ $data != triplets ] || set -- --matryoshka-dims 32,8
	works "$data on the CPU" train cpu.$data $data -q --save-steps 2 --keep 9 "$@"
	works '... on a device' train dev.$data $data -v --save-steps 2 --keep 9 --device cpu "$@"
	is "$(grep -c compiling err)" 1 '... compiled once, evaluation included'
	follows cpu.$data dev.$data '... with the same losses and gradients'
	works '... on two devices' train two.$data $data -q --device cpu --replicas 2 "$@"
	follows cpu.$data two.$data '... with the same losses and gradients'
	losses cpu.$data | behind >x
	works '... on from a device' train back.$data $data -q --resume-from dev.$data/checkpoint-2.safetensors "$@"
	goes_on back.$data
	works '... on from the CPU' train on.$data $data -q --device cpu --resume-from cpu.$data/checkpoint-2.safetensors "$@"
	goes_on on.$data
done

# compared with the texts of other batches, of which the last update has one alone
set -- --batch-size 9 --accumulate 3 --save-steps 2 --keep 9
for data in pairs scores; do
	train acc.cpu."$data" "$data" -q "$@"
	works "$data: several batches of an update" train acc."$data" "$data" -v --device cpu "$@"
	[ "$data" = pairs ] && compiled=1 || compiled=0
	is "$(grep -c compiling err)" "$compiled" '... compiled once, for any loss'
	follows acc.cpu."$data" acc."$data" '... with the same losses and gradients'
	losses acc.cpu."$data" | behind >x
	works '... on from a device' train back.acc."$data" "$data" -q --resume-from acc."$data"/checkpoint-2.safetensors "$@"
	goes_on back.acc."$data"
	works '... on from the CPU' train on.acc."$data" "$data" -q --device cpu --resume-from acc.cpu."$data"/checkpoint-2.safetensors "$@"
	goes_on on.acc."$data"
done
NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_PLACES=128 works '... in pieces on two devices' \
	train pieces "$data" -q --device "$BUILD/plugin/narrow.so" --replicas 2 "$@"
follows acc.cpu."$data" pieces '... with the same losses and gradients'
NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_LEFT=left works '... to the end' \
	train ends "$data" -q --device "$BUILD/plugin/narrow.so" "$@"
is "$(cat left)" 0 '... which leaves nothing on the device'
works '... with words moved' train moved "$data" -q --device cpu --fgm .5 "$@"
train moved.cpu "$data" -q --fgm .5 "$@"
follows moved.cpu moved '... with the same losses and gradients'

train cosine.cpu scores -q --embedding-loss cosine --batch-size 10 --accumulate 2
works 'a sum over pairs: several batches of an update' \
	train cosine scores -q --embedding-loss cosine --batch-size 10 --accumulate 2 --device cpu --replicas 2
follows cosine.cpu cosine '... with the same losses and gradients'
# questions in pieces, of which none is parted
for replicas in 1 2; do
	NARROW_OF=$(sed 's/^cpu: //' out.cpu) NARROW_PLACES=128 works "little memory: pieces on $replicas devices" \
		train narrow choices -q --device "$BUILD/plugin/narrow.so" --replicas $replicas
	follows cpu.choices narrow '... with the same losses and gradients'
done
works 'fewer questions than devices' train few choices -q --batch-size 3 --steps 8 --device cpu --replicas 4
train few.cpu choices -q --batch-size 3 --steps 8
follows few.cpu few '... with the same losses and gradients'
works 'bf16' train low pairs -q --device cpu --dtype bf16
finish
