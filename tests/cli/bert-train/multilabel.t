#!/bin/sh
# SPDX-License-Identifier: MIT
# Texts with any number of labels: training, measures, predictions, submissions,
# what is refused.
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
vocab=$TEST_TOP/pipelines/data/vocab.txt

# Six labels, on where the text says so; "never" holds for none, "rare" for few.
table() { # ROWS SEED
	awk -v n="$1" -v seed="$2" 'BEGIN {
		srand(seed)
		split("card book wifi fine", word, " ")
		print "id,text,card,book,wifi,fine,rare,never"
		for (i = 1; i <= n; i++) {
			text = "the library is open"; row = ""
			for (k = 1; k <= 4; k++) {
				on = rand() < .4
				if (on) text = text " and my " word[k]
				row = row "," on
			}
			print "r" i "," text row "," (i % 7 == 0) ",0"
		}
	}'
}
labels=card,book,wifi,fine,rare,never
table 128 1 >train.csv
table 40 2 >dev.csv
for f in train dev; do
	csv2tfrecord -q -i id -l $labels $f.csv | bert-tokenize -q -m "$vocab" -o $f.rec
done
train() { # OUT [OPTION ...]
	dir=$1
	shift
	bert-train --force --init-config tiny --tokenizer "$vocab" --learning-rate 2e-3 \
		--batch-size 16 --dropout 0 --task multilabel -o "$dir" "$@"
}

# records
tfrecord-cat -q --json --head 1 train.rec | sed 's/"input_.*"label"/"label"/; s/, "seg.*//' >got
csv2tfrecord -q -l $labels train.csv | tfrecord-cat -q --json --head 1 | sed 's/, "text.*//' >text
like "$(cat got)" '{"id": "r1", "label": *, "label_ids": [[][01], [01], [01], [01], 0, 0], "label_names": [[]"card", "book", "wifi", "fine", "rare", "never"]' \
	'a record has its labels, as names and as 1 and 0, and all names'
like "$(cat text)" '*"label_names": [[]"card", *' 'so has the text'
like "$(csv2tfrecord -q -i id -l $labels dev.csv | bert-tokenize -q -m "$vocab" --format json |
	head -n 1)" '{"id": "r1", "labels": [[]*], "tokens"*' 'and JSON Lines'

like "$(tfrecord-cat -q --stats train.rec)" '*labels: 5, records without one: *rare*' 'tfrecord-cat counts them'

# training
works 'it trains' train m --epochs 8 --batch-size 8 --eval dev.rec train.rec
like "$(cat err)" "*6 labels, 1.* a text*1 of the 6 labels has no training example: 'never'*epoch 8: loss *, evaluation loss *, micro F1 *, macro F1 *, ROC AUC * (best)*" \
	'and tells what there is'
like "$(tr -d ' \n' <m/config.json)" \
	'*"problem_type":"multi_label_classification"*"id2label":{"0":"card","1":"book","2":"wifi","3":"fine","4":"rare","5":"never"}*' \
	'the configuration says so, in the order of the columns'
like "$(tail -n 1 m/history.jsonl)" '*"eval_accuracy":*"eval_micro_f1":*"eval_hamming_loss":*"eval_roc_auc":*' \
	'the history has the measures'
bert-eval -q -m m -o report dev.rec
like "$(cat report)" 'label *precision *ROC AUC *
never *0.0000 *- *0
*micro avg*macro avg*weighted avg*exact match (subset accuracy) *mean ROC AUC *' 'the report'
is "$(awk '$1 == "card" || $1 == "book" { print ($5 > .95) }' report | tr -d '\n')" 11 \
	'what the text shows is learnt'
bert-eval -q -m m -j1 --json -o report.json dev.rec

# the same to the last bit with any number of threads, and resumed
train one -q -j1 --epochs 2 --eval dev.rec train.rec
train three -q -j3 --epochs 2 --eval dev.rec train.rec
same one/model.safetensors three/model.safetensors 'one thread or three'
train half -q --epochs 2 --eval dev.rec --save-steps 5 --max-minutes 1e-5 train.rec 2>err
until train half -q --epochs 2 --eval dev.rec --save-steps 5 --resume train.rec; do :; done
same half/model.safetensors one/model.safetensors 'resumed'
works 'it is trained on' bert-train -m m -o more --steps 1 train.rec
is "$(grep -c 'newly initialized' err)" 0 'with its last layer'

# the measures, by their definitions
bert-predict -q -m m --proba -o p.csv dev.rec
sed 1d dev.csv | cut -d, -f3- >truth
sed 1d p.csv | cut -d, -f3- >p.six
paste -d, truth p.six | awk -F, '{
	right = 1
	for (k = 1; k <= 6; k++) {
		t = $k; g = $(k + 6) > .5
		tp += t && g; p += g; s += t; wrong += t != g
		if (t != g) right = 0
		T[k, NR] = t; S[k, NR] = $(k + 6)
	}
	all += right
} END {
	for (k = 1; k <= 6; k++) {
		pairs = good = 0
		for (i = 1; i <= NR; i++) for (j = 1; j <= NR; j++)
			if (T[k, i] && !T[k, j]) {
				pairs++
				good += (S[k, i] > S[k, j]) + (S[k, i] == S[k, j]) / 2
			}
		if (pairs) { area += good / pairs; n++ }
	}
	printf "%.5f %.5f %.5f %.5f", 2 * tp / (p + s), all / NR, wrong / NR / 6, area / n
}' >want
number() { sed -n "s/^ *\"$1\": \([-0-9.e]*\),*/\1/p" report.json | head -n 1; }
is "$(printf '%.5f %.5f %.5f %.5f' "$(number micro_f1)" "$(number accuracy)" \
	"$(number hamming_loss)" "$(number roc_auc)")" "$(cat want)" 'measures are right'
exits 1 '--min fails' bert-eval -q -m m --min roc_auc=.9999 dev.rec
like "$(bert-eval -q -m m --threshold .9999999 dev.rec | grep 'micro avg')" \
	'*0.0000  0.0000  0.0000 *' 'with a threshold'

# the worst examples, groups and another model
bert-eval -q -m m --errors 2 dev.rec | sed '1,/^most wrong/d' >got
sed 1d dev.csv | cut -d, -f1,3- | paste -d, - p.six | awk -F, '{
	loss = 0
	for (k = 2; k <= 7; k++) {
		p = $(k + 6)
		loss -= log($k ? p : 1 - p) / 6
	}
	printf "%.4f %d (%s)\n", loss, NR, $1
}' | sort -k1,1nr -k2,2n | head -n 2 | awk '{ print $2, $3, $1 }' >want
is "$(awk '/->/ { print $1, $2, $3 }' got)" "$(cat want)" '--errors: the largest loss'
like "$(sed -n 1p got)" '*[)]  *[0-9]  * (0.[0-9][0-9]*) -> *' '... with probabilities'
like "$(bert-eval -q -m m --errors 1 --json dev.rec | tr -d ' \n')" \
	'*"errors":[[]{"record":*,"id":"r*","loss":*,"labels":[[]*],"predicted":[[]*],"text":"*"}]}' '... in JSON'
tfrecord-cat -q --json dev.rec | awk '{ sub(/^{/, "{\"half\": " (NR > 20) ", ") } { print }' |
	tfrecord-cat -q --from-json -o half.rec
tfrecord-cat -q --tail 20 -o second.rec dev.rec
is "$(bert-eval -q -m m --by half half.rec | awk '$1 == 1 && $2 == 20 { print $3, $4, $6, $8 }')" \
	"$(bert-eval -q -m m --json second.rec | tr -d ' ,"' | awk -F: '{ v[$1] = v[$1] == "" ? $2 : v[$1] }
		END { printf "%.4f %.4f %.4f %.4f", v["accuracy"], v["micro_f1"], v["hamming_loss"], v["loss"] }')" \
	'--by: what these records alone give'
bert-train -q -m m --steps 3 --learning-rate 1e-2 -o other train.rec
sed 1d dev.csv | cut -d, -f3- >t
bert-predict -q -m other --proba dev.rec | sed 1d | cut -d, -f3- | paste -d, t p.six - | awk -F, '{
	a = b = 1
	for (k = 1; k <= 6; k++) {
		if (($(k + 6) > .5) != $k) a = 0
		if (($(k + 12) > .5) != $k) b = 0
	}
	n[a, b]++
} END { printf "right: both %d, A alone %d, B alone %d, neither %d", n[1, 1], n[1, 0], n[0, 1], n[0, 0] }' >want
like "$(bert-eval -q -m m --compare other dev.rec)" "*hamming_loss *
$(cat want)
exact McNemar test: p = *" '--compare: right is what has just its labels'

like "$(ckpt-inspect --family m)" '*classifier of 6 labels, any number of which may hold*' \
	'ckpt-inspect sees it'
like "$(ckpt-inspect --family --json m)" '*"problem_type": "multi_label_classification"*' \
	'... in JSON'

# forms of the answer
is "$(head -n 1 p.csv)" "id,label,$labels" 'a column for each probability'
is "$(awk -F, 'NR > 1 { split("card book wifi fine rare never", l, " "); want = ""
	for (k = 3; k <= 8; k++) if ($k > .5) want = want " " l[k - 2]
	if (want != ($2 == "" ? "" : " " $2)) bad++ } END { print bad + 0 }' p.csv)" 0 \
	'labels over a half'
bert-predict -q -m m --threshold 1e-9 --label-separator '|' dev.rec >all
is "$(sed -n 2p all)" 'r1,card|book|wifi|fine|rare|never' 'another threshold and separator'
like "$(bert-predict -q -m m --format jsonl --proba dev.rec | head -n 1)" \
	'{"id": "r1", "labels": [[]*], "probabilities": {"card": *, "never": *}}' 'JSON Lines'
like "$(bert-predict -q -m m --format jsonl --top 2 dev.rec | head -n 1)" \
	'{"id": "r1", "labels": [[]*], "top": [[]{"label": *}, {*}]}' '... with the likeliest'
bert-predict -q -m m --threshold 'card=.2,never=1e-9' --proba dev.rec >own.csv
is "$(awk -F, 'NR > 1 { want = ($3 > .2 ? " card" : "") ($4 > .5 ? " book" : "") ($5 > .5 ? " wifi" : "") \
	($6 > .5 ? " fine" : "") ($7 > .5 ? " rare" : "") " never"
	if (want != " " $2) bad++ } END { print (NR > 1), bad + 0 }' own.csv)" '1 0' 'a threshold for a label'
printf 'card,.2\nnever,1e-9\n' >least.csv
is "$(bert-predict -q -m m --threshold @least.csv --proba dev.rec | cksum)" "$(cksum <own.csv)" \
	'... of a file'
right=$(sed 1d own.csv | cut -d, -f2 | paste -d, truth - | awk -F, '
	{ split("card book wifi fine rare never", l, " "); want = ""
	for (k = 1; k <= 6; k++) if ($k == 1) want = want (want == "" ? "" : " ") l[k]
	n += want == $7 } END { printf "%.4f", n / NR }')
for value in card=.2,never=1e-9 @least.csv; do
	like "$(bert-eval -q -m m --threshold "$value" dev.rec | tail -n 1)" "exact match (subset accuracy) $right *" \
		"bert-eval takes the same: $value"
done
like "$(bert-eval -q -m m --errors 1 --threshold never=1e-9 dev.rec | tail -n 2 | head -n 1)" '*-> *never*' \
	'... for its worst examples'
misuses "*thresholds: 'odd' is not one of the model's 6 labels*" '... and refuses the same' \
	bert-eval -m m --threshold odd=.5 dev.rec
for value in x 0 2 card=x card= odd=.5 card=.1,card=.2; do
	misuses '*threshold*' "no threshold: $value" bert-predict -m m --threshold "$value" dev.rec
done
bert-predict -q -m m --format tfrecord --proba --top 2 -o p.rec dev.rec
tfrecord-cat -q --json p.rec >p.json
is "$(wc -l <p.json)" "$(($(wc -l <p.csv) - 1))" 'a record a text'
is "$(sed 's/.*"labels": \(.*\), "probabilities.*/\1/; s/["[,]//g; s/]//g; s/{bytes: }//' p.json)" \
	"$(sed 1d p.csv | cut -d, -f2)" 'with the labels that hold'
is "$(sed 's/.*"probabilities": *\[\([^]]*\)\].*/\1/; s/ //g' p.json)" \
	"$(sed 1d p.csv | cut -d, -f3-)" 'the probability of each'
like "$(head -n 1 p.json)" '*"id": "r1"*"top_labels": [[]"*", "*"], "top_probabilities": [[]*, *]*' \
	'and the likeliest'
is "$(bert-predict -q -m m --format tsv dev.rec | head -n 1 | awk '{ print NF }')" 6 'tsv'
bert-predict -q -m m --format tensor -o t dev.rec
works 'as tensors' tensor-cat -q --verify t
is "$(tensor-cat -q --sigmoid t | tensor-cat -q --csv | cut -d, -f2- | sed 1d)" \
	"$(cut -d, -f3- p.csv | sed 1d)" '... whose sigmoids are the probabilities'
is "$(tensor-cat -q --label t)" "$(cut -d, -f1,2 p.csv)" '... and whose labels those over a half'
is "$(tensor-cat -q --sigmoid t | tensor-cat -q --label)" "$(cut -d, -f1,2 p.csv)" \
	'... as those of the probabilities'
is "$(tensor-cat -q --mean --sigmoid t t | tensor-cat -q --label)" "$(cut -d, -f1,2 p.csv)" \
	'... and of their mean'
exits 2 '... not the softmax, too' tensor-cat --sigmoid --softmax t
refuses "*'t': frame 1: it holds logits of a multi-label model (--sigmoid makes probabilities of them)" \
	'... nor alone' tensor-cat --softmax -o no.ts t
for d in bf16 int8; do
	bert-predict -q -m m --dtype $d --proba -o d.csv dev.rec
	is "$(paste -d, p.csv d.csv | awk -F, 'NR > 1 { for (k = 3; k <= 8; k++) {
		d = $k - $(k + 8); if (d > .05 || d < -.05) bad++ } } END { print bad + 0 }')" \
		0 "$d predicts nearly the same"
done
bert-predict -q -m m -m m --proba -o twice.csv dev.rec
is "$(paste -d, p.csv twice.csv | awk -F, 'NR > 1 { for (k = 3; k <= 8; k++) {
	d = $k - $(k + 8); if (d > 1e-6 || d < -1e-6) bad++ } } END { print bad + 0 }')" 0 \
	'a model and itself predict their mean'

# submissions
{ echo id,never,wifi,card,book,fine,rare; sed '1d; s/,.*/,0,0,0,0,0,0/' dev.csv | sort -r; } >sample.csv
bert-predict -q -m m --sample sample.csv -o s.csv dev.rec
awk -F, -v OFS=, 'NR > 1 { print $1, $8, $5, $3, $4, $6, $7 }' p.csv | sort -r >want
is "$(head -n 1 s.csv)" id,never,wifi,card,book,fine,rare 'a submission has the columns of the sample'
is "$(sed 1d s.csv)" "$(cat want)" 'and the probabilities of each, by name'
bert-predict -q -m m --threshold .5 --sample sample.csv dev.rec | sed 1d | cut -d, -f2- | tr -d '01,\n' >rest
is "$(wc -c <rest | tr -d ' ')" 0 'with a threshold, 1 and 0'
sed 's/never/odd/' sample.csv >odd.csv
refuses "*column 'odd': not among the model's 6 labels; without a column: 'never' (*" \
	'a column that is no label' bert-predict -m m --sample odd.csv dev.rec
{ echo id,labels; sed '1d; s/,.*/,x/' sample.csv; } >one.csv
bert-predict -q -m m --sample one.csv -o s1.csv dev.rec
is "$(sort s1.csv)" "$(cut -d, -f1,2 p.csv | sed '1s/label/labels/' | sort)" \
	'one column takes the labels'

# labels of one column, some others' records
sed 1d train.csv | awk -F, 'BEGIN { print "text,tags" } {
	print $2 "," ($3 ? "card;" : "") ($4 ? "book" : "") }' >tags.csv
csv2tfrecord -q -l tags --label-separator ';' tags.csv | bert-tokenize -q -m "$vocab" -o tags.rec
works 'labels with a separator between' train tags --steps 2 tags.rec
like "$(tr -d ' \n' <tags/config.json)" '*"id2label":{"0":"book","1":"card"}*' 'are sorted'
printf '%s\n' '{"input_ids": [2, 5, 3], "label_ids": [1, 0, 0]}' \
	'{"input_ids": [2, 6, 3], "label_ids": [0, 1, 1]}' | tfrecord-cat -q --from-json -o bits.rec
works 'records with 1 and 0 alone' train bits --steps 2 bits.rec
like "$(tr -d ' \n' <bits/config.json)" '*"id2label":{"0":"0","1":"1","2":"2"}*' 'by their numbers'

# what is refused
printf 'text,y\na,x\nb,y\n' | csv2tfrecord -q -l y | bert-tokenize -q -m "$vocab" -o single.rec
refuses '*record 1: may have several labels, but the model is single-label (train with --task multilabel *' \
	'many labels for a classifier' bert-train --init-config tiny --tokenizer "$vocab" -o x train.rec
refuses '*is multi-label data, but the model predicts numbers*' 'for numbers' \
	bert-train --init-config tiny --tokenizer "$vocab" --task regression -o x train.rec
refuses '*every training record has exactly one label (train with --task classification*' \
	'one label for this' train x single.rec
refuses "*label 'x' is not one of the 6 labels known*" 'other labels' bert-eval -m m single.rec
sed '2s/,0$/,2/' train.csv >two.csv
refuses "*record 1 (line 2): 'never' is '2', expected 0 or 1 *" 'what is neither 0 nor 1' \
	csv2tfrecord -l $labels two.csv
csv2tfrecord -q -l card,book train.csv | bert-tokenize -q -m "$vocab" -o few.rec
refuses "*record 1: its label_names lack 'wifi', unlike*" 'fewer columns' bert-eval -m m few.rec
works 'prediction does not look at them' bert-predict -q -m m -o y few.rec
works 'another set of columns' bert-train -m m -o x --steps 1 few.rec
like "$(cat err)" "*2 labels*'m': 2 of 2 labels are the model's*'m': 4 of its 6 labels are left out: *" '... are found by name'
printf '%s\n' '{"input_ids": [2, 5, 3], "label_ids": [1.0, 0.5]}' | tfrecord-cat -q --from-json -o half.rec
refuses "*label_ids holds 0.5 for '1', expected 0 or 1*" 'what is neither in label_ids' train x half.rec
printf '%s\n' '{"input_ids": [2, 5, 3], "label_ids": [1, 0]}' '{"input_ids": [2, 5, 3], "label_ids": [1, 0, 1]}' |
	tfrecord-cat -q --from-json -o uneven.rec
refuses '*record 2: label_ids holds 3 numbers, expected 2' 'or of another length' train x uneven.rec
printf '%s\n' '{"input_ids": [2, 5, 3], "label": ["b"], "label_names": ["a", "a", "b"]}' |
	tfrecord-cat -q --from-json -o names.rec
refuses '*record 1: label_names has a name twice' 'a name twice' train x names.rec
for o in '--class-weight balanced' '--label-smoothing .1'; do
	# shellcheck disable=SC2086
	misuses "*${o%% *} applies only to classification)" "$o" train x $o train.rec
done
misuses "*metric 'mcc' is not available for multi-label classification, available: loss, *" 'a measure of one' \
	train x --eval train.rec --metric mcc train.rec
misuses '*the head'"'"'s last layer must be dense alone' 'a head that ends otherwise' \
	train x --head 'first, dense softplus' train.rec
misuses '*two labels cannot be given one name' 'labels made one' \
	bert-predict -m m --map-label card=book dev.rec
misuses "*the label 'card' contains 'r'*" 'a separator that a label has' \
	bert-predict -m m --label-separator r dev.rec
for o in '--format jsonl' '--format tfrecord' '--format tsv' '--top 1'; do
	# shellcheck disable=SC2086
	misuses '*labels are not joined into one field here, and need no separator*' "... without such a field ($o)" \
		bert-predict -m m --label-separator '|' $o dev.rec
done
misuses '*the likeliest labels have no threshold (do not combine --threshold with --top)*' 'a threshold of the likeliest' \
	bert-predict -m m --threshold .1 --top 1 dev.rec
misuses '*--label-separator applies only to multi-label models)' \
	'a separator for one of them' sh -c 'bert-train -q --init-config tiny --tokenizer "$1" \
		--steps 1 -o c single.rec && bert-predict -m c --label-separator - single.rec' - "$vocab"
refuses "*'c' predicts classes, the first model multi-label sets" 'both kinds' \
	bert-predict -m m -m c dev.rec

# PyTorch, transformers and scikit-learn
if compares 'transformers, PyTorch and scikit-learn'; then
	peer=$TEST_TOP/tests/fixtures/targets-peer.py
	# a step down the gradient, from a model that is not at its end
	bert-train -q -m one -o step --optimizer sgd --momentum 0 --learning-rate 1 \
		--weight-decay 0 --clip 0 --dropout 0 --schedule constant --warmup 0 \
		--batch-size 40 --steps 1 --dtype f32 dev.rec
	tfrecord-cat -q --json -o dev.json dev.rec
	bert-predict -q -m one --dtype f32 --proba -o one.csv dev.rec
	bert-eval -q -m one --dtype f32 --json -o one.json dev.rec
	works 'probabilities, loss, measures and gradients are theirs' \
		"$PEER_PYTHON" "$peer" check one step dev.json one.csv one.json
	works 'transformers writes such a model' "$PEER_PYTHON" "$peer" make \
		one/config.json theirs multi_label_classification card book wifi fine rare never
	bert-predict -q -m theirs --dtype f32 --proba -o theirs.csv dev.rec
	bert-eval -q -m theirs --dtype f32 --json -o theirs.json dev.rec
	bert-train -q -m theirs -o step2 --optimizer sgd --momentum 0 --learning-rate 1 \
		--weight-decay 0 --clip 0 --dropout 0 --schedule constant --warmup 0 \
		--batch-size 40 --steps 1 --dtype f32 dev.rec
	works '... which predicts and learns the same here' \
		"$PEER_PYTHON" "$peer" check theirs step2 dev.json theirs.csv theirs.json
fi
finish
