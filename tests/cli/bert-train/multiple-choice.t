#!/bin/sh
# SPDX-License-Identifier: MIT
# --task multiple-choice: the answer to a question among several choices.
. "$TEST_TOP/tests/lib/lib.sh"
. "$TEST_TOP/tests/lib/families.sh"
cp "$TEST_TOP"/pipelines/data/vocab.txt .

# what is open is the answer, among three choices or four
awk 'BEGIN { srand(5); split("cafe books card wifi park fine", w, " "); print "id,prompt,A,B,C,D,answer"
	for (q = 1; q <= 60; q++) { n = q % 3 ? 4 : 3; y = int(rand() * n); line = "q" q "," w[q % 6 + 1]
		for (k = 0; k < 4; k++) line = line "," (k >= n ? "" : w[(q + (k != y) * (1 + int(rand() * 5))) % 6 + 1] " is " \
			(k == y ? "open" : "new"))
		print line "," substr("ABCD", y + 1, 1) } }' >quiz.csv
sed -n '1p;42,$p' quiz.csv >dev.csv
sed '42,$d' quiz.csv >train.csv
records() { # NAME [OPTION ...]
	name=$1
	shift
	csv2tfrecord -q -t prompt --choices A,B,C,D "$@" $name.csv | bert-tokenize -q -m vocab.txt -o $name.rec
}
records train -l answer -i id
records dev -l answer -i id
records quiz
csv2tfrecord -q -t prompt -l answer dev.csv | bert-tokenize -q -m vocab.txt -o plain.rec
train() { # OUT [OPTION ...]
	out=$1
	shift
	bert-train --force --init-config tiny --tokenizer vocab.txt --task multiple-choice --epochs 4 \
		--batch-size 8 --learning-rate 2e-3 --dropout 0 --dtype f32 -o "$out" "$@"
}

works 'it trains' train m --eval dev.rec train.rec
like "$(cat err)" '*40 training examples, 20 for evaluation, 3.675 choices a question, *' 'on questions'
like "$(cat err)" '*epoch 4: loss 0.0*, evaluation loss 0.0*, accuracy 1.0000, MAP@3 1.0000*' 'and learns'
is "$(grep -c 'distinct' err)" 0 'questions are distinct where their choices recur'
like "$(tr -d ' \n' <m/config.json)" '*"architectures":\["BertForMultipleChoice"\]*' 'the class is Hugging Face'\''s'
grep -q 'id2label\|problem_type' m/config.json
is $? 1 'without labels'
grep -q '^pipeline_tag: multiple-choice' m/README.md
result $? 'and the card'
works 'a share is held out, and questions stay whole' train share -q --eval-share .2 --epochs 1 train.rec
train same --steps 1 train.rec train.rec train.rec 2>err
like "$(cat err)" '*warning: only ?? of 120 training texts are distinct: *' 'questions that recur'
works 'evaluated on what is trained on' train leak --steps 1 --eval dev.rec train.rec dev.rec
like "$(cat err)" '*warning: 20 of 20 evaluation texts also occur in the training data: *' '... are counted as questions'
misuses '*folds are of texts with labels or numbers*' 'folds' train x --kfold 2 train.rec
misuses '*what is explained is why a text has a class, a label or a number*' 'an explanation' bert-predict -m m --explain dev.rec
misuses '*the model chooses an answer: of the options for labels, *' 'a sample' bert-predict -m m --sample dev.csv dev.rec
works 'a part is trained on' train part -q --train-share .5 --epochs 1 train.rec

# of 40 questions, which have 3 choices or 4
works 'checkpoints' train kept -q --batch-size 3 --save-steps 9 --keep 9 train.rec
works 'a run goes on in the middle of an epoch' \
	train again -q --batch-size 3 --resume-from kept/checkpoint-18.safetensors train.rec
is "$(weights again)" "$(weights kept)" '... to the same bits'

# questions are never parted, however they are computed
train once -q --batch-size 40 --steps 2 train.rec
train shards -q --batch-size 40 --steps 2 --shards 3 -j 2 train.rec
train parts -q --batch-size 10 --accumulate 4 --steps 2 train.rec
train other -q --batch-size 39 --steps 2 train.rec
loss() { bert-eval -q -m "$1" --dtype f32 --json dev.rec | sed -n 's/.*"loss": \([0-9.]\{6\}\).*/\1/p'; }
for how in shards parts; do
	is "$(loss $how)" "$(loss once)" "$how: the same updates"
done
[ "$(loss other)" != "$(loss once)" ]
result $? 'which others are not'
for tokens in 40 2; do
	works "batches of $tokens tokens" train tokens -q --batch-tokens $tokens --steps 3 -j 2 train.rec
	works "... by one thread" train again -q --batch-tokens $tokens --steps 3 -j 1 train.rec
	is "$(weights again)" "$(weights tokens)" 'threads do not matter'
done
awk 'BEGIN { n = 300; h = "prompt"; x = "a cafe"; for (k = 1; k <= n; k++) { h = h ",C" k; x = x ",book" }
	print h ",answer"; print x ",C7"; print x ",C" n }' >many.csv
csv2tfrecord -q -t prompt --choices "$(sed 's/prompt,//; s/,answer//; q' many.csv)" -l answer many.csv |
	bert-tokenize -q -m vocab.txt -o many.rec
works 'a question with more choices than a batch is to have tokens' \
	train x -q --batch-tokens 20 --steps 3 many.rec
rm -r x

bert-eval -q -m m -o report dev.rec
like "$(cat report)" 'accuracy 1.0000  MAP@3 1.0000  loss 0.*  (20 questions)' 'it is evaluated'
works 'as JSON, with a minimum' bert-eval -q -m m --json --min map_at_3=.9 dev.rec
like "$(tr -d ' \n' <out)" '{"examples":20,"loss":0.*,"accuracy":1.0,"map_at_3":1.0}' 'these numbers'

works 'as a page' bert-eval -q -m m --html page.html dev.rec
like "$(cat page.html)" '*<div class="tile"><b>1*>map at 3</span></div>*' 'of the same'
bert-predict -m m --summary p.json -o p.csv dev.rec 2>err
like "$(cat err)" '*20 predictions in *' 'predictions are of questions'
like "$(tr -d ' \n' <p.json)" '*"examples":20,*' 'in the summary, too'
is "$(cut -d , -f 2 p.csv)" "$(cut -d , -f 7 dev.csv | sed '1s/.*/label/')" 'it predicts the right ones, by name'
bert-predict -q -m m --top 3 --label-separator ' ' --header id,prediction -o kaggle.csv dev.rec
is "$(sed 1d kaggle.csv | awk -F, '!/^q[0-9]+,[A-D] [A-D] [A-D]$/')$(head -n 1 kaggle.csv)" id,prediction \
	'the best three, as in a submission'
is "$(sed 's/ .*//; 1d' kaggle.csv)" "$(sed 1d p.csv)" 'of which the first is the best'
bert-predict -q -m m --proba --format jsonl -o p.jsonl dev.rec
is "$(sed 's/.*"probabilities": {//; s/}*$//; s/"[A-D]": //g' p.jsonl | tr -d ' ' |
	awk -F, '{ s = 0; for (i = 1; i <= NF; i++) s += $i; if (s < .9999 || s > 1.0001 || NF < 3) print }')" '' \
	'probabilities of a question add up to 1'
bert-predict -q -m m --proba --top 1 -o p4.csv dev.rec
is "$(head -n 1 p4.csv)" id,label,probability,A,B,C,D 'or are columns'
is "$(awk -F, 'NR > 1 && $NF == ""' p4.csv | wc -l | tr -d ' ')" 7 'empty where there are fewer'
csv2tfrecord -q -t prompt --choices B,A dev.csv >ba.text
csv2tfrecord -q -t prompt --choices A,B,C,D -i id dev.csv >ab.text
cat ab.text ba.text | bert-tokenize -q -m vocab.txt -o mixed.rec
refuses '*has other choices than the first one, which names the columns of probabilities: jsonl has no columns*' \
	'columns of other choices' bert-predict -q -m m --proba mixed.rec
works 'which need no columns' bert-predict -q -m m --proba --format jsonl -o - mixed.rec
bert-predict -m m -o numbered.csv quiz.rec 2>err
like "$(cat err)" '*have no ids: they are numbered from 0*' 'without ids'
is "$(sed -n '$p' numbered.csv | cut -d , -f 1)" 59 'questions are numbered'
bert-tokenize -q -m vocab.txt --keep-text ab.text | bert-predict -q -m m --with text_a -o with.csv
is "$(cut -d , -f 1,2 with.csv | sed 1d)" "$(cut -d , -f 1,2 dev.csv | sed 1d)" 'with fields'
bert-predict -q -m m -m share -o two.csv dev.rec
is "$(wc -l <two.csv | tr -d ' ')" 21 'two models'

# more choices than it was trained with
awk -F, -v OFS=, '{ $7 = (NR == 1 ? "E" : "a park is new") OFS $7 } 1' dev.csv >five.csv
awk -F, 'NF == 8 && $6 != ""' five.csv | csv2tfrecord -q -t prompt --choices A,B,C,D,E -l answer |
	bert-tokenize -q -m vocab.txt | bert-eval -q -m m -o report
like "$(cat report)" 'accuracy 1.0000 * (13 questions)' 'another number of choices'

# it goes on from a model
works 'a model of choices stays one' bert-train -m m -o more --steps 1 --learning-rate 1e-9 train.rec
is "$(grep -c 'newly initialized' err)" 0 'with its last layer'
bert-predict -q -m more -o more.csv dev.rec
same more.csv p.csv 'and says the same'
works 'an adapter' bert-train -q -m m --lora 2 --epochs 1 -o adapter train.rec
works 'which chooses' bert-eval -q -m adapter -o report dev.rec
like "$(cat report)" 'accuracy 1.0000 *' 'too'

# families whose classifiers have another head have the one of transformers
for family in mpnet electra distilbert modernbert; do
	family_config $family >$family.json
	works "$family" bert-train -q --init-config $family.json --tokenizer vocab.txt --task multiple-choice \
		--steps 2 -o $family train.rec
	works "$family is read" bert-eval -q -m $family dev.rec
	ckpt-inspect $family 2>/dev/null | grep 'pooler\|classifier\|summary\|^head' >>heads
done
like "$(cat heads)" '*mpnet.pooler.dense.weight*sequence_summary.summary.weight*pre_classifier.weight*' 'with these heads'
for key in '"summary_activation": "tanh"' '"summary_activation": null' '"summary_type": "mean"' '"summary_use_proj": false'; do
	sed "s/{/{$key, /" electra.json >other.json
	misuses '*model cannot be built: summary_* is not supported (only *' "no $key" \
		bert-train -q --init-config other.json --tokenizer vocab.txt --task multiple-choice -o x train.rec
done
works 'which are for choices' bert-train -q --init-config other.json --tokenizer vocab.txt --steps 1 -o plain plain.rec
is "$(grep -c out_proj heads)" 0 'and not those of classifiers'

# what is not whole, or is something else
tfrecord-cat -q --json dev.rec >dev.json
edited() { # NAME SCRIPT: dev.rec, edited as JSON
	sed "$2" dev.json | tfrecord-cat -q --from-json -o $1.rec
}
edited cut '3,$d'
sed -n '1,2p; 10,11p' dev.json | tfrecord-cat -q --from-json -o ids.rec
edited first '1s/"label": "B", "label_ids": 1, //'
edited later '2,$s/"label": "[A-D]", "label_ids": [0-3], //'
edited labels '2s/"label": "B", "label_ids": 1, /"label": "A", "label_ids": 0, /'
edited window 's/"text_number": \([01]\)/&, "window": \1/'
edited names '1,4s/"D"\]/"A"]/'
for tool in 'bert-eval -q -m m' 'bert-predict -q -m m' 'bert-train -q -m m -o x'; do
	# shellcheck disable=SC2086 # a command
	for what in 'cut|record 2: the last question so far has [34] choices, and records of 2 (shuffle and divide before bert-tokenize)' \
		'ids|record 3: is choice 2 of a question and has another id than the choice before it (shuffle and *' \
		'first|record 2: is choice 1 of a question and has another label than the choice before it*' \
		'later|record 2: is choice 1 of a question and has another label than the choice before it*' \
		'labels|record 2: is choice 1 of a question and has another label than the choice before it*' \
		'window|record 1: is a window of a choice, and choices are read whole' \
		"names|record 1: two of the choices are called 'A'"; do
		refuses "*'${what%%|*}.rec': ${what#*|}" "${tool%% *}: ${what%%|*}" $tool ${what%%|*}.rec
	done
done
tfrecord-cat -q --shuffle -o shuffled.rec dev.rec
refuses '*choice*' 'shuffled choices' bert-eval -q -m m shuffled.rec
refuses '*no training record has a label that names a choice*' 'no labels' train x -q quiz.rec
refuses '*holds a choice of a question, but the model learns to choose one class (train with --task multiple-choice)*' \
	'another task' bert-train -q --init-config tiny --tokenizer vocab.txt --task classification -o x train.rec
csv2tfrecord -q -t prompt -l answer train.csv | bert-tokenize -q -m vocab.txt |
	bert-train -q --init-config tiny --tokenizer vocab.txt --steps 1 -o classifier -
refuses '*holds a choice of a question, but the model learns to choose one class (train with*' 'a classifier' \
	bert-predict -q -m classifier dev.rec
bert-predict -q -m m --embed mean -o m.npy shuffled.rec
is "$(wc -c <m.npy)" "$(bert-predict -q -m classifier --embed mean --format npy dev.rec | wc -c)" \
	'of which any model embeds each'
refuses '*the record is not one of the choices of a question (csv2tfrecord --choices *' 'other records' \
	bert-eval -q -m m plain.rec
misuses '*this model learns to choose an answer*--label-smoothing*' 'label smoothing' train x --label-smoothing .1 train.rec
misuses '*a model that chooses one of several texts has no head of its own and no pooling*' 'a head' \
	train x -q --head mean,dense train.rec
misuses '*choices are evaluated without --by*' 'features' bert-eval -q -m m --by x dev.rec
misuses '*choices are evaluated without *, --calibrate, --coverage and *' 'sets' bert-eval -q -m m --coverage .9 dev.rec
refuses "*'dev.rec': record 1: holds a choice of a question, and files of predictions are of texts (-m DIR *" \
	'a file of predictions' bert-eval -q --predictions p.csv dev.rec
misuses '*this model learns to choose an answer (--labels applies to classification, multilabel and tagging)*' 'labels' \
	train x --labels A,B,C,D train.rec
misuses '*confidence intervals are not available for choices*' 'intervals' bert-eval -q -m m --ci dev.rec
misuses '*the model chooses an answer: of the options for labels*' 'thresholds' bert-predict -q -m m --threshold .2 dev.rec
misuses '*choices are written as csv or jsonl, not as tensor*' 'tensors' bert-predict -q -m m -o x.ts dev.rec
misuses '*of a model that chooses an answer, --label-separator needs --top*' 'a separator of one' \
	bert-predict -q -m m --label-separator ' ' dev.rec
misuses '*the separator of labels is empty*' 'no separator' bert-predict -q -m m --top 2 --label-separator '' dev.rec
refuses "*the label 'A' contains 'A', which separates labels*" 'a separator in a name' \
	bert-predict -q -m m --top 2 --label-separator A -o x dev.rec
misuses '*labels are not joined into one field here, and need no separator*' 'a separator in JSON' \
	bert-predict -q -m m --top 2 --label-separator ' ' --format jsonl dev.rec
misuses '*the output is not CSV (--header and --delimiter are for --format csv)*' 'a header of JSON' \
	bert-predict -q -m m --header a,b --format jsonl dev.rec
for f in csv jsonl; do
	misuses "*the output would have 'label' twice*" "a field of that name ($f)" \
		bert-predict -q -m m --format $f --with label dev.rec
done
misuses "*the output would have 'probability' twice*" 'or of another' bert-predict -q -m m --top 2 --with probability dev.rec
misuses "*the header 'a' does not name two columns*" 'a header' bert-predict -q -m m --header a dev.rec
finish
