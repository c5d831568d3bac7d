#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --focal: texts that the model is sure of count less in the loss.
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt
# Texts of three classes, the last one rare, and of labels that may all hold.
awk 'BEGIN {
	srand(1)
	print "id,text,class,card,wifi,rare"
	for (i = 1; i <= 128; i++) {
		text = "the library is open"
		if (card = rand() < .4) text = text " and my card"
		if (wifi = rand() < .6) text = text " and my wifi"
		rare = i % 8 == 0
		print "r" i "," text "," (rare ? 2 : card) "," card "," wifi "," rare
	}
}' >all.csv
csv2tfrecord -q -i id -t text -l class all.csv | bert-tokenize -q -m "$vocab" -o one.rec
csv2tfrecord -q -i id -t text -l card,wifi,rare all.csv | bert-tokenize -q -m "$vocab" -o many.rec
train() { # OUT [OPTION ...] RECORDS
	dir=$1
	shift
	bert-train --force --init-config tiny --tokenizer "$vocab" --learning-rate 1e-3 \
		--batch-size 16 --epochs 2 -q -o "$dir" "$@"
}
many='--task multilabel many.rec'

for what in one.rec "$many"; do
	# shellcheck disable=SC2086
	{
		train plain $what
		train zero --focal 0 $what
		same zero/model.safetensors plain/model.safetensors "$what: 0 is the cross entropy"
		is "$(grep -c focal plain/README.md)" 0 'of which the card does not speak'
		train on --focal 2 -j1 $what
		cmp -s on/model.safetensors plain/model.safetensors
		is $? 1 "$what: 2 is another loss"
		train three --focal 2 -j3 $what
		same on/model.safetensors three/model.safetensors 'one thread or three'
		like "$(cat on/README.md)" '*| focal loss | 2 |*' 'the card tells it'
		loss() { sed -n 's/.*"loss":\([0-9.e-]*\).*/\1/p' "$1/history.jsonl" | sed -n 1p; }
		is "$(awk "BEGIN { print ($(loss on) < .7 * $(loss plain)) }")" 1 'and is smaller'
		exits 1 'a run to be resumed' train half --focal 2 --save-steps 5 --max-minutes 1e-5 $what
		refuses '*belongs to another run: focal loss was 2*, is absent*' 'without it' \
			train half --save-steps 5 --resume $what
		refuses '*belongs to another run: focal loss was 2*, is 1*' 'another' \
			train half --focal 1 --save-steps 5 --resume $what
		works 'resumed' train half --focal 2 --save-steps 5 --resume $what
		same half/model.safetensors on/model.safetensors '... the same bits'
	}
done
train on --focal 2 --eval one.rec --metric loss one.rec
is "$(bert-eval -q -m on --json one.rec | awk -F'[:,]' '/^ "loss"/ { printf "%.5f", $2 }')" \
	"$(sed -n 's/.*"eval_loss": *\([0-9.e-]*\).*/\1/p' on/history.jsonl | tail -n 1 | xargs printf %.5f)" \
	'the loss of evaluation is without it'

# what is refused
csv2tfrecord -q -i id -t text -l card all.csv | bert-tokenize -q -m "$vocab" -o number.rec
misuses '*learns to predict numbers (--focal applies only to classification and multilabel)' \
	'numbers' train x --focal 2 --task regression number.rec
misuses '*--focal does not go with --label-smoothing and --teacher*' 'smoothing' \
	train x --focal 2 --label-smoothing .1 one.rec
misuses '*--focal does not go with --label-smoothing and --teacher*' 'a teacher' \
	train x --focal 2 --teacher t one.rec
misuses '*--few-shot does not go with *--focal*' 'few shots' train x --focal 2 --few-shot one.rec
exits 2 'below 0' train x --focal -1 one.rec
misuses '*activation cannot learn by a focal loss*' 'a head of no logits' \
	train x --focal 2 --head 'mean, dense softplus' one.rec

# PyTorch: a step down the gradient, from a model that is not at its end
if ! compares 'PyTorch'; then
	finish
fi
export HF_HUB_OFFLINE=1
step() { # RECORDS GAMMA WEIGHTS OPTION...
	rec=$1 gamma=$2 w=$3
	shift 3
	tfrecord-cat -q --json -o rec.json $rec
	bert-train -q -m start -o step --force --optimizer sgd --momentum 0 --learning-rate 1 \
		--weight-decay 0 --clip 0 --dropout 0 --schedule constant --warmup 0 \
		--batch-size 128 --steps 1 --dtype f32 --focal $gamma "$@" $rec
	works "loss and gradients are PyTorch's: $gamma, $w" "$PEER_PYTHON" \
		"$TEST_TOP/tests/fixtures/focal-peer.py" start step rec.json $gamma $w
	sed 's/^/# /' out
}
train start one.rec
step one.rec 2 1,1,1
step one.rec .5 1,.5,6 --class-weight 1,.5,6
train start --task multilabel many.rec
step many.rec 2 1,1,1
step many.rec .5 .5,1,7 --pos-weight .5,1,7
finish
