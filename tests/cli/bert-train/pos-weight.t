#!/bin/sh
# SPDX-License-Identifier: MIT
# bert-train --pos-weight: positives of labels that weigh more in the loss.
# Not under thread: the threads are those of cli/bert-train/train
# Not under isa: compares trainings with each other, as cli/bert-train/train does
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt
# Texts that say which of two labels hold; "rare" holds for few, "never" for none.
table() { # ROWS SEED
	awk -v n="$1" -v seed="$2" 'BEGIN {
		srand(seed)
		print "id,text,card,wifi,rare,never"
		for (i = 1; i <= n; i++) {
			text = "the library is open"; row = ""
			if (card = rand() < .4) text = text " and my card"
			if (wifi = rand() < .6) text = text " and my wifi"
			print "r" i "," text "," card "," wifi "," (i % 8 == 0) ",0"
		}
	}'
}
labels=card,wifi,rare,never
for f in train:128:1 dev:40:2; do
	name=${f%%:*}
	table $(echo "${f#*:}" | tr : ' ') >$name.csv
	csv2tfrecord -q -i id -l $labels $name.csv | bert-tokenize -q -m "$vocab" -o $name.rec
done
train() { # OUT [OPTION ...]
	dir=$1
	shift
	bert-train --force --init-config tiny --tokenizer "$vocab" --learning-rate 1e-3 \
		--batch-size 16 --dropout 0 --task multilabel -o "$dir" "$@"
}

# the weights
works 'balanced' train bal --epochs 2 --eval dev.rec --pos-weight balanced train.rec
weight() { awk -F, -v c="$1" 'NR > 1 { n++; p += $c } END { printf "%.4g", (n - p) / p }' train.csv; }
like "$(cat err)" "*weights of positives: 'card' $(weight 3), 'wifi' $(weight 4), 'rare' 7, 'never' 1*" \
	'are negatives / positives, and 1 where there are none'
like "$(cat err)" "*1 of the 4 labels has no training example: 'never'*" '... which is named'
train plain -q --epochs 2 --eval dev.rec train.rec
for w in 1,1,1,1 card=1,never=1; do
	train ones -q --epochs 2 --eval dev.rec --pos-weight $w train.rec
	same ones/model.safetensors plain/model.safetensors "weights of 1 change nothing: $w"
done
train named -q --epochs 2 --eval dev.rec --pos-weight "card=$(weight 3),wifi=$(weight 4),rare=7" train.rec
mean() { bert-predict -q -m "$1" --proba dev.rec | awk -F, -v c="$2" 'NR > 1 { s += $c } END { printf "%.3f", s / (NR - 1) }'; }
is "$(mean named 5)" "$(mean bal 5)" 'given by their names, the same'
is "$(awk "BEGIN { print ($(mean bal 5) > $(mean plain 5) + .1) }")" 1 'the rare label is predicted more often'
loss() { sed -n "s/.*\"$2\": *\([0-9.e-]*\).*/\1/p" "$1/history.jsonl" | tail -n 1; }
is "$(bert-eval -q -m bal --json dev.rec | awk -F'[:,]' '/^ "loss"/ { printf "%.5f", $2 }')" \
	"$(printf %.5f "$(loss bal eval_loss)")" 'the loss of evaluation is without them'
is "$(awk "BEGIN { print ($(loss bal loss) > $(loss plain loss) + .05) }")" 1 'that of training with them'

# the same to the last bit with any number of threads, and resumed
train one -q -j1 --epochs 2 --pos-weight balanced train.rec
train three -q -j3 --epochs 2 --pos-weight balanced train.rec
same one/model.safetensors three/model.safetensors 'one thread or three'
exits 1 'a run to be resumed' train half -q --epochs 2 --pos-weight balanced --save-steps 5 --max-minutes 1e-5 train.rec
refuses '*belongs to another run: weight of positives was "balanced", is "rare=7"*' 'other weights' \
	train half -q --epochs 2 --pos-weight rare=7 --save-steps 5 --resume train.rec
refuses '*belongs to another run: weight of positives was "balanced", is absent*' 'none' \
	train half -q --epochs 2 --save-steps 5 --resume train.rec
works 'resumed' train half -q --epochs 2 --pos-weight balanced --save-steps 5 --resume train.rec
same half/model.safetensors one/model.safetensors '... the same'
exits 1 'a run without' train half -q --epochs 2 --save-steps 5 --max-minutes 1e-5 train.rec
refuses '*belongs to another run: weight of positives was absent, is "balanced"*' 'then with' \
	train half -q --epochs 2 --pos-weight balanced --save-steps 5 --resume train.rec

# what is refused
misuses "*positive weights: 'odd' is not a label*" 'no label' train x --pos-weight odd=2 train.rec
misuses '*3 positive weights for 4 labels*' 'too few' train x --pos-weight 1,2,3 train.rec
misuses "*positive weight '-1' is not 0 or a number from 1e-06 to 1e+06*" 'below 0' train x --pos-weight card=-1 train.rec
misuses "*positive weight 'x' is not 0 or a number*" 'no number' train x --pos-weight card=x train.rec
csv2tfrecord -q -i id -t text -l card train.csv | bert-tokenize -q -m "$vocab" -o single.rec
misuses '*this model learns to choose one class (--pos-weight applies only to --task multilabel, --class-weight to classification)' \
	'two classes' train x --task classification --pos-weight balanced single.rec
misuses '*this model learns to predict numbers (--pos-weight *' 'numbers' \
	train x --task regression --pos-weight balanced single.rec

# PyTorch's BCEWithLogitsLoss: a step down the gradient, from a model that is not at its end
if ! compares 'PyTorch'; then
	finish
fi
tfrecord-cat -q --json -o dev.json dev.rec
bert-predict -q -m plain --dtype f32 --proba -o plain.csv dev.rec
bert-eval -q -m plain --dtype f32 --json -o plain.json dev.rec
for w in balanced 3,0.25,20,1; do
	bert-train -q -m plain -o step --force --optimizer sgd --momentum 0 --learning-rate 1 \
		--weight-decay 0 --clip 0 --dropout 0 --schedule constant --warmup 0 \
		--batch-size 40 --steps 1 --dtype f32 --pos-weight $w dev.rec
	works "loss and gradients are PyTorch's: $w" "$PEER_PYTHON" \
		"$TEST_TOP/tests/fixtures/targets-peer.py" check plain step dev.json plain.csv plain.json $w
done
finish
