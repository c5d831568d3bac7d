#!/bin/sh
# SPDX-License-Identifier: MIT
# Rerankers: numbers from 0 to 1, the sigmoids of the outputs, in the files of
# sentence-transformers' CrossEncoder.
# Not under thread: the threads are those of cli/bert-train/train
. "$TEST_TOP/tests/lib/lib.sh"
cp "$TEST_TOP"/pipelines/data/vocab.txt .

# a passage that is open answers a query
awk 'BEGIN { srand(5); split("cafe books card wifi park fine", w, " "); print "q,query,passage,fits"
	for (q = 1; q <= 60; q++) { a = w[q % 6 + 1]; b = w[(q + 1 + int(rand() * 5)) % 6 + 1]
		print q "," a "," a " is open,1\n" q "," a "," b " is new,0" } }' >pairs.csv
awk 'BEGIN { FS = OFS = "," } NR > 1 { $4 = $4 ? .9 : .2 } 1' pairs.csv >shares.csv
records() { # NAME [OPTION ...]
	name=$1
	shift
	csv2tfrecord -q -t query --pair passage -l fits --keep q "$@" $name.csv |
		bert-tokenize -q -m vocab.txt -o $name.rec
}
records pairs
records shares --label-type float
train() { # OUT [OPTION ...]
	out=$1
	shift
	bert-train --force --init-config tiny --tokenizer vocab.txt --epochs 10 --batch-size 16 \
		--learning-rate 2e-3 --dropout 0 -o "$out" "$@"
}

works 'it trains on classes 0 and 1' train m --task ranking --eval pairs.rec pairs.rec
like "$(cat err)" '*numbers from 0 to 1*evaluation loss 0.0*' 'and learns to tell them apart'
works 'it ranks' bert-eval -q -m m --rank-by q -o report pairs.rec
like "$(cat report)" 'loss  *0.0*ROC AUC 1.0000  average precision 1.0000*mean squared error *MRR@10 1.0000*' 'a passage that fits is first'
bert-predict -q -m m -o p.csv pairs.rec
is "$(awk -F, 'NR > 1 && ($2 < 0 || $2 > 1)' p.csv)$(head -n 1 p.csv)" id,label \
	'what it predicts is from 0 to 1'
like "$(tr -d '\n' <m/config.json)" \
	'*"problem_type": "regression"*"sentence_transformers": {*"activation_fn": "torch.nn.modules.activation.Sigmoid"*' \
	'the configuration is that of a CrossEncoder'
grep -q '^pipeline_tag: text-ranking' m/README.md
result $? 'and so the card'

bert-eval -q -m m --json -o report.json pairs.rec
bert-predict -q -m m --format tensor -o logits.ts pairs.rec
works 'predictions in a tensor stream' bert-eval -q --predictions logits.ts --json -o again.json pairs.rec
some() { sed -n '/"loss"\|"mse"/{s/\(\.[0-9]\{4\}\)[0-9]*/\1/;p;}' "$1"; }
is "$(some again.json)" "$(some report.json)" 'are judged alike'
refuses '*the numbers that a model predicts*' 'and have no label' tensor-cat --label logits.ts
refuses '*logits of a reranker (--sigmoid *' 'nor a softmax' tensor-cat --softmax logits.ts -o no.ts
tensor-cat -q --sigmoid logits.ts | tensor-cat -q --csv >sigmoids.csv
is "$(sed 1d sigmoids.csv | cut -c 1-12)" "$(sed 1d p.csv | cut -c 1-12)" 'but the sigmoid, which is the number'
tensor-cat -q --sigmoid logits.ts -o numbers.ts
for f in numbers.ts p.csv; do
	works "$f" bert-eval -q --task ranking --predictions $f --json -o again.json pairs.rec
	is "$(some again.json)" "$(some report.json)" 'is judged alike, too'
done
works 'predictions in CSV' bert-eval -q --predictions p.csv --task regression --json -o csv.json pairs.rec
is "$(grep '"mse"' csv.json | cut -c 1-16)" "$(grep '"mse"' report.json | cut -c 1-16)" 'are the same numbers'

# the mean of two models is that of their numbers
train two -q --task ranking --seed 3 pairs.rec
bert-predict -q -m two -o p2.csv pairs.rec
bert-predict -q -m m -m two -o mean.csv pairs.rec
paste -d , p.csv p2.csv mean.csv | awk -F, 'NR > 1 { d = ($2 + $4) / 2 - $6; if (d * d > 1e-12) print }' >far
is "$(cat far)" '' 'models are averaged by their numbers'
bert-eval -q -m m -m two --json -o two.json pairs.rec
bert-predict -q -m two -o logits2.ts pairs.rec
bert-eval -q --predictions logits.ts --predictions logits2.ts --json -o files.json pairs.rec
is "$(some files.json)" "$(some two.json)" 'and so are their files'
csv2tfrecord -q -i row -t query --pair passage -l fits pairs.csv | bert-tokenize -q -m vocab.txt -o ids.rec
bert-predict -q -m m -m two -o mean.csv ids.rec
for m in m two; do
	bert-predict -q -m $m -o $m.csv ids.rec
	bert-predict -q -m $m -o $m.ts ids.rec
done
tensor-cat -q --sigmoid two.ts -o numbers.ts
works 'a file of predictions' bert-predict -q --predictions m.ts -o one.csv
same one.csv m.csv '... gives those of the model'
for f in two.ts numbers.ts two.csv; do
	works "their mean, $f" bert-predict -q --predictions m.ts --predictions $f -o files.csv
	paste -d , mean.csv files.csv | awk -F, 'NR > 1 { d = $2 - $4; if ($1 != $3 || d * d > 1e-12) print }' >far
	is "$(cat far)" '' '... is that of the models'
done
works 'ranks' bert-predict -q --predictions m.ts --ranks -o ranks.csv
is "$(awk -F, 'NR > 1 { n++; s += $2; bad += $2 <= 0 || $2 >= 1 } END { printf "%.4f %d", s / n, bad }' ranks.csv)" '0.5000 0' \
	'... are between 0 and 1'
works 'intervals' bert-eval -q -m m --ci -o - pairs.rec
works 'the worst' bert-eval -q -m m --errors 2 -o worst pairs.rec
like "$(cat worst)" '*-> 0.*' 'are shown as numbers from 0 to 1'
works 'folds' train folds -q --task ranking --kfold 2 --epochs 2 pairs.rec
works 'what the words contribute' bert-predict -q -m m --explain -o - pairs.rec

works 'the best by average precision' train best --task ranking \
	--metric average_precision --eval pairs.rec pairs.rec
like "$(cat err)" '*average precision *, ROC AUC *, spearman *(best)*' 'each epoch says it'
works 'labels between' train s --task ranking --eval shares.rec shares.rec
like "$(cat err)" '*numbers from 0.2 to 0.9*' 'are numbers'
bert-predict -q -m s -o s.csv shares.rec
is "$(awk -F, 'NR > 1 && ($2 > .5) != (NR % 2 == 0)' s.csv)" '' 'and what is learnt'

# the task is that of the model, whichever file says so
works 'a ranker stays one' bert-train -q -m m -o more --steps 2 pairs.rec
grep -q activation.Sigmoid more/config.json
result $? 'in its file'
tr -d '\n' <m/config.json | sed 's/"problem_type": "regression",* *//; s/"sentence_transformers": {[^}]*}/"x": 1/' >config
for f in \
	'config.json "sbert_ce_default_activation_function": "torch.nn.modules.activation.Sigmoid",' \
	'config_sentence_transformers.json "activation_fn": "torch.nn.modules.activation.Sigmoid",' \
	'config.json "sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity",'; do
	rm -rf like
	cp -r m like
	cp config like/config.json
	case $f in
	config.json*) sed -i "s/{/{ ${f#* }/" like/config.json ;;
	*) echo "{ ${f#* } \"prompts\": {} }" >like/${f%% *} ;;
	esac
	bert-predict -q -m like -o like.csv pairs.rec
	case $f in
	*Sigmoid*)
		cmp -s like.csv p.csv
		result $? "${f%% *}: ${f##* } is the sigmoid"
		;;
	*) # and the outputs themselves else, from which more can be learnt
		awk -F, 'NR > 1 { print $1 "," 1 / (1 + exp(-$2)) }' like.csv >sigmoids
		sed 1d p.csv | paste -d , - sigmoids | awk -F, '($2 - $4) ^ 2 > 1e-9' >far
		is "$(cat far)" '' 'Identity is the output'
		works 'a ranker of it' bert-train -m like --task ranking -o ranker --steps 1 --learning-rate 1e-9 pairs.rec
		is "$(grep -c 'newly initialized' err)" 0 'keeps its last layer'
		bert-predict -q -m ranker -o ranker.csv pairs.rec
		paste -d , p.csv ranker.csv | awk -F, 'NR > 1 && ($2 - $4) ^ 2 > 1e-6' >far
		is "$(cat far)" '' 'and takes the sigmoid'
		;;
	esac
done
works 'a regression of a ranker' bert-train -q -m m --task regression -o numbers --steps 1 pairs.rec
is "$(grep -c Sigmoid numbers/config.json)" 0 'has outputs without it'

awk 'BEGIN { FS = OFS = "," } NR > 1 { $4 *= 3 } 1' pairs.csv >grades.csv
records grades
refuses "*'grades.rec': record 1: has the number 3 as its label, and a model that ranks has numbers from 0 to 1*--task regression*" \
	'grades above 1' train x --task ranking grades.rec
refuses "*'grades.rec': record 1: has the number 3 *" 'nor are they evaluated while it learns' \
	train x --task ranking --eval grades.rec pairs.rec
refuses "*'grades.rec': record 1: has the number 3 *--rank-by*" 'nor later' bert-eval -m m grades.rec
refuses "*'grades.rec': record 1: has the number 3 *" 'or from a file' \
	bert-eval --predictions p.csv --task ranking grades.rec
exits 1 'they have no loss to hold them to' bert-eval -q -m m --rank-by q --min loss=.5 grades.rec
like "$(cat err)" '*loss is undefined for these data*' 'which is said'
works 'they have predictions' bert-predict -q -m m -o g.csv grades.rec
cmp -s g.csv p.csv
result $? 'as any records'
for with in '--errors 3' '--compare m'; do
	# shellcheck disable=SC2086 # an option and its value
	refuses "*'grades.rec': record 1: has the number 3 *" "... nor $with, which need their loss" \
		bert-eval -m m --rank-by q $with grades.rec
done
works 'grades of passages' bert-eval -q -m m --rank-by q -o report grades.rec
like "$(cat report)" '*NDCG@10 1.0000*' 'are measured'
is "$(grep -c 'ROC AUC\|loss' report)" 0 'without a curve and a loss'
exits 1 'nor its metrics' bert-eval -q -m m --rank-by q --min average_precision=.5 -o - grades.rec
like "$(cat err)" "*'average_precision' needs labels that are all 0 or 1" 'for which labels are wanted'
finish
